//! Numbers: six of them are a move.

use super::super::half_width::half_width;
use super::super::piece::{Beside, Form, Mark};
use super::super::{numbering, words};
use super::Lexer;

/// Maximum number of numbers that are read together, a multiple of six.
pub(super) const MAX_RUN: usize = 6000;

/// A number of a run of numbers.
#[derive(Clone, Copy)]
pub(super) struct Number {
    pub(super) value: i64,
    pub(super) begin: usize,
    pub(super) end: usize,
    pub(super) line: usize,
    /// True if words stand before it in its line.
    pub(super) has_words: bool,
}

impl Lexer<'_> {
    pub(super) fn number_or_word(&mut self) {
        let begin = self.at;
        let negative = self.peek() == Some('-');
        if negative {
            self.skip();
        }
        let mut digits = String::new();
        while let Some(c) = self.peek().filter(char::is_ascii_digit) {
            digits.push(c);
            self.skip();
        }
        let next = self.peek();
        if next.is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
            // Digits before a word of squares number the move: `1d1d7g7`.
            let rest = self.ascii_word();
            if words::is_unit(&rest) {
                (self.key, self.has_key) = (None, false);
                self.end_points();
                return self.end_run();
            }
            self.numbering = digits.parse().ok();
            return match words::edge(&format!("{digits}{rest}")) {
                Some(edge) => self.mark(Mark::Edge(edge)),
                None => self.classify(&rest, begin, self.at),
            };
        }
        let after = self.text[self.at..].chars().nth(1).map(half_width);
        let follows = |c: char| next == Some(c) && after.is_some_and(|c| c.is_ascii_digit());
        // Decimal fractions, clocks, `1:05` and `1'05`, percentages and time controls, `5+3`, are no coordinates.
        if next == Some('%')
            || follows('.') && !self.is_numbered_square()
            || [':', '+', '\''].into_iter().any(follows)
        {
            let decimals = self.decimals(begin);
            self.skip_number();
            self.end_run();
            if let Some(length) = decimals {
                self.at = begin + length;
                self.push_fragment(begin, self.at, true);
            }
            return;
        }
        self.number(&digits, negative, begin);
    }

    /// True if a point after a number is followed by a square, as in `1.7 2 …`; never for plain decimals.
    pub(super) fn is_numbered_square(&self) -> bool {
        let rest = self.text[self.at..].chars().skip(1).map(half_width);
        let numbers: String = rest.take_while(|c| c.is_ascii_digit() || " ,".contains(*c)).collect();
        numbers.split([' ', ',']).filter(|part| !part.is_empty()).count() >= 6
    }

    /// Returns the length of three decimals of small numbers at the offset, which can be a move: `2.0 1.0 7.6`.
    pub(super) fn decimals(&self, begin: usize) -> Option<usize> {
        let text = &self.text[begin..];
        let is_small = |part: &str| part.len() <= 2 && part.parse::<u8>().is_ok_and(|number| number <= 10);
        let mut length = 0;
        for _ in 0..3 {
            length +=
                text[length..].len() - text[length..].trim_start_matches([' ', ',', '-', '/', '\t']).len();
            let is_number = |c: char| c.is_ascii_digit() || ".:".contains(c);
            let word = &text[length..];
            let word = &word[..word.find(|c| !is_number(c)).unwrap_or(word.len())];
            let (first, second) = word.split_once(['.', ':'])?;
            if !is_small(first) || !is_small(second) {
                return None;
            }
            length += word.len();
        }
        Some(length)
    }

    /// Skips the rest of a number with points, colons, a sign of per cent or an exponent.
    pub(super) fn skip_number(&mut self) {
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || ".:%+'".contains(c)) {
            self.skip();
        }
    }

    pub(super) fn number(&mut self, digits: &str, negative: bool, begin: usize) {
        let value = digits.parse::<i64>().map_or(i64::MAX, |value| if negative { -value } else { value });
        if let Some(key) = self.key.take() {
            if words::names_a_size(&key) && (4..=10).contains(&value) {
                return self.mark(Mark::Edge(value as usize));
            }
            if self.has_key {
                self.has_key = false;
                return;
            }
        }
        self.numbering = Some(value);
        let next = self.peek();
        // 第3手 numbers a move.
        let is_game = numbering::is_game(&self.here.recent)
            && (self.here.recent != "第" || next.is_some_and(|next| "局盘盤轮輪场場".contains(next)));
        self.begins_game |= self.here.prose == 1 && is_game && self.is_main_line();
        let is_number = next == Some('.') || next == Some(')') && self.parentheses.is_empty();
        let before = self.text[..begin].trim_end_matches([' ', '\t', '#', '>']);
        self.counts = is_number || before.is_empty() || before.ends_with(['\n', '\r']);
        self.end_points();
        if digits.len() == 6 && !negative && self.run.is_empty() {
            let numbers = digits.bytes().map(|digit| i64::from(digit - b'0'));
            let six: Vec<Number> = numbers.map(|value| self.number_at(value, begin)).collect();
            return self.push_numbers(&six, true);
        }
        if is_number && self.run.last().is_none_or(|last| last.line != self.line) {
            return self.end_run();
        }
        self.note_value();
        self.run.push(self.number_at(value, begin));
        if self.run.len() == MAX_RUN {
            self.end_run();
        }
    }

    pub(super) fn number_at(&self, value: i64, begin: usize) -> Number {
        Number { value, begin, end: self.at, line: self.line, has_words: self.here.has_words }
    }

    /// Ends a run of numbers: each line of six is a move, and so are six lines of one or three of two.
    pub(super) fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        self.runs += 1;
        if run.len() < 4 {
            return;
        }
        let lines: Vec<&[Number]> = run.chunk_by(|a, b| a.line == b.line).collect();
        let is_column = lines.iter().all(|line| line.len() <= 2) && run.len().is_multiple_of(6);
        if is_column {
            return run.chunks(6).for_each(|six| self.push_numbers(six, true));
        }
        for line in lines {
            let moves = coordinates(line);
            match moves.len() {
                length if length % 6 == 0 => moves.chunks(6).for_each(|six| self.push_numbers(six, false)),
                0..4 => {}
                // A short line of numbers can be anything, and one of neighbours is the edge of a diagram.
                length => {
                    let is_edge =
                        line.windows(2).all(|pair| pair[1].value.checked_sub(1) == Some(pair[0].value));
                    self.push_fragment(line[0].begin, line[line.len() - 1].end, length < 6 || is_edge);
                }
            }
        }
    }

    pub(super) fn push_numbers(&mut self, six: &[Number], is_weak: bool) {
        let [first, .., last] = six else { return };
        // The first mover's first request on Botzone.
        if six.iter().all(|number| number.value == -1) {
            return;
        }
        let value = |index: usize| i8::try_from(six[index].value).unwrap_or(i8::MAX);
        let numbers = [0, 2, 4].map(|index| [value(index), value(index + 1)]);
        let few = six.iter().filter(|number| (0..=10).contains(&number.value)).count();
        if few == 6 {
            self.push(Form::Numbers, numbers, first.begin, last.end, is_weak);
            // The line can have ended.
            if let Some(piece) = self.found.pieces.last_mut() {
                piece.beside = if last.has_words { Beside::Behind } else { Beside::No };
            }
        } else if six.iter().all(|number| number.value.abs() < 100) && (!is_weak || few >= 3) {
            self.push_fragment(first.begin, last.end, true);
        }
    }
}

/// Returns the coordinates of a line of numbers. Leaves out a number before them, which counts the move, or one behind
/// them that can be no coordinate.
fn coordinates(line: &[Number]) -> &[Number] {
    let fits = |number: &Number| (0..=10).contains(&number.value);
    match line {
        [moves @ .., last] if moves.len() == 6 && moves.iter().all(fits) && !fits(last) => moves,
        [_, moves @ ..] if moves.len() % 6 == 0 && !moves.is_empty() => moves,
        _ => line,
    }
}
