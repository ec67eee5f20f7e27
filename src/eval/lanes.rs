//! Four 64-bit lanes side by side, and four boards made of them, in several instruction sets.
//!
//! A flood looks at two sides and eight directions. [`Boards`] holds four boards at once: two
//! directions for each of the two sides (Black, White, Black, White). The upper and the lower 64 bits
//! of the four boards lie in different registers, so that shifting a board needs no exchange between
//! lanes: every operation works lane by lane, and each pair of lanes has a shift of its own.

use crate::board::bitboard::Bitboard;
use std::sync::LazyLock;

/// An instruction set to compute with, slowest first. All give the same bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kernel {
    /// Plain 64-bit arithmetic, whatever the processor.
    Portable,
    /// 128-bit registers, and an instruction that counts bits: Intel since 2008, AMD since 2011.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Sse42,
    /// 256-bit registers: Intel since 2013, AMD since 2015.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx2,
    /// 256-bit registers and what AVX-512 has for them, such as shifts across two numbers and three-way logic: Intel
    /// servers since 2021, AMD since 2022.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx512,
}

/// Something to do by a kernel. What `run` calls must be inlined into it, or it is not compiled for the kernel.
pub trait Work {
    /// What comes out.
    type Output;
    /// Does it with the lanes of a kernel; to be marked `#[inline(always)]`.
    fn run<L: Lanes>(self) -> Self::Output;
}

impl Kernel {
    /// The fastest kernel of the processor this runs on.
    pub fn fastest() -> Self {
        static FASTEST: LazyLock<Kernel> = LazyLock::new(Kernel::find);
        *FASTEST
    }

    /// Those for this kind of processor, slowest first.
    const ALL: &[Self] = &[
        Self::Portable,
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Self::Sse42,
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Self::Avx2,
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Self::Avx512,
    ];

    /// How many there are for this kind of processor.
    pub const COUNT: usize = Self::ALL.len();

    /// One word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse42 => "sse4.2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => "avx2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => "avx-512",
        }
    }

    /// All that this processor has, slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|&kernel| kernel <= Self::fastest())
    }

    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    fn find() -> Self {
        Self::Portable
    }

    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    fn find() -> Self {
        let sse42 = is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("sse4.2");
        let avx2 = sse42
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512vpopcntdq");
        if avx512 {
            Self::Avx512
        } else if avx2 {
            Self::Avx2
        } else if sse42 {
            Self::Sse42
        } else {
            Self::Portable
        }
    }

    /// Does something by this kernel, or by the fastest that this processor has if it lacks this one.
    #[inline]
    pub fn run<W: Work>(self, work: W) -> W::Output {
        match self.min(Self::fastest()) {
            Self::Portable => work.run::<PortableLanes>(),
            // SAFETY: the processor has what this kernel needs, since it has what the fastest one needs.
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse42 => unsafe { run_sse42(work) },
            // SAFETY: likewise.
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => unsafe { run_avx2(work) },
            // SAFETY: likewise.
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => unsafe { run_avx512(work) },
        }
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[target_feature(enable = "sse4.2,popcnt")]
fn run_sse42<W: Work>(work: W) -> W::Output {
    work.run::<Sse2Lanes>()
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx2<W: Work>(work: W) -> W::Output {
    work.run::<Avx2Lanes>()
}

/// All but the counts is written for AVX2: the compiler finds where one new instruction does the work of several.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi2,avx512vpopcntdq")]
fn run_avx512<W: Work>(work: W) -> W::Output {
    work.run::<Avx512Lanes>()
}

/// Four 64-bit numbers; lanes 0 and 1 share a shift distance, lanes 2 and 3 another.
pub trait Lanes: Copy {
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
    /// For each of four squares, below 127, the 64 that follow it, as much of a set as is there, the next one in the
    /// lowest bit.
    #[inline(always)]
    fn above(set: Bitboard, squares: [u32; 4]) -> Self {
        let mut lanes = [0; 4];
        for (lane, square) in lanes.iter_mut().zip(squares) {
            *lane = (set.0 >> square >> 1) as u64;
        }
        Self::new(lanes)
    }
    /// For each of four squares the 64 before it, the one just before in the highest bit.
    #[inline(always)]
    fn below(set: Bitboard, squares: [u32; 4]) -> Self {
        let mut lanes = [0; 4];
        for (lane, square) in lanes.iter_mut().zip(squares) {
            *lane =
                if square < 64 { (set.0 << (64 - square)) as u64 } else { (set.0 >> (square - 64)) as u64 };
        }
        Self::new(lanes)
    }
    /// The sum of the numbers at the 64 places of each lane, their binary digits spread over these, the lowest first.
    #[inline(always)]
    fn sums<const DIGITS: usize>(digits: [Self; DIGITS]) -> [u32; 4] {
        sums(digits)
    }
    /// How many bits each of these numbers has in common with that of the four in its lane, those of the first counted
    /// once, of the others twice, four times, eight times.
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
    /// Lanes 0 and 1 of this and of the other, and lanes 2 and 3 of both.
    fn halves_joined(self, other: Self) -> (Self, Self);
    /// The bit at this place, below 64, of each lane, that of lane 0 lowest.
    fn digits(self, place: u32) -> u32;
}

/// [`Lanes::sums`] one by one.
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

/// [`Lanes::weighed_counts`] one by one.
#[inline(always)]
fn weighed_counts(numbers: [u64; 4], digits: &[[u64; 4]; 4]) -> [u32; 4] {
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
    fn pairs_exchanged(self) -> Self {
        Self([self.0[1], self.0[0], self.0[3], self.0[2]])
    }
    #[inline(always)]
    fn digits(self, place: u32) -> u32 {
        let digit = |lane: usize| (self.0[lane] >> place & 1) as u32;
        digit(0) | digit(1) << 1 | digit(2) << 2 | digit(3) << 3
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use x86::{Avx2Lanes, Avx512Lanes, Sse2Lanes};

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86 {
    #[cfg(target_arch = "x86")]
    use std::arch::x86::*;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::*;

    use super::Lanes;
    use crate::board::bitboard::Bitboard;

    /// The lanes in two 128-bit registers. Only code compiled for SSE2 may use it; it is entered through
    /// [`super::Kernel::run`] alone.
    #[derive(Clone, Copy)]
    pub struct Sse2Lanes([__m128i; 2]);

    /// The lanes in one 256-bit register. Only code compiled for AVX2 may use it; it is entered through
    /// [`super::Kernel::run`] alone. The processor has an instruction that counts the bits of each lane, or not.
    #[derive(Clone, Copy)]
    pub struct WideLanes<const COUNTS: bool>(__m256i);

    /// Those of AVX2.
    pub type Avx2Lanes = WideLanes<false>;
    /// Those of AVX-512.
    pub type Avx512Lanes = WideLanes<true>;

    /// Wraps one intrinsic. The instructions exist wherever these types are used.
    macro_rules! x86 {
        ($expression:expr) => {
            // SAFETY: values of these types live only in functions that run after the instructions were found.
            unsafe { $expression }
        };
    }

    impl Lanes for Sse2Lanes {
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
            Self(x86!([
                _mm_sll_epi64(first, _mm_cvtsi32_si128(a)),
                _mm_sll_epi64(second, _mm_cvtsi32_si128(b))
            ]))
        }
        #[inline(always)]
        fn right(self, a: u32, b: u32) -> Self {
            let [first, second] = self.0;
            let (a, b) = (a as i32, b as i32);
            Self(x86!([
                _mm_srl_epi64(first, _mm_cvtsi32_si128(a)),
                _mm_srl_epi64(second, _mm_cvtsi32_si128(b))
            ]))
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
        fn halves_joined(self, other: Self) -> (Self, Self) {
            let ([a, b], [c, d]) = (self.0, other.0);
            (Self([a, c]), Self([b, d]))
        }
        #[inline(always)]
        fn pairs_exchanged(self) -> Self {
            let [first, second] = self.0;
            Self(x86!([
                _mm_shuffle_epi32::<0b01_00_11_10>(first),
                _mm_shuffle_epi32::<0b01_00_11_10>(second)
            ]))
        }
        #[inline(always)]
        fn digits(self, place: u32) -> u32 {
            let [first, second] = self.0;
            x86!({
                let distance = _mm_cvtsi32_si128(63 - place as i32);
                let first = _mm_movemask_pd(_mm_castsi128_pd(_mm_sll_epi64(first, distance)));
                let second = _mm_movemask_pd(_mm_castsi128_pd(_mm_sll_epi64(second, distance)));
                (first | second << 2) as u32
            })
        }
    }

    #[inline(always)]
    fn distances(a: u32, b: u32) -> __m256i {
        let (a, b) = (i64::from(a), i64::from(b));
        x86!(_mm256_set_epi64x(b, b, a, a))
    }

    /// The lower half of a set in all lanes, and the upper half.
    #[inline(always)]
    fn halves(set: Bitboard) -> (__m256i, __m256i) {
        x86!((_mm256_set1_epi64x(set.0 as i64), _mm256_set1_epi64x((set.0 >> 64) as i64)))
    }

    /// The 64 bits from a place of `word`, counted modulo 64, on into the next word. The shifts are less than 64, or
    /// the compiler would guard them.
    #[inline(always)]
    fn across(word: __m256i, next: __m256i, place: __m256i) -> __m256i {
        x86!({
            let most = _mm256_set1_epi64x(63);
            let place = _mm256_and_si256(place, most);
            let rest = _mm256_xor_si256(place, most);
            _mm256_or_si256(
                _mm256_srlv_epi64(word, place),
                _mm256_sllv_epi64(_mm256_slli_epi64::<1>(next), rest),
            )
        })
    }

    /// A number in each lane.
    #[inline(always)]
    fn numbers([a, b, c, d]: [u32; 4]) -> __m256i {
        x86!(_mm256_set_epi64x(d.into(), c.into(), b.into(), a.into()))
    }

    impl<const COUNTS: bool> WideLanes<COUNTS> {
        /// How many bits are set in each lane, if there is an instruction for it.
        #[inline(always)]
        fn bits(self) -> __m256i {
            x86!(_mm256_popcnt_epi64(self.0))
        }

        /// How many bits are set in each byte: those of its two halves are looked up.
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

    /// The numbers in the lanes, all of them below 2^32.
    #[inline(always)]
    fn small_numbers(lanes: __m256i) -> [u32; 4] {
        let [a, b, c, d]: [u64; 4] = bytemuck::cast(lanes);
        [a as u32, b as u32, c as u32, d as u32]
    }

    impl<const COUNTS: bool> Lanes for WideLanes<COUNTS> {
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
                // A byte has room for five digits of its eight numbers.
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
                return super::weighed_counts(numbers, digits);
            }
            let numbers = Self::new(numbers);
            let mut sum = x86!(_mm256_setzero_si256());
            for &digit in digits.iter().rev() {
                sum =
                    x86!(_mm256_add_epi64(_mm256_add_epi64(sum, sum), Self::new(digit).and(numbers).bits()));
            }
            small_numbers(sum)
        }
        #[inline(always)]
        fn digits(self, place: u32) -> u32 {
            x86!({
                let highest = _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(63 - place as i32));
                _mm256_movemask_pd(_mm256_castsi256_pd(highest)) as u32
            })
        }
    }
}

/// Four boards: Black, White, Black, White.
#[derive(Clone, Copy)]
pub struct Boards<L> {
    low: L,
    high: L,
}

impl<L: Lanes> Boards<L> {
    /// Black's set in boards 0 and 2, White's in boards 1 and 3.
    #[inline(always)]
    pub fn of_sides([black, white]: [Bitboard; 2]) -> Self {
        let low = [black.0 as u64, white.0 as u64];
        let high = [(black.0 >> 64) as u64, (white.0 >> 64) as u64];
        Self {
            low: L::new([low[0], low[1], low[0], low[1]]),
            high: L::new([high[0], high[1], high[0], high[1]]),
        }
    }

    /// The same set in all four.
    #[inline(always)]
    pub fn splat(set: Bitboard) -> Self {
        Self::of_sides([set; 2])
    }

    /// Boards 0 and 1.
    #[inline(always)]
    pub fn sides(self) -> SidePair {
        let (low, high) = (self.low.to_array(), self.high.to_array());
        SidePair { low: [low[0], low[1]], high: [high[0], high[1]] }
    }

    /// Squares in both.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { low: self.low.and(other.low), high: self.high.and(other.high) }
    }

    /// Squares in either.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self { low: self.low.or(other.low), high: self.high.or(other.high) }
    }

    /// Squares in exactly one.
    #[inline(always)]
    pub fn xor(self, other: Self) -> Self {
        Self { low: self.low.xor(other.low), high: self.high.xor(other.high) }
    }

    /// Boards 0 and 1 moved up by `a` square numbers, boards 2 and 3 by `b`; both from 1 to 63.
    #[inline(always)]
    pub fn up(self, a: u32, b: u32) -> Self {
        Self { low: self.low.left(a, b), high: self.high.left(a, b).or(self.low.right(64 - a, 64 - b)) }
    }

    /// Boards 0 and 1 moved down by `a` square numbers, boards 2 and 3 by `b`; both from 1 to 63.
    #[inline(always)]
    pub fn down(self, a: u32, b: u32) -> Self {
        Self { low: self.low.right(a, b).or(self.high.left(64 - a, 64 - b)), high: self.high.right(a, b) }
    }

    /// Boards 0 and 1, and boards 2 and 3, in the shape of [`SidePair::to_array`].
    #[inline(always)]
    pub fn pairs(self) -> (L, L) {
        self.low.halves_joined(self.high)
    }

    /// Each board in the place of the other one of its side.
    #[inline(always)]
    pub fn swapped(self) -> Self {
        Self { low: self.low.swapped(), high: self.high.swapped() }
    }

    /// Each board united with the other one of its side.
    #[inline(always)]
    pub fn merged(self) -> Self {
        self.or(self.swapped())
    }
}

/// One set of squares for each side, in the shape in which the lanes hold them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SidePair {
    pub(crate) low: [u64; 2],
    pub(crate) high: [u64; 2],
}

impl SidePair {
    /// Equal to nothing that is ever reached.
    pub(crate) const UNKNOWN: Self = Self { low: [u64::MAX; 2], high: [u64::MAX; 2] };

    /// The set of one side: 0 Black, 1 White.
    #[inline(always)]
    pub fn of(&self, side: usize) -> Bitboard {
        Bitboard(u128::from(self.low[side]) | u128::from(self.high[side]) << 64)
    }

    /// Squares in either, for each side.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        let unite = |a: [u64; 2], b: [u64; 2]| [a[0] | b[0], a[1] | b[1]];
        Self { low: unite(self.low, other.low), high: unite(self.high, other.high) }
    }

    /// [`SidePair::to_array`] in one set of lanes.
    #[inline(always)]
    pub fn lanes<L: Lanes>(&self) -> L {
        L::new(self.to_array())
    }

    /// The halves of both sides' sets: Black's low half, White's, Black's high half, White's.
    #[inline(always)]
    pub fn to_array(&self) -> [u64; 4] {
        [self.low[0], self.low[1], self.high[0], self.high[1]]
    }

    /// Whether neither side has a square.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.low[0] | self.low[1] | self.high[0] | self.high[1] == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// What each kernel of this processor makes of it.
    fn by_all_kernels<W: Work + Copy>(work: W) -> Vec<W::Output> {
        Kernel::available().map(|kernel| kernel.run(work)).collect()
    }

    #[derive(Clone, Copy)]
    struct Around(Bitboard, [u32; 4]);

    impl Work for Around {
        type Output = [[u64; 4]; 2];
        #[inline(always)]
        fn run<L: Lanes>(self) -> Self::Output {
            [L::above(self.0, self.1).to_array(), L::below(self.0, self.1).to_array()]
        }
    }

    #[test]
    fn above_and_below_are_the_squares_around() {
        let mut rng = Rng::with_seed(3);
        for first in 0..127 {
            let set = Bitboard(if first % 5 == 0 { u128::MAX } else { rng.u128(..) });
            let squares = [first, rng.u32(..127), 126 - first, rng.u32(60..68)];
            let bit = |square: i64| u64::from((0..128).contains(&square) && set.0 >> square & 1 == 1);
            let from = |square: i64| -> u64 { (0..64).map(|k| bit(square + k) << k).sum() };
            let above = squares.map(|square| from(i64::from(square) + 1));
            let below = squares.map(|square| from(i64::from(square) - 64));
            for around in by_all_kernels(Around(set, squares)) {
                assert_eq!(around, [above, below], "{squares:?} {set:?}");
            }
        }
    }

    #[derive(Clone, Copy)]
    struct Sums([[u64; 4]; 11]);

    impl Work for Sums {
        type Output = [[u32; 4]; 2];
        #[inline(always)]
        fn run<L: Lanes>(self) -> Self::Output {
            let [a, b, c, d, e, f, g, h, i, j, k] = self.0;
            let few = [L::new(a), L::new(b), L::new(c), L::new(d), L::new(e), L::new(f)];
            let [a, b, c, d, e, f] = few;
            [L::sums(few), L::sums([a, b, c, d, e, f, L::new(g), L::new(h), L::new(i), L::new(j), L::new(k)])]
        }
    }

    #[test]
    fn sums_are_those_of_the_numbers_at_all_places() {
        let mut rng = Rng::with_seed(4);
        for round in 0..200 {
            let digits: [[u64; 4]; 11] =
                std::array::from_fn(|_| [u64::MAX, rng.u64(..), rng.u64(..) & rng.u64(..), round]);
            let sum = |lane: usize, count: usize| -> u32 {
                (0..count).map(|place| digits[place][lane].count_ones() << place).sum()
            };
            let expected = [6, 11].map(|count| [0, 1, 2, 3].map(|lane| sum(lane, count)));
            for sums in by_all_kernels(Sums(digits)) {
                assert_eq!(sums, expected);
            }
        }
    }
}
