//! Classes (buckets) of squares: small integers, computed bit-sliced for all squares, then read one square at a time.

use super::distance::DistanceMaps;
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::board::square::{Side, Square};
use crate::simd::Lanes;

/// Maximum number of queen moves that the features distinguish.
pub const QUEEN_STEPS: usize = 3;

/// Returns the class of each square by a side's queen moves to it, bit-sliced: 0 for one move, 1 for two, 2 for three,
/// 3 for four or more, 4 for never (and for occupied squares).
#[inline(always)]
pub fn queen_class(maps: &DistanceMaps, side: Side) -> [Bitboard; 3] {
    let within = |steps| maps.queen.within(steps).of(side.index());
    // Queen moves and king moves reach the same squares in the end, but the queen map stops after QUEEN_STEPS.
    let ever = maps.king.reachable().of(side.index());
    [(within(2) - within(1)) | (ever - within(3)), ever - within(2), !ever]
}

/// Number of square indices, rounded up to a power of two: masking an index replaces its bounds check.
pub const SQUARES: usize = 128;

/// Lookup table: the class of every square in each of `FEATURES` features.
pub struct SquareClasses<const FEATURES: usize> {
    /// Classes by feature, then by square index.
    classes: [[u8; SQUARES]; FEATURES],
}

impl<const FEATURES: usize> SquareClasses<FEATURES> {
    /// Converts bit-sliced classes to bytes: set `k` of a feature contains the squares whose class has bit `k` set.
    #[inline(always)]
    pub fn new<L: Lanes>(features: [[u128; 8]; FEATURES]) -> Self {
        let mut classes = [[0; SQUARES]; FEATURES];
        for (classes, digits) in classes.iter_mut().zip(features) {
            *classes = numbers::<L>(digits);
        }
        Self { classes }
    }

    /// Returns the class of one square in each feature.
    #[inline(always)]
    pub fn of(&self, square: Square) -> [usize; FEATURES] {
        let mut classes = [0; FEATURES];
        for (class, of_squares) in classes.iter_mut().zip(&self.classes) {
            *class = of_squares[square.index() % SQUARES].into();
        }
        classes
    }
}

/// Converts bit-sliced numbers to one byte per square. Set `k` contains the squares whose number has bit `k` set.
#[inline(always)]
pub(super) fn numbers<L: Lanes>(digits: [u128; 8]) -> [u8; SQUARES] {
    // A column holds the numbers of eight squares; its byte `k` holds their bits `k`.
    let mut columns = L::columns(digits);
    for column in &mut columns {
        *column = transposed(*column).to_le();
    }
    bytemuck::cast(columns)
}

/// Concatenates the bits of two bit-sliced numbers; `first` has the lower bits.
#[inline(always)]
pub fn joined<const A: usize, const B: usize>(first: [Bitboard; A], second: [Bitboard; B]) -> [u128; 8] {
    const { assert!(A + B <= 8) };
    let mut digits = [0; 8];
    for (digit, set) in digits.iter_mut().zip(first.iter().chain(&second)) {
        *digit = set.0;
    }
    digits
}

/// Number of codes that a square can have. Bits 0 to 2 of a code hold the [`queen_class`] for the side to move, or 5 to
/// 7 on an occupied square; bits 3 to 5 hold the class for the opponent.
pub const CODES: usize = 1 << 6;
/// Code of a square with an amazon of the side to move: 5 in bits 0 to 2, class 4 (never reached) for the opponent.
pub const OUR_AMAZON: usize = 4 * 8 + 5;
/// Code of a square with an amazon of the opponent. Squares with an arrow or outside the board have the next code,
/// whose weights are 0.
pub const THEIR_AMAZON: usize = 4 * 8 + 6;

/// The code of every square (see [`CODES`]), an input of the networks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SquareCodes(pub [u8; SQUARES]);

impl SquareCodes {
    /// Computes the codes of a position; `maps` must be its distance maps.
    #[inline(always)]
    pub fn new<L: Lanes>(position: &Position, maps: &DistanceMaps) -> Self {
        let (us, them) = (position.side(), position.side().opponent());
        let [mut ones, mut twos, fours] = queen_class(maps, us);
        // The class of an occupied square, 4, becomes 5 for an amazon of the side to move, 6 for an enemy, 7 otherwise.
        let neither = !(position.empty() | position.amazons(us) | position.amazons(them));
        ones |= position.amazons(us) | neither;
        twos |= position.amazons(them) | neither;
        Self(numbers::<L>(joined([ones, twos, fours], queen_class(maps, them))))
    }

    /// Returns the code of a square: its [`queen_class`] for the side to move, plus 8 times its class for the opponent.
    /// A square with an amazon has the code [`OUR_AMAZON`] or [`THEIR_AMAZON`], other occupied squares the next code.
    #[inline(always)]
    pub fn of(&self, square: Square) -> usize {
        usize::from(self.0[square.index() % SQUARES]) % CODES
    }
}

/// Transposes a matrix of 8 x 8 bits.
#[inline(always)]
fn transposed(mut rows: u64) -> u64 {
    for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0xf0f0_f0f0)] {
        let changed = (rows ^ (rows >> shift)) & mask;
        rows ^= changed ^ (changed << shift);
    }
    rows
}
