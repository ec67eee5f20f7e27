//! The phased evaluation of the MG-PEO paper: weights of its five metrics at three stages of the game (equation 1,
//! table 1).

use super::distance::{DistanceMaps, MAX_STEPS};
use super::metrics::{self, Metrics};
use super::mobility::{self, RaySweep};
use super::ply::standard_ply;
use super::winrate::{Value, ValueLink};
use crate::board::position::Position;
use crate::board::square::Side;
use crate::simd::Lanes;

/// Weights of the metrics at one stage: k1 to k5 of the paper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MetricWeights {
    /// Weight of the queen-move territory metric.
    pub t1: f32,
    /// Weight of the king-move territory metric.
    pub t2: f32,
    /// Weight of the queen-move position metric.
    pub p1: f32,
    /// Weight of the king-move position metric.
    pub p2: f32,
    /// Weight of the mobility metric; 0 skips its computation.
    pub mobility: f32,
}

impl MetricWeights {
    const fn of([t1, t2, p1, p2, mobility]: [f32; 5]) -> Self {
        Self { t1, t2, p1, p2, mobility }
    }

    /// Evaluates equation 1 of the paper for `side`, the side to move.
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

/// Metric weights for all stages of the game, and the link function to win rates. Values are in squares.
#[derive(Clone, PartialEq, Debug)]
pub struct PhasedWeights {
    /// Weights of each stage.
    pub stages: [MetricWeights; 3],
    /// Plies of a 10x10 game at which the second and the third stage begin.
    pub starts: [usize; 2],
    /// Value of a square that both sides reach equally early, for the side to move; -1 to 1.
    pub tie: f32,
    /// Link function from values to win rates.
    pub link: ValueLink,
}

impl PhasedWeights {
    /// Table 1 of the MG-PEO paper. The stage limits (plies 20 and 50) and the tie value 0.2 are from Guo, Li, Bao
    /// 2012, which the paper cites for the weights. The paper does not define a link function; public programs with
    /// such an evaluation use only the sign of the value.
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

    /// Lead in squares that is worth one unit of natural log-odds, for positions where [`Self::PAPER`] replaces a
    /// missing network.
    pub const SQUARES_PER_LOG_ODDS: f32 = 7.0;

    /// Returns the weights for a position. The stage is chosen by [`standard_ply`], which also works for positions set
    /// up by hand.
    #[inline(always)]
    pub fn at(&self, position: &Position) -> &MetricWeights {
        let (ply, [middle, ending]) = (standard_ply(position), self.starts);
        &self.stages[usize::from(ply >= middle) + usize::from(ply >= ending)]
    }

    /// Evaluates a position for the side to move by equation 1 of the MG-PEO paper, with the weights of its stage.
    // Out of line, so that it is compiled only once for each kernel.
    pub(crate) fn value<L: Lanes>(&self, position: &Position, maps: &mut DistanceMaps) -> Value {
        L::call(
            #[inline(always)]
            move || {
                let now = self.at(position);
                let mut mobility = 0.0;
                if now.mobility == 0.0 {
                    maps.flood_queen_steps::<L>(position, MAX_STEPS);
                } else {
                    let sweep = RaySweep::<L>::new(position.all_amazons(), position.empty());
                    maps.flood_beyond(position, sweep.reach);
                    mobility = mobility::balance(sweep.mobilities);
                }
                let metrics = metrics::of_maps(maps, self.tie_for(position.side()));
                now.value(&Metrics { mobility, ..metrics }, position.side())
            },
        )
    }

    /// Returns the value for Black of a square that both sides reach equally early, if `side` is to move.
    #[inline(always)]
    pub fn tie_for(&self, side: Side) -> f32 {
        if side == Side::Black { self.tie } else { -self.tie }
    }
}
