//! Reversi and tic-tac-toe, to repeat the studies of two papers.
//!
//! \[M\] is P. Muens, *Minimax and Monte Carlo Tree Search*; \[R\] is B. X. Phan and M. Synytsia, a comparison of the
//! two in Reversi. One small [`Game`] trait, two games, three searches, independent of the Amazons engine except for
//! [`Side`], and written for clarity.
//!
//! 1. [`tictactoe`], [`reversi`]: the games.
//! 2. [`minimax`], [`uct`]: the searches.
//! 3. [`paper`]: the results of \[R\]. [`study`]: the same tables, from our own games.

pub mod minimax;
pub mod paper;
pub mod reversi;
pub mod study;
pub mod tictactoe;
pub mod uct;

use otrera::Side;

/// Converts a value for the first player, [`Side::Black`], into a value for this side, or back.
pub const fn value_for(side: Side, value: i32) -> i32 {
    match side {
        Side::Black => value,
        Side::White => -value,
    }
}

/// The state of a two-player game of perfect information.
pub trait Game: Clone {
    type Move: Copy + Eq + std::fmt::Debug;

    /// Returns the side to move; Black moves first.
    fn to_move(&self) -> Side;

    /// Returns all legal moves in a fixed order; empty only if the game is over. If the player must pass, the pass is
    /// the only move.
    fn moves(&self) -> Vec<Self::Move>;

    fn play(&self, mv: Self::Move) -> Self;

    /// Returns the first player's lead; at the end of the game, this is the result.
    fn score(&self) -> i32;

    /// Evaluates an unfinished game for the first player; the absolute value is below [`minimax::DECIDED`].
    fn evaluate(&self) -> i32;
}

/// Counts the move sequences of `depth` moves from a state; a pass is a move.
pub fn perft<G: Game>(state: &G, depth: u32) -> u64 {
    let moves = state.moves();
    match depth {
        0 => 1,
        1 => moves.len() as u64,
        _ => moves.into_iter().map(|mv| perft(&state.play(mv), depth - 1)).sum(),
    }
}

/// Returns the state after `count` random moves, or fewer if the game ends.
#[cfg(test)]
fn after_random_moves<G: Game>(start: &G, count: usize, rng: &mut fastrand::Rng) -> G {
    let mut state = start.clone();
    for _ in 0..count {
        let Some(mv) = rng.choice(state.moves()) else { break };
        state = state.play(mv);
    }
    state
}
