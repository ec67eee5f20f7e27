//! Positions and moves as text, both ways.
//!
//! * Moves are written `d1-d7/g7` and read tolerantly: any of `d1d7,d7g7` (Fairy-Stockfish),
//!   `d1-d7(g7)`, `d1-d7/g7`, `D1D7G7`, spaces and commas anywhere. Reading needs no board: text that is
//!   no move is [`MalformedText`], a well-formed move that may not be played an
//!   [`IllegalMove`](super::moves::IllegalMove).
//! * Positions are written as FEN in Fairy-Stockfish's form, `3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1`:
//!   ranks from the top, `Q` an amazon of the side that moves first (our Black, Fairy-Stockfish's
//!   White, hence `w` when it is to move), `q` one of the other side, `*` an arrow. All after the
//!   board may be missing.
//! * Pictures are rows from the top, one character a square: `B`, `W`, `X` (arrow), `.`.

use super::bitboard::Bitboard;
use super::moves::Move;
use super::position::Position;
use super::square::{Side, Size, Square};
use std::fmt;
use std::str::FromStr;

/// Text that is no move, no FEN or no picture, with the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MalformedText(String);

impl MalformedText {
    /// An error with this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for MalformedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MalformedText {}

fn malformed<T>(reason: impl Into<String>) -> Result<T, MalformedText> {
    Err(MalformedText::new(reason))
}

impl FromStr for Move {
    type Err = MalformedText;

    /// Reads a move in any of the forms listed at the top of this module.
    ///
    /// ```
    /// use otrera::Move;
    /// let mv: Move = "d1d7,d7g7".parse().unwrap();
    /// assert_eq!(mv.to_string(), "d1-d7/g7");
    /// assert_eq!("d1-d7(g7)".parse(), Ok(mv));
    /// assert!("d1-d77".parse::<Move>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, MalformedText> {
        match squares_in(text)?[..] {
            [from, to, arrow] => Ok(Self { from, to, arrow }),
            [from, to, again, arrow] if again == to => Ok(Self { from, to, arrow }),
            ref squares => malformed(format!(
                "a move is three squares like d1-d7/g7, this has {}: {:?}",
                squares.len(),
                shortened(text)
            )),
        }
    }
}

/// The squares named in a move, in order; anything between them but separators is an error.
fn squares_in(text: &str) -> Result<Vec<Square>, MalformedText> {
    let mut squares = Vec::with_capacity(4);
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        if matches!(first, ' ' | '-' | '/' | '(' | ')' | ',' | ';' | ':') {
            rest = &rest[1..];
            continue;
        }
        let digits = rest[first.len_utf8()..].bytes().take_while(u8::is_ascii_digit).count();
        let column = match first.to_ascii_lowercase() {
            letter @ 'a'..='j' => letter as usize - 'a' as usize,
            _ => return malformed(format!("{:?} is not a move", shortened(text))),
        };
        let rank: Option<usize> = rest[1..1 + digits].parse().ok().filter(|rank| (1..=10).contains(rank));
        match rank.and_then(|rank| Square::new(column, rank - 1)) {
            Some(square) if squares.len() < 5 => squares.push(square),
            _ => return malformed(format!("{:?} is not a move", shortened(text))),
        }
        rest = &rest[1 + digits..];
    }
    Ok(squares)
}

/// At most 60 characters of some input, for messages.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Collects a board square by square from its text, top row first.
#[derive(Default)]
struct BoardReader {
    amazons: [Bitboard; 2],
    arrows: Bitboard,
}

/// What a text puts on one square.
enum Content {
    Empty,
    Arrow,
    Amazon(Side),
}

impl BoardReader {
    fn put(&mut self, column: usize, row: usize, content: Content) {
        let square = Square::new(column, row).map_or(Bitboard::EMPTY, Bitboard::from);
        match content {
            Content::Empty => {}
            Content::Arrow => self.arrows |= square,
            Content::Amazon(side) => self.amazons[side.index()] |= square,
        }
    }

    fn position(self, size: Size, side: Side) -> Position {
        Position::from_parts(size, self.amazons, self.arrows, side)
    }
}

fn size_of_rows(rows: usize) -> Result<Size, MalformedText> {
    match Size::new(rows) {
        Some(size) => Ok(size),
        None => malformed(format!("a board has 4 to 10 rows, this one {rows}")),
    }
}

impl Position {
    /// Reads a FEN; see the top of this module.
    ///
    /// ```
    /// use otrera::Position;
    /// let start = Position::from_fen("3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1");
    /// assert_eq!(start, Ok(Position::standard()));
    /// ```
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn from_fen(fen: &str) -> Result<Self, MalformedText> {
        let mut fields = fen.split_ascii_whitespace();
        let rows: Vec<&str> = fields.next().unwrap_or_default().split('/').collect();
        let size = size_of_rows(rows.len())?;
        let mut board = BoardReader::default();
        for (row, text) in rows.iter().rev().enumerate() {
            read_fen_row(text, row, size, &mut board)?;
        }
        let side = match fields.next() {
            None | Some("w") => Side::Black,
            Some("b") => Side::White,
            Some(other) => {
                return malformed(format!("the side to move is w or b, not {:?}", shortened(other)));
            }
        };
        let position = board.position(size, side);
        // Castling and en passant are always "-", the half-move clock repeats the ply: all ignored.
        match fields.nth(3).map(str::parse::<u16>) {
            None => Ok(position),
            Some(Ok(number)) if (1..=1000).contains(&number) => {
                Ok(position.with_ply((number - 1) * 2 + u16::from(side == Side::White)))
            }
            Some(_) => malformed("the last field of a FEN is the number of the move, from 1 to 1000"),
        }
    }

    /// Writes the position as FEN; see the top of this module.
    pub fn to_fen(&self) -> String {
        let rows: Vec<String> = (0..self.size().edge()).rev().map(|row| self.fen_row(row)).collect();
        let side = if self.side() == Side::Black { 'w' } else { 'b' };
        format!("{} {side} - - {} {}", rows.join("/"), self.ply(), self.ply() / 2 + 1)
    }

    fn fen_row(&self, row: usize) -> String {
        let mut text = String::new();
        let mut empty = 0;
        for content in self.row(row) {
            let letter = match content {
                Content::Empty => {
                    empty += 1;
                    continue;
                }
                Content::Arrow => '*',
                Content::Amazon(Side::Black) => 'Q',
                Content::Amazon(Side::White) => 'q',
            };
            if empty > 0 {
                text.push_str(&empty.to_string());
                empty = 0;
            }
            text.push(letter);
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
        text
    }

    /// What stands on a row, from column a.
    fn row(&self, row: usize) -> impl Iterator<Item = Content> {
        let arrows = self.arrows();
        (0..self.size().edge()).filter_map(move |column| Square::new(column, row)).map(move |square| {
            match Side::BOTH.into_iter().find(|&side| self.amazons(side).contains(square)) {
                Some(side) => Content::Amazon(side),
                None if arrows.contains(square) => Content::Arrow,
                None => Content::Empty,
            }
        })
    }

    /// Reads a picture: rows from the top, each as long as there are rows. `.` or `-` is empty.
    ///
    /// ```
    /// use otrera::{Position, Side};
    /// let tiny = Position::from_picture("W..W\n....\n.X..\nB..B", Side::White).unwrap();
    /// assert_eq!(tiny.to_fen(), "q2q/4/1*2/Q2Q b - - 1 1");
    /// ```
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn from_picture(picture: &str, side: Side) -> Result<Self, MalformedText> {
        let rows: Vec<&str> = picture.split_ascii_whitespace().collect();
        let size = size_of_rows(rows.len())?;
        let mut board = BoardReader::default();
        for (row, text) in rows.iter().rev().enumerate() {
            if text.chars().count() != size.edge() {
                return malformed(format!("row {:?} does not have {} squares", shortened(text), size.edge()));
            }
            for (column, letter) in text.chars().enumerate() {
                let content = match letter {
                    '.' | '-' => Content::Empty,
                    'X' | 'x' => Content::Arrow,
                    'B' | 'b' => Content::Amazon(Side::Black),
                    'W' | 'w' => Content::Amazon(Side::White),
                    other => return malformed(format!("{other:?} stands for nothing in a picture")),
                };
                board.put(column, row, content);
            }
        }
        Ok(board.position(size, side))
    }

    /// The rows picture, top row first, as [`Position::from_picture`] reads it.
    pub fn to_picture(&self) -> String {
        let row = |row| self.row(row).map(|content| letter(&content)).chain(['\n']).collect::<String>();
        (0..self.size().edge()).rev().map(row).collect()
    }
}

fn letter(content: &Content) -> char {
    match content {
        Content::Empty => '.',
        Content::Arrow => 'X',
        Content::Amazon(Side::Black) => 'B',
        Content::Amazon(Side::White) => 'W',
    }
}

/// Reads one row of a FEN board: letters and runs of empty squares.
fn read_fen_row(text: &str, row: usize, size: Size, board: &mut BoardReader) -> Result<(), MalformedText> {
    let mut column = 0;
    let mut run = 0;
    for letter in text.chars() {
        if let Some(digit) = letter.to_digit(10) {
            run = run * 10 + digit as usize;
            if run > size.edge() {
                return malformed(format!("row {:?} is longer than the board", shortened(text)));
            }
            continue;
        }
        column += std::mem::take(&mut run);
        let content = match letter {
            'Q' => Content::Amazon(Side::Black),
            'q' => Content::Amazon(Side::White),
            '*' => Content::Arrow,
            other => {
                return malformed(format!(
                    "{other:?} stands for nothing in a FEN: Q, q, * or a number is wanted"
                ));
            }
        };
        board.put(column, row, content);
        column += 1;
    }
    if column + run == size.edge() {
        Ok(())
    } else {
        malformed(format!("row {:?} does not have {} squares", shortened(text), size.edge()))
    }
}

impl fmt::Display for Position {
    /// The board with its coordinates and the side to move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edge = self.size().edge();
        for row in (0..edge).rev() {
            write!(f, "{:>3} ", row + 1)?;
            for content in self.row(row) {
                write!(f, " {}", letter(&content))?;
            }
            writeln!(f)?;
        }
        write!(f, "    ")?;
        for column in (b'a'..).take(edge) {
            write!(f, " {}", column as char)?;
        }
        writeln!(f, "\n{} to move", self.side())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_in_every_common_form() {
        let expected = Move { from: at("a10"), to: at("a7"), arrow: at("j10") };
        let forms = ["a10a7,a7j10", "a10-a7/j10", "a10-a7(j10)", "A10A7J10", "a10 a7 j10", " a10-a7-j10 "];
        for form in forms {
            assert_eq!(form.parse(), Ok(expected), "{form}");
        }
    }

    fn at(text: &str) -> Square {
        squares_in(text).unwrap()[0]
    }

    #[test]
    fn text_that_is_no_move_is_malformed() {
        let huge = "9".repeat(100_000);
        for text in [
            "",
            "d1",
            "d1d7",
            "d1d7g7a1a1",
            "d1d7,d6g7",
            "d0d7g7",
            "d11d7g7",
            "k1d7g7",
            "d1d7g",
            "é1",
            "d1€",
            &huge,
        ] {
            assert!(text.parse::<Move>().is_err(), "{}", shortened(text));
        }
    }

    #[test]
    fn malformed_positions_say_why() {
        for fen in [
            "",
            "3q2q3",
            "4/4/4",
            "4/4/4/5",
            "4/4/4/3",
            "4/4/4/Q22",
            "4/4/4/KKKK",
            "4/4/4/4 x",
            "4/4/4/4 w - - 0 0",
            "4/4/4/4 w - - 0 99999",
            "4/4/4/4 w - - 0 -1",
            "99999999999999999999999/4/4/4",
        ] {
            assert!(Position::from_fen(fen).is_err(), "{fen}");
        }
        for picture in ["", "....", "....\n....\n....\n...", "....\n....\n....\n...Z"] {
            assert!(Position::from_picture(picture, Side::Black).is_err(), "{picture}");
        }
    }

    #[test]
    fn positions_survive_the_round_trip() {
        let mut rng = fastrand::Rng::with_seed(11);
        for size in (4..=10).filter_map(Size::new) {
            let mut position = Position::start(size);
            while position.winner().is_none() {
                assert_eq!(Position::from_fen(&position.to_fen()), Ok(position));
                assert_eq!(Position::from_picture(&position.to_picture(), position.side()), Ok(position));
                let moves: Vec<Move> = position.legal_moves().collect();
                let mv = moves[rng.usize(..moves.len())];
                assert_eq!(mv.to_string().parse(), Ok(mv));
                position = position.with_move(mv);
            }
        }
    }

    #[test]
    fn fairy_stockfish_agrees_on_the_fen_after_two_moves() {
        let position = ["d1d7,d7g7", "d10c9,c9h4"]
            .iter()
            .fold(Position::standard(), |position, text| position.try_play(text.parse().unwrap()).unwrap());
        assert_eq!(position.to_fen(), "6q3/2q7/10/q2Q2*2q/10/10/Q6*1Q/10/10/6Q3 w - - 2 2");
    }
}
