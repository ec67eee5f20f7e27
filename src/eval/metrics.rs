//! The five metrics of the MG-PEO paper (equations 2 to 7); positive is good for Black. Territory and position are
//! computed from the distance maps, mobility by [`super::mobility`].
//!
//! `D(c, s)` is the distance of side `c` to the empty square `s`, infinite if `c` cannot reach it:
//!
//! | metric | formula |
//! |---|---|
//! | territory t1 (queen), t2 (king) | `sum(sign(D(White, s) - D(Black, s)))`, `tie` if both distances are equal and finite |
//! | position p1 (queen) | `2 * sum(2^-D(Black, s) - 2^-D(White, s))` |
//! | position p2 (king) | `sum(clamp((D(White, s) - D(Black, s)) / 6, -1, 1))` |
//! | mobility | `sum over amazons of sum over s in one queen move of neighbours(s) / steps(s)` |

use super::distance::{DistanceMaps, Levels};
use crate::simd::SidePair;

/// The metrics of one position, positive for Black.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Metrics {
    /// The paper's queen-move territory metric.
    pub t1: f32,
    /// The paper's king-move territory metric.
    pub t2: f32,
    /// The paper's queen-move position metric.
    pub p1: f32,
    /// The paper's king-move position metric.
    pub p2: f32,
    /// The paper's mobility metric.
    pub mobility: f32,
}

/// Computes the four metrics of the distance maps; sets mobility to 0. `tie` is the value for Black of a square that
/// both sides reach equally early.
#[inline(always)]
pub fn of_maps(maps: &DistanceMaps, tie: f32) -> Metrics {
    let (t1, p1) = of_queen_moves(&maps.queen);
    let (t2, p2) = of_king_moves(&maps.king);
    Metrics { t1: t1.balance(tie), t2: t2.balance(tie), p1, p2, mobility: 0.0 }
}

/// Computes territory and position by queen moves (t1 and p1).
// One loop over the levels, since the end of each loop is a mispredicted branch.
#[inline(always)]
fn of_queen_moves(levels: &Levels) -> (Territory, f32) {
    let (mut first, mut nearness) = (First::default(), Nearness::default());
    for reached in levels.steps() {
        first.add(reached);
        nearness.add(reached);
    }
    (first.territory(levels), nearness.position())
}

/// Computes territory and position by king moves (t2 and p2). p2 is equation 5 with the brackets that its print lacks,
/// and with its sign reversed, so that positive is good for Black as in the other metrics (compare equation 4).
// One loop is enough if no distance exceeds 7, since no difference needs the clamp then.
#[inline(always)]
fn of_king_moves(levels: &Levels) -> (Territory, f32) {
    if levels.steps().len() > HORIZON + 1 {
        return (territory(levels), lead_within(HORIZON, levels.reached()) as f32 / HORIZON as f32);
    }
    let (mut first, mut lead) = (First::default(), Lead::new(levels));
    for reached in levels.steps() {
        first.add(reached);
        lead.add(reached);
    }
    (first.territory(levels), lead.sum(HORIZON) as f32 / HORIZON as f32)
}

/// Territory by one kind of distance: how the reachable squares are divided between the sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Territory {
    /// Number of squares that Black reaches first, or alone.
    pub black: u32,
    /// Number of squares that White reaches first, or alone.
    pub white: u32,
    /// Number of squares that both sides reach in equally many moves.
    pub shared: u32,
}

impl Territory {
    /// Evaluates equations 2 and 3 of the MG-PEO paper: Black's number of squares minus White's, plus `tie` for each
    /// shared square.
    #[inline(always)]
    pub fn balance(self, tie: f32) -> f32 {
        (self.black as i32 - self.white as i32) as f32 + tie * self.shared as f32
    }
}

/// Counts the squares that each side reaches first: for t1 from queen moves, for t2 from king moves.
#[inline(always)]
pub fn territory(levels: &Levels) -> Territory {
    let mut first = First::default();
    for reached in levels.steps() {
        first.add(reached);
    }
    first.territory(levels)
}

/// Squares that each side reaches in fewer moves than the other side, or alone.
#[derive(Default)]
struct First(SidePair);

impl First {
    #[inline(always)]
    fn add(&mut self, reached: &SidePair) {
        for (first, reached) in [(&mut self.0.low, reached.low), (&mut self.0.high, reached.high)] {
            first[0] |= reached[0] & !reached[1];
            first[1] |= reached[1] & !reached[0];
        }
    }

    #[inline(always)]
    fn territory(&self, levels: &Levels) -> Territory {
        let (Self(first), all) = (self, levels.reachable());
        let shared = (all.of(0) & all.of(1)) - first.of(0) - first.of(1);
        Territory { black: first.of(0).len(), white: first.of(1).len(), shared: shared.len() }
    }
}

/// Computes the relative territory for Black (Kato, Takaya, Yamamura 2015, 3.3,
/// <https://doi.org/10.1007/978-3-319-24315-3_14>): the sum of White's distance minus Black's; a square that only one
/// side reaches counts 5 for that side.
pub fn relative_territory(levels: &Levels) -> i32 {
    let mut lead = Lead::new(levels);
    for reached in levels.steps() {
        lead.add(reached);
    }
    lead.sum(5)
}

/// Running sum of equation 4: `2 * sum(2^-D(Black, s) - 2^-D(White, s))`, with distances `D`. Since `2 * 2^-D = sum
/// over k >= D of 2^-k`, step k adds `2^-k` for every square reached within k. The last step K adds `2^-K` twice, since
/// all later steps sum to `2^-K`.
#[derive(Default)]
struct Nearness {
    sum: i64,
    balance: i64,
    step: u32,
}

impl Nearness {
    /// Number of fractional bits of the sum, which is exact up to distance 48; squares further away are ignored.
    const SCALE: u32 = 48;

    #[inline(always)]
    fn add(&mut self, reached: &SidePair) {
        if self.step < Self::SCALE {
            self.step += 1;
            self.balance = i64::from(reached.of(0).len()) - i64::from(reached.of(1).len());
            self.sum += self.balance << (Self::SCALE - self.step);
        }
    }

    #[inline(always)]
    fn position(&self) -> f32 {
        let sum = self.sum + (self.balance << (Self::SCALE - self.step));
        sum as f32 * (1.0 / (1u64 << Self::SCALE) as f32)
    }
}

/// Limit of a distance difference in p2, in king moves: larger differences are clamped.
const HORIZON: usize = 6;

/// Sum of White's distance minus Black's over the squares that both sides reach, computed step by step: step k adds the
/// number of these squares that Black reaches within k, minus the number that White reaches.
struct Lead {
    both: [u64; 2],
    only: i32,
    sum: i32,
}

impl Lead {
    #[inline(always)]
    fn new(levels: &Levels) -> Self {
        let all = levels.reachable();
        let only = all.of(0).len() as i32 - all.of(1).len() as i32;
        Self { both: [all.low[0] & all.low[1], all.high[0] & all.high[1]], only, sum: 0 }
    }

    #[inline(always)]
    fn add(&mut self, reached: &SidePair) {
        let [low, high] = self.both;
        self.sum += ((reached.low[0] & low).count_ones() + (reached.high[0] & high).count_ones()) as i32;
        self.sum -= ((reached.low[1] & low).count_ones() + (reached.high[1] & high).count_ones()) as i32;
    }

    /// Returns the sum of the differences in distance, plus `alone` for each square that only Black reaches, minus
    /// `alone` for each that only White reaches.
    #[inline(always)]
    fn sum(&self, alone: usize) -> i32 {
        self.sum + alone as i32 * self.only
    }
}

/// Returns the sum of `clamp(D(White) - D(Black), -horizon, horizon)` over all squares, with distances `D`. If
/// positive, a square's term is the number of steps k with `D(Black) <= k < D(White)` and `k - horizon < D(Black)`.
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
