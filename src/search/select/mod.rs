//! Which child to descend to, and which to play: formulas over the statistics of the tree.
//!
//! [`puct`] selects by priors, [`ucb`] by visits and means alone (UCT and UCB1-tuned). Both score a child by
//! `mean + exploration term` and leave it to [`cache`] to find the highest score without a look at every child.

pub mod cache;
pub mod puct;
pub mod ucb;

use super::params::{Formula, Params};
use super::tree::{ArenaChunk, Node, NodeId, Tree};
use crate::board::square::Side;
use cache::{SelectionCache, highest};
use puct::ValueVariance;

/// A node at which a child is selected.
#[derive(Clone, Copy)]
pub struct Parent<'a> {
    tree: &'a Tree,
    id: NodeId,
    /// Who chooses here: children that are proven to lose for this side are out.
    chooser: Side,
    /// N of the formulas: visits of the node without those of this worker that are still to come, and at least 1.
    visits: u32,
    /// Rewards of the side that moved here, of descents of this worker that have not been backed up to the node.
    reward: u32,
}

impl<'a> Parent<'a> {
    /// An expanded node that one descent has entered, and at which `chooser` is to choose.
    #[inline]
    pub fn new(tree: &'a Tree, id: NodeId, chooser: Side) -> Self {
        Self::of_descents(tree, id, chooser, 1, 0)
    }

    /// The same where so many descents have been counted that have not come to an end, and others that came to one
    /// brought a reward that has not been backed up to the node.
    #[inline]
    pub fn of_descents(tree: &'a Tree, id: NodeId, chooser: Side, pending: u32, reward: u32) -> Self {
        let visits = tree.node(id).visits().saturating_sub(pending).max(1);
        Self { tree, id, chooser, visits, reward }
    }

    /// The mean reward of the side that moved here.
    #[inline]
    fn mean(&self) -> f32 {
        self.tree.node(self.id).mean_with(self.reward, self.visits)
    }
}

/// A child to descend to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selected {
    /// The child.
    pub child: NodeId,
    /// Whether it has been made for this descent, whose visit is counted then.
    pub is_new: bool,
}

impl Selected {
    /// One that has just been claimed.
    pub(super) fn claimed(child: NodeId) -> Self {
        Self { child, is_new: true }
    }

    fn tried(child: NodeId) -> Self {
        Self { child, is_new: false }
    }
}

/// The child to descend to; `None` if all are proven losses. By UCT and UCB1-tuned an untried child comes before all
/// others, by PUCT one that scores higher. `variance` is that of the node, for PUCT.
pub fn best_child(
    parent: &Parent,
    params: &Params,
    variance: ValueVariance,
    cache: &mut SelectionCache,
    chunk: &mut ArenaChunk,
) -> Option<Selected> {
    let mut claim = || parent.tree.claim_untried(parent.id, chunk).map(Selected::claimed);
    match params.formula {
        Formula::Uct { c } => claim().or_else(|| {
            let exploration = c * (2.0 * libm::logf(parent.visits as f32)).sqrt();
            ucb::uct(parent, exploration, params.has_arrow_before_value(), cache).map(Selected::tried)
        }),
        Formula::Ucb1Tuned => claim().or_else(|| ucb::ucb1_tuned(parent, cache).map(Selected::tried)),
        Formula::Puct(puct) => {
            let preference = puct::prefer(parent, &puct, variance, cache);
            let untried = if preference.untried { claim() } else { None };
            if let Some(Selected { child, .. }) = untried {
                cache.add(parent, child);
            }
            untried.or(preference.tried.map(Selected::tried))
        }
    }
}

fn is_movement(node: &Node) -> bool {
    node.edge().as_arrow().is_none()
}

/// The child to play: a proven win, else the one with most visits (the mean breaks ties), a proven loss only
/// where all are lost.
///
/// With `lcb_z` above zero it is, of the children with at least a fifth of the most visits, the one with the
/// highest lower confidence bound `mean - lcb_z * sqrt(variance / n)`, since the child that was visited most may
/// have been found wanting at the end (as in Leela Zero and KataGo).
///
/// ```
/// use otrera::search::select::final_child;
/// use otrera::search::tree::{ArenaChunk, Edge, Tree};
/// use otrera::{Position, Side};
/// let (tree, mut chunk) = (Tree::with_memory(1 << 20), ArenaChunk::default());
/// let edges: Vec<Edge> = Position::standard().movements().map(Edge::movement).collect();
/// assert!(tree.begin_expansion(tree.root()));
/// let first = tree.expand(tree.root(), &edges, &mut chunk);
/// let second = tree.claim_untried(tree.root(), &mut chunk).unwrap();
/// tree.node(second).add_visits(5);
/// assert_eq!(final_child(&tree, tree.root(), Side::Black, 0.0), Some(second));
/// tree.node(second).prove(Side::White);
/// assert_eq!(final_child(&tree, tree.root(), Side::Black, 0.0), first);
/// ```
pub fn final_child(tree: &Tree, id: NodeId, chooser: Side, lcb_z: f32) -> Option<NodeId> {
    let proof = |node: &Node| match node.proof() {
        Some(winner) if winner == chooser => 2,
        None => 1,
        Some(_) => 0,
    };
    let rank = |node: &Node| {
        let visits = node.visits();
        (proof(node), visits, node.mean(visits.max(1)))
    };
    let mut best: Option<(NodeId, (i32, u32, f32))> = None;
    for (child, node) in tree.tried(id) {
        let rank = rank(&node);
        if best.is_none_or(|(_, best_rank)| rank > best_rank) {
            best = Some((child, rank));
        }
    }
    let (most_visited, (proven, most, _)) = best?;
    if lcb_z == 0.0 || proven != 1 {
        return Some(most_visited);
    }
    let candidates = tree.tried(id).filter(|(_, node)| proof(node) == 1 && is_candidate(node.visits(), most));
    let bounds = candidates.map(|(child, _)| (child, lower_bound(tree, child, lcb_z)));
    highest(bounds).map_or(Some(most_visited), |(child, _)| Some(child))
}

/// True for visits of at least a fifth of the most.
pub fn is_candidate(visits: u32, most: u32) -> bool {
    5 * visits >= most
}

/// The lower confidence bound of [`final_child`].
pub fn lower_bound(tree: &Tree, child: NodeId, lcb_z: f32) -> f32 {
    let node = tree.node(child);
    let visits = node.visits().max(1);
    let ValueVariance(variance) = ValueVariance::START.of_values(tree, child, 1.0);
    node.mean(visits) - lcb_z * (variance / visits as f32).sqrt()
}
