//! Algorithm 3 of the MG-PEO paper, function by function: Selection, Expansion, Backup and BESTCHILD. Its Simulation is
//! [`super::simulation`], its Rollout [`super::rollout`].

use super::PaperSearch;
use super::params::{Formula, PaperParams};
use super::tree::{Node, NodeId, Tree};
use crate::board::moves::Move;
use crate::board::square::Side;
use crate::board::state::{Action, State};
use crate::eval::winrate::WinRate;
use crate::seed::mix_seed;
use fastrand::Rng;

/// A node on the path from the root.
#[derive(Clone, Copy)]
pub struct PathNode {
    /// Address of the node.
    pub node: NodeId,
    /// The side that chose the node's action, for which its rewards count.
    pub mover: Side,
}

impl PaperSearch {
    /// One iteration (algorithm 1, lines 4 to 7).
    pub(super) fn iterate(&mut self) {
        let state = self.selection();
        let state = self.expansion(state);
        let for_black = self.simulator.simulation(&state);
        self.backup(for_black);
        self.depth = self.depth.max(self.path.len() - 1);
    }

    /// Selection (lines 1 to 7): descends from the root while the node is fully expanded, which a node without children
    /// never is. Returns the state at the last node of the path.
    pub fn selection(&mut self) -> State {
        let mut state = State::ToMove(self.root.position);
        let mut v = Tree::ROOT;
        self.path.clear();
        self.path.push(PathNode { node: v, mover: state.chooser().opponent() });
        while self.tree.node(v).is_fully_expanded() {
            v = self.best_child(v);
            self.path.push(PathNode { node: v, mover: state.chooser() });
            state = state.after(self.tree.node(v).action);
        }
        state
    }

    /// Expansion (lines 8 to 14): creates a random child of the path's last node (see [`tree`](super::tree)), appends the
    /// child to the path and returns the state there. Returns `state` if the game is over or the tree is full.
    pub fn expansion(&mut self, state: State) -> State {
        let Some(&PathNode { node: v, .. }) = self.path.last() else { return state };
        if state.winner().is_some() {
            return state;
        }
        // Excluded moves start at the root. In move groups, their movements leave the root, their arrows its children.
        let excluded = if self.path.len() <= 2 { &self.root.excluded[..] } else { &[] };
        let Self { tree, actions, params, seed, .. } = self;
        let child = tree.try_next(v, || {
            list_actions(&state, params, excluded, *seed, actions);
            actions
        });
        let Some(child) = child else { return state };
        self.path.push(PathNode { node: child, mover: state.chooser() });
        state.after(self.tree.node(child).action)
    }

    /// Backup (lines 35 to 38) of Black's reward to all nodes of the path, from the root down instead of from the leaf
    /// up.
    pub fn backup(&mut self, for_black: WinRate) {
        for &PathNode { node: v, mover } in &self.path {
            let is_full = self.tree.is_full();
            let node = self.tree.node_mut(v);
            let reward = if mover == Side::Black { for_black } else { !for_black };
            node.visits = node.visits.saturating_add(1);
            node.reward += f64::from(reward.0);
            // A movement's score is infinite until one of its arrows has been tried (section 3.2).
            let waits = matches!(node.action, Action::Movement(_)) && node.tried() == 0 && !is_full;
            node.x = if waits { f32::INFINITY } else { node.mean() };
            node.inverse_sqrt_visits = 1.0 / (node.visits as f32).sqrt();
        }
    }

    /// BESTCHILD (lines 39 and 40): returns the child with the highest score, the first of equal ones.
    fn best_child(&self, v: NodeId) -> NodeId {
        let log_visits = libm::logf(self.tree.node(v).visits as f32);
        let children = self.tree.tried(v);
        let best = match self.params.formula {
            Formula::Uct { c } => best_by_uct(children, c * (2.0 * log_visits).sqrt()),
            Formula::Ucb1Tuned => best_by_ucb1_tuned(children, log_visits),
        };
        self.tree.child(v, best)
    }
}

/// Returns the number of the child with the highest `X + factor / sqrt(n)`; `factor` is `c * sqrt(2 * ln N)`.
fn best_by_uct(children: &[Node], factor: f32) -> usize {
    let (mut best, mut highest) = (0, f32::NEG_INFINITY);
    for (number, child) in children.iter().enumerate() {
        let score = child.x + factor * child.inverse_sqrt_visits;
        if score > highest {
            (best, highest) = (number, score);
        }
    }
    best
}

/// Returns the number of the child with the highest `X + sqrt(ln N / n * min(1/4, X - X^2 + sqrt(2 * ln N / n)))`.
fn best_by_ucb1_tuned(children: &[Node], log_visits: f32) -> usize {
    let (mut best, mut highest) = (0, f32::NEG_INFINITY);
    // The minimum is at most 1/4, so the exploration term is at most `max_factor / sqrt(n)`.
    let max_factor = 0.5 * log_visits.sqrt();
    for (number, child) in children.iter().enumerate() {
        // This upper bound of the score costs no square root.
        if child.x + max_factor * child.inverse_sqrt_visits <= highest {
            continue;
        }
        let (mean, ratio) = (child.x, log_visits * child.inverse_sqrt_visits * child.inverse_sqrt_visits);
        let variance = (mean - mean * mean + (2.0 * ratio).sqrt()).min(0.25);
        let score = mean + (ratio * variance).sqrt();
        if score > highest {
            (best, highest) = (number, score);
        }
    }
    best
}

/// Lists the actions of a state in a random order, determined by `seed`, the state and `excluded`. Omits the actions
/// whose moves are all `excluded`, unless no other action is left.
fn list_actions(
    state: &State,
    params: &PaperParams,
    excluded: &[Move],
    seed: u64,
    actions: &mut Vec<Action>,
) {
    actions.clear();
    match state {
        State::ToMove(position) if params.move_groups => {
            actions.extend(position.movements().map(Action::Movement));
        }
        State::ToMove(position) => actions.extend(position.legal_moves().map(Action::Move)),
        State::ToShoot(arrow_phase) => {
            actions.extend(arrow_phase.arrow_targets().into_iter().map(Action::Arrow));
        }
    }
    if !excluded.is_empty() && actions.iter().any(|&action| state.leaves_choice(action, excluded)) {
        actions.retain(|&action| state.leaves_choice(action, excluded));
    }
    Rng::with_seed(mix_seed(seed, state.position().key())).shuffle(actions);
}
