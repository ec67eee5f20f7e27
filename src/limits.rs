//! Limits of a search in iterations and time, and its resources: threads, memory, seed.

use crate::board::position::Position;
use crate::parameter::Parameter;
use crate::time::Instant;
use std::time::Duration;

/// Limits of a search. With neither limit, the search runs until it is stopped or the outcome is proven.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Maximum number of iterations, summed over all threads.
    pub iterations: Option<u64>,
    /// Time at which the search stops, but not before [`Limits::MIN_ITERATIONS`] iterations.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// The iteration limit as a setting.
    pub const ITERATIONS: Parameter<Self> = Parameter::whole(
        "iterations",
        [1, 1_000_000_000_000],
        "iterations per move, instead of a time limit",
        |limits| limits.iterations.unwrap_or(u64::MAX),
        |limits, count| limits.iterations = Some(count),
    );

    /// Minimum number of iterations, run even after the deadline or a stop, in about a millisecond. Without any
    /// iterations, the search would play the first legal move.
    pub const MIN_ITERATIONS: u64 = 100;

    /// Returns limits of `count` iterations and no deadline.
    pub fn iterations(count: u64) -> Self {
        Self { iterations: Some(count), deadline: None }
    }

    /// Returns limits with a deadline `duration` from now; without one if the addition overflows.
    pub fn time(duration: Duration) -> Self {
        Self { iterations: None, deadline: Instant::now().checked_add(duration) }
    }

    /// Returns the limits for choosing a move in a game: `deadline`, or one iteration if only one move is legal.
    pub fn for_move(position: &Position, deadline: Option<Instant>) -> Self {
        match position.legal_moves().nth(1) {
            Some(_) => Self { iterations: None, deadline },
            None => Self::iterations(1),
        }
    }

    /// Returns the number of iterations run even after the deadline or a stop: [`Self::MIN_ITERATIONS`], or a lower
    /// iteration limit.
    pub fn min_iterations(&self) -> u64 {
        self.iterations.map_or(Self::MIN_ITERATIONS, |count| count.min(Self::MIN_ITERATIONS))
    }

    /// True if a run ends after `iterations` iterations: at the limit, or after [`Self::min_iterations`] if
    /// `is_stopped` or the deadline has passed. Checks the clock every 16 iterations, which take well under a
    /// millisecond.
    pub(crate) fn are_reached(&self, iterations: u64, is_stopped: impl FnOnce() -> bool) -> bool {
        let Some(beyond) = iterations.checked_sub(self.min_iterations()) else { return false };
        let is_too_late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.iterations.is_some_and(|limit| iterations >= limit)
            || is_stopped()
            || beyond.is_multiple_of(16) && is_too_late()
    }

    /// True if more than `time` remains before the deadline, or if there is no deadline.
    pub(crate) fn leaves(&self, time: Duration) -> bool {
        let is_before = |deadline| Instant::now().checked_add(time).is_some_and(|then| then < deadline);
        self.deadline.is_none_or(is_before)
    }
}

/// Machine resources for a search: by default one thread, 160 MiB and seed 1.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Search threads; 0 is treated as 1.
    pub threads: usize,
    /// Maximum memory of the tree in bytes, clamped to the range of [`Self::MEMORY`]. The tree takes memory only as it
    /// grows.
    pub memory: usize,
    /// Random seed. With one thread and an iteration limit, equal seeds give the same search on every machine.
    pub seed: u64,
}

impl Resources {
    /// The number of threads as a setting.
    pub const THREADS: Parameter<Self> = Parameter::whole(
        "threads",
        [1, 1024],
        "search threads",
        |resources| resources.threads as u64,
        |resources, count| resources.threads = usize::try_from(count).unwrap_or(usize::MAX),
    );

    /// The memory as a setting, in MiB. A tree has 2^32 words at most.
    pub const MEMORY: Parameter<Self> = Parameter::whole(
        "memory",
        [1, 32_768],
        "memory of the search tree",
        |resources| resources.memory as u64 >> 20,
        // Saturates on 32-bit systems.
        |resources, size| resources.memory = usize::try_from(size << 20).unwrap_or(usize::MAX),
    );

    /// Returns the number of cores available to the process; 1 if the system does not tell.
    pub fn cores() -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    /// Returns a number of bytes, clamped to the range of [`Self::MEMORY`].
    pub(crate) fn clamp_memory(bytes: usize) -> usize {
        let [min, max] = Self::MEMORY.range();
        // On 32-bit systems, the maximum is that of a pointer.
        usize::try_from((bytes as u64).clamp(min << 20, max << 20)).unwrap_or(usize::MAX)
    }
}

impl Default for Resources {
    fn default() -> Self {
        Self { threads: 1, memory: 160 << 20, seed: 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_trees_have_one_range_of_memory() {
        let mut resources = Resources::default();
        assert!(Resources::MEMORY.set(&mut resources, "32768").is_ok());
        assert_eq!(Resources::clamp_memory(usize::MAX), resources.memory);
        assert!(Resources::MEMORY.set(&mut resources, "32769").is_err());
        assert!(Resources::MEMORY.set(&mut resources, "1").is_ok());
        assert_eq!(Resources::clamp_memory(0), resources.memory);
    }
}
