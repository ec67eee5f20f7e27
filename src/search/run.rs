//! A run: state shared by the workers, from the start until they reach a limit or pause for pruning.

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

/// State shared by the workers of one run.
pub(crate) struct Run<'a> {
    pub tree: &'a Tree,
    pub root: Position,
    /// Root moves that are left out.
    pub excluded: &'a [Move],
    pub params: &'a Params,
    pub evaluator: &'a LeafEvaluator,
    pub limits: &'a Limits,
    /// Stops the run; set by the caller.
    pub stop: &'a AtomicBool,
    pub tally: &'a Tally,
    /// Burst length as a right shift of the visits, see [`Run::row_shift`].
    pub row_shift: u32,
    /// Winner of the root proven by [`crate::endgame`], if any.
    pub root_winner: Option<Side>,
    /// [`crate::endgame::FillingProver::margin`] of the root.
    pub margin: Option<u32>,
    /// True if the filling bounds of [`crate::endgame`] are tried on new nodes.
    pub endgame_proofs: bool,
    /// True if the run pauses when the tree is full, so that the tree can be pruned.
    pub pausing: bool,
}

/// Counters of a run.
#[derive(Default)]
pub(crate) struct Tally {
    /// Set by the worker that reached a limit.
    pub finished: AtomicBool,
    /// Incremented by all workers, hence in a cache line apart from the fields that are only read.
    pub iterations: CachePadded<AtomicU64>,
    /// Length of the longest path so far, in nodes, the root included.
    pub depth: AtomicUsize,
    /// Number of times the full tree was pruned.
    pub thinned: u32,
}

impl Tally {
    /// Records a path of `depth` nodes.
    pub fn reach(&self, depth: usize) {
        // Written only on change: its cache line is read before every iteration.
        if depth > self.depth.load(Relaxed) {
            self.depth.fetch_max(depth, Relaxed);
        }
    }
}

impl Run<'_> {
    /// Returns log2 of the visits for one iteration of a burst, see [`Run::descents_in_a_row`]. One worker's burst
    /// adds at most 1/16 to a node's visits, and the bursts of all workers together at most 1/8.
    pub fn row_shift(workers: usize) -> u32 {
        3 + workers.next_power_of_two().ilog2().max(1)
    }

    /// Burst length: iterations run below a node with this many visits before their results are backed up to it.
    #[inline]
    pub fn descents_in_a_row(&self, visits: u32) -> u32 {
        (visits >> self.row_shift).clamp(1, self.params.burst)
    }

    /// True until a limit is reached, `stop` is set, or a full tree makes the run pause.
    #[inline]
    pub fn goes_on(&self) -> bool {
        let is_over = self.tally.finished.load(Relaxed) || self.stop.load(Relaxed);
        !(is_over || self.pausing && self.tree.is_full())
    }

    /// Claims and counts up to `wanted` iterations. Returns the number granted, 0 if the run is over or the root
    /// proven.
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

    /// Gives back claimed iterations that were not run.
    #[inline]
    pub fn return_iterations(&self, count: u32) {
        if count > 0 {
            self.tally.iterations.fetch_sub(count.into(), Relaxed);
        }
    }

    /// True if the run stopped only because the tree is full.
    pub fn is_paused(&self) -> bool {
        let Tally { finished, iterations, .. } = self.tally;
        let is_met = self.limits.iterations.is_some_and(|limit| iterations.load(Relaxed) >= limit);
        let is_over = is_met || finished.load(Relaxed) || self.stop.load(Relaxed);
        self.pausing && self.tree.is_full() && !is_over
    }

    /// True if the deadline ended the run before it counts.
    pub fn is_too_short(&self) -> bool {
        let Tally { finished, iterations, .. } = self.tally;
        self.limits.deadline.is_some()
            && finished.load(Relaxed)
            && iterations.load(Relaxed) < self.limits.fewest()
            && self.tree.root_proof().is_none()
            && !self.stop.load(Relaxed)
            && !self.has_most_visits()
    }

    /// Ends the run if the deadline has passed or the root has [`Node::MAX_VISITS`] visits.
    pub fn look_at_the_clock(&self) {
        let is_too_late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_too_late || self.has_most_visits() {
            self.tally.finished.store(true, Relaxed);
        }
    }

    fn has_most_visits(&self) -> bool {
        self.tree.node(self.tree.root()).visits() >= Node::MAX_VISITS
    }

    /// Iterates with all workers until the run is over or pauses. The first worker reports progress.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A row is as long as these bounds allow, or more than half as long.
    #[test]
    fn a_row_adds_at_most_a_sixteenth_and_the_rows_of_all_workers_an_eighth() {
        let visits = 1 << 20;
        for workers in 1..=128 {
            let row = visits >> Run::row_shift(workers);
            let most = (visits / 16).min(visits / 8 / workers);
            assert!((most / 2 + 1..=most).contains(&row), "{row} of at most {most} for each of {workers}");
        }
    }
}
