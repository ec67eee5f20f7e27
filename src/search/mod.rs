//! The tournament search: Monte Carlo tree search over half-moves by PUCT, with one evaluation of each leaf.
//!
//! A turn takes two edges of the tree: the *movement* of an amazon, then its *arrow* (move groups). START
//! HERE: [`iteration`] is one iteration from top to bottom.
//!
//! [`TournamentSearch::run`], in this file, starts the threads. Modules in reading order; each uses only those after
//! it:
//!
//! | module | does |
//! |---|---|
//! | [`iteration`] | iterates on one thread: select, expand, evaluate, back up |
//! | [`report`] | builds the result: best move, principal variation, statistics |
//! | [`run`] | holds the state shared by the threads, and the limits |
//! | [`select`] | selects a child by PUCT |
//! | [`expand`] | lists the children of a node, ordered by prior |
//! | [`history`] | remembers which half-moves did well elsewhere in the tree |
//! | [`evaluate`] | evaluates a new leaf by the model |
//! | [`backup`] | adds the leaf's value to its ancestors and backs up proofs |
//! | [`state`] | the game state at a node |
//! | [`tree`] | stores the nodes |
//! | [`params`] | defines every search parameter |
//!
//! The search prints nothing and speaks no protocol. It reports through a closure and stops when a flag is set.

mod evaluate;
mod iteration;
pub mod params;
mod report;
mod run;

// Public for tests and the laboratory.
#[doc(hidden)]
pub mod backup;
#[doc(hidden)]
pub mod expand;
#[doc(hidden)]
pub mod history;
#[doc(hidden)]
pub mod select;
#[doc(hidden)]
pub mod state;
#[doc(hidden)]
pub mod tree;

use crate::board::moves::Move;
use crate::board::position::Position;
use crate::endgame::FillingProver;
use crate::interface::{Root, Ticker, TreeSearch};
use crate::limits::{Limits, Resources};
use crate::report::Report;
use crate::threads::{self, ThreadPool};
use crate::time::Instant;
use crossbeam_utils::CachePadded;
use iteration::Worker;
use params::TournamentParams;
use run::{Counters, RootProof, Run, Task};
use std::sync::atomic::AtomicBool;
use tree::Tree;

/// A search: the root position, the tree grown so far, and the threads that grow the tree.
pub struct TournamentSearch {
    root: Root,
    tree: Tree,
    /// True if the filling bounds of [`crate::endgame`] may have proven nodes of the tree.
    has_endgame_proofs: bool,
    params: TournamentParams,
    workers: Vec<CachePadded<Worker>>,
    pool: Option<ThreadPool>,
}

impl TournamentSearch {
    /// Creates a search of `position`. Falls back to the calling thread alone if no thread pool can be created.
    pub fn new(position: Position, params: TournamentParams, resources: Resources) -> Self {
        let threads = resources.threads.max(1);
        let pool = threads::pool(threads);
        let workers = if pool.is_some() { threads } else { 1 };
        let tree = Tree::with_memory(resources.memory);
        Self {
            root: Root::new(position),
            tree: if workers == 1 { tree.for_one_worker() } else { tree },
            has_endgame_proofs: false,
            workers: (0..workers as u64).map(|i| Worker::new(resources.seed, i).into()).collect(),
            params,
            pool,
        }
    }

    /// Proves the winner at the root by the filling bounds of [`crate::endgame`]. `None` without a proof, if the game
    /// is over, if moves are excluded, or if `endgame_proofs` is off. If the opponent is the winner, clears a tree that
    /// may contain proofs by the bounds: such proofs would end the search, but the opponent may still err.
    fn prove_root(&mut self) -> Option<RootProof> {
        // The bounds assume that no move is excluded.
        let Root { position, excluded } = &self.root;
        if !self.params.endgame_proofs || position.winner().is_some() || !excluded.is_empty() {
            return None;
        }
        let mut prover = FillingProver::new();
        let winner = prover.winner(position)?;
        if winner != position.side() && std::mem::take(&mut self.has_endgame_proofs) {
            self.tree.clear();
        }
        Some(RootProof { winner, margin: prover.margin(position) })
    }
}

impl TreeSearch for TournamentSearch {
    fn position(&self) -> &Position {
        &self.root.position
    }

    fn threads(&self) -> usize {
        threads::count(self.pool.as_ref())
    }

    /// Plays a legal move at the root. Keeps the subtree below the move and the history of half-moves.
    fn advance(&mut self, mv: Move) {
        match self.tree.find_move(mv) {
            Some(node) => self.tree.keep_only(node),
            None => self.tree.clear(),
        }
        self.root.advance(mv);
    }

    fn set_position(&mut self, position: Position) {
        if self.root.set_position(position) {
            self.clear();
        }
    }

    /// Drops the tree and the history of half-moves; keeps the root position.
    fn clear(&mut self) {
        self.tree.clear();
        self.workers.iter_mut().for_each(|worker| worker.clear_history());
        self.has_endgame_proofs = false;
    }

    fn exclude(&mut self, moves: &[Move]) {
        if self.root.exclude(moves) {
            self.tree.clear();
        }
    }

    fn excluded(&self) -> &[Move] {
        &self.root.excluded
    }

    /// Searches until a limit is reached, `stop` is set, the outcome is proven, or the root has
    /// [`Node::MAX_VISITS`](tree::Node::MAX_VISITS) visits; but runs at least [`Limits::min_iterations`].
    ///
    /// Skips the search if the filling bounds of [`crate::endgame`] prove the winner, and either the side to move wins
    /// or no square is contested. The best move is then [`FillingProver::filling_move`], which fills the mover's own
    /// squares.
    fn run(
        &mut self,
        limits: &Limits,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(&Report) + Send),
    ) -> Report {
        let started = Instant::now();
        let proof = self.prove_root();
        let is_over = self.root.position.winner().is_some();
        if self.tree.root_proof().is_some()
            && !is_over
            && !report::has_best_move(&self.tree, &self.root.position)
        {
            // The search of a proven root ends at once, and would play any move.
            self.tree.clear();
        }
        // If the root is a proven loss, the search must still find the move that resists longest, so it does not try
        // the filling bounds below the root.
        let endgame_proofs = self.params.endgame_proofs && proof.is_none();
        self.has_endgame_proofs |= endgame_proofs;
        let Self { root: Root { position, excluded }, tree, params, workers, pool, .. } = self;
        let task = Task {
            root: *position,
            excluded,
            params,
            limits: *limits,
            stop,
            burst_shift: Task::burst_shift(workers.len()),
            proof,
            endgame_proofs,
        };
        let filling = proof.and_then(|_| FillingProver::new().filling_move(position));
        let mut threads = Threads { workers, pool: pool.as_ref(), started };
        let mut counters = Counters::default();
        if let Some(mv) = filling {
            let run = Run { tree, task: &task, counters: &counters, pausing: false };
            return report::of_filling(&run, mv, started.elapsed());
        }
        threads.search(tree, &task, &mut counters, &mut Ticker::new(progress));
        report::of_search(&Run { tree, task: &task, counters: &counters, pausing: false }, started.elapsed())
    }
}

/// The workers, the pool on which they run, and the start of the run.
struct Threads<'a> {
    workers: &'a mut [CachePadded<Worker>],
    pool: Option<&'a ThreadPool>,
    started: Instant,
}

impl Threads<'_> {
    /// Runs iterations until the task is done. When the tree is full, recycles the memory of its least-visited nodes,
    /// see [`Tree::recycle`]; if the deadline is nearer than [`Tree::recycle_time`], continues with the full tree.
    fn search(&mut self, tree: &mut Tree, task: &Task, counters: &mut Counters, ticker: &mut Ticker) {
        let mut pausing = true;
        loop {
            let run = Run { tree, task, counters, pausing };
            self.work(&run, ticker);
            if !run.is_paused() {
                break;
            }
            pausing = task.limits.leaves(tree.recycle_time()) && self.make_room(tree, counters);
        }
        if (Run { tree, task, counters, pausing: false }).is_too_short() {
            *counters.finished.get_mut() = false;
            let limits = Limits::iterations(task.limits.min_iterations());
            let task = Task { limits, stop: &AtomicBool::new(false), ..*task };
            self.work(&Run { tree, task: &task, counters, pausing: false }, ticker);
        }
    }

    /// Recycles memory. Returns `false` if there is still too little room.
    fn make_room(&self, tree: &mut Tree, counters: &mut Counters) -> bool {
        let paused = Instant::now();
        let has_room = tree.recycle(self.pool);
        counters.recycling += paused.elapsed();
        counters.recycled += 1;
        has_room
    }

    /// Runs iterations on all workers until the run is over or pauses. The first worker ticks.
    fn work(&mut self, run: &Run, ticker: &mut Ticker) {
        if run.task.root.winner().is_some() {
            return;
        }
        let started = self.started;
        let mut tick = |run: &Run| {
            let elapsed = started.elapsed();
            ticker.tick(elapsed, || report::of_search(run, elapsed));
        };
        let (first, others) = self.workers.split_at_mut(1);
        match self.pool {
            Some(pool) => pool.scope(|scope| {
                for worker in others {
                    scope.spawn(|_| worker.work(run, &mut |_| ()));
                }
                first[0].work(run, &mut tick);
            }),
            None => first[0].work(run, &mut tick),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::square::Side;
    use params::Puct;
    use select::puct::ValueVariance;
    use tree::{Node, NodeId};

    #[test]
    fn a_proof_whose_moves_were_recycled_is_found_again() {
        let position = Position::from_fen("1*q2/*2*1/**2*/1Q*1*/2**1 w - - 0 1").unwrap();
        let resources = Resources { threads: 1, memory: 16 << 20, seed: 1 };
        let mut search = TournamentSearch::new(position, TournamentParams::DEFAULT, resources);
        let run = |search: &mut TournamentSearch| {
            search.run(&Limits::iterations(3000), &AtomicBool::new(false), &mut |_| ())
        };
        let found = run(&mut search);
        assert_eq!((found.proven, found.best), (Some(Side::Black), "b2-c3/c4".parse().ok()));
        // As recycling frees the children of a node, which keeps its proof.
        search.tree.node(search.tree.root()).collapse();
        let again = run(&mut search);
        assert_eq!((again.proven, again.best), (found.proven, found.best));
        assert!(again.iterations > 0);
    }

    #[test]
    fn counts_of_visits_do_not_overflow() {
        for (visits, most, is_candidate) in
            [(900_000_000, 900_000_000, true), (170_000_000, 900_000_000, false), (1, 4_000_000_000, false)]
        {
            assert_eq!(select::is_candidate(visits, most), is_candidate, "{visits} of {most}");
        }
    }

    #[test]
    fn search_ends_at_the_maximum_root_visits() {
        let mut search =
            TournamentSearch::new(Position::standard(), TournamentParams::DEFAULT, Resources::default());
        search.tree.node(search.tree.root()).add_visits(Node::MAX_VISITS - 1000);
        let mut run = || search.run(&Limits::iterations(100_000), &AtomicBool::new(false), &mut |_| ());
        let report = run();
        // Visits are counted when a burst is granted, before its iterations run.
        let granted = u64::from(TournamentParams::DEFAULT.burst);
        assert!((1000 - granted..1100).contains(&report.iterations), "{}", report.iterations);
        assert_eq!(run().best, report.best);
    }

    /// Computes by PUCT, in double precision, the nodes that the next iteration visits. The flag is true if the
    /// iteration then tries a new child of the last node. `None` if the two best scores at a node are nearly equal.
    fn next_path(tree: &Tree, puct: &Puct) -> Option<(Vec<NodeId>, bool)> {
        let (mut path, mut variance) = (vec![tree.root()], f64::from(ValueVariance::START.0));
        loop {
            let &id = path.last()?;
            let node = tree.node(id);
            if !tree.is_expanded(id) {
                return Some((path, false));
            }
            // Rewards are those of the side that moved into the node: after a movement the chooser, else the opponent.
            let after_movement = id != tree.root() && node.edge().as_arrow().is_none();
            let puct = if path.len() <= 2 { puct.at_root() } else { *puct };
            let c = puct.c(after_movement, node.visits());
            let mean = f64::from(node.mean(node.visits()));
            let (count, squares) = tree.deviations(id);
            let (count, weight) = (f64::from(count), f64::from(puct.variance_prior));
            let about_mean = f64::from(squares) - count * (mean - 0.5) * (mean - 0.5);
            variance = (about_mean.max(0.0) + weight * variance) / (count + weight);
            let exploration = f64::from(c) * (variance * f64::from(node.visits())).sqrt();
            let score = |mean: f64, prior: f32, visits: u32| {
                mean + exploration * f64::from(prior) / f64::from(1 + visits)
            };
            let urgency = if after_movement { mean } else { 1.0 - mean };
            let untried = tree.next_prior(id).map(|prior| (score(urgency, prior, 0), None));
            let tried = tree.tried(id).map(|(child, node)| {
                let visits = node.visits();
                (score(node.mean(visits).into(), node.prior(), visits), Some(child))
            });
            let mut scored: Vec<_> = tried.chain(untried).collect();
            scored.sort_by(|one, other| other.0.total_cmp(&one.0));
            if scored.len() > 1 && scored[0].0 - scored[1].0 < 1e-4 {
                return None;
            }
            let Some(child) = scored[0].1 else { return Some((path, true)) };
            path.push(child);
        }
    }

    #[test]
    fn iterations_follow_the_puct_formula() {
        // A high weight makes a node's variance depend strongly on its parent's.
        let puct = Puct { variance_prior: 100.0, ..Puct::DEFAULT };
        let params = TournamentParams { puct, burst: 1, endgame_proofs: false, ..TournamentParams::DEFAULT };
        let (mut followed, mut deep) = (0, 0);
        for fen in &crate::bench::POSITIONS[..3] {
            let position = Position::from_fen(fen).unwrap();
            let mut search = TournamentSearch::new(position, params.clone(), Resources::default());
            let run = |search: &mut TournamentSearch, count| {
                search.run(&Limits::iterations(count), &AtomicBool::new(false), &mut |_| ())
            };
            run(&mut search, 1000);
            for _ in 0..700 {
                let Some((path, is_new)) = next_path(&search.tree, &puct) else {
                    run(&mut search, 1);
                    continue;
                };
                let tried = |search: &TournamentSearch| search.tree.node(path[path.len() - 1]).counts().1;
                let visits = |search: &TournamentSearch| {
                    path.iter().map(|&id| search.tree.node(id).visits()).collect()
                };
                let (tried_before, before): (u32, Vec<u32>) = (tried(&search), visits(&search));
                run(&mut search, 1);
                let expected: Vec<u32> = before.iter().map(|visits| visits + 1).collect();
                assert_eq!(visits(&search), expected, "{fen}, {path:?}");
                assert!(!is_new || tried(&search) == tried_before + 1, "{fen}, {path:?}");
                followed += 1;
                deep += u32::from(path.len() > 4);
            }
        }
        assert!(followed > 700 && deep > 300, "{followed}, {deep} of them deep");
    }
}
