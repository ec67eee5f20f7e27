//! Fixed-depth minimax and alpha-beta as in the papers \[M\] and \[R\] of [`super`], but in negamax form. A pass counts
//! as a move, as in \[R\].

use super::{Game, value_for};

/// Value of one point of a final [`score`](Game::score), larger than the evaluation of any unfinished game.
pub const DECIDED: i32 = 1_000_000;

const INFINITY: i32 = i32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// The value for the side to move; at the end of the game, the score times [`DECIDED`].
    pub value: i32,
    /// The first of the best moves in [`Game::moves`]; `None` if the game is over or the depth is 0.
    pub best: Option<M>,
    /// Number of states visited, including the root.
    pub nodes: u64,
}

/// Searches `depth` moves deep without pruning.
pub fn minimax<G: Game>(state: &G, depth: u32) -> Found<G::Move> {
    search(state, depth, -INFINITY, INFINITY, false)
}

/// Finds the same value and move as [`minimax`], with alpha-beta pruning.
pub fn alpha_beta<G: Game>(state: &G, depth: u32) -> Found<G::Move> {
    search(state, depth, -INFINITY, INFINITY, true)
}

fn search<G: Game>(state: &G, depth: u32, mut alpha: i32, beta: i32, prunes: bool) -> Found<G::Move> {
    let moves = state.moves();
    if depth == 0 || moves.is_empty() {
        return leaf(state, moves.is_empty());
    }
    let mut found = Found { value: -INFINITY, best: None, nodes: 1 };
    for mv in moves {
        let reply = search(&state.play(mv), depth - 1, -beta, -alpha, prunes);
        found.nodes += reply.nodes;
        if -reply.value > found.value {
            found.value = -reply.value;
            found.best = Some(mv);
        }
        alpha = alpha.max(found.value);
        if prunes && beta <= alpha {
            break;
        }
    }
    found
}

fn leaf<G: Game>(state: &G, over: bool) -> Found<G::Move> {
    let for_first = if over { state.score() * DECIDED } else { state.evaluate() };
    Found { value: value_for(state.to_move(), for_first), best: None, nodes: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::games::after_random_moves;
    use crate::papers::games::reversi::Reversi;
    use crate::papers::games::tictactoe::TicTacToe;
    use fastrand::Rng;

    fn assert_pruning_changes_nothing<G: Game>(state: &G, depth: u32) {
        let (full, pruned) = (minimax(state, depth), alpha_beta(state, depth));
        assert_eq!((pruned.value, pruned.best), (full.value, full.best));
        assert!(pruned.nodes <= full.nodes);
    }

    #[test]
    fn alpha_beta_agrees_with_minimax_on_random_positions() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..30 {
            let state = after_random_moves(&TicTacToe::new(), rng.usize(2..9), &mut rng);
            (0..8).for_each(|depth| assert_pruning_changes_nothing(&state, depth));
            for size in [4, 8, 12] {
                let start = Reversi::new(size);
                let state = after_random_moves(&start, rng.usize(..size * size), &mut rng);
                (0..4).for_each(|depth| assert_pruning_changes_nothing(&state, depth));
            }
        }
    }

    #[test]
    fn a_finished_game_has_a_value_and_no_move() {
        let mut rng = Rng::with_seed(2);
        let over = after_random_moves(&Reversi::new(4), 100, &mut rng);
        let found = alpha_beta(&over, 5);
        assert_eq!((found.best, found.nodes), (None, 1));
        assert_eq!(found.value, value_for(over.to_move(), over.score() * DECIDED));
    }
}
