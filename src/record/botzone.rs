//! Reads Botzone games (8x8): match logs from the site, and the input of its bots.
//!
//! A match log is a list that alternates between the judge's and the bots' entries. Keys not shown here are ignored:
//!
//! ```text
//! [{"output":{"command":"request","content":{"0":{"x0":-1,…}},"display":{…}}},
//!  {"0":{"verdict":"OK","response":{"x0":2,"y0":0,"x1":2,"y1":6,"x2":3,"y2":6},"debug":"…"}}, …
//!  {"output":{"command":"finish","content":{"0":2,"1":0},"display":{"winner":0}}}]
//! ```
//!
//! The list can also be the value of `log` or `logs` in an object, which can name the players in `players`. A bot's
//! input holds the same game from one side's view: `{"requests":[…],"responses":[…]}`. Player 0 moves first and is our
//! Black. `x` (column) and `y` (row, from Black's side) count from 0. The start position is [`Position::start`].

use super::{GameRecord, LATE, PlayedMove};
use crate::board::moves::Move;
use crate::board::notation::MalformedText;
use crate::board::position::Position;
use crate::board::square::{Side, Size, Square};
use serde_json::Value;

/// JSON keys of a move, in order: column and row of origin, destination and arrow, counted from 0.
pub const KEYS: [&str; 6] = ["x0", "y0", "x1", "y1", "x2", "y2"];

/// Builds a move from six coordinates in the order of [`KEYS`]; `None` if a square is outside the board.
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

/// Reads the game from a match log or from a bot's input.
///
/// ```
/// use otrera::record::botzone;
/// let log = r#"[{"output":{"command":"request"}},
///     {"0":{"verdict":"OK","response":{"x0":2,"y0":0,"x1":2,"y1":5,"x2":5,"y2":5}}}]"#;
/// assert_eq!(botzone::read(log).unwrap().moves[0].mv.to_string(), "c1-c6/f6");
/// ```
///
/// # Errors
/// Returns the first error in the text.
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

/// Returns the name in an entry of `players`: the entry itself if it is a string, or the `name` of the entry, its bot
/// or its user. `None` if it has no name.
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
        // The match ended on the board: the winner scores 2, the loser 0.
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
                "TLE" => LATE,
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

/// Reads the coordinates under [`KEYS`] from a JSON object, or from a string of JSON. `None` if one is missing.
fn numbers(message: &Value) -> Option<[i64; 6]> {
    if let Value::String(text) = message {
        return numbers(&serde_json::from_str(text).ok()?);
    }
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
