//! One thread's share of a run: descents from the root, several of them in a row below much visited nodes, until the
//! run is over.

use super::backup::{self, Rewards, Step};
use super::evaluate::EvaluationScratch;
use super::expand::Expander;
use super::run::Run;
use super::select::cache::SelectionCache;
use super::select::puct::ValueVariance;
use super::state::State;
use crate::endgame::FillingProver;
use crate::simd::{Lanes, SimdTask};
use fastrand::Rng;

/// A worker, kept from one run to the next.
pub(crate) struct Worker {
    /// The nodes of the descent under way, the root first.
    pub(super) path: Vec<Level>,
    pub(super) scratch: Scratch,
    /// Nodes of the longest path of this run.
    longest: usize,
    /// Iterations until the next look at the clock.
    until_clock: u32,
}

/// A node of a descent, and the descents through it that have been granted in a row. In cache lines of its own, as all
/// that a worker writes to: two workers that write to one line take it from each other every time (false sharing).
#[repr(align(64))]
pub(super) struct Level {
    pub step: Step,
    pub state: State,
    /// The variance of the values below the node before it.
    pub variance: ValueVariance,
    /// Descents that have been counted as visits of the node.
    pub granted: u32,
    /// Whether this is the first descent that came here.
    pub is_new: bool,
    /// What those that have ended were worth; the node has not been told yet.
    pub rewards: Rewards,
}

impl Level {
    /// Descents that were granted and have not ended.
    #[inline(always)]
    pub fn left(&self) -> u32 {
        self.granted - self.rewards.count
    }
}

/// What an iteration needs beside the tree: random numbers, buffers that are not allocated anew, caches.
pub(super) struct Scratch {
    pub rng: Rng,
    pub expander: Expander,
    pub leaf: EvaluationScratch,
    pub cache: SelectionCache,
    pub prover: FillingProver,
}

impl Worker {
    /// Iterations between two looks at the clock: well under a millisecond.
    const CLOCK_INTERVAL: u32 = 16;

    /// Worker number `index`. All workers of a seed draw different random numbers.
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

    /// Iterates until the run is over. `tick` is called after a look at the clock, when no descent is under way.
    pub fn work(&mut self, run: &Run, tick: &mut dyn FnMut(&Run)) {
        struct Iterations<'a, 'b>(&'a mut Worker, &'a Run<'b>, &'a mut dyn FnMut(&Run));
        impl SimdTask for Iterations<'_, '_> {
            type Output = ();
            #[inline(always)]
            fn run<L: Lanes>(self) {
                self.0.work_with::<L>(self.1, self.2);
            }
        }
        run.evaluator.kernel().dispatch(Iterations(self, run, tick));
    }

    /// The same, compiled for one instruction set together with all that an iteration does.
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

    /// So many iterations from the root. On its way a descent is granted more of them at every node that has been
    /// visited so often that they make little difference to it, and only when these have ended does it return to the
    /// node before. Returns how many began.
    ///
    /// That spares the way down, every node is told of many iterations at once, and workers keep to different parts
    /// of the tree, since all that is granted counts as lost until it is backed up (virtual loss).
    #[inline(always)]
    fn descend_from_root<L: Lanes>(&mut self, run: &Run, granted: u32) -> u32 {
        let step = Step { node: run.tree.root(), mover: run.root.side().opponent() };
        run.tree.node(step.node).add_visits(granted);
        let (state, variance) = (State::ToMove(run.root), ValueVariance::START);
        self.path.clear();
        self.path.push(Level { step, state, variance, granted, is_new: false, rewards: Rewards::default() });
        // What an iteration does is compiled into this loop.
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

    /// Whether no more descents begin at the last node of the path. One that has begun goes on to a leaf.
    #[inline(always)]
    fn is_done(&self, run: &Run) -> bool {
        let Some(level) = self.path.last() else { return true };
        let is_over = || !run.goes_on() || run.tree.node(level.step.node).proof().is_some();
        level.left() == 0 || level.rewards.count > 0 && is_over()
    }

    /// Leaves the last node of the path: backs up what its descents were worth, and takes back the visits of those
    /// that were granted but did not begin. Returns how many did.
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
