//! Four 64-bit lanes: the operations that every instruction set offers, with a portable implementation.

use super::kernel::{SimdTask, run_portable};
use crate::board::bitboard::Bitboard;

/// Four 64-bit lanes. Lanes 0 and 1 share a shift distance, as do lanes 2 and 3.
pub trait Lanes: Copy {
    /// True if the lanes are plain integers. Each operation then takes several instructions; large functions are not
    /// inlined, to keep the program small.
    const ARE_PORTABLE: bool = false;
    /// Calls `task` out of line, compiled for this instruction set. For large tasks with several callers: inlining
    /// them makes the program and its build time larger by half.
    fn call<T: SimdTask>(task: T) -> T::Output;
    /// Loads four numbers.
    fn new(lanes: [u64; 4]) -> Self;
    /// Stores the lanes to four numbers.
    fn to_array(self) -> [u64; 4];
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise or.
    fn or(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Shifts lanes 0 and 1 left by `a`, lanes 2 and 3 by `b`; both below 64.
    fn left(self, a: u32, b: u32) -> Self;
    /// Shifts lanes 0 and 1 right by `a`, lanes 2 and 3 by `b`; both below 64.
    fn right(self, a: u32, b: u32) -> Self;
    /// Clears the bits of `other`.
    fn without(self, other: Self) -> Self;
    /// Exchanges lanes 0 and 1 with lanes 2 and 3.
    fn swapped(self) -> Self;
    /// Exchanges lane 0 with lane 1, and lane 2 with lane 3.
    fn pairs_exchanged(self) -> Self;
    /// Sets all lanes to one number.
    #[inline(always)]
    fn splat(number: u64) -> Self {
        Self::new([number; 4])
    }
    /// Extracts bits `square + 1 .. square + 65` of the set into lane i, where `square = squares[i]` is at most 126.
    /// The square after it becomes bit 0.
    #[inline(always)]
    fn above(set: Bitboard, squares: [u32; 4]) -> Self {
        let mut lanes = [0; 4];
        for (lane, square) in lanes.iter_mut().zip(squares) {
            *lane = (set.0 >> square >> 1) as u64;
        }
        Self::new(lanes)
    }
    /// Extracts bits `square - 64 .. square` of the set into lane i, where `square = squares[i]`. The square before
    /// it becomes bit 63.
    #[inline(always)]
    fn below(set: Bitboard, squares: [u32; 4]) -> Self {
        let mut lanes = [0; 4];
        for (lane, square) in lanes.iter_mut().zip(squares) {
            *lane =
                if square < 64 { (set.0 << (64 - square)) as u64 } else { (set.0 >> (square - 64)) as u64 };
        }
        Self::new(lanes)
    }
    /// Returns for lane i `sum over k of 2^k * popcount(digits[k][i])`: the sum of 64 bit-sliced numbers, below 2^32.
    #[inline(always)]
    fn sums<const DIGITS: usize>(digits: [Self; DIGITS]) -> [u32; 4] {
        sums(digits)
    }
    /// Returns for lane i `sum over k of 2^k * popcount(numbers[i] & digits[k][i])`: the sum of 64 bit-sliced
    /// numbers, restricted to those selected by the bits of `numbers[i]`.
    #[inline(always)]
    fn weighed_counts(numbers: [u64; 4], digits: &[[u64; 4]; 4]) -> [u32; 4] {
        weighed_counts(numbers, digits)
    }
    /// True if no bit is set.
    #[inline(always)]
    fn is_empty(self) -> bool {
        let [a, b, c, d] = self.to_array();
        a | b | c | d == 0
    }
    /// Returns `self + factor * numbers` modulo 2^16 on sixteen 16-bit numbers, four per lane.
    fn plus_scaled(self, numbers: Self, factor: i16) -> Self;
    /// Returns `self + numbers` modulo 2^16 on sixteen 16-bit numbers, four per lane.
    fn plus(self, numbers: Self) -> Self;
    /// Returns `[a0, a1, b0, b1]` and `[a2, a3, b2, b3]`, where a is `self` and b is `other`.
    fn halves_joined(self, other: Self) -> (Self, Self);
    /// Transposes bytes: byte k of word c is byte c of set k.
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

/// [`Lanes::sums`] by scalar population counts.
#[inline(always)]
fn sums<L: Lanes, const DIGITS: usize>(digits: [L; DIGITS]) -> [u32; 4] {
    let mut sums = [0; 4];
    // No closures: closures are not compiled for the caller's instruction set.
    for (place, digit) in digits.into_iter().enumerate() {
        let digit = digit.to_array();
        for lane in 0..4 {
            sums[lane] += digit[lane].count_ones() << place;
        }
    }
    sums
}

/// [`Lanes::weighed_counts`] by scalar population counts.
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

/// Lanes as four plain integers.
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
