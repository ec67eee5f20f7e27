//! The formulas by which a child is selected, against plain double precision, on random families.

use fastrand::Rng;
use otrera::search::params::Formula;
use otrera::search::select::best_child;
use otrera::search::shortlist::Shortlist;
use otrera::search::tree::{Edge, NodeId, REWARD_UNIT, Tree};
use otrera::{Params, Position, Side};

/// A root with children of random statistics: the tree, and for each child its visits and its mean.
fn random_family(rng: &mut Rng) -> (Tree, Vec<(NodeId, f64, f64)>) {
    let tree = Tree::with_memory(0);
    let edges: Vec<Edge> =
        Position::standard().legal_moves().take(rng.usize(2..40)).map(Edge::whole).collect();
    assert!(tree.begin_opening(tree.root()) && tree.open(tree.root(), &edges));
    // Few visits, more, and very many of children that hardly ever win.
    let (most_visits, best_mean) = [(3, 1000), (60, 1000), (2000, 60)][rng.usize(..3)];
    let mut children = Vec::new();
    while let Some(child) = tree.claim_untried(tree.root()) {
        let (visits, mean) = (rng.u32(1..=most_visits), rng.u32(0..=best_mean));
        for _ in 0..visits {
            tree.node(tree.root()).enter();
            tree.node(child).enter();
        }
        tree.node(child).add_reward(mean * visits * (REWARD_UNIT / 1000));
        let reward = f64::from(mean * (REWARD_UNIT / 1000)) / f64::from(REWARD_UNIT);
        children.push((child, f64::from(visits), reward));
    }
    (tree, children)
}

/// Asserts that the child with the highest score is selected, proven losses left out.
fn check_selection(formula: Formula, score: impl Fn(f64, f64, f64) -> f64) {
    let mut rng = Rng::with_seed(2);
    let params = Params { formula, ..Params::MCTS };
    for _ in 0..1000 {
        let (tree, children) = random_family(&mut rng);
        let lost = children[rng.usize(..children.len())].0;
        tree.node(lost).prove(Side::White);
        let all_visits: f64 = children.iter().map(|(_, visits, _)| visits).sum();
        // The descent that asks has already entered the root.
        tree.node(tree.root()).enter();
        let selected = best_child(&tree, tree.root(), Side::Black, &params, None).unwrap();
        assert_ne!(selected, lost);
        let score = |&(_, visits, mean): &(NodeId, f64, f64)| score(mean, visits, all_visits);
        let highest = children.iter().filter(|child| child.0 != lost).map(score).fold(0.0, f64::max);
        let ours = score(children.iter().find(|child| child.0 == selected).unwrap());
        assert!(ours > highest - 1e-5, "a child of score {ours}, but there is one of {highest}");
    }
}

#[test]
fn selection_follows_uct() {
    for (c, log_factor) in [(std::f32::consts::FRAC_1_SQRT_2, 2.0), (0.3, 1.0), (0.0, 2.0)] {
        check_selection(Formula::Uct { c, log_factor }, |mean, visits, all| {
            mean + f64::from(c) * (f64::from(log_factor) * all.ln() / visits).sqrt()
        });
    }
}

#[test]
fn selection_follows_ucb1_tuned() {
    check_selection(Formula::Ucb1Tuned, |mean, visits, all| {
        let bound = mean - mean * mean + (2.0 * all.ln() / visits).sqrt();
        mean + (all.ln() / visits * bound.min(0.25)).sqrt()
    });
}

#[test]
fn a_shortlist_changes_no_selection() {
    let params = Params { formula: Formula::Ucb1Tuned, ..Params::MCTS };
    let tree = Tree::with_memory(0);
    let root = tree.root();
    let edges: Vec<Edge> = Position::standard().legal_moves().take(600).map(Edge::whole).collect();
    assert!(tree.begin_opening(root) && tree.open(root, &edges));
    let mut rng = Rng::with_seed(4);
    let mut shortlist = Shortlist::default();
    for round in 0..40_000 {
        tree.node(root).enter();
        let child = tree.claim_untried(root).unwrap_or_else(|| {
            let best = best_child(&tree, root, Side::Black, &params, None).unwrap();
            assert_eq!(best_child(&tree, root, Side::Black, &params, Some(&mut shortlist)), Some(best));
            best
        });
        // Children of unequal worth, and now and then a proven loss.
        let node = tree.node(child);
        node.enter();
        node.add_reward(rng.u32(0..=REWARD_UNIT) / (1 + child % 5));
        if round % 1000 == 999 {
            node.prove(Side::White);
        }
    }
}
