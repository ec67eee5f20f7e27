//! Selection among many children without looking at all of them each time.
//!
//! Between two visits of a node only the child that was visited changes much: the score of any other grows a
//! little with the node's visits. So the best few are remembered with a bound on all others, and as long as
//! the best of the few is above the bound, it is the best of all.

use super::tree::{Node, NodeId, Tree};

/// The shortlists of one worker: those of the most visited nodes, since few can be kept at hand.
#[derive(Debug)]
pub struct Shortlists {
    lists: Vec<Shortlist>,
    scored: Vec<(f32, NodeId)>,
}

/// The best children of one node as they were at some moment, and what the others can have become since.
#[derive(Clone, Default, Debug)]
struct Shortlist {
    /// The node, 0 for none, and its visits when the list was made.
    node: NodeId,
    visits: u32,
    /// Its children that had been tried.
    tried: u32,
    /// The best ones, in the order of the tree: the first of equals is the one that a look at all would find.
    children: Vec<NodeId>,
    /// The score of the best child that is not in the list, when the list was made.
    others: f32,
}

impl Default for Shortlists {
    fn default() -> Self {
        Self { lists: vec![Shortlist::default(); Self::LISTS], scored: Vec::new() }
    }
}

impl Shortlists {
    /// Lists that are kept.
    const LISTS: usize = 512;
    /// With fewer children a look at all is as quick.
    const LEAST_CHILDREN: u32 = 16;

    /// Forgets everything: the nodes are other ones, or the tree has changed.
    pub fn clear(&mut self) {
        self.lists.iter_mut().for_each(|list| list.node = 0);
    }

    /// The child with the highest score, with its score; `None` if all children are out, with a score of
    /// negative infinity. `growth` says how much a score of this size can have grown since the node had so
    /// many visits, if the child was not visited.
    ///
    /// While other workers visit the node too, the answer may be one that was best a moment ago.
    pub fn best(
        &mut self,
        tree: &Tree,
        id: NodeId,
        visits: u32,
        score: impl Fn(Node) -> f32,
        growth: impl Fn(f32, u32) -> f32,
    ) -> Option<(NodeId, f32)> {
        let (_, tried) = tree.node(id).counts();
        let list = &mut self.lists[id.wrapping_mul(0x9e37_79b1) as usize >> 23];
        if tried < Self::LEAST_CHILDREN || (list.node != id && list.node != 0 && list.visits >= visits) {
            return highest(tree.tried(id).map(|(child, node)| (child, score(node))));
        }
        let listed =
            |list: &Shortlist| highest(list.children.iter().map(|&child| (child, score(tree.node(child)))));
        if list.node == id
            && list.tried == tried
            && let Some(best) = listed(list)
            && best.1 > list.others + growth(list.others, list.visits)
        {
            return Some(best);
        }
        (list.node, list.visits, list.tried) = (id, visits, tried);
        list.renew(tree, &score, &mut self.scored);
        listed(list)
    }
}

impl Shortlist {
    /// Looking at the list and, when it is used up, at all children costs least with about so many in it.
    fn length(tried: u32) -> usize {
        (8 * tried).isqrt() as usize
    }

    fn renew(&mut self, tree: &Tree, score: impl Fn(Node) -> f32, scored: &mut Vec<(f32, NodeId)>) {
        let length = Self::length(self.tried);
        scored.clear();
        scored.extend(tree.tried(self.node).map(|(child, node)| (score(node), child)));
        self.others = f32::NEG_INFINITY;
        if scored.len() > length {
            let by_score = |a: &(f32, NodeId), b: &(f32, NodeId)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
            let (_, best_other, _) = scored.select_nth_unstable_by(length, by_score);
            self.others = best_other.0;
            scored.truncate(length);
        }
        self.children.clear();
        self.children.extend(scored.iter().map(|(_, child)| child));
        self.children.sort_unstable();
    }
}

/// The first child with the highest score, unless all are out.
#[inline(always)]
pub fn highest(scored: impl Iterator<Item = (NodeId, f32)>) -> Option<(NodeId, f32)> {
    let (child, score) =
        scored.fold((0, f32::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best });
    (child != 0).then_some((child, score))
}
