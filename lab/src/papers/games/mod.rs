//! Reversi and tic-tac-toe, to repeat the studies of two papers.
//!
//! \[M\] is P. Muens, *Minimax and Monte Carlo Tree Search*; \[R\] is B. X. Phan and M. Synytsia, a comparison of the
//! two in Reversi. One small [`Game`] trait, two games, three searches, independent of the Amazons engine and written
//! for clarity.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// The first to move: X, or Black in Reversi.
    First,
    Second,
}

impl Player {
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// Converts a value for the first player into one for this player, or back.
    pub const fn sees(self, value: i32) -> i32 {
        match self {
            Self::First => value,
            Self::Second => -value,
        }
    }

    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The state of a two-player game of perfect information.
pub trait Game: Clone {
    type Move: Copy + Eq + std::fmt::Debug;

    fn to_move(&self) -> Player;

    /// Returns all legal moves in a fixed order; empty only if the game is over. If the player must pass, the pass is
    /// the only move.
    fn moves(&self) -> Vec<Self::Move>;

    fn play(&self, mv: Self::Move) -> Self;

    /// Returns the first player's lead; at the end of the game, the result.
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
