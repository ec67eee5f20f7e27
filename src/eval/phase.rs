//! The weights of the evaluation over the course of a game: of the five metrics in three stages, as in table 1 of the
//! MG-PEO paper, or of more terms, sliding from ply to ply, as fitted to our own games.

use super::metrics::Metrics;
use super::terms::{TERMS, TermWeights};
use super::{Value, fitted_weights};
use crate::board::position::Position;
use crate::board::square::Side;

/// What each metric counts at one moment of a game: k1 to k5 of the paper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MetricWeights {
    /// Weight of the territory by queen moves.
    pub t1: f32,
    /// Weight of the territory by king moves.
    pub t2: f32,
    /// Weight of the position by queen moves.
    pub p1: f32,
    /// Weight of the position by king moves.
    pub p2: f32,
    /// Weight of the mobility; at 0 it is not even computed.
    pub mobility: f32,
}

impl MetricWeights {
    const fn of([t1, t2, p1, p2, mobility]: [f32; 5]) -> Self {
        Self { t1, t2, p1, p2, mobility }
    }

    /// Equation 1 of the paper, for the side to move.
    #[inline(always)]
    pub fn value(&self, metrics: &Metrics, side: Side) -> Value {
        let for_black = self.t1 * metrics.t1
            + self.t2 * metrics.t2
            + self.p1 * metrics.p1
            + self.p2 * metrics.p2
            + self.mobility * metrics.mobility;
        Value(for_black).seen_by(side, Side::Black)
    }
}

/// Squares that are empty at the start of a game on 10x10.
const STANDARD_EMPTY: u32 = 92;

/// Plies of the longest game on 10x10, the start counted.
const PLIES: usize = STANDARD_EMPTY as usize + 1;

/// Weights of the terms at each ply of a game on 10x10. On other boards plies are scaled by the number of squares
/// that are empty at the start.
type ByPly = [TermWeights; PLIES];

/// Weights for the whole game.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    kind: Kind,
    /// What a square counts for the side to move that both sides reach equally early; -1 to 1.
    pub tie: f32,
}

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    /// Three stages, the second and the third of which begin at these plies of a game on 10x10.
    Staged { stages: [MetricWeights; 3], starts: [usize; 2] },
    /// For large boards, and for those up to 8x8, where a square is worth more.
    Fitted { standard: &'static ByPly, small: &'static ByPly },
}

/// The weights for one position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum WeightsNow<'a> {
    /// Of the five metrics. Values are in squares.
    Metrics(&'a MetricWeights),
    /// Of the [`super::terms`]. Values are log-odds of winning.
    Terms(&'a TermWeights),
}

static FITTED: ByPly = by_ply(&fitted_weights::STANDARD);
static FITTED_ON_SMALL: ByPly = by_ply(&fitted_weights::SMALL);

impl Weights {
    /// Table 1 of the MG-PEO paper. Its stage limits (plies 20 and 50) and the tie value 0.2 are those of
    /// Guo et al. 2012, whom it cites for the weights. Values are in squares.
    pub const PAPER: Self = Self::staged(
        [
            MetricWeights::of([0.14, 0.37, 0.13, 0.13, 0.20]),
            MetricWeights::of([0.30, 0.25, 0.20, 0.20, 0.05]),
            MetricWeights::of([0.80, 0.10, 0.05, 0.05, 0.00]),
        ],
        [20, 50],
        0.2,
    );

    /// Fitted to our own games, see the file of the numbers. Values are log-odds.
    pub const FITTED: Self =
        Self { kind: Kind::Fitted { standard: &FITTED, small: &FITTED_ON_SMALL }, tie: 0.0 };

    /// Three stages, the second and the third of which begin at these plies of a game on 10x10.
    pub const fn staged(stages: [MetricWeights; 3], starts: [usize; 2], tie: f32) -> Self {
        Self { kind: Kind::Staged { stages, starts }, tie }
    }

    /// Weights of the terms that are known at some plies of a game on 10x10, in ascending order; straight lines
    /// between them. They are kept as long as the program runs, so that weights can be constants.
    pub fn sliding(knots: &[(usize, TermWeights)]) -> Self {
        let table = Box::leak(Box::new(by_ply(knots)));
        Self { kind: Kind::Fitted { standard: table, small: table }, tie: 0.0 }
    }

    /// The same weights with another value of a tied square.
    pub const fn with_tie(mut self, tie: f32) -> Self {
        self.tie = tie;
        self
    }

    /// The weights for a position. The ply is read off the board, so that a position set up by hand has one
    /// too.
    #[inline(always)]
    pub fn at(&self, position: &Position) -> WeightsNow<'_> {
        let ply = Self::ply_of(position);
        match &self.kind {
            Kind::Staged { stages, starts } => {
                WeightsNow::Metrics(&stages[usize::from(ply >= starts[0]) + usize::from(ply >= starts[1])])
            }
            Kind::Fitted { small, .. } if position.size().edge() <= 8 => WeightsNow::Terms(&small[ply]),
            Kind::Fitted { standard, .. } => WeightsNow::Terms(&standard[ply]),
        }
    }

    /// The ply of a game on 10x10 that corresponds to a position, 0 to 92: the number of arrows, scaled.
    #[inline(always)]
    pub fn ply_of(position: &Position) -> usize {
        let area = position.size().area() as u32;
        let amazons = position.amazons(Side::Black).len() + position.amazons(Side::White).len();
        let empty_at_start = area - amazons;
        let ply = empty_at_start - position.empty().len();
        (ply * STANDARD_EMPTY / empty_at_start.max(1)) as usize
    }

    /// The value of a tied square for Black when `side` is to move.
    #[inline(always)]
    pub fn tie_for(&self, side: Side) -> f32 {
        if side == Side::Black { self.tie } else { -self.tie }
    }
}

/// Straight lines between knots.
const fn by_ply(knots: &[(usize, TermWeights)]) -> ByPly {
    let mut table = [knots[0].1; PLIES];
    let (mut ply, mut next) = (0, 0);
    while ply < PLIES {
        while next < knots.len() && knots[next].0 < ply {
            next += 1;
        }
        if next == knots.len() {
            table[ply] = knots[next - 1].1;
        } else if next > 0 {
            let (from, to) = (&knots[next - 1], &knots[next]);
            let part = (ply - from.0) as f32 / (to.0 - from.0) as f32;
            let mut term = 0;
            while term < TERMS {
                table[ply][term] = from.1[term] * (1.0 - part) + to.1[term] * part;
                term += 1;
            }
        }
        ply += 1;
    }
    table
}
