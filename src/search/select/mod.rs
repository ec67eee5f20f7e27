//! Selection: chooses the child to descend to, and the move to play, from the tree's statistics.
//!
//! [`puct`] scores a child by its mean and an exploration term. [`cache`] finds the highest score without reading every
//! child.

pub mod cache;
pub mod puct;

use super::params::Puct;
use super::tree::{ArenaChunk, Edge, Node, NodeId, Tree};
use crate::board::square::Side;
use cache::{SelectionCache, highest};
use puct::ValueVariance;

/// A node at which a child is being selected.
#[derive(Clone, Copy)]
pub struct Parent<'a> {
    tree: &'a Tree,
    id: NodeId,
    /// The side that selects a child, never one that is a proven loss for that side.
    chooser: Side,
    /// N in the formulas: the node's visits minus this worker's visits in flight; at least 1.
    visits: u32,
    /// Sum of the rewards of this worker's current burst at the node, for the side that moved into the node; not backed
    /// up yet.
    reward: u32,
}

impl<'a> Parent<'a> {
    /// Describes an expanded node outside a burst, where the only visit in flight is that of the current descent.
    #[inline]
    pub fn new(tree: &'a Tree, id: NodeId, chooser: Side) -> Self {
        Self::in_burst(tree, id, chooser, 1, 0)
    }

    /// Describes a node during a [burst](super::iteration). `pending`: this worker's visits in flight (virtual loss);
    /// `reward`: sum of the rewards of finished iterations, not backed up to the node yet.
    #[inline]
    pub fn in_burst(tree: &'a Tree, id: NodeId, chooser: Side, pending: u32, reward: u32) -> Self {
        let visits = tree.node(id).visits().saturating_sub(pending).max(1);
        Self { tree, id, chooser, visits, reward }
    }

    /// Returns the mean reward of the side that moved into the node, including `reward`.
    #[inline]
    pub fn mean(&self) -> f32 {
        self.tree.node(self.id).mean_with(self.reward, self.visits)
    }
}

/// Result of a selection: the child to descend to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selected {
    /// The child.
    pub child: NodeId,
    /// True if this descent claimed the child, untried until then; the child's first visit is then already counted.
    pub is_new: bool,
}

impl Selected {
    /// Returns the selection of a child that the current descent has just claimed.
    pub(super) fn claimed(child: NodeId) -> Self {
        Self { child, is_new: true }
    }

    fn tried(child: NodeId) -> Self {
        Self { child, is_new: false }
    }
}

/// Selects the child to descend to: tries an untried one only if it has the highest score. `None` if all tried children
/// are proven losses and no untried child can be claimed.
///
/// `variance` is that of the leaf values below the node. `list` is passed to [`Tree::claim_untried`].
#[inline(always)]
pub fn best_child<'e>(
    parent: &Parent,
    puct: &Puct,
    variance: ValueVariance,
    cache: &mut SelectionCache,
    chunk: &mut ArenaChunk,
    list: impl FnOnce(usize) -> &'e [Edge],
) -> Option<Selected> {
    let preference = puct::prefer(parent, puct, variance, cache);
    let mut is_listed_again = false;
    let list = |count| {
        is_listed_again = true;
        list(count)
    };
    let claimed = if preference.untried { parent.tree.claim_untried(parent.id, chunk, list) } else { None };
    // After a new list all tried children may have other priors: the parent's cache entry stays without the child, which
    // makes it out of date.
    if let Some(child) = claimed.filter(|_| !is_listed_again) {
        cache.add(parent, child);
    }
    claimed.map(Selected::claimed).or(preference.tried.map(Selected::tried))
}

fn is_movement(node: &Node) -> bool {
    node.edge().as_arrow().is_none()
}

/// Chooses the child to play: a proven win, else the most visited child (the mean breaks ties). A proven loss is chosen
/// only if all tried children are lost. `None` if no child is tried.
///
/// If `lcb_z` is above 0 and no child is a proven win, chooses by the lower confidence bound (LCB, as in Leela Zero and
/// KataGo) instead: the highest `mean - lcb_z * sqrt(variance / n)` among the unproven children that have at least 1/5
/// of the visits of the most visited one. The reason: the most visited child may have lost value late in the search.
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

/// True if `visits` is at least a fifth of `most`, the visits of the most visited unproven child.
pub fn is_candidate(visits: u32, most: u32) -> bool {
    5 * u64::from(visits) >= u64::from(most)
}

/// Returns the lower confidence bound `mean - lcb_z * sqrt(variance / n)` of a child's value, see [`final_child`].
pub fn lower_bound(tree: &Tree, child: NodeId, lcb_z: f32) -> f32 {
    let node = tree.node(child);
    let visits = node.visits().max(1);
    let ValueVariance(variance) = ValueVariance::START.of_values(tree, child, 1.0);
    node.mean(visits) - lcb_z * (variance / visits as f32).sqrt()
}
