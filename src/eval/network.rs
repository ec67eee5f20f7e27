//! A small network as evaluation: how far both sides are from the squares, and what each amazon can do, through one
//! hidden layer. In integers, so every kernel and every target gives the same bits.
//!
//! ```text
//!   74 counts of squares, by the distance classes of both sides \
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
use super::standard_ply;
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::simd::Lanes;

/// Units of the hidden layer. The last is linear: what goes straight from the inputs to the output.
pub const HIDDEN: usize = 32;

/// Weights and hidden units are in units of `1 / ONE`. A sum may pass the range of 16 bits on the way as long as it ends in it.
pub const ONE: i32 = 1 << 10;

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
    /// The value of a position, whose maps these are.
    #[inline(always)]
    pub(crate) fn value<L: Lanes>(
        &self,
        position: &Position,
        maps: &DistanceMaps,
        reach: &AmazonReach,
    ) -> Value {
        let (side, empty) = (position.side(), position.empty());
        let mut hidden = self.plies[standard_ply(position)];
        let counts = count(maps, side.index(), empty);
        for (&count, row) in counts.iter().zip(&self.counts) {
            for unit in 0..HIDDEN {
                hidden[unit] = hidden[unit].wrapping_add(row[unit].wrapping_mul(count));
            }
        }
        let reachable = maps.king.reachable();
        for (which, side) in [side, side.opponent()].into_iter().enumerate() {
            let other = reachable.of(side.opponent().index());
            let freedoms = freedoms_of::<L>(position.amazons(side), empty, other);
            for amazon in 0..position.amazons(side).len() as usize {
                let freedom = &self.freedom[which][class(&FREEDOM_CLASS, freedoms[amazon] / 4)];
                let sole = &self.sole[which][class(&SQUARES_CLASS, reach.sole[amazon][side.index()])];
                let contested =
                    &self.contested[which][class(&SQUARES_CLASS, reach.contested[amazon][side.index()])];
                for unit in 0..HIDDEN {
                    let sum = freedom[unit].wrapping_add(sole[unit]).wrapping_add(contested[unit]);
                    hidden[unit] = hidden[unit].wrapping_add(sum);
                }
            }
        }
        let mut sum = 0;
        for unit in 0..HIDDEN {
            let active = if unit == HIDDEN - 1 { hidden[unit] } else { hidden[unit].max(0) };
            sum += i32::from(active) * i32::from(self.output[unit]);
        }
        Value(sum as f32 / (ONE * ONE) as f32)
    }

    /// Whether it knows positions with so many amazons.
    #[inline(always)]
    pub fn knows(position: &Position) -> bool {
        position.all_amazons().iter().all(|amazons| amazons.len() as usize <= AMAZONS)
    }
}

#[inline(always)]
pub(super) fn class<const MOST: usize>(classes: &[u8; MOST], number: u32) -> usize {
    usize::from(classes[(number as usize).min(MOST - 1)])
}

/// The class of each number.
pub(super) static FREEDOM_CLASS: [u8; 256] = classes(&FREEDOMS);
pub(super) static SQUARES_CLASS: [u8; 128] = classes(&SQUARES);

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

/// The counts of a position.
#[inline(always)]
pub(super) fn count(maps: &DistanceMaps, us: usize, empty: Bitboard) -> [i16; COUNTS] {
    let mut counts = [0; COUNTS];
    let queen: [_; 2] = [us, 1 - us].map(|side| classes_of::<QUEEN_CLASSES>(&maps.queen, side, empty));
    for ours in 0..QUEEN_CLASSES {
        for theirs in 0..QUEEN_CLASSES {
            counts[ours * QUEEN_CLASSES + theirs] = (queen[0][ours] & queen[1][theirs]).len() as i16;
        }
    }
    let king: [_; 2] = [us, 1 - us].map(|side| classes_of::<KING_CLASSES>(&maps.king, side, empty));
    let (queen, king) = (leads(&queen), leads(&king));
    for by_queen in 0..LEADS {
        for by_king in 0..LEADS {
            let place = QUEEN_CLASSES * QUEEN_CLASSES + by_queen * LEADS + by_king;
            counts[place] = (queen[by_queen] & king[by_king]).len() as i16;
        }
    }
    counts
}

/// The empty squares of each class of one side.
#[inline(always)]
fn classes_of<const CLASSES: usize>(levels: &Levels, side: usize, empty: Bitboard) -> [Bitboard; CLASSES] {
    let mut classes = [Bitboard::EMPTY; CLASSES];
    let mut before = Bitboard::EMPTY;
    for class in 0..CLASSES - 2 {
        let within = levels.within(class + 1).of(side);
        classes[class] = within - before;
        before = within;
    }
    let ever = levels.reachable().of(side);
    classes[CLASSES - 2] = ever - before;
    classes[CLASSES - 1] = empty - ever;
    classes
}

/// The squares of each lead, by the classes of the side that leads and of the other.
#[inline(always)]
fn leads<const CLASSES: usize>([ours, theirs]: &[[Bitboard; CLASSES]; 2]) -> [Bitboard; LEADS] {
    let mut leads = [Bitboard::EMPTY; LEADS];
    // Squares on which each side is two or more classes behind.
    let (mut we_were, mut they_were) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for class in 0..CLASSES {
        leads[2] |= ours[class] & theirs[class];
        if class >= 1 {
            leads[3] |= ours[class - 1] & theirs[class];
            leads[1] |= ours[class] & theirs[class - 1];
        }
        if class >= 2 {
            we_were |= ours[class - 2];
            they_were |= theirs[class - 2];
            leads[4] |= we_were & theirs[class];
            leads[0] |= they_were & ours[class];
        }
    }
    leads
}
