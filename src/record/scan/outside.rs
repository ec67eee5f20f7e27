//! Warnings of moves and results in a text around games.

use super::MAX_WARNINGS;
use super::lexer::Lexer;
use super::piece::{Form, Label, Mark, Piece};
use super::verdict::{self, Verdict};
use crate::record::reading::{Lines, Warning, Warnings};

/// Adds warnings of whole moves and of results in a text around games. `line` is the number of its first line.
pub(in crate::record) fn outside(text: &str, line: usize, warnings: &mut Warnings) {
    let mut lines = Lines::from(text, line);
    each_outside(text, true, &mut |offset, text| warnings.push(Warning::new(lines.at(offset), text)));
}

/// Returns warnings of whole moves in a text that holds no game. `line` is the number of its first line.
pub(in crate::record) fn strays(text: &str, line: usize) -> Vec<Warning> {
    let mut lines = Lines::from(text, line);
    let mut warnings = Vec::new();
    let mut more: Option<[usize; 2]> = None;
    each_outside(text, false, &mut |offset, text| match warnings.len() < MAX_WARNINGS {
        true => warnings.push(Warning::new(lines.at(offset), text)),
        false => more = Some([more.map_or(offset, |[first, _]| first), offset]),
    });
    if let Some([first, last]) = more {
        let [first, last] = [first, last].map(|offset| lines.at(offset));
        let text = format!("more lines up to line {last} hold moves that are in no game");
        warnings.push(Warning::new(first, text));
    }
    warnings
}

/// Calls a function with the offset and the warning of each whole move in a text without games, and of each result if
/// they are asked for.
fn each_outside(text: &str, with_results: bool, take: &mut dyn FnMut(usize, String)) {
    // The last piece of the part before is still there.
    let mut is_known = false;
    Lexer::new(text, false).read_in_parts(&mut |found, _| {
        let pieces = &found.pieces[usize::from(is_known)..];
        let mut moves = whole_moves(pieces, text).peekable();
        let results = found.marks.iter().filter(|_| with_results);
        let results =
            results.filter_map(|(_, offset, mark)| Some((*offset, result_outside(text, *offset, mark)?)));
        for (offset, result) in results {
            while let Some((begin, text)) = moves.next_if(|(begin, _)| *begin <= offset) {
                take(begin, text);
            }
            take(offset, result);
        }
        moves.for_each(|(begin, text)| take(begin, text));
        is_known |= !found.pieces.is_empty();
        found.forget(found.pieces.len().saturating_sub(1), |_, _, _| false);
    });
}

/// Returns the text of a warning of a mark in no game if it is a result.
fn result_outside(text: &str, offset: usize, mark: &Mark) -> Option<String> {
    match mark {
        Mark::Sentence { begin, end, .. } => left_out(text, offset, Some([*begin as usize, *end as usize])),
        Mark::Won(_) => left_out(text, offset, None),
        Mark::Tag(Label::Result | Label::Winner | Label::Loser, value) => result_left_out(value),
        Mark::Header(fields) => result_left_out(fields.get(2)?),
        _ => None,
    }
}

/// Returns the text of a warning of a result before `offset` in no game; `None` if it need not be a result. `sentence` are
/// the offsets of its words.
pub(super) fn left_out(text: &str, offset: usize, sentence: Option<[usize; 2]>) -> Option<String> {
    let in_numbers = || {
        let before = text[..offset].trim_end();
        before.rsplit(|c: char| c.is_whitespace() || "\"[,".contains(c)).next().unwrap_or_default()
    };
    result_left_out(sentence.map_or_else(in_numbers, |[from, to]| &text[from..to]))
}

/// Returns the text of a warning of a result in no game; `None` if it need not be a result.
fn result_left_out(result: &str) -> Option<String> {
    let shown: String = result.trim().chars().filter(|c| *c != '"').take(60).collect();
    let is_result = !shown.is_empty() && verdict::read(result, ["", ""]) != Verdict::Weak;
    is_result.then(|| format!("a result outside of the games is left out: {shown}"))
}

/// Returns the offsets of the whole moves among the pieces of a text, and their warnings.
fn whole_moves<'t>(pieces: &'t [Piece], text: &'t str) -> impl Iterator<Item = (usize, String)> + 't {
    let whole = pieces.iter().filter(|piece| piece.form != Form::Fragment && !piece.is_weak);
    whole.map(|piece| {
        let shown = &text[piece.begin as usize..piece.end as usize];
        (piece.begin as usize, format!("in no game: {}", shown.replace('\n', " ")))
    })
}
