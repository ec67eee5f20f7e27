//! The score of a match from the point of view of its first player, A.

use crate::stats::elo::{Estimate, Pairs};
use crate::stats::sprt::{Outcome, Sprt};
use otrera::{GameRecord, Move, Side};
use otrera_arena::tally::Tally;
use std::collections::{BTreeMap, HashSet};

/// The tally of a match and its pairs of games. Player A has Black in even-numbered games.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Counts from A's point of view.
    pub tally: Tally,
    /// A's half-points in each complete pair of games, by pair number (game number / 2).
    pub pairs: BTreeMap<u64, usize>,
}

impl Score {
    pub fn of<'a>(games: impl IntoIterator<Item = &'a GameRecord>) -> Self {
        let mut score = Self::default();
        let mut half_pairs: BTreeMap<u64, u32> = BTreeMap::new();
        for game in games {
            let Some(winner) = game.winner else { continue };
            let a = side_of_a(game.number);
            score.tally.add(game, a);
            let won = u32::from(winner == a);
            if let Some(other) = half_pairs.insert(game.number / 2, won) {
                score.pairs.insert(game.number / 2, 2 * (won + other) as usize);
            }
        }
        score
    }

    /// Estimates A's lead in Elo and its 95 % interval from the complete pairs; `None` without a complete pair.
    pub fn estimate(&self) -> Option<Estimate> {
        let mut pairs = Pairs::default();
        self.pairs.values().for_each(|&half_points| pairs.counts[half_points] += 1);
        pairs.estimate().ok()
    }

    /// Returns the numbers of complete pairs that A won, split and lost; `None` without a complete pair. A pair splits
    /// if each player wins one game; the opening may have decided both.
    pub fn pair_counts(&self) -> Option<[usize; 3]> {
        let count = |half_points| self.pairs.values().filter(|&&points| points == half_points).count();
        (!self.pairs.is_empty()).then(|| [4, 2, 0].map(count))
    }

    /// Returns a copy of `test` with the complete pairs added in numeric order, up to the decision or the first
    /// incomplete pair. The outcome does not depend on the order in which games end.
    pub fn tested(&self, test: &Sprt) -> Sprt {
        let mut test = test.clone();
        for (expected, (&pair, &half_points)) in (0..).zip(&self.pairs) {
            if pair != expected || test.outcome != Outcome::Continue {
                break;
            }
            test.add(half_points);
        }
        test
    }
}

/// Returns A's side in the game with this number.
pub fn side_of_a(number: u64) -> Side {
    if number.is_multiple_of(2) { Side::Black } else { Side::White }
}

/// Counts the games whose moves all equal those of an earlier game. Repetitions occur, for example, if a deterministic
/// player plays a pair against itself. The statistics wrongly treat repetitions as independent games.
pub fn repetitions(games: &[GameRecord]) -> usize {
    let mut seen: HashSet<Vec<Move>> = HashSet::new();
    games.iter().filter(|game| !seen.insert(game.played_moves())).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use otrera::Position;

    #[test]
    fn a_test_stops_at_the_first_pair_that_is_incomplete() {
        let game = |number, a_wins: bool| {
            let side = side_of_a(number);
            let winner = Some(if a_wins { side } else { side.opponent() });
            GameRecord { number, winner, ..GameRecord::new("", "", Position::standard()) }
        };
        // Pair 1 lacks a game; the games ended in another order.
        let games: Vec<GameRecord> = [0, 5, 1, 3, 4].map(|number| game(number, number != 1)).into();
        let score = Score::of(&games);
        assert_eq!(score.pairs, BTreeMap::from([(0, 2), (2, 4)]));
        let test = Sprt::new(0.0, 50.0, 0.05, 0.05).unwrap();
        assert_eq!(score.tested(&test).pairs.counts, [0, 0, 1, 0, 0]);
        let score = Score::of(games.iter().chain(&[game(2, false)]));
        assert_eq!(score.tested(&test).pairs.counts, [0, 0, 2, 0, 1]);
        assert_eq!((score.tally.wins(), score.tally.losses()), (4, 2));
    }
}
