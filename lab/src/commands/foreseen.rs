//! Data of the fits: games, undecided positions with their results, and the loss of predictions.

use crate::commands::convert::read_games;
use otrera::{GameRecord, Position};
use std::path::PathBuf;

/// A position whose outcome the mover's search had not proven.
pub struct Undecided {
    pub position: Position,
    /// 1 if the side to move won the game, else 0.
    pub won: f64,
    /// Winning rate of the search, strictly between 0 and 1.
    pub win_rate: f64,
}

impl Undecided {
    /// The target of the fit: the result, with this share of the search's winning rate.
    pub fn target(&self, blend: f64) -> f64 {
        self.won + blend * (self.win_rate - self.won)
    }
}

/// Returns the positions of a finished game whose outcome was not proven: proven ones say nothing about evaluation.
pub fn undecided(game: &GameRecord) -> Vec<Undecided> {
    let Some(winner) = game.winner else { return Vec::new() };
    let positions = game.positions();
    let of_search = positions.iter().zip(&game.moves).filter_map(|(&position, played)| {
        let win_rate = f64::from(played.win_rate.filter(|&rate| rate > 0.0 && rate < 1.0)?);
        let won = f64::from(u8::from(position.side() == winner));
        Some(Undecided { position, won, win_rate })
    });
    of_search.collect()
}

pub fn read_all_games(paths: &[PathBuf]) -> Result<Vec<GameRecord>, String> {
    let mut games = Vec::new();
    for path in paths {
        games.extend(read_games(path)?);
    }
    Ok(games)
}

/// A range of board sizes, each with its own weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Boards {
    Standard,
    Small,
}

impl Boards {
    /// Returns the board sizes of these games.
    pub fn of(games: &[GameRecord]) -> Result<Self, String> {
        let mut all = games.iter().map(|game| match game.start.size().edge() {
            ..=8 => Self::Small,
            _ => Self::Standard,
        });
        let first = all.next().ok_or("there are no games")?;
        match all.all(|boards| boards == first) {
            true => Ok(first),
            false => Err("games on boards up to 8x8 and on larger ones: fit them apart".into()),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "above 8x8",
            Self::Small => "up to 8x8",
        }
    }

    pub fn choose<T>(self, standard: T, small: T) -> T {
        match self {
            Self::Standard => standard,
            Self::Small => small,
        }
    }
}

/// True if a game tests the fit, as one pair of games in `one_in` does.
pub fn is_unseen(number: usize, one_in: usize) -> bool {
    (number / 2).is_multiple_of(one_in)
}

/// Checks the numbers of positions for the fit and for its test.
pub fn check_amount([seen, unseen]: [usize; 2], least: [usize; 2], share: &str) -> Result<(), String> {
    let [fitted, tested] = least;
    if seen >= fitted && unseen >= tested {
        return Ok(());
    }
    Err(format!(
        "too few positions with winning rates: {seen} for the fit and {unseen} for its test ({share} of the games), \
         and at least {fitted} and {tested} are needed: give more games"
    ))
}

/// Returns the probability for natural log-odds.
pub fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Returns the cross-entropy of a prediction in nats; both arguments are from 0 to 1.
pub fn log_loss(target: f64, predicted: f64) -> f64 {
    let predicted = predicted.clamp(1e-9, 1.0 - 1e-9);
    -(target * predicted.ln() + (1.0 - target) * (1.0 - predicted).ln())
}
