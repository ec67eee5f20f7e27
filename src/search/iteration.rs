//! One iteration: select, expand, evaluate, back up. START HERE.
//!
//! A [`Worker`] is one search thread. Each pass of its loop, [`Worker::work`], depends on the path from the root:
//!
//! - **The path is empty**: begin the next burst at the root.
//! - **The burst of the last node is over**: remove the node from the path and back up the burst's rewards
//!   ([`backup`]).
//! - **Otherwise** descend from the last node to the child that [`select`] prefers. At a leaf, take the value from a
//!   proof or from [`super::evaluate`]. A leaf is a node that is new, proven, or cannot be expanded.
//!
//! A *burst* is a batch of iterations run below one node before their results are backed up to the node. Its length is
//! 1/16 of the node's visits with one or two workers and at most `TournamentParams::burst`, see [`Run::burst_length`].
//! The visits of a burst are counted when it begins: until their rewards are added, they count as losses (virtual
//! loss).
//!
//! Example with one worker:
//!
//! ```text
//!   path             visits   burst length
//!   root              3,200   200 = 3,200 / 16
//!     movement m      1,600   100 = min(1,600 / 16, 200 left at the root)
//!       arrow a          48     3 = min(48 / 16, 100 left at m)
//!         new leaf        1     1
//! ```
//!
//! 1. The worker descends to the new leaf. It adds 200 visits to the root, 100 to m and 3 to a.
//! 2. It evaluates the leaf and returns to a, where it runs the 2 iterations left in the burst.
//! 3. The burst of a is used up. The worker adds the burst's 3 rewards to a in one addition; m has 97 iterations left.
//! 4. The worker runs these 97 iterations below m, then adds the 100 rewards of the burst to m in one addition.
//! 5. The root has 100 iterations left. After them, the worker adds 200 rewards to the root and begins the next burst.
//!
//! Bursts skip most of the descent from the root, replace many atomic additions by one, and keep workers in different
//! parts of the tree.

use super::backup::{self, Rewards, Step};
use super::evaluate::evaluate;
use super::expand::{Choice, Expander};
use super::history::{Gain, History};
use super::run::Run;
use super::select::cache::SelectionCache;
use super::select::puct::ValueVariance;
use super::select::{self, Parent, Selected};
use super::state::State;
use super::tree::REWARD_UNIT;
use crate::board::position::Position;
use crate::board::square::{Side, Square};
use crate::endgame::FillingProver;
use crate::eval::model::ModelScratch;
use crate::eval::winrate::WinRate;
use crate::seed::mix_seed;
use crate::simd::{Lanes, dispatch};
use fastrand::Rng;

/// State of one search thread, kept between runs to reuse its buffers.
pub(crate) struct Worker {
    /// Nodes on the current path, the root first.
    path: Vec<Level>,
    scratch: Scratch,
    /// Length of the longest path of this run, in nodes.
    longest: usize,
    /// Number of iterations until the next clock check.
    until_clock: u32,
}

/// A node on the current path, with its [burst](self). Aligned to a cache line, like all data that a worker writes, so
/// that two workers never write to one line (false sharing).
#[repr(align(64))]
struct Level {
    step: Step,
    state: State,
    /// Variance of the leaf values below the parent node.
    variance: ValueVariance,
    /// Length of the burst in iterations, all of them already counted as visits of the node.
    granted: u32,
    /// True if this descent created the node and has not evaluated it yet.
    is_new: bool,
    /// Rewards of the burst's finished iterations, not yet backed up to the node.
    rewards: Rewards,
}

/// The next step of a descent.
enum Descent {
    /// To this child. Also holds the variance of the leaf values below the parent.
    Child(Selected, ValueVariance),
    /// No further: the last node of the path is the leaf.
    Leaf,
}

/// Random number generator, reused buffers and caches of one worker.
struct Scratch {
    rng: Rng,
    expander: Expander,
    model: ModelScratch,
    cache: SelectionCache,
    prover: FillingProver,
}

impl Level {
    /// Returns the number of iterations left in the node's [burst](self).
    #[inline(always)]
    fn left(&self) -> u32 {
        self.granted - self.rewards.count
    }

    /// True for a new node whose value is wanted. A descent goes on from a new movement to its most probable arrow
    /// before the evaluation.
    #[inline(always)]
    fn is_unevaluated(&self) -> bool {
        self.is_new && matches!(self.state, State::ToMove(_))
    }

    /// True if the burst is used up or, after its first iteration, if the run is over or the node is proven. The first
    /// iteration always continues to a leaf, since the descent that began the burst has already counted its visit.
    #[inline(always)]
    fn is_burst_over(&self, run: &Run) -> bool {
        let is_stopped = || !run.is_running() || run.tree.node(self.step.node).proof().is_some();
        self.left() == 0 || self.rewards.count > 0 && is_stopped()
    }
}

impl Worker {
    /// Number of iterations between two clock checks; they take well under a millisecond.
    const CLOCK_INTERVAL: u32 = 16;

    /// Creates the worker that draws its random numbers from stream `index` (0-based) of `seed`, see [`mix_seed`].
    pub fn new(seed: u64, index: u64) -> Self {
        let scratch = Scratch {
            rng: Rng::with_seed(mix_seed(seed, index)),
            expander: Expander::default(),
            model: ModelScratch::default(),
            cache: SelectionCache::default(),
            prover: FillingProver::new(),
        };
        Self { path: Vec::with_capacity(64), scratch, longest: 0, until_clock: 0 }
    }

    /// Clears the history of half-moves.
    pub fn clear_history(&mut self) {
        self.scratch.expander.lister.history = History::default();
    }

    /// Runs iterations until the run is over or pauses. Calls `tick` after each root burst that checked the clock.
    pub fn work(&mut self, run: &Run, tick: &mut dyn FnMut(&Run)) {
        dispatch!(Kernel::fastest(), L => self.work_with::<L>(run, tick));
    }

    /// Implements [`Worker::work`] for the instruction set of `L`, with the whole iteration inlined.
    #[inline(always)]
    fn work_with<L: Lanes>(&mut self, run: &Run, tick: &mut dyn FnMut(&Run)) {
        self.scratch.cache.clear();
        (self.longest, self.until_clock) = (0, 1);
        let mut has_checked_clock = false;
        loop {
            let Some(level) = self.path.last() else {
                if std::mem::take(&mut has_checked_clock) {
                    run.counters.reach(self.longest);
                    tick(run);
                }
                if !self.begin_burst(run) {
                    break;
                }
                continue;
            };
            if level.is_burst_over(run) {
                self.end_burst(run);
            } else if !self.descend::<L>(run) {
                self.evaluate_leaf::<L>(run);
                has_checked_clock |= self.check_clock(run);
            }
        }
        run.counters.reach(self.longest);
        run.tree.return_chunk(std::mem::take(&mut self.scratch.expander.chunk));
    }

    /// Begins a [burst](self) at the root: adds the granted iterations to the root's visits and starts the path at the
    /// root. Returns `false` if no iterations are granted: the run is over or the root is proven.
    #[inline(always)]
    fn begin_burst(&mut self, run: &Run) -> bool {
        let step = Step { node: run.tree.root(), mover: run.task.root.side().opponent() };
        let root = run.tree.node(step.node);
        let granted = run.claim_iterations(run.burst_length(root.visits()));
        if granted == 0 {
            return false;
        }
        root.add_visits(granted);
        let (state, variance) = (State::ToMove(run.task.root), ValueVariance::START);
        self.path.push(Level { step, state, variance, granted, is_new: false, rewards: Rewards::default() });
        true
    }

    /// Ends the burst of the path's last node: removes the node from the path, adds the burst's rewards to the node,
    /// and subtracts the visits of iterations that were not run.
    #[inline(always)]
    fn end_burst(&mut self, run: &Run) {
        let Some(level) = self.path.last() else { return };
        let (step, left, rewards) = (level.step, level.left(), level.rewards);
        if left > 0 {
            run.tree.node(step.node).take_visits(left);
        }
        backup::add_rewards(run.tree, &[step], rewards);
        self.path.truncate(self.path.len() - 1);
        record(&mut self.scratch.expander.lister.history, run, &self.path, step, rewards);
        match self.path.last_mut() {
            Some(parent) => parent.rewards.add(rewards),
            None => run.return_iterations(left),
        }
    }

    /// Selects a child of the path's last node and appends the child to the path. Returns `false` at a leaf.
    #[inline(always)]
    fn descend<L: Lanes>(&mut self, run: &Run) -> bool {
        let Descent::Child(Selected { child, is_new }, variance) = self.select_child::<L>(run) else {
            return false;
        };
        let Some(level) = self.path.last() else { return false };
        let node = run.tree.node(child);
        let (parent, mover, left) = (level.state, level.state.chooser(), level.left());
        let granted = if is_new {
            1
        } else {
            // Loads while the child's position is computed.
            run.tree.prefetch_family(child);
            let granted = run.burst_length(node.visits()).min(left);
            node.add_visits(granted);
            granted
        };
        let step = Step { node: child, mover };
        let path = &mut self.path;
        parent.with_after(
            node.edge(),
            #[inline(always)]
            |state| path.push(Level { step, state, variance, granted, is_new, rewards: Rewards::default() }),
        );
        if is_new
            && let Some(level) = self.path.last()
            && let Some(winner) = proven_winner(run, &level.state, &mut self.scratch.prover)
        {
            node.prove(winner);
        }
        true
    }

    /// Decides where the descent goes on from the path's last node: to the best child by PUCT, or to the first if this
    /// call expands the node.
    #[inline(always)]
    fn select_child<L: Lanes>(&mut self, run: &Run) -> Descent {
        let tree = run.tree;
        let Some(level) = self.path.last() else { return Descent::Leaf };
        let id = level.step.node;
        if level.is_unevaluated() || tree.node(id).proof().is_some() {
            return Descent::Leaf;
        }
        let mut first = None;
        if !tree.is_expanded(id) {
            first = expand::<L>(run, &self.path, &mut self.scratch);
            if first.is_none() {
                return Descent::Leaf;
            }
        }
        let chooser = level.state.chooser();
        let reward = level.rewards.of_side(level.step.mover);
        let parent = Parent::in_burst(tree, id, chooser, level.left(), reward);
        let puct = if self.path.len() <= 2 { run.task.params.puct.at_root() } else { run.task.params.puct };
        let variance = level.variance.at(&parent, &puct);
        let Some(choice) = choice_at(run, &self.path) else { return Descent::Leaf };
        let Scratch { cache, expander: Expander { chunk, lister }, .. } = &mut self.scratch;
        let child = match first {
            Some(first) => Some(first),
            None => select::best_child(&parent, &puct, variance, cache, chunk, move |count| {
                let tried = tree.tried(id).map(|(_, child)| child.edge());
                lister.list::<L>(&choice, run.task.params, tried, count)
            }),
        };
        if child.is_none() && backup::all_children_lose(tree, id, chooser) {
            // The back-up can miss this: two workers that prove the last two children at the same moment may each see
            // only one of the proofs.
            tree.node(id).prove(chooser.opponent());
        }
        child.map_or(Descent::Leaf, |child| Descent::Child(child, variance))
    }

    /// Evaluates the path's last node and adds the value to the rewards of its burst. If the node is proven, takes the
    /// proven result as its value and backs up the proof.
    #[inline(always)]
    fn evaluate_leaf<L: Lanes>(&mut self, run: &Run) {
        self.longest = self.longest.max(self.path.len());
        let Some(level) = self.path.last_mut() else { return };
        let proof = run.tree.node(level.step.node).proof();
        let for_black = match proof {
            Some(Side::Black) => WinRate::WIN,
            Some(Side::White) => WinRate::LOSS,
            None => {
                let Scratch { rng, model, .. } = &mut self.scratch;
                evaluate::<L>(&level.state, &run.task.params.model, rng, model)
            }
        };
        level.rewards.add(Rewards::of(for_black));
        level.is_new = false;
        if proof.is_some() {
            backup::back_up_proof(run.tree, self.path.iter().map(|level| level.step));
        }
    }

    /// Counts an iteration. Every [`Self::CLOCK_INTERVAL`] iterations, checks the clock and returns `true`.
    #[inline(always)]
    fn check_clock(&mut self, run: &Run) -> bool {
        self.until_clock -= 1;
        if self.until_clock > 0 {
            return false;
        }
        self.until_clock = Self::CLOCK_INTERVAL;
        run.check_clock();
        true
    }
}

/// Adds the rewards of a burst at `step`, a child of the path's last node, to the history.
#[inline(always)]
fn record(history: &mut History, run: &Run, path: &[Level], step: Step, rewards: Rewards) {
    let Some(parent) = path.last() else { return };
    let reward = parent.rewards.of_side(parent.step.mover);
    let of_parent = Parent::in_burst(run.tree, parent.step.node, step.mover, parent.left(), reward);
    // The visits in flight of other workers count as losses of the side that moved into the parent, which changes every
    // advantage by a few hundredths at most.
    let mean = of_parent.mean();
    // The mean is 0 as long as no iteration below the parent has ended.
    if mean == 0.0 {
        return;
    }
    let (count, edge) = (rewards.count, run.tree.node(step.node).edge());
    let sum = rewards.of_side(step.mover) as f32 / REWARD_UNIT as f32;
    let gain = |mean: f32| Gain { count, advantage: sum - count as f32 * mean };
    match &parent.state {
        State::ToMove(_) => {
            if let Some(movement) = edge.as_movement() {
                // The parent's rewards are those of the opponent.
                history.add_movement(step.mover, last_destination(path), movement, gain(1.0 - mean));
            }
        }
        State::ToShoot(arrow_phase) => {
            if let Some(arrow) = edge.as_arrow() {
                history.add_arrow(step.mover, arrow_phase.movement(), arrow, gain(mean));
            }
        }
    }
}

/// Returns the winner of a state if the game is over or the filling bounds of [`crate::endgame`] prove a winner. Tries
/// the bounds only before a movement and if at most 3/5 of the squares are empty: earlier, a proof is very rare.
fn proven_winner(run: &Run, state: &State, prover: &mut FillingProver) -> Option<Side> {
    let is_late = |position: &Position| position.empty().len() as usize * 5 <= position.size().area() * 3;
    match state {
        State::ToMove(position) if run.task.endgame_proofs && is_late(position) => prover.winner(position),
        _ => state.winner(),
    }
}

/// Expands the path's last node and returns its first child. `None` if the game is over at the node, the memory is
/// full, or another worker is expanding the node.
#[inline(always)]
fn expand<L: Lanes>(run: &Run, path: &[Level], scratch: &mut Scratch) -> Option<Selected> {
    let (choice, id) = (choice_at(run, path)?, path.last()?.step.node);
    if let Some(winner) = choice.state.winner() {
        // Another worker created the node and is about to record this proof.
        run.tree.node(id).prove(winner);
        return None;
    }
    scratch.expander.expand::<L>(run.tree, id, &choice, run.task.params).map(Selected::claimed)
}

/// Returns the choice at the path's last node; `None` if the path is empty.
#[inline(always)]
fn choice_at<'a>(run: &Run<'a>, path: &'a [Level]) -> Option<Choice<'a>> {
    // Only root moves can be excluded, so the list is empty below the root (movements) and its children (arrows).
    let excluded = if path.len() <= 2 { run.task.excluded } else { &[] };
    Some(Choice { state: &path.last()?.state, before: last_destination(path), excluded })
}

/// Returns the destination of the movement just before the path's last node, which the opponent is to answer.
#[inline(always)]
fn last_destination(path: &[Level]) -> Option<Square> {
    match path {
        [.., Level { state: State::ToShoot(arrow_phase), .. }, _] => Some(arrow_phase.amazon()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::board::position::Position;
    use crate::interface::TreeSearch;
    use crate::limits::{Limits, Resources};
    use crate::search::TournamentSearch;
    use crate::search::params::{Puct, TournamentParams};
    use std::sync::atomic::AtomicBool;

    /// In a position that one side wins, so that a wrong side or a wrong sign changes every mean by half a point.
    #[test]
    fn the_history_of_a_half_move_is_its_mean_beyond_its_parents() {
        for fen in
            ["3q2q3/10/10/q8q/10/10/Q9/10/10/3Q6 w - - 0 1", "3q2q3/10/10/q8q/10/10/Q9/10/10/3Q6 b - - 0 1"]
        {
            let position = Position::from_fen(fen).unwrap_or_else(|error| unreachable!("{error}"));
            // Flat priors, so that several movements have many visits.
            let puct = Puct { movement_temperature: 6.0, ..Puct::DEFAULT };
            let params = TournamentParams { burst: 1, puct, ..TournamentParams::DEFAULT };
            let mut search = TournamentSearch::new(position, params, Resources::default());
            search.run(&Limits::iterations(4000), &AtomicBool::new(false), &mut |_| ());
            let (tree, root) = (&search.tree, search.tree.root());
            let history = &search.workers[0].scratch.expander.lister.history;
            // The root's reward is that of the side that moved into it.
            let of_parent = 1.0 - tree.node(root).mean(tree.node(root).visits());
            let (mut movements, mut arrows) = (0, 0);
            for (id, child) in tree.tried(root).filter(|(_, child)| child.visits() >= 200) {
                let Some(movement) = child.edge().as_movement() else { continue };
                let expected = child.mean(child.visits()) - of_parent;
                let found = history.of_movement(position.side(), movement);
                assert!((found - expected).abs() < 0.1, "{movement}: {found}, not {expected}\n{position}");
                assert_eq!(history.of_movement(position.side().opponent(), movement), 0.0, "{movement}");
                movements += 1;
                let of_arrows = history.of_arrows(position.side(), movement);
                for (_, shot) in tree.tried(id).filter(|(_, shot)| shot.visits() >= 100) {
                    let Some(arrow) = shot.edge().as_arrow() else { continue };
                    let expected = shot.mean(shot.visits()) - child.mean(child.visits());
                    let found = of_arrows(arrow);
                    assert!((found - expected).abs() < 0.1, "{movement}/{arrow}: {found}, not {expected}");
                    arrows += 1;
                }
            }
            let counts = format!("{movements} movements, {arrows} arrows, mean {of_parent}");
            assert!(movements > 1 && arrows > 1 && (of_parent - 0.5).abs() > 0.2, "{counts}");
        }
    }
}
