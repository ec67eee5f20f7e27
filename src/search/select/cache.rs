//! The highest score among many children without a look at all of them: a cache of the best few of a node.
//!
//! Between two visits of a node only the child that was visited changes: of the scores of the others at most
//! the exploration term grows a little. So the cache keeps the top k children of a node and an upper bound on
//! the scores of all others. As long as the best of the k is above the bound it is the best of all; else
//! the k are found anew. Their statistics lie side by side, to be scored by SIMD, and not in nodes all over the arena.
//! The search is the same with it, only faster.

use super::Parent;
use crate::board::square::Side;
use crate::search::tree::{Node, NodeId, Tree};

/// The top children of many nodes, one worker's: a direct-mapped cache.
#[derive(Debug)]
pub struct SelectionCache {
    entries: Vec<TopChildren>,
    scored: Vec<(f32, Candidate)>,
}

/// Inputs of a child's selection score.
#[derive(Clone, Copy, Debug)]
pub struct ChildStats {
    /// Its mean reward, 0 to 1; negative infinity when the child is out, infinity when it comes first.
    pub mean: f32,
    /// What its visits and prior contribute to the exploration term, see [`Exploration::weight`].
    pub weight: f32,
}

/// A selection formula: the score of a child is its mean plus an exploration term. The term is made of a factor
/// of the parent, which grows with the parent's visits N, and a weight of the child, which changes only when the
/// child is visited (its visits n include descents under way):
///
/// | | factor | weight | term |
/// |---|---|---|---|
/// | PUCT | `c * sqrt(variance * N)` | `prior / (1 + n)` | `factor * weight` |
/// | UCT | `c * sqrt(2 * ln N)` | `sqrt(n)` | `factor / weight` |
/// | UCB1-tuned | `ln N` | `1 / n` | of the mean and `factor * weight` |
pub trait Exploration: Copy {
    /// Who chooses: children that are proven to lose for this side are out.
    fn chooser(&self) -> Side;
    /// The weight of a child with so many visits.
    fn weight(&self, node: Node, visits: u32) -> f32;
    /// The exploration term of a child.
    fn term(&self, stats: ChildStats) -> f32;
    /// The parent's factor at this moment.
    fn factor(&self) -> f32;
    /// An upper bound on how much a term, at most `term` when the parent's factor was `factor_then`, has grown since,
    /// if the child was not visited.
    fn growth(&self, term: f32, factor_then: f32) -> f32;

    /// Whether a child is to be visited before all others, whatever its score, if it is not out.
    #[inline(always)]
    fn comes_first(&self, _: &Node) -> bool {
        false
    }

    /// The inputs of a child's score.
    #[inline(always)]
    fn stats(&self, node: Node) -> ChildStats {
        if node.proof() == Some(self.chooser().opponent()) {
            return ChildStats::OUT;
        }
        if self.comes_first(&node) {
            return ChildStats::FIRST;
        }
        let visits = node.visits().max(1);
        ChildStats { mean: node.mean(visits), weight: self.weight(node, visits) }
    }

    /// A child's score.
    #[inline(always)]
    fn score(&self, stats: ChildStats) -> f32 {
        stats.mean + self.term(stats)
    }
}

/// How much a term in proportion to the factor has grown, `term * (factor / factor_then - 1)`, and a little more for
/// rounding.
#[inline(always)]
pub(super) fn growth_in_proportion(term: f32, factor: f32, factor_then: f32) -> f32 {
    if factor_then == 0.0 {
        return if factor == 0.0 { 0.0 } else { f32::INFINITY };
    }
    (term * (factor / factor_then - 1.0)).max(0.0) + 1e-6 * (1.0 + term)
}

/// A child with the inputs of its score.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    child: NodeId,
    stats: ChildStats,
}

/// Children that are scored together, as a structure of arrays. In cache lines of its own: entries of two workers' caches
/// lie side by side (false sharing).
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Row {
    children: [NodeId; ROW],
    means: [f32; ROW],
    weights: [f32; ROW],
}

/// 32-bit lanes of the widest registers that are used, 256 bits.
const ROW: usize = 8;

/// The best children of one node as they were when the entry was made, and a bound on the others.
#[derive(Clone, Debug)]
struct TopChildren {
    /// The node, 0 for none, and its visits then.
    node: NodeId,
    visits: u32,
    /// Its children that had been tried.
    tried: u32,
    /// The top k and what was tried since, in the order of the tree: among equal scores the first wins, as in
    /// [`best_of_all`].
    rows: Vec<Row>,
    /// How many children are in the rows.
    count: usize,
    /// The place, `row * ROW + lane`, of the child that was found last, and has been visited since.
    last: usize,
    /// The highest score and the highest exploration term of all other children then.
    others_score: f32,
    others_term: f32,
    /// The parent's factor then.
    factor: f32,
}

impl Row {
    const EMPTY: Self = Self {
        children: [0; ROW],
        means: [ChildStats::OUT.mean; ROW],
        weights: [ChildStats::OUT.weight; ROW],
    };

    #[inline(always)]
    fn stats(&self, place: usize) -> ChildStats {
        ChildStats { mean: self.means[place], weight: self.weights[place] }
    }

    #[inline(always)]
    fn put(&mut self, place: usize, child: NodeId, stats: ChildStats) {
        (self.children[place], self.means[place], self.weights[place]) = (child, stats.mean, stats.weight);
    }
}

impl ChildStats {
    /// Of a child that is out.
    pub const OUT: Self = Self { mean: f32::NEG_INFINITY, weight: 0.0 };
    /// Of a child that comes before all others.
    pub const FIRST: Self = Self { mean: f32::INFINITY, weight: 1.0 };
}

impl Default for SelectionCache {
    fn default() -> Self {
        let none = TopChildren {
            node: 0,
            visits: 0,
            tried: 0,
            rows: Vec::new(),
            count: 0,
            last: 0,
            others_score: f32::NEG_INFINITY,
            others_term: 0.0,
            factor: 0.0,
        };
        Self { entries: vec![none; Self::ENTRIES], scored: Vec::new() }
    }
}

impl SelectionCache {
    /// 2^9 entries: what is in them stays in the second level of the processor's cache.
    const ENTRIES: usize = 1 << Self::INDEX_BITS;
    const INDEX_BITS: u32 = 9;
    /// With fewer children a look at all is as quick.
    const LEAST_CHILDREN: u32 = 8;

    /// Forgets everything: the nodes are other ones, or the tree has changed.
    pub fn clear(&mut self) {
        self.entries.iter_mut().for_each(|entry| entry.node = 0);
    }

    /// The child with the highest score, with its score; `None` if all children are out. A single worker must then
    /// go to this child or to one that was not tried.
    ///
    /// While other workers visit the node too, the answer may be one that was best a moment ago.
    #[inline(always)]
    pub fn best(&mut self, parent: &Parent, formula: impl Exploration) -> Option<(NodeId, f32)> {
        let &Parent { tree, id, visits, .. } = parent;
        let (_, tried) = tree.node(id).counts();
        let entry = &mut self.entries[Self::index(id)];
        // A node takes the entry of another that has been visited less.
        if tried < Self::LEAST_CHILDREN || (entry.node != id && entry.node != 0 && entry.visits >= visits) {
            return best_of_all(parent, formula);
        }
        if entry.node == id
            && entry.tried == tried
            && let Some(best) = entry.best_now(tree, visits, &formula)
            && best.1 > entry.others_score + formula.growth(entry.others_term, entry.factor)
        {
            return Some(best);
        }
        (entry.node, entry.visits, entry.tried, entry.factor) = (id, visits, tried, formula.factor());
        entry.renew(tree, &formula, &mut self.scored);
        entry.best(&formula)
    }

    /// Adds a child of a node that the caller has just claimed and will now visit.
    #[inline(always)]
    pub fn add(&mut self, parent: &Parent, child: NodeId) {
        let &Parent { tree, id, .. } = parent;
        let entry = &mut self.entries[Self::index(id)];
        if entry.node == id && entry.tried + 1 == tree.node(id).counts().1 && entry.has_room() {
            entry.add(child);
        }
    }

    /// Fibonacci hashing: 2^32 over the golden ratio, of whose product with the number the highest bits count.
    #[inline(always)]
    fn index(id: NodeId) -> usize {
        id.wrapping_mul(0x9e37_79b1) as usize >> (u32::BITS - Self::INDEX_BITS)
    }
}

impl TopChildren {
    /// The k of the top k: about `sqrt(8 n)` of n children balance the cost of scoring them at each visit against
    /// that of finding them anew when the bound is passed.
    fn size(tried: u32) -> usize {
        (8 * tried).isqrt() as usize
    }

    /// Whether more children can be added before it is quicker to find the top k anew.
    #[inline(always)]
    fn has_room(&self) -> bool {
        self.count < 2 * Self::size(self.tried)
    }

    /// Adds a child that has just been tried, the last in the order of the tree. Its statistics are read when the
    /// visit is over.
    #[inline(always)]
    fn add(&mut self, child: NodeId) {
        if self.count == self.rows.len() * ROW {
            self.rows.push(Row::EMPTY);
        }
        self.rows[self.count / ROW].children[self.count % ROW] = child;
        self.last = self.count;
        self.count += 1;
        self.tried += 1;
    }

    /// Reads the statistics of one child again.
    #[inline(always)]
    fn refresh(&mut self, place: usize, tree: &Tree, formula: &impl Exploration) {
        let (row, place) = (&mut self.rows[place / ROW], place % ROW);
        let child = row.children[place];
        if child != 0 {
            row.put(place, child, formula.stats(tree.node(child)));
        }
    }

    /// The best of these children as they are now.
    #[inline(always)]
    fn best_now(&mut self, tree: &Tree, visits: u32, formula: &impl Exploration) -> Option<(NodeId, f32)> {
        self.refresh(self.last, tree, formula);
        if tree.is_for_one_worker() {
            return self.best(formula);
        }
        // Other workers visit children too: every visit refreshes one more child in turn, and the best one is
        // refreshed until that does not lower its score.
        let places = self.rows.len() * ROW;
        self.refresh(visits as usize % places, tree, formula);
        for _ in 0..places {
            let (child, before) = self.best(formula)?;
            self.refresh(self.last, tree, formula);
            let now = formula.score(self.rows[self.last / ROW].stats(self.last % ROW));
            if now >= before {
                return Some((child, now));
            }
        }
        self.best(formula)
    }

    /// The first of these children with the highest score as last read, unless all are out.
    #[inline(always)]
    fn best(&mut self, formula: &impl Exploration) -> Option<(NodeId, f32)> {
        // One lane for each place of a row: the highest score so far and its row. Then the highest of the lanes.
        let mut scores = [f32::NEG_INFINITY; ROW];
        let mut rows = [0; ROW];
        for (number, row) in (0..).zip(&self.rows) {
            for place in 0..ROW {
                let score = formula.score(row.stats(place));
                let is_better = score > scores[place];
                scores[place] = if is_better { score } else { scores[place] };
                rows[place] = if is_better { number } else { rows[place] };
            }
        }
        let mut best = (f32::NEG_INFINITY, usize::MAX);
        for place in 0..ROW {
            let found = rows[place] * ROW + place;
            if scores[place] > best.0 || (scores[place] == best.0 && found < best.1) {
                best = (scores[place], found);
            }
        }
        if best.0 == f32::NEG_INFINITY {
            return None;
        }
        self.last = best.1;
        Some((self.rows[best.1 / ROW].children[best.1 % ROW], best.0))
    }

    /// Finds the top children anew, by a look at all.
    fn renew(&mut self, tree: &Tree, formula: &impl Exploration, scored: &mut Vec<(f32, Candidate)>) {
        let size = Self::size(self.tried);
        scored.clear();
        scored.extend(tree.tried(self.node).map(|(child, node)| {
            let stats = formula.stats(node);
            (formula.score(stats), Candidate { child, stats })
        }));
        (self.others_score, self.others_term, self.last) = (f32::NEG_INFINITY, 0.0, 0);
        if scored.len() > size {
            scored.select_nth_unstable_by(size, |a, b| b.0.total_cmp(&a.0).then(a.1.child.cmp(&b.1.child)));
            self.others_score = scored[size].0;
            let terms = scored[size..].iter().map(|(_, candidate)| formula.term(candidate.stats));
            self.others_term = terms.fold(0.0, f32::max);
            scored.truncate(size);
        }
        scored.sort_unstable_by_key(|(_, candidate)| candidate.child);
        self.count = scored.len();
        self.rows.clear();
        for candidates in scored.chunks(ROW) {
            let mut row = Row::EMPTY;
            for (place, (_, candidate)) in candidates.iter().enumerate() {
                row.put(place, candidate.child, candidate.stats);
            }
            self.rows.push(row);
        }
    }
}

/// The child with the highest score, with its score, by a look at every child that was tried.
#[inline(always)]
pub(super) fn best_of_all(parent: &Parent, formula: impl Exploration) -> Option<(NodeId, f32)> {
    highest(parent.tree.tried(parent.id).map(|(child, node)| (child, formula.score(formula.stats(node)))))
}

/// The first child with the highest score, unless all are out.
#[inline(always)]
pub(super) fn highest(scored: impl Iterator<Item = (NodeId, f32)>) -> Option<(NodeId, f32)> {
    let (child, score) =
        scored.fold((0, f32::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best });
    (child != 0).then_some((child, score))
}
