//! One thread's share of a run: bursts of iterations from the root until the run is over.
//!
//! A *burst* is a number of iterations that a node runs below itself before their results are backed up to it. Its
//! length is 1/16 of the node's visits with one or two workers and at most `Params::burst`, see
//! [`Run::descents_in_a_row`]. The visits are counted when the burst is granted, so that the iterations in flight
//! count as losses (virtual loss).
//!
//! Example with one worker, 1/16:
//!
//! ```text
//!   path             visits   granted
//!   root              3,200   200 = 3,200 / 16
//!     movement m      1,600   100 = min(1,600 / 16, 200 left at the root)
//!       arrow a          48     3 = min(48 / 16, 100 left at m)
//!         new leaf        1     1
//! ```
//!
//! 1. The worker descends to the new leaf. It adds 200 visits to the root, 100 to m and 3 to a.
//! 2. It evaluates the leaf and returns to a, which has 2 iterations left: it selects below a twice more.
//! 3. The burst of a is used up. One addition gives a its 3 rewards; m has 97 iterations left.
//! 4. The worker selects below m until 100 rewards are collected there, and adds them to m in one addition.
//! 5. The root has 100 iterations left; when they are done, its 200 rewards are added and the next burst begins.
//!
//! Bursts save most of the way down from the root, replace many atomic additions by one, and keep workers in
//! different parts of the tree.

use super::backup::{self, Rewards, Step};
use super::evaluate::EvaluationScratch;
use super::expand::Expander;
use super::run::Run;
use super::select::cache::SelectionCache;
use super::select::puct::ValueVariance;
use super::state::State;
use crate::endgame::FillingProver;
use crate::simd::{Lanes, dispatch};
use fastrand::Rng;

/// A search thread's state, kept between runs.
pub(crate) struct Worker {
    /// Nodes of the current descent, the root first.
    pub(super) path: Vec<Level>,
    pub(super) scratch: Scratch,
    /// Length of the longest path of this run, in nodes.
    longest: usize,
    /// Iterations until the next clock check.
    until_clock: u32,
}

/// A node on the current path with its burst. Aligned to a cache line, like everything a worker writes to: two
/// workers that write to one line slow each other down (false sharing).
#[repr(align(64))]
pub(super) struct Level {
    pub step: Step,
    pub state: State,
    /// Variance of the values below the parent.
    pub variance: ValueVariance,
    /// Burst length: iterations granted to the node and already counted as its visits.
    pub granted: u32,
    /// True until the node has been evaluated, if this descent created it.
    pub is_new: bool,
    /// Sum over the iterations of the burst that have ended; not yet backed up to the node.
    pub rewards: Rewards,
}

impl Level {
    /// Returns the iterations of the burst that have not been evaluated yet.
    #[inline(always)]
    pub fn left(&self) -> u32 {
        self.granted - self.rewards.count
    }
}

/// Buffers of an iteration: random numbers, reused allocations, caches.
pub(super) struct Scratch {
    pub rng: Rng,
    pub expander: Expander,
    pub leaf: EvaluationScratch,
    pub cache: SelectionCache,
    pub prover: FillingProver,
}

impl Worker {
    /// Iterations between two clock checks: well under a millisecond.
    const CLOCK_INTERVAL: u32 = 16;

    /// Creates worker number `index`. Workers of equal seed draw different random numbers.
    pub fn new(seed: u64, index: u64) -> Self {
        let scratch = Scratch {
            rng: Rng::with_seed(seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            expander: Expander::new(),
            leaf: EvaluationScratch::default(),
            cache: SelectionCache::default(),
            prover: FillingProver::new(),
        };
        Self { path: Vec::with_capacity(64), scratch, longest: 0, until_clock: 0 }
    }

    /// Iterates until the run is over. Calls `tick` after a clock check, between two bursts of the root.
    pub fn work(&mut self, run: &Run, tick: &mut dyn FnMut(&Run)) {
        dispatch!(run.evaluator.kernel(), L => self.work_with::<L>(run, tick));
    }

    /// [`Worker::work`], compiled for one instruction set with the whole iteration inlined.
    #[inline(always)]
    fn work_with<L: Lanes>(&mut self, run: &Run, tick: &mut dyn FnMut(&Run)) {
        self.scratch.cache.clear();
        self.longest = 0;
        self.until_clock = 1;
        loop {
            let root = run.tree.node(run.tree.root());
            let granted = run.claim_iterations(run.descents_in_a_row(root.visits()));
            if granted == 0 {
                break;
            }
            let looks_at_clock = self.until_clock <= granted;
            let done = self.descend_from_root::<L>(run, granted);
            run.return_iterations(granted - done);
            if looks_at_clock {
                run.tally.reach(self.longest);
                tick(run);
            }
        }
        run.tally.reach(self.longest);
        run.tree.return_chunk(std::mem::take(&mut self.scratch.expander.chunk));
    }

    /// Runs a burst of `granted` iterations from the root and returns how many were run. The module comment has an
    /// example.
    #[inline(always)]
    fn descend_from_root<L: Lanes>(&mut self, run: &Run, granted: u32) -> u32 {
        let step = Step { node: run.tree.root(), mover: run.root.side().opponent() };
        run.tree.node(step.node).add_visits(granted);
        let (state, variance) = (State::ToMove(run.root), ValueVariance::START);
        self.path.clear();
        self.path.push(Level { step, state, variance, granted, is_new: false, rewards: Rewards::default() });
        // The whole iteration is inlined into this loop.
        loop {
            if self.is_done(run) {
                let done = self.return_to_parent(run);
                if self.path.is_empty() {
                    return done;
                }
            } else if !self.descend_to_child::<L>(run) {
                self.longest = self.longest.max(self.path.len());
                self.evaluate_leaf::<L>(run);
                self.until_clock -= 1;
                if self.until_clock == 0 {
                    self.until_clock = Self::CLOCK_INTERVAL;
                    run.look_at_the_clock();
                }
            }
        }
    }

    /// True if no further descent begins at the last node of the path: its burst is used up, or the run is over or
    /// the node proven. A descent that has begun always continues to a leaf, since its visit is counted.
    #[inline(always)]
    fn is_done(&self, run: &Run) -> bool {
        let Some(level) = self.path.last() else { return true };
        let is_over = || !run.goes_on() || run.tree.node(level.step.node).proof().is_some();
        level.left() == 0 || level.rewards.count > 0 && is_over()
    }

    /// Removes the last node from the path, backs up its rewards, and takes back the visits of the iterations not
    /// run. Returns the number of iterations run.
    #[inline(always)]
    fn return_to_parent(&mut self, run: &Run) -> u32 {
        let Some(level) = self.path.last() else { return 0 };
        let (left, rewards) = (level.left(), level.rewards);
        if left > 0 {
            run.tree.node(level.step.node).take_visits(left);
        }
        backup::add_rewards(run.tree, &[level.step], rewards);
        self.path.truncate(self.path.len() - 1);
        if let Some(parent) = self.path.last_mut() {
            parent.rewards.add(rewards);
        }
        rewards.count
    }
}
