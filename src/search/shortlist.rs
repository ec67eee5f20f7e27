//! Selection among many children without looking at all of them each time.
//!
//! Between two visits of a node only the child that was visited changes much: of the scores of the others at
//! most the part grows a little that rewards what was tried seldom. So the best few are remembered with a
//! bound on all others, and as long as the best of the few is above the bound, it is the best of all.

use super::tree::{Node, NodeId, Tree};

/// The shortlists of one worker: those of the most visited nodes, since few can be kept at hand.
#[derive(Debug)]
pub struct Shortlists {
    lists: Vec<Shortlist>,
    scored: Vec<(Score, NodeId)>,
}

/// What makes a child the one to go to.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    /// All of it; negative infinity when the child is out.
    pub sum: f32,
    /// The part of it that grows while the child is not visited.
    pub bonus: f32,
}

/// The best children of one node as they were at some moment, and what the others can have become since.
#[derive(Clone, Debug)]
struct Shortlist {
    /// The node, 0 for none, and its visits when the list was made.
    node: NodeId,
    visits: u32,
    /// Its children that had been tried.
    tried: u32,
    /// The best ones, in the order of the tree: the first of equals is the one that a look at all would find.
    children: Vec<NodeId>,
    /// The highest score and the highest bonus of children that are not in the list, when the list was made.
    others: Score,
    /// What bonuses were measured by then.
    measure: f32,
}

impl Default for Shortlists {
    fn default() -> Self {
        let none = Shortlist {
            node: 0,
            visits: 0,
            tried: 0,
            children: Vec::new(),
            others: Score::OUT,
            measure: 0.0,
        };
        Self { lists: vec![none; Self::LISTS], scored: Vec::new() }
    }
}

impl Score {
    /// That of a child that is out.
    pub const OUT: Self = Self { sum: f32::NEG_INFINITY, bonus: 0.0 };
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

    /// The child with the highest score, with its score; `None` if all children are out. `growth` says how
    /// much a bonus of this size can have grown since the measure was another one, if the child was not visited.
    ///
    /// While other workers visit the node too, the answer may be one that was best a moment ago.
    pub fn best(
        &mut self,
        tree: &Tree,
        id: NodeId,
        visits: u32,
        measure: f32,
        score: impl Fn(Node) -> Score,
        growth: impl Fn(f32, f32) -> f32,
    ) -> Option<(NodeId, f32)> {
        let (_, tried) = tree.node(id).counts();
        let list = &mut self.lists[id.wrapping_mul(0x9e37_79b1) as usize >> 23];
        if tried < Self::LEAST_CHILDREN || (list.node != id && list.node != 0 && list.visits >= visits) {
            return highest(tree.tried(id).map(|(child, node)| (child, score(node).sum)));
        }
        let listed = |list: &Shortlist| {
            highest(list.children.iter().map(|&child| (child, score(tree.node(child)).sum)))
        };
        if list.node == id
            && list.tried == tried
            && let Some(best) = listed(list)
            && best.1 > list.others.sum + growth(list.others.bonus, list.measure)
        {
            return Some(best);
        }
        (list.node, list.visits, list.tried, list.measure) = (id, visits, tried, measure);
        list.renew(tree, &score, &mut self.scored);
        listed(list)
    }
}

impl Shortlist {
    /// Looking at the list and, when it is used up, at all children costs least with about so many in it.
    fn length(tried: u32) -> usize {
        (8 * tried).isqrt() as usize
    }

    fn renew(&mut self, tree: &Tree, score: impl Fn(Node) -> Score, scored: &mut Vec<(Score, NodeId)>) {
        let length = Self::length(self.tried);
        scored.clear();
        scored.extend(tree.tried(self.node).map(|(child, node)| (score(node), child)));
        self.others = Score::OUT;
        if scored.len() > length {
            let by_score =
                |a: &(Score, NodeId), b: &(Score, NodeId)| b.0.sum.total_cmp(&a.0.sum).then(a.1.cmp(&b.1));
            let (_, (best_other, _), rest) = scored.select_nth_unstable_by(length, by_score);
            self.others = rest
                .iter()
                .fold(*best_other, |most, (other, _)| Score { bonus: most.bonus.max(other.bonus), ..most });
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
