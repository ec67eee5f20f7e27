//! The tree: pure storage, without formulas or rules.
//!
//! Everything lies in one `arena` of 64-bit words, allocated as zeroed pages that take no memory until they are
//! touched. A `node` is three words. Expansion gives it a `family`: the edges (`edge`) to all its children in the
//! order of trial, half a word each. A child becomes a node when it is first tried; most never do. The nodes of a
//! family lie in blocks, each twice as large as the one before.
//!
//! ```text
//!   node    | proof, value | family, visits | counts, edge |   counts: children, and how many were tried
//!                               |
//!                               +--> family  | next block | variance | node 0 | node 1 | edge, edge | ... |
//!                                                |
//!                                                +--> block  | next block | node 2 | node 3 | node 4 | node 5 |
//! ```
//!
//! The first two nodes, with priors the most visited ones, lie beside the header: a descent finds what it reads first
//! in one or two cache lines.
//!
//! When the arena is full, no node is expanded. `compact` frees memory: it prunes the least-visited nodes of a full
//! tree, and drops the other moves when a move is played.
//!
//! # Memory ordering
//!
//! All workers read and write the tree without locking it as a whole. Two fields publish others: a Release store of
//! the field pairs with an Acquire load by the reader.
//!
//! | field | writer | ordering | why |
//! |---|---|---|---|
//! | node: rewards, visits | any worker, `fetch_add` | Relaxed | sums need no order; a stale one shifts one selection |
//! | node: proof | any worker, `fetch_or` | Relaxed | never cleared during a run; implies no other data |
//! | node: family | the expanding worker, last | Release/Acquire | publishes header, edges, counts, first child |
//! | node: lock | a worker that expands or claims | Acquire | one writer at a time for counts and block links |
//! | node: counts | the lock's holder, by unlocking | Release/Acquire | publishes a tried child and its block's link |
//! | node: edge | its creator, before publication | Relaxed | published by the parent's counts |
//! | family: edges | its creator, before publication | Relaxed | published by the family |
//! | block: link to the next | the lock's holder | Relaxed | published by the counts |
//! | family: variance | any worker, load and store | Relaxed | an estimate tolerates a lost update |
//! | arena: `used`, `listed`, `full` | any worker | Relaxed | counters; families and counts publish the words |
//!
//! Compaction takes `&mut Tree`: the threads have been joined. With one worker ([`Tree::for_one_worker`]) additions
//! and the lock are plain loads and stores.

mod arena;
mod compact;
mod edge;
mod family;
mod node;

pub use arena::ArenaChunk;
pub use edge::{Edge, sort};
pub use family::{Tried, squared_deviation};
pub use node::{Node, NodeId, REWARD_UNIT};

use crate::board::moves::Move;
use crate::board::square::Side;
use arena::Growth;
use crossbeam_utils::CachePadded;
use node::{Access, NODE};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A tree in an arena of fixed capacity. The root is always the node [`Tree::root`].
///
/// ```
/// use otrera::Position;
/// use otrera::search::tree::{ArenaChunk, Edge, Tree};
///
/// let (tree, mut chunk) = (Tree::with_memory(1 << 20), ArenaChunk::default());
/// let edges: Vec<Edge> = Position::standard().movements().map(Edge::movement).collect();
/// assert!(tree.begin_expansion(tree.root()));
/// let first = tree.expand(tree.root(), &edges, &mut chunk).unwrap();
/// let second = tree.claim_untried(tree.root(), &mut chunk).unwrap();
/// assert_eq!([first, second].map(|child| tree.node(child).edge()), [edges[0], edges[1]]);
/// assert_eq!(tree.node(tree.root()).counts(), (80, 2));
///
/// tree.return_chunk(chunk);
/// assert_eq!(tree.len(), 81);
/// ```
pub struct Tree {
    words: Box<[AtomicU64]>,
    full: AtomicBool,
    access: Access,
    growth: CachePadded<Growth>,
}

impl Tree {
    /// Address of the root. Address 0 means "no family".
    const ROOT: NodeId = 1;

    /// Creates a tree of the root alone that uses at most about `bytes` bytes, clamped to 64 KiB .. 32 GiB; less if
    /// the system refuses so much.
    pub fn with_memory(bytes: usize) -> Self {
        let words = arena::zeroed_words(bytes);
        Self { words, full: AtomicBool::new(false), access: Access::Shared, growth: Growth::default().into() }
    }

    /// Drops atomic updates, which is faster. Only one thread may then write to the tree at a time.
    pub fn for_one_worker(self) -> Self {
        Self { access: Access::Alone, ..self }
    }

    /// True if only one worker writes to the tree.
    #[inline(always)]
    pub fn is_for_one_worker(&self) -> bool {
        self.access == Access::Alone
    }

    /// Returns the root.
    pub fn root(&self) -> NodeId {
        Self::ROOT
    }

    /// Returns the proven winner of the root, if any.
    #[inline]
    pub fn root_proof(&self) -> Option<Side> {
        self.node(Self::ROOT).proof()
    }

    /// Returns a node by its address.
    #[inline(always)]
    pub fn node(&self, id: NodeId) -> Node<'_> {
        let [value, visits, edge] = &self.words[id as usize..][..NODE as usize] else {
            unreachable!("three words")
        };
        Node { value, visits, edge, access: self.access }
    }

    #[inline(always)]
    fn word(&self, index: u32) -> &AtomicU64 {
        &self.words[index as usize]
    }

    /// Counts the root and the children of all expanded nodes, tried or not. Nodes expanded with a chunk are included
    /// when the chunk is [returned](Tree::return_chunk).
    pub fn len(&self) -> usize {
        self.growth.listed.load(Relaxed)
    }

    /// Returns the fraction of the memory in use, 0 to 1.
    pub fn filled(&self) -> f64 {
        self.growth.used.load(Relaxed) as f64 / self.words.len().max(1) as f64
    }

    /// True if the tree is the root alone.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// True if the memory is used up and no node can be expanded.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// Resets the tree to an unvisited root.
    pub fn clear(&mut self) {
        self.node(Self::ROOT).reset(Edge(0), 0);
        *self.growth = Growth::default();
        *self.full.get_mut() = false;
    }

    /// Returns the node after a move from the root, if it was tried.
    pub fn find_move(&self, mv: Move) -> Option<NodeId> {
        let child = |id, edge| self.tried(id).find(|(_, node)| node.edge() == edge).map(|(child, _)| child);
        child(Self::ROOT, Edge::whole(mv)).or_else(|| {
            let moved = child(Self::ROOT, Edge::movement(mv.movement()))?;
            child(moved, Edge::arrow(mv.arrow))
        })
    }
}
