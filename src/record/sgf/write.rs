//! Writes game records as SGF.

use super::read::read_comment;
use super::scanner::move_in;
use super::{ANALYSIS, mark_property};
use crate::board::moves::Move;
use crate::board::position::{Position, Rules};
use crate::board::square::{Side, Square};
use crate::record::{Analysis, GameRecord, Note, Notes, PlayedMove};

/// The beginning of every file.
pub(in crate::record) const BEGINNING: &str = "(;FF[4]GM[18]CA[UTF-8]AP[Otrera]";

/// Formats the record as an SGF file with one game.
pub fn write(record: &GameRecord) -> String {
    let mut text = String::from(BEGINNING);
    let edge = record.start.size().edge();
    push(&mut text, "SZ", &[&edge.to_string()]);
    push(&mut text, "PB", &[&record.black]);
    push(&mut text, "PW", &[&record.white]);
    push(&mut text, "RE", &[&result(record)]);
    let number = if record.number == 0 { String::new() } else { record.number.to_string() };
    let fields = [("DT", &record.when), ("EV", &record.event), ("OT", &record.control), ("NUMBER", &number)];
    for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
        push(&mut text, name, &[value]);
    }
    if let Some((kind, what)) = &record.forfeit {
        push(&mut text, "FORFEIT", &[kind, what]);
    }
    push_start(&mut text, &record.start);
    push_note(&mut text, None, record.notes.get(&0));
    push_line(&mut text, "\n", &record.moves, &record.notes, record.start.side(), edge);
    text.push_str(")\n");
    text
}

/// Appends a line of moves with its notes and variations. `begin` is the text before the first node.
fn push_line(text: &mut String, begin: &str, moves: &[PlayedMove], notes: &Notes, side: Side, edge: usize) {
    let mut side = side;
    let mut begin = begin;
    // Variations come after the end of the line, those of the last position first.
    let mut branches: Vec<(Side, &Note)> = Vec::new();
    for (ply, played) in moves.iter().enumerate() {
        text.push_str(begin);
        begin = "\n";
        if let Some(note) = notes.get(&ply).filter(|note| !note.variations.is_empty()) {
            branches.push((side, note));
            text.push('(');
        }
        text.push(';');
        push(text, letter(side), &[&move_text(played.mv, edge)]);
        push_note(text, Some(played), notes.get(&(ply + 1)));
        side = side.opponent();
    }
    for (side, note) in branches.into_iter().rev() {
        text.push(')');
        for variation in &note.variations {
            text.push_str("\n(");
            let before = variation.notes.get(&0);
            if before.is_some() {
                text.push(';');
                push_note(text, None, before);
            }
            push_line(text, "", &variation.moves, &variation.notes, side, edge);
            text.push(')');
        }
    }
}

/// Appends the name, value and comment of a position. The comment begins with the win rate, the time and the effort
/// (iterations or nodes) of the move that led to the position.
fn push_note(text: &mut String, played: Option<&PlayedMove>, note: Option<&Note>) {
    let none = Note::default();
    let note = note.unwrap_or(&none);
    if !note.name.is_empty() {
        push(text, "N", &[&note.name]);
    }
    if let Some(value) = note.value.filter(|value| value.is_finite()) {
        push(text, "V", &[&value.to_string()]);
    }
    if let Some((name, value)) = note.mark.map(mark_property) {
        push(text, name, &[value]);
    }
    if let Some(analysis) = note.analysis.as_deref().filter(|analysis| analysis.black.is_finite()) {
        push(text, ANALYSIS, &[analysis_text(analysis)]);
    }
    let known = played.map_or(String::new(), comment);
    // An empty first line keeps a comment from being read as the fixed form.
    let is_ambiguous = |played: &PlayedMove| read_comment(&note.comment, &mut { *played }) != note.comment;
    let comment = match (known.is_empty(), note.comment.is_empty()) {
        (_, true) => known,
        (false, false) => format!("{known}\n{}", note.comment),
        (true, false) if played.is_some_and(is_ambiguous) => format!("\n{}", note.comment),
        (true, false) => note.comment.clone(),
    };
    if !comment.is_empty() {
        push(text, "C", &[&comment]);
    }
}

/// Formats a search as text that `read_analysis` parses: `black 0.53, lead 1.5, visits 60000, line d1-d7/g7 a7-d4/a7`.
fn analysis_text(Analysis { black, lead, visits, line }: &Analysis) -> String {
    let lead = lead.filter(|lead| lead.is_finite()).map_or(String::new(), |lead| format!(", lead {lead}"));
    let moves = line.iter().map(|mv| format!(" {mv}")).collect::<String>();
    let line = if line.is_empty() { String::new() } else { format!(", line{moves}") };
    format!("black {black}{lead}, visits {visits}{line}")
}

/// Appends a property with its values, which it escapes. Only a comment keeps its line breaks.
fn push(text: &mut String, name: &str, values: &[impl AsRef<str>]) {
    text.push_str(name);
    for value in values {
        text.push('[');
        // Readers would take a quoted game for one that follows.
        let holds_move = move_in(value.as_ref(), false).is_some();
        for letter in value.as_ref().chars() {
            match letter {
                '\\' | ']' => text.extend(['\\', letter]),
                '[' if holds_move => text.push_str("\\["),
                '\n' if name == "C" => text.push('\n'),
                control if control.is_control() => text.push(' '),
                other => text.push(other),
            }
        }
        text.push(']');
    }
}

/// Appends the set-up properties, unless the game begins with the standard start position of its board size.
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

fn result(record: &GameRecord) -> String {
    let how = match &record.forfeit {
        None => "",
        Some(_) if record.lost_late() => "T",
        Some(_) => "F",
    };
    record.winner.map_or("?".into(), |winner| format!("{}+{how}", letter(winner)))
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

/// Formats win rate, lead, time and effort in the form that `read_comment` parses; empty if all are unknown.
fn comment(played: &PlayedMove) -> String {
    let rate = played.win_rate.filter(|rate| rate.is_finite()).map(|rate| format!("win rate {rate}"));
    let lead = played.lead.filter(|lead| lead.is_finite()).map(|lead| format!("lead {lead}"));
    let time = (!played.time.is_zero()).then(|| format!("{} s", played.time.as_secs_f64()));
    let effort = played.effort.map(|effort| format!("effort {effort}"));
    [rate, lead, time, effort].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
