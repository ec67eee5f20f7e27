//! SIMD: four 64-bit lanes, and four boards made of them, in several instruction sets.
//!
//! A computation is a [`SimdTask`], written once over the trait [`Lanes`]. [`Kernel::dispatch`] runs it with the
//! widest instructions of the processor, detected at run time. All kernels give the same bits.

mod boards;
mod kernel;
mod lanes;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;

pub use boards::{Boards, SidePair};
pub use kernel::{Kernel, SimdTask};
pub use lanes::{Lanes, PortableLanes};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::bitboard::Bitboard;
    use fastrand::Rng;

    /// Runs a task on every kernel of this processor.
    fn by_all_kernels<T: SimdTask + Copy>(task: T) -> Vec<T::Output> {
        Kernel::available().map(|kernel| kernel.dispatch(task)).collect()
    }

    #[derive(Clone, Copy)]
    struct Around(Bitboard, [u32; 4]);

    impl SimdTask for Around {
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

    impl SimdTask for Sums {
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
