//! Tests of the answers to requests.

use otrera::clock::GameClock;
use otrera::record::{json, sgf};
use otrera::{GameRecord, Limits, Params, Position, Resources, Search, Side, Size};
use otrera_requests::answer::{Answer, Found};
use otrera_requests::engine::Engine;
use otrera_requests::request::Request;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn ask(engine: &mut Engine, request: &Value) -> Value {
    serde_json::from_str(&engine.answer(&request.to_string(), &AtomicBool::new(false)))
        .expect("answers are JSON")
}

#[test]
fn position_lists_all_legal_moves() {
    let start = Position::start(Size::BOTZONE);
    let request = json!({"do": "position", "fen": start.to_fen(), "moves": ["C1C6F6"]});
    let answer = ask(&mut Engine::default(), &request);
    let position = start.with_move("c1-c6/f6".parse().expect("a move"));
    assert_eq!(answer["played"], json!(["c1-c6/f6"]));
    assert_eq!(answer["fen"], position.to_fen());
    assert_eq!(json!([answer["side"], answer["ply"], answer["winner"]]), json!(["white", 1, null]));
    let movements = answer["moves"].as_object().expect("amazons").values();
    let arrows = movements.flat_map(|to| to.as_object().expect("landings").values());
    let count: usize = arrows.map(|arrows| arrows.as_array().expect("squares").len()).sum();
    assert_eq!(count, position.legal_moves().count());
    assert_eq!(answer["owners"].as_str().map(str::len), Some(64));
}

#[test]
fn search_tree_survives_the_next_move() {
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
fn match_clock_sets_the_thinking_time() {
    let mut engine = Engine::default();
    let start = Position::start(Size::BOTZONE);
    let think = |clock: Value| json!({"do": "think", "fen": start.to_fen(), "clock": clock});
    let [total, left, overhead] = [400.0, 20.0, 0.1];
    let found = ask(&mut engine, &think(json!({"left": left, "total": total, "overhead": overhead})));
    let [total_time, left_time, overhead_time] = [total, left, overhead].map(Duration::from_secs_f64);
    let planned = GameClock::for_match(total_time, overhead_time).with_left(left_time).time_for(&start);
    let seconds = found["seconds"].as_f64().expect("a time");
    // The search stops a little early, or late on a busy machine.
    let accepted = 0.95 * planned.as_secs_f64()..planned.as_secs_f64() + 2.0;
    assert!(accepted.contains(&seconds), "{accepted:?}, {seconds}");
    let best = found["best"].as_str().and_then(|text| text.parse().ok()).expect("a move");
    assert_eq!(start.check(best), Ok(()));
    for bad in [-1.0, 1e300] {
        let problem = ask(&mut engine, &think(json!({"left": bad, "total": 1.0, "overhead": 0.0})));
        assert!(problem["problem"].as_str().is_some_and(|text| text.contains("clock")), "{bad}: {problem}");
    }
}

#[test]
fn search_tree_follows_two_moves_of_a_game() {
    let mut engine = Engine::default();
    let start = Position::start(Size::BOTZONE);
    let think = |moves: &[String]| json!({"do": "think", "fen": start.to_fen(), "moves": moves, "iterations": 3000, "lines": 1});
    let first = ask(&mut engine, &think(&[]));
    let line = &first["lines"][0];
    let text = |value: &Value| value.as_str().expect("a move").to_owned();
    let moves = [text(&line["move"]), text(&line["continuation"][0])];
    let third = ask(&mut engine, &think(&moves));
    assert!(third["visits"].as_u64() > third["iterations"].as_u64(), "{third}");
    let illegal = ask(&mut engine, &think(&["a1-a2/a3".to_owned()]));
    assert!(illegal["problem"].as_str().is_some_and(|text| text.starts_with("move 1")), "{illegal}");
}

#[test]
fn level_move_depends_only_on_the_seed() {
    let fen = Position::standard().to_fen();
    let level = |seed| json!({"do": "think", "fen": fen, "level": 2, "seed": seed, "lines": 1});
    let mut engine = Engine::default();
    ask(&mut engine, &json!({"do": "think", "fen": fen, "iterations": 3000}));
    let moves: Vec<Value> = (0..8).map(|seed| ask(&mut engine, &level(seed))["best"].clone()).collect();
    assert!(moves.iter().any(|mv| *mv != moves[0]), "{moves:?}");
    let again = ask(&mut Engine::default(), &level(7));
    assert_eq!((&again["best"], &again["visits"]), (&moves[7], &json!(32)));
    assert_eq!(again["lines"][0]["move"], again["best"]);
}

#[test]
fn version_matches_the_package() {
    let answer = ask(&mut Engine::default(), &json!({"do": "version"}));
    assert_eq!(answer["version"], env!("CARGO_PKG_VERSION"));
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
fn position_names_walled_off_regions() {
    let request = json!({"do": "position", "fen": "q3/****/****/Q*1* w - - 0 1"});
    let answer = ask(&mut Engine::default(), &request);
    let white = json!({"side": "white", "squares": ["b4", "c4", "d4"], "moves": 3});
    assert_eq!(answer["enclosed"], json!([white]));
    let start = json!({"do": "start", "edge": 8});
    assert_eq!(ask(&mut Engine::default(), &start)["enclosed"], json!([]));
}

#[test]
fn a_match_has_a_standing() {
    let game = |black: &str, winner| {
        let white = if black == "a" { "b" } else { "a" };
        json::write(&GameRecord {
            winner: Some(winner),
            ..GameRecord::new(black, white, Position::standard())
        })
    };
    let text = [game("a", Side::Black), game("b", Side::White), game("a", Side::White)].join("\n");
    let read =
        |text: &str| ask(&mut Engine::default(), &json!({"do": "read", "text": text}))["standing"].clone();
    let standing = read(&text);
    assert_eq!(standing["wins"], json!([[0, 2], [1, 0]]));
    assert_eq!(json!([standing["players"][0]["name"], standing["anchored"]]), json!(["a", false]));
    assert_eq!(read(&game("a", Side::Black)), Value::Null);
}

#[test]
fn mark_thresholds_match_annotated_records() {
    let marks = json!([[0.2, "blunder"], [0.1, "mistake"], [0.05, "inaccuracy"]]);
    let scale = json!({"marks": marks, "clear_rate": 0.95, "rate_per_move": 0.04, "phases": [0.25, 0.5]});
    assert_eq!(ask(&mut Engine::default(), &json!({"do": "marks"})), scale);
}

#[test]
fn bad_requests_name_the_problem() {
    let (stuck, start) = ("qQ2/QQ2/4/4 b - - 0 1", Position::standard().to_fen());
    for (request, problem) in [
        (json!({"do": "dance"}), "invalid request"),
        (json!({"do": "start", "edge": 3}), "4 to 10"),
        (
            json!({"do": "start", "edge": 8, "fen": start}),
            "no field \"fen\"; its fields: id, partial, do, edge",
        ),
        (json!({"do": "think", "fen": start, "iterations": 1, "line": 3}), "no field \"line\""),
        (json!({"do": "version", "of": 1}), "no field \"of\""),
        (json!({"do": "position", "fen": "nonsense"}), "4 to 10 rows"),
        (json!({"do": "position", "fen": "4/4/4/4"}), "Black has no amazon"),
        (json!({"do": "position", "fen": "4/4/4/Q3 b"}), "White has no amazon"),
        (json!({"do": "position", "fen": start, "moves": ["d1-d7/g7", "d1-d2/d3"]}), "move 2"),
        (json!({"do": "think", "fen": stuck, "iterations": 1}), "over"),
        (json!({"do": "think", "fen": start}), "needs iterations"),
        (json!({"do": "think", "fen": start, "level": 11}), "levels are 1 to 10"),
        (json!({"do": "think", "fen": start, "seconds": -1.0}), "not -1"),
        (json!({"do": "think", "fen": start, "seconds": 1e300, "iterations": 1}), "seconds from 0"),
        (json!({"do": "think", "fen": start, "level": 3, "iterations": 1}), "one of a level"),
        (
            json!({"do": "think", "fen": start, "clock": {"left": 1, "total": 1, "overhead": 0}, "level": 3}),
            "a clock",
        ),
        (json!({"do": "read", "text": " ".repeat(17 << 20)}), "17 MB"),
        (json!({"do": "read", "text": "d1-e3/d3"}), "no move that can be played"),
        (json!({"do": "read"}), "read needs either text or bytes"),
        (
            json!({"do": "read", "text": "d1-d7/g7", "bytes": "ZDEtZDcvZzc="}),
            "read needs either text or bytes",
        ),
        (json!({"do": "write", "form": "sgf", "game": {"moves": 3}}), "sequence"),
    ] {
        let answer = ask(&mut Engine::default(), &request);
        let said = answer["problem"].as_str().unwrap_or_default();
        assert!(said.contains(problem), "{problem}: {answer}");
    }
}

#[test]
fn distances_and_rates_belong_to_the_right_side() {
    let mut engine = Engine::default();
    // Each side reaches the other's corner only the long way round, along the right edge.
    let described = ask(&mut engine, &json!({"do": "position", "fen": "q3/***1/***1/3Q b - - 0 1"}));
    let distances = json!({
        "b4": [2, 1], "c4": [2, 1], "d4": [1, 1], "d3": [1, 2], "d2": [1, 2], "c1": [1, 3], "b1": [1, 4], "a1": [1, 4],
    });
    assert_eq!(described["distances"], distances);
    // White, to move, is far ahead in the first position and far behind in the second.
    for (fen, ahead) in [
        ("3q2q3/10/10/q8q/10/10/10/10/10/3Q6 b - - 0 1", true),
        ("3q6/10/10/10/10/10/Q8Q/10/10/3Q2Q3 b - - 0 1", false),
    ] {
        let position = Position::from_fen(fen).expect("a FEN");
        let think = json!({"do": "think", "fen": fen, "iterations": 300, "anew": true, "lines": 3});
        let found = ask(&mut engine, &think);
        let mut search = Search::new(position, Params::TOURNAMENT, Resources::default());
        let report = search.run(&Limits::iterations(300), &AtomicBool::new(false), &mut |_| ());
        assert_eq!(report.proven, None, "{fen}: the test needs a win rate");
        let rate = |value: &Value| value.as_f64().expect("a number") as f32;
        assert_eq!(rate(&found["win_rate"]), report.lines[0].win_rate.0);
        assert_eq!(rate(&found["win_rate"]) > 0.5, ahead, "{fen}: {found}");
        for (line, expected) in found["lines"].as_array().expect("lines").iter().zip(report.by_choice()) {
            assert_eq!(rate(&line["win_rate"]), expected.win_rate.0, "{fen}: {line}");
        }
    }
}

#[test]
fn proven_endgame_has_winner_and_margin() {
    // White has three moves to itself, Black one.
    let fen = |side| format!("q3/****/****/Q1** {side} - - 0 1");
    let mut engine = Engine::default();
    for (side, margin) in [("b", 1), ("w", 2)] {
        let described = ask(&mut engine, &json!({"do": "position", "fen": fen(side)}));
        assert_eq!(described["proof"], json!({"winner": "white", "margin": margin}));
    }
    let moves = ["a1-b1/a1", "a4-b4/a4"];
    let proofs = ask(&mut engine, &json!({"do": "proofs", "fen": fen("w"), "moves": moves}));
    let winners: Vec<&Value> =
        proofs["proofs"].as_array().expect("three").iter().map(|proof| &proof["winner"]).collect();
    // In the last position Black has no move.
    assert_eq!(winners, ["white"; 3]);
    let start = ask(&mut engine, &json!({"do": "start", "edge": 10}));
    assert_eq!(start["proof"], Value::Null);
}

#[test]
fn short_runs_recycle_a_full_tree() {
    let mut engine = Engine::new(Params::TOURNAMENT, Resources { memory: 1 << 20, ..Resources::default() });
    let fen = Position::standard().to_fen();
    let run = json!({"do": "think", "fen": fen, "seconds": 0.001, "lines": 1});
    let first = ask(&mut engine, &run);
    let is_recycled = |found: &Value| {
        found["recycled"].as_u64() > Some(0) && found["depth"].as_u64() >= first["depth"].as_u64()
    };
    assert!((0..20_000).any(|_| is_recycled(&ask(&mut engine, &run))), "the memory is never recycled");
    let recycled = ask(&mut engine, &run);
    assert!(recycled["recycled"].as_u64() > Some(0), "the count was reset on the same position: {recycled}");
    // Another board drops the tree, so ten iterations cannot fill the memory again.
    let other = Position::start(Size::BOTZONE).to_fen();
    let other = ask(&mut engine, &json!({"do": "think", "fen": other, "iterations": 10}));
    assert_eq!(other["recycled"], 0);
}

#[test]
fn fen_with_moves_is_read_as_a_record() {
    let start = Position::start(Size::BOTZONE);
    let fen = start.to_fen();
    let mut engine = Engine::default();
    for (text, moves) in [
        (fen.clone(), 0),
        (format!("\u{feff} position fen {fen}\r\n"), 0),
        (format!("{fen} moves c1c6,c6f6\na6-c4/f4"), 2),
        ("2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2".into(), 0),
    ] {
        let read = ask(&mut engine, &json!({"do": "read", "text": text}));
        let game = &read["games"][0];
        let count = game["moves"].as_array().map(Vec::len);
        assert_eq!((&game["start"], count), (&json!(fen), Some(moves)), "{read}");
    }
    let read = ask(&mut engine, &json!({"do": "read", "text": "3k4/8/8/8/8/8/8/3K4 w - - 0 1"}));
    assert!(read["problem"].as_str().is_some_and(|problem| problem.contains("in a FEN")), "{read}");
}

#[test]
fn answers_repeat_the_id() {
    let mut engine = Engine::default();
    let version = ask(&mut engine, &json!({"id": "a", "do": "version"}));
    assert_eq!(version, json!({"id": "a", "version": env!("CARGO_PKG_VERSION")}));
    let broken = engine.answer(r#"{"id":7,"do":"think","fen":"#, &AtomicBool::new(false));
    assert!(broken.starts_with(r#"{"id":7,"problem":"invalid request: "#), "{broken}");
}

#[test]
fn game_without_a_fen_begins_at_the_start() {
    let mut engine = Engine::default();
    let moves = ["c1-c6/f6"];
    let position = Position::start(Size::BOTZONE).with_move(moves[0].parse().expect("a move"));
    let described = ask(&mut engine, &json!({"do": "position", "edge": 8, "moves": moves}));
    assert_eq!(described["fen"], position.to_fen());
    let described = ask(&mut engine, &json!({"do": "position"}));
    assert_eq!(described["fen"], Position::standard().to_fen());
    let both = ask(&mut engine, &json!({"do": "position", "edge": 8, "fen": position.to_fen()}));
    assert_eq!(both["problem"], "a request has a fen or an edge, not both");
}

#[test]
fn panic_of_a_search_costs_only_its_answer() {
    let mut engine = Engine::default();
    let task = || {
        Request::read(r#"{"do":"think","edge":8,"seconds":20,"iterations":100000000}"#).expect("valid").task
    };
    let crashed = engine.reply(task(), &AtomicBool::new(false), &mut |_| panic!("as a search would"));
    let Answer::Problem { problem } = crashed else { panic!("no problem") };
    assert_eq!(problem, "the engine crashed and was restarted");
    let next = engine.reply(task(), &AtomicBool::new(true), &mut |_| ());
    assert!(matches!(next, Answer::Found(Found { best: Some(_), visits: 100, .. })));
}
