//! PUCT: selection by the children's priors, scaled by the variance of the leaf values below the node:
//! `mean + c * sqrt(variance) * prior * sqrt(N) / (1 + n)`.
//!
//! This is AlphaZero's form (Silver et al. 2018) of Rosin's predictor (2011), scaled by the standard deviation of the
//! values as in KataGo's dynamic variance-scaled cPUCT
//! (<https://github.com/lightvector/KataGo/blob/master/docs/KataGoMethods.md>).

use super::cache::{Exploration, SelectionCache};
use super::{Parent, is_movement};
use crate::search::params::Puct;
use crate::search::tree::{NodeId, Tree};

/// Variance of the leaf values (0 to 1) below a node; scales the exploration constant of PUCT.
// No single constant suits both the opening, where all moves have nearly equal values, and the endgame, where one move
// wins and the next loses.
#[derive(Clone, Copy, Debug)]
pub struct ValueVariance(pub f32);

impl ValueVariance {
    /// Variance assumed before any value is known: a standard deviation of 0.1.
    pub const START: Self = Self(0.01);

    /// Estimates the variance at `parent` from `self`, the variance at the node above:
    /// `(sum of (value - mean)^2 + w * self) / (count + w)`, where w is `puct.variance_prior`.
    #[inline(always)]
    pub fn at(self, parent: &Parent, puct: &Puct) -> Self {
        self.about(parent.mean(), parent.tree.deviations(parent.id), puct.variance_prior)
    }

    /// Estimates the variance at the node `id` like [`Self::at`], but from backed-up rewards only. `weight` is w.
    pub(super) fn of_values(self, tree: &Tree, id: NodeId, weight: f32) -> Self {
        let node = tree.node(id);
        self.about(node.mean(node.visits().max(1)), tree.deviations(id), weight)
    }

    #[inline(always)]
    fn about(self, mean: f32, (count, squares): (u32, f32), weight: f32) -> Self {
        // Parallel axis theorem: computes the sum of squares about the mean from the sum about 1/2.
        let offset = mean - 0.5;
        let known = (squares - count as f32 * offset * offset).max(0.0);
        Self((known + weight * self.0) / (count as f32 + weight))
    }
}

/// Result of a PUCT selection: the best tried child, or the next untried child if its score is higher.
pub(super) struct Preference {
    /// Best of the tried children; `None` if all of them are proven losses.
    pub tried: Option<NodeId>,
    /// True if the next untried child scores higher than `tried`.
    pub untried: bool,
}

/// Finds the child with the highest PUCT score. Untried children are in prior order, so only the first of them is
/// scored, with the parent's mean as its value (first-play urgency, Gelly and Wang 2006).
#[inline(always)]
pub(super) fn prefer(
    parent: &Parent,
    puct: &Puct,
    ValueVariance(variance): ValueVariance,
    cache: &mut SelectionCache,
) -> Preference {
    let &Parent { tree, id, chooser, visits, .. } = parent;
    let node = tree.node(id);
    let after_movement = is_movement(&node);
    let factor = puct.c(after_movement, visits) * (variance * visits as f32).sqrt();
    let best = cache.best(parent, Exploration { chooser, factor });
    let best_score = best.map_or(f32::NEG_INFINITY, |(_, score)| score);
    let untried = tree.next_prior(id).is_some_and(|prior| {
        let mean = parent.mean();
        // The node's rewards are those of the side that moved into it, which is the chooser after a movement.
        let for_chooser = if after_movement { mean } else { 1.0 - mean };
        for_chooser + factor * prior > best_score
    });
    Preference { tried: best.map(|(child, _)| child), untried }
}
