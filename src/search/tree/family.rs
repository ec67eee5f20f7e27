//! A family: the tried children of one expanded node, the next ones to try, and the variance of the values below the
//! node.
//!
//! ```text
//!   word    0                     1           2 .. 8
//!   family  | owner, next block | variance  | nodes 0 and 1 |          a cache line
//!   block   | owner, next block | nodes ...                 |          5 nodes, 10, 21, 42 ...
//! ```
//!
//! - Word 0: bits 0..32 = address of the next block or, until that block exists, code of the prior of its first child;
//!   codes are smaller than all addresses. Bits 32..64 = address of the owner, the expanded node.
//! - Word 1: bits 0..42 = sum of (reward - 1/2)^2 in units of 2^-22, bits 42..64 = number of rewards.
//!
//! The nodes of a block get their edges when the block is allocated: the first two at expansion, the next five when
//! those two have been tried, and so on. The edges are generated again for each block. This costs some time but saves
//! the memory of children that are never tried, which are the majority with priors. It also gives the tried children
//! the priors of the moment, which depend on the search's history.
//!
//! Publish order of an expansion:
//!
//! 1. [`Tree::begin_expansion`] locks the node. Only one worker succeeds; the others use the node as a leaf.
//! 2. [`Tree::expand`] writes the header, the edges and the first child.
//! 3. `expand` stores the counts, which unlocks the node (Release).
//! 4. `expand` stores the address of the node's family (Release). From then on, the node is expanded.
//!
//! Readers load in the opposite order: the family (Acquire), then the counts. A node with counts but no family is
//! still being expanded and is treated as unexpanded. Every later child is written under the lock and published by
//! the unlock that increments the number of tried children. The table in [`super`] lists all memory orderings.

use super::Tree;
use super::arena::{ArenaChunk, PAGE, SIZES, slot_words};
use super::edge::Edge;
use super::node::{NODE, Node, NodeId, ONE_CHILD, ONE_TRIED, REWARD_UNIT, UNEXPANDED};
use crate::simd::prefetch;
use std::sync::atomic::Ordering::*;

/// Number of header words before the nodes of a family; each further block has one.
pub(super) const HEADER: u32 = 2;

/// Number of bits of the sum in a family's variance word. The bits above the sum hold the count.
const DEVIATION_BITS: u32 = 42;
/// Number of squared reward units (2^-32) in one unit of the sum: 2^-32 * 2^10 = 2^-22.
const DEVIATION_UNIT: u64 = 1 << 10;
/// Number of rewards after which no more are added. Each adds at most 1/4, which is 2^20 units, so the sum stays below
/// 2^42 even if the last burst exceeds this number.
const MAX_DEVIATIONS: u64 = 1 << 21;

/// Returns `(reward - 1/2)^2` in units of 2^-22; `reward` is in units of 1/[`REWARD_UNIT`]. The result is equal for the
/// rewards of both sides.
#[inline]
pub fn squared_deviation(reward: u32) -> u64 {
    let deviation = i64::from(reward) - i64::from(REWARD_UNIT / 2);
    (deviation * deviation) as u64 / DEVIATION_UNIT
}

/// Returns the number of nodes in block number `index` of a family: 2, 5, 10, 21, 42, 85, 170, 341, 341 ...
#[inline(always)]
pub(super) fn block_nodes(index: usize) -> u32 {
    match index {
        0 => 2,
        _ => (slot_words(index.min(SIZES - 1)) - 1) / NODE,
    }
}

/// Returns the first node of `block`, which has number `index` in its family (0 is the family itself).
#[inline(always)]
pub(super) fn first_node(block: u32, index: usize) -> NodeId {
    block + if index == 0 { HEADER } else { 1 }
}

/// A block of a family.
#[derive(Clone, Copy)]
struct Block {
    address: u32,
    /// Number of the block in its family; 0 is the family itself.
    index: usize,
    /// Number of children in the blocks before this one.
    before: u32,
}

impl Block {
    /// Returns the number of children in the blocks up to this one.
    #[inline(always)]
    fn beyond(self) -> u32 {
        self.before + block_nodes(self.index)
    }

    /// Returns the block after this one, at `address`.
    #[inline(always)]
    fn next(self, address: u32) -> Self {
        Self { address, index: self.index + 1, before: self.beyond() }
    }

    /// Returns the address of child number `place` of the family, which lies in this block.
    #[inline(always)]
    fn node(self, place: u32) -> NodeId {
        first_node(self.address, self.index) + NODE * (place - self.before)
    }
}

/// Expansion.
impl Tree {
    /// Number of edges that [`Tree::expand`] reads: those of the first two children, and the third for its prior.
    pub const LISTED_FIRST: usize = 3;

    /// Locks a node for expansion. Returns `false` if the node is already expanded or locked. After `true`, the caller
    /// must call [`Tree::expand`], which unlocks the node.
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

    /// Gives a locked node one child for each edge and unlocks the node. Returns the first child and counts its first
    /// visit. Children are tried in the order of `edges`; only the first [`Tree::LISTED_FIRST`] elements are read.
    ///
    /// Returns `None` and only unlocks the node if the memory is full, or if `edges` is empty or has 2^16 elements or
    /// more.
    pub fn expand(&self, id: NodeId, edges: &[Edge], chunk: &mut ArenaChunk) -> Option<NodeId> {
        let node = self.node(id);
        let is_valid = !edges.is_empty() && edges.len() < 1 << 16;
        let Some(family) = (if is_valid { self.take_slot(0, chunk) } else { None }) else {
            node.unlock(node.edge_with_prior());
            return None;
        };
        // Steps 2 to 4 of the publish order in the module comment.
        self.word(family + 1).store(0, Relaxed);
        self.fill_block(family, 0, 0, id, edges);
        chunk.listed += edges.len();
        let child = first_node(family, 0);
        self.node(child).add_visits(1);
        node.set_next_prior(edges.get(1).map_or(0, |edge| edge.prior_code()));
        node.unlock(node.edge_with_prior() + edges.len() as u64 * ONE_CHILD + ONE_TRIED);
        node.set_family(UNEXPANDED, family);
        Some(child)
    }

    /// Writes the header and the nodes of a new block, all untried. The first node is child `before`, counted from 0.
    #[inline(always)]
    fn fill_block(&self, block: u32, index: usize, before: u32, owner: NodeId, edges: &[Edge]) {
        let edge = |place: u32| edges.get(place as usize).copied().unwrap_or(Edge(0));
        for (place, id) in (before..).zip(self.nodes(block, index)) {
            self.node(id).reset(edge(place));
        }
        let beyond = edge(before + block_nodes(index)).prior_code();
        self.word(block).store(u64::from(owner) << 32 | u64::from(beyond), Relaxed);
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
        let is_expanded = node.is_expanded();
        let (count, tried) = node.counts();
        (is_expanded && tried < count).then(|| node.next_prior())
    }

    /// Claims the next untried child for the caller and counts the caller's visit as its first. `None` if no child is
    /// untried, the memory is full, or another worker holds the node's lock.
    ///
    /// `list(n)` must list the edges of the node again, those of the tried children first; only the first n elements
    /// are read. `list` is called only if the child needs a new block. The tried children then take the priors listed.
    pub fn claim_untried<'a>(
        &self,
        id: NodeId,
        chunk: &mut ArenaChunk,
        list: impl FnOnce(usize) -> &'a [Edge],
    ) -> Option<NodeId> {
        let node = self.node(id);
        let family = node.family();
        let (count, tried) = node.counts();
        if family == UNEXPANDED || tried == count {
            return None;
        }
        let word = node.lock()?;
        let tried = (word / ONE_TRIED) as u32;
        let claimed = if tried < count { self.place(id, family, tried, chunk, list) } else { None };
        match claimed {
            Some(child) => {
                self.node(child).add_visits(1);
                node.unlock(word + ONE_TRIED);
            }
            None => node.unlock(word),
        }
        claimed
    }

    /// Returns the address of child number `place`, counted from 0, which is the first untried one. Allocates the
    /// child's block if necessary, and stores the prior of the next child in the node. `None` if the memory is full.
    /// The caller holds the node's lock.
    fn place<'a>(
        &self,
        id: NodeId,
        family: u32,
        place: u32,
        chunk: &mut ArenaChunk,
        list: impl FnOnce(usize) -> &'a [Edge],
    ) -> Option<NodeId> {
        let mut last = self.last_block(family, place);
        if place >= last.beyond() {
            last = self.append_block(id, last, chunk, list)?;
        }
        self.node(id).set_next_prior(self.prior_code_after(last, place));
        Some(last.node(place))
    }

    /// Returns the block of child number `place`, or the last block if that child has none yet.
    fn last_block(&self, family: u32, place: u32) -> Block {
        let mut block = Block { address: family, index: 0, before: 0 };
        while place >= block.beyond()
            && let Some(address) = self.next_block(block.address)
        {
            block = block.next(address);
        }
        block
    }

    /// Allocates the block after `last`, the last block of a family, and fills it with the next edges of the list. Gives the
    /// tried children the listed priors.
    fn append_block<'a>(
        &self,
        owner: NodeId,
        last: Block,
        chunk: &mut ArenaChunk,
        list: impl FnOnce(usize) -> &'a [Edge],
    ) -> Option<Block> {
        let block = last.next(self.take_slot((last.index + 1).min(SIZES - 1), chunk)?);
        let needed = block.beyond() + 1;
        let edges = list(needed as usize);
        self.fill_block(block.address, block.index, block.before, owner, edges);
        for (&edge, (_, child)) in edges.iter().zip(self.tried(owner)) {
            child.set_prior(edge);
        }
        self.link(last.address, block.address);
        Some(block)
    }

    /// Returns the code of the prior of the child after number `place`, which lies in `block`.
    fn prior_code_after(&self, block: Block, place: u32) -> u32 {
        if place + 1 == block.beyond() {
            self.word(block.address).load(Relaxed) as u32
        } else {
            self.node(block.node(place + 1)).prior_code()
        }
    }

    /// Returns the address of the block after a family or block; `None` if that block has not been allocated.
    #[inline(always)]
    pub(super) fn next_block(&self, block: u32) -> Option<u32> {
        let next = self.word(block).load(Relaxed) as u32;
        (next >= PAGE).then_some(next)
    }

    /// Makes `next` the block after a family or block.
    pub(super) fn link(&self, block: u32, next: u32) {
        self.word(block).store(u64::from(self.owner(block)) << 32 | u64::from(next), Relaxed);
    }

    /// Iterates over (number, address) of a family's blocks; number 0 is the family. Each step reads the next address.
    pub(super) fn blocks(&self, family: u32) -> impl Iterator<Item = (usize, u32)> {
        std::iter::successors(Some(family), |&block| self.next_block(block)).enumerate()
    }

    /// Iterates over the nodes of block number `index`, tried or not.
    #[inline(always)]
    pub(super) fn nodes(&self, block: u32, index: usize) -> impl Iterator<Item = NodeId> + use<> {
        (first_node(block, index)..).step_by(NODE as usize).take(block_nodes(index) as usize)
    }

    /// Returns the address of the expanded node that a family or block belongs to; 0 for a free slot.
    #[inline(always)]
    pub(super) fn owner(&self, block: u32) -> NodeId {
        (self.word(block).load(Relaxed) >> 32) as u32
    }
}

/// Variance of the values below a node.
impl Tree {
    /// Adds the [`squared_deviation`]s of `count` rewards, with the sum `squares`, to the statistics of an expanded
    /// node. Does nothing if the node is not expanded or already has 2^21 rewards.
    #[inline]
    pub fn add_deviations(&self, id: NodeId, count: u32, squares: u64) {
        let family = self.node(id).family();
        if family == UNEXPANDED {
            return;
        }
        let word = self.word(family + 1);
        let deviations = word.load(Relaxed);
        if deviations >> DEVIATION_BITS < MAX_DEVIATIONS {
            // Not an atomic update: if two workers collide, one update is lost, which an estimate tolerates.
            word.store(deviations + (u64::from(count) << DEVIATION_BITS) + squares, Relaxed);
        }
    }

    /// Returns the number of rewards (0 to 1) backed up since the node was expanded, at most about 2^21, and the sum of
    /// their `(reward - 1/2)^2`.
    #[inline]
    pub fn deviations(&self, id: NodeId) -> (u32, f32) {
        const SCALE: f32 = DEVIATION_UNIT as f32 / (REWARD_UNIT as f32 * REWARD_UNIT as f32);
        let family = self.node(id).family();
        if family == UNEXPANDED {
            return (0, 0.0);
        }
        let deviations = self.word(family + 1).load(Relaxed);
        let sum = deviations & ((1 << DEVIATION_BITS) - 1);
        (self.rewards(family), sum as i64 as f32 * SCALE)
    }

    /// Returns the number of rewards backed up to a family's owner since its expansion, up to about 2^21.
    #[inline(always)]
    pub(super) fn rewards(&self, family: u32) -> u32 {
        (self.word(family + 1).load(Relaxed) >> DEVIATION_BITS) as u32
    }
}

/// Tried children.
impl Tree {
    /// Begins to load the first cache line of a node's family, which the next selection reads.
    #[inline(always)]
    pub fn prefetch_family(&self, id: NodeId) {
        prefetch(self.word(self.node(id).family()));
    }

    /// Iterates over the tried children in the order in which they were first tried.
    #[inline(always)]
    pub fn tried(&self, id: NodeId) -> Tried<'_> {
        let node = self.node(id);
        let family = node.family();
        // Reads the family's address before the counts: an expansion publishes the counts first.
        let tried = if family != UNEXPANDED { node.counts().1 } else { 0 };
        let in_block = tried.min(block_nodes(0));
        Tried {
            tree: self,
            block: family,
            index: 0,
            next: family + HEADER,
            in_block,
            beyond: tried - in_block,
        }
    }
}

/// Iterator over the tried children of a node, in the order in which they were first tried.
pub struct Tried<'a> {
    tree: &'a Tree,
    /// The block that contains the node `next`, and the block's number in the family.
    block: u32,
    index: usize,
    next: NodeId,
    /// Number of tried children left in this block and, in `beyond`, in all later blocks.
    in_block: u32,
    beyond: u32,
}

impl<'a> Tried<'a> {
    /// Moves to the next block with tried children. Returns `false` if there is no such block.
    #[inline(always)]
    fn next_block(&mut self) -> bool {
        if self.beyond == 0 {
            return false;
        }
        let Some(block) = self.tree.next_block(self.block) else { return false };
        self.block = block;
        self.index += 1;
        self.next = first_node(block, self.index);
        self.in_block = self.beyond.min(block_nodes(self.index));
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
