//! Classes of all squares, computed at once on sets of squares and then read square by square.

use super::distance::DistanceMaps;
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::board::square::{FRAME, Side, Square};
use crate::simd::Lanes;

/// Maximum number of queen moves that the features distinguish.
pub const QUEEN_STEPS: usize = 3;

/// Computes the class of each square by queen moves: 0 for one, 1 for two, 2 for three, 3 for four or more, 4 for never
/// (and for occupied squares).
#[inline(always)]
pub fn queen_class(maps: &DistanceMaps, side: Side) -> [Bitboard; 3] {
    let within = |steps| maps.queen.within(steps).of(side.index());
    // Queens reach the squares that kings reach; their own map ends after [`QUEEN_STEPS`].
    let ever = maps.king.reachable().of(side.index());
    [(within(2) - within(1)) | (ever - within(3)), ever - within(2), !ever]
}

/// Classes of all squares by each feature, bit-sliced: byte `k` of `columns[f][c]` holds the binary digits of weight
/// `2^k` of the squares `8 c .. 8 c + 8`.
pub struct SquareClasses<const FEATURES: usize> {
    columns: [[u64; 16]; FEATURES],
}

impl<const FEATURES: usize> SquareClasses<FEATURES> {
    /// Transposes sets of squares: set `k` of a feature contains the squares whose class has the digit `2^k`.
    #[inline(always)]
    pub fn new<L: Lanes>(features: [[u128; 8]; FEATURES]) -> Self {
        let mut columns = [[0; 16]; FEATURES];
        for (columns, digits) in columns.iter_mut().zip(features) {
            *columns = L::columns(digits);
        }
        Self { columns }
    }

    /// Returns the classes of one square.
    #[inline(always)]
    pub fn of(&self, square: Square) -> [usize; FEATURES] {
        let (column, place) = (square.index() / 8 % 16, square.index() % 8);
        let mut classes = [0; FEATURES];
        for (class, columns) in classes.iter_mut().zip(&self.columns) {
            // The factor moves bit `8 k` to bit `56 + k`; no two other bits meet there.
            const GATHER: u64 = 0x0102_0408_1020_4080;
            let digits = columns[column] >> place & 0x0101_0101_0101_0101;
            *class = (digits.wrapping_mul(GATHER) >> 56) as usize;
        }
        classes
    }
}

/// Joins the binary digits of two bit-sliced numbers; those of `first` are the lower ones.
#[inline(always)]
pub fn joined<const A: usize, const B: usize>(first: [Bitboard; A], second: [Bitboard; B]) -> [u128; 8] {
    const { assert!(A + B <= 8) };
    let mut digits = [0; 8];
    for (digit, set) in digits.iter_mut().zip(first.iter().chain(&second)) {
        *digit = set.0;
    }
    digits
}

/// Number of 64-bit words that hold one byte for each square of the frame.
const WORDS: usize = FRAME.div_ceil(8);

/// Number of codes of a square. A code is the class by queen moves of the side to move (3 bits) and of its opponent (3
/// bits).
pub const CODES: usize = 1 << 6;
/// Codes of squares with an amazon. Squares with an arrow or outside the board have another code, whose row of weights
/// is 0.
pub const OUR_AMAZON: usize = 4 * 8 + 5;
pub const THEIR_AMAZON: usize = 4 * 8 + 6;

/// Codes of all squares, one byte each, eight in a word, lowest byte first.
pub struct SquareCodes(pub [u64; WORDS]);

impl SquareCodes {
    /// Computes the codes of a position; `maps` must be computed from it.
    #[inline(always)]
    pub fn new<L: Lanes>(position: &Position, maps: &DistanceMaps) -> Self {
        let (us, them) = (position.side(), position.side().opponent());
        let [mut ones, mut twos, fours] = queen_class(maps, us);
        // A taken square has class 4, which becomes 5 for an amazon of the side to move, 6 for one of its opponent, else 7.
        let neither = !(position.empty() | position.amazons(us) | position.amazons(them));
        ones |= position.amazons(us) | neither;
        twos |= position.amazons(them) | neither;
        let columns = L::columns(joined([ones, twos, fours], queen_class(maps, them)));
        Self(std::array::from_fn(|eight| transposed(columns[eight])))
    }

    /// Returns the code of a square: its class by queen moves of the side to move and, 3 bits higher, of its opponent,
    /// or the code of what occupies the square.
    #[inline(always)]
    pub fn of(&self, square: Square) -> usize {
        (self.0[square.index() / 8 % WORDS] >> (square.index() % 8 * 8)) as usize & (CODES - 1)
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
