//! The search tree: nodes in one `Vec`, with a limit.
//!
//! The paper creates a node's children one by one, at random. Here the actions of a node are put into a random order,
//! and its children are tried in this order: a *tried* child is one that the paper has created. The children lie side
//! by side, the tried ones first, in a block of 2, 4, 8 ... nodes. When all nodes of the block have been tried, the
//! children move to a block of twice the size. So a block has at most as many untried nodes as tried ones, and
//! BESTCHILD reads one slice.

use crate::board::moves::Move;
use crate::board::square::Square;
use crate::board::state::Action;
use crate::limits::Resources;

/// Index of a node in the tree.
pub type NodeId = u32;

/// A node of the tree.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Action that leads from the parent to this node; meaningless at the root.
    pub action: Action,
    /// N(v): number of visits.
    pub visits: u32,
    /// Q(v): sum of the rewards, 0 to 1 each, of the side that chose [`Self::action`].
    pub reward: f64,
    /// X of the selection formula: `Q / N`, or infinity for a movement without tried arrows (section 3.2).
    pub x: f32,
    /// `1 / sqrt(N)`.
    pub inverse_sqrt_visits: f32,
    /// Address of the block of children.
    first: NodeId,
    /// Number of children, tried or not; 0 before the first is tried.
    children: u16,
    /// Number of children that have been tried.
    tried: u16,
}

/// A tree of limited size.
pub struct Tree {
    nodes: Vec<Node>,
    /// Maximum number of nodes.
    limit: usize,
    /// Addresses of the blocks that are free again, by log2 of their size.
    free: [Vec<NodeId>; 17],
    /// Number of children of all nodes, tried or not.
    children: usize,
    is_full: bool,
}

impl Node {
    fn new(action: Action) -> Self {
        Self {
            action,
            visits: 0,
            reward: 0.0,
            x: 0.0,
            inverse_sqrt_visits: 0.0,
            first: 0,
            children: 0,
            tried: 0,
        }
    }

    /// Returns the mean reward; 1/2 before the first visit.
    pub fn mean(&self) -> f32 {
        if self.visits == 0 { 0.5 } else { (self.reward / f64::from(self.visits)) as f32 }
    }

    /// Returns the number of tried children.
    pub fn tried(&self) -> usize {
        self.tried.into()
    }

    /// Returns the number of children, tried or not; 0 before the first is tried.
    pub fn children(&self) -> usize {
        self.children.into()
    }

    /// True if the node has children and all of them have been tried.
    pub fn is_fully_expanded(&self) -> bool {
        self.children > 0 && self.tried == self.children
    }

    /// Returns the size of the block of children.
    fn block(&self) -> usize {
        if self.tried == 0 { 0 } else { self.tried().next_power_of_two().max(2) }
    }
}

impl Tree {
    /// The root.
    pub const ROOT: NodeId = 0;

    /// Placeholder at the root, and in blocks that are larger than the number of children.
    const NO_ACTION: Action = Action::Arrow(Square::from_index(0));

    /// Creates a tree with only a root. `bytes` limits its memory, clamped to the range of [`Resources::MEMORY`], or to
    /// less if the system refuses that much.
    pub fn with_memory(bytes: usize) -> Self {
        let mut limit = Resources::clamp_memory(bytes) / size_of::<Node>();
        let mut nodes = Vec::new();
        // Reserved memory is used only when the tree grows.
        while nodes.try_reserve_exact(limit).is_err() {
            limit /= 2;
        }
        let mut tree = Self { nodes, limit, free: Default::default(), children: 0, is_full: false };
        tree.clear();
        tree
    }

    /// Drops all nodes but an unvisited root.
    pub fn clear(&mut self) {
        self.replace_by(&[Node::new(Self::NO_ACTION)]);
    }

    fn replace_by(&mut self, nodes: &[Node]) {
        self.nodes.clear();
        self.nodes.extend_from_slice(nodes);
        self.free.iter_mut().for_each(Vec::clear);
        self.children = nodes.iter().map(|node| usize::from(node.children)).sum();
        self.is_full = false;
    }

    /// Returns the node at an address; panics if the tree has fewer nodes.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Like [`Self::node`], for a change.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// Returns the tried children of a node, in the order in which they were tried.
    pub fn tried(&self, id: NodeId) -> &[Node] {
        let node = self.node(id);
        &self.nodes[node.first as usize..][..node.tried()]
    }

    /// Returns child `number` of a node, counted from 0.
    pub fn child(&self, id: NodeId, number: usize) -> NodeId {
        self.node(id).first + number as NodeId
    }

    /// Adds the next child of a node to the tried ones. `list` must list the actions of all children, in the same order
    /// each time; it is called only if the children need a larger block. `None` without actions or memory.
    pub fn try_next<'a>(&mut self, id: NodeId, list: impl FnOnce() -> &'a [Action]) -> Option<NodeId> {
        let node = *self.node(id);
        if node.tried() == node.block() {
            let actions = list();
            if actions.is_empty() {
                return None;
            }
            self.move_to_larger_block(id, actions)?;
        }
        self.node_mut(id).tried += 1;
        Some(self.child(id, node.tried()))
    }

    fn move_to_larger_block(&mut self, id: NodeId, actions: &[Action]) -> Option<()> {
        let node = *self.node(id);
        let size = (2 * node.block()).max(2);
        let first = self.take_block(size)?;
        let from = node.first as usize;
        self.nodes.copy_within(from..from + node.tried(), first as usize);
        for place in node.tried()..size {
            let action = actions.get(place).copied().unwrap_or(Self::NO_ACTION);
            self.nodes[first as usize + place] = Node::new(action);
        }
        if node.tried == 0 {
            self.children += actions.len();
        } else {
            self.free[node.block().ilog2() as usize].push(node.first);
        }
        let owner = self.node_mut(id);
        (owner.first, owner.children) = (first, actions.len() as u16);
        Some(())
    }

    /// Returns the address of a free block; `None` if the tree is full.
    fn take_block(&mut self, size: usize) -> Option<NodeId> {
        let free = self.free[size.ilog2() as usize].pop();
        let first = self.nodes.len();
        self.is_full = free.is_none() && first + size > self.limit;
        if let Some(free) = free {
            return Some(free);
        }
        if self.is_full {
            return None;
        }
        self.nodes.resize(first + size, Node::new(Self::NO_ACTION));
        Some(first as NodeId)
    }

    /// Drops all nodes but `id` and those below it; `id` becomes the root.
    pub fn keep_only(&mut self, id: NodeId) {
        let mut kept = vec![*self.node(id)];
        let mut next = 0;
        while next < kept.len() {
            let from = kept[next].first as usize;
            let block = from..from + kept[next].block();
            kept[next].first = kept.len() as NodeId;
            kept.extend_from_slice(&self.nodes[block]);
            next += 1;
        }
        self.replace_by(&kept);
    }

    /// Returns the node after a move from the root; `None` if the move has not been tried.
    pub fn find_move(&self, mv: Move) -> Option<NodeId> {
        let child = |id, action| {
            let number = self.tried(id).iter().position(|child| child.action == action)?;
            Some(self.child(id, number))
        };
        child(Self::ROOT, Action::Move(mv)).or_else(|| {
            let moved = child(Self::ROOT, Action::Movement(mv.movement()))?;
            child(moved, Action::Arrow(mv.arrow))
        })
    }

    /// Returns the number of nodes: the root and all children of expanded nodes, tried or not.
    pub fn count(&self) -> usize {
        1 + self.children
    }

    /// True if the tree had no memory for the block requested last.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the fraction of the memory in use, 0 to 1.
    pub fn filled(&self) -> f64 {
        self.nodes.len() as f64 / self.limit as f64
    }
}
