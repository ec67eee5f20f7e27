//! Lanes in two 128-bit registers of WebAssembly (<https://github.com/WebAssembly/simd>).
//!
//! A browser without these instructions refuses the whole module, so there is no detection at run time: the page
//! carries two builds of the engine and loads the one that the browser accepts.

use super::kernel::{SimdTask, run_simd128};
use super::lanes::Lanes;
use crate::board::bitboard::Bitboard;
use std::arch::wasm32::*;

/// Lanes in two 128-bit registers.
#[derive(Clone, Copy)]
pub struct Simd128Lanes([v128; 2]);

/// Funnel shift: returns the low 64 bits of `(next * 2^64 + word) >> place`, where `place` is below 64.
#[inline(always)]
fn across(word: u64, next: u64, place: u32) -> u64 {
    word >> place | next << 1 << (63 - place)
}

/// Sums the bytes of each lane of two registers.
#[inline(always)]
fn sums_of_bytes(bytes: [v128; 2]) -> [u32; 4] {
    let [first, second] = bytes.map(|bytes| u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(bytes)));
    [
        u32x4_extract_lane::<0>(first) + u32x4_extract_lane::<1>(first),
        u32x4_extract_lane::<2>(first) + u32x4_extract_lane::<3>(first),
        u32x4_extract_lane::<0>(second) + u32x4_extract_lane::<1>(second),
        u32x4_extract_lane::<2>(second) + u32x4_extract_lane::<3>(second),
    ]
}

impl Lanes for Simd128Lanes {
    #[inline(always)]
    fn call<T: SimdTask>(task: T) -> T::Output {
        run_simd128(task)
    }
    #[inline(always)]
    fn new([a, b, c, d]: [u64; 4]) -> Self {
        Self([u64x2(a, b), u64x2(c, d)])
    }
    #[inline(always)]
    fn to_array(self) -> [u64; 4] {
        let [first, second] = self.0;
        [
            u64x2_extract_lane::<0>(first),
            u64x2_extract_lane::<1>(first),
            u64x2_extract_lane::<0>(second),
            u64x2_extract_lane::<1>(second),
        ]
    }
    #[inline(always)]
    fn splat(number: u64) -> Self {
        Self([u64x2_splat(number); 2])
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([v128_and(a, c), v128_and(b, d)])
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([v128_or(a, c), v128_or(b, d)])
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([v128_xor(a, c), v128_xor(b, d)])
    }
    #[inline(always)]
    fn left(self, a: u32, b: u32) -> Self {
        let [first, second] = self.0;
        Self([u64x2_shl(first, a), u64x2_shl(second, b)])
    }
    #[inline(always)]
    fn right(self, a: u32, b: u32) -> Self {
        let [first, second] = self.0;
        Self([u64x2_shr(first, a), u64x2_shr(second, b)])
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([v128_andnot(a, c), v128_andnot(b, d)])
    }
    #[inline(always)]
    fn swapped(self) -> Self {
        let [first, second] = self.0;
        Self([second, first])
    }
    #[inline(always)]
    fn pairs_exchanged(self) -> Self {
        let [first, second] = self.0;
        Self([i64x2_shuffle::<1, 0>(first, first), i64x2_shuffle::<1, 0>(second, second)])
    }
    #[inline(always)]
    fn is_empty(self) -> bool {
        let [first, second] = self.0;
        !v128_any_true(v128_or(first, second))
    }
    #[inline(always)]
    fn plus_scaled(self, numbers: Self, factor: i16) -> Self {
        let ([a, b], [c, d]) = (self.0, numbers.0);
        let factor = i16x8_splat(factor);
        Self([i16x8_add(a, i16x8_mul(c, factor)), i16x8_add(b, i16x8_mul(d, factor))])
    }
    #[inline(always)]
    fn plus(self, numbers: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, numbers.0);
        Self([i16x8_add(a, c), i16x8_add(b, d)])
    }
    #[inline(always)]
    fn halves_joined(self, other: Self) -> (Self, Self) {
        let ([a, b], [c, d]) = (self.0, other.0);
        (Self([a, c]), Self([b, d]))
    }
    #[inline(always)]
    fn above(set: Bitboard, squares: [u32; 4]) -> Self {
        let (low, high) = (set.0 as u64, (set.0 >> 64) as u64);
        // No closures: closures are not compiled for the caller's instruction set.
        let mut lanes = [0; 4];
        for (lane, square) in lanes.iter_mut().zip(squares) {
            let (word, next) = if square < 63 { (low, high) } else { (high, 0) };
            *lane = across(word, next, (square + 1) % 64);
        }
        Self::new(lanes)
    }
    #[inline(always)]
    fn below(set: Bitboard, squares: [u32; 4]) -> Self {
        let (low, high) = (set.0 as u64, (set.0 >> 64) as u64);
        let mut lanes = [0; 4];
        for (lane, square) in lanes.iter_mut().zip(squares) {
            let (word, next) = if square < 64 { (0, low) } else { (low, high) };
            *lane = across(word, next, square % 64);
        }
        Self::new(lanes)
    }
    #[inline(always)]
    fn sums<const DIGITS: usize>(digits: [Self; DIGITS]) -> [u32; 4] {
        let mut bytes = [u64x2_splat(0); 2];
        let mut sums = [0; 4];
        for (place, digit) in digits.into_iter().enumerate().rev() {
            for (sum, digit) in bytes.iter_mut().zip(digit.0) {
                *sum = u8x16_add(u8x16_add(*sum, *sum), u8x16_popcnt(digit));
            }
            // Horner's rule in bytes: eight numbers of five digits add up to at most 8 * 31 < 256.
            if place % 5 == 0 {
                for (sum, part) in sums.iter_mut().zip(sums_of_bytes(bytes)) {
                    *sum = (*sum << 5) + part;
                }
                bytes = [u64x2_splat(0); 2];
            }
        }
        sums
    }
    /// Interleaves the bytes of two rows in each of three steps, as on x86.
    #[inline(always)]
    fn columns(sets: [u128; 8]) -> [u64; 16] {
        let mut rows: [v128; 8] = [u64x2_splat(0); 8];
        for (row, set) in rows.iter_mut().zip(sets) {
            *row = u64x2(set as u64, (set >> 64) as u64);
        }
        for _ in 0..3 {
            let [a, b, c, d, e, f, g, h] = rows;
            rows = [
                low_bytes_interleaved(a, e),
                high_bytes_interleaved(a, e),
                low_bytes_interleaved(b, f),
                high_bytes_interleaved(b, f),
                low_bytes_interleaved(c, g),
                high_bytes_interleaved(c, g),
                low_bytes_interleaved(d, h),
                high_bytes_interleaved(d, h),
            ];
        }
        let mut words = [0; 16];
        for (pair, row) in words.chunks_exact_mut(2).zip(rows) {
            pair[0] = u64x2_extract_lane::<0>(row);
            pair[1] = u64x2_extract_lane::<1>(row);
        }
        words
    }
}

/// `a0 b0 a1 b1 ... a7 b7` (PUNPCKLBW).
#[inline(always)]
fn low_bytes_interleaved(a: v128, b: v128) -> v128 {
    u8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b)
}

/// `a8 b8 a9 b9 ... a15 b15` (PUNPCKHBW).
#[inline(always)]
fn high_bytes_interleaved(a: v128, b: v128) -> v128 {
    u8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b)
}
