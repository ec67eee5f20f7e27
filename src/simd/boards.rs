//! Vectors of four bitboards for flood fills, and pairs of bitboards, one for each side.
//!
//! A flood fill runs for two sides in eight directions. [`Boards`] holds four bitboards: two directions for each side
//! (Black, White, Black, White). The lower and upper 64 bits of the bitboards are in separate registers, so that every
//! operation works lane by lane and shifts need no exchange between lanes. Each pair of lanes has its own shift
//! distance.

use super::lanes::Lanes;
use crate::board::bitboard::Bitboard;

/// Vector of four bitboards, numbered 0 to 3: Black, White, Black, White.
#[derive(Clone, Copy)]
pub struct Boards<L> {
    low: L,
    high: L,
}

impl<L: Lanes> Boards<L> {
    /// Puts Black's set in bitboards 0 and 2, White's in bitboards 1 and 3.
    #[inline(always)]
    pub fn of_sides([black, white]: [Bitboard; 2]) -> Self {
        let low = [black.0 as u64, white.0 as u64];
        let high = [(black.0 >> 64) as u64, (white.0 >> 64) as u64];
        Self {
            low: L::new([low[0], low[1], low[0], low[1]]),
            high: L::new([high[0], high[1], high[0], high[1]]),
        }
    }

    inlined! {
        /// Puts one set in all four bitboards.
        pub fn splat(set: Bitboard) -> Self = Self::of_sides([set; 2]);
        /// Returns the intersection.
        pub fn and(self, other: Self) -> Self =
            Self { low: self.low.and(other.low), high: self.high.and(other.high) };
        /// Returns the union.
        pub fn or(self, other: Self) -> Self =
            Self { low: self.low.or(other.low), high: self.high.or(other.high) };
        /// Returns the symmetric difference.
        pub fn xor(self, other: Self) -> Self =
            Self { low: self.low.xor(other.low), high: self.high.xor(other.high) };
        /// Shifts bitboards 0 and 1 left by `a` bits, bitboards 2 and 3 by `b`; both 1 to 63.
        pub fn up(self, a: u32, b: u32) -> Self =
            Self { low: self.low.left(a, b), high: self.high.left(a, b).or(self.low.right(64 - a, 64 - b)) };
        /// Shifts bitboards 0 and 1 right by `a` bits, bitboards 2 and 3 by `b`; both 1 to 63.
        pub fn down(self, a: u32, b: u32) -> Self = Self {
            low: self.low.right(a, b).or(self.high.left(64 - a, 64 - b)),
            high: self.high.right(a, b),
        };
        /// Returns the difference: the squares of `self` that are not in `other`.
        pub fn without(self, other: Self) -> Self =
            Self { low: self.low.without(other.low), high: self.high.without(other.high) };
        /// Exchanges Black's bitboards with White's.
        pub fn exchanged(self) -> Self =
            Self { low: self.low.pairs_exchanged(), high: self.high.pairs_exchanged() };
        /// Returns bitboards 0 and 1, then bitboards 2 and 3, each pair in the layout of [`SidePair::to_array`].
        pub fn pairs(self) -> (L, L) = self.low.halves_joined(self.high);
        /// Exchanges the two bitboards of each side.
        pub fn swapped(self) -> Self = Self { low: self.low.swapped(), high: self.high.swapped() };
        /// Returns the union of the two bitboards of each side, in both of them.
        pub fn merged(self) -> Self = self.or(self.swapped());
    }

    /// Shifts left as [`Self::up`] does, or right as [`Self::down`] does.
    #[inline(always)]
    pub fn moved<const UP: bool>(self, a: u32, b: u32) -> Self {
        if UP { self.up(a, b) } else { self.down(a, b) }
    }

    /// Returns bitboards 0 (Black) and 1 (White).
    #[inline(always)]
    pub fn sides(self) -> SidePair {
        let (low, high) = (self.low.to_array(), self.high.to_array());
        SidePair { low: [low[0], low[1]], high: [high[0], high[1]] }
    }

    /// Counts the squares in bitboards 0 (Black) and 1 (White).
    #[inline(always)]
    pub fn counts(self) -> [u32; 2] {
        let [black, white, more_black, more_white] = L::sums([self.pairs().0]);
        [black + more_black, white + more_white]
    }
}

/// One bitboard for each side, Black's first, split into lower and upper 64 bits like the lanes of [`Boards`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SidePair {
    pub(crate) low: [u64; 2],
    pub(crate) high: [u64; 2],
}

impl SidePair {
    /// All bits set, even those off the board: marks reachable squares as unknown. No flood fill yields this value.
    pub(crate) const UNKNOWN: Self = Self { low: [u64::MAX; 2], high: [u64::MAX; 2] };

    inlined! {
        /// Returns the set of one side: 0 Black, 1 White.
        pub fn of(&self, side: usize) -> Bitboard =
            Bitboard(u128::from(self.low[side]) | u128::from(self.high[side]) << 64);
        /// Returns the halves of both sets: Black low, White low, Black high, White high.
        pub fn to_array(&self) -> [u64; 4] = [self.low[0], self.low[1], self.high[0], self.high[1]];
        /// True if both sets are empty.
        pub fn is_empty(&self) -> bool = self.low[0] | self.low[1] | self.high[0] | self.high[1] == 0;
    }

    /// Returns, for each side, the union of its sets in both pairs.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        let unite = |a: [u64; 2], b: [u64; 2]| [a[0] | b[0], a[1] | b[1]];
        Self { low: unite(self.low, other.low), high: unite(self.high, other.high) }
    }
}
