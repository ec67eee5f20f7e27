//! The papers' searches: the order of their iterations, compared with the formulas in double precision, and the limit
//! of their tree. `tests/search.rs` checks what all searches have in common.

use otrera::board::state::Action;
use otrera::mgpeo::tree::{Node, NodeId, Tree};
use otrera::mgpeo::{Formula, PaperParams, PaperSearch, Parallel, Rollouts};
use otrera::{Limits, Position, Report, Resources, TreeSearch, bench};
use std::sync::atomic::AtomicBool;

/// Every combination of move groups and formula.
fn searches() -> [PaperParams; 4] {
    [
        PaperParams::MG,
        PaperParams { formula: Formula::Ucb1Tuned, ..PaperParams::MG },
        PaperParams::MCTS,
        PaperParams::UCT,
    ]
}

fn run(search: &mut PaperSearch, iterations: u64) -> Report {
    search.run(&Limits::iterations(iterations), &AtomicBool::new(false), &mut |_| ())
}

fn positions() -> impl Iterator<Item = Position> {
    bench::POSITIONS.iter().map(|fen| Position::from_fen(fen).unwrap())
}

/// Returns a child's score in double precision; infinite for a movement without tried arrows.
fn score(formula: Formula, parent: &Node, child: &Node) -> f64 {
    if matches!(child.action, Action::Movement(_)) && child.tried() == 0 {
        return f64::INFINITY;
    }
    let (mean, visits) = (child.reward / f64::from(child.visits), f64::from(child.visits));
    let ratio = f64::from(parent.visits).ln() / visits;
    match formula {
        Formula::Uct { c } => mean + f64::from(c) * (2.0 * ratio).sqrt(),
        Formula::Ucb1Tuned => mean + (ratio * (mean - mean * mean + (2.0 * ratio).sqrt()).min(0.25)).sqrt(),
    }
}

#[test]
fn every_descent_follows_the_formula() {
    let (mut followed, mut full) = (0, 0);
    for params in searches() {
        for position in positions().skip(2) {
            let mut search = PaperSearch::new(position, params.clone(), Resources::default());
            run(&mut search, 4000);
            for _ in 0..200 {
                search.selection();
                let path: Vec<&Node> = search.path().collect();
                for (parent, child) in path.iter().zip(&path[1..]) {
                    assert!(parent.is_fully_expanded());
                    let id = ids(search.tree()).find(|&id| std::ptr::eq(search.tree().node(id), *parent));
                    let children = search.tree().tried(id.unwrap()).iter();
                    let highest =
                        children.map(|child| score(params.formula, parent, child)).fold(0.0, f64::max);
                    let ours = score(params.formula, parent, child);
                    assert!(
                        ours == highest || ours > highest - 1e-5,
                        "{ours}, but there is one of {highest}"
                    );
                    followed += 1;
                    full += u32::from(ours.is_infinite());
                }
                run(&mut search, 1);
            }
        }
    }
    assert!(followed > 5000 && full > 100, "{followed} choices, {full} of movements without an arrow");
}

/// Returns the ids of all tried nodes.
fn ids(tree: &Tree) -> impl Iterator<Item = NodeId> {
    let mut open = vec![Tree::ROOT];
    std::iter::from_fn(move || {
        let id = open.pop()?;
        open.extend((0..tree.node(id).tried()).map(|number| tree.child(id, number)));
        Some(id)
    })
}

/// Checks the tree's counts after searches, advances and a full tree: an iteration visits each node of its path once
/// and ends at one, and no child is tried twice.
#[test]
fn visits_and_rewards_add_up() {
    for params in searches() {
        for (position, memory) in
            positions().step_by(3).flat_map(|position| [(position, 0), (position, 64 << 20)])
        {
            let resources = Resources { memory, ..Resources::default() };
            let mut search = PaperSearch::new(position, params.clone(), resources);
            for _ in 0..3 {
                let report = run(&mut search, 10_000);
                check(search.tree());
                assert!(report.memory_used <= 1.0, "{report:?}");
                search.advance(report.best.unwrap());
                check(search.tree());
                if search.position().winner().is_some() {
                    break;
                }
            }
        }
    }
}

fn check(tree: &Tree) {
    for id in ids(tree) {
        let (node, children) = (tree.node(id), tree.tried(id));
        let below: u64 = children.iter().map(|child| u64::from(child.visits)).sum();
        assert!(below <= node.visits.into() && node.tried() <= node.children());
        assert!(node.is_fully_expanded() || children.iter().all(|child| child.visits == 1));
        assert!((0.0..=f64::from(node.visits)).contains(&node.reward));
        let actions: Vec<Action> = children.iter().map(|child| child.action).collect();
        assert!((1..actions.len()).all(|number| !actions[..number].contains(&actions[number])));
    }
}

#[test]
fn a_full_tree_stops_growing_and_still_searches() {
    let resources = Resources { memory: 1 << 20, ..Resources::default() };
    for params in searches() {
        let mut search = PaperSearch::new(Position::standard(), params, resources);
        let [first, second] = [(); 2].map(|()| run(&mut search, 40_000));
        assert!(search.tree().is_full() && second.memory_used > 0.5, "{second:?}");
        assert!(second.nodes < first.nodes + 3000, "{} nodes, then {}", first.nodes, second.nodes);
        assert_eq!((second.iterations, second.visits), (40_000, 80_000));
    }
}

/// Half of the memory of a tree is enough for as many iterations: freed blocks are used again.
#[test]
fn small_blocks_are_used_again() {
    let memory = 40_000 * 2 * size_of::<Node>();
    let mut search =
        PaperSearch::new(Position::standard(), PaperParams::MG, Resources { memory, ..Resources::default() });
    run(&mut search, 40_000);
    assert!(!search.tree().is_full());
}

#[test]
fn parallel_work_changes_no_result() {
    for position in positions() {
        for rollouts in [Rollouts::Two(4, 5), Rollouts::One(3)] {
            let outcome = |parallel, threads| {
                let params = PaperParams { parallel, rollouts, ..PaperParams::PAPER };
                let resources = Resources { threads, ..Resources::default() };
                let report = run(&mut PaperSearch::new(position, params, resources), 200);
                (report.lines, report.win_rate)
            };
            let alone = outcome(Parallel::Off, 1);
            assert_eq!(outcome(Parallel::Metrics, 2), alone);
            assert_eq!(outcome(Parallel::Rollouts, 2), alone);
        }
    }
}
