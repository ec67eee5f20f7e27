//! Selection cache: finds a node's best child without scoring all of them.
//!
//! Between two selections at a node only the statistics of the visited child change, unless its children get new
//! priors. The scores of the other children grow only by their exploration terms, which grow slowly with the parent's
//! visits. An entry therefore stores the top k children of a node and an upper bound on the scores of all others.
//!
//! **Theorem.** Let an entry be made when the parent's factor is F0, see [`Exploration`]. Let S be the highest score
//! and T the highest exploration term of the children outside the top k. If none of these was visited since, then at
//! factor F each of them scores at most `S + growth(T, F0)`. Proof: the mean of an unvisited child is unchanged, and
//! its term, which is proportional to F, grows by at most `growth(T, F0) = max(0, T * (F / F0 - 1))`.
//!
//! **Use.** The best child of the top k is the best of all if it scores more than the bound. Otherwise the top k are
//! recomputed. Rounding adds a slack of about 1e-6.
//!
//! **Numbers.** A PUCT node has 80 children and 10,000 visits; k = sqrt(8 * 80) = 25. One hundred visits later,
//! `F / F0 = sqrt(1.01) = 1.005`. With T = 0.04, no other child has gained more than 0.0002. So the entry holds as
//! long as the best of its 25 children scores 0.0002 above S.
//!
//! With one worker, the search selects the same children as without the cache. The statistics of the top k are copied
//! side by side, so that SIMD scores them.

use super::Parent;
use crate::board::square::Side;
use crate::search::tree::{Node, NodeId, Tree};

/// Direct-mapped cache of the top children of many nodes. Each worker has its own.
#[derive(Debug)]
pub struct SelectionCache {
    entries: Vec<TopChildren>,
    /// Scratch space for [`TopChildren::renew`]: score, index in tree order, and child.
    scored: Vec<(f32, u32, Candidate)>,
}

/// A child's inputs to its selection score.
#[derive(Clone, Copy, Debug)]
pub struct ChildStats {
    /// Mean reward, 0 to 1; negative infinity for a proven loss.
    pub mean: f32,
    /// Contribution of visits and prior to the exploration term.
    pub weight: f32,
}

/// Exploration at a parent: a child's score is its mean plus the term `factor * weight`. The factor
/// `c * sqrt(variance * N)` grows with the parent's visits N. The weight `prior / (1 + n)` changes only when the child
/// is visited; its visits n include the visits in flight.
#[derive(Clone, Copy, Debug)]
pub struct Exploration {
    /// The side that selects a child, never one that is a proven loss for that side.
    pub chooser: Side,
    /// The parent's current factor.
    pub factor: f32,
}

impl Exploration {
    /// Returns an upper bound on the growth of a child's exploration term since the parent's factor was `factor_then`,
    /// if the child was not visited since, with slack for rounding. `term` is an upper bound on the child's term at
    /// that time.
    #[inline(always)]
    fn growth(&self, term: f32, factor_then: f32) -> f32 {
        if factor_then == 0.0 {
            return if self.factor == 0.0 { 0.0 } else { f32::INFINITY };
        }
        (term * (self.factor / factor_then - 1.0)).max(0.0) + 1e-6 * (1.0 + term)
    }

    /// Returns the inputs to a child's score.
    #[inline(always)]
    fn stats(&self, node: Node) -> ChildStats {
        if node.proof() == Some(self.chooser.opponent()) {
            return ChildStats::OUT;
        }
        let visits = node.visits().max(1);
        ChildStats { mean: node.mean(visits), weight: node.prior() / (1 + visits) as f32 }
    }

    /// Returns the exploration term of a child.
    #[inline(always)]
    fn term(&self, stats: ChildStats) -> f32 {
        self.factor * stats.weight
    }

    /// Returns a child's score: its mean plus its exploration term.
    #[inline(always)]
    fn score(&self, stats: ChildStats) -> f32 {
        stats.mean + self.term(stats)
    }
}

/// A child and the inputs to its score.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    child: NodeId,
    stats: ChildStats,
}

/// Eight children scored together, as a structure of arrays. Aligned to a cache line: otherwise the caches of two
/// workers could share a line (false sharing).
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Row {
    children: [NodeId; ROW],
    means: [f32; ROW],
    weights: [f32; ROW],
}

/// Children per row: the 32-bit lanes of a 256-bit register.
const ROW: usize = 8;

/// Cache entry: the top children of one node, and a bound on the scores of its other children.
#[derive(Clone, Debug, Default)]
struct TopChildren {
    /// The node (0 if the entry is empty), and its visits when the top k were computed.
    node: NodeId,
    visits: u32,
    /// Number of the node's tried children when the top k were computed, plus those added since.
    tried: u32,
    /// The top k and the children tried since, in tree order: the first of equal scores wins, as in [`best_of_all`].
    rows: Vec<Row>,
    /// Number of children in the rows.
    count: usize,
    /// Index, `row * ROW + lane`, of the child returned or added last: the only one that this worker has visited since.
    last: usize,
    /// Highest score and highest exploration term of the other children when the top k were computed: S and T of the
    /// [bound](self).
    others_score: f32,
    others_term: f32,
    /// The parent's factor when the top k were computed: F0 of the [bound](self).
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
    /// Inputs for a proven loss, which is never selected.
    pub const OUT: Self = Self { mean: f32::NEG_INFINITY, weight: 0.0 };
}

impl Default for SelectionCache {
    fn default() -> Self {
        Self { entries: vec![TopChildren::default(); Self::ENTRIES], scored: Vec::new() }
    }
}

impl SelectionCache {
    /// 2^9 entries, few enough for their contents to fit in the L2 cache.
    const ENTRIES: usize = 1 << Self::INDEX_BITS;
    const INDEX_BITS: u32 = 9;
    /// Minimum number of tried children for using the cache; fewer are scored just as fast without a cache.
    const MIN_CHILDREN: u32 = 8;

    /// Drops all entries. Required after the tree is recycled or its root changes.
    pub fn clear(&mut self) {
        self.entries.iter_mut().for_each(|entry| entry.node = 0);
    }

    /// Returns the tried child with the highest score, and the score; `None` if all tried children are proven losses.
    /// If the tree has only one worker, the worker must then visit this child or an untried one.
    ///
    /// With several workers, the score may not yet include the latest visits and priors of other workers.
    #[inline(always)]
    pub fn best(&mut self, parent: &Parent, exploration: Exploration) -> Option<(NodeId, f32)> {
        let &Parent { tree, id, visits, .. } = parent;
        let (_, tried) = tree.node(id).counts();
        let entry = &mut self.entries[Self::index(id)];
        // A node replaces the entry of another node only if it has more visits.
        if tried < Self::MIN_CHILDREN || (entry.node != id && entry.node != 0 && entry.visits >= visits) {
            return best_of_all(parent, exploration);
        }
        // The entry is valid if the best of the top k scores more than the bound on all others, see the theorem above.
        if entry.node == id
            && entry.tried == tried
            && let Some(best) = entry.best_now(tree, visits, &exploration)
            && best.1 > entry.others_score + exploration.growth(entry.others_term, entry.factor)
        {
            return Some(best);
        }
        (entry.node, entry.visits, entry.tried, entry.factor) = (id, visits, tried, exploration.factor);
        entry.renew(tree, &exploration, &mut self.scored);
        entry.best(&exploration)
    }

    /// Adds a child just claimed by [`Tree::claim_untried`] to the parent's cache entry. Does nothing if the parent has
    /// no entry, or if the entry is full or out of date.
    #[inline(always)]
    pub fn add(&mut self, parent: &Parent, child: NodeId) {
        let &Parent { tree, id, .. } = parent;
        let entry = &mut self.entries[Self::index(id)];
        if entry.node == id && entry.tried + 1 == tree.node(id).counts().1 && entry.has_room() {
            entry.add(child);
        }
    }

    /// Returns the index of a node's cache entry by Fibonacci hashing: multiplies by 2^32 / golden ratio and takes the
    /// highest bits.
    #[inline(always)]
    fn index(id: NodeId) -> usize {
        id.wrapping_mul(0x9e37_79b1) as usize >> (u32::BITS - Self::INDEX_BITS)
    }
}

impl TopChildren {
    /// Returns k, the number of top children cached for a node with `tried` = n tried children: `sqrt(8 n)`. This
    /// balances the cost of scoring k children per visit against that of recomputing the top k when the bound fails.
    fn size(tried: u32) -> usize {
        (8 * tried).isqrt() as usize
    }

    /// True if adding a child is still cheaper than recomputing the top k.
    #[inline(always)]
    fn has_room(&self) -> bool {
        self.count < 2 * Self::size(self.tried)
    }

    /// Adds a child that has just been claimed, the last in tree order. The next selection loads its statistics.
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

    /// Reloads the statistics of the child at `place` (`row * ROW + lane`) from the tree.
    #[inline(always)]
    fn refresh(&mut self, place: usize, tree: &Tree, exploration: &Exploration) {
        let (row, place) = (&mut self.rows[place / ROW], place % ROW);
        let child = row.children[place];
        if child != 0 {
            row.put(place, child, exploration.stats(tree.node(child)));
        }
    }

    /// Reloads the statistics that may be out of date, then returns the best child and its score. `None` if all
    /// children in the rows are proven losses.
    #[inline(always)]
    fn best_now(&mut self, tree: &Tree, visits: u32, exploration: &Exploration) -> Option<(NodeId, f32)> {
        self.refresh(self.last, tree, exploration);
        if tree.is_for_one_worker() {
            return self.best(exploration);
        }
        // Other workers visit children too. Each call reloads one more child in turn, then reloads the best until its
        // score no longer falls.
        let places = self.rows.len() * ROW;
        self.refresh(visits as usize % places, tree, exploration);
        for _ in 0..places {
            let (child, before) = self.best(exploration)?;
            self.refresh(self.last, tree, exploration);
            let now = exploration.score(self.rows[self.last / ROW].stats(self.last % ROW));
            if now >= before {
                return Some((child, now));
            }
        }
        self.best(exploration)
    }

    /// Returns the best child by the loaded statistics, and its score; the first of equal scores wins. `None` if all
    /// children in the rows are proven losses.
    #[inline(always)]
    fn best(&mut self, exploration: &Exploration) -> Option<(NodeId, f32)> {
        // Each lane keeps its highest score and the row of that score; then the lanes are compared. There is no branch,
        // since the best child is unpredictable.
        let mut scores = [f32::NEG_INFINITY; ROW];
        let mut rows = [0; ROW];
        for (number, row) in (0u32..).zip(&self.rows) {
            for place in 0..ROW {
                let score = exploration.score(row.stats(place));
                let is_better = score > scores[place];
                scores[place] = if is_better { score } else { scores[place] };
                rows[place] = if is_better { number } else { rows[place] };
            }
        }
        let most = highest_lane(scores);
        if most == f32::NEG_INFINITY {
            return None;
        }
        let mut first = u32::MAX;
        for place in 0..ROW {
            let found = rows[place] * ROW as u32 + place as u32;
            first = first.min(if scores[place] == most { found } else { u32::MAX });
        }
        self.last = first as usize;
        Some((self.rows[self.last / ROW].children[self.last % ROW], most))
    }

    /// Recomputes the k best children, and the terms S and T of the bound (see the module comment), from all tried
    /// children of the node.
    fn renew(&mut self, tree: &Tree, exploration: &Exploration, scored: &mut Vec<(f32, u32, Candidate)>) {
        let size = Self::size(self.tried);
        scored.clear();
        scored.extend((0..).zip(tree.tried(self.node)).map(|(place, (child, node))| {
            let stats = exploration.stats(node);
            (exploration.score(stats), place, Candidate { child, stats })
        }));
        (self.others_score, self.others_term, self.last) = (f32::NEG_INFINITY, 0.0, 0);
        if scored.len() > size {
            scored.select_nth_unstable_by(size, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            self.others_score = scored[size].0;
            let terms = scored[size..].iter().map(|(.., candidate)| exploration.term(candidate.stats));
            self.others_term = terms.fold(0.0, f32::max);
            scored.truncate(size);
        }
        // Sorts by index, not by address: block addresses are in no particular order and depend on the allocator.
        scored.sort_unstable_by_key(|&(_, place, _)| place);
        self.count = scored.len();
        self.rows.clear();
        for candidates in scored.chunks(ROW) {
            let mut row = Row::EMPTY;
            for (place, (.., candidate)) in candidates.iter().enumerate() {
                row.put(place, candidate.child, candidate.stats);
            }
            self.rows.push(row);
        }
    }
}

/// Returns the highest lane by pairwise reduction.
#[inline(always)]
fn highest_lane(mut lanes: [f32; ROW]) -> f32 {
    for half in [4, 2, 1] {
        for place in 0..half {
            let (a, b) = (lanes[place], lanes[place + half]);
            lanes[place] = if a > b { a } else { b };
        }
    }
    lanes[0]
}

/// Returns the tried child with the highest score, and the score, without the cache; `None` if all are proven losses.
#[inline(always)]
pub(super) fn best_of_all(parent: &Parent, exploration: Exploration) -> Option<(NodeId, f32)> {
    highest(
        parent.tree.tried(parent.id).map(|(child, node)| (child, exploration.score(exploration.stats(node)))),
    )
}

/// Returns the first pair with the highest score; `None` if all scores are negative infinity, the score of proven
/// losses.
#[inline(always)]
pub(super) fn highest(scored: impl Iterator<Item = (NodeId, f32)>) -> Option<(NodeId, f32)> {
    let (child, score) =
        scored.fold((0, f32::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best });
    (child != 0).then_some((child, score))
}
