//! Squares, board sizes and sides.
//!
//! A square's index is `row * 11 + column` on every board size (a padded mailbox). Column 10 is never playable, so that
//! a step off the right or left edge lands on a wall instead of the next row. Row 0 is rank 1, the first mover's side.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Row stride of the padded board: difference in index between a square and the one above it.
pub const STRIDE: usize = 11;

/// Number of squares of the padded board (mailbox), 11 columns by 10 rows, which holds every board up to 10x10.
pub const FRAME: usize = 110;

/// A square, stored as its index `row * 11 + column` on the padded board ([`FRAME`]); `a1` is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Returns the square at `column` and `row`, both counted from 0; `None` outside the 10x10 board.
    #[inline]
    pub const fn new(column: usize, row: usize) -> Option<Self> {
        if column < 10 && row < 10 { Some(Self((row * STRIDE + column) as u8)) } else { None }
    }

    /// Returns the square with this index, which must be below 128, the width of a bitboard in bits.
    #[inline(always)]
    pub(crate) const fn from_index(index: usize) -> Self {
        debug_assert!(index < 128);
        Self(index as u8)
    }

    /// Returns the square's index on the padded board: `row * 11 + column`.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the column, counted from 0 (file a).
    #[inline(always)]
    pub const fn column(self) -> usize {
        self.0 as usize % STRIDE
    }

    /// Returns the row, counted from 0 (rank 1).
    #[inline(always)]
    pub const fn row(self) -> usize {
        self.0 as usize / STRIDE
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.column() as u8) as char, self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Edge length of a square board, 4 to 10.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Size(u8);

impl Size {
    /// Botzone's 8x8 board.
    pub const BOTZONE: Self = Self(8);
    /// The original 10x10 board, also used by the SAU platform and the Computer Olympiads.
    pub const STANDARD: Self = Self(10);

    /// Returns a board size; `None` unless 4 <= `edge` <= 10.
    pub const fn new(edge: usize) -> Option<Self> {
        if edge >= 4 && edge <= 10 { Some(Self(edge as u8)) } else { None }
    }

    /// Returns the number of squares along one edge.
    #[inline]
    pub const fn edge(self) -> usize {
        self.0 as usize
    }

    /// Returns the number of squares of the board.
    #[inline]
    pub const fn area(self) -> usize {
        self.edge() * self.edge()
    }

    /// True if the square lies on a board of this size.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        square.column() < self.edge() && square.row() < self.edge()
    }
}

/// A player. Black always moves first and starts at the bottom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The first mover.
    Black = 0,
    /// The second mover.
    White = 1,
}

impl Side {
    /// Both sides, Black first.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// Returns the other side.
    #[inline(always)]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// Returns 0 for Black, 1 for White: the index into per-side arrays.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Black => "Black",
            Self::White => "White",
        })
    }
}
