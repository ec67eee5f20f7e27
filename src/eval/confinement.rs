//! Confinement: a metric for amazons that are shut in early, which the MG-PEO paper lacks.
//!
//! Lieberum 2005 (*An evaluation function for the game of Amazons*) defines the freedom of an amazon as
//! `a = sum over s in one queen move of 2^-steps(s) * N(s)`, where `N` counts empty neighbours. Only squares that the
//! enemy can also reach count: own territory adds no freedom. Kloetzer's thesis (2010) turns it into a penalty,
//! `30 / (5 + a)`. The metric is White's sum of penalties less Black's; the networks use the freedom itself. Rays end
//! after [`STEPS`] steps, since distant squares have little weight.
//!
//! The eight rays of an amazon fit into one 64-bit word, its *ray mask*, so that four lanes compute four amazons at
//! once. The square `n` steps away in direction `d` (a difference of square numbers) has bit `n * d - 1` upwards (1,
//! 10, 11, 12) and bit `64 - n * d` downwards (-1, -10, -11, -12). The bits around an amazon A:
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

use super::distance::DistanceMaps;
use super::mobility::{neighbours_of, tally};
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::board::square::{STRIDE, Side};
use crate::simd::{Kernel, Lanes, dispatch};

/// Maximum steps along a ray.
const STEPS: usize = 4;

/// Fixed point: penalties are summed as integers in units of `1 / UNIT`, so that no order of summation changes a bit.
const UNIT: u32 = 1 << 20;

/// `30 / (5 + a)` in units of `1 / UNIT`, by the freedom `a` in units of `2^-STEPS`, which is at most
/// `8 rays * 8 neighbours * (2^STEPS - 1)`.
static PENALTIES: [u32; 8 * 8 * ((1 << STEPS) - 1) + 1] = penalty_table();

const fn penalty_table<const SIZE: usize>() -> [u32; SIZE] {
    let mut table = [0; SIZE];
    let mut freedom = 0;
    while freedom < SIZE {
        table[freedom] = ((30 * UNIT) << STEPS) / ((5 << STEPS) + freedom as u32);
        freedom += 1;
    }
    table
}

/// The metric on a given kernel, in penalties of 0 to 6 an amazon. The maps must be those of the position.
pub fn confinement_on(position: &Position, maps: &DistanceMaps, kernel: Kernel) -> f32 {
    dispatch!(kernel, L => confinement::<L>(position, maps))
}

/// Computes the metric on the kernel that the caller was compiled for.
#[inline(always)]
pub(crate) fn confinement<L: Lanes>(position: &Position, maps: &DistanceMaps) -> f32 {
    let empty = position.empty();
    let neighbours = tally(neighbours_of(empty));
    let reachable = maps.king.reachable();
    // No closure: closures are not compiled for the caller's instruction set.
    let black = penalties::<L>(position.amazons(Side::Black), empty, reachable.of(1), &neighbours);
    let white = penalties::<L>(position.amazons(Side::White), empty, reachable.of(0), &neighbours);
    (white as i32 - black as i32) as f32 / UNIT as f32
}

/// Returns the freedoms of the first four amazons in units of `2^-STEPS`, in square order.
#[inline(always)]
pub(super) fn freedoms_of<L: Lanes>(
    amazons: Bitboard,
    empty: Bitboard,
    contested: Bitboard,
    neighbours: &[Bitboard; 4],
) -> [u32; 4] {
    let mut group = [0; 4];
    for (slot, amazon) in group.iter_mut().zip(amazons) {
        *slot = amazon.index() as u32;
    }
    freedoms::<L>(group, empty, contested, neighbours)
}

/// The penalties of one side's amazons, added up, in units of 1/[`UNIT`].
#[inline(always)]
fn penalties<L: Lanes>(
    amazons: Bitboard,
    empty: Bitboard,
    contested: Bitboard,
    neighbours: &[Bitboard; 4],
) -> u32 {
    let (mut sum, mut left) = (0, amazons);
    while !left.is_empty() {
        let freedoms = freedoms_of::<L>(left, empty, contested, neighbours);
        for (freedom, amazon) in freedoms.into_iter().zip(left) {
            sum += PENALTIES[freedom as usize];
            left -= amazon.into();
        }
    }
    sum
}

/// Returns the freedoms of four amazons in units of `2^-STEPS`.
#[inline(always)]
fn freedoms<L: Lanes>(
    amazons: [u32; 4],
    empty: Bitboard,
    contested: Bitboard,
    neighbours: &[Bitboard; 4],
) -> [u32; 4] {
    let reached = reached(ray_mask::<L>(amazons, empty));
    // A square at step n with N neighbours has weight `2^(STEPS - n) * N`. Digit `2^place` of N therefore goes to the
    // set of weight `2^(place + STEPS - n)`.
    let mut weighing = [L::splat(0); STEPS + 3];
    for (place, &digit) in neighbours.iter().enumerate() {
        let counted = reached.and(ray_mask(amazons, digit & contested));
        for step in 1..=STEPS {
            let set = &mut weighing[place + STEPS - step];
            *set = set.or(counted.and(L::splat(AT_STEP[step])));
        }
    }
    L::sums(weighing)
}

/// Returns the ray mask of a set around each amazon: the bits of the ray squares that are in the set.
#[inline(always)]
fn ray_mask<L: Lanes>(amazons: [u32; 4], set: Bitboard) -> L {
    let above = L::above(set, amazons).and(L::splat(ABOVE));
    above.or(L::below(set, amazons).and(L::splat(ABOVE.reverse_bits())))
}

/// Returns the squares within one queen move, from the ray mask of empty squares: those with only empty squares in
/// between. Two doubling steps of a [Kogge-Stone](https://www.chessprogramming.org/Kogge-Stone_Algorithm) occluded
/// fill cover rays of four squares.
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

/// Upward directions, as differences of square numbers; the downward ones are their negatives.
const UPWARDS: [usize; 4] = [1, STRIDE - 1, STRIDE, STRIDE + 1];

/// Returns the bits of steps `first` to `last` of one upward ray.
const fn ray(direction: usize, first: usize, last: usize) -> u64 {
    let (mut bits, mut step) = (0, first);
    while step <= last {
        bits |= 1 << (step * direction - 1);
        step += 1;
    }
    bits
}

/// Returns the bits of steps `first` to `last` of all upward rays.
const fn rays(first: usize, last: usize) -> u64 {
    let (mut bits, mut direction) = (0, 0);
    while direction < UPWARDS.len() {
        bits |= ray(UPWARDS[direction], first, last);
        direction += 1;
    }
    bits
}

/// Adds the downward rays, mirrored, to a mask of upward rays.
const fn both_ways(above: u64) -> u64 {
    above | above.reverse_bits()
}

/// All rays upwards.
const ABOVE: u64 = rays(1, STEPS);
const _: () = assert!(ABOVE & ABOVE.reverse_bits() == 0);

/// `[n]`: step n of all rays.
const AT_STEP: [u64; STEPS + 1] =
    [0, both_ways(rays(1, 1)), both_ways(rays(2, 2)), both_ways(rays(3, 3)), both_ways(rays(4, 4))];

/// `[n]`: steps 1 to n of all rays.
const FIRST: [u64; 3] = [0, both_ways(rays(1, 1)), both_ways(rays(1, 2))];

/// `[n]`: for each upward ray, the steps that stay on the ray when moved n steps outwards.
const STAYING: [[u64; 4]; 3] = [[0; 4], staying(1), staying(2)];

const fn staying(distance: usize) -> [u64; 4] {
    let ([a, b, c, d], last) = (UPWARDS, STEPS - distance);
    [ray(a, 1, last), ray(b, 1, last), ray(c, 1, last), ray(d, 1, last)]
}
