//! Inputs of the evaluation [`super::network`]: their layout, and their computation from a position.
//!
//! A network has one row of weights per input. Two kinds of inputs exist: a count multiplies its row; a class (a
//! feature's bucket) selects one row of its feature. [`PARTS`] lists the rows of all inputs. The network, the weights
//! files ([`super::weights`]) and the trainer (`lab fit-network`) use this list, so a new input is added in this file
//! alone: either a count in [`count`], or an entry of [`AMAZON_FEATURES`] with its value in [`amazon_classes`].

#![allow(clippy::needless_range_loop)] // an index is used for several arrays

use super::amazons::{AMAZONS, AmazonReach};
use super::distance::{DistanceMaps, Levels};
use super::freedom::freedoms;
use super::mobility::{neighbours_of, sliced_counts};
use super::ply::{PLIES, standard_ply};
use super::square_classes::SquareCodes;
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::simd::{Kernel, Lanes, dispatch};

/// Number of classes (buckets) of a square by the queen moves that a side needs to reach it: 1, 2, 3, more, never.
pub const QUEEN_CLASSES: usize = 5;
/// Number of classes (buckets) of a square by the king moves that a side needs to reach it: 1 to 5, more, never.
const KING_CLASSES: usize = 7;
/// Number of lead classes (lead: the opponent's class minus that of the side to move): -2 or less, -1, 0, 1, 2 or more.
const LEADS: usize = 5;

/// Number of square counts: first by `[our queen class][their queen class]`, then by `[queen lead][king lead]`. "Our"
/// means the side to move.
pub const COUNTS: usize = QUEEN_CLASSES * QUEEN_CLASSES + LEADS * LEADS;

/// Features of each amazon: the name in weights files, and the lower bounds of classes (buckets) 1, 2, 3, ...
pub const AMAZON_FEATURES: [(&str, &[u32]); 6] = [
    // Freedom in quarters, see super::freedom.
    ("freedom", &[1, 2, 4, 6, 8, 11, 14, 18, 22, 27, 32, 38, 44, 52, 60, 70, 80, 95, 110, 130, 150]),
    // Number of squares that the amazon alone can claim, or alone contests, see super::amazons.
    ("sole", &SQUARES),
    ("contested", &SQUARES),
    // Number of squares within two queen moves: all, those that its side reaches first, those that no enemy reaches.
    ("near", &NEAR_SQUARES),
    ("first", &NEAR_SQUARES),
    ("safe", &NEAR_SQUARES),
];
const SQUARES: [u32; 14] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 26, 30];
const NEAR_SQUARES: [u32; 26] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 23, 26, 29, 32, 36, 40, 45, 50, 56, 62, 70];

/// A weight tensor: consecutive rows of a network, stored under one name in weights files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Name in weights files.
    pub name: &'static str,
    /// Index of the first row in the network.
    pub first: usize,
    /// Number of rows.
    pub rows: usize,
}

impl Part {
    /// Returns the tensor of `rows` rows that directly follows this one.
    pub const fn followed_by(self, name: &'static str, rows: usize) -> Self {
        Self { name, first: self.first + self.rows, rows }
    }
}

/// Weight tensors of all inputs: counts, classes of each amazon feature (side to move, then opponent), ply.
pub const PARTS: [Part; AMAZON_FEATURES.len() + 2] = {
    let mut parts = [Part { name: "counts", first: 0, rows: COUNTS }; AMAZON_FEATURES.len() + 2];
    let mut feature = 0;
    while feature < AMAZON_FEATURES.len() {
        let (name, bounds) = AMAZON_FEATURES[feature];
        parts[feature + 1] = parts[feature].followed_by(name, 2 * (bounds.len() + 1));
        feature += 1;
    }
    parts[feature + 1] = parts[feature].followed_by("plies", PLIES);
    parts
};

/// Weight tensor of the ply, the last input: one row for each ply.
pub const PLY_PART: Part = PARTS[PARTS.len() - 1];

/// Returns the row index of a class of an amazon feature; `which` is 0 for the side to move, 1 for its opponent.
#[inline(always)]
pub(super) fn amazon_row(feature: usize, which: usize, class: u8) -> usize {
    let Part { first, rows, .. } = PARTS[feature + 1];
    first + which * (rows / 2) + usize::from(class)
}

/// Largest number of queen moves that has a class to itself.
pub(super) const QUEEN_STEPS: usize = QUEEN_CLASSES - 2;

/// The class (bucket) of an amazon in each of the [`AMAZON_FEATURES`].
type Classes = [u8; AMAZON_FEATURES.len()];

/// Network inputs of a position. In `amazons`, `[0]` is the side to move, `[1]` its opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inputs {
    /// Counts of squares in the order of [`COUNTS`]; each count multiplies its row.
    pub counts: [u8; COUNTS],
    /// Classes of each amazon in square order; `None` for a missing amazon.
    pub amazons: [[Option<Classes>; AMAZONS]; 2],
    /// Progress of the game in plies of a 10x10 game, see [`super::ply`].
    pub ply: u8,
    /// The code of every square, which selects its row of the [`super::square_layer`].
    pub squares: SquareCodes,
}

impl Inputs {
    /// Computes the inputs of a position; `None` if a side has more than [`AMAZONS`] amazons. `maps` is scratch space.
    #[inline]
    pub fn of_position(position: &Position, maps: &mut DistanceMaps, kernel: Kernel) -> Option<Self> {
        are_defined(position).then(|| dispatch!(kernel, L => Inputs::of::<L>(position, maps)))
    }

    #[inline(always)]
    pub(super) fn of<L: Lanes>(position: &Position, maps: &mut DistanceMaps) -> Self {
        let side = position.side();
        let reach = maps.flood_each::<L>(position, QUEEN_STEPS);
        let classes = amazon_classes::<L>(position, maps, &reach);
        let amazons = [side, side.opponent()].map(|which| {
            let present = position.amazons(which).len() as usize;
            let classes = classes[usize::from(which != side)];
            std::array::from_fn(|amazon| (amazon < present).then_some(classes[amazon]))
        });
        let counts = count(maps, side.index(), position.empty()).map(|count| count as u8);
        let squares = SquareCodes::new::<L>(position, maps);
        Self { counts, amazons, ply: standard_ply(position) as u8, squares }
    }

    /// Calls `found(row, factor)` for each nonzero input of [`PARTS`]. `row` is the index of its weights; `factor` is
    /// the count, or 1 for a one-hot class.
    #[inline(always)]
    pub fn for_each(&self, mut found: impl FnMut(usize, u8)) {
        for (row, &count) in self.counts.iter().enumerate() {
            if count > 0 {
                found(row, count);
            }
        }
        for (which, amazons) in self.amazons.iter().enumerate() {
            for classes in amazons.iter().flatten() {
                for (feature, &class) in classes.iter().enumerate() {
                    found(amazon_row(feature, which, class), 1);
                }
            }
        }
        found(PLY_PART.first + usize::from(self.ply), 1);
    }
}

/// True if each side has at most [`AMAZONS`] amazons.
#[inline(always)]
pub(super) fn are_defined(position: &Position) -> bool {
    position.all_amazons().iter().all(|amazons| amazons.len() as usize <= AMAZONS)
}

/// Computes the classes of each amazon, in square order: `[0]` of the side to move, `[1]` of its opponent. Entries
/// beyond a side's last amazon are meaningless.
#[inline(always)]
pub(super) fn amazon_classes<L: Lanes>(
    position: &Position,
    maps: &DistanceMaps,
    reach: &AmazonReach,
) -> [[Classes; AMAZONS]; 2] {
    let (side, empty) = (position.side(), position.empty());
    let neighbours = sliced_counts(neighbours_of(empty));
    let reachable = maps.king.reachable();
    let mut classes = [[[0; AMAZON_FEATURES.len()]; AMAZONS]; 2];
    for (of_side, side) in classes.iter_mut().zip([side, side.opponent()]) {
        let theirs = reachable.of(side.opponent().index());
        let freedoms = freedoms::<L>(position.amazons(side), empty, theirs, &neighbours);
        for amazon in 0..AMAZONS {
            // The values of AMAZON_FEATURES, in its order.
            let numbers = [
                freedoms[amazon] / 4,
                reach.sole[amazon][side.index()],
                reach.contested[amazon][side.index()],
                reach.near[amazon][side.index()],
                reach.first[amazon][side.index()],
                reach.safe[amazon][side.index()],
            ];
            for feature in 0..numbers.len() {
                of_side[amazon][feature] = CLASSES[feature][(numbers[feature] as usize).min(255)];
            }
        }
    }
    classes
}

/// Lookup table `[feature][value]`: class of a feature value from 0 to 255, by the bounds in [`AMAZON_FEATURES`].
static CLASSES: [[u8; 256]; AMAZON_FEATURES.len()] = {
    let mut classes = [[0; 256]; AMAZON_FEATURES.len()];
    let mut feature = 0;
    while feature < classes.len() {
        let (_, bounds) = AMAZON_FEATURES[feature];
        let mut number = 0;
        let mut class = 0;
        while number < 256 {
            if class < bounds.len() && bounds[class] as usize == number {
                class += 1;
            }
            classes[feature][number] = class as u8;
            number += 1;
        }
        feature += 1;
    }
    classes
};

/// A set of squares in two words, for scalar population counts.
type Words = [u64; 2];

#[inline(always)]
fn words(Bitboard(set): Bitboard) -> Words {
    [set as u64, (set >> 64) as u64]
}

#[inline(always)]
fn count_of_both(a: Words, b: Words) -> i16 {
    ((a[0] & b[0]).count_ones() + (a[1] & b[1]).count_ones()) as i16
}

/// Computes the square counts ([`COUNTS`]) of a position; `us` is the index of the side to move.
#[inline(always)]
pub(super) fn count(maps: &DistanceMaps, us: usize, empty: Bitboard) -> [i16; COUNTS] {
    let mut counts = [0; COUNTS];
    let ever = maps.king.reachable();
    let ours = classes_of::<QUEEN_CLASSES>(&maps.queen, ever.of(us), us, empty);
    let theirs = classes_of::<QUEEN_CLASSES>(&maps.queen, ever.of(1 - us), 1 - us, empty);
    for our in 0..QUEEN_CLASSES {
        for their in 0..QUEEN_CLASSES {
            counts[our * QUEEN_CLASSES + their] = count_of_both(ours[our], theirs[their]);
        }
    }
    let by_queen = leads(&ours, &theirs);
    let ours = classes_of::<KING_CLASSES>(&maps.king, ever.of(us), us, empty);
    let theirs = classes_of::<KING_CLASSES>(&maps.king, ever.of(1 - us), 1 - us, empty);
    let by_king = leads(&ours, &theirs);
    for queen in 0..LEADS {
        for king in 0..LEADS {
            let place = QUEEN_CLASSES * QUEEN_CLASSES + queen * LEADS + king;
            counts[place] = count_of_both(by_queen[queen], by_king[king]);
        }
    }
    counts
}

/// Returns the empty squares of each distance class of one side. `ever` is the set of squares that the side can reach.
#[inline(always)]
fn classes_of<const CLASSES: usize>(
    levels: &Levels,
    ever: Bitboard,
    side: usize,
    empty: Bitboard,
) -> [Words; CLASSES] {
    let mut classes = [[0; 2]; CLASSES];
    let mut before = Bitboard::EMPTY;
    for class in 0..CLASSES - 2 {
        let within = levels.within(class + 1).of(side);
        classes[class] = words(within - before);
        before = within;
    }
    classes[CLASSES - 2] = words(ever - before);
    classes[CLASSES - 1] = words(empty - ever);
    classes
}

/// Groups the squares by lead, in the order of [`LEADS`], given each side's squares of each class.
#[inline(always)]
fn leads<const CLASSES: usize>(ours: &[Words; CLASSES], theirs: &[Words; CLASSES]) -> [Words; LEADS] {
    let mut leads = [[0; 2]; LEADS];
    for word in 0..2 {
        let (mut behind, mut ahead) = (0, 0);
        let (mut one_behind, mut tie, mut one_ahead) = (0, 0, 0);
        // For each side, the squares whose class is at least two below `class`.
        let (mut our_lower, mut their_lower) = (0, 0);
        for class in 0..CLASSES {
            let (our, their) = (ours[class][word], theirs[class][word]);
            tie |= our & their;
            if class >= 1 {
                one_ahead |= ours[class - 1][word] & their;
                one_behind |= our & theirs[class - 1][word];
            }
            if class >= 2 {
                our_lower |= ours[class - 2][word];
                their_lower |= theirs[class - 2][word];
                ahead |= our_lower & their;
                behind |= our & their_lower;
            }
        }
        for (lead, squares) in [behind, one_behind, tie, one_ahead, ahead].into_iter().enumerate() {
            leads[lead][word] = squares;
        }
    }
    leads
}
