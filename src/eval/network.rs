//! A small network as evaluation: how far both sides are from the squares, and what each amazon can do, through one
//! hidden layer. In integers, so every kernel and every target gives the same bits.
//!
//! ```text
//!   50 counts of squares, by the distance classes of both sides \
//!   8 amazons, each with its classes of three features           >  32 units, ReLU, the last linear  >  log-odds
//!   ply                                                         /
//! ```
//!
//! A count is multiplied with its row of weights, a class selects its row; the rows are added up to the hidden layer
//! (an accumulator of 16 bits, as in NNUE, <https://www.chessprogramming.org/NNUE>).

#![allow(clippy::needless_range_loop)] // a loop's number is a place in several arrays

use super::Value;
use super::amazons::{AMAZONS, AmazonReach};
use super::confinement::freedoms_of;
use super::distance::{DistanceMaps, Levels};
use super::fitted::PLIES;
use super::mobility::{neighbours_of, tally};
use super::standard_ply;
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::simd::Lanes;

/// Units of the hidden layer. The last is linear: what goes straight from the inputs to the output.
pub const HIDDEN: usize = 32;

/// Weights and hidden units are in units of `1 / ONE`. A sum may leave 16 bits on the way, if only it ends within.
pub const ONE: i32 = 1 << 9;

/// Classes of a square by a side's queen moves: 1, 2, 3, more, never.
pub const QUEEN_CLASSES: usize = 5;
/// The same by king moves: 1 to 5, more, never.
pub const KING_CLASSES: usize = 7;
/// Leads that are told apart: two steps behind or more, one, none, one ahead, two or more.
pub const LEADS: usize = 5;

/// Counts of squares: by the queen moves of the side to move and of its opponent, then by the lead of the side to move
/// in queen moves and in king moves.
pub const COUNTS: usize = QUEEN_CLASSES * QUEEN_CLASSES + LEADS * LEADS;

/// Where the classes of an amazon's freedom begin, in quarters, see [`super::confinement`].
pub const FREEDOMS: [u32; 21] =
    [1, 2, 4, 6, 8, 11, 14, 18, 22, 27, 32, 38, 44, 52, 60, 70, 80, 95, 110, 130, 150];
/// Where the classes of numbers of squares begin.
pub const SQUARES: [u32; 14] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 26, 30];

/// A weight for each hidden unit.
pub type Row = [i16; HIDDEN];

/// The weights of a network. `[0]` is the side to move, `[1]` its opponent.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    /// Of the counts.
    pub counts: [Row; COUNTS],
    /// Of the freedom of an amazon.
    pub freedom: [[Row; FREEDOMS.len() + 1]; 2],
    /// Of the squares that it alone can claim, see [`AmazonReach`].
    pub sole: [[Row; SQUARES.len() + 1]; 2],
    /// Of the squares that it alone contests.
    pub contested: [[Row; SQUARES.len() + 1]; 2],
    /// The biases at each ply of a game on 10x10.
    pub plies: [Row; PLIES],
    /// From the hidden layer to the output.
    pub output: Row,
}

impl Network {
    /// The queen moves that its classes tell apart.
    pub(crate) const QUEEN_STEPS: usize = QUEEN_CLASSES - 2;

    /// The value of a position, whose maps these are.
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

    /// The output in units of `1 / ONE^2`.
    #[inline(always)]
    fn output_of(&self, hidden: &Row) -> i32 {
        let mut sum = i32::from(hidden[HIDDEN - 1]) * i32::from(self.output[HIDDEN - 1]);
        for unit in 0..HIDDEN - 1 {
            sum += i32::from(hidden[unit].max(0)) * i32::from(self.output[unit]);
        }
        sum
    }

    /// Whether it knows positions with so many amazons.
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

/// The classes of freedom, sole and contested squares: `[0]` of the amazons of the side to move in the order of their
/// squares, `[1]` of its opponent's. Entries beyond a side's last amazon mean nothing.
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
        let freedoms = freedoms_of::<L>(position.amazons(side), empty, theirs, &neighbours);
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

/// The class of each number.
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

/// A set of squares in two ordinary words, whose bits are counted where they are.
type Words = [u64; 2];

#[inline(always)]
fn words(Bitboard(set): Bitboard) -> Words {
    [set as u64, (set >> 64) as u64]
}

#[inline(always)]
fn count_of_both(a: Words, b: Words) -> i16 {
    ((a[0] & b[0]).count_ones() + (a[1] & b[1]).count_ones()) as i16
}

/// Bit `k`: whether the k-th count is not zero. Most classes are empty most of the time.
#[inline(always)]
fn not_zero(counts: &[i16; COUNTS]) -> u64 {
    let mut bits = 0;
    for (place, &count) in counts.iter().enumerate() {
        bits |= u64::from(count != 0) << place;
    }
    bits
}

/// The counts of a position.
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

/// The empty squares of each class of one side, which gets to those in `ever` at some time.
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

/// The squares of each lead, from two steps behind to two ahead, by the classes of both sides.
#[inline(always)]
fn leads<const CLASSES: usize>(ours: &[Words; CLASSES], theirs: &[Words; CLASSES]) -> [Words; LEADS] {
    let mut leads = [[0; 2]; LEADS];
    for word in 0..2 {
        let (mut behind, mut ahead) = (0, 0);
        let (mut one_behind, mut tie, mut one_ahead) = (0, 0, 0);
        // Squares of classes two or more below.
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
