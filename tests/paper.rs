//! What the papers say of the tree: the formulas by which a child is selected, and table 2 of the MG-PEO
//! paper, how many nodes the search expands for the first move on 10x10 until it returns to the best
//! one. The latter is counted in the real tree under the real selection; only the rollouts are replaced,
//! by an oracle that makes the case best or worst, and exploration is turned off.

use fastrand::Rng;
use otrera::search::backup::{Step, add_rewards};
use otrera::search::expand::{State, open};
use otrera::search::params::Formula;
use otrera::search::select::best_child;
use otrera::search::tree::{Edge, NodeId, REWARD_UNIT, Tree};
use otrera::{Movement, Params, Position, Side, WinRate};

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
        let selected = best_child(&tree, tree.root(), Side::Black, &params).unwrap();
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

/// A search of the first move, driven by hand.
struct FirstMove {
    tree: Tree,
    params: Params,
    rng: Rng,
    edges: Vec<Edge>,
}

impl FirstMove {
    fn new(preset: Params) -> Self {
        Self {
            tree: Tree::with_memory(1 << 20),
            params: Params { formula: Formula::Uct { c: 0.0, log_factor: 2.0 }, ..preset },
            rng: Rng::with_seed(1),
            edges: Vec::new(),
        }
    }

    /// One descent to a node that is new; `None` when it ends at a whole move that was tried before.
    fn descend(&mut self) -> Option<Vec<Step>> {
        let mut state = State::ToMove(Position::standard());
        let mut path = vec![Step { node: self.tree.root(), mover: Side::White }];
        self.tree.node(self.tree.root()).enter();
        loop {
            let child = self.child_of(path[path.len() - 1].node, &state);
            let node = self.tree.node(child);
            path.push(Step { node: child, mover: Side::Black });
            state = state.after(node.edge());
            if node.enter() == 0 {
                return Some(path);
            }
            if node.edge().as_arrow().is_some() {
                return None;
            }
        }
    }

    /// An untried child as long as there is one, then the best, as the search's worker does.
    fn child_of(&mut self, id: NodeId, state: &State) -> NodeId {
        if !self.tree.is_open(id) {
            open(&self.tree, id, state, self.params.grouping, &mut self.rng, &mut self.edges);
        }
        let untried = self.tree.claim_untried(id);
        untried.or_else(|| best_child(&self.tree, id, Side::Black, &self.params)).unwrap()
    }

    /// Expands up to `most` nodes; the oracle judges each new one by the path to it.
    fn expand(&mut self, most: usize, oracle: impl Fn(&Tree, &[Step]) -> WinRate) {
        for _ in 0..most {
            let Some(path) = self.descend() else { return };
            add_rewards(&self.tree, &path, oracle(&self.tree, &path));
        }
    }

    /// Nodes tried at each level below the root.
    fn tried(&self) -> [usize; 2] {
        let children: Vec<NodeId> = self.tree.tried(self.tree.root()).map(|(id, _)| id).collect();
        [children.len(), children.iter().map(|&id| self.tree.tried(id).count()).sum()]
    }
}

/// A first movement from which 28 arrows can be shot.
fn favourite() -> Movement {
    let start = Position::standard();
    let arrows = |movement: &Movement| start.with_movement(*movement).arrow_targets().len();
    start.movements().find(|movement| arrows(movement) == 28).unwrap()
}

/// The paper's best case: one movement is worth a win from its first visit on, all others nothing.
fn only_the_favourite_wins(tree: &Tree, path: &[Step]) -> WinRate {
    let is_favourite = tree.node(path[1].node).edge().as_movement() == Some(favourite());
    if is_favourite { WinRate::WIN } else { WinRate::LOSS }
}

/// The worst case: every movement looks like a win until the last of its arrows disappoints.
fn every_last_arrow_disappoints(tree: &Tree, path: &[Step]) -> WinRate {
    let (arrows, tried) = tree.node(path[1].node).counts();
    if path.len() == 3 && tried == arrows { WinRate::LOSS } else { WinRate::WIN }
}

#[test]
fn with_groups_each_movement_is_tried_then_one_arrow_of_each() {
    let mut search = FirstMove::new(Params::PAPER);
    search.expand(80, only_the_favourite_wins);
    assert_eq!(search.tried(), [80, 0]);
    search.expand(80, only_the_favourite_wins);
    assert_eq!(search.tried(), [80, 80]);
    for (movement, _) in search.tree.tried(search.tree.root()) {
        assert_eq!(search.tree.tried(movement).count(), 1);
    }
}

#[test]
fn with_groups_the_best_case_expands_187_nodes() {
    let mut search = FirstMove::new(Params::PAPER);
    search.expand(usize::MAX, only_the_favourite_wins);
    let [movements, arrows] = search.tried();
    assert_eq!((movements, arrows), (80, 80 + 27));
    assert_eq!(movements + arrows, 187);
}

#[test]
fn with_groups_the_worst_case_expands_2256_nodes() {
    let mut search = FirstMove::new(Params::PAPER);
    search.expand(usize::MAX, every_last_arrow_disappoints);
    assert_eq!(search.tried(), [80, 2176]);
    assert_eq!(search.tried().iter().sum::<usize>(), 2256);
}

#[test]
fn without_groups_every_case_expands_2176_nodes() {
    for oracle in [only_the_favourite_wins, every_last_arrow_disappoints] {
        let mut search = FirstMove::new(Params::MCTS);
        search.expand(usize::MAX, oracle);
        assert_eq!(search.tried(), [2176, 0]);
    }
}
