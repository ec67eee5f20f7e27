//! The stages of a game and the weights of the metrics in each: the MG-PEO paper's table 1.

use super::Value;
use super::metrics::Metrics;
use crate::board::position::Position;
use crate::board::square::Side;

/// The weights k1 to k5 of one stage.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StageWeights {
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

impl StageWeights {
    /// Equation 1, for the side to move.
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

/// Weights for the whole game.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// Opening, middle game, ending.
    pub stages: [StageWeights; 3],
    /// Plies at which the middle game and the ending begin on 10x10. On other boards they are scaled
    /// by the number of squares that are empty at the start (92 on 10x10).
    pub stage_starts: [u32; 2],
    /// What a square counts for the side to move that both sides reach equally early; -1 to 1.
    pub tie: f32,
}

/// Squares that are empty at the start of a game on 10x10.
const STANDARD_EMPTY: u32 = 92;

impl Weights {
    /// Table 1 of the MG-PEO paper. Its stage limits (plies 20 and 50) and the tie value 0.2 are those of
    /// Guo et al. 2012, whom it cites for the weights.
    pub const PAPER: Self = Self {
        stages: [
            StageWeights { t1: 0.14, t2: 0.37, p1: 0.13, p2: 0.13, mobility: 0.20 },
            StageWeights { t1: 0.30, t2: 0.25, p1: 0.20, p2: 0.20, mobility: 0.05 },
            StageWeights { t1: 0.80, t2: 0.10, p1: 0.05, p2: 0.05, mobility: 0.00 },
        ],
        stage_starts: [20, 50],
        tie: 0.2,
    };

    /// The weights for a position. The ply is read off the board, as the number of arrows, so that a
    /// position set up by hand has a stage too.
    #[inline(always)]
    pub fn stage_of(&self, position: &Position) -> &StageWeights {
        let area = position.size().area() as u32;
        let amazons = position.amazons(Side::Black).len() + position.amazons(Side::White).len();
        let empty_at_start = area - amazons;
        let ply = empty_at_start - position.empty().len();
        let begun = |start| usize::from(ply * STANDARD_EMPTY >= start * empty_at_start);
        &self.stages[begun(self.stage_starts[0]) + begun(self.stage_starts[1])]
    }

    /// The value of a tied square for Black when `side` is to move.
    #[inline(always)]
    pub fn tie_for(&self, side: Side) -> f32 {
        if side == Side::Black { self.tie } else { -self.tie }
    }
}
