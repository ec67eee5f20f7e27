//! The search: Monte Carlo tree search over split moves, as in the MG-PEO paper.
//!
//! A turn is two edges of the tree: *movement* of an amazon, then its *arrow* (the paper's move
//! groups). [`worker`] runs the iterations and is the place to start reading: it calls [`select`] (which
//! child?), [`expand`] (which children are there?), [`rollout`] (how good is a new leaf?; by [`playout`] where
//! games are played to the end) and [`backup`] (tell the ancestors). [`tree`] stores, [`params`] holds every number that shapes the search, and [`report`]
//! says what was found.
//!
//! The search prints nothing and knows no protocol: it reports through a closure and stops by a flag.

pub mod backup;
pub mod expand;
pub mod params;
pub mod playout;
pub mod report;
pub mod rollout;
pub mod select;
pub mod tree;
pub mod worker;

use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::endgame::Counter;
use crossbeam_utils::CachePadded;
use params::{Parallel, Params};
use rayon::{ThreadPool, ThreadPoolBuilder};
use report::Report;
use rollout::Simulator;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tree::{Node, Tree};
use worker::Worker;

/// When a search ends by itself. With neither limit it runs until it is stopped, or the game is proven.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// This many iterations, all threads together.
    pub iterations: Option<u64>,
    /// This moment.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// A number of iterations.
    pub fn iterations(count: u64) -> Self {
        Self { iterations: Some(count), deadline: None }
    }

    /// A time from now.
    pub fn time(duration: Duration) -> Self {
        Self { iterations: None, deadline: Instant::now().checked_add(duration) }
    }
}

impl Limits {
    /// Whether there is so much time left.
    fn leave(&self, time: Duration) -> bool {
        self.deadline.is_none_or(|deadline| deadline.saturating_duration_since(Instant::now()) > time)
    }
}

/// Machine resources for a search.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Threads that think; at least one is used.
    pub threads: usize,
    /// Bytes that the tree may take. They are claimed from the system only as the tree grows.
    pub memory: usize,
    /// Seed of the random numbers: with one thread and an iteration limit, the same seed gives the same
    /// search on every machine.
    pub seed: u64,
}

impl Default for Resources {
    fn default() -> Self {
        Self { threads: 1, memory: 160 << 20, seed: 1 }
    }
}

/// A game being thought about: its position, the tree grown so far, and the threads that grow it.
///
/// ```
/// use otrera::{Limits, Params, Position, Resources, Search};
/// use std::sync::atomic::AtomicBool;
///
/// let mut search = Search::new(Position::standard(), Params::TOURNAMENT, Resources::default());
/// let report = search.run(&Limits::iterations(1000), &AtomicBool::new(false), &mut |_| ());
/// let mv = report.best.expect("the start is not a finished game");
/// search.advance(mv);
/// assert_eq!(search.position().ply(), 1);
/// ```
pub struct Search {
    position: Position,
    /// Moves that are not looked at in this position.
    excluded: Vec<Move>,
    tree: Tree,
    simulator: Simulator,
    params: Params,
    workers: Vec<Worker>,
    pool: Option<ThreadPool>,
}

/// What the threads of one run share, until they meet a limit or pause while a full tree is thinned.
pub(crate) struct Shared<'a> {
    pub tree: &'a Tree,
    pub root: Position,
    /// Moves of the root that are not looked at.
    pub excluded: &'a [Move],
    pub params: &'a Params,
    pub simulator: &'a Simulator,
    pub limits: &'a Limits,
    /// Raised from outside.
    pub stop: &'a AtomicBool,
    pub tally: &'a Tally,
    /// Who wins the root, if counting tells although the search goes on.
    pub counted: Option<Side>,
    /// Whether new nodes are proven by counting.
    pub counting: bool,
    /// Whether to pause when the tree is full, so that it can be thinned.
    pub pausing: bool,
}

/// How far a run has come.
#[derive(Default)]
pub(crate) struct Tally {
    /// Raised by the worker that met a limit.
    pub finished: AtomicBool,
    /// Counted up by all, and so apart from the rest.
    pub iterations: CachePadded<AtomicU64>,
    /// Deepest descent so far, in tree levels.
    pub depth: AtomicUsize,
    /// How often a full tree was thinned.
    pub thinned: u32,
}

impl Tally {
    /// Notes a descent of so many levels.
    pub fn reach(&self, depth: usize) {
        // Written seldom, for what lies beside it is looked at before every iteration.
        if depth > self.depth.load(Ordering::Relaxed) {
            self.depth.fetch_max(depth, Ordering::Relaxed);
        }
    }
}

impl Search {
    /// A search of `position`.
    ///
    /// When the system grants no threads it searches with the calling one alone.
    pub fn new(position: Position, params: Params, resources: Resources) -> Self {
        let threads = match params.parallel {
            Parallel::Off => 1,
            _ => resources.threads.max(1),
        };
        let pool = match threads {
            1 => None,
            _ => ThreadPoolBuilder::new().num_threads(threads).build().ok(),
        };
        let workers = match (params.parallel, &pool) {
            (Parallel::Tree, Some(_)) => threads,
            _ => 1,
        };
        let tree = Tree::with_memory(resources.memory);
        Self {
            position,
            excluded: Vec::new(),
            tree: if workers == 1 { tree.for_one_worker() } else { tree },
            simulator: Simulator::new(&params, pool.is_some()),
            workers: (0..workers as u64).map(|i| Worker::new(resources.seed, i)).collect(),
            params,
            pool,
        }
    }

    /// The position that is searched.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The tree grown so far.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The parameters in use.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Threads that run iterations or parts of them.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, ThreadPool::current_num_threads)
    }

    /// Plays a legal move and keeps what the tree knows about the position after it.
    pub fn advance(&mut self, mv: Move) {
        let next = self.position.with_move(mv);
        match self.tree.find_move(mv) {
            Some(node) => self.tree.keep_only(node),
            None => self.tree.clear(),
        }
        self.position = next;
        self.excluded.clear();
    }

    /// Goes on from another position; what the tree knew is dropped unless it is the same one.
    pub fn set_position(&mut self, position: Position) {
        if position != self.position {
            self.position = position;
            self.excluded.clear();
            self.tree.clear();
        }
    }

    /// Leaves these moves of the present position out, until it is another one: [`Self::run`] answers with one of
    /// the others as long as there is any.
    pub fn exclude(&mut self, moves: &[Move]) {
        if moves != self.excluded {
            self.excluded = moves.to_vec();
            self.tree.clear();
        }
    }

    /// The moves that are left out.
    pub fn excluded(&self) -> &[Move] {
        &self.excluded
    }

    /// Searches until a limit is met, `stop` is raised or the outcome is proven, or [`Node::MOST_VISITS`]. Blocks; `progress` is
    /// called about once a second from one of the threads. Where counting tells that the side to move wins, or
    /// nothing is contested any more, it fills its squares and does not search.
    ///
    /// When the tree is full it loses what was visited least, unless the deadline is too near for that. That
    /// takes about a second a gigabyte, and `stop` is heeded after it.
    pub fn run(
        &mut self,
        limits: &Limits,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(&Report) + Send),
    ) -> Report {
        let started = Instant::now();
        let counted = self.counted_winner();
        let filling = counted.and_then(|_| Counter::new().filling_move(&self.position));
        let mut tally = Tally::default();
        let mut progress = Progress { next: started + Progress::INTERVAL, started, progress };
        let mut pausing = true;
        loop {
            let shared = Shared {
                tree: &self.tree,
                root: self.position,
                excluded: &self.excluded,
                params: &self.params,
                simulator: &self.simulator,
                limits,
                stop,
                tally: &tally,
                counted,
                // Of moves that all lose for certain the one that looks best is wanted.
                counting: self.params.counting && counted.is_none(),
                pausing,
            };
            if let Some(mv) = filling {
                return report::of_filling(&shared, mv, started.elapsed());
            }
            if self.position.winner().is_none() {
                work_together(&mut self.workers, self.pool.as_ref(), &shared, &mut progress);
            }
            if !shared.is_paused() {
                return report::of_search(&shared, started.elapsed());
            }
            pausing = limits.leave(self.tree.thinning_time());
            if pausing {
                pausing = self.tree.thin(Self::KEPT);
                tally.thinned += 1;
            }
        }
    }

    /// The part of a full tree's memory that stays in use when it is thinned.
    const KEPT: f64 = 0.5;

    /// Who wins, if counting tells. The tree forgets what it has proven of a game that is lost but still to be
    /// fought for.
    fn counted_winner(&mut self) -> Option<Side> {
        // The squares are counted for the side that may fill them as it likes.
        if !self.params.counting || self.position.winner().is_some() || !self.excluded.is_empty() {
            return None;
        }
        let winner = Counter::new().winner(&self.position)?;
        if winner != self.position.side() {
            self.tree.clear();
        }
        Some(winner)
    }
}

/// Iterates with all workers until the run is over or pauses.
fn work_together(
    workers: &mut [Worker],
    pool: Option<&ThreadPool>,
    shared: &Shared,
    progress: &mut Progress,
) {
    let (first, others) = workers.split_at_mut(1);
    match pool {
        Some(pool) => pool.scope(|scope| {
            for worker in others {
                scope.spawn(|_| worker.work(shared, &mut |_| ()));
            }
            first[0].work(shared, &mut |shared| progress.tick(shared));
        }),
        None => first[0].work(shared, &mut |shared| progress.tick(shared)),
    }
}

/// Calls the progress closure now and then.
struct Progress<'a> {
    next: Instant,
    started: Instant,
    progress: &'a mut (dyn FnMut(&Report) + Send),
}

impl Progress<'_> {
    const INTERVAL: Duration = Duration::from_secs(1);

    fn tick(&mut self, shared: &Shared) {
        let now = Instant::now();
        if now >= self.next {
            self.next = now + Self::INTERVAL;
            (self.progress)(&report::of_search(shared, now - self.started));
        }
    }
}

impl Shared<'_> {
    /// Whether the run goes on.
    #[inline]
    pub fn goes_on(&self) -> bool {
        let is_over = self.tally.finished.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed);
        !(is_over || self.pausing && self.tree.is_full())
    }

    /// How many iterations, of those that are wanted, may begin; counts them.
    #[inline]
    pub fn claim_iterations(&self, wanted: u32) -> u32 {
        if !self.goes_on() {
            return 0;
        }
        let before = self.tally.iterations.fetch_add(wanted.into(), Ordering::Relaxed);
        let left = self.limits.iterations.map_or(u64::MAX, |limit| limit.saturating_sub(before));
        let mut granted = left.min(wanted.into()) as u32;
        if self.tree.root_proof().is_some() {
            granted = 0;
            self.tally.finished.store(true, Ordering::Relaxed);
        }
        self.return_iterations(wanted - granted);
        granted
    }

    /// Takes back iterations that did not begin.
    #[inline]
    pub fn return_iterations(&self, count: u32) {
        if count > 0 {
            self.tally.iterations.fetch_sub(count.into(), Ordering::Relaxed);
        }
    }

    /// Whether nothing ended the run but that the tree was full.
    fn is_paused(&self) -> bool {
        let Tally { finished, iterations, .. } = self.tally;
        let is_met = self.limits.iterations.is_some_and(|limit| iterations.load(Ordering::Relaxed) >= limit);
        let is_over = is_met || finished.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed);
        self.pausing && self.tree.is_full() && !is_over
    }

    /// Ends the run when its time is over, or the root has been visited as often as can be counted.
    pub fn look_at_the_clock(&self) {
        let is_too_late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_too_late || self.tree.node(self.tree.root()).visits() >= Node::MOST_VISITS {
            self.tally.finished.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_that_has_been_visited_as_often_as_can_be_counted_ends_the_search() {
        let mut search = Search::new(Position::standard(), Params::TOURNAMENT, Resources::default());
        search.tree.node(search.tree.root()).add_visits(Node::MOST_VISITS - 1000);
        let mut run = || search.run(&Limits::iterations(100_000), &AtomicBool::new(false), &mut |_| ());
        let report = run();
        assert!((1000..1100).contains(&report.iterations), "{}", report.iterations);
        assert_eq!(run().best, report.best);
    }
}
