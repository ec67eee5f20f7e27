//! Search parameters and the presets.
//!
//! All presets configure the same search. `mcts`, `mg`, `peo` and `paper` are the four systems of the MG-PEO paper's
//! table 5, `uct` is that of Kato et al., and `tournament` is the default.

mod text;

pub use text::{PARAMETERS, Parameter};

use crate::eval::model::Model;

/// Granularity of the tree: edges are whole moves or half-moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grouping {
    /// A whole move: up to 2176 children at the start.
    Whole,
    /// A half-move: movements and arrows alternate (the move groups of the MG-PEO paper).
    Split,
}

/// Parallelization mode. All modes give a leaf the same value, but a multi-threaded `Tree` search is not reproducible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parallel {
    /// One thread.
    Off,
    /// The metrics of one evaluation are computed in parallel: the paper's parallel evaluation.
    Metrics,
    /// The two rollouts of a leaf run in parallel: leaf parallelization (Chaslot et al. 2008).
    Rollouts,
    /// All threads search one shared tree: tree parallelization with virtual loss (Chaslot et al. 2008).
    Tree,
}

impl Parallel {
    /// The modes by name.
    pub const NAMED: [(&'static str, Self); 4] =
        [("off", Self::Off), ("metrics", Self::Metrics), ("rollouts", Self::Rollouts), ("tree", Self::Tree)];
}

/// Selection formula: weighs exploitation against exploration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Formula {
    /// `mean + c * sqrt(2 * ln N / n)`, as in the MG-PEO paper's algorithm 3; its equation 8 lacks the factor 2.
    Uct {
        /// Exploration constant.
        c: f32,
    },
    /// Exploration by priors, see [`Puct`].
    Puct(Puct),
    /// `mean + sqrt(ln N / n * min(1/4, mean - mean^2 + sqrt(2 ln N / n)))`, as printed by Kato et al.
    Ucb1Tuned,
}

impl Formula {
    /// True for PUCT, which tries children in prior order. The other formulas first try every child once.
    #[inline]
    pub const fn has_priors(&self) -> bool {
        matches!(self, Self::Puct(_))
    }
}

/// PUCT: `mean + c * sqrt(variance * N) * prior / (1 + n)` (Rosin 2011, in the form of AlphaZero), with the variance of
/// the leaf values below the node, see [`super::select::puct::ValueVariance`].
///
/// An untried child is scored with its parent's mean value (first-play urgency). Children are tried in prior order. A
/// descent that tries a new movement continues to the movement's most probable arrow. Movements and arrows have
/// separate constants, since a wrong arrow costs less than a wrong movement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Puct {
    /// Exploration constant c for movements.
    pub movement_c: f32,
    /// Exploration constant c for arrows.
    pub arrow_c: f32,
    /// Temperature of the movements' priors, which are `softmax(logit / temperature)`, see [`crate::eval::policy`].
    pub movement_temperature: f32,
    /// Temperature of the arrows' priors, used like [`Self::movement_temperature`].
    pub arrow_temperature: f32,
    /// Growth rate of [`Self::movement_c`] and [`Self::arrow_c`] with the logarithm of the visits, see [`Puct::c`]; 0
    /// keeps them constant.
    pub growth: f32,
    /// Weight of the history of movements in their policy logits, see [`super::history`]; 0 turns the history off.
    pub history: f32,
    /// Pseudo-count of the parent's variance in a node's variance, see [`super::select::puct::ValueVariance::at`]. With
    /// 1e9 the variance of every node is about [`super::select::puct::ValueVariance::START`].
    pub variance_prior: f32,
}

impl Puct {
    /// Number of visits at which the exploration constants begin to grow noticeably.
    const GROWTH_VISITS: f32 = 20_000.0;

    /// Returns the exploration factor for movements or for arrows at a node with `visits` visits:
    /// `c * (1 + growth * ln(1 + visits / 20000))`.
    // Without this growth, a long search would hardly ever revisit a child that once looked bad.
    #[inline(always)]
    pub fn c(&self, is_arrow: bool, visits: u32) -> f32 {
        let c = if is_arrow { self.arrow_c } else { self.movement_c };
        c * (1.0 + self.growth * log_one_plus(visits as f32 / Self::GROWTH_VISITS))
    }

    /// Default constants, chosen by `lab tune` (temperatures, variance prior: 1,450 game pairs at 2,000 and 3,000
    /// iterations per move, then 700 at 30,000) and `lab regret` (exploration: 20,000 to 1,000,000 iterations).
    pub const DEFAULT: Self = Self {
        movement_c: 4.5,
        arrow_c: 0.5,
        growth: 2.0,
        movement_temperature: 2.0,
        arrow_temperature: 1.2,
        history: 10.0,
        variance_prior: 16.0,
    };
}

/// Approximates ln(1 + x) for x >= 0 with an error of at most 0.006: the float's exponent plus a parabola in its
/// significand. The result is continuous and equal on every machine.
#[inline(always)]
fn log_one_plus(x: f32) -> f32 {
    let bits = (1.0 + x).to_bits();
    let exponent = (bits >> 23) as f32 - 127.0;
    let fraction = f32::from_bits(bits & 0x7f_ffff | 0x3f80_0000) - 1.0;
    std::f32::consts::LN_2 * (exponent + fraction + 0.3431 * fraction * (1.0 - fraction))
}

/// Random rollouts from a new leaf. Depths are in half-moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rollouts {
    /// No rollout: the leaf itself is evaluated.
    None,
    /// One rollout of this depth.
    One(u32),
    /// Two rollouts, one of each depth; their winning rates are averaged.
    Two(u32, u32),
    /// One playout to the end of the game; the leaf's value is the playout's result, 0 or 1.
    ToEnd,
}

/// Search parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// Granularity of the tree.
    pub grouping: Grouping,
    /// Parallelization mode.
    pub parallel: Parallel,
    /// Selection formula.
    pub formula: Formula,
    /// Rollouts played from a new leaf.
    pub rollouts: Rollouts,
    /// Model that evaluates leaves and gives the priors of half-moves.
    pub model: Model,
    /// Number of standard errors between the mean and the lower confidence bound (LCB) that chooses the final move, see
    /// [`super::select::final_child`]; 0 chooses the most visited move.
    pub lcb_z: f32,
    /// True if [`crate::endgame`] proves results at the root and new nodes, and chooses the moves of decided endgames.
    pub endgame_proofs: bool,
    /// Maximum length of a burst, see [`super::iteration`]. 1 starts every iteration at the root.
    pub burst: u32,
}

impl Params {
    /// MG-PEO: move groups and parallel evaluation.
    pub const PAPER: Self = Self {
        grouping: Grouping::Split,
        parallel: Parallel::Metrics,
        formula: Formula::Uct { c: std::f32::consts::FRAC_1_SQRT_2 },
        rollouts: Rollouts::Two(4, 5),
        model: Model::PAPER,
        lcb_z: 0.0,
        endgame_proofs: false,
        burst: 1,
    };
    /// MCTS with move groups, without parallel evaluation.
    pub const MG: Self = Self { parallel: Parallel::Off, ..Self::PAPER };
    /// MCTS with parallel evaluation, without move groups.
    pub const PEO: Self = Self { grouping: Grouping::Whole, ..Self::PAPER };
    /// Plain MCTS: neither move groups nor parallel evaluation.
    pub const MCTS: Self = Self { parallel: Parallel::Off, ..Self::PEO };
    /// Default preset: half-moves selected by PUCT with trained priors, a network that estimates the winning
    /// probability, no rollouts, tree parallelization, endgame proofs.
    pub const TOURNAMENT: Self = Self {
        grouping: Grouping::Split,
        parallel: Parallel::Tree,
        formula: Formula::Puct(Puct::DEFAULT),
        rollouts: Rollouts::None,
        model: Model::Fitted,
        lcb_z: 5.5,
        endgame_proofs: true,
        burst: 256,
    };

    /// Plain UCT of Kato et al. 2015: whole moves, playouts to the end of the game, no evaluation.
    pub const UCT: Self = Self { formula: Formula::Ucb1Tuned, rollouts: Rollouts::ToEnd, ..Self::MCTS };

    /// The presets by name.
    pub const NAMED: [(&'static str, Self); 6] = [
        ("tournament", Self::TOURNAMENT),
        ("paper", Self::PAPER),
        ("mg", Self::MG),
        ("peo", Self::PEO),
        ("mcts", Self::MCTS),
        ("uct", Self::UCT),
    ];

    /// True for UCT over half-moves: a movement has infinite value until one of its arrows is tried (MG-PEO paper,
    /// sections 3.2 and 4.1).
    #[inline]
    pub const fn has_arrow_before_value(&self) -> bool {
        matches!((self.grouping, self.formula), (Grouping::Split, Formula::Uct { .. }))
    }

    /// Returns the parameters if they are compatible. Call this after all parameters have been
    /// [set](Params::set_with): they can be set in any order, with incompatible values in between.
    ///
    /// # Errors
    /// Returns a message with the incompatible parameters, the reason, and the valid values.
    pub fn checked(self) -> Result<Self, String> {
        match (self.grouping, self.formula) {
            (Grouping::Whole, Formula::Puct(_)) => {
                Err("grouping=whole does not work with formula=puct, which needs priors of movements and of arrows: \
                     expected grouping=split, formula=uct or formula=ucb1-tuned"
                    .into())
            }
            _ => Ok(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_exploration_constants_grow_with_the_visits() {
        let puct = Puct { movement_c: 4.0, arrow_c: 0.5, growth: 2.0, ..Puct::DEFAULT };
        // ln(1 + 0), ln(1 + 1) and ln(1 + 7).
        let ln_2 = std::f32::consts::LN_2;
        for (visits, log) in [(0, 0.0), (20_000, ln_2), (140_000, 3.0 * ln_2)] {
            for (is_arrow, c) in [(false, 4.0), (true, 0.5)] {
                let expected = c * (1.0 + 2.0 * log);
                let found = puct.c(is_arrow, visits);
                assert!((found - expected).abs() < 0.02 * c, "{visits}, {is_arrow}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn log_one_plus_is_accurate_and_monotonic() {
        let mut last = 0.0;
        for step in 0..200_000 {
            let x = libm::expf(step as f32 / 10_000.0) - 1.0;
            let log = log_one_plus(x);
            assert!((log - libm::log1pf(x)).abs() < 0.006 && log >= last - 1e-6, "{x}: {log}");
            last = log;
        }
    }
}
