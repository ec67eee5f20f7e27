//! Reads Botzone games (8x8): match logs from the site, and the input of its bots.
//!
//! A match log is a list that alternates between the judge's and the bots' entries. Other keys are ignored:
//!
//! ```text
//! [{"output":{"command":"request","content":{"0":{"x0":-1,…}},"display":{…}}},
//!  {"0":{"verdict":"OK","response":{"x0":2,"y0":0,"x1":2,"y1":6,"x2":3,"y2":6},"debug":"…"}}, …
//!  {"output":{"command":"finish","content":{"0":2,"1":0},"display":{"winner":0}}}]
//! ```
//!
//! The list can be the `log` or `logs` of an object whose `players` have names. A bot's input holds the same game from
//! one side's view: `{"requests":[…],"responses":[…]}`. Player 0 moves first and is our Black. `x` and `y` count from
//! 0; `y` counts ranks from Black's side. The start position is [`Position::start`].

use super::{Forfeit, GameRecord, PlayedMove};
use crate::board::moves::Move;
use crate::board::notation::MalformedText;
use crate::board::position::Position;
use crate::board::square::{Side, Size, Square};
use serde_json::Value;

/// Keys of a move, in order: column and row of origin, destination and arrow.
pub const KEYS: [&str; 6] = ["x0", "y0", "x1", "y1", "x2", "y2"];

/// Builds a move from six numbers in the order of [`KEYS`]; `None` if one is outside the board.
pub fn move_of([x0, y0, x1, y1, x2, y2]: [i64; 6], size: Size) -> Option<Move> {
    let square = |x: i64, y: i64| {
        let square = Square::new(usize::try_from(x).ok()?, usize::try_from(y).ok()?)?;
        size.contains(square).then_some(square)
    };
    Some(Move { from: square(x0, y0)?, to: square(x1, y1)?, arrow: square(x2, y2)? })
}

/// True if the text looks like Botzone's JSON, by its first character or by keys that only Botzone uses. The text may
/// still be malformed.
pub fn recognises(text: &str) -> bool {
    let has = |name: &str| text.contains(&format!("\"{name}\""));
    text.starts_with('[') || !has("moves") && ["requests", "logs", "log"].into_iter().any(has)
}

/// Reads the game of a match log or of a bot's input.
///
/// ```
/// use otrera::record::botzone;
/// let log = r#"[{"output":{"command":"request"}},
///     {"0":{"verdict":"OK","response":{"x0":2,"y0":0,"x1":2,"y1":5,"x2":5,"y2":5}}}]"#;
/// assert_eq!(botzone::read(log).unwrap().moves[0].mv.to_string(), "c1-c6/f6");
/// ```
///
/// # Errors
/// The first error in the text.
pub fn read(text: &str) -> Result<GameRecord, MalformedText> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| MalformedText::new(format!("a Botzone log that is not valid JSON: {error}")))?;
    let start = Position::start(Size::BOTZONE);
    let names = [0, 1].map(|player| name(&value["players"][player]).unwrap_or_default());
    let [black, white] = names;
    let mut record = GameRecord { event: "Botzone".into(), ..GameRecord::new(black, white, start) };
    match value.get("requests") {
        Some(_) => record.moves = seen_by_a_bot(&value)?,
        None => read_log(&value, &mut record)?,
    }
    if record.moves.is_empty() {
        return Err(MalformedText::new("a Botzone log without a move of Amazons"));
    }
    Ok(record)
}

/// Returns the name in an entry of `players`: the entry if it is a string, or the `name` of the entry, its bot or its
/// user.
fn name(player: &Value) -> Option<String> {
    let names = [player, &player["name"], &player["bot"]["name"], &player["user"]["name"]];
    names.into_iter().find_map(Value::as_str).map(str::to_owned)
}

/// Reads the moves from a bot's input: its requests and responses, taken alternately.
fn seen_by_a_bot(value: &Value) -> Result<Vec<PlayedMove>, MalformedText> {
    let list = |key: &str| value[key].as_array().map(Vec::as_slice).unwrap_or_default();
    let (requests, responses) = (list("requests"), list("responses"));
    let in_turn = (0..requests.len().max(responses.len()))
        .flat_map(|turn| [requests.get(turn), responses.get(turn)])
        .flatten();
    // The first mover's first request is not a move: all its numbers are -1.
    in_turn.filter(|message| !is_beginning(message)).map(|message| Ok(read_move(message)?.into())).collect()
}

fn read_log(value: &Value, record: &mut GameRecord) -> Result<(), MalformedText> {
    let entries = [value, &value["logs"], &value["log"]].into_iter().find_map(Value::as_array);
    let entries = entries.ok_or_else(|| MalformedText::new("a Botzone log without a list of turns"))?;
    let mut position = record.start;
    for entry in entries {
        if let Some((player, turn)) = [0, 1].into_iter().find_map(|n| Some((n, entry.get(n.to_string())?))) {
            match read_turn(turn, &position) {
                Ok(mv) => {
                    record.moves.push(mv.into());
                    position = position.with_move(mv);
                }
                Err(forfeit) => {
                    record.winner = Some(Side::BOTH[player].opponent());
                    record.forfeit = Some(forfeit);
                    return Ok(());
                }
            }
        }
        // The match ended on the board: the scores are 2 and 0.
        let output = &entry["output"];
        if output["command"] == "finish" {
            let [black, white] =
                ["0", "1"].map(|player| output["content"][player].as_f64().unwrap_or_default());
            record.winner = (black != white).then_some(if black > white { Side::Black } else { Side::White });
        }
    }
    Ok(())
}

/// Returns the move of a turn. Fails with the kind and text of a forfeit if the verdict on the bot is not OK or its
/// response is malformed or illegal.
fn read_turn(turn: &Value, position: &Position) -> Result<Move, (String, String)> {
    let forfeit = |kind: &str, text: String| (kind.to_owned(), format!("{kind}: {text}"));
    match turn["verdict"].as_str() {
        None | Some("OK") => {
            let mv = read_move(&turn["response"]).map_err(|error| forfeit("garbage", error.to_string()))?;
            position.check(mv).map_err(|error| forfeit("illegal", format!("{mv}: {error}")))?;
            Ok(mv)
        }
        Some(verdict) => {
            let kind = match verdict {
                "TLE" => Forfeit::LATE,
                "RE" | "MLE" | "NJ" => "crash",
                _ => "garbage",
            };
            Err(forfeit(kind, format!("Botzone says {verdict}")))
        }
    }
}

fn is_beginning(message: &Value) -> bool {
    numbers(message).is_some_and(|numbers| numbers == [-1; 6])
}

/// Reads the numbers under [`KEYS`] from an object, or from a string that contains such an object.
fn numbers(message: &Value) -> Option<[i64; 6]> {
    let inner;
    let message = match message {
        Value::String(text) => {
            inner = serde_json::from_str(text).ok()?;
            &inner
        }
        message => message,
    };
    let mut numbers = [0; 6];
    for (number, key) in numbers.iter_mut().zip(KEYS) {
        *number = match message.get(key)? {
            Value::String(text) => text.trim().parse().ok()?,
            number => number.as_i64()?,
        };
    }
    Some(numbers)
}

fn read_move(message: &Value) -> Result<Move, MalformedText> {
    let mv = numbers(message).and_then(|numbers| move_of(numbers, Size::BOTZONE));
    mv.ok_or_else(|| {
        let text: String = message.to_string().chars().take(80).collect();
        MalformedText::new(format!("{text} is not a move: expected x0, y0, x1, y1, x2, y2 from 0 to 7"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn numbers_of(mv: Move) -> Value {
        let squares = [mv.from, mv.to, mv.arrow];
        let numbers = squares.into_iter().flat_map(|square| [square.column(), square.row()]);
        KEYS.iter().zip(numbers).map(|(key, number)| ((*key).to_owned(), json!(number))).collect()
    }

    /// Returns a game of random moves, played to the end.
    fn random_game() -> GameRecord {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut position = Position::start(Size::BOTZONE);
        let mut moves = Vec::new();
        while position.winner().is_none() {
            let legal: Vec<Move> = position.legal_moves().collect();
            moves.push(legal[rng.usize(..legal.len())]);
            position = position.with_move(moves[moves.len() - 1]);
        }
        let start = Position::start(Size::BOTZONE);
        GameRecord { winner: position.winner(), ..GameRecord::new("eins", "二", start).with_moves(&moves) }
    }

    /// Returns the match log of a game, as on the site.
    fn log(game: &GameRecord) -> Vec<Value> {
        let mut entries = Vec::new();
        for (ply, played) in game.moves.iter().enumerate() {
            entries
                .push(json!({"memory": 4, "output": {"command": "request", "content": {}, "display": {}}}));
            let turn =
                json!({"verdict": "OK", "time": 4, "response": numbers_of(played.mv), "debug": "d1=0.5"});
            entries.push(Value::Object([((ply % 2).to_string(), turn)].into_iter().collect()));
        }
        let scores = if game.winner == Some(Side::Black) { [2, 0] } else { [0, 2] };
        let content = json!({"0": scores[0], "1": scores[1]});
        entries.push(json!({"output": {"command": "finish", "content": content, "display": {}}}));
        entries
    }

    #[test]
    fn reads_a_match_log() {
        let game = random_game();
        let entries = log(&game);
        let read = read(&json!(entries).to_string()).unwrap();
        assert_eq!((&read.moves, read.winner, read.forfeit), (&game.moves, game.winner, None));
        let whole =
            json!({"players": [{"bot": {"name": "eins"}}, {"name": "二"}], "logs": entries}).to_string();
        let read = super::super::read(&whole).unwrap().remove(0);
        assert_eq!((read.black, read.white, read.moves), (game.black, game.white, game.moves));
    }

    #[test]
    fn a_failed_program_loses() {
        let mut entries = log(&random_game());
        entries.truncate(8);
        entries.push(json!({"0": {"verdict": "TLE", "response": null}}));
        let read = read(&json!(entries).to_string()).unwrap();
        assert_eq!((read.moves.len(), read.winner), (4, Some(Side::White)));
        assert!(read.lost_late());
    }

    #[test]
    fn a_rejected_move_loses() {
        for (response, kind) in [
            (json!({"x0": 0, "y0": 0, "x1": 0, "y1": 1, "x2": 0, "y2": 0}), "illegal"),
            (json!({"x0": -1, "y0": -1, "x1": -1, "y1": -1, "x2": -1, "y2": -1}), "garbage"),
            (json!("resign"), "garbage"),
        ] {
            let mut entries = log(&random_game());
            entries.truncate(6);
            entries.push(json!({"1": {"verdict": "OK", "response": response}}));
            entries.push(json!({"output": {"command": "finish", "content": {"0": 2, "1": 0}}}));
            let read = read(&json!(entries).to_string()).unwrap();
            assert_eq!((read.moves.len(), read.winner), (3, Some(Side::Black)));
            assert_eq!(read.forfeit.unwrap().0, kind);
        }
    }

    #[test]
    fn reads_the_input_of_either_bot() {
        let game = random_game();
        let begin: Value = KEYS.iter().map(|key| ((*key).to_owned(), json!(-1))).collect();
        let messages: Vec<Value> = game.moves[..6].iter().map(|played| numbers_of(played.mv)).collect();
        let every_second = |first: usize| messages.iter().skip(first).step_by(2).cloned().collect::<Vec<_>>();
        let requests = [vec![begin], every_second(1)].concat();
        let for_black = json!({"requests": requests, "responses": every_second(0)});
        let for_white = json!({"requests": every_second(0), "responses": every_second(1)});
        for input in [for_black, for_white] {
            assert_eq!(super::super::read(&input.to_string()).unwrap()[0].moves, game.moves[..6], "{input}");
        }
    }

    #[test]
    fn errors_name_the_problem() {
        for (text, problem) in [
            ("[", "not valid JSON"),
            ("[]", "without a move"),
            ("{\"logs\":3}", "without a list"),
            ("[{\"0\":{\"response\":{\"x0\":9}}}]", "without a move"),
        ] {
            let error = super::super::read(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
