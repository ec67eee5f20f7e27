//! Game records as JSON lines: all data of a game in one line, for result files and other programs.
//!
//! ```json
//! {"number":0,"black":"tournament","white":"paper","start":"3q2q3/… w - - 0 1","winner":"black",
//!  "control":"0.1 s a move","moves":[{"move":"d1-d7/g7","seconds":0.1,"effort":60000,"win_rate":0.53}, …],
//!  "notes":{"1":{"comment":"…","name":"…","value":6,"variations":[{"moves":[…],"notes":{…}}]}},
//!  "visits":{"0":"d1-d7/g7 420, d1-d7/f9 130, …"}}
//! ```
//!
//! The keys in `notes` and `visits` count the moves before the position ([`super::Note`], [`super::Visits`]). A record
//! without notes or visits omits the field.

use super::{GameRecord, PlayedMove};
use crate::board::notation::MalformedText;
use serde::{Deserialize, Serialize};
use std::time::Duration;

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

/// Serializes a position as its FEN.
pub(super) mod fen {
    use crate::board::position::Position;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(position: &Position, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&position.to_fen())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Position, D::Error> {
        Position::from_fen(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Serializes a forfeit as an object with the keys `kind` and `text`.
pub(super) mod forfeit {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Line {
        kind: String,
        text: String,
    }

    type Forfeit = Option<(String, String)>;

    pub fn serialize<S: Serializer>(forfeit: &Forfeit, serializer: S) -> Result<S::Ok, S::Error> {
        forfeit.clone().map(|(kind, text)| Line { kind, text }).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Forfeit, D::Error> {
        Ok(Option::<Line>::deserialize(deserializer)?.map(|Line { kind, text }| (kind, text)))
    }
}

/// Serializes the root visits of each position as one string: `d1-d7/g7 420, d1-d7/f9 130`.
pub(super) mod visits {
    use crate::record::Visits;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use std::collections::BTreeMap;

    pub fn serialize<S: Serializer>(visits: &Visits, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(visits.iter().map(|(ply, moves)| {
            let text: Vec<String> = moves.iter().map(|(mv, visits)| format!("{mv} {visits}")).collect();
            (ply, text.join(", "))
        }))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Visits, D::Error> {
        let read = |text: &str| {
            let (mv, visits) =
                text.split_once(' ').ok_or_else(|| D::Error::custom("a move without visits"))?;
            Ok((mv.parse().map_err(D::Error::custom)?, visits.parse().map_err(D::Error::custom)?))
        };
        let texts = BTreeMap::<usize, String>::deserialize(deserializer)?.into_iter();
        texts.map(|(ply, text)| Ok((ply, text.split(", ").map(read).collect::<Result<_, _>>()?))).collect()
    }
}

/// Formats the record as one line, without a line break.
pub fn write(record: &GameRecord) -> String {
    // Cannot fail: the record holds only strings, numbers, lists and maps.
    serde_json::to_string(record).unwrap_or_default()
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

/// Parses a record from a line of JSON. Unknown keys are ignored.
///
/// # Errors
/// Returns the first error in the text.
pub fn read(text: &str) -> Result<GameRecord, MalformedText> {
    serde_json::from_str(text).map_err(|error| MalformedText::new(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_round_trip() {
        let moves = ["d1-d7/g7", "d1-d7/f9", "a4-a5/a6"].map(|text| text.parse().unwrap());
        let mut record = GameRecord::new("a", "b", crate::Position::standard()).with_moves(&moves[..1]);
        record.visits.insert(0, moves.into_iter().zip([420, 130, 7]).collect());
        let line = write(&record);
        assert!(line.contains(r#""visits":{"0":"d1-d7/g7 420, d1-d7/f9 130, a4-a5/a6 7"}"#), "{line}");
        assert_eq!(read(&line), Ok(record));
        for bad in ["d1-d7/g7", "d1-d7/g7 many", "7 7", ""] {
            let line = line.replace("d1-d7/g7 420, d1-d7/f9 130, a4-a5/a6 7", bad);
            assert!(read(&line).is_err(), "{line}");
        }
    }

    #[test]
    fn malformed_records_are_rejected() {
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
