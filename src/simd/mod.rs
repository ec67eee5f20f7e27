//! SIMD: vectors of four 64-bit lanes, and of four bitboards, for several instruction sets.
//!
//! A computation is written once as a function generic over the trait [`Lanes`]. `dispatch!` runs the function with the
//! widest instructions of the processor, detected at run time. All kernels give identical bits.
//!
//! ```text
//!   lanes     operations on four 64-bit lanes
//!   halves    lanes in two 128-bit registers, or in plain integers
//!   x86, wasm, neon    lanes in the registers of one architecture
//!   kernel    detection and dispatch
//!   boards    four bitboards in two sets of lanes
//! ```

/// Defines `#[inline(always)]` functions, each with one expression as its body.
macro_rules! inlined {
    ($($(#[$doc:meta])* $visibility:vis fn $name:ident($($parameters:tt)*) -> $result:ty = $body:expr;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        $visibility fn $name($($parameters)*) -> $result {
            $body
        }
    )*};
}

mod boards;
mod halves;
mod kernel;
mod lanes;
#[cfg(all(target_arch = "aarch64", not(few_kernels)))]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(few_kernels)))]
mod wasm;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[cfg_attr(few_kernels, allow(dead_code))]
mod x86;

pub use boards::{Boards, SidePair};
pub use halves::PortableLanes;
pub use kernel::Kernel;
pub(crate) use kernel::{dispatch, with_lanes};
pub use lanes::Lanes;
#[cfg(all(target_arch = "aarch64", not(few_kernels)))]
pub(crate) use neon::NeonLanes;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(few_kernels)))]
pub(crate) use wasm::Simd128Lanes;
#[cfg(target_feature = "sse")]
pub(crate) use x86::prefetch;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[cfg_attr(few_kernels, allow(unused_imports))]
pub(crate) use x86::{Avx2Lanes, Avx512Lanes, Sse42Lanes};

/// Does nothing: stable Rust has a prefetch instruction for x86 alone.
#[cfg(not(target_feature = "sse"))]
#[inline(always)]
pub(crate) fn prefetch<T>(_: &T) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::bitboard::Bitboard;
    use fastrand::Rng;

    #[test]
    fn above_and_below_extract_neighbouring_bits() {
        let mut rng = Rng::with_seed(3);
        for first in 0..127 {
            let set = Bitboard(if first % 5 == 0 { u128::MAX } else { rng.u128(..) });
            let squares = [first, rng.u32(..127), 126 - first, rng.u32(60..68)];
            let bit = |square: i64| u64::from((0..128).contains(&square) && set.0 >> square & 1 == 1);
            let from = |square: i64| -> u64 { (0..64).map(|k| bit(square + k) << k).sum() };
            let above = squares.map(|square| from(i64::from(square) + 1));
            let below = squares.map(|square| from(i64::from(square) - 64));
            for kernel in Kernel::available() {
                let around = dispatch!(kernel, L => {
                    [L::above(set, squares).to_array(), L::below(set, squares).to_array()]
                });
                assert_eq!(around, [above, below], "{squares:?} {set:?}");
            }
        }
    }

    #[test]
    fn dot_is_the_sum_of_the_products() {
        let mut rng = Rng::with_seed(5);
        for round in 0..200 {
            let mut numbers = || -> [i16; 16] {
                std::array::from_fn(|_| if round == 0 { i16::MIN / 4 } else { rng.i16(..) / 4 })
            };
            let (a, b) = (numbers(), numbers());
            let expected: i32 = a.iter().zip(b).map(|(&a, b)| i32::from(a) * i32::from(b)).sum();
            for kernel in Kernel::available() {
                let dot = dispatch!(kernel, L => L::new(bytemuck::cast(a)).dot(L::new(bytemuck::cast(b))));
                assert_eq!(dot, expected, "{kernel:?} {a:?} {b:?}");
            }
        }
    }

    #[test]
    fn sums_add_bit_sliced_numbers() {
        let mut rng = Rng::with_seed(4);
        for round in 0..200 {
            let digits: [[u64; 4]; 11] =
                std::array::from_fn(|_| [u64::MAX, rng.u64(..), rng.u64(..) & rng.u64(..), round]);
            let sum = |lane: usize, count: usize| -> u32 {
                (0..count).map(|place| digits[place][lane].count_ones() << place).sum()
            };
            let expected = [6, 11].map(|count| [0, 1, 2, 3].map(|lane| sum(lane, count)));
            for kernel in Kernel::available() {
                let few = *digits.first_chunk::<6>().unwrap();
                let sums = dispatch!(kernel, L => [L::sums(few.map(L::new)), L::sums(digits.map(L::new))]);
                assert_eq!(sums, expected);
            }
        }
    }
}
