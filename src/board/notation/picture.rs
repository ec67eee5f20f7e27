//! Positions as pictures: rows from the top, one character per square: `B`, `W`, `X` (arrow) or `.` (empty). The
//! `Display` text of [`Position`] is a picture with coordinates and the side to move.

use super::{MalformedText, malformed, shortened, size_of_rows};
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::board::square::{Side, Square};
use std::fmt;

impl Position {
    /// Parses a picture: rows from the top, separated by white space, each as long as the number of rows. `B` and `W`
    /// are amazons, `X` is an arrow, `.` or `-` an empty square.
    ///
    /// ```
    /// use otrera::{Position, Side};
    /// let tiny = Position::from_picture("W..W\n....\n.X..\nB..B", Side::White).unwrap();
    /// assert_eq!(tiny.to_fen(), "q2q/4/1*2/Q2Q b - - 1 1");
    /// ```
    ///
    /// # Errors
    /// Returns the first error in the text.
    pub fn from_picture(picture: &str, side: Side) -> Result<Self, MalformedText> {
        let rows: Vec<&str> = picture.split_ascii_whitespace().collect();
        let size = size_of_rows(rows.len())?;
        let [mut black, mut white, mut arrows] = [Bitboard::EMPTY; 3];
        for (row, text) in rows.iter().rev().enumerate() {
            if text.chars().count() != size.edge() {
                return malformed(format!("row {:?} does not have {} squares", shortened(text), size.edge()));
            }
            for (column, letter) in text.chars().enumerate() {
                let square = Square::new(column, row).map_or(Bitboard::EMPTY, Bitboard::from);
                match letter {
                    '.' | '-' => {}
                    'X' | 'x' => arrows |= square,
                    'B' | 'b' => black |= square,
                    'W' | 'w' => white |= square,
                    other => return malformed(format!("{other:?} in a picture: expected B, W, X or .")),
                }
            }
        }
        Ok(Self::from_parts(size, [black, white], arrows, side))
    }

    /// Formats the position as a picture, top row first, in the form that [`Position::from_picture`] parses.
    pub fn to_picture(&self) -> String {
        let rows = (0..self.size().edge()).rev();
        rows.flat_map(|row| self.letters(row).chain(['\n'])).collect()
    }

    /// Iterates over the letters of a row (0 is rank 1), from column a.
    fn letters(&self, row: usize) -> impl Iterator<Item = char> {
        (0..self.size().edge()).filter_map(move |column| Square::new(column, row)).map(|square| {
            let sets = [self.empty(), self.amazons(Side::Black), self.amazons(Side::White)];
            let found = sets.into_iter().zip(['.', 'B', 'W']).find(|(set, _)| set.contains(square));
            found.map_or('X', |(_, letter)| letter)
        })
    }
}

impl fmt::Display for Position {
    /// Draws the board with coordinates and the side to move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edge = self.size().edge();
        for row in (0..edge).rev() {
            write!(f, "{:>3} ", row + 1)?;
            for letter in self.letters(row) {
                write!(f, " {letter}")?;
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
