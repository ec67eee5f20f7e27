//! Game records as JSON lines: all data of a game in one line, for results files and programs.
//!
//! ```json
//! {"number":0,"black":"tournament","white":"paper","start":"3q2q3/… w - - 0 1","winner":"black",
//!  "control":"0.1 s a move","moves":[{"move":"d1-d7/g7","seconds":0.1,"effort":60000,"win_rate":0.53}, …],
//!  "notes":{"1":{"comment":"…","name":"…","value":6,"variations":[{"moves":[…],"notes":{…}}]}}}
//! ```
//!
//! The keys of `notes` count the moves before the position ([`super::Note`]). A record without notes has no such key.

use super::{GameRecord, Notes, PlayedMove};
use crate::board::notation::MalformedText;
use crate::board::position::Position;
use crate::board::square::Side;
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Serialize, Deserialize)]
struct Line {
    number: u64,
    black: String,
    white: String,
    start: String,
    winner: Option<Winner>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forfeit: Option<ForfeitLine>,
    #[serde(default)]
    when: String,
    #[serde(default)]
    event: String,
    #[serde(default)]
    control: String,
    moves: Vec<PlayedMove>,
    #[serde(default, skip_serializing_if = "Notes::is_empty")]
    notes: Notes,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Winner {
    Black,
    White,
}

#[derive(Serialize, Deserialize)]
struct ForfeitLine {
    kind: String,
    text: String,
}

/// The JSON form of a [`PlayedMove`].
#[derive(Serialize, Deserialize)]
pub(super) struct MoveLine {
    #[serde(rename = "move")]
    mv: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    seconds: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    effort: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    win_rate: Option<f32>,
}

fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// Formats the record as one line, without a line break.
pub fn write(record: &GameRecord) -> String {
    let line = Line {
        number: record.number,
        black: record.black.clone(),
        white: record.white.clone(),
        start: record.start.to_fen(),
        winner: record.winner.map(|side| match side {
            Side::Black => Winner::Black,
            Side::White => Winner::White,
        }),
        forfeit: record.forfeit.clone().map(|(kind, text)| ForfeitLine { kind, text }),
        when: record.when.clone(),
        event: record.event.clone(),
        control: record.control.clone(),
        moves: record.moves.clone(),
        notes: record.notes.clone(),
    };
    // Cannot fail: strings, numbers and lists only.
    serde_json::to_string(&line).unwrap_or_default()
}

impl From<PlayedMove> for MoveLine {
    fn from(played: PlayedMove) -> Self {
        Self {
            mv: played.mv.to_string(),
            seconds: played.time.as_secs_f64(),
            effort: played.effort,
            win_rate: played.win_rate.filter(|rate| rate.is_finite()),
        }
    }
}

impl TryFrom<MoveLine> for PlayedMove {
    type Error = MalformedText;

    fn try_from(line: MoveLine) -> Result<Self, MalformedText> {
        let time = Duration::try_from_secs_f64(line.seconds)
            .map_err(|error| MalformedText::new(format!("seconds {}: {error}", line.seconds)))?;
        Ok(Self { mv: line.mv.parse()?, time, effort: line.effort, win_rate: line.win_rate })
    }
}

/// Reads such a line. Unknown keys are ignored.
///
/// # Errors
/// The first error in the text.
pub fn read(text: &str) -> Result<GameRecord, MalformedText> {
    let line: Line = serde_json::from_str(text).map_err(|error| MalformedText::new(error.to_string()))?;
    Ok(GameRecord {
        black: line.black,
        white: line.white,
        start: Position::from_fen(&line.start)?,
        moves: line.moves,
        notes: line.notes,
        winner: line.winner.map(|winner| match winner {
            Winner::Black => Side::Black,
            Winner::White => Side::White,
        }),
        forfeit: line.forfeit.map(|forfeit| (forfeit.kind, forfeit.text)),
        when: line.when,
        event: line.event,
        control: line.control,
        number: line.number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_record_says_why() {
        for text in [
            "",
            "{}",
            "[1,2]",
            r#"{"number":0,"black":"a","white":"b","start":"x","winner":null,"moves":[]}"#,
        ] {
            assert!(!read(text).unwrap_err().to_string().is_empty(), "{text}");
        }
    }
}
