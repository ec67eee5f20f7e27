//! The five metrics of the MG-PEO paper (equations 2 to 7), each from Black's side: positive is good
//! for Black. Territory and position come from the distance maps, mobility from a walk of its own.
//!
//! With `D(c, s)` the distance of side `c` to the empty square `s`:
//!
//! | metric | formula |
//! |---|---|
//! | territory t1 (queen), t2 (king) | squares that Black reaches first, less those White does, plus a bonus for each reached equally early |
//! | position p1 (queen) | `2 * sum(2^-D(Black, s) - 2^-D(White, s))` |
//! | position p2 (king) | `sum(clamp((D(White, s) - D(Black, s)) / 6, -1, 1))` |
//! | mobility | `sum over amazons of sum over s in one queen move of neighbours(s) / steps(s)` |

use super::distance::{DistanceMaps, Levels};
use super::lanes::{Boards, Kernel, Lanes, SidePair, Work};
use crate::board::bitboard::{Bitboard, DIRECTIONS};
use crate::board::position::Position;

/// The metrics of one position, positive for Black.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Metrics {
    /// Territory by queen moves.
    pub t1: f32,
    /// Territory by king moves.
    pub t2: f32,
    /// Position by queen moves.
    pub p1: f32,
    /// Position by king moves.
    pub p2: f32,
    /// Mobility of the amazons.
    pub mobility: f32,
}

/// The four metrics of the distance maps; mobility is left at 0. `tie` is what a square counts that
/// both sides reach equally early.
#[inline(always)]
pub fn of_maps(maps: &DistanceMaps, tie: f32) -> Metrics {
    Metrics {
        t1: territory(&maps.queen).balance(tie),
        t2: territory(&maps.king).balance(tie),
        p1: queen_position(&maps.queen),
        p2: king_position(&maps.king),
        mobility: 0.0,
    }
}

/// How many squares each side reaches before the other, and how many both reach equally early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Territory {
    /// Reached first, or only, by Black.
    pub black: u32,
    /// Reached first, or only, by White.
    pub white: u32,
    /// Reached by both after the same number of moves.
    pub shared: u32,
}

impl Territory {
    /// Equations 2 and 3: Black's squares less White's, each shared one counted as `tie`.
    #[inline(always)]
    pub fn balance(self, tie: f32) -> f32 {
        (self.black as i32 - self.white as i32) as f32 + tie * self.shared as f32
    }
}

/// Who owns which squares by these distances (t1 by queen moves, t2 by king moves).
#[inline(always)]
pub fn territory(levels: &Levels) -> Territory {
    // A side is first on a square when at some step it is there and the other is not.
    let mut first = SidePair::default();
    for reached in levels.reached() {
        for (first, reached) in [(&mut first.low, reached.low), (&mut first.high, reached.high)] {
            first[0] |= reached[0] & !reached[1];
            first[1] |= reached[1] & !reached[0];
        }
    }
    let all = levels.reachable();
    let shared = (all.of(0) & all.of(1)) - first.of(0) - first.of(1);
    Territory { black: first.of(0).len(), white: first.of(1).len(), shared: shared.len() }
}

/// The relative territory of Kato et al. 2015, 3.3, for Black: by how many moves each square is reached
/// earlier, five where only one side reaches it.
pub fn relative_territory(levels: &Levels) -> i32 {
    let all = levels.reachable();
    lead_where_both_come(levels) + 5 * (all.of(0).len() as i32 - all.of(1).len() as i32)
}

/// Equation 4, p1. Exact up to distance 48, where a square weighs less than a billionth.
#[inline(always)]
pub fn queen_position(levels: &Levels) -> f32 {
    const SCALE: u32 = 48;
    // 2 * 2^-D as a sum over the steps within which the square is reached: 2^-k for each k >= D
    // (and the last step once more, for all steps that would follow it).
    let mut sum: i64 = 0;
    let mut balance: i64 = 0;
    let mut step = 0;
    for reached in &levels.reached()[1..] {
        step += 1;
        if step > SCALE {
            break;
        }
        balance = i64::from(reached.of(0).len()) - i64::from(reached.of(1).len());
        sum += balance << (SCALE - step);
    }
    sum += balance << (SCALE - step.min(SCALE));
    sum as f32 * (1.0 / (1u64 << SCALE) as f32)
}

/// Equation 5, p2, with the sign of the others (the paper's is turned round, see its equation 4).
#[inline(always)]
pub fn king_position(levels: &Levels) -> f32 {
    /// Differences count up to this many steps.
    const HORIZON: usize = 6;
    let reached = levels.reached();
    let last = reached.len() - 1;
    let difference = if last <= HORIZON + 1 {
        // None is more than the horizon.
        let all = levels.reachable();
        let only = all.of(0).len() as i32 - all.of(1).len() as i32;
        lead_where_both_come(levels) + HORIZON as i32 * only
    } else {
        lead_within(HORIZON, reached)
    };
    difference as f32 / HORIZON as f32
}

/// `D(White) - D(Black)`, summed over the squares that both sides reach: the number of steps at which Black is
/// there, less those at which White is.
#[inline(always)]
fn lead_where_both_come(levels: &Levels) -> i32 {
    let all = levels.reachable();
    let both = [all.low[0] & all.low[1], all.high[0] & all.high[1]];
    let mut lead = 0;
    for reached in levels.reached() {
        lead += ((reached.low[0] & both[0]).count_ones() + (reached.high[0] & both[1]).count_ones()) as i32;
        lead -= ((reached.low[1] & both[0]).count_ones() + (reached.high[1] & both[1]).count_ones()) as i32;
    }
    lead
}

/// `clamp(D(White) - D(Black), -horizon, horizon)`, summed over all squares. That of a square, if positive, is the
/// number of steps at which Black is there, was not there `horizon` steps before, and White is not.
#[inline(always)]
fn lead_within(horizon: usize, reached: &[SidePair]) -> i32 {
    let last = reached.len() - 1;
    let mut sum = 0;
    for step in 1..last + horizon {
        let now = &reached[step.min(last)];
        let before = &reached[step.saturating_sub(horizon)];
        for word in [(now.low, before.low), (now.high, before.high)] {
            let ([black, white], [black_before, white_before]) = word;
            sum += (black & !white & !black_before).count_ones() as i32;
            sum -= (white & !black & !white_before).count_ones() as i32;
        }
    }
    sum
}

/// A common multiple of the steps 1 to 9, so that mobility is summed without rounding.
const COMMON_MULTIPLE: u32 = 2520;

/// Equations 6 and 7 on a given kernel.
pub fn mobility_on(position: &Position, kernel: Kernel) -> f32 {
    struct Mobility<'a>(&'a Position);
    impl Work for Mobility<'_> {
        type Output = f32;
        #[inline(always)]
        fn run<L: Lanes>(self) -> f32 {
            mobility::<L>(self.0)
        }
    }
    kernel.run(Mobility(position))
}

/// Equations 6 and 7 by the kernel that the caller was compiled for.
#[inline(always)]
pub(crate) fn mobility<L: Lanes>(position: &Position) -> f32 {
    mobility_balance(side_mobilities::<L>(position.all_amazons(), position.empty()))
}

/// Black's mobility less White's, from sums in units of 1/2520.
#[inline(always)]
pub(super) fn mobility_balance([black, white]: [u32; 2]) -> f32 {
    (black as i32 - white as i32) as f32 / COMMON_MULTIPLE as f32
}

/// The mobility of each side in units of 1/2520: all amazons walk in all directions at once, and at
/// every step the squares they stand on count their empty neighbours.
#[inline(always)]
pub(super) fn side_mobilities<L: Lanes>(amazons: [Bitboard; 2], empty: Bitboard) -> [u32; 2] {
    let neighbours = NeighbourCounts::new(empty).for_both_sides();
    let empty = Boards::<L>::splat(empty);
    let sources = Boards::<L>::of_sides(amazons);
    let (mut up, mut up_steep, mut down, mut down_steep) = (sources, sources, sources, sources);
    let mut sums = [0; 2];
    for steps in 1..=9 {
        up = up.up(1, 10).and(empty);
        up_steep = up_steep.up(11, 12).and(empty);
        down = down.down(1, 10).and(empty);
        down_steep = down_steep.down(11, 12).and(empty);
        // How many of the walkers stand on each square, as a binary number spread over sets: first of those of one
        // board, then of both boards of a side.
        let (one_up, two_up) = (up.xor(up_steep), up.and(up_steep));
        let (one_down, two_down) = (down.xor(down_steep), down.and(down_steep));
        let ones = one_up.xor(one_down);
        let twos = two_up.xor(two_down).xor(one_up.and(one_down));
        let fours = two_up.and(two_down);
        let digits = with_other_board([ones, twos, fours]);
        let mut counts = [0; 2];
        for (set, weight) in digits.iter().zip([1, 2, 4, 8]) {
            let pair = set.sides();
            if !pair.is_empty() {
                let [black, white, black_too, white_too] = L::weighed_counts(pair.to_array(), &neighbours);
                counts[0] += weight * (black + black_too);
                counts[1] += weight * (white + white_too);
            }
        }
        sums[0] += counts[0] * (COMMON_MULTIPLE / steps);
        sums[1] += counts[1] * (COMMON_MULTIPLE / steps);
        if ones.or(twos).or(fours).merged().sides().is_empty() {
            break;
        }
    }
    sums
}

/// To a number for each square, its binary digits spread over sets, the number on the other board of the same side is
/// added.
#[inline(always)]
fn with_other_board<L: Lanes>([ones, twos, fours]: [Boards<L>; 3]) -> [Boards<L>; 4] {
    let [more_ones, more_twos, more_fours] = [ones.swapped(), twos.swapped(), fours.swapped()];
    let carried_twos = ones.and(more_ones);
    let either = twos.xor(more_twos);
    let carried_fours = twos.and(more_twos).or(either.and(carried_twos));
    let either_fours = fours.xor(more_fours);
    let eights = fours.and(more_fours).or(either_fours.and(carried_fours));
    [ones.xor(more_ones), either.xor(carried_twos), either_fours.xor(carried_fours), eights]
}

/// The number of empty neighbours of every square, its binary digits spread over four sets.
pub(super) struct NeighbourCounts([Bitboard; 4]);

impl NeighbourCounts {
    #[inline(always)]
    pub(super) fn new(empty: Bitboard) -> Self {
        Self(tally(neighbours_of(empty)))
    }

    /// The binary digits of the counts within a set, lowest first.
    #[inline(always)]
    pub(super) fn digits<L: Lanes>(&self, set: Bitboard) -> [Boards<L>; 4] {
        let [ones, twos, fours, eights] = self.0;
        [
            Boards::splat(ones & set),
            Boards::splat(twos & set),
            Boards::splat(fours & set),
            Boards::splat(eights & set),
        ]
    }

    /// The binary digits in the shape of [`SidePair::to_array`], the same for both sides.
    #[inline(always)]
    fn for_both_sides(&self) -> [[u64; 4]; 4] {
        let mut digits = [[0; 4]; 4];
        for (digit, Bitboard(set)) in digits.iter_mut().zip(self.0) {
            let (low, high) = (set as u64, (set >> 64) as u64);
            *digit = [low, low, high, high];
        }
        digits
    }
}

/// For each direction the squares next to those of a set.
#[inline(always)]
pub(super) fn neighbours_of(set: Bitboard) -> [Bitboard; 8] {
    DIRECTIONS.map(|direction| set.shifted(direction))
}

/// In how many of the sets each square is, the binary digits of the number spread over four sets.
#[inline(always)]
pub(super) fn tally([a, b, c, d, e, f, g, h]: [Bitboard; 8]) -> [Bitboard; 4] {
    let (first, first_twos) = full_adder(a, b, c);
    let (second, second_twos) = full_adder(d, e, f);
    let (ones, third_twos) = full_adder(first, second, g);
    let (ones, fourth_twos) = (ones ^ h, ones & h);
    let (twos, first_fours) = full_adder(first_twos, second_twos, third_twos);
    let (twos, second_fours) = (twos ^ fourth_twos, twos & fourth_twos);
    [ones, twos, first_fours ^ second_fours, first_fours & second_fours]
}

/// The two binary digits of the number of sets that each square is in, the lower one first.
#[inline(always)]
fn full_adder(a: Bitboard, b: Bitboard, c: Bitboard) -> (Bitboard, Bitboard) {
    let either = a ^ b;
    (either ^ c, (a & b) | (either & c))
}
