//! Four 64-bit lanes: the operations that every instruction set offers, and their form in plain arithmetic.

use super::kernel::{SimdTask, run_portable};
use crate::board::bitboard::Bitboard;

/// Four 64-bit numbers; lanes 0 and 1 share a shift distance, lanes 2 and 3 another.
pub trait Lanes: Copy {
    /// Whether these are ordinary numbers, so that each operation takes several instructions. What is large is then not
    /// inlined, to keep the program small.
    const ARE_PORTABLE: bool = false;
    /// Does a task in a function of its own that is compiled for these lanes. For what is large and done in several
    /// places: inlined in each it would make the program, and the time to build it, larger by half.
    fn call<T: SimdTask>(task: T) -> T::Output;
    /// From four numbers.
    fn new(lanes: [u64; 4]) -> Self;
    /// Back to four numbers.
    fn to_array(self) -> [u64; 4];
    /// Bits in both.
    fn and(self, other: Self) -> Self;
    /// Bits in either.
    fn or(self, other: Self) -> Self;
    /// Bits in exactly one.
    fn xor(self, other: Self) -> Self;
    /// Lanes 0 and 1 shifted left by `a`, lanes 2 and 3 by `b`; both below 64.
    fn left(self, a: u32, b: u32) -> Self;
    /// Lanes 0 and 1 shifted right by `a`, lanes 2 and 3 by `b`; both below 64.
    fn right(self, a: u32, b: u32) -> Self;
    /// Bits that are not in the other.
    fn without(self, other: Self) -> Self;
    /// Lanes 2 and 3 exchanged with lanes 0 and 1.
    fn swapped(self) -> Self;
    /// Lane 0 exchanged with lane 1, and 2 with 3.
    fn pairs_exchanged(self) -> Self;
    /// The same number in all lanes.
    #[inline(always)]
    fn splat(number: u64) -> Self {
        Self::new([number; 4])
    }
    /// Lane i: bits `square + 1 .. square + 65` of the set, where `square = squares[i]`, at most 126. The square after
    /// it is bit 0.
    #[inline(always)]
    fn above(set: Bitboard, squares: [u32; 4]) -> Self {
        let mut lanes = [0; 4];
        for (lane, square) in lanes.iter_mut().zip(squares) {
            *lane = (set.0 >> square >> 1) as u64;
        }
        Self::new(lanes)
    }
    /// Lane i: bits `square - 64 .. square` of the set, where `square = squares[i]`. The square before it is bit 63.
    #[inline(always)]
    fn below(set: Bitboard, squares: [u32; 4]) -> Self {
        let mut lanes = [0; 4];
        for (lane, square) in lanes.iter_mut().zip(squares) {
            *lane =
                if square < 64 { (set.0 << (64 - square)) as u64 } else { (set.0 >> (square - 64)) as u64 };
        }
        Self::new(lanes)
    }
    /// Lane i: `sum over k of 2^k * popcount(digits[k][i])`, the sum of 64 bit-sliced numbers, below 2^32.
    #[inline(always)]
    fn sums<const DIGITS: usize>(digits: [Self; DIGITS]) -> [u32; 4] {
        sums(digits)
    }
    /// Lane i: `sum over k of 2^k * popcount(numbers[i] & digits[k][i])`, the sum of those of 64 bit-sliced numbers
    /// whose bit is set in `numbers[i]`.
    #[inline(always)]
    fn weighed_counts(numbers: [u64; 4], digits: &[[u64; 4]; 4]) -> [u32; 4] {
        weighed_counts(numbers, digits)
    }
    /// Whether no bit is set.
    #[inline(always)]
    fn is_empty(self) -> bool {
        let [a, b, c, d] = self.to_array();
        a | b | c | d == 0
    }
    /// Sixteen 16-bit numbers, four in a lane: `self + factor * numbers`, modulo 2^16.
    fn plus_scaled(self, numbers: Self, factor: i16) -> Self;
    /// Sixteen 16-bit numbers, four in a lane: `self + numbers`, modulo 2^16.
    fn plus(self, numbers: Self) -> Self;
    /// `[a0, a1, b0, b1]` and `[a2, a3, b2, b3]`, where a is `self` and b `other`.
    fn halves_joined(self, other: Self) -> (Self, Self);
    /// A transposition of bytes: byte k of word c is byte c of set k.
    #[inline(always)]
    fn columns(sets: [u128; 8]) -> [u64; 16] {
        let mut columns = [[0; 8]; 16];
        for (place, set) in sets.iter().enumerate() {
            for (column, byte) in columns.iter_mut().zip(set.to_le_bytes()) {
                column[place] = byte;
            }
        }
        let mut words = [0; 16];
        for (word, column) in words.iter_mut().zip(columns) {
            *word = u64::from_le_bytes(column);
        }
        words
    }
}

/// [`Lanes::sums`] by a scalar popcount for each lane.
#[inline(always)]
fn sums<L: Lanes, const DIGITS: usize>(digits: [L; DIGITS]) -> [u32; 4] {
    let mut sums = [0; 4];
    // No closures, which would leave the instruction set that this is compiled for.
    for (place, digit) in digits.into_iter().enumerate() {
        let digit = digit.to_array();
        for lane in 0..4 {
            sums[lane] += digit[lane].count_ones() << place;
        }
    }
    sums
}

/// [`Lanes::weighed_counts`] by a scalar popcount for each lane.
#[inline(always)]
pub(super) fn weighed_counts(numbers: [u64; 4], digits: &[[u64; 4]; 4]) -> [u32; 4] {
    let mut counts = [0; 4];
    for lane in 0..4 {
        for (place, digit) in digits.iter().enumerate() {
            counts[lane] += (numbers[lane] & digit[lane]).count_ones() << place;
        }
    }
    counts
}

/// The lanes in four ordinary numbers.
#[derive(Clone, Copy)]
pub struct PortableLanes([u64; 4]);

impl Lanes for PortableLanes {
    const ARE_PORTABLE: bool = true;
    #[inline(always)]
    fn call<T: SimdTask>(task: T) -> T::Output {
        run_portable(task)
    }
    #[inline(always)]
    fn new(lanes: [u64; 4]) -> Self {
        Self(lanes)
    }
    #[inline(always)]
    fn to_array(self) -> [u64; 4] {
        self.0
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }
    #[inline(always)]
    fn left(self, a: u32, b: u32) -> Self {
        Self([self.0[0] << a, self.0[1] << a, self.0[2] << b, self.0[3] << b])
    }
    #[inline(always)]
    fn right(self, a: u32, b: u32) -> Self {
        Self([self.0[0] >> a, self.0[1] >> a, self.0[2] >> b, self.0[3] >> b])
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }
    #[inline(always)]
    fn swapped(self) -> Self {
        Self([self.0[2], self.0[3], self.0[0], self.0[1]])
    }
    #[inline(always)]
    fn halves_joined(self, other: Self) -> (Self, Self) {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        (Self([a, b, e, f]), Self([c, d, g, h]))
    }
    #[inline(always)]
    fn plus_scaled(self, numbers: Self, factor: i16) -> Self {
        let ([mut sums, numbers], mut place): ([[i16; 16]; 2], _) =
            ([bytemuck::cast(self.0), bytemuck::cast(numbers.0)], 0);
        while place < 16 {
            sums[place] = sums[place].wrapping_add(numbers[place].wrapping_mul(factor));
            place += 1;
        }
        Self(bytemuck::cast(sums))
    }
    #[inline(always)]
    fn plus(self, numbers: Self) -> Self {
        self.plus_scaled(numbers, 1)
    }
    #[inline(always)]
    fn pairs_exchanged(self) -> Self {
        Self([self.0[1], self.0[0], self.0[3], self.0[2]])
    }
}
