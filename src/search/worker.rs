//! One thread's share of a run: [iterations](super::iteration), several of them below one much visited node, until
//! the run is over.

use super::backup::{self, Rewards, Step};
use super::evaluate::EvaluationScratch;
use super::expand::Expander;
use super::iteration::SubRoot;
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
    pub(super) path: Vec<Step>,
    pub(super) scratch: Scratch,
    /// Nodes of the longest path of this run.
    longest: usize,
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
        Self { path: Vec::with_capacity(64), scratch, longest: 0 }
    }

    /// Iterates until the run is over. `tick` is called at every look at the clock.
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
        let mut until_clock = 1;
        while run.claim_iterations(1) > 0 {
            let iterations = 1 + self.descend_from_root_and_subroot::<L>(run);
            if until_clock > iterations {
                until_clock -= iterations;
            } else {
                until_clock = Self::CLOCK_INTERVAL;
                run.look_at_the_clock();
                run.tally.reach(self.longest);
                tick(run);
            }
        }
        run.tally.reach(self.longest);
        run.tree.return_chunk(std::mem::take(&mut self.scratch.expander.chunk));
    }

    /// One iteration from the root, and more from its [`SubRoot`], the last node on its way that has been visited
    /// so often that they make little difference to it. Returns how many more.
    ///
    /// That spares the way down there, and workers meet less often at the nodes that all of them pass: 118-82 in 200
    /// games at 0.1 s a move against iterations that all begin at the root.
    #[inline(always)]
    fn descend_from_root_and_subroot<L: Lanes>(&mut self, run: &Run) -> u32 {
        let mover = run.root.side().opponent();
        self.path.clear();
        self.path.push(Step { node: run.tree.root(), mover });
        let mut from = SubRoot { depth: 0, state: State::ToMove(run.root), variance: ValueVariance::START };
        let mut granted = 0;
        let mut rewards = Rewards::default();
        // `iterate` is called at one place only, for all that an iteration does is compiled into it.
        loop {
            let is_first = granted == 0;
            let (subroot, reward) = self.iterate::<L>(run, from);
            self.longest = self.longest.max(self.path.len());
            if is_first {
                if subroot.depth == 0 || run.descents_per_subroot() == 1 {
                    return 0;
                }
                from = subroot;
                granted = run.claim_iterations(run.descents_per_subroot() - 1);
                // Virtual loss of all of them at once, which keeps other workers away.
                for step in &self.path[..subroot.depth] {
                    run.tree.node(step.node).add_visits(granted);
                }
            } else {
                rewards.add(reward);
            }
            let is_proven = run.tree.node(self.path[from.depth].node).proof().is_some();
            if rewards.count >= granted || is_proven || !run.goes_on() {
                break;
            }
        }
        self.end_descents_from(from.depth, run, granted, rewards)
    }

    /// Backs up what the descents from a sub-root at this depth were worth to the nodes above it, and takes back the
    /// visits of those that were granted but did not begin. Returns how many did.
    #[inline(always)]
    fn end_descents_from(&self, depth: usize, run: &Run, granted: u32, rewards: Rewards) -> u32 {
        let above = &self.path[..depth];
        let left = granted - rewards.count;
        if left > 0 {
            run.return_iterations(left);
            for step in above {
                run.tree.node(step.node).take_visits(left);
            }
        }
        backup::add_rewards(run.tree, above, rewards);
        rewards.count
    }
}
