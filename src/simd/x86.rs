//! Lanes in the registers of x86 processors: SSE2 (two registers of 128 bits), AVX2 and AVX-512 (one of 256).

#[cfg(target_arch = "x86")]
use std::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::kernel::{SimdTask, run_avx2, run_avx512, run_sse42};
use super::lanes::{self, Lanes};
use crate::board::bitboard::Bitboard;

/// Lanes in two 128-bit registers. Only for code compiled for SSE2, entered through [`super::Kernel::dispatch`].
#[derive(Clone, Copy)]
pub struct Sse2Lanes([__m128i; 2]);

/// Lanes in one 256-bit register. Only for code compiled for AVX2, entered through [`super::Kernel::dispatch`].
/// `COUNTS`: the processor has VPOPCNTQ, which counts the bits of each lane.
#[derive(Clone, Copy)]
pub struct WideLanes<const COUNTS: bool>(__m256i);

/// Lanes for AVX2.
pub type Avx2Lanes = WideLanes<false>;
/// Lanes for AVX-512.
pub type Avx512Lanes = WideLanes<true>;

/// Wraps an intrinsic. Its instructions exist wherever these types are used.
macro_rules! x86 {
    ($expression:expr) => {
        // SAFETY: values of these types exist only in functions that run after the instructions were detected.
        unsafe { $expression }
    };
}

impl Lanes for Sse2Lanes {
    #[inline(always)]
    fn call<T: SimdTask>(task: T) -> T::Output {
        x86!(run_sse42(task))
    }
    #[inline(always)]
    fn new(lanes: [u64; 4]) -> Self {
        Self(bytemuck::cast(lanes))
    }
    #[inline(always)]
    fn to_array(self) -> [u64; 4] {
        bytemuck::cast(self.0)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self(x86!([_mm_and_si128(a, c), _mm_and_si128(b, d)]))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self(x86!([_mm_or_si128(a, c), _mm_or_si128(b, d)]))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self(x86!([_mm_xor_si128(a, c), _mm_xor_si128(b, d)]))
    }
    #[inline(always)]
    fn left(self, a: u32, b: u32) -> Self {
        let [first, second] = self.0;
        let (a, b) = (a as i32, b as i32);
        Self(x86!([_mm_sll_epi64(first, _mm_cvtsi32_si128(a)), _mm_sll_epi64(second, _mm_cvtsi32_si128(b))]))
    }
    #[inline(always)]
    fn right(self, a: u32, b: u32) -> Self {
        let [first, second] = self.0;
        let (a, b) = (a as i32, b as i32);
        Self(x86!([_mm_srl_epi64(first, _mm_cvtsi32_si128(a)), _mm_srl_epi64(second, _mm_cvtsi32_si128(b))]))
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self(x86!([_mm_andnot_si128(c, a), _mm_andnot_si128(d, b)]))
    }
    #[inline(always)]
    fn swapped(self) -> Self {
        let [first, second] = self.0;
        Self([second, first])
    }
    #[inline(always)]
    fn plus_scaled(self, numbers: Self, factor: i16) -> Self {
        let ([a, b], [c, d]) = (self.0, numbers.0);
        x86!({
            let factor = _mm_set1_epi16(factor);
            Self([_mm_add_epi16(a, _mm_mullo_epi16(c, factor)), _mm_add_epi16(b, _mm_mullo_epi16(d, factor))])
        })
    }
    #[inline(always)]
    fn plus(self, numbers: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, numbers.0);
        Self(x86!([_mm_add_epi16(a, c), _mm_add_epi16(b, d)]))
    }
    #[inline(always)]
    fn halves_joined(self, other: Self) -> (Self, Self) {
        let ([a, b], [c, d]) = (self.0, other.0);
        (Self([a, c]), Self([b, d]))
    }
    #[inline(always)]
    fn pairs_exchanged(self) -> Self {
        let [first, second] = self.0;
        Self(x86!([_mm_shuffle_epi32::<0b01_00_11_10>(first), _mm_shuffle_epi32::<0b01_00_11_10>(second)]))
    }
    #[inline(always)]
    fn columns(sets: [u128; 8]) -> [u64; 16] {
        columns(sets)
    }
}

#[inline(always)]
fn distances(a: u32, b: u32) -> __m256i {
    let (a, b) = (i64::from(a), i64::from(b));
    x86!(_mm256_set_epi64x(b, b, a, a))
}

/// Broadcasts the lower and the upper half of a set to all lanes.
#[inline(always)]
fn halves(set: Bitboard) -> (__m256i, __m256i) {
    x86!((_mm256_set1_epi64x(set.0 as i64), _mm256_set1_epi64x((set.0 >> 64) as i64)))
}

/// Funnel shift: returns the low 64 bits of `(next * 2^64 + word) >> (place % 64)`. `next` is shifted left by 1 and
/// then by `63 - place % 64`, since the compiler would guard a single shift by 64.
#[inline(always)]
fn across(word: __m256i, next: __m256i, place: __m256i) -> __m256i {
    x86!({
        let most = _mm256_set1_epi64x(63);
        let place = _mm256_and_si256(place, most);
        let rest = _mm256_xor_si256(place, most);
        _mm256_or_si256(_mm256_srlv_epi64(word, place), _mm256_sllv_epi64(_mm256_slli_epi64::<1>(next), rest))
    })
}

/// Loads one number into each lane.
#[inline(always)]
fn numbers([a, b, c, d]: [u32; 4]) -> __m256i {
    x86!(_mm256_set_epi64x(d.into(), c.into(), b.into(), a.into()))
}

impl<const COUNTS: bool> WideLanes<COUNTS> {
    /// Counts the bits of each lane (VPOPCNTQ). Requires `COUNTS`.
    #[inline(always)]
    fn bits(self) -> __m256i {
        x86!(_mm256_popcnt_epi64(self.0))
    }

    /// Counts the bits of each byte: PSHUFB looks up those of its nibbles (Mula, Kurz, Lemire 2018,
    /// <https://arxiv.org/abs/1611.07612>).
    #[inline(always)]
    fn bits_of_bytes(self) -> __m256i {
        x86!({
            let table = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
            let table = _mm256_broadcastsi128_si256(table);
            let half = _mm256_set1_epi8(15);
            let low = _mm256_and_si256(self.0, half);
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(self.0), half);
            _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high))
        })
    }
}

/// Stores lanes whose numbers are below 2^32.
#[inline(always)]
fn small_numbers(lanes: __m256i) -> [u32; 4] {
    let [a, b, c, d]: [u64; 4] = bytemuck::cast(lanes);
    [a as u32, b as u32, c as u32, d as u32]
}

impl<const COUNTS: bool> Lanes for WideLanes<COUNTS> {
    #[inline(always)]
    fn call<T: SimdTask>(task: T) -> T::Output {
        if COUNTS { x86!(run_avx512(task)) } else { x86!(run_avx2(task)) }
    }
    #[inline(always)]
    fn new(lanes: [u64; 4]) -> Self {
        Self(bytemuck::cast(lanes))
    }
    #[inline(always)]
    fn to_array(self) -> [u64; 4] {
        bytemuck::cast(self.0)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(x86!(_mm256_and_si256(self.0, other.0)))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(x86!(_mm256_or_si256(self.0, other.0)))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(x86!(_mm256_xor_si256(self.0, other.0)))
    }
    #[inline(always)]
    fn left(self, a: u32, b: u32) -> Self {
        Self(x86!(_mm256_sllv_epi64(self.0, distances(a, b))))
    }
    #[inline(always)]
    fn right(self, a: u32, b: u32) -> Self {
        Self(x86!(_mm256_srlv_epi64(self.0, distances(a, b))))
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Self(x86!(_mm256_andnot_si256(other.0, self.0)))
    }
    #[inline(always)]
    fn pairs_exchanged(self) -> Self {
        Self(x86!(_mm256_shuffle_epi32::<0b01_00_11_10>(self.0)))
    }
    #[inline(always)]
    fn swapped(self) -> Self {
        Self(x86!(_mm256_permute4x64_epi64::<0b01_00_11_10>(self.0)))
    }
    #[inline(always)]
    fn plus_scaled(self, numbers: Self, factor: i16) -> Self {
        let product = x86!(_mm256_mullo_epi16(numbers.0, _mm256_set1_epi16(factor)));
        Self(x86!(_mm256_add_epi16(self.0, product)))
    }
    #[inline(always)]
    fn plus(self, numbers: Self) -> Self {
        Self(x86!(_mm256_add_epi16(self.0, numbers.0)))
    }
    #[inline(always)]
    fn halves_joined(self, other: Self) -> (Self, Self) {
        x86!((
            Self(_mm256_permute2x128_si256::<0x20>(self.0, other.0)),
            Self(_mm256_permute2x128_si256::<0x31>(self.0, other.0))
        ))
    }
    #[inline(always)]
    fn above(set: Bitboard, squares: [u32; 4]) -> Self {
        let ((low, high), squares) = (halves(set), numbers(squares));
        x86!({
            let is_high = _mm256_cmpgt_epi64(squares, _mm256_set1_epi64x(62));
            let word = _mm256_blendv_epi8(low, high, is_high);
            let next = _mm256_andnot_si256(is_high, high);
            Self(across(word, next, _mm256_add_epi64(squares, _mm256_set1_epi64x(1))))
        })
    }
    #[inline(always)]
    fn below(set: Bitboard, squares: [u32; 4]) -> Self {
        let ((low, high), squares) = (halves(set), numbers(squares));
        x86!({
            let is_high = _mm256_cmpgt_epi64(squares, _mm256_set1_epi64x(63));
            let word = _mm256_and_si256(is_high, low);
            let next = _mm256_blendv_epi8(low, high, is_high);
            Self(across(word, next, squares))
        })
    }
    #[inline(always)]
    fn sums<const DIGITS: usize>(digits: [Self; DIGITS]) -> [u32; 4] {
        let nothing = x86!(_mm256_setzero_si256());
        let (mut sum, mut bytes) = (nothing, nothing);
        for (place, digit) in digits.into_iter().enumerate().rev() {
            if COUNTS {
                sum = x86!(_mm256_add_epi64(_mm256_add_epi64(sum, sum), digit.bits()));
                continue;
            }
            bytes = x86!(_mm256_add_epi8(_mm256_add_epi8(bytes, bytes), digit.bits_of_bytes()));
            // Horner's rule in bytes: eight numbers of five digits add up to at most 8 * 31 < 256.
            if place % 5 == 0 {
                let part = x86!(_mm256_sad_epu8(bytes, nothing));
                sum = x86!(_mm256_add_epi64(_mm256_slli_epi64::<5>(sum), part));
                bytes = nothing;
            }
        }
        small_numbers(sum)
    }
    #[inline(always)]
    fn weighed_counts(numbers: [u64; 4], digits: &[[u64; 4]; 4]) -> [u32; 4] {
        if !COUNTS {
            return lanes::weighed_counts(numbers, digits);
        }
        let numbers = Self::new(numbers);
        let mut sum = x86!(_mm256_setzero_si256());
        for &digit in digits.iter().rev() {
            sum = x86!(_mm256_add_epi64(_mm256_add_epi64(sum, sum), Self::new(digit).and(numbers).bits()));
        }
        small_numbers(sum)
    }
    #[inline(always)]
    fn columns(sets: [u128; 8]) -> [u64; 16] {
        columns(sets)
    }
}

/// [`Lanes::columns`] in three steps, each of which interleaves the bytes of two rows (PUNPCKLBW, PUNPCKHBW).
#[inline(always)]
fn columns(sets: [u128; 8]) -> [u64; 16] {
    let mut rows: [__m128i; 8] = bytemuck::cast(sets);
    for _ in 0..3 {
        // Pairs row k with row k + 4. After three steps every byte is in its place.
        let [a, b, c, d, e, f, g, h] = rows;
        rows = x86!([
            _mm_unpacklo_epi8(a, e),
            _mm_unpackhi_epi8(a, e),
            _mm_unpacklo_epi8(b, f),
            _mm_unpackhi_epi8(b, f),
            _mm_unpacklo_epi8(c, g),
            _mm_unpackhi_epi8(c, g),
            _mm_unpacklo_epi8(d, h),
            _mm_unpackhi_epi8(d, h)
        ]);
    }
    bytemuck::cast(rows)
}
