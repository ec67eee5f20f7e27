//! Results in a text: sentences with words of a result, and results in numbers.

use super::super::half_width::half_width;
use super::super::piece::{Aside, Mark, Player};
use super::super::verdict::{self, Verdict};
use super::super::{numbering, words};
use super::{Lexer, Number};
use crate::record::work;

/// Maximum number of letters on each side of a word that are read as its sentence.
const MAX_SENTENCE: usize = 200;

/// Maximum number of letters that are read for a result in numbers.
const MAX_SCORE: usize = 30;

/// Maximum length of a line that is read as a whole, in bytes.
const MAX_LINE: usize = 80;

/// Maximum number of numbers in a line with a result.
const MAX_NUMBERS: usize = 5;

/// Maximum number of unclear results that are kept, and of others without moves between them.
pub(super) const MAX_UNCLEAR: usize = 10_000;

impl<'a> Lexer<'a> {
    /// Reads the sentence around the last word for a result.
    pub(super) fn judge(&mut self) {
        if self.at <= self.judged {
            return;
        }
        let (begin, end) = self.sentence();
        self.judged = end;
        let text = &self.text[begin..end];
        let is_over = words::ends_a_game(text) && self.is_main_line();
        let of_variation = self.in_continuation
            || !self.is_main_line() && self.found.pieces.last().is_some_and(|piece| piece.aside != Aside::No);
        let is_certain = match verdict::read(text, ["", ""]) {
            Verdict::Won(_) => !of_variation,
            Verdict::Unclear | Verdict::Weak if self.unclear < MAX_UNCLEAR => false,
            _ => return,
        };
        // In place of a move, `resign` is said by an unknown player.
        let gives_up = || verdict::by_mover(text) == Some(Player::Second);
        let is_alone = self.is_json && self.text[..begin].ends_with('"') && gives_up();
        // The names of the players, which can come later, decide.
        let [begin, end] = [begin, end].map(|at| at as u32);
        self.mark(Mark::Sentence { begin, end, may_name: !of_variation && !is_alone });
        if is_certain {
            self.follow_with_words(false);
        }
        self.unclear += usize::from(!is_certain);
        self.is_over |= is_over && is_certain;
        self.after_unclear |= is_over && !is_certain;
    }

    /// True if the sentence around the last word is a statement about the winner if a player has the name in it.
    pub(super) fn is_statement(&self) -> bool {
        let (begin, end) = self.sentence();
        self.at > self.judged && verdict::read(&self.text[begin..end], ["", ""]) != Verdict::Nothing
    }

    /// Returns the offsets of the sentence around the last word. In JSON it is a string, and its value if it is a name.
    fn sentence(&self) -> (usize, usize) {
        let after_piece = self.found.pieces.last().map_or(0, |piece| piece.end as usize);
        let from = after_piece.max(self.judged).min(self.at);
        let before = self.text[from..self.at].char_indices().rev().take(MAX_SENTENCE);
        let mut begin = from;
        let mut next = 'x';
        for (at, letter) in before {
            begin = from + at;
            if self.is_border(begin, letter, next) {
                begin += letter.len_utf8();
                break;
            }
            next = half_width(letter);
        }
        let mut end = self.at;
        let mut after = self.text[self.at..].char_indices().take(MAX_SENTENCE).peekable();
        let mut goes_on = self.value_in_next_line();
        while let Some((at, letter)) = after.next() {
            end = self.at + at;
            let next = after.peek().map_or(' ', |(_, letter)| half_width(*letter));
            if letter == '\n' && std::mem::take(&mut goes_on) {
                continue;
            }
            if self.is_border(end, letter, next) {
                // A question is no statement.
                end += if half_width(letter) == '?' { letter.len_utf8() } else { 0 };
                break;
            }
            end += letter.len_utf8();
        }
        (begin, if self.is_json { self.value_behind(end) } else { end })
    }

    /// True if the line ends with a colon behind the last word, and the next line can be its value.
    fn value_in_next_line(&self) -> bool {
        let rest: String = self.text[self.at..].chars().take(MAX_SCORE).map(half_width).collect();
        let Some((here, next)) = rest.split_once('\n').filter(|_| !self.is_json) else { return false };
        let next = next.split('\n').next().unwrap_or_default();
        here.trim() == ":" && !next.trim().is_empty() && !next.contains(|c: char| c.is_ascii_digit())
    }

    /// Returns the end of the JSON value whose name ends at an offset; the offset itself if it ends no name.
    fn value_behind(&self, end: usize) -> usize {
        let behind = |text: &'a str| text.trim_start_matches([' ', '\t', '\r', '\n']);
        let Some(rest) = self.text[end..].strip_prefix('"').map(behind) else { return end };
        let Some(value) = rest.strip_prefix(':').map(behind) else { return end };
        let length = match value.strip_prefix('"') {
            Some(string) => string.find('"').map_or(0, |length| length + 1),
            None if value.starts_with(['{', '[']) => 1,
            None => value.find([',', '}', ']', '\n']).unwrap_or(value.len()),
        };
        self.text.len() - value.len() + length
    }

    /// True for a letter at an offset between two sentences. `next` is the letter behind it, in half width.
    fn is_border(&self, at: usize, letter: char, next: char) -> bool {
        match half_width(letter) {
            '\n' | ';' | '!' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '|' => true,
            '.' => !next.is_ascii_digit() && next != '.' && !self.text[..at].ends_with('.'),
            '"' => self.is_json,
            _ => false,
        }
    }

    /// True if a colour stands directly before a plus sign, and a whole number or one letter behind it: `White+10`.
    pub(super) fn is_tight_result(&self, sign: usize) -> bool {
        let is_tight = self.text[..sign].ends_with(char::is_alphabetic);
        if !is_tight || words::colour(&self.here.recent).is_none() {
            return false;
        }
        let rest = &self.text[self.at..];
        let digits = rest.bytes().take(MAX_LINE).take_while(u8::is_ascii_digit).count();
        work::count(digits);
        let length = if digits == 0 && rest.starts_with(['R', 'T', 'F']) { 1 } else { digits };
        let ends = |c: char| c.is_whitespace() || "|,;".contains(c);
        length > 0 && rest[length..].chars().next().is_none_or(ends)
    }

    /// Reads the rest of a line behind a colour and a plus sign: a number alone is a result without its unit.
    pub(super) fn margin(&mut self, sign: usize) {
        let is_space = |c: char| c.is_whitespace() && c != '\n';
        let digits = self.text[self.at..].trim_start_matches(is_space);
        let behind = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let rest = behind.trim_start_matches(is_space);
        work::count(self.text.len() - self.at - rest.len());
        let is_result = behind.len() < digits.len() && (rest.is_empty() || rest.starts_with('\n'));
        if is_result && self.is_main_line() && !self.found.pieces.is_empty() {
            let begin = self.text[..sign].rfind('\n').map_or(0, |at| at + 1) as u32;
            let end = (self.text.len() - behind.len()) as u32;
            self.mark(Mark::Sentence { begin, end, may_name: false });
        }
    }

    /// Reads the line that ends here for statements that no word shows, if it is short and holds no move.
    pub(super) fn whole_line(&mut self) {
        let begin = self.here.begin;
        let line = self.text[begin..self.at].trim_end();
        let holds_move = self.end_of_moves() > begin;
        if !self.is_json && !holds_move && line.len() <= MAX_LINE {
            self.rivals(line);
            self.tally(line);
        }
    }

    /// Reads a line for a result in numbers beside both players: `White 0 Black 1`, also with a line for each.
    fn tally(&mut self, line: &str) {
        work::count(line.len());
        let (begin, end) = (self.here.begin, self.here.begin + line.len());
        let mut numbers =
            line.chars().map(half_width).map(|letter| letter.is_ascii_digit()).collect::<Vec<_>>();
        numbers.dedup();
        let count = numbers.iter().filter(|is_number| **is_number).count();
        let is_known = self.found.marks.last().is_some_and(|(at, ..)| *at == self.found.pieces.len());
        let is_heading = !numbering::without_numbering(line).contains(char::is_alphanumeric);
        if is_heading
            || self.judged > begin
            || !(1..=MAX_NUMBERS).contains(&count)
            || self.unclear >= MAX_UNCLEAR
        {
            return;
        }
        let next = self.text[self.at..].split('\n').next().unwrap_or_default();
        let both = (count <= 2 && next.len() <= MAX_LINE).then_some(self.at + next.len());
        for end in [Some(end), both].into_iter().flatten() {
            let verdict = verdict::read(&self.text[begin..end], ["", ""]);
            let is_certain = matches!(verdict, Verdict::Won(_));
            if verdict == Verdict::Nothing || !is_certain && end > self.at {
                continue;
            }
            self.unclear += usize::from(!is_certain || is_known);
            self.end_points();
            self.end_run();
            let offset = self.here.begin + line.len();
            let [from, to] = [begin, end].map(|at| at as u32);
            let mark = Mark::Sentence { begin: from, end: to, may_name: self.is_main_line() };
            self.mark_at(offset, mark);
            self.judged = end;
            self.is_over |= is_certain && self.is_main_line();
            return;
        }
    }

    /// Returns the offset behind the last piece, or behind numbers of this line that are enough for a move.
    pub(super) fn end_of_moves(&self) -> usize {
        let here = self.run.iter().rev().take_while(|number| number.line == self.line).take(6);
        let numbers = (here.count() == 6).then(|| self.run.last().map_or(0, |number| number.end));
        let pieces = self.found.pieces.last().map_or(0, |piece| piece.end as usize);
        pieces.max(numbers.unwrap_or_default())
    }

    /// True if words of a sentence stand between the last piece and here.
    fn is_in_prose(&self) -> bool {
        !self.is_json && self.points.is_empty() && self.words_before().contains(char::is_alphabetic)
    }

    /// Returns the words between the last piece, or the last border in the line, and here.
    fn words_before(&self) -> &'a str {
        let text = &self.text[self.end_of_moves().min(self.at)..self.at];
        let begin = text.char_indices().rev().take(MAX_SENTENCE).last().map_or(0, |(at, _)| at);
        let line = text[begin..].rsplit('\n').next().unwrap_or_default();
        line.rsplit(|c| "}>|)].;".contains(half_width(c))).next().unwrap_or_default()
    }

    /// True if a result of this length fills a field of a table here: `Ann,Bob,1-0,d1-d7/g7`.
    fn is_field(&self, length: usize) -> bool {
        let [before, behind] = [&self.text[..self.at], &self.text[self.at + length..]];
        let quoted = before.strip_suffix('"').zip(behind.strip_prefix('"'));
        let (before, behind) = quoted.unwrap_or((before, behind));
        let [left, right] = [before.trim_end_matches(' '), behind.trim_start_matches(' ')];
        let begins = before.ends_with([',', ';', '\t', '>']) || left.ends_with('|');
        let ends = behind.starts_with([',', ';', '\t', '<']) || right.starts_with('|');
        let is_first = left.is_empty() || left.ends_with('\n');
        let is_last = right.is_empty() || right.starts_with(['\n', '\r']);
        !self.is_json && (begins && (ends || is_last) || is_first && ends)
    }

    /// True if a move in numbers has begun: in this line, or in lines of two numbers. Two or three numbers are none if
    /// no number is `behind` the result in this line: `40/60,1-0,d1-d7/g7`.
    fn is_inside_numbers(&self, behind: Option<&str>) -> bool {
        let mut lines = self.run.chunk_by(|a, b| a.line == b.line).rev().peekable();
        let here = lines.next_if(|line| line[0].line == self.line).unwrap_or_default();
        // A date is no part of a move.
        let year = here.iter().rposition(|number| (1900..2100).contains(&number.value));
        let here = here.len().saturating_sub(year.map_or(0, |at| at + 3));
        let goes_on = |c: char| c.is_alphabetic() || c == '<';
        if matches!(here % 6, 2 | 3) && behind.is_some_and(|behind| next_field(behind).starts_with(goes_on)) {
            return false;
        }
        let is_pair =
            |line: &&[Number]| line.len() == 2 && line.iter().all(|number| (0..=10).contains(&number.value));
        let pairs = lines.take(30).take_while(is_pair).count();
        let is_short =
            behind.is_some_and(|behind| !next_pair(behind).starts_with(|c: char| c.is_ascii_digit()));
        here % 6 > 1 || here == 0 && (pairs % 3 == 2 || pairs % 3 == 1 && !is_short)
    }

    /// Reads a result in numbers that stands alone: `1-0`, and `1:0` or `2-0` at the end of a line of moves.
    pub(super) fn score(&mut self) -> bool {
        let begins = self.peek().is_some_and(|letter| letter.is_ascii_digit());
        if !begins || self.at < self.judged {
            return false;
        }
        let rest: String = self.text[self.at..].chars().take(MAX_SCORE).map(half_width).collect();
        let (length, player) = match score_of(&rest) {
            _ if rest.starts_with("1/2-1/2") => (7, Ok(None)),
            Some(score) => score,
            None => return false,
        };
        let width: usize = self.text[self.at..].chars().take(length).map(char::len_utf8).sum();
        let is_field = self.is_field(width);
        // In a table, a time can look like this.
        let is_doubtful = player.is_ok() && rest[..length].contains(':') && is_field;
        if !self.can_be_score(&rest, length, player) && !is_doubtful {
            return false;
        }
        let begin = self.at;
        let is_prose = self.is_in_prose() && !is_field && !self.is_numbered(width);
        let player = if is_prose || is_doubtful { Err(()) } else { player };
        self.at += width;
        self.mark_score(player, begin);
        self.ends_row |= is_field && player.is_ok();
        let behind = self.text[self.at..].chars().take(MAX_SENTENCE);
        let field: String = behind.take_while(|letter| !"\n<|\t".contains(*letter)).collect();
        if player.is_ok() && !numbering::without_numbering(&field).contains(char::is_alphanumeric) {
            // No other words change it.
            self.judged = self.at;
        }
        true
    }

    /// True if two numbers at the beginning of the rest of a text, of this length, can be a result, not coordinates.
    fn can_be_score(&self, rest: &str, length: usize, player: Result<Option<Player>, ()>) -> bool {
        let behind = &rest[length..];
        if self.is_inside_numbers(player.is_ok().then_some(behind)) {
            return false;
        }
        // A heading: `1-0: d1-d7/g7`.
        let behind = behind.strip_prefix(':').filter(|next| next.starts_with([' ', '\n'])).unwrap_or(behind);
        if behind.starts_with(|c: char| !c.is_whitespace() && !"\"',;|.!)]}*\\<".contains(c)) {
            return false;
        }
        if player.is_err() && has_score(behind) || player.is_ok() && !is_last_score(behind) {
            return false;
        }
        let is_plain = player.is_ok() && !rest[..length].contains(':');
        let line = self.text[self.at..].chars().take_while(|letter| *letter != '\n').skip(length);
        let is_last = || line.map(half_width).all(|c| c.is_whitespace() || ".!)]}*".contains(c));
        is_plain || !self.is_json && self.here.prose == 0 && !self.found.pieces.is_empty() && is_last()
    }

    /// True if a result of this length stands in a line with nothing but the number of its game: `Game 17 (1-0)`.
    fn is_numbered(&self, length: usize) -> bool {
        let behind = self.text[self.at + length..].chars().take(MAX_SENTENCE);
        let behind: String = behind.take_while(|letter| *letter != '\n').collect();
        let begin = self.text[self.here.begin..self.at].trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_rest = |text: &str| !text.contains(char::is_alphanumeric);
        is_rest(&behind)
            && self.end_of_moves() <= self.here.begin
            && is_rest(numbering::without_numbering(begin))
    }

    /// Marks a result in numbers that began at `begin`; an error is one that only a warning names.
    fn mark_score(&mut self, player: Result<Option<Player>, ()>, begin: usize) {
        match player {
            Ok(Some(player)) => self.mark(Mark::Won(player)),
            Ok(None) => {}
            Err(()) if self.is_in_prose() => {
                // The names of the players can stand beside it.
                let (mut begin, end) = self.sentence();
                if !self.text[begin..end].contains(char::is_alphabetic) {
                    // In brackets behind the words: `Game 17 (1-0)`.
                    let words = self.words_before();
                    begin = self.at - words.len();
                }
                let [from, to] = [begin, end].map(|at| at as u32);
                self.mark(Mark::Sentence { begin: from, end: to, may_name: true });
                self.judged = end;
            }
            Err(()) => {
                let [begin, end] = [begin, self.at].map(|at| at as u32);
                self.mark(Mark::Sentence { begin, end, may_name: false });
            }
        }
        let is_alone =
            self.text[..begin].ends_with(['(', '（']) && self.text[self.at..].starts_with([')', '）']);
        let is_main = self.is_main_line() || is_alone && self.in_braces == 0 && !self.in_continuation;
        self.is_over |= is_main && player.is_ok();
    }
}

/// Returns a text from the next field of its line on.
fn next_field(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', ',', ';', '|'])
}

/// Returns a text from the numbers on that stand beside a pair of numbers.
fn next_pair(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || ",;|)(]-/>".contains(c))
}

/// True if another pair of numbers is beside one: these are coordinates.
fn has_score(behind: &str) -> bool {
    score_of(next_pair(behind)).is_some()
}

/// True if no other pair of numbers is beside a result, or only one more in another line.
fn is_last_score(behind: &str) -> bool {
    let next = next_pair(behind);
    let is_next_line = behind[..behind.len() - next.len()].contains('\n');
    match score_of(next) {
        Some((length, _)) => is_next_line && !has_score(&next[length..]),
        None => true,
    }
}

/// Reads two numbers with `-` or `:` between them in half width: returns their length, and the winner if they are a
/// result of one game.
fn score_of(text: &str) -> Option<(usize, Result<Option<Player>, ()>)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let first = digits(text);
    let behind = text[first..].trim_start_matches(' ');
    let second = behind.strip_prefix(['-', ':'])?.trim_start_matches(' ');
    let last = digits(second);
    let is_clock = behind.starts_with(':') && (first > 1 || last > 1);
    let behind_last = second[last..].strip_prefix(['-', ':']);
    let is_date = behind_last.is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
    if !(1..=2).contains(&first) || !(1..=2).contains(&last) || is_clock || is_date {
        return None;
    }
    let winner = match (&text[..first], &second[..last]) {
        ("1", "0") => Ok(Some(Player::First)),
        ("0", "1") => Ok(Some(Player::Second)),
        _ => Err(()),
    };
    Some((text.len() - second.len() + last, winner))
}
