//! One iteration: select, expand, evaluate, back up. START HERE.
//!
//! A descent follows the child that [`select`] prefers, from the root or from a node below it, to a leaf: a
//! node that is new, proven, or cannot be expanded. Its value, by a proof or by [`super::evaluate`], goes up the
//! path ([`backup`]), node by node as [`super::worker`] returns from them. What a descent needs beside the tree is in
//! `worker::Scratch`.

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
    /// Goes on from the last node of the path to a child; `false` if it is a leaf.
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

    /// Evaluates the last node of the path.
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

    /// The child to descend to from the last node of the path: the best by the formula, or the first where the node has
    /// just been expanded. With it goes the variance of the node's values. `None` at a leaf.
    #[inline(always)]
    fn select_child<L: Lanes>(&mut self, run: &Run) -> Option<(Selected, ValueVariance)> {
        let tree = run.tree;
        let level = self.path.last()?;
        let id = level.step.node;
        // With priors a new movement's likeliest arrow is shot before the leaf is evaluated.
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
            // Usually the node is proven then too, but two workers that prove its last two children at the same
            // moment may each have missed the other's.
            tree.node(id).prove(chooser.opponent());
        }
        child.map(|child| (child, variance))
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

/// Expands the last node of a path. Returns its first child; `None` if the game is over there, the memory is full, or
/// another worker is expanding it.
#[inline(always)]
fn expand<L: Lanes>(run: &Run, path: &[Level], scratch: &mut Scratch) -> Option<Selected> {
    let Level { step: Step { node: id, .. }, state, .. } = path.last()?;
    if let Some(winner) = state.winner() {
        // The worker that came here first is about to say so itself.
        run.tree.node(*id).prove(winner);
        return None;
    }
    // Only moves of the root can be excluded, and the path to a movement's arrows has two nodes.
    let excluded = if path.len() <= 2 { run.excluded } else { &[] };
    scratch
        .expander
        .expand::<L>(run.tree, *id, state, excluded, run.params, &mut scratch.rng)
        .map(Selected::claimed)
}
