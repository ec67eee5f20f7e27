//! [`Lanes`]: the operations on four 64-bit lanes that every instruction set offers.

use crate::board::bitboard::Bitboard;

/// Vector of four 64-bit lanes. Lanes 0 and 1 share a shift distance, as do lanes 2 and 3.
///
/// ```text
///   lane         0    1    2    3
///   shifted by   a    a    b    b
/// ```
pub trait Lanes: Copy {
    /// Name of the instruction set.
    const NAME: &'static str;
    /// True if the lanes are plain integers, so that each operation takes several instructions. Large functions are
    /// then not inlined, to keep the program small.
    const ARE_PORTABLE: bool = false;

    /// True if this processor supports the instruction set. The default, `true`, is right for instruction sets chosen
    /// at compile time: a WebAssembly module with instructions that its host lacks does not load.
    fn is_supported() -> bool {
        true
    }

    /// Calls `task` out of line, compiled for this instruction set; `task` must be an `#[inline(always)]` closure.
    // Inlining large tasks into every caller would increase the program's size and build time by half.
    #[inline(never)]
    fn call<R>(task: impl FnOnce() -> R) -> R {
        task()
    }

    /// Creates a vector from its four lanes.
    fn new(lanes: [u64; 4]) -> Self;
    /// Returns the four lanes as an array.
    fn to_array(self) -> [u64; 4];
    /// Returns the bitwise and.
    fn and(self, other: Self) -> Self;
    /// Returns the bitwise or.
    fn or(self, other: Self) -> Self;
    /// Returns the bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Clears the bits that are set in `other`.
    fn without(self, other: Self) -> Self;
    /// Shifts lanes 0 and 1 left by `a` bits, lanes 2 and 3 by `b`; both below 64.
    fn left(self, a: u32, b: u32) -> Self;
    /// Shifts lanes 0 and 1 right by `a` bits, lanes 2 and 3 by `b`; both below 64.
    fn right(self, a: u32, b: u32) -> Self;
    /// Exchanges lanes 0 and 1 with lanes 2 and 3.
    fn swapped(self) -> Self;
    /// Exchanges lane 0 with lane 1, and lane 2 with lane 3.
    fn pairs_exchanged(self) -> Self;
    /// Returns `[a0, a1, b0, b1]` and `[a2, a3, b2, b3]`, where a is `self` and b is `other`.
    fn halves_joined(self, other: Self) -> (Self, Self);
    /// Returns `self + numbers` modulo 2^16 for sixteen 16-bit numbers, four per lane.
    fn plus(self, numbers: Self) -> Self;
    /// Returns `self + factor * numbers` modulo 2^16 for sixteen 16-bit numbers, four per lane.
    fn plus_scaled(self, numbers: Self, factor: i16) -> Self;
    /// Returns the dot product of two vectors of sixteen signed 16-bit numbers. The result must fit in 32 bits.
    fn dot(self, numbers: Self) -> i32;
    /// Transposes an 8 x 16 matrix of bytes: byte k of word c of the result is byte c of set k.
    fn columns(sets: [u128; 8]) -> [u64; 16];

    /// Sets all lanes to one number.
    #[inline(always)]
    fn splat(number: u64) -> Self {
        Self::new([number; 4])
    }

    /// True if no bit is set.
    #[inline(always)]
    fn is_empty(self) -> bool {
        let [a, b, c, d] = self.to_array();
        a | b | c | d == 0
    }

    /// Extracts bits `square + 1 .. square + 65` of the set into lane i, where `square = squares[i]` is at most 126.
    /// The square after `square` becomes bit 0.
    #[inline(always)]
    fn above(set: Bitboard, squares: [u32; 4]) -> Self {
        let mut lanes = [0; 4];
        for (lane, square) in lanes.iter_mut().zip(squares) {
            let (word, next) = if square < 63 { (low(set), high(set)) } else { (high(set), 0) };
            *lane = across(word, next, (square + 1) % 64);
        }
        Self::new(lanes)
    }

    /// Extracts bits `square - 64 .. square` of the set into lane i, where `square = squares[i]` is at most 126. The
    /// square before `square` becomes bit 63.
    #[inline(always)]
    fn below(set: Bitboard, squares: [u32; 4]) -> Self {
        let mut lanes = [0; 4];
        for (lane, square) in lanes.iter_mut().zip(squares) {
            let (word, next) = if square < 64 { (0, low(set)) } else { (low(set), high(set)) };
            *lane = across(word, next, square % 64);
        }
        Self::new(lanes)
    }

    /// Returns for lane i the sum of 64 bit-sliced numbers, `sum over k of 2^k * popcount(digits[k][i])`, below 2^32.
    #[inline(always)]
    fn sums<const DIGITS: usize>(digits: [Self; DIGITS]) -> [u32; 4] {
        scalar_sums(digits)
    }

    /// Returns for lane i `sum over k of 2^k * popcount(numbers[i] & digits[k][i])`: the sum of the bit-sliced numbers
    /// that the mask `numbers[i]` selects.
    #[inline(always)]
    fn weighed_counts(numbers: [u64; 4], digits: &[[u64; 4]; 4]) -> [u32; 4] {
        scalar_weighed_counts(numbers, digits)
    }
}

#[inline(always)]
fn low(set: Bitboard) -> u64 {
    set.0 as u64
}

#[inline(always)]
fn high(set: Bitboard) -> u64 {
    (set.0 >> 64) as u64
}

/// Funnel shift. Returns the low 64 bits of `(next * 2^64 + word) >> place`, where `place` is below 64.
#[inline(always)]
fn across(word: u64, next: u64, place: u32) -> u64 {
    word >> place | next << 1 << (63 - place)
}

/// Computes [`Lanes::sums`] by scalar population counts.
#[inline(always)]
pub(super) fn scalar_sums<L: Lanes, const DIGITS: usize>(digits: [L; DIGITS]) -> [u32; 4] {
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

/// Computes [`Lanes::weighed_counts`] by scalar population counts.
#[inline(always)]
pub(super) fn scalar_weighed_counts(numbers: [u64; 4], digits: &[[u64; 4]; 4]) -> [u32; 4] {
    let mut counts = [0; 4];
    for lane in 0..4 {
        for (place, digit) in digits.iter().enumerate() {
            counts[lane] += (numbers[lane] & digit[lane]).count_ones() << place;
        }
    }
    counts
}
