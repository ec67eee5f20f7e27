//! The tree: storage and nothing else. It knows no formula and no rules.
//!
//! All nodes lie in one arena, claimed from the system as zeroed memory that costs nothing until it is
//! touched. The children of a node are contiguous and made together, in random order, when the node is
//! opened; the first `tried` of them have been visited.
//!
//! ```text
//!   node   | value 8 | visits 4 | children 4 | edge 4 | counts 4 |   24 bytes, all atomic
//!                                  |
//!                                  +--> child 0 | child 1 | ... | child n-1      (n = counts, low half)
//!                                       '------ tried ------'                    (counts, high half)
//! ```
//!
//! When the arena is full no node is opened any more and the search goes on with those there are.

use crate::board::moves::{Move, Movement};
use crate::board::square::{Side, Square};
use bytemuck::Zeroable;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};

/// Number of a node in the arena.
pub type NodeId = u32;

/// `children` of a node that has not been opened.
const UNOPENED: u32 = 0;
/// `children` of a node that some thread is opening.
const OPENING: u32 = 1;
/// The first node that is really used, the root of a fresh tree.
const FIRST: NodeId = 2;

/// Rewards are added up as integers in this unit, so that the order of threads leaves no trace.
pub const REWARD_UNIT: u32 = 1 << 16;

/// A step from a node to a child: a movement, an arrow, or both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge(u32);

impl Edge {
    const NONE: u32 = 127;

    fn new(from: u32, to: u32, arrow: u32) -> Self {
        Self(from | to << 7 | arrow << 14)
    }

    /// The first half of a move.
    pub fn movement(m: Movement) -> Self {
        Self::new(m.from.index() as u32, m.to.index() as u32, Self::NONE)
    }

    /// The second half of a move.
    pub fn arrow(square: Square) -> Self {
        Self::new(Self::NONE, Self::NONE, square.index() as u32)
    }

    /// A whole move.
    pub fn whole(mv: Move) -> Self {
        Self::new(mv.from.index() as u32, mv.to.index() as u32, mv.arrow.index() as u32)
    }

    /// The movement that this edge is or contains, if any.
    #[inline]
    pub fn as_movement(self) -> Option<Movement> {
        let (from, to) = (self.0 & 127, self.0 >> 7 & 127);
        let square = |index| Square::from_index(index as usize);
        (from != Self::NONE).then(|| Movement { from: square(from), to: square(to) })
    }

    /// The arrow that this edge is or contains, if any.
    #[inline]
    pub fn as_arrow(self) -> Option<Square> {
        let arrow = self.0 >> 14 & 127;
        (arrow != Self::NONE).then(|| Square::from_index(arrow as usize))
    }

    const MASK: u32 = (1 << 21) - 1;

    /// The same edge with the probability that it is the best of its family, given as its natural logarithm.
    /// It is kept in nine bits, to one part in fifty and down to 1/30,000, and is no part of what the edge is.
    #[inline]
    pub fn with_log_prior(self, log_probability: f32) -> Self {
        let code = (-log_probability * PRIOR_STEPS + 0.5) as u32;
        Self(self.0 & Self::MASK | code.min(PRIOR_CODES - 1) << 21)
    }
}

/// Codes of a prior: code `k` is `exp(-k / PRIOR_STEPS)`.
const PRIOR_CODES: u32 = 512;
const PRIOR_STEPS: f32 = 50.0;

static PRIORS: LazyLock<[f32; PRIOR_CODES as usize]> =
    LazyLock::new(|| std::array::from_fn(|code| libm::expf(-(code as f32) / PRIOR_STEPS)));

/// One node. Every field is written by any worker at any time, except `edge` and the number of children,
/// which are fixed before the node can be found.
#[derive(Zeroable)]
pub struct Node {
    /// Sum of rewards for the side that moved into this node.
    value: AtomicU64,
    /// Descents through this node, those under way included: until it is backed up a descent counts as
    /// a loss, which keeps other workers off its path (virtual loss).
    visits: AtomicU32,
    /// The first child, or one of the two states before there is one.
    children: AtomicU32,
    /// The edge that leads here with its prior, and above it two bits: proven for Black, proven for White.
    edge: AtomicU32,
    /// Number of children, and how many of them have been tried, in the upper half.
    counts: AtomicU32,
}

const _: () = assert!(size_of::<Node>() == 24);

impl Node {
    fn reset(&mut self, edge: Edge) {
        *self = Self { edge: AtomicU32::new(edge.0), ..Zeroable::zeroed() };
    }

    /// The edge that leads here.
    #[inline]
    pub fn edge(&self) -> Edge {
        Edge(self.edge.load(Relaxed) & Edge::MASK)
    }

    /// The probability that it is the best of its family, see [`Edge::with_log_prior`].
    #[inline]
    pub fn prior(&self) -> f32 {
        PRIORS[(self.edge.load(Relaxed) >> 21) as usize & (PRIOR_CODES as usize - 1)]
    }

    /// Descents through this node, those under way included.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Begins a descent through this node; returns how many began before.
    #[inline]
    pub fn enter(&self) -> u32 {
        self.visits.fetch_add(1, Relaxed)
    }

    /// Adds a reward for the side that moved here, in units of 1/[`REWARD_UNIT`].
    #[inline]
    pub fn add_reward(&self, reward: u32) {
        self.value.fetch_add(u64::from(reward), Relaxed);
    }

    /// The mean reward of the side that moved here, over this many visits.
    #[inline]
    pub fn mean(&self, visits: u32) -> f32 {
        // Signed numbers turn into floating point in one instruction, unsigned ones do not.
        self.value.load(Relaxed) as i64 as f32 / (visits as f32 * REWARD_UNIT as f32)
    }

    /// The side that is proven to win from here, if that is known.
    #[inline]
    pub fn proof(&self) -> Option<Side> {
        match self.edge.load(Relaxed) >> 30 {
            0 => None,
            1 => Some(Side::Black),
            _ => Some(Side::White),
        }
    }

    /// Records that this side wins from here.
    pub fn prove(&self, winner: Side) {
        self.edge.fetch_or(1 << (30 + winner.index()), Relaxed);
    }

    /// Number of children and how many of them were tried; both 0 before the node is opened.
    #[inline]
    pub fn counts(&self) -> (u32, u32) {
        let counts = self.counts.load(Relaxed);
        (counts & 0xffff, counts >> 16)
    }

    /// Claims the next untried child for the caller: its place among the children.
    #[inline]
    fn claim_untried(&self) -> Option<u32> {
        let claim = |counts: u32| (counts >> 16 < counts & 0xffff).then(|| counts + (1 << 16));
        self.counts.fetch_update(Relaxed, Relaxed, claim).ok().map(|before| before >> 16)
    }
}

/// A tree in an arena of fixed capacity. The root is always the node [`Tree::root`].
pub struct Tree {
    nodes: Box<[Node]>,
    used: AtomicU32,
    full: AtomicBool,
}

impl Tree {
    /// An empty tree that will never take more than about this many bytes.
    pub fn with_memory(bytes: usize) -> Self {
        let capacity = (bytes / size_of::<Node>()).clamp(1 << 12, u32::MAX as usize - 1);
        let mut nodes = Err(());
        let mut size = capacity;
        while nodes.is_err() {
            // A system that refuses this much gets asked for less.
            nodes = bytemuck::try_zeroed_slice_box(size);
            size /= 2;
        }
        let nodes = nodes.unwrap_or_else(|()| Box::new([]));
        Self { nodes, used: AtomicU32::new(FIRST + 1), full: AtomicBool::new(false) }
    }

    /// The root.
    pub fn root(&self) -> NodeId {
        FIRST
    }

    /// Who is proven to win from the root.
    #[inline]
    pub fn root_proof(&self) -> Option<Side> {
        self.node(FIRST).proof()
    }

    /// A node by its number.
    #[inline(always)]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Nodes of the tree that have been visited or may be: the children of every opened node.
    pub fn len(&self) -> usize {
        (self.used.load(Relaxed) - FIRST) as usize
    }

    /// Nodes there is room for.
    pub fn capacity(&self) -> usize {
        self.nodes.len() - FIRST as usize
    }

    /// Whether only the root is there.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// Whether the memory is used up, so that no node is opened any more.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.nodes[FIRST as usize].reset(Edge(0));
        *self.used.get_mut() = FIRST + 1;
        *self.full.get_mut() = false;
    }

    /// The children of a node that have been tried.
    #[inline]
    pub fn tried(&self, id: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
        let node = self.node(id);
        let first = node.children.load(Acquire);
        // Before it is open, the node's counts are those of no children or not to be trusted yet.
        let tried = if first > OPENING { node.counts().1 } else { 0 };
        (first..first + tried).map(|child| (child, self.node(child)))
    }

    /// Whether the node has children to choose from.
    #[inline]
    pub fn is_open(&self, id: NodeId) -> bool {
        self.node(id).children.load(Acquire) > OPENING
    }

    /// The next child that nobody has tried, if there is one and the node is open.
    #[inline]
    pub fn next_untried(&self, id: NodeId) -> Option<&Node> {
        let node = self.node(id);
        let first = node.children.load(Acquire);
        let (count, tried) = node.counts();
        (first > OPENING && tried < count).then(|| self.node(first + tried))
    }

    /// The next child that nobody has tried, now claimed by the caller.
    #[inline]
    pub fn claim_untried(&self, id: NodeId) -> Option<NodeId> {
        let node = self.node(id);
        node.claim_untried().map(|place| node.children.load(Relaxed) + place)
    }

    /// Whether the caller may open the node: nobody has begun to. It must then call [`Tree::open`].
    pub fn begin_opening(&self, id: NodeId) -> bool {
        self.node(id).children.compare_exchange(UNOPENED, OPENING, Relaxed, Relaxed).is_ok()
    }

    /// Gives a node its children, in this order. `false` when there is no room; the node stays as it is.
    pub fn open(&self, id: NodeId, edges: &[Edge]) -> bool {
        let node = self.node(id);
        let count = edges.len() as u32;
        let room = |used: u32| {
            used.checked_add(count).filter(|&end| count < 1 << 16 && end as usize <= self.nodes.len())
        };
        let Ok(first) = self.used.fetch_update(Relaxed, Relaxed, room) else {
            self.full.store(true, Relaxed);
            node.children.store(UNOPENED, Relaxed);
            return false;
        };
        for (child, edge) in (first..).zip(edges) {
            let child = self.node(child);
            child.value.store(0, Relaxed);
            child.visits.store(0, Relaxed);
            child.children.store(UNOPENED, Relaxed);
            child.edge.store(edge.0, Relaxed);
            child.counts.store(0, Relaxed);
        }
        node.counts.store(count, Relaxed);
        node.children.store(first, Release);
        true
    }

    /// The node after this move from the root, if it was tried.
    pub fn find_move(&self, mv: Move) -> Option<NodeId> {
        let child = |id, edge| self.tried(id).find(|(_, node)| node.edge() == edge).map(|(child, _)| child);
        child(FIRST, Edge::whole(mv)).or_else(|| {
            let moved = child(FIRST, Edge::movement(mv.movement()))?;
            child(moved, Edge::arrow(mv.arrow))
        })
    }

    /// Makes this node the root, keeps what is below it, and recycles the memory of all the rest.
    pub fn keep_only(&mut self, root: NodeId) {
        self.nodes.swap(FIRST as usize, root as usize);
        let mut families = self.families_below(FIRST);
        // Every family slides down over what is dropped before it; ascending order makes that safe.
        families.sort_unstable_by_key(|family| family.first);
        let mut used = FIRST + 1;
        for family in &mut families {
            family.moved_to = used;
            for offset in 0..family.count {
                self.nodes.swap((used + offset) as usize, (family.first + offset) as usize);
            }
            used += family.count;
        }
        let moved = |first: u32| match families.binary_search_by_key(&first, |family| family.first) {
            Ok(found) => families[found].moved_to,
            Err(_) => first,
        };
        for node in &mut self.nodes[FIRST as usize..used as usize] {
            let children = node.children.get_mut();
            *children = moved(*children);
        }
        *self.used.get_mut() = used;
        *self.full.get_mut() = false;
    }

    /// The groups of siblings in the subtree of a node.
    fn families_below(&mut self, root: NodeId) -> Vec<Family> {
        let mut families = Vec::new();
        let mut to_visit = vec![root];
        while let Some(id) = to_visit.pop() {
            let node = self.node(id);
            let (first, (count, tried)) = (node.children.load(Relaxed), node.counts());
            if first > OPENING {
                families.push(Family { first, count, moved_to: first });
                to_visit.extend(first..first + tried);
            }
        }
        families
    }
}

/// The children of one node, and where they move to.
struct Family {
    first: NodeId,
    count: u32,
    moved_to: NodeId,
}
