//! Tests of reading Botzone's match logs and bot input, both generated here from random games.

use fastrand::Rng;
use otrera::record::botzone::KEYS;
use otrera::record::read;
use otrera::{GameRecord, Move, Position, Side, Size};
use serde_json::{Value, json};
use testkit::random_record;

fn numbers_of(mv: Move) -> Value {
    let squares = [mv.from, mv.to, mv.arrow];
    let numbers = squares.into_iter().flat_map(|square| [square.column(), square.row()]);
    KEYS.iter().zip(numbers).map(|(key, number)| ((*key).to_owned(), json!(number))).collect()
}

fn random_game() -> GameRecord {
    let start = Position::start(Size::BOTZONE);
    random_record(start, ["eins", "二"], usize::MAX, &mut Rng::with_seed(5), |mv, _| mv.into())
}

/// Returns the match log of a game, in the format of Botzone's site.
fn log(game: &GameRecord) -> Vec<Value> {
    let mut entries = Vec::new();
    for (ply, played) in game.moves.iter().enumerate() {
        entries.push(json!({"memory": 4, "output": {"command": "request", "content": {}, "display": {}}}));
        let turn = json!({"verdict": "OK", "time": 4, "response": numbers_of(played.mv), "debug": "d1=0.5"});
        entries.push(Value::Object([((ply % 2).to_string(), turn)].into_iter().collect()));
    }
    let scores = if game.winner == Some(Side::Black) { [2, 0] } else { [0, 2] };
    let content = json!({"0": scores[0], "1": scores[1]});
    entries.push(json!({"output": {"command": "finish", "content": content, "display": {}}}));
    entries
}

fn read_one(log: &Value) -> GameRecord {
    read(&log.to_string()).unwrap().games.remove(0)
}

#[test]
fn match_logs_are_read() {
    let game = random_game();
    let entries = log(&game);
    let read = read_one(&json!(entries));
    assert_eq!((&read.moves, read.winner, read.forfeit), (&game.moves, game.winner, None));
    let read = read_one(&json!({"players": [{"bot": {"name": "eins"}}, {"name": "二"}], "logs": entries}));
    assert_eq!((read.black, read.white, read.moves), (game.black, game.white, game.moves));
}

#[test]
fn failures_and_rejected_moves_lose() {
    for (player, verdict, response, kind) in [
        ("0", "TLE", Value::Null, "late"),
        ("1", "OK", json!({"x0": 0, "y0": 0, "x1": 0, "y1": 1, "x2": 0, "y2": 0}), "illegal"),
        ("1", "OK", json!({"x0": -1, "y0": -1, "x1": -1, "y1": -1, "x2": -1, "y2": -1}), "garbage"),
        ("1", "OK", json!("resign"), "garbage"),
    ] {
        let (moves, winner) = if player == "0" { (4, Side::White) } else { (3, Side::Black) };
        let mut entries = log(&random_game());
        entries.truncate(2 * moves);
        entries.push(json!({player: {"verdict": verdict, "response": response}}));
        entries.push(json!({"output": {"command": "finish", "content": {"0": 2, "1": 0}}}));
        let read = read_one(&json!(entries));
        assert_eq!((read.moves.len(), read.winner), (moves, Some(winner)));
        assert_eq!(read.lost_late(), kind == "late");
        assert_eq!(read.forfeit.unwrap().0, kind);
    }
}

#[test]
fn the_input_of_either_bot_is_read() {
    let game = random_game();
    let begin: Value = KEYS.iter().map(|key| ((*key).to_owned(), json!(-1))).collect();
    let messages: Vec<Value> = game.moves[..6].iter().map(|played| numbers_of(played.mv)).collect();
    let every_second = |first: usize| messages.iter().skip(first).step_by(2).cloned().collect::<Vec<_>>();
    let requests = [vec![begin], every_second(1)].concat();
    for (requests, responses) in [(requests, every_second(0)), (every_second(0), every_second(1))] {
        let input = json!({"requests": requests, "responses": responses});
        assert_eq!(read_one(&input).moves, game.moves[..6], "{input}");
    }
}

#[test]
fn a_log_without_a_game_is_refused() {
    for text in ["[", "[]", "{\"logs\":3}", "[{\"output\":{\"command\":\"request\"}}]"] {
        assert!(read(text).is_err(), "{text}");
    }
}
