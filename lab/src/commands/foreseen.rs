//! What the fits of the evaluation share: games, the positions in them that tell something about judgement, and how well
//! these are foreseen.

use crate::commands::convert::read_games;
use otrera::{GameRecord, Position};
use std::path::PathBuf;

/// A position that the player who had to move there saw undecided.
pub struct Undecided {
    /// The position.
    pub position: Position,
    /// 1 if the side to move has won, else 0.
    pub won: f64,
    /// What the search expected of it, between 0 and 1.
    pub win_rate: f64,
}

impl Undecided {
    /// What is to be foreseen: the result, with some share of what the search expected.
    pub fn target(&self, blend: f64) -> f64 {
        self.won + blend * (self.win_rate - self.won)
    }
}

/// The positions of a game from which its search knew no certain way to the end: decided ones say nothing about
/// judgement.
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

/// The games of several files.
///
/// # Errors
/// See [`read_games`].
pub fn read_all_games(paths: &[PathBuf]) -> Result<Vec<GameRecord>, String> {
    let mut games = Vec::new();
    for path in paths {
        games.extend(read_games(path)?);
    }
    Ok(games)
}

/// The boards that weights are for: each kind has its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Boards {
    /// Above 8x8.
    Standard,
    /// Up to 8x8.
    Small,
}

impl Boards {
    /// Those of these games.
    ///
    /// # Errors
    /// There are no games, or games on both kinds.
    pub fn of(games: &[GameRecord]) -> Result<Self, String> {
        let mut all = games.iter().map(|game| match game.start.size().edge() {
            ..=8 => Self::Small,
            _ => Self::Standard,
        });
        let first = all.next().ok_or("there are no games")?;
        match all.all(|boards| boards == first) {
            true => Ok(first),
            false => Err(
                "games on boards up to 8x8 and on larger ones: each have weights of their own, fit them apart"
                    .into(),
            ),
        }
    }

    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "above 8x8",
            Self::Small => "up to 8x8",
        }
    }

    /// The one of two that is for these boards.
    pub fn choose<T>(self, standard: T, small: T) -> T {
        match self {
            Self::Standard => standard,
            Self::Small => small,
        }
    }
}

/// Whether a game is among the one in so many that a fit does not see, and that test it: both games of a pair together.
pub fn is_unseen(number: usize, one_in: usize) -> bool {
    (number / 2).is_multiple_of(one_in)
}

/// Makes sure that there are positions enough, at least `least` seen and unseen.
///
/// # Errors
/// There are not; `share` says how much of the games is unseen.
pub fn check_amount([seen, unseen]: [usize; 2], least: [usize; 2], share: &str) -> Result<(), String> {
    let [fitted, tested] = least;
    if seen >= fitted && unseen >= tested {
        return Ok(());
    }
    Err(format!(
        "too few positions: {seen} for the fit and {unseen} for its test ({share} of the games), and at least \
         {fitted} and {tested} are needed, with winning rates that a search has seen: give more games"
    ))
}

/// The probability of natural log-odds.
pub fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// The cross-entropy, in nats, of what came and what was foreseen, both from 0 to 1.
pub fn log_loss(target: f64, foreseen: f64) -> f64 {
    let foreseen = foreseen.clamp(1e-9, 1.0 - 1e-9);
    -(target * foreseen.ln() + (1.0 - target) * (1.0 - foreseen).ln())
}
