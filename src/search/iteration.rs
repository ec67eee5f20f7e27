//! One iteration: select, expand, evaluate, back up. START HERE.
//!
//! A descent follows the child that [`select`] prefers, from the root or from a node on the current path, to a leaf:
//! a node that is new, proven, or cannot be expanded. A proof or [`super::evaluate`] gives the leaf's value.
//! [`super::worker`] adds it to the nodes on the path ([`backup`]) as their bursts end. `worker::Scratch` holds the
//! buffers of a descent.

use super::backup::{self, Rewards, Step};
use super::expand::Expander;
use super::params::Formula;
use super::run::Run;
use super::select::puct::ValueVariance;
use super::select::{self, Parent, Selected};
use super::state::State;
use super::worker::{Level, Scratch, Worker};
use crate::board::position::Position;
use crate::board::square::Side;
use crate::eval::winrate::WinRate;
use crate::simd::Lanes;

impl Worker {
    /// Selects a child of the last node of the path and appends it. Returns `false` at a leaf.
    #[inline(always)]
    pub(super) fn descend_to_child<L: Lanes>(&mut self, run: &Run) -> bool {
        let Some((Selected { child, is_new }, variance)) = self.select_child::<L>(run) else { return false };
        let Some(level) = self.path.last() else { return false };
        let node = run.tree.node(child);
        let (state, mover, left) = (level.state.after(node.edge()), level.state.chooser(), level.left());
        let granted = if is_new {
            if let Some(winner) = self.proven_winner(run, &state) {
                node.prove(winner);
            }
            1
        } else {
            let granted = run.descents_in_a_row(node.visits()).min(left);
            node.add_visits(granted);
            granted
        };
        let step = Step { node: child, mover };
        self.path.push(Level { step, state, variance, granted, is_new, rewards: Rewards::default() });
        true
    }

    /// Evaluates the last node of the path, unless a proof gives its value, and backs up a proof.
    #[inline(always)]
    pub(super) fn evaluate_leaf<L: Lanes>(&mut self, run: &Run) {
        let Some(level) = self.path.last_mut() else { return };
        let proof = run.tree.node(level.step.node).proof();
        let for_black = match proof {
            Some(Side::Black) => WinRate::WIN,
            Some(Side::White) => WinRate::LOSS,
            None => run.evaluator.evaluate::<L>(&level.state, &mut self.scratch.rng, &mut self.scratch.leaf),
        };
        level.rewards.add(Rewards::of(for_black));
        level.is_new = false;
        if proof.is_some() {
            backup::carry_proof(run.tree, self.path.iter().map(|level| level.step));
        }
    }

    /// Selects a child of the last node of the path: the best by the formula, or the first if the node has just been
    /// expanded. Also returns the variance of the node's values. `None` at a leaf.
    #[inline(always)]
    fn select_child<L: Lanes>(&mut self, run: &Run) -> Option<(Selected, ValueVariance)> {
        let tree = run.tree;
        let level = self.path.last()?;
        let id = level.step.node;
        // With priors, a new movement is extended by its most probable arrow before it is evaluated.
        let goes_on =
            !level.is_new || run.params.formula.has_priors() && matches!(level.state, State::ToShoot(_));
        if !goes_on || tree.node(id).proof().is_some() {
            return None;
        }
        let first =
            if tree.is_expanded(id) { None } else { Some(expand::<L>(run, &self.path, &mut self.scratch)?) };
        let chooser = level.state.chooser();
        let reward = level.rewards.of_side(level.step.mover);
        let parent = Parent::of_descents(tree, id, chooser, level.left(), reward);
        let variance = match &run.params.formula {
            Formula::Puct(puct) => level.variance.at(&parent, puct),
            _ => level.variance,
        };
        let Scratch { cache, expander: Expander { chunk, .. }, .. } = &mut self.scratch;
        let child = first.or_else(|| select::best_child(&parent, run.params, variance, cache, chunk));
        if child.is_none() && backup::all_children_lose(tree, id, chooser) {
            // Two workers that prove the last two children at the same moment may both miss that all children are
            // proven.
            tree.node(id).prove(chooser.opponent());
        }
        child.map(|child| (child, variance))
    }

    /// Returns the winner at a new node: the game is over, or the filling bounds of [`crate::endgame`] decide it. The
    /// bounds are tried only if at most 3/5 of the squares are empty; earlier they almost never prove a winner.
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

/// Expands the last node of the path and returns its first child. `None` if the game is over there, the memory is
/// full, or another worker is expanding the node.
#[inline(always)]
fn expand<L: Lanes>(run: &Run, path: &[Level], scratch: &mut Scratch) -> Option<Selected> {
    let Level { step: Step { node: id, .. }, state, .. } = path.last()?;
    if let Some(winner) = state.winner() {
        // Another worker reached the node first and is about to record this proof.
        run.tree.node(*id).prove(winner);
        return None;
    }
    // Only root moves can be excluded: their edges leave the root or, for the arrows, one of its children.
    let excluded = if path.len() <= 2 { run.excluded } else { &[] };
    scratch
        .expander
        .expand::<L>(run.tree, *id, state, excluded, run.params, &mut scratch.rng)
        .map(Selected::claimed)
}
