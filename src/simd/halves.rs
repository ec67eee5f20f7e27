//! Lanes in two 128-bit halves, for processors with 128-bit vector registers or no vector registers.

use super::lanes::{Lanes, scalar_sums};

/// Four lanes: lanes 0 and 1 in one half, lanes 2 and 3 in the other.
#[derive(Clone, Copy)]
pub struct Halves<H>([H; 2]);

/// Lanes as plain integers, for processors without the vector instructions of another kernel.
pub type PortableLanes = Halves<[u64; 2]>;

/// Two 64-bit lanes, such as a 128-bit register. Each method does for two lanes what its namesake in [`Lanes`] does for
/// four.
pub trait Half: Copy {
    const NAME: &'static str;
    const ARE_PORTABLE: bool = false;

    fn is_supported() -> bool {
        true
    }
    #[inline(never)]
    fn call<R>(task: impl FnOnce() -> R) -> R {
        task()
    }
    fn new(lanes: [u64; 2]) -> Self;
    fn to_array(self) -> [u64; 2];
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn without(self, other: Self) -> Self;
    fn left(self, distance: u32) -> Self;
    fn right(self, distance: u32) -> Self;
    /// Exchanges the two lanes.
    fn exchanged(self) -> Self;
    fn plus(self, numbers: Self) -> Self;
    fn times(self, factor: i16) -> Self;
    fn dot(self, numbers: Self) -> i32;
    /// True if no bit is set.
    #[inline(always)]
    fn is_empty(self) -> bool {
        let [a, b] = self.to_array();
        a | b == 0
    }
    #[inline(always)]
    fn sums<const DIGITS: usize>(digits: [Halves<Self>; DIGITS]) -> [u32; 4] {
        scalar_sums(digits)
    }
    fn columns(sets: [u128; 8]) -> [u64; 16];
}

impl<H: Half> Lanes for Halves<H> {
    const NAME: &'static str = H::NAME;
    const ARE_PORTABLE: bool = H::ARE_PORTABLE;

    fn is_supported() -> bool {
        H::is_supported()
    }
    #[inline(always)]
    fn call<R>(task: impl FnOnce() -> R) -> R {
        H::call(task)
    }
    inlined! {
        fn new([a, b, c, d]: [u64; 4]) -> Self = Self([H::new([a, b]), H::new([c, d])]);
        fn and(self, other: Self) -> Self = Self([self.0[0].and(other.0[0]), self.0[1].and(other.0[1])]);
        fn or(self, other: Self) -> Self = Self([self.0[0].or(other.0[0]), self.0[1].or(other.0[1])]);
        fn xor(self, other: Self) -> Self = Self([self.0[0].xor(other.0[0]), self.0[1].xor(other.0[1])]);
        fn without(self, other: Self) -> Self =
            Self([self.0[0].without(other.0[0]), self.0[1].without(other.0[1])]);
        fn left(self, a: u32, b: u32) -> Self = Self([self.0[0].left(a), self.0[1].left(b)]);
        fn right(self, a: u32, b: u32) -> Self = Self([self.0[0].right(a), self.0[1].right(b)]);
        fn swapped(self) -> Self = Self([self.0[1], self.0[0]]);
        fn pairs_exchanged(self) -> Self = Self([self.0[0].exchanged(), self.0[1].exchanged()]);
        fn halves_joined(self, other: Self) -> (Self, Self) =
            (Self([self.0[0], other.0[0]]), Self([self.0[1], other.0[1]]));
        fn plus(self, numbers: Self) -> Self =
            Self([self.0[0].plus(numbers.0[0]), self.0[1].plus(numbers.0[1])]);
        fn plus_scaled(self, numbers: Self, factor: i16) -> Self =
            self.plus(Self([numbers.0[0].times(factor), numbers.0[1].times(factor)]));
        fn dot(self, numbers: Self) -> i32 = self.0[0].dot(numbers.0[0]) + self.0[1].dot(numbers.0[1]);
        fn columns(sets: [u128; 8]) -> [u64; 16] = H::columns(sets);
        fn is_empty(self) -> bool = self.0[0].or(self.0[1]).is_empty();
    }
    #[inline(always)]
    fn to_array(self) -> [u64; 4] {
        let ([a, b], [c, d]) = (self.0[0].to_array(), self.0[1].to_array());
        [a, b, c, d]
    }
    #[inline(always)]
    fn sums<const DIGITS: usize>(digits: [Self; DIGITS]) -> [u32; 4] {
        H::sums(digits)
    }
}

impl Half for [u64; 2] {
    const NAME: &'static str = "portable";
    const ARE_PORTABLE: bool = true;

    inlined! {
        fn new(lanes: [u64; 2]) -> Self = lanes;
        fn to_array(self) -> [u64; 2] = self;
        fn and(self, other: Self) -> Self = [self[0] & other[0], self[1] & other[1]];
        fn or(self, other: Self) -> Self = [self[0] | other[0], self[1] | other[1]];
        fn xor(self, other: Self) -> Self = [self[0] ^ other[0], self[1] ^ other[1]];
        fn without(self, other: Self) -> Self = [self[0] & !other[0], self[1] & !other[1]];
        fn left(self, distance: u32) -> Self = [self[0] << distance, self[1] << distance];
        fn right(self, distance: u32) -> Self = [self[0] >> distance, self[1] >> distance];
        fn exchanged(self) -> Self = [self[1], self[0]];
    }
    #[inline(always)]
    fn plus(self, numbers: Self) -> Self {
        let (mut sums, numbers): ([u16; 8], [u16; 8]) = (bytemuck::cast(self), bytemuck::cast(numbers));
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum = sum.wrapping_add(number);
        }
        bytemuck::cast(sums)
    }
    #[inline(always)]
    fn times(self, factor: i16) -> Self {
        let mut products: [i16; 8] = bytemuck::cast(self);
        for product in &mut products {
            *product = product.wrapping_mul(factor);
        }
        bytemuck::cast(products)
    }
    #[inline(always)]
    fn dot(self, numbers: Self) -> i32 {
        let (numbers, factors): ([i16; 8], [i16; 8]) = (bytemuck::cast(self), bytemuck::cast(numbers));
        let mut sum = 0;
        for (number, factor) in numbers.into_iter().zip(factors) {
            sum += i32::from(number) * i32::from(factor);
        }
        sum
    }
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

/// Computes [`Lanes::sums`] from bit counts of bytes. `counted` counts the bits of each byte, `plus` adds two vectors
/// of bytes, `summed` adds up the bytes of each lane.
#[allow(dead_code)] // not used by the x86 kernels
#[inline(always)]
pub(super) fn sums_by_bytes<H: Half, const DIGITS: usize>(
    digits: [Halves<H>; DIGITS],
    counted: impl Fn(H) -> H,
    plus: impl Fn(H, H) -> H,
    summed: impl Fn(H) -> [u32; 2],
) -> [u32; 4] {
    let mut sums = [0; 4];
    let mut bytes = [H::new([0; 2]); 2];
    for (place, digit) in digits.into_iter().enumerate().rev() {
        for (bytes, digit) in bytes.iter_mut().zip(digit.0) {
            *bytes = plus(plus(*bytes, *bytes), counted(digit));
        }
        // Horner's rule in bytes: eight numbers of five digits add up to at most 8 * 31 < 256.
        if place % 5 == 0 {
            let ([a, b], [c, d]) = (summed(bytes[0]), summed(bytes[1]));
            for (sum, part) in sums.iter_mut().zip([a, b, c, d]) {
                *sum = (*sum << 5) + part;
            }
            bytes = [H::new([0; 2]); 2];
        }
    }
    sums
}

/// Computes [`Lanes::columns`] by interleaving the bytes of two rows, in three steps: `low(a, b)` returns
/// `a0 b0 a1 b1 ... a7 b7`, `high(a, b)` returns `a8 b8 a9 b9 ... a15 b15`.
#[allow(dead_code)] // the portable kernel alone does not need it
#[inline(always)]
pub(super) fn columns_by_rows<R: Copy>(
    mut rows: [R; 8],
    low: impl Fn(R, R) -> R,
    high: impl Fn(R, R) -> R,
) -> [R; 8] {
    for _ in 0..3 {
        // Pairs row k with row k + 4. After three steps every byte is in its place.
        let [a, b, c, d, e, f, g, h] = rows;
        rows = [low(a, e), high(a, e), low(b, f), high(b, f), low(c, g), high(c, g), low(d, h), high(d, h)];
    }
    rows
}
