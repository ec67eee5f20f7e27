//! Which child to descend to, and which to answer with: formulas over the statistics of the tree.

use super::params::{Formula, Params, Puct};
use super::shortlist::Shortlist;
use super::tree::{Node, NodeId, Tree};
use crate::board::square::Side;
use std::sync::LazyLock;

/// The child of an opened node that `chooser` descends to. Children that are proven losses are out. All
/// children were tried before, or the formula has priors and may claim one that was not.
///
/// The shortlist, of use where there are thousands of children, belongs to this node alone.
pub fn best_child(
    tree: &Tree,
    id: NodeId,
    chooser: Side,
    params: &Params,
    shortlist: Option<&mut Shortlist>,
) -> Option<NodeId> {
    // The descent under way is counted in the node's visits, but has told nothing yet.
    let visits = tree.node(id).visits().saturating_sub(1).max(1);
    match params.formula {
        Formula::Uct { c, log_factor } => {
            let exploration = c * (log_factor * libm::logf(visits as f32)).sqrt();
            let roots = &*ROOTS;
            highest(tree, id, chooser, params, |mean, n| mean + exploration / root_of(n, roots))
        }
        Formula::Puct(puct) => by_prior(tree, id, chooser, visits, &puct),
        Formula::Ucb1Tuned => {
            let log_visits = libm::logf(visits as f32);
            let score = |mean, n| mean + ucb1_tuned_bonus(mean, log_visits / n as f32);
            let Some(shortlist) = shortlist else { return highest(tree, id, chooser, params, score) };
            shortlist.best(tree, id, log_visits, |node| {
                let visits = node.visits().max(1);
                let lost = node.proof() == Some(chooser.opponent());
                if lost { f32::NEG_INFINITY } else { score(node.mean(visits), visits) }
            })
        }
    }
}

/// The child with the highest score by PUCT. Untried children lie in the order of their priors, so that only
/// the first of them need be looked at.
fn by_prior(tree: &Tree, id: NodeId, chooser: Side, visits: u32, puct: &Puct) -> Option<NodeId> {
    let parent = tree.node(id);
    let c = if is_movement(&parent) { puct.arrow_c } else { puct.movement_c };
    let exploration = c * (visits as f32).sqrt();
    let mut best = None;
    let mut best_score = f32::NEG_INFINITY;
    let mut tried = 0.0;
    tree.tried(id).for_each(|(child, node)| {
        let (visits, prior) = (node.visits().max(1), node.prior());
        tried += prior;
        let score = node.mean(visits) + exploration * prior / (1 + visits) as f32;
        if score > best_score && node.proof() != Some(chooser.opponent()) {
            (best, best_score) = (Some(child), score);
        }
    });
    let untried = tree.next_prior(id).filter(|prior| {
        let mean = parent.mean(visits);
        // Rewards are those of the side that moved here: of the chooser between movement and arrow.
        let for_chooser = if is_movement(&parent) { mean } else { 1.0 - mean };
        for_chooser - puct.reduction * tried.sqrt() + exploration * prior > best_score
    });
    untried.and_then(|_| tree.claim_untried(id)).or(best).or_else(|| tree.claim_untried(id))
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

/// The child with the highest score, a function of its mean and its visits.
#[inline(always)]
fn highest(
    tree: &Tree,
    id: NodeId,
    chooser: Side,
    params: &Params,
    score: impl Fn(f32, u32) -> f32,
) -> Option<NodeId> {
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
        let score = score(node.mean(visits), visits);
        if score > best_score {
            (best, best_score) = (Some(child), score);
        }
    }
    best
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
