//! Baseline players: random moves, fixed-depth alpha-beta, and timed principal variation search. Plain UCT is not
//! here: it is a preset of the engine's search (`uct`).

pub mod alphabeta;
pub mod evaluation;
pub mod pvs;

use crate::play::player::{Budget, Choice, Failure, Player};
use fastrand::Rng;
use otrera::{Move, Position};

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
