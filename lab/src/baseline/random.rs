//! The random player: each legal move is equally likely.

use crate::play::player::{Budget, Choice, Player};
use fastrand::Rng;
use otrera::{Forfeit, Move, Position};

pub struct RandomPlayer(Rng);

impl RandomPlayer {
    pub fn new(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }
}

impl Player for RandomPlayer {
    fn choose(&mut self, position: &Position, _: Budget) -> Result<Choice, Forfeit> {
        let moves: Vec<Move> = position.legal_moves().collect();
        self.0.choice(moves).map(Choice::from).ok_or_else(|| Forfeit::Crashed("the game is over".into()))
    }
}
