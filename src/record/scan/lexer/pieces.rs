//! Pieces, and the signs that a game begins with one.

use super::super::half_width::half_width;
use super::super::piece::{Aside, Beside, Border, Form, Mark, OPEN, Piece};
use super::super::words;
use super::Lexer;
use crate::record::reading::reserve_some;

impl Lexer<'_> {
    pub(super) fn push_fragment(&mut self, begin: usize, end: usize, is_weak: bool) {
        self.push(Form::Fragment, [[OPEN; 2]; 3], begin, end, is_weak);
    }

    pub(super) fn push(
        &mut self,
        form: Form,
        numbers: [[i8; 2]; 3],
        begin: usize,
        end: usize,
        is_weak: bool,
    ) {
        let numbering = self.numbering.take().filter(|_| form != Form::Numbers);
        let border = self.border(begin, numbering);
        if let Some(number) = numbering.filter(|_| std::mem::take(&mut self.counts)) {
            self.follow(number, begin);
        }
        self.here.named.clear();
        if let Some(number) = numbering {
            if number == 1 {
                self.first_numbered = self.found.pieces.len() as isize;
            }
            self.highest = if border >= Border::First { 1 } else { self.highest.max(number) };
        }
        if self.is_json {
            self.keys.name_piece(self.found.pieces.len());
        }
        let inside = self.parentheses.first().is_some_and(|&opened| opened < begin);
        let aside = match () {
            () if self.in_braces > 0 || self.in_continuation => Aside::Comment,
            () if inside => Aside::Parenthesis,
            () => Aside::No,
        };
        reserve_some(&mut self.found.pieces);
        self.found.pieces.push(Piece {
            begin: begin as u32,
            end: end as u32,
            numbers,
            form,
            aside,
            mover: self.mover.take(),
            border,
            is_weak: is_weak || self.here.prose > 3,
            beside: match self.here.has_words || self.here.squared > 0 && form != Form::Numbers {
                true => Beside::Behind,
                false => Beside::No,
            },
        });
    }

    /// Takes the signs that a new game begins with the piece at an offset, which has a number.
    pub(super) fn border(&mut self, begin: usize, numbering: Option<i64>) -> Border {
        let known = self.found.pieces.len() as isize;
        let again = self.highest > 1 || known > self.first_numbered + 1;
        let is_first = numbering == Some(1) && self.highest > 0 && again;
        let follows_end = std::mem::take(&mut self.is_over) && known > 0;
        let is_numbered = numbering.is_some_and(|number| number > 1);
        let gap = if is_numbered { Border::No } else { self.border_before(begin) };
        let has_heading = std::mem::take(&mut self.begins_game);
        let is_row = std::mem::take(&mut self.ends_row);
        let after_unclear = std::mem::take(&mut self.after_unclear);
        match () {
            () if follows_end && (is_row || has_heading || is_first || gap == Border::Gap) => Border::Next,
            () if follows_end => Border::Result,
            () if has_heading => Border::Heading,
            () if is_first => Border::First,
            () if after_unclear => Border::Gap,
            () => gap,
        }
    }

    /// Returns the strongest border that the lines between the last piece and an offset are.
    pub(super) fn border_before(&self, begin: usize) -> Border {
        let last = self.found.pieces.last().map(|piece| piece.end as usize);
        let Some(from) = last.filter(|&from| from < begin && !self.is_json) else { return Border::No };
        let mut lines = self.text[from..begin].split('\n').skip(1).peekable();
        let mut border = Border::No;
        while let Some(line) = lines.next() {
            if lines.peek().is_none() || border == Border::Gap {
                break;
            }
            let is_rule = |letter: char| letter.is_whitespace() || "-=_*~#>|+.".contains(half_width(letter));
            let is_gap = line.chars().all(is_rule) || words::can_head_a_game(line);
            border = if is_gap { Border::Gap } else { Border::Line };
        }
        border
    }

    /// Notes that a word of a sentence, or a statement about the winner, stands behind the last piece on this line.
    pub(super) fn follow_with_words(&mut self, are_words: bool) {
        let is_inside = self.in_braces > 0 || self.in_continuation || self.here.squared > 0 || self.is_json;
        let begin = self.here.begin;
        let last = self.found.pieces.last_mut().filter(|piece| piece.end as usize > begin);
        if let Some(last) = last.filter(|_| !is_inside) {
            last.beside = last.beside.with_words_behind(are_words);
        }
    }

    /// Compares the number of a move with the one before; marks a gap. Turns of two moves, or moves, can be counted.
    pub(super) fn follow(&mut self, number: i64, begin: usize) {
        let known = self.found.pieces.len() as isize;
        if let Some((last, before)) = self.sequence.filter(|_| number > 1) {
            let moves = (known - before) as i64;
            let step = number.saturating_sub(last);
            if step > 1 && step > (moves + 1) / 2 {
                self.mark_at(begin, Mark::Gap(last, number));
            }
            self.sequence = Some((number, known));
        } else {
            self.sequence = (number == 1).then_some((number, known));
        }
    }
}
