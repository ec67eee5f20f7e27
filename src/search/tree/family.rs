//! A family: the children of one expanded node, their edges, and the variance of the values below the node.
//!
//! ```text
//!   word    0                     1           2 .. 8            8 ..
//!   family  | next block          | variance  | nodes 0 and 1   | edges: two a word, in the order of trial |
//!   block   | next block          | nodes ...
//! ```
//!
//! - Word 0: the next block, 0 for none.
//! - Word 1: bits 0..42 = sum of (reward - 1/2)^2 in units of 2^-22, bits 42..64 = number of rewards.
//!
//! Publish order of an expansion:
//!
//! 1. [`Tree::begin_expansion`] locks the node. Only one worker succeeds; the others use the node as a leaf.
//! 2. [`Tree::expand`] writes the header, the edges and the first child.
//! 3. It unlocks the node with its counts (Release).
//! 4. It sets the node's family (Release). The node is expanded from now on.
//!
//! Readers go the other way: they load the family (Acquire), then the counts. A node with counts but no family is
//! still being expanded and is treated as unexpanded. Every later child is written under the lock and published by
//! the unlock that increments the number of tried children. The table in [`super`] lists all memory orderings.

use super::Tree;
use super::arena::ArenaChunk;
use super::edge::Edge;
use super::node::{NODE, Node, NodeId, ONE_CHILD, ONE_TRIED, REWARD_UNIT, UNEXPANDED};
use std::sync::atomic::Ordering::*;

/// Header words of a family, before its nodes.
pub(super) const HEADER: u32 = 2;
/// Nodes in the first block of a family. Each further block holds twice as many as the one before.
pub(super) const FIRST_BLOCK: u32 = 2;

/// Bits of the sum in the variance word of a family; the count lies above it.
const DEVIATION_BITS: u32 = 42;
/// Squared reward units in one unit of the sum: 2^-32 * 2^10 = 2^-22.
const DEVIATION_UNIT: u64 = 1 << 10;
/// Maximum number of rewards counted. Each adds at most 1/4, which is 2^20 units, so the sum stays below 2^42.
const MAX_DEVIATIONS: u64 = 1 << 21;

/// Returns `(reward - 1/2)^2` in units of 2^-22, which is equal for both sides. `reward` is in units of
/// 1/[`REWARD_UNIT`].
///
/// ```
/// use otrera::search::tree::{REWARD_UNIT, squared_deviation};
/// // A win and a loss are as far from one half: 1/4 is 2^20 units of 2^-22.
/// assert_eq!([0, REWARD_UNIT].map(squared_deviation), [1 << 20; 2]);
/// ```
#[inline]
pub fn squared_deviation(reward: u32) -> u64 {
    let deviation = i64::from(reward) - i64::from(REWARD_UNIT / 2);
    (deviation * deviation) as u64 / DEVIATION_UNIT
}

/// Returns the size in words of a family with `count` children, without its further blocks.
pub(super) fn family_words(count: u32) -> u32 {
    HEADER + count.div_ceil(2) + NODE * count.min(FIRST_BLOCK)
}

/// Returns the first word of the edges, which follow the nodes of the first block.
#[inline(always)]
fn first_edge(family: u32, count: u32) -> u32 {
    family + HEADER + NODE * count.min(FIRST_BLOCK)
}

/// Expansion.
impl Tree {
    /// Locks a node for expansion. Returns `false` if it is expanded or locked. After `true` the caller must call
    /// [`Tree::expand`], which unlocks the node.
    pub fn begin_expansion(&self, id: NodeId) -> bool {
        let node = self.node(id);
        match node.lock() {
            Some(word) if word < ONE_CHILD => true,
            Some(word) => {
                node.unlock(word);
                false
            }
            None => false,
        }
    }

    /// Gives a locked node its children, to be tried in this order, and unlocks it. Returns the first child, claimed
    /// as by [`Tree::claim_untried`].
    ///
    /// `None` leaves the node unexpanded: the memory is full, `edges` is empty, or it has 2^16 edges or more.
    pub fn expand(&self, id: NodeId, edges: &[Edge], chunk: &mut ArenaChunk) -> Option<NodeId> {
        let node = self.node(id);
        let count = edges.len() as u32;
        let family = if count < 1 << 16 { self.take_words(family_words(count), chunk) } else { None };
        let (Some(family), Some(&first)) = (family, edges.first()) else {
            node.unlock(node.edge_with_prior());
            return None;
        };
        // Steps 2 to 4 of the publish order in the module comment.
        self.word(family).store(0, Relaxed);
        self.word(family + 1).store(0, Relaxed);
        for (word, pair) in (first_edge(family, count)..).zip(edges.chunks(2)) {
            let second = pair.get(1).map_or(0, |edge| edge.0);
            self.word(word).store(u64::from(pair[0].0) | u64::from(second) << 32, Relaxed);
        }
        chunk.listed += edges.len();
        let child = family + HEADER;
        self.node(child).reset(first, 1);
        node.unlock(node.edge_with_prior() + u64::from(count) * ONE_CHILD + ONE_TRIED);
        node.set_family(UNEXPANDED, family);
        Some(child)
    }

    /// True if the node has children to select from.
    #[inline]
    pub fn is_expanded(&self, id: NodeId) -> bool {
        self.node(id).is_expanded()
    }
}

/// Untried children.
impl Tree {
    /// Returns the prior of the next untried child; `None` if the node is not expanded or all its children are tried.
    #[inline]
    pub fn next_prior(&self, id: NodeId) -> Option<f32> {
        let node = self.node(id);
        let family = node.family();
        let (count, tried) = node.counts();
        (family != UNEXPANDED && tried < count).then(|| self.listed_edge(family, count, tried).prior())
    }

    /// Returns the edge to child number `place`, with its prior.
    #[inline]
    fn listed_edge(&self, family: u32, count: u32, place: u32) -> Edge {
        let pair = self.word(first_edge(family, count) + place / 2).load(Relaxed);
        Edge((pair >> (place % 2 * 32)) as u32)
    }

    /// Makes the next untried child a node and counts its first visit, that of the caller. `None` if no child is
    /// untried, the memory is full, or another worker holds the lock.
    pub fn claim_untried(&self, id: NodeId, chunk: &mut ArenaChunk) -> Option<NodeId> {
        let node = self.node(id);
        let family = node.family();
        let (count, tried) = node.counts();
        if family == UNEXPANDED || tried == count {
            return None;
        }
        let word = node.lock()?;
        let tried = (word / ONE_TRIED) as u32;
        let claimed = if tried < count { self.place(family, count, tried, chunk) } else { None };
        match claimed {
            Some(child) => {
                self.node(child).reset(self.listed_edge(family, count, tried), 1);
                node.unlock(word + ONE_TRIED);
            }
            None => node.unlock(word),
        }
        claimed
    }

    /// Returns the address of child number `place`, allocating its block if necessary. The caller holds the lock.
    fn place(&self, family: u32, count: u32, place: u32, chunk: &mut ArenaChunk) -> Option<NodeId> {
        let (mut header, mut first) = (family, family + HEADER);
        let (mut before, mut size) = (0, FIRST_BLOCK);
        while place >= before + size {
            before += size;
            size *= 2;
            let mut next = self.word(header).load(Relaxed) as u32;
            if next == 0 {
                next = self.take_words(1 + NODE * size.min(count - before), chunk)?;
                self.word(next).store(0, Relaxed);
                self.word(header).store(u64::from(next), Relaxed);
            }
            (header, first) = (next, next + 1);
        }
        Some(first + NODE * (place - before))
    }
}

/// Variance of the values below a node.
impl Tree {
    /// Adds the [`squared_deviation`]s of `count` rewards backed up through the node. Ignored if the node is not
    /// expanded.
    #[inline]
    pub fn add_deviations(&self, id: NodeId, count: u32, squares: u64) {
        let family = self.node(id).family();
        if family == UNEXPANDED {
            return;
        }
        let word = self.word(family + 1);
        let deviations = word.load(Relaxed);
        if deviations >> DEVIATION_BITS < MAX_DEVIATIONS {
            // Not atomic: if two workers collide, one update is lost. The variance is an estimate and tolerates that.
            word.store(deviations + (u64::from(count) << DEVIATION_BITS) + squares, Relaxed);
        }
    }

    /// Returns the number of rewards backed up since the node was expanded, up to about 2^21, and the sum of `(reward
    /// - 1/2)^2` over them, rewards being 0 to 1.
    #[inline]
    pub fn deviations(&self, id: NodeId) -> (u32, f32) {
        const SCALE: f32 = DEVIATION_UNIT as f32 / (REWARD_UNIT as f32 * REWARD_UNIT as f32);
        let family = self.node(id).family();
        if family == UNEXPANDED {
            return (0, 0.0);
        }
        let deviations = self.word(family + 1).load(Relaxed);
        let sum = deviations & ((1 << DEVIATION_BITS) - 1);
        ((deviations >> DEVIATION_BITS) as u32, sum as i64 as f32 * SCALE)
    }
}

/// Tried children.
impl Tree {
    /// Iterates over the tried children in the order of the family.
    #[inline(always)]
    pub fn tried(&self, id: NodeId) -> Tried<'_> {
        let node = self.node(id);
        let family = node.family();
        // The family first: a node that is being expanded publishes its counts before its family.
        let tried = if family != UNEXPANDED { node.counts().1 } else { 0 };
        Tried {
            tree: self,
            header: family,
            next: family + HEADER,
            in_block: tried.min(FIRST_BLOCK),
            beyond: tried.saturating_sub(FIRST_BLOCK),
            size: FIRST_BLOCK,
        }
    }
}

/// Iterator over the tried children of a node, in the order of the family.
pub struct Tried<'a> {
    tree: &'a Tree,
    /// Address of the block that contains [`Tried::next`].
    header: u32,
    next: NodeId,
    /// Tried children left in this block, and in the blocks after it.
    in_block: u32,
    beyond: u32,
    /// Capacity of this block in nodes; the last block may be smaller.
    size: u32,
}

impl<'a> Tried<'a> {
    /// Moves to the next block. Returns `false` if there is none.
    #[inline(always)]
    fn next_block(&mut self) -> bool {
        if self.beyond == 0 {
            return false;
        }
        self.header = self.tree.word(self.header).load(Relaxed) as u32;
        self.next = self.header + 1;
        self.size *= 2;
        self.in_block = self.beyond.min(self.size);
        self.beyond -= self.in_block;
        true
    }
}

impl<'a> Iterator for Tried<'a> {
    type Item = (NodeId, Node<'a>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.in_block == 0 && !self.next_block() {
            return None;
        }
        let id = self.next;
        self.next += NODE;
        self.in_block -= 1;
        Some((id, self.tree.node(id)))
    }

    /// Iterates block by block, so that the inner loop runs over one slice.
    #[inline(always)]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, start: B, mut f: F) -> B {
        let mut folded = start;
        loop {
            let words = &self.tree.words[self.next as usize..][..(NODE * self.in_block) as usize];
            for (id, words) in (self.next..).step_by(NODE as usize).zip(words.chunks_exact(NODE as usize)) {
                let [value, visits, edge] = words else { unreachable!("three words") };
                folded = f(folded, (id, Node { value, visits, edge, access: self.tree.access }));
            }
            if !self.next_block() {
                return folded;
            }
        }
    }
}
