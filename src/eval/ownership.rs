//! Whose the squares are, by queen distance: a square belongs to the side that alone can reach it, or that reaches it
//! in fewer queen moves. For people to look at; the metric t1 of [`super::metrics`] counts the same.

use super::distance::DistanceMaps;
use crate::board::position::Position;
use crate::board::square::{Side, Square};
use crate::simd::Kernel;
use std::cmp::Ordering;

/// Whose an empty square is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// Only this side can get there.
    Alone(Side),
    /// Both can, this side in fewer moves.
    Sooner(Side),
    /// Both can, in as many moves.
    Both,
    /// Neither can.
    Nobody,
}

impl Owner {
    /// One character: `b`, `w` alone, `+`, `-` Black, White sooner, `=` both, `.` nobody.
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

/// The owners of a position's squares.
///
/// ```
/// use otrera::eval::ownership::{Owner, Ownership};
/// use otrera::{Position, Side};
/// let position = Position::from_picture("W...\nXXX.\nXXX.\n...B", Side::Black).unwrap();
/// let ownership = Ownership::of(&position);
/// let owners: Vec<Owner> = position.empty().into_iter().map(|square| ownership.owner(square)).collect();
/// let sooner = |side| owners.iter().filter(|&&owner| owner == Owner::Sooner(side)).count();
/// assert_eq!((sooner(Side::Black), sooner(Side::White)), (5, 2));
/// assert_eq!(owners.iter().filter(|&&owner| owner == Owner::Both).count(), 1);
/// ```
pub struct Ownership {
    maps: Box<DistanceMaps>,
}

impl Ownership {
    /// Floods the board from the amazons of both sides.
    pub fn of(position: &Position) -> Self {
        let mut maps = Box::new(DistanceMaps::default());
        maps.flood_queen_only(position, Kernel::fastest());
        Self { maps }
    }

    /// In how many queen moves a side gets to a square, if it can.
    pub fn moves(&self, side: Side, square: Square) -> Option<usize> {
        self.maps.queen.reached().iter().position(|within| within.of(side.index()).contains(square))
    }

    /// Whose an empty square is.
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
