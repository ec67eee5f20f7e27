//! Which child to descend to, and which to answer with: formulas over the statistics of the tree.

use super::params::{Formula, Params, Puct};
use super::shortlist::Shortlists;
use super::tree::{Node, NodeId, Tree};
use crate::board::square::Side;
use std::sync::LazyLock;

/// The child of an opened node that `chooser` descends to. Children that are proven losses are out. All
/// children were tried before, or the formula has priors and may claim one that was not.
pub fn best_child(
    tree: &Tree,
    id: NodeId,
    chooser: Side,
    params: &Params,
    shortlists: &mut Shortlists,
) -> Option<NodeId> {
    // The descent under way is counted in the node's visits, but has told nothing yet.
    let visits = tree.node(id).visits().saturating_sub(1).max(1);
    match params.formula {
        Formula::Uct { c, log_factor } => {
            let exploration = c * (log_factor * libm::logf(visits as f32)).sqrt();
            by_uct(tree, id, chooser, params, exploration)
        }
        Formula::Puct(puct) => by_prior(tree, id, chooser, visits, &puct, shortlists),
        Formula::Ucb1Tuned => by_ucb1_tuned(tree, id, chooser, visits, shortlists),
    }
}

/// The child with the highest score by UCT.
fn by_uct(tree: &Tree, id: NodeId, chooser: Side, params: &Params, exploration: f32) -> Option<NodeId> {
    let roots = &*ROOTS;
    let mut best = None;
    let mut best_score = f32::NEG_INFINITY;
    for (child, node) in tree.tried(id) {
        if node.proof() == Some(chooser.opponent()) {
            continue;
        }
        if params.arrow_before_value && is_movement(&node) && !tree.is_open(child) && !tree.is_full() {
            return Some(child);
        }
        let visits = node.visits().max(1);
        let score = node.mean(visits) + exploration / root_of(visits, roots);
        if score > best_score {
            (best, best_score) = (Some(child), score);
        }
    }
    best
}

/// The child with the highest score by PUCT. Untried children lie in the order of their priors, so that only
/// the first of them need be looked at.
fn by_prior(
    tree: &Tree,
    id: NodeId,
    chooser: Side,
    visits: u32,
    puct: &Puct,
    shortlists: &mut Shortlists,
) -> Option<NodeId> {
    let parent = tree.node(id);
    let c = if is_movement(&parent) { puct.arrow_c } else { puct.movement_c };
    let exploration = c * (visits as f32).sqrt();
    let score = |node: Node| {
        let visits = node.visits().max(1);
        let score = node.mean(visits) + exploration * node.prior() / (1 + visits) as f32;
        if node.proof() == Some(chooser.opponent()) { f32::NEG_INFINITY } else { score }
    };
    // A score grows with the root of the visits at most. A little more, for what is rounded away.
    let growth = |score: f32, before: u32| score * (visits as f32 * 1.000_01 / before as f32).sqrt() - score;
    let best = shortlists.best(tree, id, visits, score, growth);
    let best_score = best.map_or(f32::NEG_INFINITY, |(_, score)| score);
    let untried = tree.next_prior(id).filter(|prior| {
        let mean = parent.mean(visits);
        // Rewards are those of the side that moved here: of the chooser between movement and arrow.
        let for_chooser = if is_movement(&parent) { mean } else { 1.0 - mean };
        for_chooser - puct.reduction + exploration * prior > best_score
    });
    let best = best.map(|(child, _)| child);
    untried.and_then(|_| tree.claim_untried(id)).or(best).or_else(|| tree.claim_untried(id))
}

/// The child with the highest score by UCB1-tuned.
fn by_ucb1_tuned(
    tree: &Tree,
    id: NodeId,
    chooser: Side,
    visits: u32,
    shortlists: &mut Shortlists,
) -> Option<NodeId> {
    let log_visits = libm::logf(visits as f32);
    let score = |node: Node| {
        let visits = node.visits().max(1);
        let mean = node.mean(visits);
        let score = mean + ucb1_tuned_bonus(mean, log_visits / visits as f32);
        if node.proof() == Some(chooser.opponent()) { f32::NEG_INFINITY } else { score }
    };
    // The bonus, at most `sqrt(ln N / 4n)`, grows no faster than `ln N`.
    let growth = |_, before: u32| {
        let log_before = libm::logf(before as f32).max(f32::MIN_POSITIVE);
        0.5 * log_before.sqrt() * (log_visits / log_before - 1.0)
    };
    shortlists.best(tree, id, visits, score, growth).map(|(child, _)| child)
}

/// Square roots of small visit counts: most children have few visits, and a look-up is quicker.
static ROOTS: LazyLock<Vec<f32>> = LazyLock::new(|| (0..1024).map(|n| (n as f32).sqrt()).collect());

#[inline(always)]
fn root_of(visits: u32, roots: &[f32]) -> f32 {
    roots.get(visits as usize).copied().unwrap_or_else(|| (visits as f32).sqrt())
}

/// Kato et al. 2015, section 4: `ratio` is `ln N / n`.
#[inline(always)]
fn ucb1_tuned_bonus(mean: f32, ratio: f32) -> f32 {
    let variance = mean - mean * mean;
    // The root alone exceeds one quarter, as it does for all but much visited children: the bound is met.
    let bound = if ratio > 0.0313 { 0.25 } else { (variance + (2.0 * ratio).sqrt()).min(0.25) };
    (ratio * bound).sqrt()
}

fn is_movement(node: &Node) -> bool {
    node.edge().as_arrow().is_none()
}

/// The child to answer with: a proven win, else the one with most visits (the mean breaks ties), a
/// proven loss only when there is nothing else.
pub fn most_visited(tree: &Tree, id: NodeId, chooser: Side) -> Option<NodeId> {
    let rank = |node: Node| {
        let proof = match node.proof() {
            Some(winner) if winner == chooser => 2,
            None => 1,
            Some(_) => 0,
        };
        let visits = node.visits();
        (proof, visits, node.mean(visits.max(1)))
    };
    let mut best: Option<(NodeId, (i32, u32, f32))> = None;
    for (child, node) in tree.tried(id) {
        let rank = rank(node);
        if best.is_none_or(|(_, best_rank)| rank > best_rank) {
            best = Some((child, rank));
        }
    }
    best.map(|(child, _)| child)
}
