//! One thread's share of the search: select, expand, simulate, back up, again and again.

use super::Shared;
use super::backup::{self, Step};
use super::expand::{Opener, State};
use super::select;
use super::shortlist::Shortlist;
use super::tree::NodeId;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::endgame::Counter;
use crate::eval::distance::DistanceMaps;
use crate::eval::winrate::WinRate;
use fastrand::Rng;
use std::sync::atomic::Ordering::Relaxed;

/// A worker with its random numbers and its scratch space, kept from one search to the next.
pub(crate) struct Worker {
    rng: Rng,
    path: Vec<Step>,
    opener: Opener,
    maps: [DistanceMaps; 2],
    counter: Counter,
    /// Of the root: no other node of a tree of whole moves is visited often enough.
    shortlist: Shortlist,
}

impl Worker {
    /// Iterations between two looks at the clock: well under a millisecond.
    const CLOCK_INTERVAL: u32 = 16;

    pub fn new(seed: u64, index: u64) -> Self {
        Self {
            rng: Rng::with_seed(seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            path: Vec::with_capacity(64),
            opener: Opener::new(),
            maps: Default::default(),
            counter: Counter::new(),
            shortlist: Shortlist::default(),
        }
    }

    /// Iterates until the run is over. `tick` is called at every look at the clock.
    pub fn work(&mut self, shared: &Shared, tick: &mut dyn FnMut(&Shared)) {
        self.shortlist.clear();
        let mut until_clock = 1;
        let mut depth = 0;
        while shared.may_go_on() {
            self.iterate(shared);
            depth = depth.max(self.path.len());
            until_clock -= 1;
            if until_clock == 0 {
                until_clock = Self::CLOCK_INTERVAL;
                shared.look_at_the_clock();
                shared.depth.fetch_max(depth, Relaxed);
                tick(shared);
            }
        }
        shared.depth.fetch_max(depth, Relaxed);
    }

    /// One iteration: descend to a leaf, judge it, tell its ancestors.
    fn iterate(&mut self, shared: &Shared) {
        let state = self.descend(shared);
        let leaf = shared.tree.node(self.path[self.path.len() - 1].node);
        let for_black = match leaf.proof() {
            Some(Side::Black) => WinRate::WIN,
            Some(Side::White) => WinRate::LOSS,
            None => shared.simulator.win_rate_for_black(&state, &mut self.rng, &mut self.maps),
        };
        backup::add_rewards(shared.tree, &self.path, for_black);
        if leaf.proof().is_some() {
            backup::carry_proof(shared.tree, &self.path);
        }
    }

    /// Selection and expansion: from the root to a node that is new, proven, or cannot be opened.
    fn descend(&mut self, shared: &Shared) -> State {
        let tree = shared.tree;
        let mut state = State::ToMove(shared.root);
        let mut id = tree.root();
        self.path.clear();
        self.path.push(Step { node: id, mover: shared.root.side().opponent() });
        tree.node(id).enter();
        while tree.node(id).proof().is_none() {
            let Some(child) = self.step(shared, id, &state) else { break };
            let mover = state.chooser();
            let node = tree.node(child);
            state = state.after(node.edge());
            id = child;
            self.path.push(Step { node: id, mover });
            if node.enter() == 0 {
                if let Some(winner) = self.certain_winner(shared, &state) {
                    node.prove(winner);
                }
                // With priors the arrow that looks best is shot before the leaf is judged.
                if !shared.params.formula.has_priors() || matches!(state, State::ToMove(_)) {
                    break;
                }
            }
        }
        state
    }

    /// Who wins in a new node, where the game is over or the moves that are left decide it. Before two squares
    /// of five are taken they hardly ever do.
    fn certain_winner(&mut self, shared: &Shared, state: &State) -> Option<Side> {
        let is_late = |position: &Position| position.empty().len() as usize * 5 <= position.size().area() * 3;
        match state {
            State::ToMove(position) if shared.counting && is_late(position) => self.counter.winner(position),
            _ => state.winner(),
        }
    }

    /// The child to go to: the best by the formula, but without priors an untried one while there is any.
    fn step(&mut self, shared: &Shared, id: NodeId, state: &State) -> Option<NodeId> {
        let tree = shared.tree;
        if !tree.is_open(id) {
            if let Some(winner) = state.winner() {
                // The worker that came here first is about to say so itself.
                tree.node(id).prove(winner);
                return None;
            }
            self.opener.open(tree, id, state, shared.params, &mut self.rng);
        }
        if !tree.is_open(id) {
            return None;
        }
        let untried = if shared.params.formula.has_priors() { None } else { tree.claim_untried(id) };
        let child = untried.or_else(|| {
            let shortlist = (id == tree.root()).then_some(&mut self.shortlist);
            select::best_child(tree, id, state.chooser(), shared.params, shortlist)
        });
        if child.is_none() {
            // Every child is a proven loss. Usually the node is proven then too, but two workers that prove
            // its last two children at the same moment may each have missed the other's.
            tree.node(id).prove(state.chooser().opponent());
        }
        child
    }
}
