//! The score of a match from A's side, counted from its records.

use crate::stats::elo::{Estimate, Games, Pairs};
use crate::stats::sprt::{Sprt, Verdict};
use otrera::{GameRecord, Move, Side};
use std::collections::{BTreeMap, HashSet};

/// What the games of a match come to. A is Black in the even games.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Games that A won.
    pub wins: u64,
    /// Games that A lost.
    pub losses: u64,
    /// Of A's wins, those as Black.
    pub wins_as_black: u64,
    /// Games in which A was Black.
    pub games_as_black: u64,
    /// What A scored in each whole pair of games, in half-points, by the number of the pair.
    pub pairs: BTreeMap<u64, usize>,
    /// Forfeits of A and of B by kind, such as `late`.
    pub forfeits: [BTreeMap<String, u64>; 2],
    /// What was said of the first forfeit of each kind.
    pub reasons: [BTreeMap<String, String>; 2],
    /// Moves of all games.
    pub plies: u64,
    /// Seconds that A and B thought, and how many moves they chose.
    pub thought: [(f64, u64); 2],
}

impl Score {
    /// Counts the games.
    pub fn of<'a>(games: impl IntoIterator<Item = &'a GameRecord>) -> Self {
        let mut score = Self::default();
        let mut half_pairs: BTreeMap<u64, u32> = BTreeMap::new();
        for game in games {
            let Some(winner) = game.winner else { continue };
            let a = if game.number.is_multiple_of(2) { Side::Black } else { Side::White };
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
            *self.forfeits[won as usize].entry(kind.clone()).or_insert(0) += 1;
            self.reasons[won as usize].entry(kind.clone()).or_insert_with(|| reason.clone());
        }
        self.plies += game.moves.len() as u64;
        let mut side = game.start.side();
        for played in &game.moves {
            let (seconds, moves) = &mut self.thought[usize::from(side != a)];
            // The opening's moves took nobody any time.
            if !played.time.is_zero() {
                *seconds += played.time.as_secs_f64();
                *moves += 1;
            }
            side = side.opponent();
        }
    }

    /// Games counted.
    pub fn games(&self) -> u64 {
        self.wins + self.losses
    }

    /// A's share of the points, one half where there are no games.
    pub fn share(&self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.wins as f64 / self.games() as f64 }
    }

    /// A's lead in Elo with its 95 % interval, from whole pairs where there are any.
    pub fn estimate(&self) -> Option<Estimate> {
        let mut pairs = Pairs::default();
        for &half_points in self.pairs.values() {
            pairs.add(half_points).ok()?;
        }
        let games = Games { counts: [self.losses, 0, self.wins] };
        pairs.estimate().or_else(|_| games.estimate()).ok()
    }

    /// A sequential test fed with the pairs in the order of their numbers, up to the first that is not
    /// finished: so its verdict does not hang on which games happened to end first.
    pub fn tested(&self, test: &Sprt) -> Sprt {
        let mut test = test.clone();
        for (expected, (&pair, &half_points)) in (0..).zip(&self.pairs) {
            if pair != expected || test.verdict() != Verdict::Continue || test.add(half_points).is_err() {
                break;
            }
        }
        test
    }

    /// Mean seconds a move of A and of B.
    pub fn seconds_a_move(&self) -> [f64; 2] {
        self.thought.map(|(seconds, moves)| if moves == 0 { 0.0 } else { seconds / moves as f64 })
    }

    /// Forfeits of both.
    pub fn forfeit_count(&self) -> u64 {
        self.forfeits.iter().flat_map(BTreeMap::values).sum()
    }
}

/// How many of the games are earlier ones again, move by move: they say nothing new, though statistics takes them for
/// new ones. Two players alike, without random numbers, play each game of a pair so.
pub fn repetitions(games: &[GameRecord]) -> usize {
    let mut seen: HashSet<Vec<Move>> = HashSet::new();
    games.iter().filter(|game| !seen.insert(game.moves.iter().map(|played| played.mv).collect())).count()
}
