//! Profiles an iteration: the cost of each part, measured on the trees that the benchmark's searches grow.
//!
//! After a search, every leaf that it evaluated is evaluated again and every node that it expanded is expanded again,
//! each kind in one loop. The share of the evaluation is its loop's time over the search's time. Times are means on
//! warm caches, on one thread; only their ratios within one run are meaningful.

use super::{ITERATIONS, POSITIONS};
use crate::board::position::Position;
use crate::eval::distance::DistanceMaps;
use crate::eval::model::ModelScratch;
use crate::eval::{Evaluator, metrics, mobility};
use crate::search::backup::{self, Rewards, Step};
use crate::search::evaluate::{EvaluationScratch, LeafEvaluator};
use crate::search::expand::Expander;
use crate::search::params::{Params, Rollouts};
use crate::search::select::cache::SelectionCache;
use crate::search::select::puct::ValueVariance;
use crate::search::select::{Parent, best_child};
use crate::search::state::State;
use crate::search::tree::{ArenaChunk, NodeId, Tree};
use crate::search::{Limits, Resources, Search};
use crate::simd::Kernel;
use crate::time::Instant;
use fastrand::Rng;
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Half-moves in the difference of two rollouts, from which the cost of one half-move follows.
const HALF_MOVES: u32 = 8;

/// Mean cost of a part.
#[derive(Clone, Debug)]
pub struct Part {
    /// Name of the part.
    pub name: String,
    /// Mean time in nanoseconds.
    pub nanoseconds: f64,
}

/// Costs of all parts, and their shares of an iteration.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Costs of the parts, each measured by itself.
    pub parts: Vec<Part>,
    /// Mean time of a whole iteration in nanoseconds.
    pub iteration: f64,
    /// Fraction of an iteration spent evaluating leaves, including rollouts, 0 to 1.
    pub evaluation: f64,
    /// Fraction of an iteration spent expanding nodes, including priors, 0 to 1.
    pub expansion: f64,
}

/// Work of a finished search: the leaves that it evaluated, the nodes that it expanded, the paths to the leaves.
#[derive(Default)]
struct SearchedNodes {
    evaluated: Vec<State>,
    expanded: Vec<(NodeId, State)>,
    paths: Vec<Vec<Step>>,
}

/// Measures the parts of a search with these parameters.
pub fn run(params: &Params) -> Parts {
    let mut sums = Sums::default();
    for fen in POSITIONS {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let mut search = Search::new(position, params.clone(), Resources::default());
        let report = search.run(&Limits::iterations(ITERATIONS), &AtomicBool::new(false), &mut |_| ());
        sums.iterations.add(report.elapsed, report.iterations);
        let mut nodes = SearchedNodes::default();
        let mut path = vec![Step { node: search.tree().root(), mover: position.side().opponent() }];
        nodes.collect(search.tree(), params, &State::ToMove(position), &mut path);
        sums.measure_search(&search, &nodes);
        sums.measure_evaluation(params, &nodes.evaluated);
    }
    sums.parts()
}

impl SearchedNodes {
    /// Collects the subtree below the last node of the path.
    fn collect(&mut self, tree: &Tree, params: &Params, state: &State, path: &mut Vec<Step>) {
        let id = path[path.len() - 1].node;
        let between = matches!(state, State::ToShoot(_));
        if tree.node(id).proof().is_none() && !(between && params.formula.has_priors()) {
            self.evaluated.push(*state);
            self.paths.push(path.clone());
        }
        if tree.is_expanded(id) {
            self.expanded.push((id, *state));
            for (child, node) in tree.tried(id) {
                path.push(Step { node: child, mover: state.chooser() });
                self.collect(tree, params, &state.after(node.edge()), path);
                path.pop();
            }
        }
    }
}

/// Total time, and number of items.
#[derive(Clone, Copy, Default)]
struct Sum {
    time: Duration,
    count: u64,
}

impl Sum {
    fn add(&mut self, time: Duration, count: u64) {
        self.time += time;
        self.count += count;
    }

    /// Runs `work` on each item and adds the time.
    fn measure<T>(&mut self, things: &[T], mut work: impl FnMut(&T)) {
        let started = Instant::now();
        things.iter().for_each(&mut work);
        self.add(started.elapsed(), things.len() as u64);
    }

    fn nanoseconds(&self) -> f64 {
        self.time.as_nanos() as f64 / self.count.max(1) as f64
    }

    /// Returns the fraction of another time.
    fn share_of(&self, whole: &Self) -> f64 {
        self.time.as_secs_f64() / whole.time.as_secs_f64()
    }
}

#[derive(Default)]
struct Sums {
    distances: Sum,
    territory: Sum,
    queen_position: Sum,
    king_position: Sum,
    mobility: Sum,
    by_kernel: [Sum; Kernel::COUNT],
    short_rollout: Sum,
    long_rollout: Sum,
    selection: Sum,
    expansion: Sum,
    backup: Sum,
    evaluation: Sum,
    iterations: Sum,
}

impl Sums {
    /// Measures the parts of an iteration.
    fn measure_search(&mut self, search: &Search, nodes: &SearchedNodes) {
        let (tree, params) = (search.tree(), search.params());
        let (mut rng, mut scratch) = (Rng::with_seed(1), EvaluationScratch::default());
        let mut evaluate = |sum: &mut Sum, rollouts| {
            let evaluator = LeafEvaluator::new(&Params { rollouts, ..params.clone() }, false);
            sum.measure(&nodes.evaluated, |state| {
                black_box(evaluator.win_rate_for_black(state, &mut rng, &mut scratch));
            });
        };
        evaluate(&mut self.evaluation, params.rollouts);
        evaluate(&mut self.short_rollout, Rollouts::One(1));
        evaluate(&mut self.long_rollout, Rollouts::One(1 + HALF_MOVES));
        let fresh = Tree::with_memory(Resources::default().memory);
        // Each family hangs below the first child of the one before; the place does not affect the time.
        let mut next = Some(fresh.root());
        let mut expander = Expander::new(1);
        self.expansion.measure(&nodes.expanded, |(_, state)| {
            let Some(id) = next else { return };
            next = expander.expand_on(Kernel::fastest(), &fresh, id, state, params);
        });
        let (mut cache, mut chunk) = (SelectionCache::default(), ArenaChunk::default());
        let lister = &mut expander.lister;
        self.selection.measure(&nodes.expanded, |(id, state)| {
            let parent = Parent::new(tree, *id, state.chooser());
            let lister = &mut *lister;
            black_box(best_child(
                &parent,
                params,
                ValueVariance::START,
                &mut cache,
                &mut chunk,
                move |count| lister.list_on(Kernel::fastest(), state, params, count),
            ));
        });
        self.backup.measure(&nodes.paths, |path| {
            backup::add_rewards(tree, path, Rewards::of(crate::WinRate::EVEN));
        });
    }

    /// Measures the parts of an evaluation, on the boards of these states.
    fn measure_evaluation(&mut self, params: &Params, states: &[State]) {
        let boards: Vec<Position> = states.iter().map(|state| *state.position()).collect();
        let mut maps = DistanceMaps::default();
        let mut scratch = ModelScratch::default();
        let kernel = Kernel::fastest();
        self.distances.measure(&boards, |board| maps.flood(board, kernel));
        for (kernel, sum) in Kernel::available().zip(&mut self.by_kernel) {
            let evaluator = Evaluator::new(params.model.clone()).with_kernel(kernel);
            sum.measure(&boards, |board| {
                black_box(evaluator.value(board, &mut scratch));
            });
        }
        // Few enough for their maps to stay in the processor's cache, as a leaf's maps do.
        let flooded = boards.iter().step_by(boards.len() / 32 + 1).map(|board| {
            maps.flood(board, kernel);
            (*board, maps.clone())
        });
        let flooded: Vec<(Position, DistanceMaps)> = flooded.collect();
        for _ in 0..100 {
            self.measure_metrics(&flooded, kernel);
        }
    }

    fn measure_metrics(&mut self, flooded: &[(Position, DistanceMaps)], kernel: Kernel) {
        self.territory.measure(flooded, |(_, maps)| {
            black_box((metrics::territory(&maps.queen), metrics::territory(&maps.king)));
        });
        self.queen_position.measure(flooded, |(_, maps)| {
            black_box(metrics::queen_position(&maps.queen));
        });
        self.king_position.measure(flooded, |(_, maps)| {
            black_box(metrics::king_position(&maps.king));
        });
        self.mobility.measure(flooded, |(board, _)| {
            black_box(mobility::mobility_on(board, kernel));
        });
    }

    fn parts(&self) -> Parts {
        let rollouts = [&self.long_rollout, &self.short_rollout].map(Sum::nanoseconds);
        let half_move = (rollouts[0] - rollouts[1]) / f64::from(HALF_MOVES);
        let part = |name: &str, sum: &Sum| Part { name: name.into(), nanoseconds: sum.nanoseconds() };
        let mut parts = vec![
            part("distance maps, queen and king", &self.distances),
            part("territory t1 and t2, from the maps", &self.territory),
            part("position p1, from the maps", &self.queen_position),
            part("position p2, from the maps", &self.king_position),
            part("mobility", &self.mobility),
        ];
        parts.extend(
            Kernel::available()
                .zip(&self.by_kernel)
                .map(|(kernel, sum)| part(&format!("evaluation, {} kernel", kernel.name()), sum)),
        );
        parts.extend([
            Part { name: "one random half-move".into(), nanoseconds: half_move },
            part("evaluating a leaf, after its rollouts", &self.evaluation),
            part("selection among the children of a node", &self.selection),
            part("expanding a node, with its priors", &self.expansion),
            part("backing up a leaf", &self.backup),
        ]);
        Parts {
            parts,
            iteration: self.iterations.nanoseconds(),
            evaluation: self.evaluation.share_of(&self.iterations),
            expansion: self.expansion.share_of(&self.iterations),
        }
    }
}
