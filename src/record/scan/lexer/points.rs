//! Squares and pairs of letters: three of them are a move.

use super::super::half_width::half_width;
use super::super::piece::Form;
use super::super::words;
use super::{Lexer, Point};
use crate::record::work;

/// Maximum number of points of a long word that are read together, a multiple of three and four.
const MAX_POINTS: usize = 48;

impl Lexer<'_> {
    /// Adds squares or pairs of letters. `from` is the part of the origin that a piece letter `Q` comes with.
    pub(super) fn add_points(
        &mut self,
        form: Form,
        from: Option<[i8; 2]>,
        all: &[[i8; 2]],
        begin: usize,
        end: usize,
    ) {
        let is_tight = self.points.last().is_some_and(|last| {
            let between = self.text[last.end..begin].chars().map(half_width);
            between.clone().all(|c| !c.is_whitespace())
        });
        let is_whole = all.len() >= 3 || from.is_some();
        if let [label] = self.points[..]
            && is_whole
            && !is_tight
            && self.is_first_of_line(label)
        {
            self.points.clear();
            self.push_fragment(label.begin, label.end, true);
        }
        if form != self.form || is_whole && !is_tight {
            self.end_points();
        }
        self.form = form;
        self.note_value();
        let points = from.iter().chain(all).enumerate().map(|(index, &numbers)| Point {
            numbers,
            begin,
            end,
            is_tight: is_tight || index > 0,
        });
        let mut points = points.peekable();
        while points.peek().is_some() {
            self.points.extend(points.by_ref().take(MAX_POINTS));
            self.take_moves();
        }
    }

    /// True if a point stands at the beginning of its line.
    fn is_first_of_line(&self, point: Point) -> bool {
        let line = self.text[..point.begin].trim_end_matches([' ', '\t']);
        line.is_empty() || line.ends_with('\n')
    }

    /// Turns the first points into moves while there are enough.
    fn take_moves(&mut self) {
        loop {
            let [from, to, third, ..] = self.points[..] else { return };
            work::count(self.points.len());
            let parts = !to.is_tight || self.text[from.end..].starts_with(['.', ':', ')']);
            if parts && third.is_tight && to.numbers != third.numbers && self.is_tied(third) {
                // A label before a whole move: `B1 g1-e1/e2`.
                self.points.remove(0);
                self.push_fragment(from.begin, from.end, true);
                continue;
            }
            let taken = if to.numbers == third.numbers { 4 } else { 3 };
            let Some(&arrow) = self.points.get(taken - 1) else { return };
            if taken == 3 && to.is_tight && self.is_another_move(arrow, self.points.get(3)) {
                self.points.drain(..2);
                self.push_fragment(from.begin, to.end, false);
                continue;
            }
            if self.is_unclosed(from, arrow) {
                self.points.drain(..taken);
                self.push_fragment(from.begin, arrow.end, false);
                continue;
            }
            self.points.drain(..taken);
            let is_weak = self.form == Form::Letters
                && (from.end != arrow.end || self.is_lower(from))
                && !self.is_value(from.begin, arrow.end);
            let numbers = [from.numbers, to.numbers, arrow.numbers];
            self.push(self.form, numbers, from.begin, arrow.end, is_weak);
        }
    }

    /// True if a text is the value of a move in SGF: `B[djddgd]`.
    fn is_value(&self, begin: usize, end: usize) -> bool {
        self.text[..begin].ends_with(['['])
            && self.text[..begin - 1].ends_with(['B', 'W'])
            && self.text[end..].starts_with(']')
    }

    fn is_lower(&self, point: Point) -> bool {
        self.text[point.begin..point.end].bytes().all(|byte| byte.is_ascii_lowercase()) && self.here.prose > 0
    }

    /// True if a point behind a space is the origin of another move: it is tied to the point after it.
    fn is_another_move(&self, point: Point, next: Option<&Point>) -> bool {
        !point.is_tight && (next.is_some_and(|next| next.begin == point.begin) || self.is_tied(point))
    }

    /// True if a dash, an arrow, a slash or a parenthesis ties a point to a square behind it.
    fn is_tied(&self, point: Point) -> bool {
        let after = self.text[point.end..].chars().next().map(half_width);
        after.is_some_and(|c| "->/(".contains(c)) && self.goes_on_with_a_square(point.end)
    }

    /// True if a character of punctuation at the offset comes directly before a square.
    fn goes_on_with_a_square(&self, end: usize) -> bool {
        let mut after = self.text[end..].chars();
        let is_tied = after.next().is_some_and(|c| half_width(c).is_ascii_punctuation());
        is_tied && squares_at(after.as_str(), usize::MAX).is_some()
    }

    /// True if the squares behind an offset, each behind a sign of punctuation, or behind spaces, make a whole move of
    /// `known` ones.
    pub(super) fn completes_a_move(&self, known: usize, end: usize) -> bool {
        let count = |separators: &str, gap: &str| {
            let (mut count, mut rest) = (known, &self.text[end..]);
            while count <= 3 {
                let after = rest.trim_start_matches(' ');
                let after = if after.starts_with(gap) { after } else { rest };
                let begin = after.char_indices().take(4).find(|(_, c)| !separators.contains(half_width(*c)));
                let square = &after[begin.map_or(after.len(), |(at, _)| at)..];
                let next = squares_at(square, 4).filter(|(_, all)| all.len() == 1);
                let Some((length, _)) = next.filter(|_| square.len() < after.len()) else { break };
                (count, rest) = (count + 1, &square[length..]);
            }
            count
        };
        known == 3 || count("-/,>(:=*", "(") == 3 || count(" ", " ") == 3
    }

    /// True if a parenthesis was opened inside the move and is not closed after it: the end of the move is missing.
    fn is_unclosed(&self, from: Point, arrow: Point) -> bool {
        let inside = self.parentheses.last().is_some_and(|&opened| opened > from.begin);
        let next = self.text[arrow.end..].chars().map(half_width).find(|c| *c != ' ');
        inside && next != Some(')') && next.is_none_or(|c| !"-/,>".contains(c))
    }

    /// Ends a sequence of points: those left over are a damaged move, or a square in prose.
    pub(super) fn end_points(&mut self) {
        let points = std::mem::take(&mut self.points);
        let [first, .., last] = &points[..] else {
            if let [only] = points[..] {
                let is_tied = self.text[..only.begin].ends_with(['-', '/'])
                    || self.text[only.end..].starts_with(['-', '/']);
                let is_alone =
                    (self.here.prose == 0 || is_tied) && self.in_braces == 0 && self.form == Form::Squares;
                self.push_fragment(only.begin, only.end, !is_alone);
            }
            return;
        };
        if let [from, to, arrow] = points[..] {
            let numbers = [from.numbers, to.numbers, arrow.numbers];
            return self.push(self.form, numbers, from.begin, arrow.end, true);
        }
        let is_weak = self.form == Form::Letters || !points[1].is_tight && self.here.prose > 1;
        self.push_fragment(first.begin, last.end, is_weak);
    }
}

/// Returns the length in bytes of the word that a text begins with, and its squares. `None` if it has none, begins with the
/// letter of a piece, or has `most` letters or more.
fn squares_at(text: &str, most: usize) -> Option<(usize, Vec<[i8; 2]>)> {
    let letters = text.chars().take(most).take_while(|c| half_width(*c).is_ascii_alphanumeric());
    let length = letters.clone().map(char::len_utf8).sum();
    let word: String = letters.map(half_width).collect();
    let is_fit = word.len() < most && !word.starts_with('Q');
    let (_, squares) = words::squares(&word).filter(|_| is_fit)?;
    Some((length, squares))
}
