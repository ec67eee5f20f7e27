//! Four boards at once, as floods need them, and a pair of boards, one for each side.
//!
//! A flood looks at two sides and eight directions. [`Boards`] holds four boards at once: two
//! directions for each of the two sides (Black, White, Black, White). The upper and the lower 64 bits
//! of the four boards lie in different registers, so that shifting a board needs no exchange between
//! lanes: every operation works lane by lane, and each pair of lanes has a shift of its own.

use super::lanes::Lanes;
use crate::board::bitboard::Bitboard;

/// Four boards: Black, White, Black, White.
#[derive(Clone, Copy)]
pub struct Boards<L> {
    low: L,
    high: L,
}

impl<L: Lanes> Boards<L> {
    /// Black's set in boards 0 and 2, White's in boards 1 and 3.
    #[inline(always)]
    pub fn of_sides([black, white]: [Bitboard; 2]) -> Self {
        let low = [black.0 as u64, white.0 as u64];
        let high = [(black.0 >> 64) as u64, (white.0 >> 64) as u64];
        Self {
            low: L::new([low[0], low[1], low[0], low[1]]),
            high: L::new([high[0], high[1], high[0], high[1]]),
        }
    }

    /// The same set in all four.
    #[inline(always)]
    pub fn splat(set: Bitboard) -> Self {
        Self::of_sides([set; 2])
    }

    /// Boards 0 and 1.
    #[inline(always)]
    pub fn sides(self) -> SidePair {
        let (low, high) = (self.low.to_array(), self.high.to_array());
        SidePair { low: [low[0], low[1]], high: [high[0], high[1]] }
    }

    /// Squares in both.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { low: self.low.and(other.low), high: self.high.and(other.high) }
    }

    /// Squares in either.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self { low: self.low.or(other.low), high: self.high.or(other.high) }
    }

    /// Squares in exactly one.
    #[inline(always)]
    pub fn xor(self, other: Self) -> Self {
        Self { low: self.low.xor(other.low), high: self.high.xor(other.high) }
    }

    /// Boards 0 and 1 moved up by `a` square numbers, boards 2 and 3 by `b`; both from 1 to 63.
    #[inline(always)]
    pub fn up(self, a: u32, b: u32) -> Self {
        Self { low: self.low.left(a, b), high: self.high.left(a, b).or(self.low.right(64 - a, 64 - b)) }
    }

    /// Boards 0 and 1 moved down by `a` square numbers, boards 2 and 3 by `b`; both from 1 to 63.
    #[inline(always)]
    pub fn down(self, a: u32, b: u32) -> Self {
        Self { low: self.low.right(a, b).or(self.high.left(64 - a, 64 - b)), high: self.high.right(a, b) }
    }

    /// Squares that are not in the other.
    #[inline(always)]
    pub fn without(self, other: Self) -> Self {
        Self { low: self.low.without(other.low), high: self.high.without(other.high) }
    }

    /// Black's boards in the places of White's, and the other way round.
    #[inline(always)]
    pub fn exchanged(self) -> Self {
        Self { low: self.low.pairs_exchanged(), high: self.high.pairs_exchanged() }
    }

    /// The numbers of squares in boards 0 and 1.
    #[inline(always)]
    pub fn counts(self) -> [u32; 2] {
        let [black, white, more_black, more_white] = L::sums([self.pairs().0]);
        [black + more_black, white + more_white]
    }

    /// Boards 0 and 1, and boards 2 and 3, in the shape of [`SidePair::to_array`].
    #[inline(always)]
    pub fn pairs(self) -> (L, L) {
        self.low.halves_joined(self.high)
    }

    /// Each board in the place of the other one of its side.
    #[inline(always)]
    pub fn swapped(self) -> Self {
        Self { low: self.low.swapped(), high: self.high.swapped() }
    }

    /// Each board united with the other one of its side.
    #[inline(always)]
    pub fn merged(self) -> Self {
        self.or(self.swapped())
    }
}

/// One set of squares for each side, in the shape in which the lanes hold them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SidePair {
    pub(crate) low: [u64; 2],
    pub(crate) high: [u64; 2],
}

impl SidePair {
    /// All bits, walls included. No flood equals it: in place of what is reachable, where that is not known.
    pub(crate) const UNKNOWN: Self = Self { low: [u64::MAX; 2], high: [u64::MAX; 2] };

    /// The set of one side: 0 Black, 1 White.
    #[inline(always)]
    pub fn of(&self, side: usize) -> Bitboard {
        Bitboard(u128::from(self.low[side]) | u128::from(self.high[side]) << 64)
    }

    /// Squares in either, for each side.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        let unite = |a: [u64; 2], b: [u64; 2]| [a[0] | b[0], a[1] | b[1]];
        Self { low: unite(self.low, other.low), high: unite(self.high, other.high) }
    }

    /// [`SidePair::to_array`] in one set of lanes.
    #[inline(always)]
    pub fn lanes<L: Lanes>(&self) -> L {
        L::new(self.to_array())
    }

    /// From lanes in the shape of [`SidePair::to_array`].
    #[inline(always)]
    pub fn from_lanes<L: Lanes>(lanes: L) -> Self {
        let [black, white, high_black, high_white] = lanes.to_array();
        Self { low: [black, white], high: [high_black, high_white] }
    }

    /// The halves of both sides' sets: Black's low half, White's, Black's high half, White's.
    #[inline(always)]
    pub fn to_array(&self) -> [u64; 4] {
        [self.low[0], self.low[1], self.high[0], self.high[1]]
    }

    /// Whether neither side has a square.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.low[0] | self.low[1] | self.high[0] | self.high[1] == 0
    }
}
