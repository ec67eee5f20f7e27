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

use super::parts::{each, fields};
use super::reading::{Lines, Reading, Warning};
use super::{GameRecord, PlayedMove, botzone, scan};
use crate::board::notation::MalformedText;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lead: Option<f32>,
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
            lead: played.lead.filter(|lead| lead.is_finite()),
        }
    }
}

impl TryFrom<MoveLine> for PlayedMove {
    type Error = MalformedText;

    fn try_from(line: MoveLine) -> Result<Self, MalformedText> {
        let time = Duration::try_from_secs_f64(line.seconds)
            .map_err(|error| MalformedText::new(format!("seconds {}: {error}", line.seconds)))?;
        Ok(Self { mv: line.mv.parse()?, time, effort: line.effort, win_rate: line.win_rate, lead: line.lead })
    }
}

/// Parses a record from a line of JSON. Unknown keys are ignored.
///
/// # Errors
/// Returns the first error in the text.
pub fn read(text: &str) -> Result<GameRecord, MalformedText> {
    serde_json::from_str(text).map_err(|error| MalformedText::new(error.to_string()))
}

/// True if the text begins with a JSON value, or with lines of which one is damaged.
pub(super) fn begins(text: &str) -> bool {
    let is_value = |text: &str| values(text).next().is_some_and(|value| value.is_ok());
    text.starts_with('{') || is_value(text)
}

fn values(text: &str) -> serde_json::StreamDeserializer<'_, serde_json::de::StrRead<'_>, &RawValue> {
    serde_json::Deserializer::from_str(text).into_iter()
}

/// Reads all games of a text of JSON values: records, arrays of them, Botzone logs, and any other with moves. A damaged
/// line is in a warning.
pub(super) fn read_all(text: &str) -> Result<Reading, MalformedText> {
    let (mut reading, mut lines) = (Reading::default(), Lines::new(text));
    let mut damages = Vec::new();
    let mut from = text.len() - text.trim_start_matches('\u{feff}').len();
    while !text[from..].trim().is_empty() {
        let mut stream = values(&text[from..]);
        let (mut begin, mut error) = (from, None);
        while let Some(value) = stream.next() {
            match value {
                Ok(raw) => {
                    let offset = raw.get().as_ptr() as usize - text.as_ptr() as usize;
                    read_value(raw, lines.at(offset), &mut reading);
                    begin = from + stream.byte_offset();
                }
                Err(problem) => error = Some(problem),
            }
        }
        let Some(error) = error else { break };
        let value = begin + text[begin..].len() - text[begin..].trim_start().len();
        let end = text[value..].find("\n{").map_or(text.len(), |end| value + end + 1);
        let damaged = &text[begin..end];
        let line = lines.at(begin + damaged.len() - damaged.trim_start().len());
        reading.warnings.push(Warning::new(line, format!("this JSON is damaged: {}", without_place(&error))));
        damages.push((begin, damaged));
        from = end;
    }
    for (begin, damaged) in damages {
        let line = lines.at(begin);
        match reading.games.is_empty() {
            true => add_scanned(damaged, line, &mut reading),
            false => reading.warnings.extend(scan::strays(damaged, line)),
        }
    }
    Ok(reading)
}

fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Adds the games of one value that begins in a line.
fn read_value(raw: &RawValue, line: usize, reading: &mut Reading) {
    let json = raw.get();
    if let [Some(_), Some(_)] = fields(json, ["moves", "start"]) {
        match read(json) {
            Ok(game) => reading.add(game, line),
            Err(error) => {
                reading.warnings.push(Warning::new(line, format!("this game is left out: {error}")));
            }
        }
    } else if let Some((game, problems)) = botzone::read(json) {
        let warnings = problems.into_iter().map(|problem| Warning::new(line, problem));
        reading.warnings.extend(warnings);
        reading.add(game, line);
    } else {
        let mut records = 0;
        each(json, |part| records += usize::from(fields(part.get(), ["moves", "start"])[0].is_some()));
        if records > 0 {
            each(json, |part| read_value(part, line, reading));
        } else {
            add_scanned(json, line, reading);
        }
    }
}

/// Adds the games that a scan of JSON finds.
fn add_scanned(json: &str, line: usize, reading: &mut Reading) {
    let mut found = scan::read(json, None, true);
    for warning in &mut found.warnings {
        warning.line += line - 1;
    }
    reading.warnings.append(&mut found.warnings);
    reading.games.append(&mut found.games);
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
