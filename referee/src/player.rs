//! The interface of anything that chooses moves: searches, baselines, and programs.

use otrera::{Forfeit, Move, Position};
use std::time::Duration;

/// What a player may spend on one move. Where nothing is set it decides for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Time for this move.
    pub time: Option<Duration>,
    /// Iterations, playouts or nodes for this move; players without such a notion ignore it.
    pub iterations: Option<u64>,
}

/// A move and what the player thought about it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// Iterations, playouts or nodes spent on it, where the player counts them.
    pub effort: Option<u64>,
    /// The winning rate of the side that moves, where the player has a notion of it.
    pub win_rate: Option<f32>,
}

impl From<Move> for Choice {
    fn from(mv: Move) -> Self {
        Self { mv, effort: None, win_rate: None }
    }
}

/// A player of whole games. The referee tells it of every move, its own ones included.
pub trait Player: Send {
    /// A game begins at this position.
    fn begin(&mut self, start: &Position) -> Result<(), Forfeit>;

    /// Chooses a move in a position in which there is one.
    fn choose(&mut self, budget: Budget) -> Result<Choice, Forfeit>;

    /// This legal move was played, by whichever side.
    fn played(&mut self, mv: Move);
}
