//! The phased evaluation of the MG-PEO paper: the weights of its five metrics in three stages of the game (equation 1,
//! table 1).

use super::metrics::Metrics;
use super::winrate::ValueLink;
use super::{Value, standard_ply};
use crate::board::position::Position;
use crate::board::square::Side;

/// What each metric counts at one stage of a game: k1 to k5 of the paper.
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

/// The weights for the whole game, and what values mean. Values are in squares.
#[derive(Clone, PartialEq, Debug)]
pub struct PhasedWeights {
    /// Those of each stage.
    pub stages: [MetricWeights; 3],
    /// The plies of a game on 10x10 at which the second and the third stage begin.
    pub starts: [usize; 2],
    /// What a square counts for the side to move that both sides reach equally early; -1 to 1.
    pub tie: f32,
    /// From a value to a winning rate.
    pub link: ValueLink,
}

impl PhasedWeights {
    /// Table 1 of the MG-PEO paper. Its stage limits (plies 20 and 50) and the tie value 0.2 are those of
    /// Guo, Li, Bao 2012, whom it cites for the weights. It leaves open what a value says about winning; that only its
    /// sign counts is what public programs of its family do.
    pub const PAPER: Self = Self {
        stages: [
            MetricWeights::of([0.14, 0.37, 0.13, 0.13, 0.20]),
            MetricWeights::of([0.30, 0.25, 0.20, 0.20, 0.05]),
            MetricWeights::of([0.80, 0.10, 0.05, 0.05, 0.00]),
        ],
        starts: [20, 50],
        tie: 0.2,
        link: ValueLink::Sign { threshold: 0.1 },
    };

    /// The weights for a position. The ply is read off the board, so that a position set up by hand has one too.
    #[inline(always)]
    pub fn at(&self, position: &Position) -> &MetricWeights {
        let (ply, [middle, ending]) = (standard_ply(position), self.starts);
        &self.stages[usize::from(ply >= middle) + usize::from(ply >= ending)]
    }

    /// The value of a tied square for Black when `side` is to move.
    #[inline(always)]
    pub fn tie_for(&self, side: Side) -> f32 {
        if side == Side::Black { self.tie } else { -self.tie }
    }
}
