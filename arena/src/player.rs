//! The interface that all players implement: searches, baselines and external programs. And the simplest player.

use crate::failure::Failure;
use fastrand::Rng;
use otrera::{Move, Position, Side};
use std::time::Duration;

/// Limits for one move. If both are `None`, the player uses its own limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    pub time: Option<Duration>,
    /// Iterations, playouts or nodes for this move. Players that count none of these ignore the limit.
    pub iterations: Option<u64>,
    /// Time after which the answer is too late; with the whole game's clock it is longer than `time`.
    pub patience: Option<Duration>,
}

/// A chosen move with the search effort and the estimated win rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    pub mv: Move,
    /// Iterations, playouts or nodes spent, if the player counts one of these.
    pub effort: Option<u64>,
    /// The mover's win rate, 0 to 1, if the player estimates it.
    pub win_rate: Option<f32>,
    /// Time to be charged to the player's clock; `None` for the time measured by the game.
    pub time: Option<Duration>,
}

impl From<Move> for Choice {
    fn from(mv: Move) -> Self {
        Self { mv, effort: None, win_rate: None, time: None }
    }
}

/// A player of whole games. The caller reports every move to the player, including the player's own.
pub trait Player: Send {
    /// Begins a game from `start` as `side`.
    fn begin(&mut self, _start: &Position, _side: Side) -> Result<(), Failure> {
        Ok(())
    }

    /// Chooses a move in the current position of a game that is not over.
    fn choose(&mut self, position: &Position, budget: Budget) -> Result<Choice, Failure>;

    /// Reports a legal move by either side.
    fn played(&mut self, _mv: Move) {}

    /// Ends a game in which this player has not failed.
    fn end(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Leaves after the last game.
    fn leave(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}

/// A player that draws its move at random; each legal move is equally likely.
pub struct RandomPlayer(Rng);

impl RandomPlayer {
    pub fn new(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }
}

impl Player for RandomPlayer {
    fn choose(&mut self, position: &Position, _: Budget) -> Result<Choice, Failure> {
        let moves: Vec<Move> = position.legal_moves().collect();
        self.0.choice(moves).map(Choice::from).ok_or_else(|| Failure::cannot("the game is over"))
    }
}
