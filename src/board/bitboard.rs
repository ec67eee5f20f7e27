//! Bitboards: a set of squares as a 128-bit number, one bit `row * 11 + column` per square
//! ([`Square::index`](super::square::Square::index)). Column 10 and all rows from 10 up are padding squares, called
//! *walls*: never playable.
//!
//! The operators are set operations: `|` union, `&` intersection, `-` difference, `^` symmetric difference, `!`
//! complement. [`Bitboard::shifted`] moves a whole set; squares pushed off the board land on walls and are removed by
//! intersecting with the playable or empty squares.

use super::square::{STRIDE, Size, Square};
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub, SubAssign};

/// A set of squares; bit `i` is the square with [`Square::index`] `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(pub(crate) u128);

/// The eight queen directions as square-index offsets: right, up-left, up, up-right, then their opposites in the same
/// order.
pub(crate) const DIRECTIONS: [i32; 8] = [1, 10, 11, 12, -1, -10, -11, -12];

/// Returns the set that `of` yields for each of the [`DIRECTIONS`]. A loop, because `map` of an array can be compiled as
/// a call, without the instructions of a kernel.
#[inline(always)]
pub(crate) fn for_directions(of: impl Fn(i32) -> Bitboard) -> [Bitboard; 8] {
    let mut sets = [Bitboard::EMPTY; 8];
    for (set, direction) in sets.iter_mut().zip(DIRECTIONS) {
        *set = of(direction);
    }
    sets
}

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// Returns all squares of a board of this size.
    pub const fn playable(size: Size) -> Self {
        let mut bits = 0u128;
        let mut row = 0;
        while row < size.edge() {
            bits |= ((1u128 << size.edge()) - 1) << (row * STRIDE);
            row += 1;
        }
        Self(bits)
    }

    /// Returns the number of squares in the set.
    #[inline(always)]
    pub const fn len(self) -> u32 {
        // Two 64-bit counts: on some targets a 128-bit count compiles to slower code.
        (self.0 as u64).count_ones() + ((self.0 >> 64) as u64).count_ones()
    }

    /// True if the set is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if the set contains `square`.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Returns the square with the lowest index; `None` if the set is empty.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        Some(Square::from_index(self.0.trailing_zeros() as usize))
    }

    /// Returns the `n`-th square in ascending index order, counted from 0. `n` must be below [`Bitboard::len`].
    #[inline(always)]
    pub fn nth(self, n: u32) -> Square {
        debug_assert!(n < self.len());
        let low = self.0 as u64;
        let below = low.count_ones();
        if n < below {
            Square::from_index(nth_bit(low, n) as usize)
        } else {
            Square::from_index(64 + nth_bit((self.0 >> 64) as u64, n - below) as usize)
        }
    }

    /// Returns the set with `step` added to every square's index: 1 moves it right, 11 up, negative steps left or down
    /// (<https://www.chessprogramming.org/General_Setwise_Operations>).
    #[inline(always)]
    pub const fn shifted(self, step: i32) -> Self {
        if step >= 0 { Self(self.0 << step) } else { Self(self.0 >> -step) }
    }

    /// Returns the union of the set and all king-move neighbours of its squares, walls included
    /// (<https://www.chessprogramming.org/King_Pattern>).
    #[inline(always)]
    pub const fn with_neighbours(self) -> Self {
        let wide = self.0 | self.0 << 1 | self.0 >> 1;
        Self(wide | wide << STRIDE | wide >> STRIDE)
    }
}

/// Returns the index of the `n`-th set bit (*select*). `n` counts from 0 and must be below the number of set bits.
// Binary search over population counts: six steps without a branch. Clearing the lowest bit `n` times would be a loop
// of unpredictable length.
#[inline(always)]
fn nth_bit(word: u64, mut n: u32) -> u32 {
    let mut position = 0;
    let mut width = 32;
    while width > 0 {
        let below = (word >> position & ((1 << width) - 1)).count_ones();
        let above = (n >= below) as u32;
        n -= below * above;
        position += width * above;
        width /= 2;
    }
    position
}

impl From<Square> for Bitboard {
    #[inline(always)]
    fn from(square: Square) -> Self {
        Self(1 << square.index())
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | square.into())
    }
}

/// Iterator over the squares of a set in ascending index order.
#[derive(Clone)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        // x & (x - 1) clears the lowest set bit.
        self.0.0 &= self.0.0 - 1;
        Some(square)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

macro_rules! set_operator {
    ($trait:ident $method:ident, $assign_trait:ident $assign_method:ident, |$a:ident, $b:ident| $result:expr) => {
        impl $trait for Bitboard {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self($result)
            }
        }

        impl $assign_trait for Bitboard {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = self.$method(other);
            }
        }
    };
}
set_operator!(BitOr bitor, BitOrAssign bitor_assign, |a, b| a | b);
set_operator!(BitAnd bitand, BitAndAssign bitand_assign, |a, b| a & b);
set_operator!(BitXor bitxor, BitXorAssign bitxor_assign, |a, b| a ^ b);
set_operator!(Sub sub, SubAssign sub_assign, |a, b| a & !b);

impl Not for Bitboard {
    type Output = Self;

    /// Returns the complement of the set in all 128 bits, walls included.
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl fmt::Debug for Bitboard {
    /// Draws a 10x10 board with rank 10 on top, so that failing assertions are readable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..10).rev() {
            writeln!(f)?;
            for column in 0..10 {
                let square = Square::from_index(row * STRIDE + column);
                f.write_str(if self.contains(square) { "X" } else { "." })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nth_agrees_with_iteration() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..1000 {
            let set = Bitboard(rng.u128(..) & rng.u128(..) & Bitboard::playable(Size::STANDARD).0);
            for (n, square) in set.into_iter().enumerate() {
                assert_eq!(set.nth(n as u32), square, "{n} of {set:?}");
            }
        }
    }
}
