//! Other games than Amazons, so that the papers' studies of them can be run again.
//!
//! \[M\] is P. Muens, *Minimax and Monte Carlo Tree Search*; \[R\] is B. X. Phan and M. Synytsia, a
//! comparison of the two in Reversi. One small [`Game`] trait, two games, three searches, written to
//! be read and not to be fast; the Amazons engine shares nothing with them.
//!
//! 1. [`tictactoe`], [`reversi`]: the games.
//! 2. [`minimax`], [`uct`]: the searches.
//! 3. [`bout`]: one game between two of the searches.
//! 4. [`paper`]: what \[R\] printed. [`study`]: the same tables, played again.

pub mod bout;
pub mod minimax;
pub mod paper;
pub mod reversi;
pub mod study;
pub mod tictactoe;
pub mod uct;

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// The one who moves first: X, or Black in Reversi.
    First,
    /// The other: O, or White.
    Second,
}

impl Player {
    /// The opponent.
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// A number that is good for the first player, seen by this one; and the same way back.
    pub const fn sees(self, value: i32) -> i32 {
        match self {
            Self::First => value,
            Self::Second => -value,
        }
    }

    /// 0 for the first player, 1 for the second.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The state of a game of two players who see everything and take turns without chance.
pub trait Game: Clone {
    /// One turn of a player.
    type Move: Copy + Eq + std::fmt::Debug;

    /// Who moves now.
    fn to_move(&self) -> Player;

    /// All legal moves, in a fixed order; none if and only if the game is over. A player who must pass
    /// has that one move.
    fn moves(&self) -> Vec<Self::Move>;

    /// The state after a move out of [`moves`](Self::moves).
    fn play(&self, mv: Self::Move) -> Self;

    /// By how much the first player leads, in what the game is decided by. When the game is over, this
    /// is the result.
    fn score(&self) -> i32;

    /// A guess at how well the first player stands while the game goes on; smaller than
    /// [`minimax::DECIDED`].
    fn evaluate(&self) -> i32;

    /// Whether this move is a pass, which a player makes without thinking.
    fn is_pass(_: Self::Move) -> bool {
        false
    }
}

/// Number of move sequences of `depth` moves from a state, passes counted as moves.
pub fn perft<G: Game>(state: &G, depth: u32) -> u64 {
    let moves = state.moves();
    match depth {
        0 => 1,
        1 => moves.len() as u64,
        _ => moves.into_iter().map(|mv| perft(&state.play(mv), depth - 1)).sum(),
    }
}

/// A state some random moves into a game; fewer if it ends before.
#[cfg(test)]
fn after_random_moves<G: Game>(start: &G, count: usize, rng: &mut fastrand::Rng) -> G {
    let mut state = start.clone();
    for _ in 0..count {
        let Some(mv) = rng.choice(state.moves()) else { break };
        state = state.play(mv);
    }
    state
}
