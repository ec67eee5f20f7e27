//! Back-up: adds leaf values to the nodes on the path and propagates proofs towards the root.

use super::tree::{NodeId, REWARD_UNIT, Tree, squared_deviation};
use crate::board::square::Side;
use crate::eval::winrate::WinRate;

/// A node on the path from the root to a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The node.
    pub node: NodeId,
    /// The side that moved into the node; the node's rewards are counted for this side.
    pub mover: Side,
}

/// Sum of Black's rewards (leaf values), in units of 1/[`REWARD_UNIT`], and sum of their [`squared_deviation`]s.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rewards {
    /// Number of leaves, at most a few thousand: the sums cannot overflow.
    pub count: u32,
    black: u32,
    squares: u64,
}

impl Rewards {
    /// Returns the rewards of one leaf; `for_black` is Black's win rate there.
    #[inline]
    pub fn of(for_black: WinRate) -> Self {
        let black = (for_black.0 * REWARD_UNIT as f32) as u32;
        Self { count: 1, black, squares: squared_deviation(black) }
    }

    /// Returns the sum of rewards for `side`, in units of 1/[`REWARD_UNIT`]. A leaf value r for Black counts as 1 - r
    /// for White.
    #[inline]
    pub fn of_side(&self, side: Side) -> u32 {
        if side == Side::Black { self.black } else { self.count * REWARD_UNIT - self.black }
    }

    /// Adds the rewards of other leaves to these.
    #[inline]
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        self.black += other.black;
        self.squares += other.squares;
    }
}

/// Adds `rewards` to every node of the path. The visits were already counted during the descent.
#[inline]
pub fn add_rewards(tree: &Tree, path: &[Step], rewards: Rewards) {
    for step in path {
        tree.node(step.node).add_reward(rewards.of_side(step.mover));
        tree.add_deviations(step.node, rewards.count, rewards.squares);
    }
}

/// Backs up the proof of the path's last node (MCTS-Solver, Winands et al. 2008). A node is a win for the side to move
/// there if any child is, and a loss if all children are. Stops at the first unproven node.
pub fn back_up_proof(tree: &Tree, path: impl DoubleEndedIterator<Item = Step>) {
    let mut upwards = path.rev();
    let Some(mut child) = upwards.next() else { return };
    for parent in upwards {
        match tree.node(child.node).proof() {
            Some(winner) if winner == child.mover || all_children_lose(tree, parent.node, child.mover) => {
                tree.node(parent.node).prove(winner);
            }
            _ => return,
        }
        child = parent;
    }
}

/// True if the node is expanded and every child is a proven loss for `chooser`.
pub fn all_children_lose(tree: &Tree, id: NodeId, chooser: Side) -> bool {
    // Reads the family's address before the counts: an expansion publishes the counts first.
    let is_expanded = tree.is_expanded(id);
    let (count, tried) = tree.node(id).counts();
    is_expanded
        && count == tried
        && tree.tried(id).all(|(_, child)| child.proof() == Some(chooser.opponent()))
}
