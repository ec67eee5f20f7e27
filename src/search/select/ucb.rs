//! Upper confidence bounds: UCT (Kocsis and Szepesvári 2006) and UCB1-tuned (Auer et al. 2002). Both score tried
//! children only.

use super::cache::{ChildStats, Exploration, SelectionCache, best_of_all};
use super::{Parent, is_movement};
use crate::board::square::Side;
use crate::search::tree::{Node, NodeId};
use std::sync::LazyLock;

/// Selects the child with the highest `mean + factor / sqrt(n)`, where `factor` is `c * sqrt(2 * ln N)`. With
/// `arrow_before_value`, a movement without a tried arrow precedes all others unless the tree is full.
pub(super) fn uct(
    parent: &Parent,
    factor: f32,
    arrow_before_value: bool,
    cache: &mut SelectionCache,
) -> Option<NodeId> {
    let unexpanded_first = arrow_before_value && !parent.tree.is_full();
    let term = UctTerm { chooser: parent.chooser, factor, unexpanded_first, roots: &ROOTS };
    // The cache does not notice when another worker expands a child, or when a full tree stops all expansion.
    let best = if parent.tree.is_for_one_worker() && unexpanded_first == arrow_before_value {
        cache.best(parent, term)
    } else {
        best_of_all(parent, term)
    };
    best.map(|(child, _)| child)
}

/// Selects the child with the highest UCB1-tuned score.
pub(super) fn ucb1_tuned(parent: &Parent, cache: &mut SelectionCache) -> Option<NodeId> {
    let log_visits = libm::logf(parent.visits as f32);
    cache.best(parent, Ucb1TunedTerm { chooser: parent.chooser, log_visits }).map(|(child, _)| child)
}

/// Exploration term of UCT: `factor / sqrt(n)`.
#[derive(Clone, Copy)]
struct UctTerm<'a> {
    chooser: Side,
    factor: f32,
    /// True if unexpanded movements precede all other children.
    unexpanded_first: bool,
    roots: &'a [f32],
}

impl Exploration for UctTerm<'_> {
    fn chooser(&self) -> Side {
        self.chooser
    }

    #[inline(always)]
    fn weight(&self, _: Node, visits: u32) -> f32 {
        square_root(visits, self.roots)
    }

    #[inline(always)]
    fn comes_first(&self, node: &Node) -> bool {
        self.unexpanded_first && is_movement(node) && !node.is_expanded()
    }

    #[inline(always)]
    fn term(&self, stats: ChildStats) -> f32 {
        if stats.mean == f32::NEG_INFINITY { 0.0 } else { self.factor / stats.weight }
    }

    fn factor(&self) -> f32 {
        self.factor
    }
}

/// Square roots of the visit counts 0 to 1023; a look-up is faster than the instruction.
static ROOTS: LazyLock<Vec<f32>> = LazyLock::new(|| (0..1024).map(|n| (n as f32).sqrt()).collect());

#[inline(always)]
fn square_root(visits: u32, roots: &[f32]) -> f32 {
    roots.get(visits as usize).copied().unwrap_or_else(|| (visits as f32).sqrt())
}

/// Exploration term of UCB1-tuned, see [`ucb1_tuned_term`].
#[derive(Clone, Copy)]
struct Ucb1TunedTerm {
    chooser: Side,
    log_visits: f32,
}

impl Exploration for Ucb1TunedTerm {
    fn chooser(&self) -> Side {
        self.chooser
    }

    #[inline(always)]
    fn weight(&self, _: Node, visits: u32) -> f32 {
        1.0 / visits as f32
    }

    #[inline(always)]
    fn term(&self, stats: ChildStats) -> f32 {
        if stats.mean == f32::NEG_INFINITY {
            return 0.0;
        }
        ucb1_tuned_term(stats.mean, self.log_visits * stats.weight)
    }

    fn factor(&self) -> f32 {
        self.log_visits
    }

    /// Returns `sqrt(L0) / 2 * (L / L0 - 1)`, where L is `ln N` and L0 is `factor_then`. Proof:
    /// `term(L) <= term(L0) * L / L0`, and `term(L0) <= sqrt(L0 / 4)` because n >= 1.
    #[inline(always)]
    fn growth(&self, _: f32, factor_then: f32) -> f32 {
        let log_then = factor_then.max(f32::MIN_POSITIVE);
        0.5 * log_then.sqrt() * (self.log_visits / log_then - 1.0)
    }
}

/// Returns `sqrt(ratio * min(1/4, mean - mean^2 + sqrt(2 ratio)))`, where `ratio` is `ln N / n` (Kato et al. 2015,
/// section 4).
#[inline(always)]
fn ucb1_tuned_term(mean: f32, ratio: f32) -> f32 {
    let variance = mean - mean * mean;
    // If ratio > 1/32, sqrt(2 ratio) alone exceeds 1/4. Only children with many visits have a smaller ratio.
    let bound = if ratio > 0.0313 { 0.25 } else { (variance + (2.0 * ratio).sqrt()).min(0.25) };
    (ratio * bound).sqrt()
}
