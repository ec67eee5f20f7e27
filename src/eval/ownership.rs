//! Ownership by queen distance: a square belongs to the side that alone can reach it, or that reaches it in fewer
//! queen moves. For display; the metric t1 of [`super::metrics`] counts the same squares.

use super::distance::DistanceMaps;
use crate::board::position::Position;
use crate::board::square::{Side, Square};
use crate::simd::Kernel;
use std::cmp::Ordering;

/// Owner of an empty square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// Only this side can reach the square.
    Alone(Side),
    /// Both sides can reach the square, this side in fewer queen moves.
    Sooner(Side),
    /// Both sides reach the square in equally many queen moves.
    Both,
    /// Neither side can reach the square.
    Nobody,
}

impl Owner {
    /// Formats the owner as one character: `b` or `w` if only Black or White reaches the square, `+` or `-` if Black or
    /// White reaches it first, `=` if both reach it equally soon, `.` if neither does.
    pub fn letter(self) -> char {
        match self {
            Self::Alone(Side::Black) => 'b',
            Self::Alone(Side::White) => 'w',
            Self::Sooner(Side::Black) => '+',
            Self::Sooner(Side::White) => '-',
            Self::Both => '=',
            Self::Nobody => '.',
        }
    }
}

/// Owners of a position's squares, computed from the queen distance maps.
pub struct Ownership {
    maps: Box<DistanceMaps>,
}

impl Ownership {
    /// Computes the owners of the squares of a position.
    pub fn of(position: &Position) -> Self {
        let mut maps = Box::new(DistanceMaps::default());
        maps.flood_queen_only(position, Kernel::fastest());
        Self { maps }
    }

    /// Returns the number of queen moves in which a side reaches an empty square; `None` if the side cannot.
    pub fn moves(&self, side: Side, square: Square) -> Option<usize> {
        self.maps.queen.reached().iter().position(|within| within.of(side.index()).contains(square))
    }

    /// Returns the owner of an empty square; [`Owner::Nobody`] for an occupied square.
    pub fn owner(&self, square: Square) -> Owner {
        match Side::BOTH.map(|side| self.moves(side, square)) {
            [Some(_), None] => Owner::Alone(Side::Black),
            [None, Some(_)] => Owner::Alone(Side::White),
            [Some(black), Some(white)] => match black.cmp(&white) {
                Ordering::Less => Owner::Sooner(Side::Black),
                Ordering::Greater => Owner::Sooner(Side::White),
                Ordering::Equal => Owner::Both,
            },
            [None, None] => Owner::Nobody,
        }
    }
}
