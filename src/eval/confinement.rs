//! How confined each amazon is, a metric that the paper lacks: an amazon shut in early is lost for the
//! rest of the game, and no sum over squares or moves says so.
//!
//! Lieberum 2005 gives each amazon the freedom `a = sum over s in one queen move of 2^-steps(s) * N(s)`, where
//! `N` counts empty neighbours and only squares count that the enemy can reach too: to have a hole of one's
//! own is no freedom. Kloetzer 2010 makes it a penalty, `30 / (5 + a)`. The metric is White's sum of
//! penalties less Black's. Slides are cut off after [`STEPS`] steps: what is further away weighs little.

use super::distance::DistanceMaps;
use super::mobility::{neighbours_of, tally};
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::board::square::{STRIDE, Side};
use crate::simd::{Kernel, Lanes, SimdTask};

/// Steps of a slide that count.
const STEPS: usize = 4;

/// Penalties are added up in this part of one, so that their order leaves no trace.
const UNIT: u32 = 1 << 20;

/// The penalty for each freedom, in units of `2^-STEPS`: at most eight neighbours on each of eight slides.
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

/// The metric on a given kernel. The maps must be those of the position.
pub fn confinement_on(position: &Position, maps: &DistanceMaps, kernel: Kernel) -> f32 {
    struct Confinement<'a>(&'a Position, &'a DistanceMaps);
    impl SimdTask for Confinement<'_> {
        type Output = f32;
        #[inline(always)]
        fn run<L: Lanes>(self) -> f32 {
            confinement::<L>(self.0, self.1)
        }
    }
    kernel.dispatch(Confinement(position, maps))
}

/// The metric by the kernel that the caller was compiled for.
#[inline(always)]
pub(crate) fn confinement<L: Lanes>(position: &Position, maps: &DistanceMaps) -> f32 {
    let empty = position.empty();
    let neighbours = tally(neighbours_of(empty));
    let reachable = maps.king.reachable();
    // Not a closure for both sides, which would leave the instruction set that this is compiled for.
    let black = penalties::<L>(position.amazons(Side::Black), empty, reachable.of(1), &neighbours);
    let white = penalties::<L>(position.amazons(Side::White), empty, reachable.of(0), &neighbours);
    (white as i32 - black as i32) as f32 / UNIT as f32
}

/// The penalties of one side's amazons, added up, in units of 1/[`UNIT`].
#[inline(always)]
fn penalties<L: Lanes>(
    amazons: Bitboard,
    empty: Bitboard,
    contested: Bitboard,
    neighbours: &[Bitboard; 4],
) -> u32 {
    let mut sum = 0;
    let groups = amazons.len().div_ceil(4);
    let mut amazons = amazons.into_iter();
    for _ in 0..groups {
        let mut group = [0; 4];
        let mut members = 0;
        for (slot, amazon) in group.iter_mut().zip(amazons.by_ref()) {
            *slot = amazon.index() as u32;
            members += 1;
        }
        let freedoms = freedoms::<L>(group, empty, contested, neighbours);
        sum += freedoms[..members].iter().map(|&freedom| PENALTIES[freedom as usize]).sum::<u32>();
    }
    sum
}

/// The freedoms of four amazons in units of `2^-STEPS`.
#[inline(always)]
fn freedoms<L: Lanes>(
    amazons: [u32; 4],
    empty: Bitboard,
    contested: Bitboard,
    neighbours: &[Bitboard; 4],
) -> [u32; 4] {
    let reached = reached(star::<L>(amazons, empty)).and(star(amazons, contested));
    // `weighing[k]` holds the squares that count `2^k` each: the lower their step and the higher the digit of the
    // number of their neighbours, the more.
    let mut weighing = [L::splat(0); STEPS + 3];
    for (place, &digit) in neighbours.iter().enumerate() {
        let counted = reached.and(star(amazons, digit));
        for step in 1..=STEPS {
            let set = &mut weighing[place + STEPS - step];
            *set = set.or(counted.and(L::splat(AT_STEP[step])));
        }
    }
    L::sums(weighing)
}

/// What of a set lies on the eight slides that begin at each amazon, a word an amazon: squares above it from the lowest
/// bit upwards, those below it from the highest downwards. Of those that [`STEPS`] steps lead to no two fall on the same
/// bit.
#[inline(always)]
fn star<L: Lanes>(amazons: [u32; 4], set: Bitboard) -> L {
    let above = L::above(set, amazons).and(L::splat(ABOVE));
    above.or(L::below(set, amazons).and(L::splat(ABOVE.reverse_bits())))
}

/// Those squares of a star that are empty and have only empty ones before them on their slide.
#[inline(always)]
fn reached<L: Lanes>(empty: L) -> L {
    // First with an empty square before them, then with two more before those.
    let two = empty.and(those_behind::<L, 1>(empty));
    two.and(those_behind::<L, 2>(two))
}

/// The squares of a star so many steps behind those of a part of it, and those that have none so far before them.
#[inline(always)]
fn those_behind<L: Lanes, const DISTANCE: usize>(part: L) -> L {
    let mut behind = L::splat(FIRST[DISTANCE]);
    for direction in 0..UPWARDS.len() {
        let before = BEFORE[DISTANCE][direction];
        let shift = (DISTANCE * UPWARDS[direction]) as u32;
        behind = behind.or(part.and(L::splat(before)).left(shift, shift));
        behind = behind.or(part.and(L::splat(before.reverse_bits())).right(shift, shift));
    }
    behind
}

/// The directions to higher squares, as differences of square numbers; the others are opposite to them.
const UPWARDS: [usize; 4] = [1, STRIDE - 1, STRIDE, STRIDE + 1];

/// The squares of a star that this many to this many steps in a direction lead to.
const fn slide(direction: usize, first: usize, last: usize) -> u64 {
    let (mut bits, mut step) = (0, first);
    while step <= last {
        bits |= 1 << (step * direction - 1);
        step += 1;
    }
    bits
}

/// The same in all directions to higher squares.
const fn slides(first: usize, last: usize) -> u64 {
    let (mut bits, mut direction) = (0, 0);
    while direction < UPWARDS.len() {
        bits |= slide(UPWARDS[direction], first, last);
        direction += 1;
    }
    bits
}

/// The same in all directions.
const fn both_ways(above: u64) -> u64 {
    above | above.reverse_bits()
}

/// The squares of a star above its amazon; those below are their mirror image.
const ABOVE: u64 = slides(1, STEPS);
const _: () = assert!(ABOVE & ABOVE.reverse_bits() == 0);

/// The squares of a star so many steps away.
const AT_STEP: [u64; STEPS + 1] =
    [0, both_ways(slides(1, 1)), both_ways(slides(2, 2)), both_ways(slides(3, 3)), both_ways(slides(4, 4))];

/// The squares of a star that have none so many steps before them.
const FIRST: [u64; 3] = [0, both_ways(slides(1, 1)), both_ways(slides(1, 2))];

/// In each direction upwards the squares of a star that lie so many steps before another.
const BEFORE: [[u64; 4]; 3] = [[0; 4], before(1), before(2)];

const fn before(distance: usize) -> [u64; 4] {
    let ([a, b, c, d], last) = (UPWARDS, STEPS - distance);
    [slide(a, 1, last), slide(b, 1, last), slide(c, 1, last), slide(d, 1, last)]
}
