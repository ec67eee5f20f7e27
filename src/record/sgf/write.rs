//! Writes game records as SGF.

use crate::board::moves::Move;
use crate::board::position::{Position, Rules};
use crate::board::square::{Side, Square};
use crate::record::{GameRecord, PlayedMove};

/// Formats the record as an SGF file with one game.
///
/// ```
/// use otrera::record::sgf;
/// use otrera::{GameRecord, Position};
/// let record = GameRecord::new("first", "second", Position::standard());
/// assert!(sgf::write(&record).starts_with("(;FF[4]GM[18]"));
/// assert_eq!(sgf::read(&sgf::write(&record)), Ok(vec![record]));
/// ```
pub fn write(record: &GameRecord) -> String {
    let mut text = String::from("(;FF[4]GM[18]CA[UTF-8]AP[Otrera]");
    let edge = record.start.size().edge();
    push(&mut text, "SZ", &[&edge.to_string()]);
    push(&mut text, "PB", &[&record.black]);
    push(&mut text, "PW", &[&record.white]);
    push(&mut text, "RE", &[result(record)]);
    let number = if record.number == 0 { String::new() } else { record.number.to_string() };
    let fields = [("DT", &record.when), ("EV", &record.event), ("OT", &record.control), ("NUMBER", &number)];
    for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
        push(&mut text, name, &[value]);
    }
    if let Some((kind, what)) = &record.forfeit {
        push(&mut text, "FORFEIT", &[kind, what]);
    }
    push_start(&mut text, &record.start);
    let mut side = record.start.side();
    for played in &record.moves {
        text.push_str("\n;");
        push(&mut text, letter(side), &[&move_text(played.mv, edge)]);
        let comment = comment(played);
        if !comment.is_empty() {
            push(&mut text, "C", &[&comment]);
        }
        side = side.opponent();
    }
    text.push_str(")\n");
    text
}

/// Appends a property with its values, escaped.
fn push(text: &mut String, name: &str, values: &[&str]) {
    text.push_str(name);
    for value in values {
        text.push('[');
        for letter in value.chars() {
            match letter {
                '\\' | ']' => text.extend(['\\', letter]),
                control if control.is_control() => text.push(' '),
                other => text.push(other),
            }
        }
        text.push(']');
    }
}

/// Appends the set-up properties, unless the start is that of its board.
fn push_start(text: &mut String, start: &Position) {
    if start.with_rules(Rules::Standard) == Position::start(start.size()) {
        return;
    }
    let edge = start.size().edge();
    let sets =
        [("AB", start.amazons(Side::Black)), ("AW", start.amazons(Side::White)), ("AA", start.arrows())];
    text.push('\n');
    for (name, set) in sets {
        let points: Vec<String> = set.into_iter().map(|square| point(square, edge)).collect();
        let points: Vec<&str> = points.iter().map(String::as_str).collect();
        if !points.is_empty() {
            push(text, name, &points);
        }
    }
    push(text, "PL", &[letter(start.side())]);
    if u32::from(start.ply()) != start.arrows().len() {
        push(text, "PLY", &[&start.ply().to_string()]);
    }
}

fn letter(side: Side) -> &'static str {
    match side {
        Side::Black => "B",
        Side::White => "W",
    }
}

fn result(record: &GameRecord) -> &'static str {
    let late = record.forfeit.as_ref().map(|_| record.lost_late());
    match (record.winner, late) {
        (None, _) => "?",
        (Some(Side::Black), None) => "B+",
        (Some(Side::Black), Some(true)) => "B+T",
        (Some(Side::Black), Some(false)) => "B+F",
        (Some(Side::White), None) => "W+",
        (Some(Side::White), Some(true)) => "W+T",
        (Some(Side::White), Some(false)) => "W+F",
    }
}

fn point(square: Square, edge: usize) -> String {
    let letter = |index: usize| (b'a' + index as u8) as char;
    // An unchecked record can contain a square beyond the top of a small board; it has no letter.
    let row = (edge - 1).checked_sub(square.row()).map_or('?', letter);
    [letter(square.column()), row].into_iter().collect()
}

fn move_text(mv: Move, edge: usize) -> String {
    [mv.from, mv.to, mv.arrow].map(|square| point(square, edge)).concat()
}

/// Formats time, effort and winning rate for `read_comment`.
fn comment(played: &PlayedMove) -> String {
    let rate = played.win_rate.filter(|rate| rate.is_finite()).map(|rate| format!("winning rate {rate}"));
    let time = (!played.time.is_zero()).then(|| format!("{} s", played.time.as_secs_f64()));
    let effort = played.effort.map(|effort| format!("effort {effort}"));
    [rate, time, effort].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
