//! Moves: a turn is a *movement* of an amazon followed by an *arrow*.

use super::square::Square;
use std::fmt;

/// First half of a move: an amazon slides to another square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Movement {
    /// Origin of the amazon.
    pub from: Square,
    /// Destination of the amazon.
    pub to: Square,
}

/// A whole move: an amazon's movement, then the square that its arrow burns.
///
/// Displayed as `d1-d7/g7`; [`crate::board::notation`] also parses the other common forms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// Origin of the amazon.
    pub from: Square,
    /// Destination of the amazon.
    pub to: Square,
    /// Square that the arrow burns; can equal `from`.
    pub arrow: Square,
}

impl Move {
    /// Returns the first half of the move, without the arrow.
    pub const fn movement(self) -> Movement {
        Movement { from: self.from, to: self.to }
    }
}

impl Movement {
    /// Returns the whole move: this movement, then the arrow shot at `arrow`.
    pub const fn with_arrow(self, arrow: Square) -> Move {
        Move { from: self.from, to: self.to, arrow }
    }
}

impl fmt::Display for Movement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}/{}", self.from, self.to, self.arrow)
    }
}

/// Reason why a well-formed move is illegal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IllegalMove {
    /// A square of the move is outside the board.
    OffBoard(Square),
    /// The origin holds no amazon of the side to move.
    NoAmazon(Square),
    /// The amazon cannot slide to the destination.
    Unreachable(Movement),
    /// The arrow cannot reach its target.
    ArrowBlocked(Square),
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OffBoard(square) => write!(f, "{square} is not on this board"),
            Self::NoAmazon(square) => write!(f, "the side to move has no amazon on {square}"),
            Self::Unreachable(m) => write!(f, "the amazon on {} cannot slide to {}", m.from, m.to),
            Self::ArrowBlocked(square) => write!(f, "the arrow cannot fly to {square}"),
        }
    }
}

impl std::error::Error for IllegalMove {}
