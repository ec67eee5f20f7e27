//! The searches of two papers, as the papers print them; deviations are listed below. Read each file beside its paper:
//!
//! - **MG-PEO**: Zhang, Zou, Zhu 2024, *An Efficient Optimization of the Monte Carlo Tree Search Algorithm for
//!   Amazons*, <https://doi.org/10.3390/a17080334>. Presets `paper`, `mg`, `peo` and `mcts`: with Move Groups and
//!   Parallel Evaluation, with one of them, with neither.
//! - **Kato et al. 2015**, <https://doi.org/10.1007/978-3-319-24315-3_14>, section 4: plain UCT. Preset `uct`.
//!
//! | in the MG-PEO paper | here |
//! |---|---|
//! | algorithm 1, MCTSSEARCH | [`PaperSearch::run`], one pass of its loop [`iteration`], line 8 [`report`] |
//! | algorithm 2, SituationEvaluation | [`simulation`]; its weights (equation 1, table 1) [`crate::eval::phased`] |
//! | section 3.2, figure 2, Move Groups | [`iteration`] (`list_actions`), [`simulation`] (the arrow before a rollout) |
//! | algorithm 3, Selection, Expansion, Backup, BESTCHILD (lines 1 to 14, 35 to 40) | [`iteration`] |
//! | algorithm 3, Simulation (lines 15 to 20) | [`simulation`] |
//! | algorithm 3, Rollout (lines 21 to 34) | [`mod@rollout`]; to the end of the game, for Kato et al., [`playout`] |
//! | algorithm 4, ParallelEvaluationMetrics | [`crate::eval::parallel`] |
//! | equations 2 to 7, the metrics | [`crate::eval::metrics`], [`crate::eval::mobility`] |
//! | equation 8, UCT | [`iteration`], with the factor 2 of algorithm 3 |
//!
//! Read [`iteration`], [`simulation`], [`mod@rollout`] and [`report`], the answer, in this order. [`tree`] stores the
//! nodes, [`params`] the parameters. One thread owns the tree.
//!
//! # Deviations from the MG-PEO paper
//!
//! - The paper searches each position anew; here [`PaperSearch::advance`] keeps the subtree of the move.
//! - Backup repeats lines 36 to 38 for each node up to the root, a loop that the print lacks. A node's reward is that
//!   of the side that chose its action.
//! - A movement without tried arrows has an infinite score, as section 3.2 says and algorithm 3 does not.
//! - Presets without move groups create whole moves, for which lines 9 to 12 have no case.
//! - Both rollouts of a movement node follow one random arrow, which does not count towards their depth.
//! - A rollout draws its first movement too; it does not replay the tree's move.
//! - A finished game is worth exactly 0 or 1; the paper evaluates its position.
//! - `k` of equation 3 favours the side to move. The metrics are Black's minus White's, so equations 5
//!   and 6 change their signs. Equation 5 gets the brackets that its print lacks.
//! - The answer is the most-visited child, not the one with the highest score. Section 3.2's early stop is left out.
//! - Line 9 of algorithm 4 reaches two of its four tasks; here all four run.
//! - Algorithm 4 splits mobility by squares; here it is split by side and runs beside the distances.
//! - When the memory is full, a node that has untried children stays a leaf.
//!
//! # Where the MG-PEO paper is silent
//!
//! | question | choice |
//! |---|---|
//! | the win rate of a value | a win above 0.1 squares, a loss below -0.1, otherwise 1/2 |
//! | the limits of the stages of table 1 | plies 20 and 50 of a 10x10 game |
//! | the constant `k` of equation 3, for a square that both sides reach equally early | 0.2 |
//! | the result of two rollouts | the mean of their win rates |
//! | the side to move at the end of a rollout in mid-move | the side that still has to shoot |
//!
//! # Kato et al.
//!
//! The paper does not say over what a playout draws uniformly: here over movements, then over arrows. The memory limit
//! is as above.

#[doc(hidden)] // public for tests and the laboratory
pub mod iteration;
mod params;
#[doc(hidden)]
pub mod playout;
mod report;
mod rollout;
#[doc(hidden)]
pub mod simulation;
#[doc(hidden)]
pub mod tree;

pub use params::{Formula, PARAMETERS, PaperParams, Parallel, Rollouts};

use crate::board::moves::Move;
use crate::board::position::Position;
use crate::board::state::Action;
use crate::interface::{Root, Ticker, TreeSearch};
use crate::limits::{Limits, Resources};
use crate::report::Report;
use crate::threads::{self, ThreadPool};
use crate::time::Instant;
use iteration::PathNode;
use report::Searched;
use simulation::Simulator;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tree::{Node, Tree};

/// A search of the papers: the root position and the tree grown so far.
pub struct PaperSearch {
    root: Root,
    tree: Tree,
    params: PaperParams,
    seed: u64,
    simulator: Simulator,
    pool: Option<ThreadPool>,
    /// Path of the current iteration, the root first.
    path: Vec<PathNode>,
    /// Buffer for the actions of a node.
    actions: Vec<Action>,
    /// Number of iterations of this run.
    iterations: u64,
    /// Length of the longest path of this run, in edges.
    depth: usize,
}

impl PaperSearch {
    /// Creates a search of `position`. Falls back to the calling thread alone if no thread pool can be created.
    pub fn new(position: Position, params: PaperParams, resources: Resources) -> Self {
        let threads = if params.parallel == Parallel::Off { 1 } else { resources.threads.max(1) };
        let pool = threads::pool(threads);
        Self {
            root: Root::new(position),
            tree: Tree::with_memory(resources.memory),
            simulator: Simulator::new(&params, resources.seed, pool.is_some()),
            params,
            seed: resources.seed,
            pool,
            path: Vec::new(),
            actions: Vec::new(),
            iterations: 0,
            depth: 0,
        }
    }

    /// The loop of algorithm 1, lines 3 to 7.
    fn search(&mut self, limits: &Limits, stop: &AtomicBool, started: Instant, ticker: &mut Ticker) {
        while !limits.are_reached(self.iterations, || stop.load(Relaxed)) {
            self.iterate();
            self.iterations += 1;
            if self.iterations.is_multiple_of(16) {
                let elapsed = started.elapsed();
                ticker.tick(elapsed, || self.report(elapsed));
            }
        }
    }

    /// Returns the tree.
    #[doc(hidden)]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the nodes of the last iteration's path, the root first.
    #[doc(hidden)]
    pub fn path(&self) -> impl Iterator<Item = &Node> {
        self.path.iter().map(|step| self.tree.node(step.node))
    }

    fn report(&self, elapsed: Duration) -> Report {
        let searched = Searched {
            tree: &self.tree,
            position: self.root.position,
            excluded: &self.root.excluded,
            iterations: self.iterations,
            depth: self.depth,
            edges_per_move: if self.params.move_groups { 2 } else { 1 },
            elapsed,
        };
        searched.report()
    }
}

impl TreeSearch for PaperSearch {
    fn position(&self) -> &Position {
        &self.root.position
    }

    fn threads(&self) -> usize {
        threads::count(self.pool.as_ref())
    }

    fn advance(&mut self, mv: Move) {
        match self.tree.find_move(mv) {
            Some(node) => self.tree.keep_only(node),
            None => self.tree.clear(),
        }
        self.root.advance(mv);
    }

    fn set_position(&mut self, position: Position) {
        if self.root.set_position(position) {
            self.tree.clear();
        }
    }

    fn clear(&mut self) {
        self.tree.clear();
    }

    fn exclude(&mut self, moves: &[Move]) {
        if self.root.exclude(moves) {
            self.tree.clear();
        }
    }

    fn excluded(&self) -> &[Move] {
        &self.root.excluded
    }

    /// MCTSSEARCH (algorithm 1): searches until a limit is reached or `stop` is set, but runs at least
    /// [`Limits::min_iterations`]. Calls `progress` about once a second.
    ///
    /// When the tree has used up its memory, it stops growing; the iterations go on with the nodes that it has.
    fn run(
        &mut self,
        limits: &Limits,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(&Report) + Send),
    ) -> Report {
        let started = Instant::now();
        let ticker = &mut Ticker::new(progress);
        (self.iterations, self.depth) = (0, 0);
        if self.root.position.winner().is_none() {
            match self.pool.take() {
                Some(pool) => {
                    pool.scope(|_| self.search(limits, stop, started, ticker));
                    self.pool = Some(pool);
                }
                None => self.search(limits, stop, started, ticker),
            }
        }
        self.report(started.elapsed())
    }
}
