//! Lanes in x86 registers: two 128-bit registers for SSE4.2, one 256-bit register for AVX2 and AVX-512.

#[cfg(target_arch = "x86")]
use std::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::halves::{Half, Halves, columns_by_rows};
use super::lanes::{Lanes, scalar_weighed_counts};
use crate::board::bitboard::Bitboard;

/// Lanes in two 128-bit registers, for SSE4.2 and POPCNT. Only for code called through [`Lanes::call`].
pub type Sse42Lanes = Halves<__m128i>;
/// Lanes for AVX2.
pub type Avx2Lanes = WideLanes<false>;
/// Lanes for AVX-512. The source code is that of AVX2 except for bit counts; the compiler uses an AVX-512 instruction
/// where it replaces several others.
pub type Avx512Lanes = WideLanes<true>;

/// Lanes in one 256-bit register. Only for code called through [`Lanes::call`]. `COUNTS` is true for AVX-512, whose
/// VPOPCNTQ counts the bits of each lane.
#[derive(Clone, Copy)]
pub struct WideLanes<const COUNTS: bool>(__m256i);

/// Calls an x86 intrinsic.
macro_rules! x86 {
    ($expression:expr) => {
        // SAFETY: values of these types exist only in functions that run after the instructions were detected.
        unsafe { $expression }
    };
}

/// Begins to load the cache line of `value`, which is read soon.
#[cfg(target_feature = "sse")]
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    // SAFETY: the whole program is compiled for SSE, which has the instruction; it changes nothing but the caches.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
}

/// Expands to an expression that is true if the processor has all these features.
macro_rules! detected {
    ($($feature:tt),*) => { $(is_x86_feature_detected!($feature))&&* };
}

#[target_feature(enable = "sse4.2,popcnt")]
fn with_sse42<R>(task: impl FnOnce() -> R) -> R {
    task()
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<R>(task: impl FnOnce() -> R) -> R {
    task()
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi2,avx512vpopcntdq")]
fn with_avx512<R>(task: impl FnOnce() -> R) -> R {
    task()
}

impl Half for __m128i {
    const NAME: &'static str = "sse4.2";

    fn is_supported() -> bool {
        detected!("popcnt", "sse4.2")
    }
    #[inline(always)]
    fn call<R>(task: impl FnOnce() -> R) -> R {
        x86!(with_sse42(task))
    }
    inlined! {
        fn new(lanes: [u64; 2]) -> Self = bytemuck::cast(lanes);
        fn to_array(self) -> [u64; 2] = bytemuck::cast(self);
        fn and(self, other: Self) -> Self = x86!(_mm_and_si128(self, other));
        fn or(self, other: Self) -> Self = x86!(_mm_or_si128(self, other));
        fn xor(self, other: Self) -> Self = x86!(_mm_xor_si128(self, other));
        fn without(self, other: Self) -> Self = x86!(_mm_andnot_si128(other, self));
        fn left(self, distance: u32) -> Self = x86!(_mm_sll_epi64(self, _mm_cvtsi32_si128(distance as i32)));
        fn right(self, distance: u32) -> Self = x86!(_mm_srl_epi64(self, _mm_cvtsi32_si128(distance as i32)));
        fn exchanged(self) -> Self = x86!(_mm_shuffle_epi32::<0b01_00_11_10>(self));
        fn plus(self, numbers: Self) -> Self = x86!(_mm_add_epi16(self, numbers));
        fn times(self, factor: i16) -> Self = x86!(_mm_mullo_epi16(self, _mm_set1_epi16(factor)));
        fn dot(self, numbers: Self) -> i32 = sum_of_four(x86!(_mm_madd_epi16(self, numbers)));
    }
    #[inline(always)]
    fn columns(sets: [u128; 8]) -> [u64; 16] {
        let low = |a, b| x86!(_mm_unpacklo_epi8(a, b));
        let high = |a, b| x86!(_mm_unpackhi_epi8(a, b));
        bytemuck::cast(columns_by_rows(bytemuck::cast::<_, [__m128i; 8]>(sets), low, high))
    }
}

/// Returns the sum of the four 32-bit lanes.
#[inline(always)]
fn sum_of_four(numbers: __m128i) -> i32 {
    x86!({
        let pairs = _mm_add_epi32(numbers, _mm_shuffle_epi32::<0b01_00_11_10>(numbers));
        _mm_cvtsi128_si32(_mm_add_epi32(pairs, _mm_shuffle_epi32::<0b10_11_00_01>(pairs)))
    })
}

#[inline(always)]
fn distances(a: u32, b: u32) -> __m256i {
    let (a, b) = (i64::from(a), i64::from(b));
    x86!(_mm256_set_epi64x(b, b, a, a))
}

/// Broadcasts the lower 64 bits of a set to all lanes of one register, and the upper 64 bits to those of another.
#[inline(always)]
fn halves(set: Bitboard) -> (__m256i, __m256i) {
    x86!((_mm256_set1_epi64x(set.0 as i64), _mm256_set1_epi64x((set.0 >> 64) as i64)))
}

/// Funnel shift. Returns the low 64 bits of `(next * 2^64 + word) >> (place % 64)`. `next` is shifted left by 1 and
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

/// Zero-extends one number into each lane.
#[inline(always)]
fn numbers([a, b, c, d]: [u32; 4]) -> __m256i {
    x86!(_mm256_set_epi64x(d.into(), c.into(), b.into(), a.into()))
}

impl<const COUNTS: bool> WideLanes<COUNTS> {
    /// Counts the bits of each lane by VPOPCNTQ. Only allowed if `COUNTS` is true.
    #[inline(always)]
    fn bits(self) -> __m256i {
        x86!(_mm256_popcnt_epi64(self.0))
    }

    /// Counts the bits of each byte: PSHUFB looks up the counts of the two nibbles (Mula, Kurz, Lemire 2018,
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

/// Returns the lanes as 32-bit numbers; each must be below 2^32.
#[inline(always)]
fn small_numbers(lanes: __m256i) -> [u32; 4] {
    let [a, b, c, d]: [u64; 4] = bytemuck::cast(lanes);
    [a as u32, b as u32, c as u32, d as u32]
}

impl<const COUNTS: bool> Lanes for WideLanes<COUNTS> {
    const NAME: &'static str = if COUNTS { "avx-512" } else { "avx2" };

    fn is_supported() -> bool {
        let has_avx2 = Sse42Lanes::is_supported() && detected!("avx2", "bmi1", "bmi2", "lzcnt");
        let has_avx512 =
            || detected!("avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512vbmi2", "avx512vpopcntdq");
        has_avx2 && (!COUNTS || has_avx512())
    }
    #[inline(always)]
    fn call<R>(task: impl FnOnce() -> R) -> R {
        if COUNTS { x86!(with_avx512(task)) } else { x86!(with_avx2(task)) }
    }
    inlined! {
        fn new(lanes: [u64; 4]) -> Self = Self(bytemuck::cast(lanes));
        fn to_array(self) -> [u64; 4] = bytemuck::cast(self.0);
        fn and(self, other: Self) -> Self = Self(x86!(_mm256_and_si256(self.0, other.0)));
        fn or(self, other: Self) -> Self = Self(x86!(_mm256_or_si256(self.0, other.0)));
        fn xor(self, other: Self) -> Self = Self(x86!(_mm256_xor_si256(self.0, other.0)));
        fn left(self, a: u32, b: u32) -> Self = Self(x86!(_mm256_sllv_epi64(self.0, distances(a, b))));
        fn right(self, a: u32, b: u32) -> Self = Self(x86!(_mm256_srlv_epi64(self.0, distances(a, b))));
        fn without(self, other: Self) -> Self = Self(x86!(_mm256_andnot_si256(other.0, self.0)));
        fn pairs_exchanged(self) -> Self = Self(x86!(_mm256_shuffle_epi32::<0b01_00_11_10>(self.0)));
        fn swapped(self) -> Self = Self(x86!(_mm256_permute4x64_epi64::<0b01_00_11_10>(self.0)));
        fn plus(self, numbers: Self) -> Self = Self(x86!(_mm256_add_epi16(self.0, numbers.0)));
        fn columns(sets: [u128; 8]) -> [u64; 16] = Sse42Lanes::columns(sets);
    }
    #[inline(always)]
    fn plus_scaled(self, numbers: Self, factor: i16) -> Self {
        let product = x86!(_mm256_mullo_epi16(numbers.0, _mm256_set1_epi16(factor)));
        Self(x86!(_mm256_add_epi16(self.0, product)))
    }
    #[inline(always)]
    fn dot(self, numbers: Self) -> i32 {
        let products = x86!(_mm256_madd_epi16(self.0, numbers.0));
        sum_of_four(x86!(_mm_add_epi32(
            _mm256_castsi256_si128(products),
            _mm256_extracti128_si256::<1>(products)
        )))
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
            return scalar_weighed_counts(numbers, digits);
        }
        let numbers = Self::new(numbers);
        let mut sum = x86!(_mm256_setzero_si256());
        for &digit in digits.iter().rev() {
            sum = x86!(_mm256_add_epi64(_mm256_add_epi64(sum, sum), Self::new(digit).and(numbers).bits()));
        }
        small_numbers(sum)
    }
}
