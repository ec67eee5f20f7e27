//! Selection among many children without looking at all of them each time.
//!
//! Between two visits of a node only the child that was visited changes: of the scores of the others at most
//! the part grows a little that rewards what was tried seldom. So the best few are remembered with a bound on
//! all others, and as long as the best of the few is above the bound, it is the best of all. What is known of
//! the few lies side by side, where it is quicker to look at than their nodes all over the tree.

use super::tree::{Node, NodeId, Tree};
use crate::board::square::Side;

/// The shortlists of one worker: those of the most visited nodes, since few can be kept at hand.
#[derive(Debug)]
pub struct Shortlists {
    lists: Vec<Shortlist>,
    scored: Vec<(f32, Entry)>,
}

/// What is known of a child and makes its score, together with what is known of its parent.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its mean value; negative infinity when the child is out, infinity when it comes first.
    pub mean: f32,
    /// What its bonus is made of, the part of the score that grows while the child is not visited.
    pub weight: f32,
}

/// A formula that scores children by their mean and a bonus.
pub trait Bonus: Copy {
    /// Who chooses: children that are proven to lose for this side are out.
    fn chooser(&self) -> Side;
    /// What the bonus of a child is made of.
    fn weight(&self, node: Node, visits: u32) -> f32;
    /// Its bonus.
    fn of(&self, known: Known) -> f32;
    /// What bonuses are measured by at this moment.
    fn measure(&self) -> f32;
    /// How much a bonus of this size can have grown since the measure was this other one, if the child was
    /// not visited.
    fn growth(&self, bonus: f32, measure: f32) -> f32;

    /// Whether a child is to be visited before all others, whatever its score, if it is not out.
    #[inline(always)]
    fn comes_first(&self, _: &Node) -> bool {
        false
    }

    /// What is known of a child.
    #[inline(always)]
    fn known(&self, node: Node) -> Known {
        if node.proof() == Some(self.chooser().opponent()) {
            return Known::OUT;
        }
        if self.comes_first(&node) {
            return Known::FIRST;
        }
        let visits = node.visits().max(1);
        Known { mean: node.mean(visits), weight: self.weight(node, visits) }
    }

    /// Its score.
    #[inline(always)]
    fn score(&self, known: Known) -> f32 {
        known.mean + self.of(known)
    }
}

/// A child with what is known of it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    child: NodeId,
    known: Known,
}

/// Entries that are looked at together, each part of them side by side.
#[derive(Clone, Copy, Debug)]
struct Row {
    children: [NodeId; ROW],
    means: [f32; ROW],
    weights: [f32; ROW],
}

/// As many as the widest registers hold.
const ROW: usize = 8;

/// The best children of one node as they were at some moment, and what the others can have become since.
#[derive(Clone, Debug)]
struct Shortlist {
    /// The node, 0 for none, and its visits when the list was made.
    node: NodeId,
    visits: u32,
    /// Its children that had been tried.
    tried: u32,
    /// The best ones, in the order of the tree: the first of equals is the one that a look at all would find.
    rows: Vec<Row>,
    /// The place of the one that was found last, and has been visited since.
    last: usize,
    /// The highest score and the highest bonus of children that are not in the list, when the list was made.
    others: f32,
    others_bonus: f32,
    /// What bonuses were measured by then.
    measure: f32,
}

impl Row {
    const EMPTY: Self =
        Self { children: [0; ROW], means: [Known::OUT.mean; ROW], weights: [Known::OUT.weight; ROW] };

    #[inline(always)]
    fn known(&self, place: usize) -> Known {
        Known { mean: self.means[place], weight: self.weights[place] }
    }

    #[inline(always)]
    fn put(&mut self, place: usize, child: NodeId, known: Known) {
        (self.children[place], self.means[place], self.weights[place]) = (child, known.mean, known.weight);
    }
}

impl Known {
    /// Of a child that is out.
    pub const OUT: Self = Self { mean: f32::NEG_INFINITY, weight: 0.0 };
    /// Of a child that comes before all others.
    pub const FIRST: Self = Self { mean: f32::INFINITY, weight: 1.0 };
}

impl Default for Shortlists {
    fn default() -> Self {
        let none = Shortlist {
            node: 0,
            visits: 0,
            tried: 0,
            rows: Vec::new(),
            last: 0,
            others: f32::NEG_INFINITY,
            others_bonus: 0.0,
            measure: 0.0,
        };
        Self { lists: vec![none; Self::LISTS], scored: Vec::new() }
    }
}

impl Shortlists {
    /// Lists that are kept.
    const LISTS: usize = 512;
    /// With fewer children a look at all is as quick.
    const LEAST_CHILDREN: u32 = 8;

    /// Forgets everything: the nodes are other ones, or the tree has changed.
    pub fn clear(&mut self) {
        self.lists.iter_mut().for_each(|list| list.node = 0);
    }

    /// The child with the highest score, with its score; `None` if all children are out. Where a worker is
    /// alone it must go to this child or to one that was not tried.
    ///
    /// While other workers visit the node too, the answer may be one that was best a moment ago.
    #[inline(always)]
    pub fn best(&mut self, tree: &Tree, id: NodeId, visits: u32, bonus: impl Bonus) -> Option<(NodeId, f32)> {
        let (_, tried) = tree.node(id).counts();
        let list = &mut self.lists[id.wrapping_mul(0x9e37_79b1) as usize >> 23];
        if tried < Self::LEAST_CHILDREN || (list.node != id && list.node != 0 && list.visits >= visits) {
            return best_of_all(tree, id, bonus);
        }
        if list.node == id
            && list.tried == tried
            && let Some(best) = list.best_now(tree, visits, &bonus)
            && best.1 > list.others + bonus.growth(list.others_bonus, list.measure)
        {
            return Some(best);
        }
        (list.node, list.visits, list.tried, list.measure) = (id, visits, tried, bonus.measure());
        list.renew(tree, &bonus, &mut self.scored);
        list.best(&bonus)
    }
}

impl Shortlist {
    /// Looking at the list and, when it is used up, at all children costs least with about so many in it.
    fn length(tried: u32) -> usize {
        (8 * tried).isqrt() as usize
    }

    /// Looks at one child's node again.
    #[inline(always)]
    fn look_up(&mut self, place: usize, tree: &Tree, bonus: &impl Bonus) {
        let (row, place) = (&mut self.rows[place / ROW], place % ROW);
        let child = row.children[place];
        if child != 0 {
            row.put(place, child, bonus.known(tree.node(child)));
        }
    }

    /// The best child of the list as it is now.
    #[inline(always)]
    fn best_now(&mut self, tree: &Tree, visits: u32, bonus: &impl Bonus) -> Option<(NodeId, f32)> {
        self.look_up(self.last, tree, bonus);
        if tree.is_for_one_worker() {
            return self.best(bonus);
        }
        // What others have visited is found out when it is about to be chosen, or when it is its turn.
        let places = self.rows.len() * ROW;
        self.look_up(visits as usize % places, tree, bonus);
        for _ in 0..places {
            let (child, before) = self.best(bonus)?;
            self.look_up(self.last, tree, bonus);
            let now = bonus.score(self.rows[self.last / ROW].known(self.last % ROW));
            if now >= before {
                return Some((child, now));
            }
        }
        self.best(bonus)
    }

    /// The first child of the list with the highest score, unless all are out.
    #[inline(always)]
    fn best(&mut self, bonus: &impl Bonus) -> Option<(NodeId, f32)> {
        // The best in each place of a row, and the row it is in: all places at once.
        let mut scores = [f32::NEG_INFINITY; ROW];
        let mut rows = [0; ROW];
        for (number, row) in (0..).zip(&self.rows) {
            for place in 0..ROW {
                let score = bonus.score(row.known(place));
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

    fn renew(&mut self, tree: &Tree, bonus: &impl Bonus, scored: &mut Vec<(f32, Entry)>) {
        let length = Self::length(self.tried);
        scored.clear();
        scored.extend(tree.tried(self.node).map(|(child, node)| {
            let known = bonus.known(node);
            (bonus.score(known), Entry { child, known })
        }));
        (self.others, self.others_bonus, self.last) = (f32::NEG_INFINITY, 0.0, 0);
        if scored.len() > length {
            scored.select_nth_unstable_by(length, |a, b| b.0.total_cmp(&a.0).then(a.1.child.cmp(&b.1.child)));
            self.others = scored[length].0;
            let bonuses = scored[length..].iter().map(|(_, entry)| bonus.of(entry.known));
            self.others_bonus = bonuses.fold(0.0, f32::max);
            scored.truncate(length);
        }
        scored.sort_unstable_by_key(|(_, entry)| entry.child);
        self.rows.clear();
        for entries in scored.chunks(ROW) {
            let mut row = Row::EMPTY;
            for (place, (_, entry)) in entries.iter().enumerate() {
                row.put(place, entry.child, entry.known);
            }
            self.rows.push(row);
        }
    }
}

/// The child with the highest score, with its score, by a look at every child that was tried.
#[inline(always)]
pub fn best_of_all(tree: &Tree, id: NodeId, bonus: impl Bonus) -> Option<(NodeId, f32)> {
    highest(tree.tried(id).map(|(child, node)| (child, bonus.score(bonus.known(node)))))
}

/// The first child with the highest score, unless all are out.
#[inline(always)]
pub fn highest(scored: impl Iterator<Item = (NodeId, f32)>) -> Option<(NodeId, f32)> {
    let (child, score) =
        scored.fold((0, f32::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best });
    (child != 0).then_some((child, score))
}
