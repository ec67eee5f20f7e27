//! Finds pieces that look like moves, and statements about the game, in any text.

mod keys;
mod points;
mod results;
mod values;

use super::half_width::half_width;
use super::header;
use super::piece::{Aside, Beside, Border, Colour, Form, Label, Mark, OPEN, Piece, Player};
use super::verdict;
use super::{numbering, words};
use crate::record::reading::reserve_some;
use keys::Keys;

/// What a text holds, in its order.
#[derive(Default, Debug)]
pub struct Found {
    /// Parts that look like moves.
    pub pieces: Vec<Piece>,
    /// Statements, each with the number of pieces before it and its offset.
    pub marks: Vec<(usize, usize, Mark)>,
}

impl Found {
    /// Returns the number of pieces and marks.
    pub fn len(&self) -> usize {
        self.pieces.len() + self.marks.len()
    }

    /// Drains the first pieces, and the marks that `keeps` refuses by their index, offset and content.
    pub fn forget(&mut self, pieces: usize, mut keeps: impl FnMut(usize, usize, &Mark) -> bool) {
        self.pieces.drain(..pieces);
        let mut index = 0;
        self.marks.retain_mut(|(at, offset, mark)| {
            *at = at.saturating_sub(pieces);
            index += 1;
            keeps(index - 1, *offset, mark)
        });
    }
}

/// Number of pieces and marks after which a part of a text is handed on: many more than those of a game.
const WINDOW: usize = 1 << 13;

#[cfg(test)]
thread_local! {
    /// Another [`WINDOW`] for tests.
    pub(super) static SHORT: std::cell::Cell<usize> = const { std::cell::Cell::new(WINDOW) };
}

/// Returns [`WINDOW`].
pub fn window() -> usize {
    #[cfg(test)]
    return SHORT.get();
    #[cfg(not(test))]
    WINDOW
}

/// A square or a pair of letters that is not yet part of a whole move.
#[derive(Clone, Copy)]
struct Point {
    numbers: [i8; 2],
    begin: usize,
    end: usize,
    /// True if nothing but punctuation lies between this point and the one before.
    is_tight: bool,
}

/// A number of a run of numbers.
#[derive(Clone, Copy)]
struct Number {
    value: i64,
    begin: usize,
    end: usize,
    line: usize,
    /// True if words stand before it in its line.
    has_words: bool,
}

/// An open bracket.
#[derive(Clone, Copy, Default)]
struct Opened {
    begin: usize,
    /// Numbers of runs, of numbers in the last one, and of pieces before it.
    runs: usize,
    length: usize,
    pieces: usize,
    /// True if the object of JSON has a name that is that of a coordinate of a move.
    names_coordinates: bool,
    /// True if it has a value that can be a coordinate.
    has_values: bool,
}

/// Open brackets. Counts those nested too deeply without storing them.
#[derive(Default)]
struct Stack<T> {
    items: Vec<T>,
    deeper: usize,
}

impl<T> Stack<T> {
    const MAX_DEPTH: usize = 1000;

    fn push(&mut self, item: T) {
        if self.items.len() < Self::MAX_DEPTH {
            self.items.push(item);
        } else {
            self.deeper += 1;
        }
    }

    fn pop(&mut self) -> Option<T> {
        match self.deeper {
            0 => self.items.pop(),
            _ => {
                self.deeper -= 1;
                None
            }
        }
    }

    fn depth(&self) -> usize {
        self.items.len() + self.deeper
    }

    fn first(&self) -> Option<&T> {
        self.items.first()
    }

    fn last(&self) -> Option<&T> {
        self.items.last()
    }

    fn last_mut(&mut self) -> Option<&mut T> {
        self.items.last_mut().filter(|_| self.deeper == 0)
    }

    fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// Depth of a continuation that ends with its string.
const IN_STRING: usize = usize::MAX;

/// Maximum number of numbers that are read together, a multiple of six.
const MAX_RUN: usize = 6000;

/// Maximum length of an HTML tag, in bytes.
const MAX_ELEMENT: usize = 200;

/// State of the line that is read.
#[derive(Default)]
struct Line {
    /// Offset of its first letter.
    begin: usize,
    /// Words of prose.
    prose: usize,
    /// True if words stand in its main line.
    has_words: bool,
    /// Number of open square brackets.
    squared: usize,
    /// The last word.
    recent: String,
    /// Colours named since the last piece: two are those of the players, and none is the mover.
    named: Vec<Colour>,
}

/// Reads a text front to back.
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    found: Found,
    line: usize,
    /// True for JSON, whose braces hold no comments.
    is_json: bool,
    points: Vec<Point>,
    form: Form,
    run: Vec<Number>,
    /// Number of runs before `run`.
    runs: usize,
    opened: Stack<Opened>,
    /// Offsets of open parentheses.
    parentheses: Stack<usize>,
    in_braces: usize,
    in_continuation: bool,
    /// Number of brackets around the JSON value that is a continuation; [`IN_STRING`] for a part of a string.
    continued: usize,
    /// True inside a string of JSON.
    in_string: bool,
    keys: Keys<'a>,
    mover: Option<Colour>,
    /// Number read last, which can number a move.
    numbering: Option<i64>,
    /// True if a point or the beginning of the line shows that the number counts moves.
    counts: bool,
    /// Number of the last move that has one, and index of its piece, in a sequence that begins with 1.
    sequence: Option<(i64, isize)>,
    highest: i64,
    /// Index of the last piece with the number 1.
    first_numbered: isize,
    /// True if a heading such as `Game 2` comes before the next move.
    begins_game: bool,
    /// True after a result, which ends a game.
    is_over: bool,
    /// True after a result in a field of a table, whose rows are games.
    ends_row: bool,
    /// Name of the JSON value that holds the moves of the game.
    list: Option<String>,
    here: Line,
    /// Offset behind the last sentence that was read for a result.
    judged: usize,
    /// Number of unclear results.
    unclear: usize,
    /// True after an unclear result that can end a game.
    after_unclear: bool,
    /// Name of the value to come.
    key: Option<String>,
    had_space: bool,
    /// True while the value to come belongs to a name that is not a coordinate.
    has_key: bool,
    /// Edge of the board that the text states.
    edge: Option<usize>,
}

impl<'a> Lexer<'a> {
    /// Begins with a text. `is_json` keeps braces from being comments.
    pub fn new(text: &'a str, is_json: bool) -> Self {
        Self {
            text,
            at: 0,
            found: Found::default(),
            line: 0,
            is_json,
            points: Vec::new(),
            form: Form::Squares,
            run: Vec::new(),
            runs: 0,
            opened: Stack::default(),
            parentheses: Stack::default(),
            in_braces: 0,
            in_continuation: false,
            continued: IN_STRING,
            in_string: false,
            keys: Keys::default(),
            mover: None,
            numbering: None,
            counts: false,
            sequence: None,
            highest: 0,
            first_numbered: 0,
            begins_game: false,
            is_over: false,
            ends_row: false,
            list: None,
            here: Line::default(),
            judged: 0,
            unclear: 0,
            after_unclear: false,
            key: None,
            had_space: true,
            has_key: false,
            edge: None,
        }
    }

    /// Reads the whole text.
    pub fn read(self) -> Found {
        let mut whole = Found::default();
        self.read_in_parts(&mut |found, is_last| {
            if is_last {
                whole = std::mem::take(found);
            }
        });
        whole
    }

    /// Reads the whole text. Calls a function each time when [`window`] pieces and marks were found, and at the end, which
    /// it is told. The function can drain the first pieces and marks; it keeps the last piece until the end.
    pub fn read_in_parts(mut self, take: &mut dyn FnMut(&mut Found, bool)) {
        let mut limit = window();
        while let Some(letter) = self.peek() {
            if self.found.len() >= limit {
                self.set_aside();
                let known = self.found.pieces.len();
                take(&mut self.found, false);
                self.forget(known - self.found.pieces.len());
                limit = window().max(2 * self.found.len());
            }
            if header::can_begin(&self.text[self.at..]) && (self.header() || self.tag()) {
                continue;
            }
            let begins_field = self.had_space || self.before().is_some_and(|c| ";|>".contains(c));
            if self.had_space && self.fen() || begins_field && self.score() {
                continue;
            }
            self.token(letter);
        }
        self.whole_line();
        self.end_points();
        self.end_run();
        self.set_aside();
        take(&mut self.found, true);
    }

    /// Sets the pieces aside that have another name of JSON than those of the game.
    fn set_aside(&mut self) {
        let players = self.found.marks.iter().filter_map(|(.., mark)| match mark {
            Mark::Named(_, name) => Some(name.as_str()),
            _ => None,
        });
        self.keys.set_aside(&mut self.found.pieces, players);
    }

    /// Counts indices of pieces without the first ones, which were drained.
    fn forget(&mut self, pieces: usize) {
        self.first_numbered -= pieces as isize;
        self.sequence = self.sequence.map(|(number, index)| (number, index - pieces as isize));
        self.opened.items.iter_mut().for_each(|opened| opened.pieces = opened.pieces.saturating_sub(pieces));
        self.keys.forget(pieces);
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next().map(half_width)
    }

    /// Returns the character before the current one.
    fn before(&self) -> Option<char> {
        self.text[..self.at].chars().next_back().map(half_width)
    }

    fn skip(&mut self) -> usize {
        let begin = self.at;
        self.at += self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        begin
    }

    fn mark(&mut self, mark: Mark) {
        self.end_points();
        self.end_run();
        if let Mark::Edge(edge) = mark {
            self.edge = Some(edge);
        }
        self.mark_at(self.at, mark);
    }

    /// Adds a mark at an offset.
    fn mark_at(&mut self, offset: usize, mark: Mark) {
        reserve_some(&mut self.found.marks);
        self.found.marks.push((self.found.pieces.len(), offset, mark));
    }

    /// Reads a token that begins with `letter`.
    fn token(&mut self, letter: char) {
        match letter {
            '0'..='9' => self.number_or_word(),
            '-' if self.is_negative() => self.number_or_word(),
            c if c.is_ascii_alphabetic() => self.word(),
            c if c.is_alphabetic() => self.foreign(),
            '&' | '\\' if self.escape() => {}
            '<' if self.element() => {}
            _ => self.punctuation(letter),
        }
        self.had_space = letter.is_whitespace() || "\"'[(*{,:=\\".contains(letter);
    }

    /// True if a minus sign begins a negative number, and does not stand between two coordinates.
    fn is_negative(&self) -> bool {
        let digit = self.text[self.at..].chars().nth(1).is_some_and(|c| half_width(c).is_ascii_digit());
        digit && self.before().is_none_or(|c| c.is_whitespace() || "[({,:\"=".contains(c))
    }

    /// Skips an HTML entity, `&ndash;`, or an escape of JSON, `\n`; returns false if there is none.
    fn escape(&mut self) -> bool {
        let text = &self.text[self.at..];
        let Some(rest) = text.strip_prefix(['&', '\\']) else { return false };
        let length = match text.starts_with('&') {
            true => rest.bytes().take(10).position(|byte| byte == b';').filter(|&end| {
                let name = rest[..end].trim_start_matches('#');
                (1..=8).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
            }),
            _ if self.is_json && rest.starts_with('u') => {
                Some(4).filter(|&end| rest.is_char_boundary(end + 1))
            }
            _ => Some(0).filter(|_| rest.starts_with(['n', 'r', 't'])),
        };
        self.at += length.map_or(0, |length| length + 2);
        length.is_some()
    }

    /// Skips an HTML tag, `<td>` or `</td>`. Returns false if there is none, or if its attributes can be a move or a
    /// result. Rows of tables and lists are lines.
    fn element(&mut self) -> bool {
        let text = &self.text[self.at..];
        let inside = text.get(1..).filter(|_| !self.is_json).unwrap_or_default();
        let length = inside.bytes().take(MAX_ELEMENT).position(|byte| b"<>".contains(&byte));
        let Some(inside) = length.filter(|&end| inside[end..].starts_with('>')).map(|end| &inside[..end])
        else {
            return false;
        };
        let own = inside.trim_start_matches('/').trim_end_matches('/');
        let (name, values) = own.split_once(' ').unwrap_or((own, ""));
        let name = name.to_ascii_lowercase();
        let is_line = words::is_row(&name);
        let is_element = is_line || words::is_element(&name);
        let says = |values| {
            let found = Self::new(values, false).read();
            !found.pieces.is_empty() || !found.marks.is_empty()
        };
        if !is_element || !values.is_empty() && says(values) {
            return false;
        }
        if is_line {
            self.whole_line();
        }
        self.at += inside.len() + 2;
        if is_line {
            self.end_line();
        }
        true
    }

    fn punctuation(&mut self, letter: char) {
        let begin = self.skip();
        match letter {
            '\n' => {
                self.whole_line();
                self.end_line();
            }
            '{' | '}' if !self.is_json => self.brace(letter == '{'),
            '(' => {
                self.parentheses.push(begin);
                self.open(begin);
            }
            ')' => {
                self.parentheses.pop();
                self.in_continuation = false;
                self.close();
            }
            '[' | '{' => {
                self.here.squared += usize::from(letter == '[');
                self.open(begin);
                self.has_key = false;
            }
            ']' | '}' => {
                self.here.squared = self.here.squared.saturating_sub(usize::from(letter == ']'));
                self.close();
                self.end_continuation(self.opened.depth() + 1);
            }
            ',' => self.end_continuation(self.opened.depth()),
            '"' if self.is_json && !self.is_escaped(begin) => {
                self.in_string = !self.in_string;
                self.in_continuation &= self.in_string || self.continued != IN_STRING;
            }
            ':' => self.labelled(begin),
            '+' => self.plus(begin),
            _ => {}
        }
    }

    /// Handles a brace of a comment.
    fn brace(&mut self, opens: bool) {
        self.end_points();
        self.end_run();
        self.in_braces = if opens { self.in_braces + 1 } else { self.in_braces.saturating_sub(1) };
        self.in_continuation &= opens;
    }

    /// True if an odd number of backslashes comes before an offset.
    fn is_escaped(&self, at: usize) -> bool {
        self.text[..at].bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
    }

    /// Reads the sign of a result: `B+`, `White+10`.
    fn plus(&mut self, begin: usize) {
        let won = |colour| Mark::Won(Player::Of(colour));
        if matches!(self.here.recent.as_str(), "b" | "w") && self.before_word_is_alone(begin) {
            self.mark(won(if self.here.recent == "b" { Colour::Black } else { Colour::White }));
        } else if self.is_tight_result(begin) {
            words::colour(&self.here.recent).into_iter().for_each(|colour| self.mark(won(colour)));
        } else if words::colour(&self.here.recent).is_some() {
            self.margin(begin);
        }
    }

    /// Ends a continuation that is a value of JSON at this depth or below.
    fn end_continuation(&mut self, depth: usize) {
        if self.is_json && !self.in_string && depth <= self.continued {
            self.in_continuation = false;
        }
    }

    /// Begins a continuation behind a word of a sentence, or behind the name of a JSON value.
    fn begin_continuation(&mut self, is_key: bool) {
        if !self.in_continuation || self.continued == IN_STRING {
            self.continued = if is_key { self.opened.depth() } else { IN_STRING };
        }
        self.in_continuation = true;
    }

    /// True if the character before `end` is a letter alone.
    fn before_word_is_alone(&self, end: usize) -> bool {
        let mut before = self.text[..end].chars().rev().map(half_width);
        before.next().is_some_and(char::is_alphabetic) && before.next().is_none_or(|c| !c.is_alphanumeric())
    }

    fn end_line(&mut self) {
        self.line += 1;
        let has_words = self.heads_a_comment();
        self.here = Line { begin: self.at, has_words, ..Line::default() };
        self.mover = None;
        self.in_continuation &= self.is_json;
        if !self.is_json {
            self.numbering = None;
        }
    }

    /// True if the line that ends here has words, but no moves, and announces a comment in the next line.
    fn heads_a_comment(&self) -> bool {
        let has_words = self.here.has_words && !self.is_json && self.end_of_moves() <= self.here.begin;
        let line = || self.text[self.here.begin..self.at].trim_end();
        has_words && (line().ends_with([':', '：']) || words::heads_a_comment(line()))
    }

    /// Returns the strongest border that the lines between the last piece and an offset are.
    fn border_before(&self, begin: usize) -> Border {
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

    /// Handles an opening bracket.
    fn open(&mut self, begin: usize) {
        if self.is_json && !self.in_string {
            self.keys.open();
        }
        let (runs, length, pieces) = (self.runs, self.run.len(), self.found.pieces.len());
        self.opened.push(Opened { begin, runs, length, pieces, names_coordinates: false, has_values: false });
    }

    /// Handles a closing bracket: six numbers inside are a move, and so are the coordinates of an object of JSON.
    fn close(&mut self) {
        if self.is_json && !self.in_string {
            self.keys.close();
        }
        let Some(inside) = self.opened.pop() else { return };
        let opened = if inside.runs == self.runs { inside.length.min(self.run.len()) } else { 0 };
        if self.run.len() - opened == 6 {
            self.end_points();
            let six: Vec<Number> = self.run.drain(opened..).collect();
            self.push_numbers(&six, false);
        }
        if inside.names_coordinates && inside.has_values {
            self.damaged_object(inside, opened);
        }
        if let Some(around) = self.opened.last_mut().filter(|_| !inside.names_coordinates) {
            around.has_values |= inside.has_values;
        }
    }

    /// Adds a fragment for an object of coordinates that is no whole move. The numbers from `first` on are in it.
    fn damaged_object(&mut self, inside: Opened, first: usize) {
        let known = &mut self.found.pieces[inside.pieces..];
        if known.iter().any(|piece| piece.form != Form::Fragment) {
            return;
        }
        // No part of it belongs to another move.
        self.run.truncate(first);
        self.points.retain(|point| point.begin < inside.begin);
        match known.last_mut() {
            Some(fragment) => fragment.is_weak = false,
            None => self.push_fragment(inside.begin, self.at, false),
        }
    }

    /// Notes a name of JSON that can only be that of a coordinate of a move.
    fn note_coordinate(&mut self, name: &str) {
        let is_coordinate =
            super::role(name).is_some() && !["start", "end", "source", "target"].contains(&name);
        if let Some(object) = self.opened.last_mut().filter(|_| is_coordinate) {
            object.names_coordinates = true;
        }
    }

    /// Notes a number or a square that can be the value of a coordinate.
    fn note_value(&mut self) {
        if let Some(object) = self.opened.last_mut() {
            object.has_values = true;
        }
    }

    fn number_or_word(&mut self) {
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
    fn is_numbered_square(&self) -> bool {
        let rest = self.text[self.at..].chars().skip(1).map(half_width);
        let numbers: String = rest.take_while(|c| c.is_ascii_digit() || " ,".contains(*c)).collect();
        numbers.split([' ', ',']).filter(|part| !part.is_empty()).count() >= 6
    }

    /// Returns the length of three decimals of small numbers at the offset, which can be a move: `2.0 1.0 7.6`.
    fn decimals(&self, begin: usize) -> Option<usize> {
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
    fn skip_number(&mut self) {
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || ".:%+'".contains(c)) {
            self.skip();
        }
    }

    fn number(&mut self, digits: &str, negative: bool, begin: usize) {
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

    fn number_at(&self, value: i64, begin: usize) -> Number {
        Number { value, begin, end: self.at, line: self.line, has_words: self.here.has_words }
    }

    /// Ends a run of numbers: each line of six is a move, and so are six lines of one or three of two.
    fn end_run(&mut self) {
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

    fn push_numbers(&mut self, six: &[Number], is_weak: bool) {
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

    /// True outside of parentheses, comments and continuations.
    fn is_main_line(&self) -> bool {
        self.parentheses.is_empty() && self.in_braces == 0 && !self.in_continuation
    }

    fn push_fragment(&mut self, begin: usize, end: usize, is_weak: bool) {
        self.push(Form::Fragment, [[OPEN; 2]; 3], begin, end, is_weak);
    }

    fn push(&mut self, form: Form, numbers: [[i8; 2]; 3], begin: usize, end: usize, is_weak: bool) {
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
    fn border(&mut self, begin: usize, numbering: Option<i64>) -> Border {
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

    /// Notes that a word of a sentence, or a statement about the winner, stands behind the last piece on this line.
    fn follow_with_words(&mut self, are_words: bool) {
        let is_inside = self.in_braces > 0 || self.in_continuation || self.here.squared > 0 || self.is_json;
        let begin = self.here.begin;
        let last = self.found.pieces.last_mut().filter(|piece| piece.end as usize > begin);
        if let Some(last) = last.filter(|_| !is_inside) {
            last.beside = last.beside.with_words_behind(are_words);
        }
    }

    /// Compares the number of a move with the one before; marks a gap. Turns of two moves, or moves, can be counted.
    fn follow(&mut self, number: i64, begin: usize) {
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

    /// Takes the ASCII letters, digits and underscores from here, in half width.
    fn ascii_word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            word.push(c);
            self.skip();
        }
        word
    }

    fn word(&mut self) {
        let begin = self.at;
        let mut word = self.ascii_word();
        if self.peek().is_some_and(is_accented) {
            word += self.rest_of_word();
            return self.plain(&word);
        }
        self.classify(&word, begin, self.at);
    }

    /// Takes the letters of a word with accents, or in another alphabet.
    fn rest_of_word(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !is_accented(c) && !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn classify(&mut self, word: &str, begin: usize, end: usize) {
        if let Some((from, squares)) = words::squares(word) {
            self.end_run();
            // In `Qd1d7,g7` and `Qd1-d7/g7` the first square is the origin, in `Qd7g7` it is open.
            let is_open = from == Some([OPEN; 2]);
            let from = from.filter(|_| !(is_open && self.completes_a_move(squares.len(), end)));
            return self.add_points(Form::Squares, from, &squares, begin, end);
        }
        if let Some((colour, squares)) = words::lettered_squares(word)
            && self.completes_a_move(squares.len(), end)
        {
            self.end_run();
            self.mover = colour.or(self.mover);
            return self.add_points(Form::Squares, None, &squares, begin, end);
        }
        if let Some(pairs) = words::pairs(word) {
            self.end_run();
            return self.add_points(Form::Letters, None, &pairs, begin, end);
        }
        let is_last = || {
            let behind = self.text[end..].trim_start_matches([' ', '\t', '\r']);
            behind.is_empty() || behind.starts_with('\n')
        };
        if words::is_damaged(word) || self.here.prose == 0 && words::is_cut_off(word) && is_last() {
            self.end_run();
            self.end_points();
            return self.push_fragment(begin, end, words::is_prose(word));
        }
        self.plain(word);
    }

    /// Handles a word that is no move.
    fn plain(&mut self, word: &str) {
        let lower = word.to_ascii_lowercase();
        let next = self.text[self.at..].chars().map(half_width).find(|c| !"\" \t".contains(*c));
        let is_key = next == Some('=') || self.is_json && next == Some(':');
        if self.is_json && is_key && words::names_moves(&lower) {
            self.begins_game |= self.list.as_ref() == Some(&lower);
            self.list.get_or_insert(lower.clone());
        }
        self.key = Some(lower.clone());
        let is_name = is_key || next == Some(':');
        if is_name && words::is_coordinate(word) || words::connects(&lower) {
            self.has_key = false;
            self.mover = self.mover.filter(|_| !is_key || words::is_coordinate(word));
            return;
        }
        self.has_key = is_key;
        if is_key || !words::follows_mover(&lower) {
            // The name of a player, or other values before the moves.
            self.mover = None;
        }
        self.end_points();
        self.end_run();
        self.here.prose += usize::from(!words::is_label(&lower));
        self.here.has_words |= !words::is_label(&lower) && self.is_main_line();
        let is_json_key = self.is_json && is_key;
        let is_sign = verdict::is_sign(word) || verdict::begins_phrase(word) && self.is_statement();
        if !is_sign && !words::is_label(&lower) && self.at > self.judged {
            self.follow_with_words(true);
        }
        if words::begins_continuation(&lower) || is_json_key && words::names_other_moves(&lower) {
            self.begin_continuation(is_json_key);
        }
        let begins_game = self.here.prose <= 2 && words::begins_game(&self.here.recent, &lower);
        self.begins_game |= begins_game && self.is_main_line();
        if is_sign {
            self.judge();
        }
        if words::parts_players(&lower) {
            self.here.named = vec![Colour::Black, Colour::White];
        }
        if let Some(colour) = words::colour(&lower) {
            self.name(colour, matches!(next, Some(':' | ')')) || self.here.prose == 0);
        }
        // A number behind the name of a value numbers no game: `"game": {"fromRow": 9, …`.
        self.here.recent = if is_json_key { String::new() } else { lower };
    }

    /// Handles the name of a colour, which can be that of the player who moves next.
    fn name(&mut self, colour: Colour, can_move: bool) {
        if !self.here.named.contains(&colour) {
            self.here.named.push(colour);
        }
        self.mover = Some(colour).filter(|_| can_move && self.here.named.len() == 1);
    }

    /// Handles a run of letters outside ASCII, such as 先手胜.
    fn foreign(&mut self) {
        let begin = self.at;
        if self.peek().is_some_and(is_accented) {
            self.rest_of_word();
        }
        while self.peek().is_some_and(|c| c.is_alphabetic() && !c.is_ascii()) {
            self.skip();
        }
        let word = &self.text[begin..self.at];
        let is_counter = self.numbering.is_some() && word.starts_with(['局', '盘', '盤']);
        self.begins_game |= is_counter && self.is_main_line();
        if words::connects(word) {
            return;
        }
        self.end_points();
        self.end_run();
        if words::begins_continuation(word) {
            self.begin_continuation(false);
        }
        self.begins_game |= self.here.prose == 0 && words::begins_chinese_game(word) && self.is_main_line();
        if let Some(colour) = words::chinese_first(word) {
            self.mark(Mark::Begins(colour));
        }
        if verdict::is_sign(word) {
            self.judge();
        } else if self.at > self.judged {
            self.follow_with_words(true);
        }
        self.mover = None;
        if let Some(colour) = words::colour(&word.to_lowercase()) {
            self.name(colour, true);
        }
        if ["对", "對", "执"].contains(&word) {
            self.here.named = vec![Colour::Black, Colour::White];
        }
        self.key = Some(word.to_owned());
        self.has_key = self.is_json;
        self.here.prose += 1;
        self.here.has_words |= self.is_main_line();
        self.here.recent = word.to_lowercase();
    }

    /// Reads a FEN: a board of rows, and the fields behind it.
    fn fen(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let is_in_board = |c: char| c.is_ascii_alphanumeric() || "*/".contains(c);
        let board = &rest[..rest.find(|c| !is_in_board(c)).unwrap_or(rest.len())];
        if board.matches('/').count() < 3 || rest[board.len()..].starts_with(|c: char| c.is_alphanumeric()) {
            return false;
        }
        // Longer than the fields of any position.
        let behind =
            rest[board.len()..].char_indices().nth(40).map_or(rest.len(), |(at, _)| board.len() + at);
        let line = rest[board.len()..behind].split(['\n', '"', ',', ']']).next().unwrap_or_default();
        let mut length = board.len();
        let mut at = board.len();
        for (number, field) in line.split_ascii_whitespace().take(5).enumerate() {
            let fits = match number {
                0 => matches!(field, "w" | "b"),
                1 | 2 => field == "-",
                _ => field.bytes().all(|byte| byte.is_ascii_digit()),
            };
            if !fits {
                break;
            }
            at += rest[at..].find(field).unwrap_or_default() + field.len();
            length = at;
        }
        let text = rest[..length].to_owned();
        self.mark(Mark::Fen(text));
        self.at += length;
        true
    }

    /// Reads the header of a CCGC record.
    fn header(&mut self) -> bool {
        let Some((fields, length)) = header::championship(&self.text[self.at..]) else { return false };
        self.mark(Mark::Header(fields));
        self.at += length;
        self.begin_game();
        true
    }

    /// Reads a tag of PGN, `[White "name"]`.
    fn tag(&mut self) -> bool {
        if self.is_json {
            return self.tag_in_json();
        }
        let is_heading = self.found.pieces.is_empty() && self.points.is_empty() && self.run.is_empty();
        let tag = header::tag(&self.text[self.at..], is_heading);
        let Some((label, value, length)) = tag else { return false };
        self.mark(if label == Label::Fen { Mark::Fen(value) } else { Mark::Tag(label, value) });
        self.at += length;
        self.begin_game();
        true
    }

    fn begin_game(&mut self) {
        self.judged = self.at;
        (self.highest, self.numbering, self.key, self.has_key) = (0, None, None, false);
        self.sequence = None;
        (self.begins_game, self.is_over, self.ends_row) = (false, false, false);
        (self.parentheses, self.in_braces, self.here.prose) = (Stack::default(), 0, 0);
        self.had_space = true;
    }
}

/// Returns the numbers of a line without one that numbers the move, or one behind it that can be no coordinate.
fn coordinates(line: &[Number]) -> &[Number] {
    let fits = |number: &Number| (0..=10).contains(&number.value);
    match line {
        [moves @ .., last] if moves.len() == 6 && moves.iter().all(fits) && !fits(last) => moves,
        [_, moves @ ..] if moves.len() % 6 == 0 && !moves.is_empty() => moves,
        _ => line,
    }
}

/// True for letters with accents, and of the Greek and Cyrillic alphabets.
fn is_accented(letter: char) -> bool {
    letter.is_alphabetic() && letter.len_utf8() == 2 && letter >= 'À'
}
