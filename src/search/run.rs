//! A run: what its workers share, from its start until they meet a limit or pause while a full tree is thinned.

use super::Limits;
use super::evaluate::LeafEvaluator;
use super::params::Params;
use super::report::{self, Report};
use super::tree::{Node, Tree};
use super::worker::Worker;
use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::threads::ThreadPool;
use crate::time::Instant;
use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// What the workers of one run share.
pub(crate) struct Run<'a> {
    pub tree: &'a Tree,
    pub root: Position,
    /// Moves of the root that are not looked at.
    pub excluded: &'a [Move],
    pub params: &'a Params,
    pub evaluator: &'a LeafEvaluator,
    pub limits: &'a Limits,
    /// Raised from outside.
    pub stop: &'a AtomicBool,
    pub tally: &'a Tally,
    /// By [`Run::row_shift`].
    pub row_shift: u32,
    /// Who wins the root, where [`crate::endgame`] proves it and the search goes on all the same.
    pub root_winner: Option<Side>,
    /// Whether new nodes are proven by [`crate::endgame`].
    pub endgame_proofs: bool,
    /// Whether to pause when the tree is full, so that it can be thinned.
    pub pausing: bool,
}

/// How far a run has come.
#[derive(Default)]
pub(crate) struct Tally {
    /// Raised by the worker that met a limit.
    pub finished: AtomicBool,
    /// Incremented by all workers, and so in a cache line apart from what is only read.
    pub iterations: CachePadded<AtomicU64>,
    /// Nodes of the longest path so far, the root among them.
    pub depth: AtomicUsize,
    /// How often a full tree was thinned.
    pub thinned: u32,
}

impl Tally {
    /// Notes a path of so many nodes.
    pub fn reach(&self, depth: usize) {
        // Written only when it changes, since its cache line is read before every iteration.
        if depth > self.depth.load(Relaxed) {
            self.depth.fetch_max(depth, Relaxed);
        }
    }
}

impl Run<'_> {
    /// The logarithm of how many visits make one of [`Run::descents_in_a_row`]: what a worker is granted at a node adds
    /// at most 1/16 to its visits, and what all are granted at most 1/8.
    pub fn row_shift(workers: usize) -> u32 {
        3 + workers.next_power_of_two().ilog2().max(1)
    }

    /// How many descents in a row may pass a node with so many visits before it is told of them.
    #[inline]
    pub fn descents_in_a_row(&self, visits: u32) -> u32 {
        (visits >> self.row_shift).clamp(1, self.params.burst)
    }

    /// Whether the run goes on.
    #[inline]
    pub fn goes_on(&self) -> bool {
        let is_over = self.tally.finished.load(Relaxed) || self.stop.load(Relaxed);
        !(is_over || self.pausing && self.tree.is_full())
    }

    /// How many iterations, of those that are wanted, may begin; counts them.
    #[inline]
    pub fn claim_iterations(&self, wanted: u32) -> u32 {
        if !self.goes_on() {
            return 0;
        }
        let before = self.tally.iterations.fetch_add(wanted.into(), Relaxed);
        let left = self.limits.iterations.map_or(u64::MAX, |limit| limit.saturating_sub(before));
        let mut granted = left.min(wanted.into()) as u32;
        if self.tree.root_proof().is_some() {
            granted = 0;
            self.tally.finished.store(true, Relaxed);
        }
        self.return_iterations(wanted - granted);
        granted
    }

    /// Takes back iterations that did not begin.
    #[inline]
    pub fn return_iterations(&self, count: u32) {
        if count > 0 {
            self.tally.iterations.fetch_sub(count.into(), Relaxed);
        }
    }

    /// Whether nothing ended the run but that the tree was full.
    pub fn is_paused(&self) -> bool {
        let Tally { finished, iterations, .. } = self.tally;
        let is_met = self.limits.iterations.is_some_and(|limit| iterations.load(Relaxed) >= limit);
        let is_over = is_met || finished.load(Relaxed) || self.stop.load(Relaxed);
        self.pausing && self.tree.is_full() && !is_over
    }

    /// Ends the run when its time is over, or the root has been visited as often as can be counted.
    pub fn look_at_the_clock(&self) {
        let is_too_late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_too_late || self.tree.node(self.tree.root()).visits() >= Node::MOST_VISITS {
            self.tally.finished.store(true, Relaxed);
        }
    }

    /// Iterates with all workers until the run is over or pauses. The first one reports progress.
    pub fn work_together(
        &self,
        workers: &mut [CachePadded<Worker>],
        pool: Option<&ThreadPool>,
        progress: &mut Progress,
    ) {
        let (first, others) = workers.split_at_mut(1);
        match pool {
            Some(pool) => pool.scope(|scope| {
                for worker in others {
                    scope.spawn(|_| worker.work(self, &mut |_| ()));
                }
                first[0].work(self, &mut |run| progress.tick(run));
            }),
            None => first[0].work(self, &mut |run| progress.tick(run)),
        }
    }
}

/// Calls the progress closure about once a second.
pub(crate) struct Progress<'a> {
    next: Instant,
    started: Instant,
    progress: &'a mut (dyn FnMut(&Report) + Send),
}

impl<'a> Progress<'a> {
    const INTERVAL: Duration = Duration::from_secs(1);

    pub fn new(started: Instant, progress: &'a mut (dyn FnMut(&Report) + Send)) -> Self {
        Self { next: started + Self::INTERVAL, started, progress }
    }

    fn tick(&mut self, run: &Run) {
        let now = Instant::now();
        if now >= self.next {
            self.next = now + Self::INTERVAL;
            (self.progress)(&report::of_search(run, now - self.started));
        }
    }
}
