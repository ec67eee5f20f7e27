//! Positions and moves as text: [`moves`], [`fen`] and [`picture`].
//!
//! Parsing a move needs no board. Malformed text gives [`MalformedText`]; an illegal move gives
//! [`IllegalMove`](super::moves::IllegalMove).

pub mod fen;
pub mod moves;
pub mod picture;

use super::bitboard::Bitboard;
use super::position::Position;
use super::square::{Side, Size, Square};
use std::fmt;

/// Text that is not a valid move, FEN or picture, with the reason.
///
/// ```
/// use otrera::{Move, Position};
/// let reason = "d1".parse::<Move>().unwrap_err().to_string();
/// assert_eq!(reason, "expected three squares like d1-d7/g7, found 1: \"d1\"");
/// assert!(Position::from_fen("4/4/4").is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MalformedText(String);

impl MalformedText {
    /// Creates an error with this reason.
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

/// Truncates input to 60 characters for messages.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Collects the squares of a FEN or a picture and builds the position.
#[derive(Default)]
struct BoardReader {
    amazons: [Bitboard; 2],
    arrows: Bitboard,
}

/// Content of one square in a FEN or a picture.
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
        None => malformed(format!("a board has 4 to 10 rows, not {rows}")),
    }
}

impl Position {
    /// Iterates over the contents of a row, from column a.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::moves::Move;

    #[test]
    fn malformed_positions_are_rejected() {
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
    fn positions_and_moves_round_trip() {
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
}
