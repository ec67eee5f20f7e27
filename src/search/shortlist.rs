//! Selection among thousands of children without looking at all of them each time.
//!
//! A node of whole moves has up to 2176 children, and only the one that is visited changes much: the score
//! of any other grows a little, with the logarithm of the node's visits. So the best few are remembered
//! with a bound on all others, and as long as the best of the few is above the bound, it is the best of all.

use super::tree::{Node, NodeId, Tree};

/// The best children of one node as they were at some moment, and what the others can have become since.
#[derive(Default, Debug)]
pub struct Shortlist {
    /// In the order of the tree, so that the first of equals is the one that a look at all would find.
    children: Vec<NodeId>,
    /// The score of the best child that is not in the list, when the list was made.
    others: f32,
    /// `ln N` of the node when the list was made.
    log_visits: f32,
    scored: Vec<(f32, NodeId)>,
}

impl Shortlist {
    /// Children in a list: enough for many selections, few enough to be looked at in no time.
    const LENGTH: usize = 128;

    /// Forgets everything: the node is another one, or the tree has changed.
    pub fn clear(&mut self) {
        self.children.clear();
    }

    /// The child with the highest score. The score is negative infinity for children that are out, else a
    /// mean plus a bonus of at most `sqrt(ln N / 4n)` that grows no faster than `ln N`, as UCB1-tuned's.
    /// While other workers visit the node too, the answer may be one that was best a moment ago.
    pub fn best(
        &mut self,
        tree: &Tree,
        id: NodeId,
        log_visits: f32,
        score: impl Fn(Node) -> f32,
    ) -> Option<NodeId> {
        // With n >= 1, (L/L0 - 1) times the bonus at L0 is at most this.
        let growth = 0.5 * self.log_visits.sqrt() * (log_visits / self.log_visits - 1.0);
        if let Some((child, best)) = highest(&self.children, |child| score(tree.node(child)))
            && best > self.others + growth
        {
            return Some(child);
        }
        self.renew(tree, id, log_visits, &score);
        highest(&self.children, |child| score(tree.node(child))).map(|(child, _)| child)
    }

    fn renew(&mut self, tree: &Tree, id: NodeId, log_visits: f32, score: impl Fn(Node) -> f32) {
        self.log_visits = log_visits;
        self.scored.clear();
        self.scored.extend(tree.tried(id).map(|(child, node)| (score(node), child)));
        self.others = f32::NEG_INFINITY;
        if self.scored.len() > Self::LENGTH {
            let by_score = |a: &(f32, NodeId), b: &(f32, NodeId)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
            let (_, best_other, _) = self.scored.select_nth_unstable_by(Self::LENGTH, by_score);
            self.others = best_other.0;
            self.scored.truncate(Self::LENGTH);
        }
        self.children.clear();
        self.children.extend(self.scored.iter().map(|(_, child)| child));
        self.children.sort_unstable();
    }
}

/// The first child with the highest score, unless all are out.
fn highest(children: &[NodeId], score: impl Fn(NodeId) -> f32) -> Option<(NodeId, f32)> {
    let mut best = None;
    let mut best_score = f32::NEG_INFINITY;
    for &child in children {
        let score = score(child);
        if score > best_score {
            (best, best_score) = (Some((child, score)), score);
        }
    }
    best
}
