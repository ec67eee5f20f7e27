//! Game records as JSON lines: all data of a game in one line, for result files and other programs.
//!
//! ```json
//! {"number":0,"black":"tournament","white":"paper","start":"3q2q3/… w - - 0 1","winner":"black",
//!  "control":"0.1 s a move","moves":[{"move":"d1-d7/g7","seconds":0.1,"effort":60000,"win_rate":0.53}, …],
//!  "notes":{"1":{"comment":"…","name":"…","value":6,"mark":"mistake",
//!    "analysis":{"black":0.53,"lead":1.5,"visits":60000,"line":"a7-d4/a7 d7-e7/e4"},
//!    "variations":[{"moves":[…],"notes":{…}}]}},
//!  "visits":{"0":"d1-d7/g7 420, d1-d7/f9 130, …"}}
//! ```
//!
//! The keys in `notes` and `visits` count the moves before the position ([`super::Note`], [`super::Visits`]). A record
//! without notes or visits omits the field.

use super::parts::{each, fields};
use super::reading::{Intake, Lines, Warning};
use super::{GameRecord, PlayedMove, botzone, scan};
use crate::board::notation::MalformedText;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
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

/// Serializes a line of moves as one string: `d1-d7/g7 a7-d4/a7`.
pub(super) mod line {
    use crate::board::moves::Move;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(moves: &[Move], serializer: S) -> Result<S::Ok, S::Error> {
        let texts: Vec<String> = moves.iter().map(Move::to_string).collect();
        serializer.serialize_str(&texts.join(" "))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Move>, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.split_whitespace().map(|text| text.parse().map_err(D::Error::custom)).collect()
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

/// Returns the offset of the first record in a text that does not begin with it, as in a mail.
pub(super) fn inside(text: &str) -> Option<usize> {
    let is_record = |json: &str| matches!(fields(json, ["moves", "start"]), [Some(_), Some(_)]);
    let holds_record = |json: &str| {
        let mut holds = is_record(json)
            || botzone::read(json).is_some()
            || json.starts_with('{') && scan::has_moves(json);
        each(json, |part| holds |= is_record(part.get()));
        holds
    };
    let begins = text.match_indices(['{', '[']).map(|(at, _)| at).take(MAX_BRACKETS);
    begins.into_iter().find(|&at| {
        values(&text[at..]).next().and_then(Result::ok).is_some_and(|raw| holds_record(raw.get()))
    })
}

/// Maximum number of brackets that are tried as the beginning of JSON in a text.
const MAX_BRACKETS: usize = 100;

fn values(text: &str) -> serde_json::StreamDeserializer<'_, serde_json::de::StrRead<'_>, &RawValue> {
    serde_json::Deserializer::from_str(text).into_iter()
}

/// Reads all games of a text of JSON values: records, arrays of them, Botzone logs, and any other with moves. A damaged
/// line is in a warning.
pub(super) fn read_into(text: &str, intake: &mut Intake) {
    let mut lines = Lines::new(text);
    let mut damages = Vec::new();
    let is_first = begins(text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}'));
    let before = if is_first { None } else { inside(text) };
    let mut from = before.unwrap_or(text.len() - text.trim_start_matches('\u{feff}').len());
    intake.warnings.extend(scan::strays(&text[..before.unwrap_or_default()], 1));
    while !text[from..].trim().is_empty() {
        let mut stream = values(&text[from..]);
        let (mut begin, mut error) = (from, None);
        while let Some(value) = stream.next() {
            match value {
                Ok(raw) => {
                    let offset = raw.get().as_ptr() as usize - text.as_ptr() as usize;
                    read_value(raw, lines.at(offset), intake);
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
        intake.warnings.push(Warning::new(line, format!("this JSON is damaged: {}", without_place(&error))));
        damages.push((begin, damaged));
        from = end;
    }
    for (begin, damaged) in damages {
        let line = lines.at(begin);
        match intake.games {
            0 => add_scanned(damaged, line, intake),
            _ => intake.warnings.extend(scan::strays(damaged, line)),
        }
    }
}

fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Adds the games of one value that begins in a line.
fn read_value(raw: &RawValue, line: usize, intake: &mut Intake) {
    let json = raw.get();
    if let [Some(_), Some(_)] = fields(json, ["moves", "start"]) {
        match read(json) {
            Ok(game) => intake.add(game, line),
            Err(error) => {
                intake.warnings.push(Warning::new(line, format!("this game is left out: {error}")));
            }
        }
    } else if let Some((game, problems)) = botzone::read(json) {
        let warnings = problems.into_iter().map(|problem| Warning::new(line, problem));
        intake.warnings.extend(warnings);
        intake.add(game, line);
    } else {
        let mut records = 0;
        each(json, |part| records += usize::from(fields(part.get(), ["moves", "start"])[0].is_some()));
        if records > 0 {
            each(json, |part| read_value(part, line, intake));
        } else {
            add_scanned(json, line, intake);
        }
    }
}

/// Replaces escapes of letters outside ASCII, `\u5148`, by the letters.
fn letters(json: &str) -> Cow<'_, str> {
    if !json.contains("\\u") {
        return json.into();
    }
    let mut parts = json.split("\\u");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match code.and_then(char::from_u32).filter(|letter| !letter.is_ascii()) {
            Some(letter) => text.extend([&*letter.to_string(), &part[4..]]),
            None => text.extend(["\\u", part]),
        }
    }
    text.into()
}

/// Adds the games that a scan of JSON finds.
fn add_scanned(json: &str, line: usize, intake: &mut Intake) {
    scan::scan(&letters(json), None, true, line, intake);
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
