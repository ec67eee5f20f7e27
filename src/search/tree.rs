//! The tree: storage and nothing else. It knows no formula and no rules.
//!
//! All lies in one arena of 64-bit words, claimed from the system as zeroed memory that costs nothing until
//! it is touched. A node is three words. When it is opened it gets a *family*: how much the values below it
//! differ, and the edges to all its children, half a word each, in the order in which they will be tried. A
//! child becomes a node when it is first tried: most never are. The nodes of a family lie in blocks, each twice
//! as large as the one before.
//!
//! ```text
//!   node    | value | children, visits | counts, edge |          counts: children, and how many were tried
//!                          |
//!                          +--> family  | next block | deviations | node 0 | node 1 | edge, edge | ... |
//!                                           |
//!                                           +--> block  | next block | node 2 | node 3 | node 4 | node 5 |
//! ```
//!
//! The first two nodes, the most visited where there are priors, lie beside the header: a descent finds all it
//! looks at first in one place.
//!
//! When the arena is full no node is opened any more. Then, and when a move is played, [`compact`] makes room: it
//! recycles the memory of what was visited least, or of all that did not happen.

mod compact;
mod edge;

pub use edge::{Edge, sort};

use crate::board::moves::Move;
use crate::board::square::Side;
use crossbeam_utils::CachePadded;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, Ordering::*};

/// Number of a node: that of its first word.
pub type NodeId = u32;

/// Words of a node.
const NODE: u32 = 3;
/// Words before the nodes of a family: the next block, and the deviations.
const HEADER: u32 = 2;
/// Nodes in the first block of a family.
const FIRST_BLOCK: u32 = 2;

/// The family of a node that has not been opened.
const UNOPENED: u32 = 0;
/// The family of a node that some thread is opening.
const OPENING: u32 = 1;
/// The first node that is really used, the root of a fresh tree.
const FIRST: NodeId = 2;

/// Rewards are added up as integers in this unit, so that the order of threads leaves no trace.
pub const REWARD_UNIT: u32 = 1 << 16;

/// One node. Every word is written by any worker at any time, except the edge and the number of children,
/// which are fixed before others can find them.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    /// Sum of rewards for the side that moved into this node.
    value: &'a AtomicU64,
    /// Lower half: descents through this node, those under way included. Until it is backed up a descent
    /// counts as a loss, which keeps other workers off its path (virtual loss). Upper half: the family, or one
    /// of the two states before there is one.
    visits: &'a AtomicU64,
    /// Lower half: the edge that leads here with its prior, and above it two bits, proven for Black and proven
    /// for White. Upper half: number of children, and above it how many of them have been tried.
    edge: &'a AtomicU64,
    access: Access,
}

/// How words are changed: by one worker alone, or so that what several do at once all counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    Alone,
    Shared,
}

impl Access {
    /// Adds to a word; returns what it was. A worker that is alone spares itself the bus lock, of which a
    /// descent would take two a level.
    #[inline(always)]
    fn add(self, word: &AtomicU64, amount: u64, order: Ordering) -> u64 {
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

/// One child tried, in the third word of a node.
const ONE_TRIED: u64 = 1 << 48;

impl Node<'_> {
    /// Descents that are counted at most, with room for those that are under way when there are as many.
    pub const MOST_VISITS: u32 = u32::MAX - (1 << 24);

    /// Makes a new node of the words.
    fn reset(&self, edge: Edge) {
        self.value.store(0, Relaxed);
        self.visits.store(0, Relaxed);
        self.edge.store(u64::from(edge.0), Relaxed);
    }

    /// The edge that leads here.
    #[inline]
    pub fn edge(&self) -> Edge {
        Edge(self.edge.load(Relaxed) as u32 & Edge::MASK)
    }

    /// The probability that it is the best of its family, see [`Edge::with_log_prior`].
    #[inline]
    pub fn prior(&self) -> f32 {
        Edge(self.edge.load(Relaxed) as u32).prior()
    }

    /// Descents through this node, those under way included.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed) as u32
    }

    /// Begins a descent through this node; returns how many began before. There must be fewer than
    /// [`Node::MOST_VISITS`] in all.
    #[inline]
    pub fn enter(&self) -> u32 {
        self.access.add(self.visits, 1, Relaxed) as u32
    }

    /// Counts descents through this node that are to begin below it, see [`super::worker`].
    #[inline]
    pub fn add_visits(&self, count: u32) {
        self.access.add(self.visits, u64::from(count), Relaxed);
    }

    /// Takes back those that did not.
    #[inline]
    pub fn take_visits(&self, count: u32) {
        self.access.add(self.visits, u64::from(count).wrapping_neg(), Relaxed);
    }

    /// Adds a reward, or several, for the side that moved here, in units of 1/[`REWARD_UNIT`].
    #[inline]
    pub fn add_reward(&self, reward: u32) {
        self.access.add(self.value, u64::from(reward), Relaxed);
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
        match self.edge.load(Relaxed) as u32 >> 30 {
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
        // What is counted as tried can be looked at.
        let counts = (self.edge.load(Acquire) >> 32) as u32;
        (counts & 0xffff, counts >> 16)
    }

    /// The family, or a state before there is one.
    #[inline]
    fn family(&self) -> u32 {
        (self.visits.load(Acquire) >> 32) as u32
    }

    /// Whether it has children to choose from.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.family() > OPENING
    }

    /// Puts another family, or state, in the place of one.
    fn set_family(&self, from: u32, to: u32) {
        self.access.add(self.visits, u64::from(to.wrapping_sub(from)) << 32, Release);
    }

    /// Makes an open node an unopened one. Only while no worker is at the tree.
    fn close(&self) {
        self.visits.store(self.visits.load(Relaxed) & u64::from(u32::MAX), Relaxed);
        self.edge.store(self.edge.load(Relaxed) & u64::from(u32::MAX), Relaxed);
    }
}

/// A tree in an arena of fixed capacity. The root is always the node [`Tree::root`].
pub struct Tree {
    words: Box<[AtomicU64]>,
    full: AtomicBool,
    access: Access,
    growth: CachePadded<Growth>,
}

/// How much of a tree there is. It changes all the time, and lies apart from what is only looked at.
#[derive(Debug)]
struct Growth {
    /// Words that are in use or allotted to a worker.
    used: AtomicU64,
    /// Children of all opened nodes, and the root.
    listed: AtomicUsize,
}

/// Of a tree that is its root alone.
impl Default for Growth {
    fn default() -> Self {
        Self { used: AtomicU64::new(u64::from(FIRST + NODE)), listed: AtomicUsize::new(1) }
    }
}

/// What one worker takes the words for its nodes from, so that workers seldom meet at [`Growth`] and do not write
/// side by side. [`Tree::end`] ends it, which must be done before the tree is cleared or compacted.
#[derive(Debug, Default)]
pub struct Allotment {
    words: Range<u32>,
    /// Children of the nodes that were opened with it.
    listed: usize,
}

impl Allotment {
    /// Words that are allotted at once.
    const WORDS: u32 = 1 << 12;
}

/// Squares of deviations, in the second word of a family: their sum in the lower bits, in units of so many
/// square units of a reward, and in those above how many they are.
const DEVIATION_UNIT: u64 = 1 << 10;
const DEVIATION_BITS: u32 = 42;
/// So many fill the lower bits at most, where each is a quarter.
const MOST_DEVIATIONS: u64 = 1 << 21;

/// The square of how far a reward is from one half, in units of 1/1024 square units of a reward. It is the same
/// for both sides.
#[inline]
pub fn squared_deviation(reward: u32) -> u64 {
    let deviation = i64::from(reward) - i64::from(REWARD_UNIT / 2);
    (deviation * deviation) as u64 / DEVIATION_UNIT
}

/// In the first word of a family: a worker is making a child of it a node.
const LOCKED: u64 = 1 << 63;

impl Tree {
    /// An empty tree that will never take more than about this many bytes.
    pub fn with_memory(bytes: usize) -> Self {
        let capacity = (bytes / size_of::<AtomicU64>()).clamp(1 << 13, u32::MAX as usize - 1);
        let mut words = Err(());
        let mut size = capacity;
        while words.is_err() {
            // A system that refuses this much gets asked for less.
            words = bytemuck::try_zeroed_slice_box(size);
            size /= 2;
        }
        let words = words.unwrap_or_else(|()| Box::new([]));
        Self { words, full: AtomicBool::new(false), access: Access::Shared, growth: Growth::default().into() }
    }

    /// The same tree for one worker alone, who is quicker then: only one thread may write to it at a time.
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
        FIRST
    }

    /// Who is proven to win from the root.
    #[inline]
    pub fn root_proof(&self) -> Option<Side> {
        self.node(FIRST).proof()
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

    /// Nodes of the tree that have been tried or may be: the children of every opened node. Of allotments that have
    /// not ended some are not counted yet.
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

    /// Whether the memory is used up, so that no node is opened any more.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.node(FIRST).reset(Edge(0));
        *self.growth = Growth::default();
        *self.full.get_mut() = false;
    }

    /// The children of a node that have been tried.
    #[inline(always)]
    pub fn tried(&self, id: NodeId) -> Tried<'_> {
        let node = self.node(id);
        let family = node.family();
        // Before it is open, the node's counts are those of no children or not to be trusted yet.
        let tried = if family > OPENING { node.counts().1 } else { 0 };
        Tried {
            tree: self,
            header: family,
            next: family + HEADER,
            in_block: tried.min(FIRST_BLOCK),
            beyond: tried.saturating_sub(FIRST_BLOCK),
            size: FIRST_BLOCK,
        }
    }

    /// Whether the node has children to choose from.
    #[inline]
    pub fn is_open(&self, id: NodeId) -> bool {
        self.node(id).is_open()
    }

    /// The prior of the next child that nobody has tried, if there is one and the node is open.
    #[inline]
    pub fn next_prior(&self, id: NodeId) -> Option<f32> {
        let node = self.node(id);
        let family = node.family();
        let (count, tried) = node.counts();
        (family > OPENING && tried < count).then(|| self.listed_edge(family, count, tried).prior())
    }

    /// The edge to a child, with its prior.
    #[inline]
    fn listed_edge(&self, family: u32, count: u32, place: u32) -> Edge {
        let pair = self.word(first_edge(family, count) + place / 2).load(Relaxed);
        Edge((pair >> (place % 2 * 32)) as u32)
    }

    /// The next child that nobody has tried, now claimed by the caller. `None` also when there is no room for
    /// it, or another worker is just claiming one.
    pub fn claim_untried(&self, id: NodeId, allotment: &mut Allotment) -> Option<NodeId> {
        let node = self.node(id);
        let family = node.family();
        let (count, tried) = node.counts();
        if family <= OPENING || tried == count || !self.lock(family) {
            return None;
        }
        let (_, tried) = node.counts();
        let claimed = if tried < count { self.place(family, count, tried, allotment) } else { None };
        if let Some(child) = claimed {
            self.node(child).reset(self.listed_edge(family, count, tried));
            self.access.add(node.edge, ONE_TRIED, Release);
        }
        self.unlock(family);
        claimed
    }

    /// Keeps other workers from claiming a child of this family; `false` if one is about to.
    #[inline(always)]
    fn lock(&self, family: u32) -> bool {
        self.access == Access::Alone || self.word(family).fetch_or(LOCKED, Acquire) & LOCKED == 0
    }

    #[inline(always)]
    fn unlock(&self, family: u32) {
        if self.access == Access::Shared {
            self.word(family).fetch_and(!LOCKED, Release);
        }
    }

    /// Where a child's node lies, or is to lie: makes room for it in a new block where that is needed. Only
    /// for who holds the lock.
    fn place(&self, family: u32, count: u32, place: u32, allotment: &mut Allotment) -> Option<NodeId> {
        let (mut header, mut first) = (family, family + HEADER);
        let (mut before, mut size) = (0, FIRST_BLOCK);
        while place >= before + size {
            before += size;
            size *= 2;
            let mut next = self.word(header).load(Relaxed) as u32;
            if next == 0 {
                next = self.take_words(1 + NODE * size.min(count - before), allotment)?;
                self.word(next).store(0, Relaxed);
                self.word(header).fetch_or(u64::from(next), Relaxed);
            }
            (header, first) = (next, next + 1);
        }
        Some(first + NODE * (place - before))
    }

    /// Takes words of an allotment, or of a new one; `None` when there are not so many left.
    fn take_words(&self, count: u32, allotment: &mut Allotment) -> Option<u32> {
        if (allotment.words.len() as u32) < count {
            // A worker that is alone goes on where the old one ended.
            self.end(std::mem::take(allotment));
            let words = self.claim_words(count.max(Allotment::WORDS)).or_else(|| self.claim_words(count));
            let Some(words) = words else {
                self.full.store(true, Relaxed);
                return None;
            };
            allotment.words = words;
        }
        let first = allotment.words.start;
        allotment.words.start += count;
        Some(first)
    }

    /// Claims words of the arena. What is in use never exceeds the arena, not for a moment: another worker would
    /// take it for the truth.
    fn claim_words(&self, count: u32) -> Option<Range<u32>> {
        let within = |first: u64| {
            let last = first + u64::from(count);
            (last <= self.words.len() as u64).then_some(last)
        };
        let first = self.growth.used.fetch_update(Relaxed, Relaxed, within).ok()? as u32;
        Some(first..first + count)
    }

    /// Ends an allotment: counts the children of nodes that were opened with it. What is left of it is returned if
    /// it was the last, and else lost until the tree is compacted.
    pub fn end(&self, allotment: Allotment) {
        let Allotment { words: Range { start, end }, listed } = allotment;
        self.growth.listed.fetch_add(listed, Relaxed);
        // Where it fails another allotment has begun behind this one.
        let _ = self.growth.used.compare_exchange(end.into(), start.into(), Relaxed, Relaxed);
    }

    /// Whether the caller may open the node: nobody has begun to. It must then call [`Tree::open`].
    pub fn begin_opening(&self, id: NodeId) -> bool {
        let unopened =
            |word: u64| (word >> 32 == u64::from(UNOPENED)).then_some(word | u64::from(OPENING) << 32);
        self.node(id).visits.fetch_update(Relaxed, Relaxed, unopened).is_ok()
    }

    /// Gives a node its children, to be tried in this order. `false` when there is no room; the node stays as
    /// it is.
    pub fn open(&self, id: NodeId, edges: &[Edge], allotment: &mut Allotment) -> bool {
        let node = self.node(id);
        let count = edges.len() as u32;
        let family = if count < 1 << 16 { self.take_words(family_words(count), allotment) } else { None };
        let Some(family) = family else {
            node.set_family(OPENING, UNOPENED);
            return false;
        };
        self.word(family).store(0, Relaxed);
        self.word(family + 1).store(0, Relaxed);
        for (word, pair) in (first_edge(family, count)..).zip(edges.chunks(2)) {
            let second = pair.get(1).map_or(0, |edge| edge.0);
            self.word(word).store(u64::from(pair[0].0) | u64::from(second) << 32, Relaxed);
        }
        allotment.listed += edges.len();
        self.access.add(node.edge, u64::from(count) << 32, Relaxed);
        node.set_family(OPENING, family);
        true
    }

    /// Notes how far so many rewards that passed this node, open or not, are from one half: the sum of what
    /// [`squared_deviation`] says of each.
    #[inline]
    pub fn add_deviations(&self, id: NodeId, count: u32, squares: u64) {
        let family = self.node(id).family();
        if family <= OPENING {
            return;
        }
        let word = self.word(family + 1);
        let deviations = word.load(Relaxed);
        if deviations >> DEVIATION_BITS < MOST_DEVIATIONS {
            // Where two workers meet, one of the two gets lost: this is a sample.
            word.store(deviations + (u64::from(count) << DEVIATION_BITS) + squares, Relaxed);
        }
    }

    /// How many rewards have passed a node since it was opened, up to some millions, and the sum of the squares
    /// of their distances from one half.
    #[inline]
    pub fn deviations(&self, id: NodeId) -> (u32, f32) {
        const SCALE: f32 = DEVIATION_UNIT as f32 / (REWARD_UNIT as f32 * REWARD_UNIT as f32);
        let family = self.node(id).family();
        if family <= OPENING {
            return (0, 0.0);
        }
        let deviations = self.word(family + 1).load(Relaxed);
        let sum = deviations & ((1 << DEVIATION_BITS) - 1);
        ((deviations >> DEVIATION_BITS) as u32, sum as i64 as f32 * SCALE)
    }

    /// The node after this move from the root, if it was tried.
    pub fn find_move(&self, mv: Move) -> Option<NodeId> {
        let child = |id, edge| self.tried(id).find(|(_, node)| node.edge() == edge).map(|(child, _)| child);
        child(FIRST, Edge::whole(mv)).or_else(|| {
            let moved = child(FIRST, Edge::movement(mv.movement()))?;
            child(moved, Edge::arrow(mv.arrow))
        })
    }
}

/// Words of a family with so many children, its first block included.
fn family_words(count: u32) -> u32 {
    HEADER + count.div_ceil(2) + NODE * count.min(FIRST_BLOCK)
}

/// The first edges of a family with so many children, which lie behind the nodes of its first block.
#[inline(always)]
fn first_edge(family: u32, count: u32) -> u32 {
    family + HEADER + NODE * count.min(FIRST_BLOCK)
}

/// The children of a node that have been tried, in the order of the family.
pub struct Tried<'a> {
    tree: &'a Tree,
    /// The block that [`Tried::next`] lies in.
    header: u32,
    next: NodeId,
    /// How many are still to come in this block, and in those after it.
    in_block: u32,
    beyond: u32,
    /// Nodes of this block, if it is a full one.
    size: u32,
}

impl<'a> Tried<'a> {
    /// Goes on to the next block when this one is over; `false` if there is none.
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

    /// Block by block: quicker than one by one.
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
