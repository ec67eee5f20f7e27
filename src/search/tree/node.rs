//! A node: three words of the arena that all workers read and write.

use super::edge::{Edge, PRIOR_BITS};
use crate::board::square::Side;
use std::sync::atomic::{AtomicU64, Ordering, Ordering::*};

/// Address of a node: the index of its first word in the arena.
pub type NodeId = u32;

/// Size of a node in words.
pub(super) const NODE: u32 = 3;

/// Family address stored in a node that has not been expanded.
pub(super) const UNEXPANDED: u32 = 0;

/// Mask of the sum of rewards in the value word, which also holds the prior of the next child to try and the proof.
const SUM: u64 = (1 << 48) - 1;
const NEXT_PRIOR_SHIFT: u32 = 48;
const NEXT_PRIOR: u64 = ((1 << PRIOR_BITS) - 1) << NEXT_PRIOR_SHIFT;
const PROOF_SHIFT: u32 = 62;

/// Lock bit in the edge word. `ONE_CHILD` and `ONE_TRIED` are the lowest bits of the two counts in that word.
const LOCKED: u64 = 1 << 31;
pub(super) const ONE_CHILD: u64 = 1 << 32;
pub(super) const ONE_TRIED: u64 = 1 << 48;

/// Reward of a win; a loss is 0. Rewards are integers, so that their sum does not depend on the order of addition.
pub const REWARD_UNIT: u32 = 1 << 16;

/// A node. Any worker may write to any word at any time, except the squares of the edge, which are fixed before the
/// node is published. See the memory orderings in [`super`].
#[derive(Clone, Copy)]
pub struct Node<'a> {
    /// Bits 0..48: sum of the rewards of the side that moved into this node, in units of 1/[`REWARD_UNIT`]. Bits
    /// 48..57: code of the prior of the next child to try. Bits 62 and 63: proven win for Black, for White.
    pub(super) value: &'a AtomicU64,
    /// Bits 0..32: visits, including those in flight. An iteration counts as a loss until its reward is backed up,
    /// which keeps other workers off its path (virtual loss, Chaslot et al. 2008). Bits 32..64: address of the family
    /// (the children), or [`UNEXPANDED`].
    pub(super) visits: &'a AtomicU64,
    /// Bits 0..30: the edge that leads here, with its prior. Bit 31: a lock, held to change the bits above it. Bits
    /// 32..48: number of children. Bits 48..64: number of tried children.
    pub(super) edge: &'a AtomicU64,
    pub(super) access: Access,
}

/// Update mode of a node's words: plain loads and stores for a single worker, atomic operations for several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Alone,
    Shared,
}

impl Access {
    /// Adds `amount` to a word and returns the previous value. A single worker uses a load and a store, which avoids
    /// two locked instructions per tree level.
    #[inline(always)]
    pub(super) fn add(self, word: &AtomicU64, amount: u64, order: Ordering) -> u64 {
        match self {
            Self::Shared => word.fetch_add(amount, order),
            Self::Alone => {
                let before = word.load(Relaxed);
                word.store(before.wrapping_add(amount), Relaxed);
                before
            }
        }
    }
}

impl Node<'_> {
    /// Maximum number of visits. The 2^24 larger values that fit in 32 bits are reserved for visits in flight.
    pub const MAX_VISITS: u32 = u32::MAX - (1 << 24);

    /// Initializes the words of an untried node.
    #[inline(always)]
    pub(super) fn reset(&self, edge: Edge) {
        self.value.store(0, Relaxed);
        self.visits.store(0, Relaxed);
        self.edge.store(u64::from(edge.0), Relaxed);
    }

    /// Returns the edge that leads here, without its prior.
    #[inline]
    pub fn edge(&self) -> Edge {
        Edge(self.edge.load(Relaxed) as u32 & Edge::MASK)
    }

    /// Returns the edge word with the bits of the lock and the counts cleared.
    #[inline(always)]
    pub(super) fn edge_with_prior(&self) -> u64 {
        self.edge.load(Relaxed) & (LOCKED - 1)
    }

    /// Returns the prior of the edge that leads here, see [`Edge::with_log_prior`].
    #[inline]
    pub fn prior(&self) -> f32 {
        Edge(self.edge.load(Relaxed) as u32).prior()
    }

    /// Returns the code of the prior of the edge that leads here.
    #[inline]
    pub(super) fn prior_code(&self) -> u32 {
        Edge(self.edge.load(Relaxed) as u32).prior_code()
    }

    /// Gives the edge that leads here the prior of `edge`. A worker that unlocks the node at the same time may undo
    /// this.
    #[inline]
    pub(super) fn set_prior(&self, edge: Edge) {
        const PRIOR: u64 = !(Edge::MASK as u64) & (LOCKED - 1);
        let changed = |word| Some(word & !PRIOR | u64::from(edge.0) & PRIOR);
        // Never fails: `changed` always returns a word.
        let _ = self.edge.fetch_update(Relaxed, Relaxed, changed);
    }

    /// Returns the prior of the next child to try; meaningless if all children are tried.
    #[inline]
    pub(super) fn next_prior(&self) -> f32 {
        Edge::prior_of((self.value.load(Relaxed) >> NEXT_PRIOR_SHIFT) as u32)
    }

    /// Stores the code of the next child's prior. The caller holds the lock; others may add rewards to the same word.
    #[inline]
    pub(super) fn set_next_prior(&self, code: u32) {
        let before = self.value.load(Relaxed) & NEXT_PRIOR;
        self.access.add(self.value, (u64::from(code) << NEXT_PRIOR_SHIFT).wrapping_sub(before), Relaxed);
    }

    /// Returns the visits, including those in flight (virtual loss).
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed) as u32
    }

    /// Adds the visits of `count` iterations about to run and returns the previous number of visits. The sum may exceed
    /// [`Node::MAX_VISITS`] only by visits in flight.
    #[inline]
    pub fn add_visits(&self, count: u32) -> u32 {
        self.access.add(self.visits, count.into(), Relaxed) as u32
    }

    /// Subtracts the visits of `count` iterations that were not run.
    #[inline]
    pub fn take_visits(&self, count: u32) {
        self.access.add(self.visits, u64::from(count).wrapping_neg(), Relaxed);
    }

    /// Adds `reward`, in units of 1/[`REWARD_UNIT`], to the sum of rewards of the side whose move led here.
    #[inline]
    pub fn add_reward(&self, reward: u32) {
        self.access.add(self.value, u64::from(reward), Relaxed);
    }

    /// Returns the mean reward of the side that moved here, 0 to 1, over `visits` visits.
    #[inline]
    pub fn mean(&self, visits: u32) -> f32 {
        self.mean_with(0, visits)
    }

    /// Returns [`Node::mean`] with `reward` added to the sum of rewards; `visits` must include the visits of `reward`.
    #[inline]
    pub fn mean_with(&self, reward: u32, visits: u32) -> f32 {
        // x86 converts signed 64-bit integers to float in one instruction, unsigned ones only with AVX-512.
        let sum = (self.value.load(Relaxed) & SUM) + u64::from(reward);
        sum as i64 as f32 / (visits as f32 * REWARD_UNIT as f32)
    }

    /// Returns the side that is proven to win from here, if any.
    #[inline]
    pub fn proof(&self) -> Option<Side> {
        match self.value.load(Relaxed) >> PROOF_SHIFT {
            0 => None,
            1 => Some(Side::Black),
            _ => Some(Side::White),
        }
    }

    /// Records a proof that `winner` wins from here.
    pub fn prove(&self, winner: Side) {
        self.value.fetch_or(1 << (PROOF_SHIFT + winner.index() as u32), Relaxed);
    }

    /// Returns the number of children and the number of tried ones; both 0 before expansion.
    #[inline]
    pub fn counts(&self) -> (u32, u32) {
        // Acquire, pairs with `unlock`: the words of every tried child are visible.
        let counts = (self.edge.load(Acquire) >> 32) as u32;
        (counts & 0xffff, counts >> 16)
    }

    /// Returns the address of the family, or [`UNEXPANDED`].
    #[inline]
    pub(super) fn family(&self) -> u32 {
        (self.visits.load(Acquire) >> 32) as u32
    }

    /// True if the node has children to select from.
    #[inline]
    pub fn is_expanded(&self) -> bool {
        self.family() != UNEXPANDED
    }

    /// Tries to lock the numbers of children and tried children. Returns the word with the edge and both numbers, or
    /// `None` if another worker holds the lock.
    #[inline(always)]
    pub(super) fn lock(&self) -> Option<u64> {
        if self.access == Access::Alone {
            return Some(self.edge.load(Relaxed));
        }
        let word = self.edge.fetch_or(LOCKED, Acquire);
        (word & LOCKED == 0).then_some(word)
    }

    /// Stores the edge word with new counts, which releases the lock.
    #[inline(always)]
    pub(super) fn unlock(&self, word: u64) {
        self.edge.store(word, Release);
    }

    /// Changes the address of the node's family (its blocks of children) from `from` to `to`. Adds the difference,
    /// because other workers may add visits to the same word at the same time.
    pub(super) fn set_family(&self, from: u32, to: u32) {
        self.access.add(self.visits, u64::from(to.wrapping_sub(from)) << 32, Release);
    }

    /// Undoes an expansion. Allowed only while no worker uses the tree.
    pub(crate) fn collapse(&self) {
        self.visits.store(self.visits.load(Relaxed) & u64::from(u32::MAX), Relaxed);
        self.edge.store(self.edge_with_prior(), Relaxed);
    }
}
