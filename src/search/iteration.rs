//! One iteration: select, expand, evaluate, back up. START HERE.
//!
//! A descent follows the child that [`select`] prefers, from the root or from a `SubRoot` below it, to a leaf: a
//! node that is new, proven, or cannot be expanded. Its value, by a proof or by [`super::evaluate`], goes up the
//! path ([`backup`]). What a descent needs beside the tree is in `worker::Scratch`.

use super::backup::{self, Rewards, Step};
use super::params::Formula;
use super::run::Run;
use super::select::puct::ValueVariance;
use super::select::{self, Parent};
use super::state::State;
use super::tree::NodeId;
use super::worker::Worker;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::eval::winrate::WinRate;
use crate::simd::Lanes;

/// A node of the path at which descents begin: the root, or a much visited node below it.
#[derive(Clone, Copy)]
pub(super) struct SubRoot {
    /// Its index in the path.
    pub depth: usize,
    pub state: State,
    /// The variance of the values below the node before it.
    pub variance: ValueVariance,
}

impl Worker {
    /// One iteration from a node of the path, all of whose nodes up to that one stay. Returns the node at which more
    /// can begin, and what the leaf was worth, which the nodes from `from` on have been told.
    #[inline(always)]
    pub(super) fn iterate<L: Lanes>(&mut self, run: &Run, from: SubRoot) -> (SubRoot, Rewards) {
        let (state, subroot) = self.select_and_expand::<L>(run, from);
        let leaf = run.tree.node(self.path[self.path.len() - 1].node);
        let for_black = match leaf.proof() {
            Some(Side::Black) => WinRate::WIN,
            Some(Side::White) => WinRate::LOSS,
            None => run.evaluator.evaluate::<L>(&state, &mut self.scratch.rng, &mut self.scratch.leaf),
        };
        let rewards = Rewards::of(for_black);
        backup::add_rewards(run.tree, &self.path[from.depth..], rewards);
        if leaf.proof().is_some() {
            backup::carry_proof(run.tree, &self.path);
        }
        (subroot, rewards)
    }

    /// Descends to a leaf. Returns its state, and the last node on a way from the root that has enough visits to be
    /// a sub-root, or else `from`.
    #[inline(always)]
    fn select_and_expand<L: Lanes>(&mut self, run: &Run, from: SubRoot) -> (State, SubRoot) {
        let SubRoot { depth, mut state, mut variance } = from;
        let mut subroot = from;
        self.path.truncate(depth + 1);
        let mut id = self.path[depth].node;
        run.tree.node(id).enter();
        while run.tree.node(id).proof().is_none() {
            let Some(child) = self.select_child::<L>(run, id, &state, &mut variance) else { break };
            let mover = state.chooser();
            let node = run.tree.node(child);
            state = state.after(node.edge());
            id = child;
            self.path.push(Step { node: id, mover });
            let visits = node.enter();
            if visits == 0 {
                if let Some(winner) = self.proven_winner(run, &state) {
                    node.prove(winner);
                }
                // With priors a new movement's likeliest arrow is shot before the leaf is evaluated.
                if !run.params.formula.has_priors() || matches!(state, State::ToMove(_)) {
                    break;
                }
            }
            if visits >= run.subroot_visits() && depth == 0 {
                subroot = SubRoot { depth: self.path.len() - 1, state, variance };
            }
        }
        (state, subroot)
    }

    /// The child to descend to, of a node that is expanded first if need be: the best by the formula, but without
    /// priors an untried one while there is any. `variance` is the parent's, and becomes that of this node.
    #[inline(always)]
    fn select_child<L: Lanes>(
        &mut self,
        run: &Run,
        id: NodeId,
        state: &State,
        variance: &mut ValueVariance,
    ) -> Option<NodeId> {
        let tree = run.tree;
        if !tree.is_expanded(id) && !self.expand::<L>(run, id, state) {
            return None;
        }
        let chunk = &mut self.scratch.expander.chunk;
        let untried = match &run.params.formula {
            Formula::Puct(puct) => {
                *variance = variance.at(tree, id, puct);
                None
            }
            _ => tree.claim_untried(id, chunk),
        };
        let child = untried.or_else(|| {
            let parent = Parent::new(tree, id, state.chooser());
            select::best_child(&parent, run.params, *variance, &mut self.scratch.cache, chunk)
        });
        if child.is_none() && backup::all_children_lose(tree, id, state.chooser()) {
            // Usually the node is proven then too, but two workers that prove its last two children at the same
            // moment may each have missed the other's.
            tree.node(id).prove(state.chooser().opponent());
        }
        child
    }

    /// Expands a node; `false` if the game is over there, the memory is full, or another worker is expanding it.
    #[inline(always)]
    fn expand<L: Lanes>(&mut self, run: &Run, id: NodeId, state: &State) -> bool {
        if let Some(winner) = state.winner() {
            // The worker that came here first is about to say so itself.
            run.tree.node(id).prove(winner);
            return false;
        }
        // Only moves of the root can be excluded, and the path to a movement's arrows has two nodes.
        let excluded = if self.path.len() <= 2 { run.excluded } else { &[] };
        let scratch = &mut self.scratch;
        scratch.expander.expand::<L>(run.tree, id, state, excluded, run.params, &mut scratch.rng);
        run.tree.is_expanded(id)
    }

    /// The side that wins in a new node because the game is over, or by the filling bounds of [`crate::endgame`].
    /// Those hardly ever prove anything before two squares of five are taken.
    fn proven_winner(&mut self, run: &Run, state: &State) -> Option<Side> {
        let is_late = |position: &Position| position.empty().len() as usize * 5 <= position.size().area() * 3;
        match state {
            State::ToMove(position) if run.endgame_proofs && is_late(position) => {
                self.scratch.prover.winner(position)
            }
            _ => state.winner(),
        }
    }
}
