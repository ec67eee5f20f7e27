//! The tree: storage and nothing else. It knows no formula and no rules.
//!
//! All lies in one `arena` of 64-bit words, taken from the system as zeroed pages that cost nothing until they
//! are touched. A `node` is three words. Expansion gives it a `family`: the edges (`edge`) to all its children in the
//! order in which they will be tried, half a word each. A child becomes a node when it is first tried; most never
//! are. The nodes of a family lie in blocks, each twice as large as the one before.
//!
//! ```text
//!   node    | proof, value | family, visits | counts, edge |   counts: children, and how many were tried
//!                               |
//!                               +--> family  | next block | variance | node 0 | node 1 | edge, edge | ... |
//!                                                |
//!                                                +--> block  | next block | node 2 | node 3 | node 4 | node 5 |
//! ```
//!
//! The first two nodes, the most visited where there are priors, lie beside the header: a descent finds what it
//! reads first in one or two cache lines.
//!
//! When the arena is full no node is expanded any more. Then, and when a move is played, `compact` frees what was
//! visited least, or what did not happen.

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
    /// The first node. 0 is the family of a node without one.
    const ROOT: NodeId = 1;

    /// An empty tree that will never take more than about this many bytes, from 64 KiB to 32 GiB, and fewer where the
    /// system refuses them.
    pub fn with_memory(bytes: usize) -> Self {
        let words = arena::zeroed_words(bytes);
        Self { words, full: AtomicBool::new(false), access: Access::Shared, growth: Growth::default().into() }
    }

    /// The same tree for a single worker, which is quicker: only one thread may write to it at a time.
    pub fn for_one_worker(self) -> Self {
        Self { access: Access::Alone, ..self }
    }

    /// Whether only one worker writes to it.
    #[inline(always)]
    pub fn is_for_one_worker(&self) -> bool {
        self.access == Access::Alone
    }

    /// The root.
    pub fn root(&self) -> NodeId {
        Self::ROOT
    }

    /// Who is proven to win from the root.
    #[inline]
    pub fn root_proof(&self) -> Option<Side> {
        self.node(Self::ROOT).proof()
    }

    /// A node by its number.
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

    /// The root and the children of all expanded nodes, tried or not. Those expanded with a chunk count when it
    /// [goes back](Tree::return_chunk).
    pub fn len(&self) -> usize {
        self.growth.listed.load(Relaxed)
    }

    /// The part of the memory that is in use, 0 to 1.
    pub fn filled(&self) -> f64 {
        self.growth.used.load(Relaxed) as f64 / self.words.len().max(1) as f64
    }

    /// Whether only the root is there.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// Whether the memory is used up, so that no node is expanded any more.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.node(Self::ROOT).reset(Edge(0), 0);
        *self.growth = Growth::default();
        *self.full.get_mut() = false;
    }

    /// The node after this move from the root, if it was tried.
    pub fn find_move(&self, mv: Move) -> Option<NodeId> {
        let child = |id, edge| self.tried(id).find(|(_, node)| node.edge() == edge).map(|(child, _)| child);
        child(Self::ROOT, Edge::whole(mv)).or_else(|| {
            let moved = child(Self::ROOT, Edge::movement(mv.movement()))?;
            child(moved, Edge::arrow(mv.arrow))
        })
    }
}
