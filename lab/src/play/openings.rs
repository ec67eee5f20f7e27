//! Openings of matches: the balanced ones of the laboratory, those of a book, or random moves.

use crate::play::player::{iterate, search_of};
use fastrand::Rng;
use otrera::seed::mix_seed;
use otrera::{Move, Params, Position, Size};
use std::path::PathBuf;

/// A series of openings, numbered from 0.
#[derive(Clone, PartialEq, Debug)]
pub enum Openings {
    /// The openings of [`balanced`], in an order that depends on the seed. Each is used once before one is used again.
    Balanced(Vec<Line>),
    /// The lines of a book in turn.
    Book(PathBuf, Vec<Line>),
    /// Random moves.
    Random(RandomMoves),
}

/// The moves of an opening.
pub type Line = Vec<Move>;

/// Openings of random moves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RandomMoves {
    pub plies: u32,
    /// Maximum distance from 0.5 of the win rate estimated by a short search; 0.5 accepts all openings.
    pub balance: f32,
}

impl RandomMoves {
    /// Random moves unless an option asks for others.
    pub const DEFAULT: Self = Self { plies: 4, balance: 0.15 };
}

/// Openings that a search of a million iterations rates within 0.05 of one half; written by `lab openings`.
const BALANCED_10: &str = include_str!("../../data/openings-10.txt");
const BALANCED_8: &str = include_str!("../../data/openings-8.txt");

/// Returns the balanced openings of a board; `None` if there are none for its size. Fails if they are damaged.
pub fn balanced(size: Size) -> Result<Option<Vec<Line>>, String> {
    let text = match size {
        Size::STANDARD => BALANCED_10,
        Size::BOTZONE => BALANCED_8,
        _ => return Ok(None),
    };
    read_book(text, Position::start(size)).map(Some)
}

/// Iterations of the search that estimates the win rate of an opening.
const BALANCE_ITERATIONS: u64 = 1000;

/// Maximum number of random openings tried; if none is balanced enough, the most balanced one is used.
const MAX_TRIES: usize = 50;

impl Openings {
    /// Returns the opening with this index; equal settings, `start`, `seed` and `index` give equal openings.
    pub fn opening(&self, start: &Position, seed: u64, index: u64) -> Line {
        match self {
            Self::Balanced(lines) => {
                let (pass, place) = (index / lines.len() as u64, index % lines.len() as u64);
                let mut order: Vec<&Line> = lines.iter().collect();
                Rng::with_seed(mix_seed(seed, pass + 1)).shuffle(&mut order);
                order[place as usize].clone()
            }
            Self::Book(_, lines) => lines[(index % lines.len() as u64) as usize].clone(),
            Self::Random(moves) => moves.opening(start, seed, index),
        }
    }

    /// Returns true if all games begin at the start position.
    pub fn are_empty(&self) -> bool {
        matches!(self, Self::Random(RandomMoves { plies: 0, .. }))
    }
}

impl RandomMoves {
    /// Returns the opening with this index, the first of [`MAX_TRIES`] that is balanced enough.
    pub fn opening(&self, start: &Position, seed: u64, index: u64) -> Line {
        let mut rng = Rng::with_seed(mix_seed(seed, index + 1));
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
pub fn read_book(text: &str, start: Position) -> Result<Vec<Line>, String> {
    let mut book = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let moves = read_line(line, &start).map_err(|error| format!("line {number}: {error}"))?;
        book.extend(Some(moves).filter(|moves| !moves.is_empty()));
    }
    if book.is_empty() { Err("contains no opening".into()) } else { Ok(book) }
}

/// Parses the moves of an opening, up to `#`; fails if one is not legal or the game is over after them.
pub fn read_line(line: &str, start: &Position) -> Result<Line, String> {
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
    use crate::puzzles::{Signature, signature};
    use std::collections::HashSet;

    #[test]
    fn openings_are_reproducible_and_vary() {
        let openings = RandomMoves { plies: 4, balance: 0.2 };
        let start = Position::standard();
        let first = openings.opening(&start, 3, 0);
        assert_eq!(first.len(), 4);
        assert_eq!(first, openings.opening(&start, 3, 0));
        assert_ne!(first, openings.opening(&start, 3, 1));
        assert_ne!(first, openings.opening(&start, 4, 0));
        let position = first.iter().fold(start, |position, &mv| position.try_play(mv).unwrap());
        assert!(imbalance(&position, 1) < 0.35);
    }

    #[test]
    fn each_balanced_opening_is_used_once_in_an_order_of_the_seed() {
        for size in [Size::STANDARD, Size::BOTZONE] {
            let start = Position::start(size);
            let lines = balanced(size).unwrap().unwrap();
            let used = |seed: u64, from: u64| -> Vec<Line> {
                let openings = Openings::Balanced(lines.clone());
                let indices = from..from + lines.len() as u64;
                indices.map(|index| openings.opening(&start, seed, index)).collect()
            };
            let sorted = |mut lines: Vec<Line>| {
                lines.sort_by_key(|line| format!("{line:?}"));
                lines
            };
            let first = used(1, 0);
            assert_eq!(sorted(first.clone()), sorted(lines.clone()), "all, once");
            assert_eq!(first, used(1, 0));
            for other in [used(2, 0), used(1, lines.len() as u64)] {
                assert_ne!(first, other, "another order");
            }
        }
    }

    #[test]
    fn the_balanced_openings_are_300_different_positions_a_board() {
        for size in [Size::STANDARD, Size::BOTZONE] {
            let start = Position::start(size);
            let lines = balanced(size).unwrap().unwrap();
            assert_eq!(lines.len(), 300);
            assert!(lines.iter().all(|line| (4..=8).contains(&line.len())));
            let ends =
                lines.iter().map(|line| line.iter().fold(start, |position, &mv| position.with_move(mv)));
            let images: HashSet<Signature> = ends.map(|end| signature(&end)).collect();
            assert_eq!(images.len(), lines.len(), "no mirror images");
        }
        assert_eq!(balanced(Size::new(6).unwrap()), Ok(None));
    }
}
