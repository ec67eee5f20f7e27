//! The interface that all players implement: searches, baselines and external programs.

use otrera::{Forfeit, Move, Position};
use std::time::Duration;

/// Limits for one move. If both are `None`, the player uses its own limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    pub time: Option<Duration>,
    /// Iterations, playouts or nodes for this move. Players that count none of these ignore the limit.
    pub iterations: Option<u64>,
}

/// A chosen move with the search effort and the estimated winning rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    pub mv: Move,
    /// Iterations, playouts or nodes spent, if the player counts one of these.
    pub effort: Option<u64>,
    /// The mover's winning rate, 0 to 1, if the player estimates it.
    pub win_rate: Option<f32>,
}

impl From<Move> for Choice {
    fn from(mv: Move) -> Self {
        Self { mv, effort: None, win_rate: None }
    }
}

/// A player of whole games. The caller reports every move to the player, including the player's own.
pub trait Player: Send {
    fn begin(&mut self, _start: &Position) -> Result<(), Forfeit> {
        Ok(())
    }

    /// Chooses a move in the current position of a game that is not over.
    fn choose(&mut self, position: &Position, budget: Budget) -> Result<Choice, Forfeit>;

    /// Reports a legal move by either side.
    fn played(&mut self, _mv: Move) {}
}
