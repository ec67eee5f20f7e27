//! Signs before moves: `; d1-d7/g7`, `= d1-d7/g7`. The last moves behind a sign that no move before them has can be a
//! comment.

use super::half_width::half_width;
use super::piece::{Form, Piece};
use crate::record::work;

/// Signs behind a move on its line that judge it.
const JUDGEMENTS: [&str; 13] = ["+-", "-+", "+/-", "-/+", "+=", "=+", "+/=", "=/+", "±", "∓", "⩲", "⩱", "∞"];

/// Maximum number of letters before a move that are read for a sign.
const MAX_LENGTH: usize = 200;

/// Returns the first of the last moves of a game that stand behind a sign of their own. `own` are the indices of its
/// pieces.
pub fn remark(text: &str, pieces: &[Piece], own: &[usize]) -> Option<usize> {
    let between: Vec<&str> = own
        .iter()
        .map(|&index| {
            let begin = pieces[index].begin as usize;
            let from = index.checked_sub(1).map(|before| pieces[before].end as usize);
            last_letters(&text[from.unwrap_or_default().min(begin)..begin])
        })
        .collect();
    // A word that looks like the rest of a move, as `if` does, is a sign, too.
    let word = |index: usize| {
        let piece = &pieces[index.checked_sub(1)?];
        let word = &text[piece.begin as usize..piece.end as usize];
        let is_word = piece.form == Form::Fragment && word.bytes().all(|byte| byte.is_ascii_lowercase());
        is_word.then_some(word)
    };
    let sign_of = |(between, index): (&&str, &usize)| {
        let word = word(*index).filter(|_| !between.contains('\n'));
        // A move in another notation is as odd as one behind a sign.
        let form = match pieces[*index].form {
            Form::Squares | Form::Fragment => "",
            Form::Letters => "a",
            Form::Numbers => "0",
        };
        sign(between) + form + word.unwrap_or_default()
    };
    let signs: Vec<String> = between.iter().zip(own).map(sign_of).collect();
    // The first move has a heading before it, and equally many moves with and without a sign say nothing.
    let mut begins = (own.len().div_ceil(2).max(2)..own.len()).filter(|&begin| !signs[begin].is_empty());
    begins.find_map(|begin| {
        let is_new = signs[..begin].iter().all(|sign| *sign != signs[begin]);
        let goes_on = |next: usize| signs[next] == signs[begin] || !between[next].contains('\n');
        (is_new && (begin + 1..own.len()).all(goes_on)).then(|| own[begin])
    })
}

/// Returns the last letters of a text, at most [`MAX_LENGTH`].
fn last_letters(text: &str) -> &str {
    let begin = text.char_indices().rev().take(MAX_LENGTH).last().map_or(0, |(at, _)| at);
    &text[begin..]
}

/// Returns the punctuation before a move on its line. It leaves out brackets, numbers and judgements of the last move.
fn sign(between: &str) -> String {
    work::count(between.len() / 8);
    let is_behind = !between.contains('\n');
    let line = between.rsplit('\n').next().unwrap_or_default();
    let plain = without_brackets(line);
    let (mut sign, mut is_numbered) = (String::new(), false);
    for word in plain.split_whitespace() {
        let has_letters = word.contains(char::is_alphanumeric);
        let is_judgement =
            is_behind && (JUDGEMENTS.contains(&word) || word.chars().all(|letter| "!?".contains(letter)));
        let is_dots = is_numbered && word.chars().all(|letter| ".…".contains(letter));
        if !has_letters && !is_judgement && !is_dots {
            sign += word;
        }
        is_numbered = word.contains(|letter: char| letter.is_ascii_digit());
    }
    sign
}

/// Returns a text in half width, without what stands in brackets, elements of HTML, and brackets that close.
fn without_brackets(text: &str) -> String {
    let letters: String = text.chars().map(half_width).collect();
    let mut plain = String::with_capacity(letters.len());
    let mut open: Vec<(char, usize)> = Vec::new();
    for letter in letters.chars() {
        let closes = match letter {
            '(' => Some(')'),
            '[' => Some(']'),
            '{' => Some('}'),
            '<' => Some('>'),
            '&' => Some(';'),
            _ => None,
        };
        if let Some(closes) = closes {
            open.push((closes, plain.len()));
            plain.push(letter);
        } else if let Some(at) = open.iter().rposition(|(closes, _)| *closes == letter) {
            plain.truncate(open[at].1);
            open.truncate(at);
            plain.push(' ');
        } else if !")]}".contains(letter) {
            plain.push(letter);
        }
    }
    plain
}
