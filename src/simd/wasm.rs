//! Lanes in 128-bit registers of WebAssembly, two lanes each (<https://github.com/WebAssembly/simd>).
//!
//! A browser without these instructions refuses the whole module, so the module cannot detect them at run time. Every
//! browser that supports the web page has them.

use super::halves::{Half, Halves, columns_by_rows, sums_by_bytes};
use std::arch::wasm32::*;

/// Lanes in two 128-bit registers.
pub type Simd128Lanes = Halves<v128>;

impl Half for v128 {
    const NAME: &'static str = "simd128";

    inlined! {
        fn new([a, b]: [u64; 2]) -> Self = u64x2(a, b);
        fn to_array(self) -> [u64; 2] = [u64x2_extract_lane::<0>(self), u64x2_extract_lane::<1>(self)];
        fn and(self, other: Self) -> Self = v128_and(self, other);
        fn or(self, other: Self) -> Self = v128_or(self, other);
        fn xor(self, other: Self) -> Self = v128_xor(self, other);
        fn without(self, other: Self) -> Self = v128_andnot(self, other);
        fn left(self, distance: u32) -> Self = u64x2_shl(self, distance);
        fn right(self, distance: u32) -> Self = u64x2_shr(self, distance);
        fn exchanged(self) -> Self = i64x2_shuffle::<1, 0>(self, self);
        fn plus(self, numbers: Self) -> Self = i16x8_add(self, numbers);
        fn times(self, factor: i16) -> Self = i16x8_mul(self, i16x8_splat(factor));
        fn is_empty(self) -> bool = !v128_any_true(self);
    }
    #[inline(always)]
    fn dot(self, numbers: Self) -> i32 {
        let sums = i32x4_dot_i16x8(self, numbers);
        let sums = i32x4_add(sums, i64x2_shuffle::<1, 0>(sums, sums));
        i32x4_extract_lane::<0>(sums) + i32x4_extract_lane::<1>(sums)
    }
    #[inline(always)]
    fn sums<const DIGITS: usize>(digits: [Halves<Self>; DIGITS]) -> [u32; 4] {
        sums_by_bytes(digits, |bits| u8x16_popcnt(bits), |a, b| u8x16_add(a, b), sum_of_bytes)
    }
    #[inline(always)]
    fn columns(sets: [u128; 8]) -> [u64; 16] {
        let mut rows = [u64x2_splat(0); 8];
        for (row, set) in rows.iter_mut().zip(sets) {
            *row = u64x2(set as u64, (set >> 64) as u64);
        }
        let mut words = [0; 16];
        for (pair, row) in words.chunks_exact_mut(2).zip(columns_by_rows(rows, low, high)) {
            pair.copy_from_slice(&row.to_array());
        }
        words
    }
}

/// Returns the sum of the bytes of each 64-bit lane.
#[inline(always)]
fn sum_of_bytes(bytes: v128) -> [u32; 2] {
    let sums = u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(bytes));
    [
        u32x4_extract_lane::<0>(sums) + u32x4_extract_lane::<1>(sums),
        u32x4_extract_lane::<2>(sums) + u32x4_extract_lane::<3>(sums),
    ]
}

/// Interleaves the low eight bytes of two vectors.
#[inline(always)]
fn low(a: v128, b: v128) -> v128 {
    u8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b)
}

/// Interleaves the high eight bytes of two vectors.
#[inline(always)]
fn high(a: v128, b: v128) -> v128 {
    u8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b)
}
