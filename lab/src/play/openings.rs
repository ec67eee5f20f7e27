//! Openings of matches: from a book, or balanced positions after random moves.

use crate::play::player::{iterate, search_of};
use fastrand::Rng;
use otrera::seed::mix_seed;
use otrera::{Move, Params, Position, Size};
use std::path::PathBuf;

/// A series of openings, numbered from 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Openings {
    /// Opening book: its lines are used in turn, instead of random openings.
    pub book: Option<Book>,
    pub plies: u32,
    /// Maximum distance from 0.5 of the win rate estimated by a short search; 0.5 accepts all openings.
    pub balance: f32,
    pub seed: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Book {
    pub path: PathBuf,
    /// Opening lines, at least one, all legal from the start position of the match.
    pub lines: Vec<Vec<Move>>,
}

/// Iterations of the search that estimates the win rate of an opening.
const BALANCE_ITERATIONS: u64 = 1000;

/// Maximum number of random openings tried; if none is balanced enough, the most balanced one is used.
const MAX_TRIES: usize = 50;

impl Openings {
    /// Returns the opening with this index; equal settings, `start` and `index` give equal openings.
    pub fn opening(&self, start: &Position, index: u64) -> Vec<Move> {
        if let Some(Book { lines, .. }) = &self.book {
            return lines[(index % lines.len() as u64) as usize].clone();
        }
        let mut rng = Rng::with_seed(mix_seed(self.seed, index + 1));
        let mut best = (f32::INFINITY, Vec::new());
        for _ in 0..MAX_TRIES {
            let (moves, position) = random_moves(start, self.plies, &mut rng);
            let imbalance = match self.balance {
                _ if position.winner().is_some() => 0.5,
                keep_all if keep_all >= 0.5 => 0.0,
                _ => imbalance(&position, rng.u64(..)),
            };
            if imbalance < best.0 {
                best = (imbalance, moves);
            }
            if imbalance <= self.balance && position.winner().is_none() {
                break;
            }
        }
        best.1
    }
}

/// Parses an opening book, one opening per line; fails if it is empty or a move is not legal from `start`.
pub fn read_book(text: &str, start: Position) -> Result<Vec<Vec<Move>>, String> {
    let mut book = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let moves = read_line(line, &start).map_err(|error| format!("line {number}: {error}"))?;
        book.extend(Some(moves).filter(|moves| !moves.is_empty()));
    }
    if book.is_empty() { Err("contains no opening".into()) } else { Ok(book) }
}

/// Parses the moves of an opening, up to `#`; fails if one is not legal or the game is over after them.
pub fn read_line(line: &str, start: &Position) -> Result<Vec<Move>, String> {
    let (mut position, mut moves) = (*start, Vec::new());
    for word in line.split('#').next().unwrap_or_default().split_whitespace() {
        let mv: Move = word.parse().map_err(|error| format!("{word}: {error}"))?;
        position = position.try_play(mv).map_err(|error| format!("{mv}: {error}"))?;
        moves.push(mv);
    }
    match position.winner() {
        Some(_) => Err("the game is over after these moves".into()),
        None => Ok(moves),
    }
}

/// Returns the maximum number of random moves at the start of a game: half of a game.
pub fn max_plies(size: Size) -> u32 {
    Position::start(size).empty().len() / 2
}

/// Fails if `plies` random moves, the value of `option`, are more than half of a game.
pub fn check_plies(option: &str, plies: u32, size: Size) -> Result<(), String> {
    let (edge, max) = (size.edge(), max_plies(size));
    if plies > max {
        return Err(format!("{option} {plies}: expected 0 to {max}, half of a game on {edge}x{edge}"));
    }
    Ok(())
}

/// Plays `plies` random moves, or fewer if the game ends; returns the moves and the last position.
pub fn random_moves(start: &Position, plies: u32, rng: &mut Rng) -> (Vec<Move>, Position) {
    let mut position = *start;
    let mut moves = Vec::new();
    while moves.len() < plies as usize && position.winner().is_none() {
        let legal: Vec<Move> = position.legal_moves().collect();
        let mv = legal[rng.usize(..legal.len())];
        moves.push(mv);
        position = position.with_move(mv);
    }
    (moves, position)
}

/// Estimates the win rate by a short search and returns its distance from 0.5.
fn imbalance(position: &Position, seed: u64) -> f32 {
    let report = iterate(&mut search_of(position, Params::TOURNAMENT, 8, seed), BALANCE_ITERATIONS);
    (report.win_rate.0 - 0.5).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_reproducible_and_vary() {
        let openings = Openings { book: None, plies: 4, balance: 0.2, seed: 3 };
        let start = Position::standard();
        let first = openings.opening(&start, 0);
        assert_eq!(first.len(), 4);
        assert_eq!(first, openings.opening(&start, 0));
        assert_ne!(first, openings.opening(&start, 1));
        let position = first.iter().fold(start, |position, &mv| position.try_play(mv).unwrap());
        assert!(imbalance(&position, 1) < 0.35);
    }
}
