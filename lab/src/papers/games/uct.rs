//! Monte Carlo tree search with UCB1, as in function 2 of the paper \[R\] of [`super`]: random playouts to the end of
//! the game.
//!
//! The pseudocode of \[R\] adds up the first player's results in every node, so the second player would prefer its
//! losses. Here a node counts the wins of the player who moved into it.

use super::{Game, value_for};
use fastrand::Rng;

/// Exploration constant C of UCB1 in \[R\].
pub const EXPLORATION: f64 = std::f64::consts::SQRT_2;

/// Runs `iterations` iterations of UCT, or none if at most one move is legal.
///
/// Returns the move with the highest win rate, as in \[R\], and the number of states created: one for each node below
/// the root and for each move of a playout. Visits break ties. Selection creates no states. \[R\] seems to count in the
/// same way: on 4x4 with 10,000 iterations it prints less than one state per iteration.
pub fn uct<G: Game>(state: &G, iterations: u32, c: f64, rng: &mut Rng) -> (Option<G::Move>, u64) {
    let moves = state.moves();
    let mut tree = Tree { nodes: vec![Node::new(state.clone(), None)], made: 0 };
    if moves.len() > 1 {
        (0..iterations).for_each(|_| tree.iterate(c, rng));
    }
    let rank = |mv: &G::Move| {
        let mut children = tree.nodes[0].children.iter().map(|&index| &tree.nodes[index]);
        let child = children.find(|node| node.mv == Some(*mv));
        child.map_or((0.0, 0), |node| (node.wins / f64::from(node.visits), node.visits))
    };
    let order = |a: (f64, u32), b: (f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    // Reversed, because `max_by` returns the last of equal maxima.
    let best = moves.iter().rev().max_by(|a, b| order(rank(a), rank(b))).copied();
    (best, tree.made)
}

struct Node<G: Game> {
    state: G,
    /// The move that led here; `None` at the root.
    mv: Option<G::Move>,
    untried: Vec<G::Move>,
    children: Vec<usize>,
    visits: u32,
    /// Wins of the player who moved into this node; a draw counts 1/2.
    wins: f64,
}

impl<G: Game> Node<G> {
    fn new(state: G, mv: Option<G::Move>) -> Self {
        let untried = state.moves();
        Self { state, mv, untried, children: Vec::new(), visits: 0, wins: 0.0 }
    }
}

/// The game tree: all nodes, the root first, and the number of states created.
struct Tree<G: Game> {
    nodes: Vec<Node<G>>,
    made: u64,
}

impl<G: Game> Tree<G> {
    fn iterate(&mut self, c: f64, rng: &mut Rng) {
        let mut path = vec![0];
        let mut at = 0;
        while let Some(child) = self.child(at, c, rng) {
            path.push(child);
            // A playout begins when a new node is reached.
            if self.nodes[child].visits == 0 {
                break;
            }
            at = child;
        }
        let leaf = path.last().copied().unwrap_or(0);
        let score = self.playout(leaf, rng);
        for index in path {
            let node = &mut self.nodes[index];
            let mover = node.state.to_move().opponent();
            node.visits += 1;
            node.wins += f64::from(value_for(mover, score.signum()) + 1) / 2.0;
        }
    }

    /// Returns a new child for a random untried move, or the child with the highest UCB1 score if all moves are tried;
    /// `None` if the game is over.
    fn child(&mut self, at: usize, c: f64, rng: &mut Rng) -> Option<usize> {
        let untried = &mut self.nodes[at].untried;
        if untried.is_empty() {
            return self.best_child(at, c);
        }
        let mv = untried.swap_remove(rng.usize(..untried.len()));
        let index = self.nodes.len();
        self.nodes.push(Node::new(self.nodes[at].state.play(mv), Some(mv)));
        self.nodes[at].children.push(index);
        self.made += 1;
        Some(index)
    }

    fn best_child(&self, at: usize, c: f64) -> Option<usize> {
        let log_visits = libm::log(f64::from(self.nodes[at].visits));
        let ucb1 = |node: &Node<G>| {
            let visits = f64::from(node.visits);
            node.wins / visits + c * (log_visits / visits).sqrt()
        };
        let children = self.nodes[at].children.iter().copied();
        children.max_by(|&a, &b| ucb1(&self.nodes[a]).total_cmp(&ucb1(&self.nodes[b])))
    }

    /// Plays random moves from `leaf` to the end of the game; returns the first player's score.
    fn playout(&mut self, leaf: usize, rng: &mut Rng) -> i32 {
        let mut state = self.nodes[leaf].state.clone();
        while let Some(mv) = rng.choice(state.moves()) {
            state = state.play(mv);
            self.made += 1;
        }
        state.score()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::games::after_random_moves;
    use crate::papers::games::minimax::{DECIDED, alpha_beta};
    use crate::papers::games::reversi::Reversi;
    use crate::papers::games::tictactoe::TicTacToe;

    fn search<G: Game>(state: &G, iterations: u32, seed: u64) -> (Option<G::Move>, u64) {
        uct(state, iterations, EXPLORATION, &mut Rng::with_seed(seed))
    }

    #[test]
    fn every_iteration_visits_the_root_and_one_child() {
        let (mut tree, mut rng) = (Tree { nodes: Vec::new(), made: 0 }, Rng::with_seed(1));
        tree.nodes.push(Node::new(Reversi::new(8), None));
        (0..500).for_each(|_| tree.iterate(EXPLORATION, &mut rng));
        let children: u32 = tree.nodes[0].children.iter().map(|&child| tree.nodes[child].visits).sum();
        assert_eq!((tree.nodes[0].visits, children), (500, 500));
        assert!(tree.nodes.iter().all(|node| node.wins <= f64::from(node.visits)));
    }

    #[test]
    fn a_seed_determines_the_search() {
        let start = Reversi::new(8);
        assert_eq!(search(&start, 300, 5), search(&start, 300, 5));
        assert_ne!(search(&start, 300, 5), search(&start, 300, 6));
    }

    #[test]
    fn finished_games_and_single_moves_are_not_searched() {
        let over = after_random_moves(&Reversi::new(4), 100, &mut Rng::with_seed(4));
        assert_eq!(search(&over, 100, 1), (None, 0));
        let last = (0..100).map(|seed| after_random_moves(&TicTacToe::new(), 8, &mut Rng::with_seed(seed)));
        let last = last.into_iter().find(|state| state.moves().len() == 1).unwrap();
        assert_eq!(search(&last, 100, 1), (last.moves().pop(), 0));
    }

    #[test]
    fn many_iterations_find_an_optimal_move() {
        let mut rng = Rng::with_seed(7);
        for seed in 0..40 {
            let state = after_random_moves(&TicTacToe::new(), rng.usize(..7), &mut rng);
            let Some(best) = search(&state, 2000, seed).0 else { continue };
            let value = |state: &TicTacToe| alpha_beta(state, 9).value / DECIDED;
            assert_eq!(-value(&state.play(best)), value(&state), "{state:?}");
        }
    }
}
