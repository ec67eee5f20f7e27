//! Fixed-depth alpha-beta search over whole moves. Kato et al. 2015 use depth 2; depth 1 is the greedy player.

use super::evaluation::{BaselineEvaluator, Evaluation};
use crate::play::player::{Budget, Choice, Failure, Player};
use fastrand::Rng;
use otrera::{Move, Position};

/// Value of a won game, larger than any evaluation.
const WON: f32 = 1e6;

pub struct AlphaBeta {
    depth: u32,
    evaluator: BaselineEvaluator,
    rng: Rng,
    nodes: u64,
    /// Killer moves, by remaining depth: the last move that caused a cut-off.
    killers: Vec<Option<Move>>,
}

impl AlphaBeta {
    /// Creates a player that searches `depth` whole moves, at least 1; `seed` breaks ties between best moves.
    pub fn new(evaluation: Evaluation, depth: u32, seed: u64) -> Self {
        Self {
            depth,
            evaluator: BaselineEvaluator::new(evaluation),
            rng: Rng::with_seed(seed),
            nodes: 0,
            killers: vec![None; depth as usize + 1],
        }
    }

    /// Returns the best move and its value for the side to move; `None` if the game is over.
    pub fn best_move(&mut self, position: &Position) -> Option<(Move, f32)> {
        let mut moves: Vec<Move> = position.legal_moves().collect();
        self.rng.shuffle(&mut moves);
        let mut best = None;
        let mut alpha = f32::NEG_INFINITY;
        for mv in moves {
            let value = -self.value(&position.with_move(mv), self.depth - 1, f32::NEG_INFINITY, -alpha);
            if value > alpha || best.is_none() {
                alpha = value;
                best = Some((mv, value));
            }
        }
        best
    }

    fn value(&mut self, position: &Position, depth: u32, mut alpha: f32, beta: f32) -> f32 {
        self.nodes += 1;
        if let Some(winner) = position.winner() {
            // Prefers earlier wins and later losses.
            let value = WON + depth as f32;
            return if winner == position.side() { value } else { -value };
        }
        if depth == 0 {
            return self.evaluator.value(position).0;
        }
        let killer = self.killers[depth as usize].filter(|&mv| position.check(mv).is_ok());
        let mut best = f32::NEG_INFINITY;
        for mv in killer.into_iter().chain(position.legal_moves()) {
            let value = -self.value(&position.with_move(mv), depth - 1, -beta, -alpha);
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                self.killers[depth as usize] = Some(mv);
                break;
            }
        }
        best
    }
}

impl Player for AlphaBeta {
    fn choose(&mut self, position: &Position, _: Budget) -> Result<Choice, Failure> {
        self.nodes = 0;
        let (mv, _) = self.best_move(position).ok_or_else(|| Failure::cannot("the game is over"))?;
        Ok(Choice { effort: Some(self.nodes), ..mv.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::openings::random_moves;
    use clap::ValueEnum;
    use otrera::Size;

    fn minimax(position: &Position, depth: u32, evaluator: &mut BaselineEvaluator) -> f32 {
        if let Some(winner) = position.winner() {
            let value = WON + depth as f32;
            return if winner == position.side() { value } else { -value };
        }
        if depth == 0 {
            return evaluator.value(position).0;
        }
        let replies =
            position.legal_moves().map(|mv| -minimax(&position.with_move(mv), depth - 1, evaluator));
        replies.fold(f32::NEG_INFINITY, f32::max)
    }

    #[test]
    fn agrees_with_minimax() {
        let mut rng = Rng::with_seed(4);
        for &evaluation in Evaluation::value_variants() {
            for plies in 1..=6 {
                let start = Position::start(Size::new(5).unwrap());
                let (_, position) = random_moves(&start, plies, &mut rng);
                let Some((_, value)) = AlphaBeta::new(evaluation, 2, 1).best_move(&position) else {
                    continue;
                };
                let expected = minimax(&position, 2, &mut BaselineEvaluator::new(evaluation));
                assert_eq!(value, expected, "{evaluation:?}\n{position}");
            }
        }
    }
}
