//! Moves as types: a turn is a *movement* of an amazon followed by an *arrow*.

use super::square::Square;
use std::fmt;

/// The first half of a move: an amazon goes from one square to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Movement {
    /// Where the amazon stood.
    pub from: Square,
    /// Where it lands.
    pub to: Square,
}

/// A whole move: the movement and the square its arrow burns.
///
/// Its text is `d1-d7/g7`; [`crate::board::notation`] reads that and the other common forms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// Where the amazon stood.
    pub from: Square,
    /// Where it lands.
    pub to: Square,
    /// Where its arrow lands; may be `from`.
    pub arrow: Square,
}

impl Move {
    /// The first half.
    ///
    /// ```
    /// use otrera::Move;
    /// let mv: Move = "d1-d7/g7".parse().unwrap();
    /// assert_eq!(mv.movement().to_string(), "d1-d7");
    /// assert_eq!(mv.movement().with_arrow(mv.arrow), mv);
    /// ```
    pub const fn movement(self) -> Movement {
        Movement { from: self.from, to: self.to }
    }
}

impl Movement {
    /// The whole move that this movement begins.
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

/// Why a well-formed move may not be played.
///
/// ```
/// use otrera::{IllegalMove, Position};
/// let start = Position::standard();
/// let problem = |text: &str| start.check(text.parse().unwrap()).unwrap_err();
/// assert!(matches!(problem("a7-a8/a7"), IllegalMove::NoAmazon(_)), "an amazon of White");
/// assert!(matches!(problem("d1-d10/d9"), IllegalMove::Unreachable(_)));
/// assert_eq!(problem("d1-d7/e9").to_string(), "the arrow cannot fly to e9");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IllegalMove {
    /// A square of the move lies outside this board.
    OffBoard(Square),
    /// No amazon of the side to move stands on the square it leaves.
    NoAmazon(Square),
    /// The amazon cannot slide there.
    Unreachable(Movement),
    /// The arrow cannot fly there.
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
