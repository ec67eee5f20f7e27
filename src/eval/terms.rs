//! The terms of the fitted evaluation, whose weighted sum is the log-odds of winning: the paper's territories and
//! position p2, what these leave out of the distance maps, and how confined the amazons are.
//!
//! The paper's territory asks only who is first on a square, and its p2 adds up by how much. Between the two lies
//! that a lead of two steps is worth more than one of a single step, and that beyond it more hardly counts; so
//! squares are counted by the least lead, and by the most steps, that a side has there.
//!
//! How close the two sides are is Lieberum's `w = sum over s of 2^-|D(White, s) - D(Black, s)|`, of queen moves and of
//! the squares that both reach (Advances in Computer Games 2005). It says better than the plies how far a game has
//! come: near 0 the territories are all but settled, and a lead counts for more. So some terms stand there
//! twice, the second time multiplied by w.

use super::Value;
use super::confinement::confinement_on;
use super::distance::{DistanceMaps, Levels};
use crate::board::position::Position;
use crate::board::square::Side;
use crate::simd::{Kernel, Lanes, SidePair, dispatch};

/// The names of the terms. All but `to-move` are the side to move's less the opponent's. `lead-k` are the squares on
/// which a side is at least k moves earlier, `king-k` and `queen-k` those within k moves, and `contact-X` is
/// `X * w / 32`.
pub const NAMES: [&str; TERMS] = [
    "queen-lead-1", // t1
    "queen-lead-2",
    "queen-lead-3",
    "king-lead-1", // t2
    "king-lead-2",
    "king-lead-3",
    "king-lead-4",
    "king-lead-5",
    "p2",    // the sum of the squares of king-lead-1 to 6, divided by 6
    "alone", // squares that only one side reaches
    "king-1",
    "king-2",
    "king-3",
    "king-4",
    "queen-1",
    "queen-2",
    "confinement", // see super::confinement
    "to-move",     // 1
    "contact-queen-lead-1",
    "contact-king-lead-1",
    "contact-p2",
    "contact-confinement",
    "contact-to-move",
];

/// How many terms there are.
pub const TERMS: usize = 23;

/// The weight of each term at one ply, in natural log-odds of winning for a unit of the term.
pub type TermWeights = [f32; TERMS];

/// Leads by queen moves that are told apart: of at least 1, 2, 3 moves.
const QUEEN_LEADS: usize = 3;
/// The same by king moves: of at least 1 to 6.
const KING_LEADS: usize = 6;

/// The contact is `w / CONTACT_UNIT`.
const CONTACT_UNIT: f32 = 32.0;

/// The terms of one position, seen by the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Terms(pub [f32; TERMS]);

impl Terms {
    /// [`Terms::of`] on a given kernel.
    pub fn of_on(maps: &DistanceMaps, confinement: f32, side: Side, kernel: Kernel) -> Self {
        dispatch!(kernel, L => Terms::of::<L>(maps, confinement, side))
    }

    /// Those of a position on a given kernel; `maps` is scratch space.
    pub fn of_position(position: &Position, maps: &mut DistanceMaps, kernel: Kernel) -> Self {
        maps.flood(position, kernel);
        Self::of_on(maps, confinement_on(position, maps, kernel), position.side(), kernel)
    }

    /// Those of a position with `side` to move, from its maps and its [`super::confinement`].
    #[inline(always)]
    pub fn of<L: Lanes>(maps: &DistanceMaps, confinement: f32, side: Side) -> Self {
        let queen = leads::<L, QUEEN_LEADS>(&maps.queen);
        let king = leads::<L, KING_LEADS>(&maps.king);
        let reachable = maps.king.reachable();
        let both = (reachable.of(0) & reachable.of(1)).len();
        let [black, white] = counts(reachable);
        let alone = [black - both, white - both];
        let contact = contact(&queen, both, alone);
        let sign = if side == Side::Black { 1.0 } else { -1.0 };
        let t1 = sign * balance(queen[0]);
        let t2 = sign * balance(king[0]);
        let mut sum = 0.0;
        for lead in king {
            sum += balance(lead);
        }
        let p2 = sign * sum / KING_LEADS as f32;
        let confinement = sign * confinement;
        Self([
            t1,
            sign * balance(queen[1]),
            sign * balance(queen[2]),
            t2,
            sign * balance(king[1]),
            sign * balance(king[2]),
            sign * balance(king[3]),
            sign * balance(king[4]),
            p2,
            sign * balance(alone),
            sign * balance(counts(maps.king.within(1))),
            sign * balance(counts(maps.king.within(2))),
            sign * balance(counts(maps.king.within(3))),
            sign * balance(counts(maps.king.within(4))),
            sign * balance(counts(maps.queen.within(1))),
            sign * balance(counts(maps.queen.within(2))),
            confinement,
            1.0,
            contact * t1,
            contact * t2,
            contact * p2,
            contact * confinement,
            contact,
        ])
    }

    /// Their weighted sum.
    #[inline(always)]
    pub fn weighed(&self, weights: &TermWeights) -> Value {
        let mut sum = 0.0;
        for (term, weight) in self.0.iter().zip(weights) {
            sum += term * weight;
        }
        Value(sum)
    }
}

/// Lieberum's w in units of 32: `sum over s of 2^-min(3, |D(White, s) - D(Black, s)|) / 32`, of queen moves and of the
/// squares that both reach. In eighths, a square of difference 0, 1, 2, 3 counts 8, 4, 2, 1, which is
/// `8 - 4 [> 0] - 2 [> 1] - 1 [> 2]`.
#[inline(always)]
fn contact(leads: &[[u32; 2]; QUEEN_LEADS], both: u32, alone: [u32; 2]) -> f32 {
    let [one, two, three] = leads;
    let more_than_none = both - tied(*one, both, alone);
    let more_than_one = both - tied(*two, both, alone);
    let more_than_two = both - tied(*three, both, alone);
    (8 * both - 4 * more_than_none - 2 * more_than_one - more_than_two) as f32 / (8.0 * CONTACT_UNIT)
}

/// The number of squares that both reach and on which neither has a lead, where `ahead` counts the squares on which
/// each side has it, those that it reaches alone included.
#[inline(always)]
fn tied(ahead: [u32; 2], both: u32, alone: [u32; 2]) -> u32 {
    both + alone[0] + alone[1] - ahead[0] - ahead[1]
}

/// Black's squares less White's.
#[inline(always)]
fn balance([black, white]: [u32; 2]) -> f32 {
    (black as i32 - white as i32) as f32
}

/// The squares of each side.
#[inline(always)]
fn counts(pair: SidePair) -> [u32; 2] {
    [pair.of(0).len(), pair.of(1).len()]
}

/// `[k]`: how many squares each side reaches at least `k + 1` steps earlier than the other, those that the other never
/// reaches included.
#[inline(always)]
fn leads<L: Lanes, const MOST: usize>(levels: &Levels) -> [[u32; 2]; MOST] {
    let reached = levels.reached();
    let mut ahead = [SidePair::default().lanes::<L>(); MOST];
    for step in 0..reached.len() {
        let not_yet = reached[step].lanes::<L>().pairs_exchanged();
        for lead in 0..MOST {
            // Before the first step nobody is anywhere.
            let now = reached[step.saturating_sub(lead)].lanes::<L>();
            ahead[lead] = ahead[lead].or(now.without(not_yet));
        }
    }
    let reachable = levels.reachable().lanes::<L>();
    let alone = reachable.without(reachable.pairs_exchanged());
    let mut leads = [[0; 2]; MOST];
    for lead in 0..MOST {
        let [black, white, black_too, white_too] = ahead[lead].or(alone).to_array();
        leads[lead] =
            [black.count_ones() + black_too.count_ones(), white.count_ones() + white_too.count_ones()];
    }
    leads
}
