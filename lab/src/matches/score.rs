//! The score of a match from the point of view of its first player, A.

use crate::stats::elo::{Estimate, Pairs};
use crate::stats::sprt::{Sprt, Verdict};
use otrera::{GameRecord, Move, Side};
use std::collections::{BTreeMap, HashSet};

/// Counts over the games of a match. Player A has Black in even-numbered games.
#[derive(Clone, Debug, Default)]
pub struct Score {
    pub wins: u64,
    pub losses: u64,
    pub wins_as_black: u64,
    pub games_as_black: u64,
    /// A's half-points in each complete pair of games, by pair number (game number / 2).
    pub pairs: BTreeMap<u64, usize>,
    /// Forfeits of A and of B by kind, such as `late`: the number of forfeits and the reason of the first.
    pub forfeits: [BTreeMap<String, (u64, String)>; 2],
    pub plies: u64,
    /// Total thinking time in seconds and number of timed moves, of A and of B.
    pub thought: [(f64, u64); 2],
}

impl Score {
    pub fn of<'a>(games: impl IntoIterator<Item = &'a GameRecord>) -> Self {
        let mut score = Self::default();
        let mut half_pairs: BTreeMap<u64, u32> = BTreeMap::new();
        for game in games {
            let Some(winner) = game.winner else { continue };
            let a = side_of_a(game.number);
            let won = u32::from(winner == a);
            score.count(game, a, won);
            if let Some(other) = half_pairs.insert(game.number / 2, won) {
                score.pairs.insert(game.number / 2, 2 * (won + other) as usize);
            }
        }
        score
    }

    fn count(&mut self, game: &GameRecord, a: Side, won: u32) {
        self.wins += u64::from(won);
        self.losses += u64::from(1 - won);
        if a == Side::Black {
            self.games_as_black += 1;
            self.wins_as_black += u64::from(won);
        }
        if let Some((kind, reason)) = &game.forfeit {
            let forfeits = &mut self.forfeits[won as usize];
            forfeits.entry(kind.clone()).or_insert_with(|| (0, reason.clone())).0 += 1;
        }
        self.plies += game.moves.len() as u64;
        let mut side = game.start.side();
        for played in &game.moves {
            let (seconds, moves) = &mut self.thought[usize::from(side != a)];
            // Opening moves have no time.
            if !played.time.is_zero() {
                *seconds += played.time.as_secs_f64();
                *moves += 1;
            }
            side = side.opponent();
        }
    }

    pub fn games(&self) -> u64 {
        self.wins + self.losses
    }

    /// Returns A's share of the points, 0.5 without games.
    pub fn share(&self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.wins as f64 / self.games() as f64 }
    }

    /// Estimates A's lead in Elo and its 95 % interval from the complete pairs; `None` without a complete pair.
    pub fn estimate(&self) -> Option<Estimate> {
        let mut pairs = Pairs::default();
        self.pairs.values().for_each(|&half_points| pairs.counts[half_points] += 1);
        pairs.estimate().ok()
    }

    /// Returns a copy of `test` with the complete pairs added in numeric order, up to the decision or the first
    /// incomplete pair. The verdict does not depend on the order in which games end.
    pub fn tested(&self, test: &Sprt) -> Sprt {
        let mut test = test.clone();
        for (expected, (&pair, &half_points)) in (0..).zip(&self.pairs) {
            if pair != expected || test.verdict != Verdict::Continue {
                break;
            }
            test.add(half_points);
        }
        test
    }

    pub fn seconds_a_move(&self) -> [f64; 2] {
        self.thought.map(|(seconds, moves)| if moves == 0 { 0.0 } else { seconds / moves as f64 })
    }

    pub fn forfeit_count(&self) -> u64 {
        self.forfeits.iter().flat_map(BTreeMap::values).map(|(count, _)| count).sum()
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
