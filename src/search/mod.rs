//! The search: Monte Carlo tree search over split moves, as in the MG-PEO paper.
//!
//! A turn is two edges of the tree: *movement* of an amazon, then its *arrow* (the paper's move
//! groups). START HERE: [`iteration`] is one iteration from top to bottom. It calls [`select`] (which child?),
//! [`expand`] (which children are there?), [`evaluate`] (how good is a new leaf? By the model, after the random
//! half-moves of [`rollout`] if there are any, or by a [`playout`] to the end) and [`backup`] (tell the ancestors).
//! [`worker`] repeats it on each thread, [`run`] is what the threads share, [`tree`] stores, [`params`] holds every
//! number that shapes the search, and [`report`] says what was found.
//!
//! The search prints nothing and knows no protocol: it reports through a closure and stops by a flag.

pub mod backup;
pub mod evaluate;
pub mod expand;
pub mod iteration;
pub mod params;
pub mod playout;
pub mod report;
pub mod rollout;
pub mod run;
pub mod select;
pub mod state;
pub mod tree;
pub mod worker;

use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::endgame::FillingProver;
use crate::threads::{ThreadPool, ThreadPoolBuilder};
use crate::time::Instant;
use crossbeam_utils::CachePadded;
use evaluate::LeafEvaluator;
use params::{Parallel, Params};
use report::Report;
use run::{Progress, Run, Tally};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tree::Tree;
use worker::Worker;

/// When a search ends by itself. With neither limit it runs until it is stopped, or the outcome is proven.
///
/// ```
/// use otrera::Limits;
/// use std::time::{Duration, Instant};
/// let both = Limits { iterations: Some(5000), ..Limits::time(Duration::from_secs(1)) };
/// assert!(both.deadline.is_some_and(|deadline| deadline > Instant::now()));
/// ```
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

    /// Whether at least `time` remains before the deadline.
    fn has_left(&self, time: Duration) -> bool {
        self.deadline.is_none_or(|deadline| deadline.saturating_duration_since(Instant::now()) > time)
    }
}

/// Machine resources for a search. By default one thread, 160 MiB and seed 1.
///
/// ```
/// use otrera::{Params, Position, Resources, Search};
/// let resources = Resources { threads: 2, memory: 16 << 20, ..Resources::default() };
/// assert_eq!(Search::new(Position::standard(), Params::TOURNAMENT, resources).threads(), 2);
/// ```
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
    evaluator: LeafEvaluator,
    params: Params,
    workers: Vec<CachePadded<Worker>>,
    pool: Option<ThreadPool>,
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
            evaluator: LeafEvaluator::new(&params, pool.is_some()),
            workers: (0..workers as u64).map(|i| Worker::new(resources.seed, i).into()).collect(),
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
    ///
    /// ```
    /// use otrera::{Limits, Params, Position, Resources, Search};
    /// use std::sync::atomic::AtomicBool;
    /// let mut search = Search::new(Position::standard(), Params::TOURNAMENT, Resources::default());
    /// let think = |search: &mut Search| search.run(&Limits::iterations(500), &AtomicBool::new(false), &mut |_| ());
    /// let first = think(&mut search);
    /// search.advance(first.best.unwrap());
    /// // The visits of the subtree are kept.
    /// assert!(think(&mut search).visits > 500);
    /// ```
    pub fn advance(&mut self, mv: Move) {
        let next = self.position.with_move(mv);
        match self.tree.find_move(mv) {
            Some(node) => self.tree.keep_only(node),
            None => self.tree.clear(),
        }
        self.position = next;
        self.excluded.clear();
    }

    /// Changes to another position and drops the tree, unless it is the same one.
    ///
    /// ```
    /// use otrera::{Params, Position, Resources, Search, Size};
    /// let mut search = Search::new(Position::standard(), Params::TOURNAMENT, Resources::default());
    /// search.set_position(Position::start(Size::BOTZONE));
    /// assert_eq!(search.position().size(), Size::BOTZONE);
    /// ```
    pub fn set_position(&mut self, position: Position) {
        if position != self.position {
            self.position = position;
            self.excluded.clear();
            self.tree.clear();
        }
    }

    /// Leaves these moves out until the position is another one: [`Self::run`] chooses one of the others as long as
    /// there is any.
    ///
    /// ```
    /// use otrera::{Limits, Params, Position, Resources, Search};
    /// use std::sync::atomic::AtomicBool;
    /// let mut search = Search::new(Position::standard(), Params::TOURNAMENT, Resources::default());
    /// let think = |search: &mut Search| search.run(&Limits::iterations(200), &AtomicBool::new(false), &mut |_| ());
    /// let best = think(&mut search).best.unwrap();
    /// search.exclude(&[best]);
    /// assert_ne!(think(&mut search).best, Some(best));
    /// ```
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

    /// Searches until a limit is met, `stop` is raised, the outcome is proven, or the root has
    /// [`Node::MOST_VISITS`](tree::Node::MOST_VISITS). Blocks; `progress` is called about once a second from one of the
    /// threads. Where [`crate::endgame`] proves who wins, and that is the side to move or no square is contested any
    /// more, the side to move fills its own squares and nothing is searched.
    ///
    /// A full tree is thinned to half of its memory, see [`Tree::thin`], unless the deadline is nearer than
    /// [`Tree::thinning_time`], which is 2.7 s for a gigabyte. `stop` is not looked at meanwhile.
    ///
    /// ```
    /// use otrera::{Limits, Params, Position, Resources, Search, Side, Size};
    /// use std::sync::atomic::AtomicBool;
    /// let tiny = Position::from_picture("W.X.\n..X.\nXXXX\nBX..", Side::White).unwrap();
    /// let mut search = Search::new(tiny, Params::TOURNAMENT, Resources::default());
    /// // No limit is needed: White is certain to win, and fills its own squares.
    /// let report = search.run(&Limits::default(), &AtomicBool::new(false), &mut |_| ());
    /// assert_eq!(report.proven, Some(Side::White));
    /// ```
    pub fn run(
        &mut self,
        limits: &Limits,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(&Report) + Send),
    ) -> Report {
        let started = Instant::now();
        let root_winner = self.endgame_winner();
        let filling = root_winner.and_then(|_| FillingProver::new().filling_move(&self.position));
        let mut tally = Tally::default();
        let mut progress = Progress::new(started, progress);
        let mut pausing = true;
        loop {
            let run = Run {
                tree: &self.tree,
                root: self.position,
                excluded: &self.excluded,
                params: &self.params,
                evaluator: &self.evaluator,
                limits,
                stop,
                tally: &tally,
                row_shift: Run::row_shift(self.workers.len()),
                root_winner,
                // Where the root is proven to be lost, the move that looks best is wanted and not any that loses.
                endgame_proofs: self.params.counting && root_winner.is_none(),
                pausing,
            };
            if let Some(mv) = filling {
                return report::of_filling(&run, mv, started.elapsed());
            }
            if self.position.winner().is_none() {
                run.work_together(&mut self.workers, self.pool.as_ref(), &mut progress);
            }
            if !run.is_paused() {
                return report::of_search(&run, started.elapsed());
            }
            pausing = limits.has_left(self.tree.thinning_time());
            if pausing {
                pausing = self.tree.thin(Self::KEPT);
                tally.thinned += 1;
            }
        }
    }

    /// The part of a full tree's memory that stays in use when it is thinned.
    const KEPT: f64 = 0.5;

    /// Who wins the position by the filling bounds of [`crate::endgame`]. Where that is the opponent the tree forgets
    /// its proofs: the game is still to be fought for.
    fn endgame_winner(&mut self) -> Option<Side> {
        // The bounds hold for a side that may play all of its moves.
        if !self.params.counting || self.position.winner().is_some() || !self.excluded.is_empty() {
            return None;
        }
        let winner = FillingProver::new().winner(&self.position)?;
        if winner != self.position.side() {
            self.tree.clear();
        }
        Some(winner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tree::Node;

    #[test]
    fn a_root_that_has_been_visited_as_often_as_can_be_counted_ends_the_search() {
        let mut search = Search::new(Position::standard(), Params::TOURNAMENT, Resources::default());
        search.tree.node(search.tree.root()).add_visits(Node::MOST_VISITS - 1000);
        let mut run = || search.run(&Limits::iterations(100_000), &AtomicBool::new(false), &mut |_| ());
        let report = run();
        // Those that have been granted in a row count as visits before they begin.
        let granted = u64::from(Params::TOURNAMENT.burst);
        assert!((1000 - granted..1100).contains(&report.iterations), "{}", report.iterations);
        assert_eq!(run().best, report.best);
    }
}
