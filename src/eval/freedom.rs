//! Freedom of an amazon: grows with the number of empty squares around the contested squares that the amazon can move
//! to.
//!
//! Lieberum 2005 (*An evaluation function for the game of Amazons*) defines it as
//! `sum over s in one queen move of 2^-steps(s) * N(s)`, where `N` counts empty neighbours. Only squares that the
//! enemy can also reach count: own territory adds no freedom. Rays end after [`STEPS`] steps, since distant squares
//! have little weight.
//!
//! The eight rays of an amazon fit into one 64-bit word, its *ray mask*, so that four lanes compute four amazons at
//! once. The square `n` steps away in direction `d` (a square-index offset) has bit `n * d - 1` upwards (1, 10, 11, 12)
//! and bit `64 - n * d` downwards (-1, -10, -11, -12). The bits around an amazon A:
//!
//! ```text
//!   39  .  .  . 43  .  .  . 47
//!    . 29  .  . 32  .  . 35  .
//!    .  . 19  . 21  . 23  .  .
//!    .  .  .  9 10 11  .  .  .
//!   60 61 62 63  A  0  1  2  3
//!    .  .  . 52 53 54  .  .  .
//!    .  . 40  . 42  . 44  .  .
//!    . 28  .  . 31  .  . 34  .
//!   16  .  .  . 20  .  .  . 24
//! ```
//!
//! One step outwards is a shift: left by `d` upwards, right by `d` downwards.

use crate::board::bitboard::Bitboard;
use crate::board::square::STRIDE;
use crate::simd::Lanes;

/// Maximum steps along a ray.
const STEPS: usize = 4;

/// Returns the freedoms of the first four amazons of a side in units of `2^-STEPS`, in square order. `neighbours` holds
/// each square's number of empty neighbours, bit-sliced.
#[inline(always)]
pub(super) fn freedoms<L: Lanes>(
    amazons: Bitboard,
    empty: Bitboard,
    contested: Bitboard,
    neighbours: &[Bitboard; 4],
) -> [u32; 4] {
    let mut squares = [0; 4];
    for (square, amazon) in squares.iter_mut().zip(amazons) {
        *square = amazon.index() as u32;
    }
    let reached = reached(ray_mask::<L>(squares, empty));
    // A square at step n with N neighbours has weight `2^(STEPS - n) * N`. Digit `2^place` of N therefore goes to the
    // set of weight `2^(place + STEPS - n)`.
    let mut weighing = [L::splat(0); STEPS + 3];
    for (place, &digit) in neighbours.iter().enumerate() {
        let counted = reached.and(ray_mask(squares, digit & contested));
        for step in 1..=STEPS {
            let set = &mut weighing[place + STEPS - step];
            *set = set.or(counted.and(L::splat(AT_STEP[step])));
        }
    }
    L::sums(weighing)
}

/// Returns the ray mask of a set around each amazon, one amazon per lane: the ray squares that are in the set.
#[inline(always)]
fn ray_mask<L: Lanes>(amazons: [u32; 4], set: Bitboard) -> L {
    let above = L::above(set, amazons).and(L::splat(ABOVE));
    above.or(L::below(set, amazons).and(L::splat(ABOVE.reverse_bits())))
}

/// Returns the squares within one queen move, from the ray mask of empty squares: those with only empty squares in
/// between. Two doubling steps of a [Kogge-Stone](https://www.chessprogramming.org/Kogge-Stone_Algorithm) occluded
/// fill cover rays of four squares. One ray with a blocked second square, nearest square first:
///
/// ```text
///   empty                        1 0 1 1
///   empty moved 1 outwards       1 1 0 1     the innermost square is always set: it is next to the amazon
///   two = both                   1 0 0 1     last squares of runs of two empty squares
///   two moved 2 outwards         1 1 1 0
///   reached = both               1 0 0 0
/// ```
#[inline(always)]
fn reached<L: Lanes>(empty: L) -> L {
    let two = empty.and(shift_along_rays::<L, 1>(empty));
    two.and(shift_along_rays::<L, 2>(two))
}

/// Moves the squares of a ray mask `DISTANCE` steps outwards and sets the innermost `DISTANCE` squares of each ray.
#[inline(always)]
fn shift_along_rays<L: Lanes, const DISTANCE: usize>(mask: L) -> L {
    let mut moved = L::splat(FIRST[DISTANCE]);
    for direction in 0..UPWARDS.len() {
        let staying = STAYING[DISTANCE][direction];
        let shift = (DISTANCE * UPWARDS[direction]) as u32;
        moved = moved.or(mask.and(L::splat(staying)).left(shift, shift));
        moved = moved.or(mask.and(L::splat(staying.reverse_bits())).right(shift, shift));
    }
    moved
}

/// Upward directions, as square-index offsets; the downward ones are their negatives.
const UPWARDS: [usize; 4] = [1, STRIDE - 1, STRIDE, STRIDE + 1];

/// Returns the ray-mask bits of steps `first` to `last` of one upward ray.
const fn ray(direction: usize, first: usize, last: usize) -> u64 {
    let (mut bits, mut step) = (0, first);
    while step <= last {
        bits |= 1 << (step * direction - 1);
        step += 1;
    }
    bits
}

/// Returns the ray-mask bits of steps `first` to `last` of all four upward rays.
const fn upward_rays(first: usize, last: usize) -> u64 {
    let [a, b, c, d] = UPWARDS;
    ray(a, first, last) | ray(b, first, last) | ray(c, first, last) | ray(d, first, last)
}

/// Returns the ray-mask bits of steps `first` to `last` of all eight rays.
const fn rays(first: usize, last: usize) -> u64 {
    upward_rays(first, last) | upward_rays(first, last).reverse_bits()
}

/// Bits of a ray mask that belong to the four upward rays: those towards higher square indices.
const ABOVE: u64 = upward_rays(1, STEPS);
const _: () = assert!(ABOVE & ABOVE.reverse_bits() == 0);

/// `[n]`: ray-mask bits of step n of all eight rays.
const AT_STEP: [u64; STEPS + 1] = [0, rays(1, 1), rays(2, 2), rays(3, 3), rays(4, 4)];

/// `[n]`: ray-mask bits of steps 1 to n of all eight rays.
const FIRST: [u64; 3] = [0, rays(1, 1), rays(1, 2)];

/// `[n]`: for each upward ray, the ray-mask bits that stay on the ray when moved n steps outwards.
const STAYING: [[u64; 4]; 3] = [[0; 4], staying(1), staying(2)];

const fn staying(distance: usize) -> [u64; 4] {
    let ([a, b, c, d], last) = (UPWARDS, STEPS - distance);
    [ray(a, 1, last), ray(b, 1, last), ray(c, 1, last), ray(d, 1, last)]
}
