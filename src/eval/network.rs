//! The network evaluation: one hidden layer over counts of squares by distance and features of each amazon. Integer
//! arithmetic, so that every kernel and every target gives the same bits.
//!
//! ```text
//!   50 counts of squares, by the distance classes of both sides \
//!   8 amazons, each with its classes of three features           >  32 units, ReLU, the last linear  >  log-odds
//!   ply                                                         /
//! ```
//!
//! A count multiplies its row of weights; a class selects a row. The sum of the rows is the hidden layer (a 16-bit
//! accumulator, as in NNUE, <https://www.chessprogramming.org/NNUE>).

#![allow(clippy::needless_range_loop)] // a loop's number is a place in several arrays

use super::Value;
use super::amazons::{AMAZONS, AmazonReach};
use super::distance::{DistanceMaps, Levels};
use super::fitted::PLIES;
use super::freedom;
use super::mobility::{neighbours_of, tally};
use super::standard_ply;
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::simd::Lanes;

/// Units of the hidden layer. The last unit is linear: it passes a weighted sum of the inputs straight to the output.
pub const HIDDEN: usize = 32;

/// Fixed point: weights and hidden units are in units of `1 / ONE`. Sums wrap modulo 2^16; only the final sum has to
/// fit.
pub const ONE: i32 = 1 << 9;

/// Classes of a square by a side's queen moves: 1, 2, 3, more, never.
pub const QUEEN_CLASSES: usize = 5;
/// Classes of a square by a side's king moves: 1 to 5, more, never.
pub const KING_CLASSES: usize = 7;
/// Classes of a lead in steps: -2 or less, -1, 0, 1, 2 or more.
pub const LEADS: usize = 5;

/// Counts of squares: first by the queen moves of the side to move and of its opponent, then by the lead of the side
/// to move in queen moves and in king moves.
pub const COUNTS: usize = QUEEN_CLASSES * QUEEN_CLASSES + LEADS * LEADS;

/// First freedom of each class, in quarters, see [`super::freedom`].
pub const FREEDOMS: [u32; 21] =
    [1, 2, 4, 6, 8, 11, 14, 18, 22, 27, 32, 38, 44, 52, 60, 70, 80, 95, 110, 130, 150];
/// First number of squares of each class.
pub const SQUARES: [u32; 14] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 26, 30];

/// One weight per hidden unit.
pub type Row = [i16; HIDDEN];

/// Weights of a network. `[0]` is the side to move, `[1]` its opponent.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    /// Weights of the counts.
    pub counts: [Row; COUNTS],
    /// Weights of an amazon's freedom, by class.
    pub freedom: [[Row; FREEDOMS.len() + 1]; 2],
    /// Weights of the squares that an amazon alone can claim, by class, see [`AmazonReach`].
    pub sole: [[Row; SQUARES.len() + 1]; 2],
    /// Weights of the squares that an amazon alone contests, by class.
    pub contested: [[Row; SQUARES.len() + 1]; 2],
    /// Biases at each ply of a 10x10 game.
    pub plies: [Row; PLIES],
    /// Weights from the hidden layer to the output.
    pub output: Row,
}

impl Network {
    /// Maximum number of queen moves that the classes distinguish.
    pub(crate) const QUEEN_STEPS: usize = QUEEN_CLASSES - 2;

    /// Returns the value of a position for the side to move, in log-odds. `maps` and `reach` must be computed
    /// from `position`.
    #[inline(always)]
    pub(crate) fn value<L: Lanes>(
        &self,
        position: &Position,
        maps: &DistanceMaps,
        reach: &AmazonReach,
    ) -> Value {
        let (side, empty) = (position.side(), position.empty());
        let mut hidden = Hidden::<L>::of(&self.plies[standard_ply(position)]);
        let counts = count(maps, side.index(), empty);
        let mut there = not_zero(&counts);
        while there != 0 {
            let place = there.trailing_zeros() as usize;
            // x & (x - 1) clears the lowest set bit.
            there &= there - 1;
            hidden.add_scaled(&self.counts[place], counts[place]);
        }
        let classes = amazon_classes::<L>(position, maps, reach);
        for which in 0..2 {
            let side = if which == 0 { side } else { side.opponent() };
            for amazon in 0..(position.amazons(side).len() as usize).min(AMAZONS) {
                let [freedom, sole, contested] = classes[which][amazon].map(usize::from);
                hidden.add(&self.freedom[which][freedom]);
                hidden.add(&self.sole[which][sole]);
                hidden.add(&self.contested[which][contested]);
            }
        }
        Value(self.output_of(&hidden.to_row()) as f32 / (ONE * ONE) as f32)
    }

    /// Returns the output in units of `1 / ONE^2`.
    #[inline(always)]
    fn output_of(&self, hidden: &Row) -> i32 {
        let mut sum = i32::from(hidden[HIDDEN - 1]) * i32::from(self.output[HIDDEN - 1]);
        for unit in 0..HIDDEN - 1 {
            sum += i32::from(hidden[unit].max(0)) * i32::from(self.output[unit]);
        }
        sum
    }

    /// True if each side has at most [`AMAZONS`] amazons.
    #[inline(always)]
    pub fn knows(position: &Position) -> bool {
        position.all_amazons().iter().all(|amazons| amazons.len() as usize <= AMAZONS)
    }
}

/// The hidden layer in registers.
struct Hidden<L>([L; HIDDEN / 16]);

impl<L: Lanes> Hidden<L> {
    #[inline(always)]
    fn of(row: &Row) -> Self {
        let words: [[u64; 4]; HIDDEN / 16] = bytemuck::cast(*row);
        Self(std::array::from_fn(|part| L::new(words[part])))
    }

    #[inline(always)]
    fn add(&mut self, row: &Row) {
        let Self(row) = Self::of(row);
        for part in 0..row.len() {
            self.0[part] = self.0[part].plus(row[part]);
        }
    }

    #[inline(always)]
    fn add_scaled(&mut self, row: &Row, factor: i16) {
        let Self(row) = Self::of(row);
        for part in 0..row.len() {
            self.0[part] = self.0[part].plus_scaled(row[part], factor);
        }
    }

    #[inline(always)]
    fn to_row(&self) -> Row {
        let mut words = [[0; 4]; HIDDEN / 16];
        for part in 0..words.len() {
            words[part] = self.0[part].to_array();
        }
        bytemuck::cast(words)
    }
}

/// Returns the classes of freedom, sole and contested squares of each amazon, in square order: `[0]` of the side to
/// move, `[1]` of its opponent. Entries beyond a side's last amazon are meaningless.
#[inline(always)]
pub(super) fn amazon_classes<L: Lanes>(
    position: &Position,
    maps: &DistanceMaps,
    reach: &AmazonReach,
) -> [[[u8; 3]; AMAZONS]; 2] {
    let (side, empty) = (position.side(), position.empty());
    let neighbours = tally(neighbours_of(empty));
    let reachable = maps.king.reachable();
    let mut classes = [[[0; 3]; AMAZONS]; 2];
    for (of_side, side) in classes.iter_mut().zip([side, side.opponent()]) {
        let theirs = reachable.of(side.opponent().index());
        let freedoms = freedom::freedoms::<L>(position.amazons(side), empty, theirs, &neighbours);
        for amazon in 0..AMAZONS {
            of_side[amazon] = [
                class(&FREEDOM_CLASS, freedoms[amazon] / 4),
                class(&SQUARES_CLASS, reach.sole[amazon][side.index()]),
                class(&SQUARES_CLASS, reach.contested[amazon][side.index()]),
            ];
        }
    }
    classes
}

#[inline(always)]
fn class<const MOST: usize>(classes: &[u8; MOST], number: u32) -> u8 {
    classes[(number as usize).min(MOST - 1)]
}

/// The class of each freedom and of each number of squares.
static FREEDOM_CLASS: [u8; 256] = classes(&FREEDOMS);
static SQUARES_CLASS: [u8; 128] = classes(&SQUARES);

const fn classes<const MOST: usize>(starts: &[u32]) -> [u8; MOST] {
    let mut classes = [0; MOST];
    let mut number = 0;
    while number < MOST {
        let mut class = 0;
        while class < starts.len() && starts[class] <= number as u32 {
            class += 1;
        }
        classes[number] = class as u8;
        number += 1;
    }
    classes
}

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

/// Returns a bit mask of the nonzero counts. Most classes are empty in most positions.
#[inline(always)]
fn not_zero(counts: &[i16; COUNTS]) -> u64 {
    let mut bits = 0;
    for (place, &count) in counts.iter().enumerate() {
        bits |= u64::from(count != 0) << place;
    }
    bits
}

/// Computes the counts of a position for the side `us`.
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

/// Returns the empty squares of each class of one side. `ever` is the set of squares that the side can reach.
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

/// Returns the squares of each lead of our side, from -2 to 2, from the classes of both sides.
#[inline(always)]
fn leads<const CLASSES: usize>(ours: &[Words; CLASSES], theirs: &[Words; CLASSES]) -> [Words; LEADS] {
    let mut leads = [[0; 2]; LEADS];
    for word in 0..2 {
        let (mut behind, mut ahead) = (0, 0);
        let (mut one_behind, mut tie, mut one_ahead) = (0, 0, 0);
        // Squares of classes lower by two or more.
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
