//! Finds pieces that look like moves, and statements about the game, in any text.

mod brackets;
mod keys;
mod numbers;
mod pieces;
mod points;
mod results;
mod values;

use super::half_width::half_width;
use super::header;
use super::piece::{Colour, Form, Label, Mark, OPEN, Piece, Player};
use super::verdict;
use super::words;
use crate::record::reading::reserve_some;
use crate::record::work;
use brackets::{Opened, Stack};
use keys::Keys;
use numbers::Number;

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

/// Depth of a continuation that ends with its string.
const IN_STRING: usize = usize::MAX;

/// Maximum length of an HTML tag, in bytes.
const MAX_ELEMENT: usize = 200;

/// Maximum length of the board in a FEN: ten rows of ten squares and nine slashes have 109 characters.
const MAX_BOARD: usize = 120;

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
        self.opened.iter_mut().for_each(|opened| opened.pieces = opened.pieces.saturating_sub(pieces));
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

    /// True outside of parentheses, comments and continuations.
    fn is_main_line(&self) -> bool {
        self.parentheses.is_empty() && self.in_braces == 0 && !self.in_continuation
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
        let is_in_board = |byte: &u8| byte.is_ascii_alphanumeric() || b"*/".contains(byte);
        let board = &rest[..rest.bytes().take(MAX_BOARD + 1).take_while(is_in_board).count()];
        work::count(board.len());
        let goes_on =
            board.len() > MAX_BOARD || rest[board.len()..].starts_with(|c: char| c.is_alphanumeric());
        if board.matches('/').count() < 3 || goes_on {
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

/// True for letters with accents, and of the Greek and Cyrillic alphabets.
fn is_accented(letter: char) -> bool {
    letter.is_alphabetic() && letter.len_utf8() == 2 && letter >= 'À'
}
