//! State shared by the workers of a run: tree, limits, counters. A run ends at a limit or pauses to recycle memory.

use super::params::TournamentParams;
use super::tree::{Node, Tree};
use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::limits::Limits;
use crate::time::Instant;
use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// A part of a run that ends at a limit or pauses: the task, and the state shared by the workers.
pub(crate) struct Run<'a> {
    pub tree: &'a Tree,
    pub task: &'a Task<'a>,
    pub counters: &'a Counters,
    /// True if the run pauses for recycling when the tree is full; `false` if it continues with the full tree.
    pub pausing: bool,
}

/// Task of a run, fixed from its beginning to its end.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub root: Position,
    /// Root moves that the search does not consider.
    pub excluded: &'a [Move],
    pub params: &'a TournamentParams,
    pub limits: Limits,
    /// Set by the caller to stop the run.
    pub stop: &'a AtomicBool,
    /// Right shift that turns a node's visits into a burst length, see [`Task::burst_shift`].
    pub burst_shift: u32,
    /// Proof of [`crate::endgame`] at the root, if any.
    pub proof: Option<RootProof>,
    /// True if the filling bounds of [`crate::endgame`] are tried on new nodes.
    pub endgame_proofs: bool,
}

/// Proof by the filling bounds of [`crate::endgame`] at the root.
#[derive(Clone, Copy)]
pub(crate) struct RootProof {
    pub winner: Side,
    /// [`crate::endgame::FillingProver::margin`] of the root.
    pub margin: Option<u32>,
}

/// Counters of a run.
#[derive(Default)]
pub(crate) struct Counters {
    /// Set when the deadline has passed, the root has its maximum visits, or the root is proven.
    pub finished: AtomicBool,
    /// Number of iterations claimed by all workers. In its own cache line, since the other fields are mostly read.
    pub iterations: CachePadded<AtomicU64>,
    /// Length of the longest path so far, in nodes, the root included.
    pub depth: AtomicUsize,
    /// Number of times the run paused to recycle memory.
    pub recycled: u32,
    /// Total time that the run paused to recycle memory.
    pub recycling: Duration,
}

impl Counters {
    /// Raises [`Counters::depth`] to at least `depth`, the length of a path in nodes.
    pub fn reach(&self, depth: usize) {
        // Written only on change, since every iteration reads this cache line.
        if depth > self.depth.load(Relaxed) {
            self.depth.fetch_max(depth, Relaxed);
        }
    }
}

impl Task<'_> {
    /// Returns log2 of the ratio of a node's visits to its [burst length](Run::burst_length). One worker's burst adds
    /// at most 1/16 to a node's visits, and the bursts of all workers together at most 1/8.
    pub fn burst_shift(workers: usize) -> u32 {
        3 + workers.next_power_of_two().ilog2().max(1)
    }

    /// Returns the winner that the filling bounds prove at the root, if any.
    pub fn root_winner(&self) -> Option<Side> {
        self.proof.map(|proof| proof.winner)
    }
}

impl Run<'_> {
    /// Returns the length, in iterations, of a [burst](super::iteration) at a node with `visits` visits.
    #[inline]
    pub fn burst_length(&self, visits: u32) -> u32 {
        (visits >> self.task.burst_shift).clamp(1, self.task.params.burst)
    }

    /// True until [`Counters::finished`] or `stop` is set, or a full tree makes the run pause.
    #[inline]
    pub fn is_running(&self) -> bool {
        let is_over = self.counters.finished.load(Relaxed) || self.task.stop.load(Relaxed);
        !(is_over || self.pausing && self.tree.is_full())
    }

    /// Claims up to `wanted` iterations for the caller to run. Returns the number granted: 0 if the run is over or
    /// paused, or if the root is proven.
    #[inline]
    pub fn claim_iterations(&self, wanted: u32) -> u32 {
        if !self.is_running() {
            return 0;
        }
        let before = self.counters.iterations.fetch_add(wanted.into(), Relaxed);
        let left = self.task.limits.iterations.map_or(u64::MAX, |limit| limit.saturating_sub(before));
        let mut granted = left.min(wanted.into()) as u32;
        if self.tree.root_proof().is_some() {
            granted = 0;
            self.counters.finished.store(true, Relaxed);
        }
        self.return_iterations(wanted - granted);
        granted
    }

    /// Gives back claimed iterations that were not run.
    #[inline]
    pub fn return_iterations(&self, count: u32) {
        if count > 0 {
            self.counters.iterations.fetch_sub(count.into(), Relaxed);
        }
    }

    /// True if the run stopped only because the tree is full.
    pub fn is_paused(&self) -> bool {
        let Counters { finished, iterations, .. } = self.counters;
        let is_met = self.task.limits.iterations.is_some_and(|limit| iterations.load(Relaxed) >= limit);
        let is_over = is_met || finished.load(Relaxed) || self.task.stop.load(Relaxed);
        self.pausing && self.tree.is_full() && !is_over
    }

    /// True if the deadline or `stop` ended the run before [`Limits::min_iterations`] iterations.
    pub fn is_too_short(&self) -> bool {
        self.counters.iterations.load(Relaxed) < self.task.limits.min_iterations()
            && self.task.root.winner().is_none()
            && self.tree.root_proof().is_none()
            && !self.has_max_visits()
    }

    /// Ends the run if the deadline has passed or the root has [`Node::MAX_VISITS`] visits.
    pub fn check_clock(&self) {
        let is_too_late = self.task.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_too_late || self.has_max_visits() {
            self.counters.finished.store(true, Relaxed);
        }
    }

    fn has_max_visits(&self) -> bool {
        self.tree.node(self.tree.root()).visits() >= Node::MAX_VISITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a burst is at most 1/16 of a node's visits, the bursts of all workers together at most 1/8, and each
    /// burst more than half as long as these limits allow.
    #[test]
    fn bursts_stay_within_their_bounds() {
        let visits = 1 << 20;
        for workers in 1..=128 {
            let burst = visits >> Task::burst_shift(workers);
            let most = (visits / 16).min(visits / 8 / workers);
            assert!(
                (most / 2 + 1..=most).contains(&burst),
                "{burst} of at most {most} for each of {workers}"
            );
        }
    }
}
