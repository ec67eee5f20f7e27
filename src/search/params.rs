//! Parameters of the search.

mod text;

pub use text::PARAMETERS;

use crate::eval::model::Model;

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

/// Parameters of the tournament search.
#[derive(Clone, PartialEq, Debug)]
pub struct TournamentParams {
    /// Constants of the selection formula.
    pub puct: Puct,
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

impl TournamentParams {
    /// The preset `tournament`: trained priors, a network that estimates the winning probability, endgame proofs.
    pub const DEFAULT: Self =
        Self { puct: Puct::DEFAULT, model: Model::Fitted, lcb_z: 5.5, endgame_proofs: true, burst: 256 };
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
