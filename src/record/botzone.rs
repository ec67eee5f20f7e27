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

use super::parts::{each, fields};
use super::{GameRecord, LATE};
use crate::board::moves::Move;
use crate::board::notation::MalformedText;
use crate::board::position::Position;
use crate::board::square::{Side, Size, Square};
use serde_json::Value;
use serde_json::value::RawValue;

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

/// A game read from Botzone, and what could not be read of it.
pub(super) type Game = (GameRecord, Vec<String>);

/// Reads the game from a match log or from a bot's input; `None` if the JSON value is neither. A log without moves is
/// one if it holds a verdict or the end of the match.
pub(super) fn read(json: &str) -> Option<Game> {
    let [requests, responses, logs, log, players] =
        fields(json, ["requests", "responses", "logs", "log", "players"]);
    let players = players.map(RawValue::get).filter(|json| json.len() <= MAX_PLAYERS);
    let players: Value = players.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let [black, white] = [0, 1].map(|player| name(&players[player]).unwrap_or_default());
    let start = Position::start(Size::BOTZONE);
    let mut record = GameRecord { event: "Botzone".into(), ..GameRecord::new(black, white, start) };
    let mut problems = Vec::new();
    let is_game = match (requests, logs.or(log)) {
        (Some(requests), _) => seen_by_a_bot([Some(requests), responses], &mut record, &mut problems),
        (None, Some(log)) => read_log(log.get(), &mut record, &mut problems),
        (None, None) => read_log(json, &mut record, &mut problems),
    };
    is_game.then_some((record, problems))
}

/// Maximum length of the list of players, in bytes.
const MAX_PLAYERS: usize = 1 << 16;

/// Returns the name in an entry of `players`: the entry itself if it is a string, or the `name` of the entry, its bot
/// or its user. `None` if it has no name.
fn name(player: &Value) -> Option<String> {
    let names = [player, &player["name"], &player["bot"]["name"], &player["user"]["name"]];
    names.into_iter().find_map(Value::as_str).map(str::to_owned)
}

/// A message of a bot's input.
#[derive(Clone, Copy, PartialEq)]
enum Message {
    Move(Move),
    /// The first mover's first request, whose numbers are all -1.
    Beginning,
    Other,
}

/// Reads the moves from a bot's input: its requests and responses, taken alternately.
fn seen_by_a_bot(lists: [Option<&RawValue>; 2], record: &mut GameRecord, problems: &mut Vec<String>) -> bool {
    let lists = lists.map(|list| {
        let mut messages = Vec::new();
        each(list.map_or("[]", RawValue::get), |raw| {
            let message = match numbers(raw.get()) {
                Some(numbers) if numbers == [-1; 6] => Message::Beginning,
                numbers => numbers
                    .and_then(|numbers| move_of(numbers, Size::BOTZONE))
                    .map_or(Message::Other, Message::Move),
            };
            messages.push(message);
        });
        messages
    });
    let turns = lists[0].len().max(lists[1].len());
    let in_turn = (0..turns).flat_map(|turn| lists.iter().map(move |list| list.get(turn))).flatten();
    let mut left_out = 0;
    for message in in_turn {
        match message {
            Message::Move(mv) if left_out == 0 && record.moves.len() < Size::BOTZONE.area() => {
                record.moves.push((*mv).into())
            }
            Message::Beginning => {}
            Message::Move(_) | Message::Other => left_out += 1,
        }
    }
    if left_out > 0 {
        let ply = record.moves.len() + 1;
        problems.push(format!("ply {ply} is not a move; {left_out} messages from there are left out"));
    }
    !record.moves.is_empty()
}

fn read_log(json: &str, record: &mut GameRecord, problems: &mut Vec<String>) -> bool {
    let (mut position, mut is_game) = (record.start, false);
    let mut left_out = 0;
    each(json, |raw| {
        let [first, second, output] = fields(raw.get(), ["0", "1", "output"]);
        let turn = first.map(|turn| (Side::Black, turn)).or_else(|| second.map(|turn| (Side::White, turn)));
        let turn = turn.and_then(|(side, turn)| Some((side, read_turn(turn.get(), &position)?)));
        if first.or(second).or(output).is_none() {
            left_out += 1;
        }
        if record.forfeit.is_some() {
            left_out += usize::from(turn.is_some());
            return;
        }
        if let Some((side, outcome)) = turn {
            is_game = true;
            match outcome {
                Ok(mv) => {
                    record.moves.push(mv.into());
                    position = position.with_move(mv);
                }
                Err(forfeit) => {
                    if matches!(&*forfeit.0, "illegal" | "garbage") {
                        problems.push(format!("ply {}: {}", record.moves.len() + 1, forfeit.1));
                    }
                    record.winner = Some(side.opponent());
                    record.forfeit = Some(forfeit);
                }
            }
        }
        // The match ended on the board: the winner scores 2, the loser 0.
        let Some(output) = output else { return };
        let [command, content] = fields(output.get(), ["command", "content"]);
        if command.is_some_and(|command| command.get() == "\"finish\"") {
            is_game = true;
            let scores = fields(content.map_or("", RawValue::get), ["0", "1"]);
            let [black, white] =
                scores.map(|score| score.and_then(|raw| raw.get().parse::<f64>().ok()).unwrap_or_default());
            record.winner = (black != white).then_some(if black > white { Side::Black } else { Side::White });
        }
    });
    if left_out > 0 {
        problems.push(format!("entries of the log that are left out: {left_out}"));
    }
    is_game
}

/// Returns the move of a turn; `None` if the JSON is no turn. Fails with the kind and text of a forfeit if the verdict
/// on the bot is not OK or its response is malformed or illegal.
fn read_turn(json: &str, position: &Position) -> Option<Result<Move, (String, String)>> {
    let [verdict, response] = fields(json, ["verdict", "response"]);
    let verdict = verdict.map(|verdict| serde_json::from_str(verdict.get()).unwrap_or_default());
    let is_turn = verdict.is_some() || response.is_some();
    is_turn.then(|| move_or_forfeit(verdict, response.map_or("null", RawValue::get), position))
}

fn move_or_forfeit(
    verdict: Option<String>,
    response: &str,
    position: &Position,
) -> Result<Move, (String, String)> {
    let forfeit = |kind: &str, text: String| (kind.to_owned(), format!("{kind}: {text}"));
    match verdict.as_deref() {
        None | Some("OK") => {
            let mv = read_move(response).map_err(|error| forfeit("garbage", error.to_string()))?;
            position.check(mv).map_err(|error| forfeit("illegal", format!("{mv}: {error}")))?;
            Ok(mv)
        }
        Some(verdict) => {
            let kind = match verdict {
                "TLE" => LATE,
                "RE" | "MLE" | "NJ" => "crash",
                _ => "garbage",
            };
            let reason = match verdict {
                "TLE" => " (too late)",
                "RE" => " (the bot crashed)",
                "MLE" => " (too much memory)",
                _ => "",
            };
            Err(forfeit(kind, format!("Botzone says {verdict}{reason}")))
        }
    }
}

/// Reads the coordinates under [`KEYS`] from a JSON object, or from a string of JSON. `None` if one is missing.
fn numbers(message: &str) -> Option<[i64; 6]> {
    if message.starts_with('"') {
        let text: String = serde_json::from_str(message).ok()?;
        return if text.starts_with('"') { None } else { numbers(&text) };
    }
    let mut numbers = [0; 6];
    for (number, field) in numbers.iter_mut().zip(fields(message, KEYS)) {
        *number = field?.get().trim_matches(|c: char| c == '"' || c.is_whitespace()).parse().ok()?;
    }
    Some(numbers)
}

fn read_move(message: &str) -> Result<Move, MalformedText> {
    let mv = numbers(message).and_then(|numbers| move_of(numbers, Size::BOTZONE));
    mv.ok_or_else(|| {
        let text: String = message.chars().take(80).collect();
        MalformedText::new(format!("{text} is not a move: expected x0, y0, x1, y1, x2, y2 from 0 to 7"))
    })
}
