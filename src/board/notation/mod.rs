//! Positions and moves as text: [`moves`], [`fen`] and [`picture`].
//!
//! Parsing a move needs no board. Malformed text gives [`MalformedText`]; an illegal move gives
//! [`IllegalMove`](super::moves::IllegalMove).

pub mod fen;
pub mod moves;
pub mod picture;

use super::square::Size;
use std::fmt;

/// Text that is not a valid move, FEN or picture, with the reason.
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

fn size_of_rows(rows: usize) -> Result<Size, MalformedText> {
    Size::new(rows).ok_or_else(|| MalformedText::new(format!("a board has 4 to 10 rows, not {rows}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::moves::Move;
    use crate::board::position::Position;
    use crate::board::square::Side;

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
