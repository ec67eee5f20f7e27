//! One node: three words of the arena, changed by any worker at any time.

use super::edge::Edge;
use crate::board::square::Side;
use std::sync::atomic::{AtomicU64, Ordering, Ordering::*};

/// Number of a node: the index of its first word in the arena.
pub type NodeId = u32;

/// Words of a node.
pub(super) const NODE: u32 = 3;

/// Family of a node that has not been expanded.
pub(super) const UNEXPANDED: u32 = 0;

/// Value: the sum of the rewards in the lower bits, who is proven to win in the upper ones.
const SUM: u64 = (1 << 48) - 1;
const PROOF_SHIFT: u32 = 62;

/// Edge: the lock, one child, and one child tried.
const LOCKED: u64 = 1 << 31;
pub(super) const ONE_CHILD: u64 = 1 << 32;
pub(super) const ONE_TRIED: u64 = 1 << 48;

/// Rewards are added up as integers, a win being so many: sums of integers do not depend on the order in which
/// threads add to them.
pub const REWARD_UNIT: u32 = 1 << 16;

/// One node. Every word is written by any worker at any time, except the edge and the number of children,
/// which are fixed before others can find them.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    /// Bits 0..48: sum of the rewards of the side that moved into this node, in units of 1/[`REWARD_UNIT`].
    /// Bits 62 and 63: proven for Black, for White.
    pub(super) value: &'a AtomicU64,
    /// Bits 0..32: visits, that is descents through this node, those under way included: until it is backed up a
    /// descent counts as a loss, which keeps other workers off its path (virtual loss, Chaslot et al. 2008).
    /// Bits 32..64: the family, or [`UNEXPANDED`].
    pub(super) visits: &'a AtomicU64,
    /// Bits 0..30: the edge that leads here with its prior. Bit 31: a lock, by which the bits above it are changed.
    /// Bits 32..48: number of children. Bits 48..64: how many of them have been tried.
    pub(super) edge: &'a AtomicU64,
    pub(super) access: Access,
}

/// How words are changed: by one worker alone, or atomically by several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Alone,
    Shared,
}

impl Access {
    /// Adds to a word; returns what it was. A single worker loads and stores, which spares it two locked
    /// instructions a tree level.
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
    /// Most visits that are counted. The 2^24 below the overflow of 32 bits are for descents under way.
    pub const MOST_VISITS: u32 = u32::MAX - (1 << 24);

    /// Makes a new node of the words.
    pub(super) fn reset(&self, edge: Edge, visits: u32) {
        self.value.store(0, Relaxed);
        self.visits.store(visits.into(), Relaxed);
        self.edge.store(u64::from(edge.0), Relaxed);
    }

    /// The edge that leads here, without its prior.
    #[inline]
    pub fn edge(&self) -> Edge {
        Edge(self.edge.load(Relaxed) as u32 & Edge::MASK)
    }

    /// The third word without what is above its edge.
    #[inline(always)]
    pub(super) fn edge_with_prior(&self) -> u64 {
        self.edge.load(Relaxed) & (LOCKED - 1)
    }

    /// The prior of the edge that leads here, see [`Edge::with_log_prior`].
    #[inline]
    pub fn prior(&self) -> f32 {
        Edge(self.edge.load(Relaxed) as u32).prior()
    }

    /// Descents through this node, those under way included.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed) as u32
    }

    /// Counts descents through this node that are about to begin; returns how many began before. There must be fewer
    /// than [`Node::MOST_VISITS`] in all.
    #[inline]
    pub fn add_visits(&self, count: u32) -> u32 {
        self.access.add(self.visits, count.into(), Relaxed) as u32
    }

    /// Takes back the visits of those that did not begin.
    #[inline]
    pub fn take_visits(&self, count: u32) {
        self.access.add(self.visits, u64::from(count).wrapping_neg(), Relaxed);
    }

    /// Adds a reward, or the sum of several, of the side that moved here, in units of 1/[`REWARD_UNIT`].
    #[inline]
    pub fn add_reward(&self, reward: u32) {
        self.access.add(self.value, u64::from(reward), Relaxed);
    }

    /// The mean reward of the side that moved here, 0 to 1, over this many visits.
    ///
    /// ```
    /// use otrera::search::tree::{REWARD_UNIT, Tree};
    /// let tree = Tree::with_memory(1 << 20);
    /// let root = tree.node(tree.root());
    /// root.add_visits(2);
    /// root.add_reward(REWARD_UNIT);
    /// assert_eq!(root.mean(root.visits()), 0.5);
    /// ```
    #[inline]
    pub fn mean(&self, visits: u32) -> f32 {
        self.mean_with(0, visits)
    }

    /// The same with a sum of rewards that has not been added yet.
    #[inline]
    pub fn mean_with(&self, reward: u32, visits: u32) -> f32 {
        // x86 converts signed 64-bit integers to floating point in one instruction, unsigned ones not before AVX-512.
        let sum = (self.value.load(Relaxed) & SUM) + u64::from(reward);
        sum as i64 as f32 / (visits as f32 * REWARD_UNIT as f32)
    }

    /// The side that is proven to win from here, if that is known.
    #[inline]
    pub fn proof(&self) -> Option<Side> {
        match self.value.load(Relaxed) >> PROOF_SHIFT {
            0 => None,
            1 => Some(Side::Black),
            _ => Some(Side::White),
        }
    }

    /// Records that this side wins from here.
    pub fn prove(&self, winner: Side) {
        self.value.fetch_or(1 << (PROOF_SHIFT + winner.index() as u32), Relaxed);
    }

    /// Number of children, and how many of them were tried; both 0 before expansion.
    #[inline]
    pub fn counts(&self) -> (u32, u32) {
        // Acquire: the words of a child were written before it was counted as tried.
        let counts = (self.edge.load(Acquire) >> 32) as u32;
        (counts & 0xffff, counts >> 16)
    }

    /// The family, or [`UNEXPANDED`].
    #[inline]
    pub(super) fn family(&self) -> u32 {
        (self.visits.load(Acquire) >> 32) as u32
    }

    /// Whether it has children to choose from.
    #[inline]
    pub fn is_expanded(&self) -> bool {
        self.family() != UNEXPANDED
    }

    /// Tries to lock the number of children and how many of them have been tried; the third word then, `None` if
    /// another worker holds the lock.
    #[inline(always)]
    pub(super) fn lock(&self) -> Option<u64> {
        if self.access == Access::Alone {
            return Some(self.edge.load(Relaxed));
        }
        let word = self.edge.fetch_or(LOCKED, Acquire);
        (word & LOCKED == 0).then_some(word)
    }

    /// Unlocks them, the third word being so from now on. Nobody else changes it while it is locked.
    #[inline(always)]
    pub(super) fn unlock(&self, word: u64) {
        self.edge.store(word, Release);
    }

    /// Replaces the family, known to be `from`, by another while others may count visits in the same word.
    pub(super) fn set_family(&self, from: u32, to: u32) {
        self.access.add(self.visits, u64::from(to.wrapping_sub(from)) << 32, Release);
    }

    /// Undoes an expansion. Only while no worker uses the tree.
    pub(super) fn collapse(&self) {
        self.visits.store(self.visits.load(Relaxed) & u64::from(u32::MAX), Relaxed);
        self.edge.store(self.edge_with_prior(), Relaxed);
    }
}
