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

use super::parts::{each, entries, fields};
use super::reading::{Intake, Lines, Warning, reserve_some};
use super::{GameRecord, PlayedMove, botzone, scan};
use crate::board::notation::MalformedText;
use crate::order::sort_by_key;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::cell::LazyCell;
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
    // A list of objects can be cut off.
    let is_list = || text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'));
    text.starts_with('{') || is_list() || is_value(text)
}

/// Returns the offset of the first record in a text that does not begin with it, as in a mail; it can be damaged.
pub(super) fn inside(text: &str) -> Option<usize> {
    let is_record = |json: &str| matches!(fields(json, ["moves", "start"]), [Some(_), Some(_)]);
    let holds_record = |json: &str| {
        let mut holds = is_record(json)
            || botzone::read(json).is_some()
            || json.starts_with('{') && scan::has_moves(json);
        each(json, |part| holds |= is_record(part.get()));
        holds
    };
    let names_record = LazyCell::new(|| ["\"moves\"", "\"start\""].iter().all(|name| text.contains(name)));
    let begins_record = |json: &str| {
        json.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"')) && *names_record
    };
    let begins = text.match_indices(['{', '[']).map(|(at, _)| at).take(MAX_BRACKETS);
    begins.into_iter().find(|&at| match values(&text[at..]).next() {
        Some(Ok(raw)) => holds_record(raw.get()),
        Some(Err(_)) => begins_record(&text[at..]),
        None => false,
    })
}

/// Maximum number of brackets that are tried as the beginning of JSON in a text.
const MAX_BRACKETS: usize = 100;

fn values(text: &str) -> serde_json::StreamDeserializer<'_, serde_json::de::StrRead<'_>, &RawValue> {
    serde_json::Deserializer::from_str(text).into_iter()
}

/// Reads all games of a text of JSON values: records, arrays of them, Botzone logs, and any other with moves. A damaged
/// part is in a warning.
pub(super) fn read_into(text: &str, intake: &mut Intake) {
    let mut lines = Lines::new(text);
    // Begins and ends of damaged parts; there can be one for each few letters.
    let mut damages: Vec<[u32; 2]> = Vec::new();
    let is_first = begins(text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}'));
    let before = if is_first { None } else { inside(text) };
    let mut from = before.unwrap_or(text.len() - text.trim_start_matches('\u{feff}').len());
    intake.warnings.extend(scan::strays(&text[..before.unwrap_or_default()], 1));
    let mut group = Group { text, values: Vec::new() };
    while !text[from..].trim_start().is_empty() {
        let mut stream = values(&text[from..]);
        let (mut begin, mut error) = (from, None);
        while let Some(value) = stream.next() {
            match value {
                Ok(raw) => {
                    group.add(raw, &mut lines, intake);
                    begin = from + stream.byte_offset();
                }
                Err(problem) => error = Some(problem),
            }
        }
        let Some(error) = error else { break };
        let value = begin + text[begin..].len() - text[begin..].trim_start().len();
        if text[value..].starts_with(',') && begin > 0 {
            // A list without its brackets.
            from = value + 1;
            continue;
        }
        let valid = from + offset(&error, &text[from..]);
        let list = text.get(value..valid).and_then(complete).filter(|(list, _)| holds_games(list));
        let behind = list.as_ref().map_or(value, |(_, length)| value + length);
        let end = text[behind..].find("\n{").map_or(text.len(), |end| behind + end + 1);
        // Nothing goes on behind a part that has no end; a part that is not closed is tried a few times only.
        let end = if error.is_eof() && damages.len() > MAX_UNCLOSED { text.len() } else { end };
        let line = lines.at(if list.is_some() { valid } else { value });
        intake.warnings.push(Warning::new(line, format!("this JSON is damaged: {}", without_place(&error))));
        if let Some(raw) = list.as_ref().and_then(|(list, _)| serde_json::from_str(list).ok()) {
            group.flush(&mut lines, intake);
            read_value(raw, lines.at(value), intake);
            begin = behind;
        }
        reserve_some(&mut damages);
        damages.push([begin, end].map(|at| at as u32));
        from = end;
    }
    group.flush(&mut lines, intake);
    for [begin, end] in damages.into_iter().map(|part| part.map(|at| at as usize)) {
        add_damaged(&text[begin..end], lines.at(begin), intake);
    }
}

/// Adds the moves of a damaged part: games if the text has no others, else warnings.
fn add_damaged(damaged: &str, line: usize, intake: &mut Intake) {
    match intake.games {
        0 => add_scanned(damaged, line, intake),
        _ => intake.warnings.extend(scan::strays(damaged, line)),
    }
}

/// Maximum number of damaged parts after which a part without its end is not searched for others.
const MAX_UNCLOSED: usize = 50;

/// Returns the offset of an error in a text.
fn offset(error: &serde_json::Error, text: &str) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let offset = lines.map(str::len).sum::<usize>() + error.column();
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default()
}

/// Maximum number of brackets around the elements of a list that is cut off.
const MAX_DEPTH: usize = 64;

/// Closes a text of JSON that is cut off: returns the text up to the last whole element of a list with the brackets
/// that are missing, and the length of the part kept. `None` if no element is whole.
fn complete(text: &str) -> Option<(String, usize)> {
    let (mut opened, mut last) = (Vec::new(), None);
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' if opened.len() == MAX_DEPTH => return None,
            b'{' => opened.push('}'),
            b'[' => opened.push(']'),
            b'}' | b']' => {
                opened.pop();
                if opened.last() == Some(&']') {
                    last = Some((at + 1, opened.clone()));
                }
            }
            _ => {}
        }
    }
    let (length, missing) = last?;
    Some((text[..length].chars().chain(missing.into_iter().rev()).collect(), length))
}

/// True if JSON is a record, a list of records, or a Botzone log.
fn holds_games(json: &str) -> bool {
    let is_record = |json: &str| matches!(fields(json, ["moves", "start"]), [Some(_), Some(_)]);
    let mut holds = botzone::read(json).is_some();
    each(json, |part| holds |= is_record(part.get()));
    holds
}

fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Maximum length of a value that can be a part of a game, in bytes. Longer ones are games.
const MAX_PART: usize = 2000;

/// Consecutive values that are no game on their own: a log with one entry a line, or lines with a move each.
struct Group<'a> {
    text: &'a str,
    values: Vec<&'a str>,
}

impl<'a> Group<'a> {
    /// Adds a value, and first the game before it if a new one begins.
    fn add(&mut self, raw: &'a RawValue, lines: &mut Lines, intake: &mut Intake) {
        let json = raw.get();
        if holds_conditions(json) {
            return self.flush(lines, intake);
        }
        let is_input = fields(json, ["requests"])[0].is_some();
        if !is_input && !is_part(json) {
            self.flush(lines, intake);
            return read_value(raw, lines.at(self.offset(json)), intake);
        }
        if botzone::begins_game(json) {
            self.flush(lines, intake);
        }
        reserve_some(&mut self.values);
        self.values.push(json);
        if botzone::ends_game(json) {
            self.flush(lines, intake);
        }
    }

    fn offset(&self, json: &str) -> usize {
        json.as_ptr() as usize - self.text.as_ptr() as usize
    }

    /// Adds the game of the values.
    fn flush(&mut self, lines: &mut Lines, intake: &mut Intake) {
        let values = std::mem::take(&mut self.values);
        let [first, .., last] = values[..] else {
            if let Some(raw) = values.first().and_then(|json| serde_json::from_str(json).ok()) {
                read_value(raw, lines.at(self.offset(values[0])), intake);
            }
            return;
        };
        let (begin, end) = (self.offset(first), self.offset(last) + last.len());
        let (line, together) = (lines.at(begin), &self.text[begin..end]);
        match botzone::read_entries(values.iter().copied()) {
            Some((game, problems)) if problems.is_empty() || game.moves.len() >= longest(together) => {
                intake.warnings.extend(problems.into_iter().map(|problem| Warning::new(line, problem)));
                intake.add(game, line);
            }
            _ => add_scanned(together, line, intake),
        }
    }
}

/// Returns the length of the longest game that a scan finds.
fn longest(json: &str) -> usize {
    let reading = scan::read(json, None, true);
    reading.games.iter().map(|game| game.moves.len()).max().unwrap_or_default()
}

/// True for the first line of a result file of `lab match`: its conditions are `{"match":…}` and belong to no game.
fn holds_conditions(json: &str) -> bool {
    if !json.starts_with("{\"match\":") {
        return false;
    }
    let (mut are_conditions, mut count) = (false, 0);
    entries(json, |_, value| {
        let [players, control, seed, moves] = fields(value.get(), ["players", "control", "seed", "moves"]);
        are_conditions = moves.is_none() && [players, control, seed].iter().all(Option::is_some);
        count += 1;
    });
    are_conditions && count == 1
}

/// True if a value is no game, but can be a part of one.
fn is_part(json: &str) -> bool {
    if botzone::is_entry(json) {
        return true;
    }
    let is_object = json.len() <= MAX_PART && json.starts_with('{');
    let is_record = || matches!(fields(json, ["moves", "start"]), [Some(_), Some(_)]);
    is_object && !is_record() && (scan::moves_in(json) < 2 || is_turn(json))
}

/// True if a value of JSON is a turn: an object of two values with a move each.
fn is_turn(json: &str) -> bool {
    let mut counts = Vec::new();
    entries(json, |_, value| counts.push(scan::moves_in(value.get())));
    counts.iter().all(|count| *count < 2) && counts.iter().sum::<usize>() == 2
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
        let (mut records, mut messages) = (0, 0);
        each(json, |part| {
            let [moves, requests, request, response] =
                fields(part.get(), ["moves", "requests", "request", "response"]);
            let is_record = moves.is_some() && fields(part.get(), ["start"])[0].is_some();
            records += usize::from(is_record);
            messages += usize::from(requests.or(request).or(response).is_some());
        });
        if records > 0 {
            each(json, |part| read_value(part, line, intake));
        } else if messages > 0 {
            let (mut lines, mut group) = (Lines::from(json, line), Group { text: json, values: Vec::new() });
            each(json, |part| group.add(part, &mut lines, intake));
            group.flush(&mut lines, intake);
        } else {
            add_scanned(json, line, intake);
        }
    }
}

/// Replaces escapes of letters outside ASCII, `\u5148`, by the letters, and those of line breaks by semicolons.
fn letters(json: &str) -> Cow<'_, str> {
    if !json.contains('\\') {
        return json.into();
    }
    let (mut text, mut rest) = (String::with_capacity(json.len()), json);
    while let Some((before, escape)) = rest.split_once('\\') {
        text += before;
        let code = || u32::from_str_radix(escape.get(1..5)?, 16).ok().and_then(char::from_u32);
        let length = match escape.chars().next() {
            Some('n' | 'r') => {
                text += "; ";
                1
            }
            Some('t') => {
                text += "  ";
                1
            }
            Some('u') if code().is_some_and(|letter| !letter.is_ascii()) => {
                text.extend(code());
                5
            }
            other => {
                text.push('\\');
                text.extend(other);
                other.map_or(0, char::len_utf8)
            }
        };
        rest = &escape[length..];
    }
    (text + rest).into()
}

/// Maximum number of brackets around a move whose coordinates are put in order.
const MAX_ORDERED: usize = 12;

/// Puts the values of a move in the order of origin, destination and arrow if their names say which they are.
fn in_order(json: &str, depth: usize) -> Cow<'_, str> {
    let mut parts: Vec<(usize, usize, Option<u8>)> = Vec::new();
    let mut changed = Vec::new();
    let mut end = 0;
    let place = |raw: &RawValue| raw.get().as_ptr() as usize - json.as_ptr() as usize;
    let mut inner = |begin: usize, raw: &RawValue| {
        let value = if depth > 0 { in_order(raw.get(), depth - 1) } else { Cow::Borrowed("") };
        if let Cow::Owned(value) = value {
            changed.push((begin, raw.get().len(), Cow::from(value)));
        }
    };
    if json.starts_with('{') {
        entries(json, |key, raw| {
            let begin = place(raw);
            let name = json[end..begin].find('"').map_or(begin, |at| end + at);
            end = begin + raw.get().len();
            let role = scan::role(&key);
            // Only the values from the first one of a move on can be out of order.
            parts.extend((role.is_some() || !parts.is_empty()).then_some((name, end, role)));
            inner(begin, raw);
        });
    } else if json.starts_with('[') {
        each(json, |raw| inner(place(raw), raw));
    }
    let mut sorted = parts.clone();
    // Values between those of a move would part them.
    sort_by_key(&mut sorted, |part| part.2.unwrap_or(u8::MAX));
    let is_whole = (0..3).all(|role| parts.iter().any(|part| part.2 == Some(role)));
    let is_sorted = parts == sorted || !is_whole;
    if is_sorted && changed.is_empty() {
        return json.into();
    }
    let text = |begin: usize, end: usize| with_changes(json, &changed, begin, end);
    if is_sorted {
        return text(0, json.len()).into();
    }
    let (mut ordered, mut at) = (String::with_capacity(json.len()), 0);
    for (slot, part) in parts.iter().zip(sorted) {
        ordered += &text(at, slot.0);
        ordered += &text(part.0, part.1);
        at = slot.1;
    }
    (ordered + &text(at, json.len())).into()
}

/// Returns a part of a text with changed values, each given with its offset and length.
fn with_changes(text: &str, changed: &[(usize, usize, Cow<str>)], begin: usize, end: usize) -> String {
    let (mut part, mut at) = (String::with_capacity(end - begin), begin);
    let first = changed.partition_point(|(offset, ..)| *offset < begin);
    for (offset, length, value) in changed[first..].iter().take_while(|(offset, ..)| *offset < end) {
        part += &text[at..*offset];
        part += value;
        at = offset + length;
    }
    part + &text[at..end]
}

/// Adds the games that a scan of JSON finds.
fn add_scanned(json: &str, line: usize, intake: &mut Intake) {
    scan::scan(&letters(&in_order(json, MAX_ORDERED)), None, true, line, intake);
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
