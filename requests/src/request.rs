//! The requests.
//!
//! ```json
//! {"do":"start","edge":8}                                  the start position of a board
//! {"do":"position","fen":"…","moves":["d1-d7/g7"]}         the position after these moves, in any move notation
//! {"do":"proofs","fen":"…","moves":["d1-d7/g7"]}           the proven outcome of each position, or null
//! {"do":"think","fen":"…","seconds":0.1,"lines":5}         one run of the search, which keeps the tree
//! {"do":"think","edge":8,"moves":["c1-c6/f6"],"iterations":900}   a run on a game from the start position
//! {"do":"think","fen":"…","iterations":5000,"anew":true}   one run that starts with an empty tree
//! {"do":"think","fen":"…","moves":["d1-d7/g7"],"clock":{"left":540,"total":900,"overhead":5}}
//!                                                          a move of a match, with its time planned as in SAU matches
//! {"do":"think","fen":"…","level":3,"seed":7}              the move of a playing level, first in `lines`
//! {"do":"read","text":"…"}                                 the games of a record in any format, or of a FEN, and
//!                                                          warnings; the standing if there is one
//! {"do":"read","bytes":"KDtHTVsxOF0"}                      games of a file of any encoding, given as base64
//! {"do":"write","game":{…},"form":"sgf"}                   the text of a game from `read`, as json, sgf or ccgc
//! {"do":"marks"}                                           the numbers of a review: losses of marks, ends of phases
//! {"do":"bench"}                                           the behaviour checksum and the speed
//! {"do":"version"}                                         the version
//! {"do":"cancel","of":7}                                   ends the requests with this id; without `of`, all requests
//! ```
//!
//! A request can have an `id`, a string or a number, which its answers repeat. `"partial":true` asks for answers while
//! a search runs. `otrera serve` needs ids and gives partial answers; the page needs neither. Where a request has
//! neither `fen` nor `edge`, the game begins in the start position on 10x10.

use otrera::clock::GameClock;
use otrera::record::{self, Format};
use otrera::{Limits, Move, Position, Side, Size};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// Maximum duration of one search, in seconds: a week, as for a clock.
const MAX_SECONDS: f64 = 604_800.0;

/// Numbers from here on have gaps, so that an id of a client could change.
const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53

/// Name by which a client knows a request: a string or a number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct Id(Value);

impl TryFrom<Value> for Id {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        match &value {
            Value::String(_) => Ok(Self(value)),
            // Whole numbers of 64 bits are exact.
            Value::Number(number) if number.is_f64() && number.as_f64().is_none_or(|n| n.abs() >= EXACT) => {
                Err("an id is a string or a number of up to 64 bits; write this number as a string")
            }
            Value::Number(_) => Ok(Self(value)),
            _ => Err("an id is a string or a number"),
        }
    }
}

impl Id {
    /// Finds the id in the text of a request that may be broken: the first key `id` with a valid value, but none of an
    /// inner object. If a string has no end, keys may be hidden in it: then each key counts.
    pub fn find(text: &str) -> Option<Self> {
        let (mut depth, mut rest) = (0, text);
        while let Some(at) = rest.find(['"', '{', '[', '}', ']']) {
            let (mark, after) = rest.get(at..)?.split_at_checked(1)?;
            rest = after;
            match mark {
                "{" | "[" => depth += 1,
                "}" | "]" => depth -= 1,
                _ => {
                    let Some(end) = end_of_string(after) else { return Self::find_anywhere(text) };
                    let (string, behind) = after.split_at_checked(end)?;
                    rest = behind.get(1..)?;
                    if string == "id"
                        && depth <= 1
                        && let Some(id) = Self::as_value(rest)
                    {
                        return Some(id);
                    }
                }
            }
        }
        None
    }

    /// Finds the first key `id` with a valid value.
    fn find_anywhere(text: &str) -> Option<Self> {
        let keys = text.match_indices("\"id\"");
        keys.filter_map(|(at, key)| text.get(at + key.len()..)).find_map(Self::as_value)
    }

    /// Reads the id in a text that begins behind its key.
    fn as_value(text: &str) -> Option<Self> {
        let value = text.trim_start().strip_prefix(':')?;
        serde_json::Deserializer::from_str(value).into_iter().next()?.ok()
    }
}

/// Returns the place of the quote that ends a string; `None` if the string has no end.
fn end_of_string(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })
}

/// A request.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub struct Request {
    /// Name that the answers repeat.
    #[serde(default)]
    pub id: Option<Id>,
    /// True if the client wants answers while the search runs.
    #[serde(default)]
    pub partial: bool,
    /// Contents.
    #[serde(flatten)]
    pub task: Task,
}

impl Request {
    /// Reads a request from JSON; fails with a message of one sentence, also on fields that the request does not have.
    pub fn read(text: &str) -> Result<Self, String> {
        let invalid = |error| format!("invalid request: {error}");
        let request: Self = serde_json::from_str(text).map_err(invalid)?;
        let given: BTreeMap<String, IgnoredAny> = serde_json::from_str(text).map_err(invalid)?;
        let known = [&["id", "partial", "do"], request.task.fields()].concat();
        match given.into_keys().find(|field| !known.contains(&field.as_str())) {
            Some(field) => {
                Err(format!("invalid request: it has no field {field:?}; its fields: {}", known.join(", ")))
            }
            None => Ok(request),
        }
    }
}

/// Contents of a request, by its key `do`.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Task {
    /// Describes a start position.
    Start {
        /// Edge length of the board.
        edge: usize,
    },
    /// Describes a position.
    Position(MoveSequence),
    /// Proves the outcome of each position of a game.
    Proofs(MoveSequence),
    /// Searches a position.
    Think(Think),
    /// Reads a record: its `text`, or its `bytes` in base64.
    Read {
        /// Text of the record.
        text: Option<String>,
        /// Bytes of the record, in base64.
        bytes: Option<String>,
    },
    /// Writes a game.
    Write {
        /// Game as `read` gives it.
        game: Value,
        /// Format of the text.
        form: Format,
    },
    /// Returns the numbers by which a review marks moves and divides games.
    Marks,
    /// Measures speed and behaviour.
    Bench,
    /// Returns the version.
    Version,
    /// Ends earlier requests.
    Cancel {
        /// Their id; `None` for all requests.
        of: Option<Id>,
    },
}

impl Task {
    /// Returns the names of its fields.
    fn fields(&self) -> &'static [&'static str] {
        match self {
            Self::Start { .. } => &["edge"],
            Self::Position(_) | Self::Proofs(_) => &["fen", "edge", "moves"],
            Self::Think(_) => {
                &["fen", "edge", "moves", "seconds", "iterations", "lines", "anew", "level", "seed", "clock"]
            }
            Self::Read { .. } => &["text", "bytes"],
            Self::Write { .. } => &["game", "form"],
            Self::Cancel { .. } => &["of"],
            Self::Marks | Self::Bench | Self::Version => &[],
        }
    }
}

/// A position, given by a FEN or a board size, and the moves that follow it.
#[derive(Debug, Default, Deserialize)]
pub struct MoveSequence {
    /// First position; `None` for the start position.
    pub fen: Option<String>,
    /// Edge length of the board of the start position; by default 10.
    pub edge: Option<usize>,
    /// Moves in any notation.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// A game: its positions, at least one, and the moves between them.
#[derive(Clone, Debug)]
pub struct Line {
    /// Positions before each move.
    pub past: Vec<Position>,
    /// Moves.
    pub moves: Vec<Move>,
    /// Position after the last move.
    pub position: Position,
}

impl Line {
    /// Returns all positions, first to last.
    pub fn positions(&self) -> impl Iterator<Item = &Position> {
        self.past.iter().chain([&self.position])
    }
}

/// Returns the start position on a board with this edge length.
pub fn start(edge: usize) -> Result<Position, String> {
    let size = Size::new(edge).ok_or("a board has 4 to 10 squares along each edge")?;
    Ok(Position::start(size))
}

impl MoveSequence {
    /// Parses and plays the moves. Fails on a bad FEN, bad or illegal moves, or a side without amazons.
    pub fn played(&self) -> Result<Line, String> {
        let first = match (&self.fen, self.edge) {
            (Some(_), Some(_)) => return Err("a request has a fen or an edge, not both".into()),
            (Some(fen), None) => Position::from_fen(fen).map_err(|error| error.to_string())?,
            (None, edge) => start(edge.unwrap_or(Size::STANDARD.edge()))?,
        };
        if let Some(side) = Side::BOTH.into_iter().find(|&side| first.amazons(side).is_empty()) {
            return Err(format!("{side} has no amazon"));
        }
        let mut line = Line { past: Vec::new(), moves: Vec::new(), position: first };
        for (number, text) in (1..).zip(&self.moves) {
            let position = line.position;
            let mv = record::read_move(text, &position).map_err(|error| format!("move {number}: {error}"))?;
            line.position = position.with_move(mv);
            line.past.push(position);
            line.moves.push(mv);
        }
        Ok(line)
    }
}

/// A search of the position at the end of the sequence.
#[derive(Debug, Default, Deserialize)]
pub struct Think {
    /// The game up to that position.
    #[serde(flatten)]
    pub sequence: MoveSequence,
    /// Duration.
    pub seconds: Option<f64>,
    /// Number of iterations, summed over all threads.
    pub iterations: Option<u64>,
    /// Maximum number of moves in the answer; by default 1.
    pub lines: Option<usize>,
    /// True to begin with an empty tree.
    #[serde(default)]
    pub anew: bool,
    /// Playing level, 1 to 10, instead of a limit.
    pub level: Option<u64>,
    /// Seed of the level's choices.
    #[serde(default)]
    pub seed: u64,
    /// Clock of a match, instead of a limit.
    pub clock: Option<Clock>,
}

/// The clock of the side to move, in seconds.
#[derive(Debug, Deserialize)]
pub struct Clock {
    left: f64,
    /// Time for the whole game.
    total: f64,
    /// Time that a move takes in addition to thinking.
    overhead: f64,
}

impl Clock {
    /// Returns the planned time for the next move; `None` if a value is not a valid time.
    fn time_for(&self, position: &Position) -> Option<Duration> {
        let clock = GameClock::for_match(time(self.total)?, time(self.overhead)?);
        Some(clock.with_left(time(self.left)?).time_for(position))
    }
}

/// Returns a time in seconds as a duration; `None` unless it is from 0 to [`MAX_SECONDS`].
fn time(seconds: f64) -> Option<Duration> {
    (0.0..=MAX_SECONDS).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

impl Think {
    /// Returns the limits of a run that begins now: by its clock, or by iterations, seconds or both. A level has none.
    /// Fails without limits, and with several kinds of them.
    pub fn limits(&self, position: &Position) -> Result<Limits, String> {
        let in_range = |seconds| {
            time(seconds)
                .ok_or_else(|| format!("a search takes seconds from 0 to {MAX_SECONDS}, not {seconds}"))
        };
        let time = self.seconds.map(in_range).transpose()?;
        let is_limited = self.iterations.is_some() || time.is_some();
        match (&self.clock, self.level) {
            (Some(clock), None) if !is_limited => {
                let time = clock.time_for(position);
                let time = time.ok_or_else(|| format!("expected clock times from 0 to {MAX_SECONDS} s"))?;
                Ok(Limits::for_move(position, Limits::time(time).deadline))
            }
            (None, Some(_)) if !is_limited => Ok(Limits::default()),
            (None, None) if is_limited => Ok(Limits {
                iterations: self.iterations,
                deadline: time.and_then(|time| Limits::time(time).deadline),
            }),
            (None, None) => Err(format!("a search needs iterations, or seconds from 0 to {MAX_SECONDS}")),
            _ => Err("a search has one of a level, a clock, and iterations or seconds".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn broken_requests_keep_their_id() {
        for (text, id) in [
            (r#"{"id":7,"do":"#, Some(json!(7))),
            (r#"{"do":"think" "id" : "a\"b","#, Some(json!("a\"b"))),
            (r#"{"note":"id","id":-1.5]"#, Some(json!(-1.5))),
            (r#"{"id":[1],"do":"#, None),
            (r#"{"id":"cut off"#, None),
            (r#"{"game":{"id":9},"id":1,"do":"dance"}"#, Some(json!(1))),
            (r#"{"id":[1],"do":"version","game":[{"id":3}]}"#, None),
            (r#"{"text":"\\\"id\":5","do":"dance"}"#, None),
            (r#"[{"id":1,"do":"version"}]"#, None),
            (r#"{"fen":"no end,"id":8}"#, Some(json!(8))),
            (r#""id":"no brace","do":"version"}"#, Some(json!("no brace"))),
            (r#"{"id":123456789012345678901,"do":"#, None),
            ("nonsense", None),
        ] {
            assert_eq!(Id::find(text).map(|id| id.0), id, "{text}");
        }
    }

    #[test]
    fn invalid_ids_are_refused() {
        assert!(Request::read(r#"{"id":1,"do":"version"}"#).is_ok_and(|request| request.id.is_some()));
        assert!(Request::read(r#"{"do":"version"}"#).is_ok_and(|request| request.id.is_none()));
        let problem = Request::read(r#"{"id":{},"do":"version"}"#).err().unwrap_or_default();
        assert!(problem.contains("an id is a string or a number"), "{problem}");
        for (id, is_exact) in [
            ("18446744073709551615", true),
            ("-9223372036854775808", true),
            ("0.5", true),
            ("18446744073709551616", false),
            ("-9223372036854775809", false),
            ("1e300", false),
        ] {
            let request = Request::read(&format!(r#"{{"id":{id},"do":"version"}}"#));
            let repeated = request.map(|request| serde_json::to_string(&request.id).unwrap_or_default());
            match repeated {
                Ok(repeated) => assert!(is_exact && repeated == id, "{id}: {repeated}"),
                Err(problem) => assert!(!is_exact && problem.contains("as a string"), "{id}: {problem}"),
            }
        }
    }
}
