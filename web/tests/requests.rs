//! What the engine answers to the page, without a browser.

use otrera::record::sgf;
use otrera::{GameRecord, Position, Size};
use otrera_web::request::Engine;
use serde_json::{Value, json};

fn ask(engine: &mut Engine, request: &Value) -> Value {
    serde_json::from_str(&engine.answer(&request.to_string())).expect("answers are JSON")
}

#[test]
fn a_position_comes_with_all_its_moves() {
    let start = Position::start(Size::BOTZONE);
    let request = json!({"do": "position", "fen": start.to_fen(), "moves": ["C1C6F6"]});
    let answer = ask(&mut Engine::default(), &request);
    let position = start.with_move("c1-c6/f6".parse().expect("a move"));
    assert_eq!(answer["played"], json!(["c1-c6/f6"]));
    assert_eq!(answer["fen"], position.to_fen());
    assert_eq!(
        (&answer["side"], &answer["ply"], &answer["winner"]),
        (&json!("white"), &json!(1), &Value::Null)
    );
    let movements = answer["moves"].as_object().expect("amazons").values();
    let arrows = movements.flat_map(|to| to.as_object().expect("landings").values());
    let count: usize = arrows.map(|arrows| arrows.as_array().expect("squares").len()).sum();
    assert_eq!(count, position.legal_moves().count());
    assert_eq!(answer["owners"].as_str().map(str::len), Some(64));
}

#[test]
fn the_tree_is_kept_where_the_game_goes_on() {
    let mut engine = Engine::default();
    let start = Position::standard();
    let think = |position: &Position, anew: bool| json!({"do": "think", "fen": position.to_fen(), "iterations": 400, "lines": 2, "anew": anew});
    let first = ask(&mut engine, &think(&start, true));
    assert_eq!((&first["visits"], first["lines"].as_array().map(Vec::len)), (&json!(400), Some(2)));
    assert!(ask(&mut engine, &think(&start, false))["visits"].as_u64() > Some(400));
    let best = first["best"].as_str().and_then(|text| text.parse().ok()).expect("a move");
    let next = start.with_move(best);
    assert!(ask(&mut engine, &think(&next, false))["visits"].as_u64() > Some(400));
    assert_eq!(ask(&mut engine, &think(&next, true))["visits"], 400);
    let again = ask(&mut engine, &think(&start, true));
    assert_eq!(again["lines"], first["lines"]);
}

#[test]
fn records_are_read_and_written() {
    let moves = ["d1-d7/g7", "a7-d4/a7"].map(|text| text.parse().expect("a move"));
    let text = sgf::write(&GameRecord::new("eins", "二", Position::standard()).with_moves(&moves));
    let mut engine = Engine::default();
    let games = ask(&mut engine, &json!({"do": "read", "text": text}));
    assert_eq!(games["games"][0]["moves"][1]["move"], "a7-d4/a7");
    let written = ask(&mut engine, &json!({"do": "write", "form": "sgf", "game": games["games"][0]}));
    assert_eq!(written["text"], text);
}

#[test]
fn what_is_wrong_is_said_in_a_sentence() {
    let stuck = "qQ2/QQ2/4/4 b - - 0 1";
    for (request, problem) in [
        (json!({"do": "dance"}), "a request"),
        (json!({"do": "start", "edge": 3}), "4 to 10"),
        (json!({"do": "position", "fen": "nonsense"}), "4 to 10 rows"),
        (
            json!({"do": "position", "fen": Position::standard().to_fen(), "moves": ["d1-d7/g7", "d1-d2/d3"]}),
            "move 2",
        ),
        (json!({"do": "think", "fen": stuck, "iterations": 1}), "over"),
        (json!({"do": "think", "fen": Position::standard().to_fen()}), "needs iterations"),
        (json!({"do": "think", "fen": Position::standard().to_fen(), "seconds": -1.0}), "needs iterations"),
        (json!({"do": "read", "text": " ".repeat(17 << 20)}), "17 MB"),
        (json!({"do": "read", "text": "d1-d7/g7 d1-d2/d3"}), "move 2"),
        (json!({"do": "write", "form": "sgf", "game": {"moves": 3}}), "sequence"),
    ] {
        let answer = ask(&mut Engine::default(), &request);
        let said = answer["problem"].as_str().unwrap_or_default();
        assert!(said.contains(problem), "{problem}: {answer}");
    }
}
