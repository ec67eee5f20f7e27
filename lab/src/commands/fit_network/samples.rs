//! Training data: the positions of games, seen and unseen by the training.

use crate::training::check_positions;
use otrera::eval::inputs::Inputs;
use otrera::{DistanceMaps, GameRecord, Kernel, Move, Position};
use rayon::prelude::*;

pub struct Sample {
    pub inputs: Inputs,
    /// 1 if the side to move won, else 0.
    pub won: f32,
    /// Target of the training, 0 to 1: the result, blended with the winning rate of the search.
    pub target: f32,
}

/// A sample for testing, with its position.
pub struct Test {
    pub sample: Sample,
    pub position: Position,
    /// Winning rate of the search that played, between 0 and 1.
    pub win_rate: f64,
}

/// True if the games are for the network of boards up to 8x8, false if for that of larger boards.
pub fn are_small(games: &[GameRecord]) -> Result<bool, String> {
    let mut all = games.iter().map(|game| game.start.size().edge() <= 8);
    let first = all.next().ok_or("there are no games")?;
    if all.all(|is_small| is_small == first) {
        return Ok(first);
    }
    Err("games on boards up to 8x8 and on larger ones: each have a network of their own, train them apart"
        .into())
}

/// True if a game tests the fit: one in ten pairs does. Both games of a pair are seen or unseen.
pub fn is_unseen(number: usize) -> bool {
    (number / 2).is_multiple_of(10)
}

/// Minimum number of positions for the training and for its test.
const MIN_POSITIONS: [usize; 2] = [5000, 500];

/// Returns the samples for the training, and those of unseen games for its test.
pub fn samples(games: &[GameRecord], blend: f64) -> Result<(Vec<Sample>, Vec<Test>), String> {
    let of_game = |(number, game): (usize, &GameRecord)| {
        let tests = tests(game, blend);
        if is_unseen(number) {
            (Vec::new(), tests)
        } else {
            (tests.into_iter().map(|test| test.sample).collect(), Vec::new())
        }
    };
    let (seen, unseen): (Vec<Vec<Sample>>, Vec<Vec<Test>>) =
        games.par_iter().enumerate().map(of_game).unzip();
    let seen: Vec<Sample> = seen.into_iter().flatten().collect();
    let unseen: Vec<Test> = unseen.into_iter().flatten().collect();
    check_positions(seen.len(), unseen.len(), MIN_POSITIONS)?;
    Ok((seen, unseen))
}

/// Returns the positions that the search of the side to move had not proven, with the number of moves before it, the move
/// played there and the search's winning rate. Proven ones say nothing about judgement.
pub fn undecided(game: &GameRecord) -> impl Iterator<Item = (usize, Position, Move, f32)> {
    let positions = game.positions().into_iter().zip(&game.moves).enumerate();
    let rated =
        positions.filter_map(|(ply, (position, played))| Some((ply, position, played.mv, played.win_rate?)));
    rated.filter(|(.., rate)| *rate > 0.0 && *rate < 1.0)
}

fn tests(game: &GameRecord, blend: f64) -> Vec<Test> {
    let Some(winner) = game.winner else { return Vec::new() };
    let mut maps = DistanceMaps::default();
    let tests = undecided(game).filter_map(|(_, position, _, win_rate)| {
        let win_rate = f64::from(win_rate);
        let won = f64::from(u8::from(position.side() == winner));
        let inputs = Inputs::of_position(&position, &mut maps, Kernel::fastest())?;
        let target = won + blend * (win_rate - won);
        Some(Test { sample: Sample { inputs, won: won as f32, target: target as f32 }, position, win_rate })
    });
    tests.collect()
}

pub fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Returns the cross-entropy, in nats, of an outcome and its prediction, both from 0 to 1.
pub fn log_loss(outcome: f64, predicted: f64) -> f64 {
    let predicted = predicted.clamp(1e-9, 1.0 - 1e-9);
    -(outcome * predicted.ln() + (1.0 - outcome) * (1.0 - predicted).ln())
}
