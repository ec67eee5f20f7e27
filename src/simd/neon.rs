//! Lanes in 128-bit NEON registers, two lanes each. Every AArch64 processor has NEON, so there is no detection at run
//! time.

use super::halves::{Half, Halves, columns_by_rows, sums_by_bytes};
use std::arch::aarch64::*;

/// Calls a NEON intrinsic.
macro_rules! neon {
    ($expression:expr) => {
        // SAFETY: every AArch64 processor has NEON.
        unsafe { $expression }
    };
}

/// Lanes in two 128-bit registers.
pub type NeonLanes = Halves<uint64x2_t>;

impl Half for uint64x2_t {
    const NAME: &'static str = "neon";

    inlined! {
        fn new([a, b]: [u64; 2]) -> Self = neon!(vcombine_u64(vcreate_u64(a), vcreate_u64(b)));
        fn to_array(self) -> [u64; 2] = neon!([vgetq_lane_u64::<0>(self), vgetq_lane_u64::<1>(self)]);
        fn and(self, other: Self) -> Self = neon!(vandq_u64(self, other));
        fn or(self, other: Self) -> Self = neon!(vorrq_u64(self, other));
        fn xor(self, other: Self) -> Self = neon!(veorq_u64(self, other));
        fn without(self, other: Self) -> Self = neon!(vbicq_u64(self, other));
        fn left(self, distance: u32) -> Self = neon!(vshlq_u64(self, vdupq_n_s64(distance.into())));
        /// Shifts right, by a left shift with a negative distance.
        fn right(self, distance: u32) -> Self = neon!(vshlq_u64(self, vdupq_n_s64(-i64::from(distance))));
        fn exchanged(self) -> Self = neon!(vextq_u64::<1>(self, self));
        fn times(self, factor: i16) -> Self =
            neon!(vreinterpretq_u64_s16(vmulq_n_s16(vreinterpretq_s16_u64(self), factor)));
        fn dot(self, numbers: Self) -> i32 = neon!({
            let (numbers, factors) = (vreinterpretq_s16_u64(self), vreinterpretq_s16_u64(numbers));
            let products = vmull_s16(vget_low_s16(numbers), vget_low_s16(factors));
            vaddvq_s32(vmlal_high_s16(products, numbers, factors))
        });
        fn is_empty(self) -> bool = neon!(vmaxvq_u32(vreinterpretq_u32_u64(self))) == 0;
    }
    #[inline(always)]
    fn plus(self, numbers: Self) -> Self {
        neon!(vreinterpretq_u64_u16(vaddq_u16(vreinterpretq_u16_u64(self), vreinterpretq_u16_u64(numbers))))
    }
    #[inline(always)]
    fn sums<const DIGITS: usize>(digits: [Halves<Self>; DIGITS]) -> [u32; 4] {
        sums_by_bytes(digits, bits_of_bytes, bytes_added, sum_of_bytes)
    }
    #[inline(always)]
    fn columns(sets: [u128; 8]) -> [u64; 16] {
        let mut rows = [neon!(vdupq_n_u8(0)); 8];
        for (row, set) in rows.iter_mut().zip(sets) {
            *row = neon!(vreinterpretq_u8_u64(Self::new([set as u64, (set >> 64) as u64])));
        }
        let mut words = [0; 16];
        let rows = columns_by_rows(rows, |a, b| neon!(vzip1q_u8(a, b)), |a, b| neon!(vzip2q_u8(a, b)));
        for (pair, row) in words.chunks_exact_mut(2).zip(rows) {
            pair.copy_from_slice(&neon!(vreinterpretq_u64_u8(row)).to_array());
        }
        words
    }
}

/// Counts the bits of each byte.
#[inline(always)]
fn bits_of_bytes(lanes: uint64x2_t) -> uint64x2_t {
    neon!(vreinterpretq_u64_u8(vcntq_u8(vreinterpretq_u8_u64(lanes))))
}

#[inline(always)]
fn bytes_added(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
    neon!(vreinterpretq_u64_u8(vaddq_u8(vreinterpretq_u8_u64(a), vreinterpretq_u8_u64(b))))
}

/// Returns the sum of the bytes of each 64-bit lane.
#[inline(always)]
fn sum_of_bytes(bytes: uint64x2_t) -> [u32; 2] {
    neon!(vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vreinterpretq_u8_u64(bytes)))).to_array().map(|sum| sum as u32))
}
