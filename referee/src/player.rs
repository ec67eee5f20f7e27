//! The interface of anything that chooses moves: searches, baselines, and programs.

use otrera::{Forfeit, Move, Position};
use std::time::Duration;

/// Limits of one move. Without any, the player decides for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    pub time: Option<Duration>,
    /// Iterations, playouts or nodes for this move; players without such a notion ignore it.
    pub iterations: Option<u64>,
}

/// A move with the player's effort and estimate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    pub mv: Move,
    /// Iterations, playouts or nodes spent, if the player counts any.
    pub effort: Option<u64>,
    /// Winning rate for the mover, if the player estimates it.
    pub win_rate: Option<f32>,
}

impl From<Move> for Choice {
    fn from(mv: Move) -> Self {
        Self { mv, effort: None, win_rate: None }
    }
}

/// A player of whole games. The referee reports every move, the player's own moves too.
pub trait Player: Send {
    fn begin(&mut self, _start: &Position) -> Result<(), Forfeit> {
        Ok(())
    }

    /// Chooses a move in the position that the moves have led to; the game is not over.
    fn choose(&mut self, position: &Position, budget: Budget) -> Result<Choice, Forfeit>;

    /// Takes note of a legal move of either side.
    fn played(&mut self, _mv: Move) {}
}
