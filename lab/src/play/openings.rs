//! Openings for matches: from a book, or a few random moves, kept only where neither side is much better
//! off.

use fastrand::Rng;
use otrera::eval::phased::PhasedWeights;
use otrera::{Limits, Model, Move, Params, Position, Resources, Search, ValueLink};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// How openings are made.
#[derive(Clone, PartialEq, Debug)]
pub struct Openings {
    /// Openings to be taken in turn; without them they are random.
    pub book: Option<Book>,
    /// Random plies before the players are asked.
    pub plies: u32,
    /// The winning rate may differ from one half by this much, as a short search sees it; 0.5 keeps all.
    pub balance: f32,
    /// Seed of the whole series.
    pub seed: u64,
}

/// A book of openings.
#[derive(Clone, PartialEq, Debug)]
pub struct Book {
    /// The file they are from.
    pub path: PathBuf,
    /// At least one, each legal from the start.
    pub lines: Vec<Vec<Move>>,
}

/// Iterations of the search that judges whether an opening is balanced.
const JUDGING_ITERATIONS: u64 = 1000;

/// Openings tried before the most balanced of them is taken.
const TRIES: usize = 50;

impl Openings {
    /// The opening number `index` of the series: the same in every run.
    pub fn opening(&self, start: &Position, index: u64) -> Vec<Move> {
        if let Some(Book { lines, .. }) = &self.book {
            return lines[(index % lines.len() as u64) as usize].clone();
        }
        let mut rng = Rng::with_seed(self.seed ^ (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut best = (f32::INFINITY, Vec::new());
        for _ in 0..TRIES {
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

fn random_moves(start: &Position, plies: u32, rng: &mut Rng) -> (Vec<Move>, Position) {
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

/// Who judges: the paper's search without its bonus for the side to move, and with a link that tells a
/// small advantage from a large one.
const JUDGE: Params = Params {
    model: Model::Paper(PhasedWeights {
        tie: 0.0,
        link: ValueLink::Logistic { scale: 5.0 },
        ..PhasedWeights::PAPER
    }),
    ..Params::MG
};

/// How far the winning rate is from one half.
fn imbalance(position: &Position, seed: u64) -> f32 {
    let resources = Resources { threads: 1, memory: 8 << 20, seed };
    let mut search = Search::new(*position, JUDGE, resources);
    let report = search.run(&Limits::iterations(JUDGING_ITERATIONS), &AtomicBool::new(false), &mut |_| ());
    (report.win_rate.0 - 0.5).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_repeats_itself_and_varies() {
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
