//! The tree: stores the nodes; contains no formulas and no rules of the game.
//!
//! All nodes lie in one `arena` of 64-bit words, allocated as zeroed pages that take no memory until they are touched.
//! A `node` is three words. Expansion gives the node a `family`: blocks of children in the order in which they are
//! tried, each block about twice as large as the one before. Only tried children and the next few take memory.
//!
//! ```text
//!   node    | proof, value | family, visits | counts, edge |   counts: children, and how many were tried
//!                               |
//!                               +--> family  | owner, next block | variance | node 0 | node 1 |
//!                                                        |
//!                                                        +--> block  | owner, next block | node 2 | ... | node 6 |
//! ```
//!
//! The first cache line of a family holds the first two children. With priors, these are usually the most visited ones,
//! so a descent reads about one line per level.
//!
//! When the arena is full, no node can be expanded. `recycle` frees memory: it prunes the least-visited nodes and,
//! after a move is played, the subtrees of the other moves.
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
//! | node: prior | the holder of the parent's lock, `fetch_update` | Relaxed | a stale one shifts one selection |
//! | block: link to the next | the lock's holder | Relaxed | published by the counts |
//! | family: variance | any worker, load and store | Relaxed | an estimate tolerates a lost update |
//! | arena: `full` | any worker | Relaxed | a stale value only delays the end of a run |
//!
//! A mutex protects the arena's list of pages; a worker locks the mutex about once per hundred expansions. Recycling
//! takes `&mut Tree`, so no worker runs at the same time. With one worker ([`Tree::for_one_worker`]), plain loads and
//! stores replace atomic additions and node locks.

mod arena;
mod edge;
mod evacuate;
mod family;
mod node;
mod recycle;

pub use arena::ArenaChunk;
pub use edge::{Edge, put_first, sort, sort_first};
pub use family::{Tried, squared_deviation};
pub use node::{Node, NodeId, REWARD_UNIT};

use crate::board::moves::Move;
use crate::board::square::Side;
use arena::Pool;
use crossbeam_utils::CachePadded;
use node::{Access, NODE};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A tree in an arena of fixed capacity. The root is always the node [`Tree::root`].
pub struct Tree {
    words: Box<[AtomicU64]>,
    /// Index of the first page's first word.
    first_page: u32,
    full: AtomicBool,
    access: Access,
    pool: CachePadded<Mutex<Pool>>,
}

impl Tree {
    /// Address of the root. As the address of a family, 0 means "no family".
    const ROOT: NodeId = 1;

    /// Creates a tree with only a root. Its memory is limited to about `bytes` bytes, clamped to the range of
    /// [`Resources::MEMORY`](crate::Resources::MEMORY), or to less if the system refuses that much.
    pub fn with_memory(bytes: usize) -> Self {
        let words = arena::zeroed_words(bytes);
        Self {
            first_page: arena::first_page(&words),
            words,
            full: AtomicBool::new(false),
            access: Access::Shared,
            pool: CachePadded::default(),
        }
    }

    /// Makes the tree use plain loads and stores instead of atomic updates: faster, but for one writing thread only.
    pub fn for_one_worker(self) -> Self {
        Self { access: Access::Alone, ..self }
    }

    /// True if only one worker writes to the tree.
    #[inline(always)]
    pub fn is_for_one_worker(&self) -> bool {
        self.access == Access::Alone
    }

    /// Returns the address of the root.
    pub fn root(&self) -> NodeId {
        Self::ROOT
    }

    /// Returns the proven winner of the root, if any.
    #[inline]
    pub fn root_proof(&self) -> Option<Side> {
        self.node(Self::ROOT).proof()
    }

    /// Returns the node at an address.
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

    /// Returns the number of nodes: the root and all children of expanded nodes, visited or not. Children created
    /// through a worker's [`ArenaChunk`] are counted once the chunk is [returned](Tree::return_chunk); nodes cut off by
    /// [`Tree::keep_only`], until they are recycled.
    pub fn len(&self) -> usize {
        1 + self.pool().listed
    }

    /// Returns the fraction of the memory in use, 0 to 1. Subtrees cut off by [`Tree::keep_only`] count as used until
    /// they are recycled.
    pub fn filled(&self) -> f64 {
        self.pool().used as f64 / (self.capacity() * arena::PAGE as usize) as f64
    }

    /// True if the tree has only a root.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// True if the free slots of one size have run out; no node can then be expanded until [`Tree::recycle`].
    #[inline]
    pub fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// Resets the tree to an unvisited root.
    pub fn clear(&mut self) {
        self.node(Self::ROOT).reset(Edge(0));
        *self.pool() = Pool::default();
        *self.full.get_mut() = false;
    }

    /// Returns the node after a move from the root; `None` if the move has not been tried.
    pub fn find_move(&self, mv: Move) -> Option<NodeId> {
        let child = |id, edge| self.tried(id).find(|(_, node)| node.edge() == edge).map(|(child, _)| child);
        child(child(Self::ROOT, Edge::movement(mv.movement()))?, Edge::arrow(mv.arrow))
    }
}
