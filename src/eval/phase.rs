//! The weights of the metrics over the course of a game: in three stages, as in table 1 of the MG-PEO
//! paper, or sliding from ply to ply, as fitted to our own games.

use super::Value;
use super::metrics::Metrics;
use crate::board::position::Position;
use crate::board::square::Side;

/// What each metric counts at one moment of a game: k1 to k5 of the paper, and two more of ours.
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
    /// Weight of the confinement; at 0 it is not even computed.
    pub confinement: f32,
    /// What it is worth to be the side to move.
    pub to_move: f32,
}

impl MetricWeights {
    /// All weights, in the order of the fields.
    pub const fn of([t1, t2, p1, p2, mobility, confinement, to_move]: [f32; 7]) -> Self {
        Self { t1, t2, p1, p2, mobility, confinement, to_move }
    }

    /// The five weights of the paper.
    const fn paper([t1, t2, p1, p2, mobility]: [f32; 5]) -> Self {
        Self::of([t1, t2, p1, p2, mobility, 0.0, 0.0])
    }

    /// Equation 1 of the paper, for the side to move.
    #[inline(always)]
    pub fn value(&self, metrics: &Metrics, side: Side) -> Value {
        let for_black = self.t1 * metrics.t1
            + self.t2 * metrics.t2
            + self.p1 * metrics.p1
            + self.p2 * metrics.p2
            + self.mobility * metrics.mobility
            + self.confinement * metrics.confinement;
        Value(Value(for_black).seen_by(side, Side::Black).0 + self.to_move)
    }

    /// The weights a part of the way from these to others.
    const fn towards(&self, other: &Self, part: f32) -> Self {
        const fn between(from: f32, to: f32, part: f32) -> f32 {
            from * (1.0 - part) + to * part
        }
        Self {
            t1: between(self.t1, other.t1, part),
            t2: between(self.t2, other.t2, part),
            p1: between(self.p1, other.p1, part),
            p2: between(self.p2, other.p2, part),
            mobility: between(self.mobility, other.mobility, part),
            confinement: between(self.confinement, other.confinement, part),
            to_move: between(self.to_move, other.to_move, part),
        }
    }
}

/// Squares that are empty at the start of a game on 10x10.
const STANDARD_EMPTY: u32 = 92;

/// Plies of the longest game on 10x10, the start counted.
const PLIES: usize = STANDARD_EMPTY as usize + 1;

/// Weights for the whole game.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// The weights at each ply of a game on 10x10. On other boards plies are scaled by the number of
    /// squares that are empty at the start.
    by_ply: [MetricWeights; PLIES],
    /// The same for boards up to 8x8, where a square is worth more.
    on_small: [MetricWeights; PLIES],
    /// What a square counts for the side to move that both sides reach equally early; -1 to 1.
    pub tie: f32,
}

impl Weights {
    /// Table 1 of the MG-PEO paper. Its stage limits (plies 20 and 50) and the tie value 0.2 are those of
    /// Guo et al. 2012, whom it cites for the weights. Values are in squares.
    pub const PAPER: Self = Self::staged(
        [
            MetricWeights::paper([0.14, 0.37, 0.13, 0.13, 0.20]),
            MetricWeights::paper([0.30, 0.25, 0.20, 0.20, 0.05]),
            MetricWeights::paper([0.80, 0.10, 0.05, 0.05, 0.00]),
        ],
        [20, 50],
        0.2,
    );

    /// Fitted by `lab fit --without p1,mobility --blend 0.25` to 2,451 games of `tournament` against itself and
    /// against others of nearly its constants, 2,000 and 3,000 iterations a move. Values are log-odds. The metrics
    /// left out foresee next to nothing that the others do not, and cost time.
    pub const FITTED: Self = Self::sliding(
        &[
            (5, MetricWeights::of([0.0038, 0.0084, 0.0000, 0.0000, 0.0000, 0.3176, 0.2115])),
            (13, MetricWeights::of([0.0111, -0.0089, 0.0000, 0.1086, 0.0000, 0.4026, 0.1869])),
            (20, MetricWeights::of([0.0252, 0.0077, 0.0000, 0.1820, 0.0000, 0.3349, 0.2419])),
            (27, MetricWeights::of([0.0389, 0.0129, 0.0000, 0.2386, 0.0000, 0.4006, 0.3098])),
            (34, MetricWeights::of([0.0853, 0.0753, 0.0000, 0.1830, 0.0000, 0.2861, 0.3603])),
            (41, MetricWeights::of([0.1520, 0.1356, 0.0000, 0.1443, 0.0000, 0.2161, 0.3879])),
            (48, MetricWeights::of([0.3187, 0.1268, 0.0000, 0.1145, 0.0000, 0.1941, 0.1615])),
            (56, MetricWeights::of([0.2990, 0.1745, 0.0000, 0.0567, 0.0000, 0.2458, -0.2667])),
            (66, MetricWeights::of([0.8935, -0.3851, 0.0000, -0.1861, 0.0000, 0.1323, -0.2166])),
        ],
        0.0,
    )
    .with_small(&Self::FITTED_ON_SMALL);

    /// The same for boards up to 8x8, fitted to 1,100 games on 8x8 with `--ridge 3`.
    const FITTED_ON_SMALL: Self = Self::sliding(
        &[
            (5, MetricWeights::of([-0.0159, -0.0023, 0.0000, 0.0234, 0.0000, 0.1042, 0.4209])),
            (13, MetricWeights::of([0.0258, -0.0466, 0.0000, 0.3017, 0.0000, 0.3504, 0.3770])),
            (20, MetricWeights::of([0.0258, -0.0510, 0.0000, 0.4741, 0.0000, 0.3964, 0.3366])),
            (27, MetricWeights::of([0.0197, 0.0376, 0.0000, 0.4407, 0.0000, 0.3991, 0.3597])),
            (34, MetricWeights::of([0.0891, 0.0663, 0.0000, 0.4185, 0.0000, 0.3902, 0.3591])),
            (41, MetricWeights::of([0.1756, 0.0883, 0.0000, 0.3933, 0.0000, 0.4070, 0.3421])),
            (48, MetricWeights::of([0.1718, 0.0716, 0.0000, 0.4296, 0.0000, 0.4340, 0.1599])),
            (56, MetricWeights::of([0.2168, 0.1013, 0.0000, 0.1038, 0.0000, 0.3728, -0.3047])),
            (66, MetricWeights::of([0.3068, -0.3640, 0.0000, -0.0114, 0.0000, 0.3613, -0.2220])),
        ],
        0.0,
    );

    /// Three stages, the second and the third of which begin at these plies of a game on 10x10.
    pub const fn staged(stages: [MetricWeights; 3], starts: [usize; 2], tie: f32) -> Self {
        let mut by_ply = [stages[0]; PLIES];
        let mut ply = 0;
        while ply < PLIES {
            by_ply[ply] = stages[(ply >= starts[0]) as usize + (ply >= starts[1]) as usize];
            ply += 1;
        }
        Self { by_ply, on_small: by_ply, tie }
    }

    /// Weights known at some plies of a game on 10x10, in ascending order; straight lines between them.
    pub const fn sliding(knots: &[(usize, MetricWeights)], tie: f32) -> Self {
        let mut by_ply = [knots[0].1; PLIES];
        let mut ply = 0;
        let mut next = 0;
        while ply < PLIES {
            while next < knots.len() && knots[next].0 < ply {
                next += 1;
            }
            by_ply[ply] = if next == 0 {
                knots[0].1
            } else if next == knots.len() {
                knots[next - 1].1
            } else {
                let (from, to) = (knots[next - 1], knots[next]);
                from.1.towards(&to.1, (ply - from.0) as f32 / (to.0 - from.0) as f32)
            };
            ply += 1;
        }
        Self { by_ply, on_small: by_ply, tie }
    }

    /// These weights, with those of others on boards up to 8x8.
    pub const fn with_small(mut self, small: &Self) -> Self {
        self.on_small = small.on_small;
        self
    }

    /// The same weights with another value of a tied square.
    pub const fn with_tie(mut self, tie: f32) -> Self {
        self.tie = tie;
        self
    }

    /// The weights for a position. The ply is read off the board, so that a position set up by hand has one
    /// too.
    #[inline(always)]
    pub fn at(&self, position: &Position) -> &MetricWeights {
        let table = if position.size().edge() <= 8 { &self.on_small } else { &self.by_ply };
        &table[Self::ply_of(position)]
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
