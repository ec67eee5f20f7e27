//! Positions as pictures: rows from the top, one character per square: `B`, `W`, `X` (arrow) or `.` (empty). The
//! `Display` text of [`Position`] is a picture with coordinates and the side to move.

use super::{BoardReader, Content, MalformedText, malformed, shortened, size_of_rows};
use crate::board::position::Position;
use crate::board::square::Side;
use std::fmt;

impl Position {
    /// Parses a picture: rows from the top, each with as many characters as there are rows. `.` and `-` are empty
    /// squares.
    ///
    /// ```
    /// use otrera::{Position, Side};
    /// let tiny = Position::from_picture("W..W\n....\n.X..\nB..B", Side::White).unwrap();
    /// assert_eq!(tiny.to_fen(), "q2q/4/1*2/Q2Q b - - 1 1");
    /// ```
    ///
    /// # Errors
    /// The first error in the text.
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
                    other => return malformed(format!("{other:?} in a picture: expected B, W, X or .")),
                };
                board.put(column, row, content);
            }
        }
        Ok(board.position(size, side))
    }

    /// Formats the position as a picture, top row first, as [`Position::from_picture`] parses it.
    ///
    /// ```
    /// use otrera::{Position, Size};
    /// assert_eq!(Position::start(Size::new(4).unwrap()).to_picture(), ".WW.\nW..W\nB..B\n.BB.\n");
    /// ```
    pub fn to_picture(&self) -> String {
        let row = |row| self.row(row).map(|content| letter(&content)).chain(['\n']).collect::<String>();
        (0..self.size().edge()).rev().map(row).collect()
    }
}

impl fmt::Display for Position {
    /// Draws the board with coordinates and the side to move.
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

fn letter(content: &Content) -> char {
    match content {
        Content::Empty => '.',
        Content::Arrow => 'X',
        Content::Amazon(Side::Black) => 'B',
        Content::Amazon(Side::White) => 'W',
    }
}
