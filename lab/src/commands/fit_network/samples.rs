//! Training data for the evaluation network: positions from games.

use otrera::eval::distance::DistanceMaps;
use otrera::eval::inputs::Inputs;
use otrera::simd::Kernel;
use otrera::{GameRecord, Move, Position};

pub struct Sample {
    pub position: Position,
    pub inputs: Inputs,
    /// Win rate of the side to move, 0 to 1, recorded by the search that chose the move.
    pub win_rate: f64,
    /// 1 if the side to move won, else 0.
    pub won: f32,
    /// Training target, 0 to 1: the result of the game, blended with the search's win rate.
    pub target: f32,
}

/// Returns the positions of a game with a recorded win rate that is not a proven result (strictly between 0 and 1):
/// the ply from 0, the position, the move played, and the win rate.
pub fn undecided(game: &GameRecord) -> impl Iterator<Item = (usize, Position, Move, f32)> {
    let positions = game.positions().into_iter().zip(&game.moves).enumerate();
    let rated =
        positions.filter_map(|(ply, (position, played))| Some((ply, position, played.mv, played.win_rate?)));
    rated.filter(|(.., rate)| *rate > 0.0 && *rate < 1.0)
}

/// Returns a sample for each searched, unproven position of a game; none if the game has no winner. `blend` is the
/// weight of the search's win rate in the target.
pub fn samples_of(game: &GameRecord, blend: f64) -> Vec<Sample> {
    let Some(winner) = game.winner else { return Vec::new() };
    let mut maps = DistanceMaps::default();
    let samples = undecided(game).filter_map(|(_, position, _, win_rate)| {
        let win_rate = f64::from(win_rate);
        let won = f64::from(u8::from(position.side() == winner));
        let inputs = Inputs::of_position(&position, &mut maps, Kernel::fastest())?;
        let target = won + blend * (win_rate - won);
        Some(Sample { position, inputs, win_rate, won: won as f32, target: target as f32 })
    });
    samples.collect()
}

pub fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Returns the cross-entropy, in nats, between an outcome and its prediction, both from 0 to 1.
pub fn log_loss(outcome: f64, predicted: f64) -> f64 {
    let predicted = predicted.clamp(1e-9, 1.0 - 1e-9);
    -(outcome * predicted.ln() + (1.0 - outcome) * (1.0 - predicted).ln())
}
