//! The random player: each legal move is equally likely.

use crate::play::player::{Budget, Choice, Player};
use fastrand::Rng;
use otrera::{Forfeit, Move, Position};

pub struct RandomPlayer {
    rng: Rng,
    position: Position,
}

impl RandomPlayer {
    pub fn new(seed: u64) -> Self {
        Self { rng: Rng::with_seed(seed), position: Position::standard() }
    }
}

impl Player for RandomPlayer {
    fn begin(&mut self, start: &Position) -> Result<(), Forfeit> {
        self.position = *start;
        Ok(())
    }

    fn choose(&mut self, _: Budget) -> Result<Choice, Forfeit> {
        let moves: Vec<Move> = self.position.legal_moves().collect();
        self.rng.choice(moves).map(Choice::from).ok_or_else(|| Forfeit::Crashed("the game is over".into()))
    }

    fn played(&mut self, mv: Move) {
        self.position = self.position.with_move(mv);
    }
}
