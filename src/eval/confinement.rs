//! How confined each amazon is, a metric that the paper lacks: an amazon shut in early is lost for the
//! rest of the game, and no sum over squares or moves says so.
//!
//! Lieberum 2005 gives each amazon the freedom `a = sum over s in one queen move of 2^-steps(s) * N(s)`, where
//! `N` counts empty neighbours and only squares count that the enemy can reach too: to have a hole of one's
//! own is no freedom. Kloetzer 2010 makes it a penalty, `30 / (5 + a)`. The metric is White's sum of
//! penalties less Black's. Slides are cut off after [`STEPS`] steps: what is further away weighs little.

use super::distance::DistanceMaps;
use super::lanes::{Boards, Kernel, Lanes, Work};
use super::mobility::NeighbourCounts;
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::board::square::Side;

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
    impl Work for Confinement<'_> {
        type Output = f32;
        #[inline(always)]
        fn run<L: Lanes>(self) -> f32 {
            confinement::<L>(self.0, self.1)
        }
    }
    kernel.run(Confinement(position, maps))
}

/// The metric by the kernel that the caller was compiled for.
#[inline(always)]
pub(crate) fn confinement<L: Lanes>(position: &Position, maps: &DistanceMaps) -> f32 {
    let neighbours = NeighbourCounts::new(position.empty());
    let reachable = maps.king.reachable();
    let empty = position.empty();
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
    neighbours: &NeighbourCounts,
) -> u32 {
    let mut sum = 0;
    let mut amazons = amazons.into_iter();
    loop {
        let mut group = [Bitboard::EMPTY; 4];
        let mut members = 0;
        for (slot, amazon) in group.iter_mut().zip(amazons.by_ref()) {
            *slot = amazon.into();
            members += 1;
        }
        let freedoms = freedoms::<L>(group, empty, contested, neighbours);
        sum += freedoms[..members].iter().map(|&freedom| PENALTIES[freedom as usize]).sum::<u32>();
        if members < 4 {
            return sum;
        }
    }
}

/// The freedoms of four amazons in units of `2^-STEPS`: each walks in all directions at once.
#[inline(always)]
fn freedoms<L: Lanes>(
    amazons: [Bitboard; 4],
    empty: Bitboard,
    contested: Bitboard,
    neighbours: &NeighbourCounts,
) -> [u32; 4] {
    let empty = Boards::<L>::splat(empty);
    let digits = neighbours.digits::<L>(contested);
    let start = Boards::<L>::of_four(amazons);
    // Written out for the same reason.
    let (mut east, mut north_west, mut north, mut north_east) = (start, start, start, start);
    let (mut west, mut south_east, mut south, mut south_west) = (start, start, start, start);
    // `weighing[k]` holds the squares that count `2^k` each. A square is reached in one number of steps
    // only, so that no two contributions to a set overlap.
    let mut weighing = [Boards::<L>::splat(Bitboard::EMPTY); STEPS + 3];
    for steps in 1..=STEPS {
        east = east.up(1, 1).and(empty);
        north_west = north_west.up(10, 10).and(empty);
        north = north.up(11, 11).and(empty);
        north_east = north_east.up(12, 12).and(empty);
        west = west.down(1, 1).and(empty);
        south_east = south_east.down(10, 10).and(empty);
        south = south.down(11, 11).and(empty);
        south_west = south_west.down(12, 12).and(empty);
        let up = east.or(north_west).or(north.or(north_east));
        let all = up.or(west.or(south_east)).or(south.or(south_west));
        for (set, digit) in weighing[STEPS - steps..].iter_mut().zip(digits) {
            *set = set.or(all.and(digit));
        }
    }
    let mut freedoms = [0; 4];
    for set in weighing.iter().rev() {
        let counts = set.counts();
        for amazon in 0..4 {
            freedoms[amazon] = 2 * freedoms[amazon] + counts[amazon];
        }
    }
    freedoms
}
