//! The tally of games that two players played: results, forfeits, time and further counts. All commands count with it.

use otrera::{GameRecord, Side};
use std::collections::BTreeMap;

/// Counts over games between a player and its opponent, from the player's point of view.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Wins of the player with Black and with White.
    won: [u64; 2],
    /// Losses of the player with Black and with White.
    lost: [u64; 2],
    plies: u64,
    /// Total thinking time in seconds and number of timed moves, of the player and of its opponent.
    thought: [(f64, u64); 2],
    /// Failures of the player and of its opponent by kind, such as `late`: their number and the reason of the first.
    failures: [BTreeMap<String, (u64, String)>; 2],
    /// Used fractions of the total time, one for each game and clock. 1 is the whole time.
    used: Vec<f64>,
    /// Further counts by name.
    counts: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// Adds a game of the player with this side, and any forfeit. A game without a winner has no effect.
    pub fn add(&mut self, game: &GameRecord, side: Side) {
        self.add_result(game, side);
        if let (Some(winner), Some((kind, reason))) = (game.winner, &game.forfeit) {
            self.add_failure(usize::from(winner == side), kind, reason);
        }
    }

    /// Adds a game without its forfeit, see [`Tally::add_failure`].
    pub fn add_result(&mut self, game: &GameRecord, side: Side) {
        let Some(winner) = game.winner else { return };
        let results = if winner == side { &mut self.won } else { &mut self.lost };
        results[side.index()] += 1;
        self.plies += game.moves.len() as u64;
        let mut mover = game.start.side();
        for played in &game.moves {
            let (seconds, moves) = &mut self.thought[usize::from(mover != side)];
            // Opening moves have no time.
            if !played.time.is_zero() {
                *seconds += played.time.as_secs_f64();
                *moves += 1;
            }
            mover = mover.opponent();
        }
    }

    /// Adds a failure of the player (0) or of its opponent (1).
    pub fn add_failure(&mut self, whose: usize, kind: &str, reason: &str) {
        let failures = &mut self.failures[whose];
        failures.entry(kind.to_owned()).or_insert_with(|| (0, reason.to_owned())).0 += 1;
    }

    /// Adds the used fraction of a clock.
    pub fn add_used(&mut self, share: f64) {
        self.used.push(share);
    }

    /// Adds `more` to the count of this name.
    pub fn count(&mut self, name: &'static str, more: u64) {
        *self.counts.entry(name).or_default() += more;
    }

    /// Returns the count of this name.
    pub fn counted(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    pub fn games(&self) -> u64 {
        self.wins() + self.losses()
    }

    pub fn wins(&self) -> u64 {
        self.won.iter().sum()
    }

    pub fn losses(&self) -> u64 {
        self.lost.iter().sum()
    }

    /// Returns the wins and losses with this side.
    pub fn as_side(&self, side: Side) -> [u64; 2] {
        [self.won[side.index()], self.lost[side.index()]]
    }

    /// Returns the games that each side won, Black and White.
    pub fn wins_of_sides(&self) -> [u64; 2] {
        [self.won[0] + self.lost[1], self.won[1] + self.lost[0]]
    }

    /// Returns the player's share of the points, 0.5 without games.
    pub fn share(&self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.wins() as f64 / self.games() as f64 }
    }

    /// Returns the mean number of plies in a game.
    pub fn mean_plies(&self) -> f64 {
        self.plies as f64 / self.games().max(1) as f64
    }

    /// Returns the mean time of a move in seconds, of the player and of its opponent.
    pub fn seconds_a_move(&self) -> [f64; 2] {
        self.thought.map(|(seconds, moves)| if moves == 0 { 0.0 } else { seconds / moves as f64 })
    }

    /// Returns the failures of the player and of its opponent by kind, each with the reason of the first.
    pub const fn failures(&self) -> &[BTreeMap<String, (u64, String)>; 2] {
        &self.failures
    }

    /// Returns the number of failures of a kind, or of all kinds, by both players.
    pub fn failed(&self, kind: Option<&str>) -> u64 {
        let all = self.failures.iter().flatten().filter(|(name, _)| kind.is_none_or(|kind| kind == *name));
        all.map(|(_, (count, _))| count).sum()
    }

    /// Returns the least, the largest and the mean used percentage of a clock; `None` if no clock was counted.
    pub fn used_percent(&self) -> Option<[f64; 3]> {
        let least = self.used.iter().copied().reduce(f64::min)?;
        let most = self.used.iter().copied().reduce(f64::max)?;
        let mean = self.used.iter().sum::<f64>() / self.used.len() as f64;
        Some([least, most, mean].map(|share| 100.0 * share))
    }

    /// Returns the number of clocks that ran out.
    pub fn overrun(&self) -> u64 {
        self.used.iter().filter(|share| **share > 1.0).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use otrera::Position;

    #[test]
    fn results_are_counted_by_player_and_by_side() {
        let mut tally = Tally::default();
        let game = |winner, forfeit: Option<&str>| GameRecord {
            winner: Some(winner),
            forfeit: forfeit.map(|kind| (kind.to_owned(), format!("{kind}: why"))),
            ..GameRecord::new("", "", Position::standard())
        };
        tally.add(&game(Side::Black, None), Side::Black);
        tally.add(&game(Side::Black, Some("late")), Side::White);
        tally.add(&game(Side::White, Some("late")), Side::White);
        tally.add(&game(Side::White, Some("crash")), Side::White);
        tally.add(&GameRecord { winner: None, ..game(Side::White, Some("crash")) }, Side::White);
        assert_eq!((tally.games(), tally.wins(), tally.losses()), (4, 3, 1));
        assert_eq!(tally.as_side(Side::White), [2, 1]);
        assert_eq!(tally.wins_of_sides(), [2, 2]);
        assert_eq!((tally.failed(None), tally.failed(Some("late"))), (3, 2));
        assert_eq!(tally.failures()[0]["late"], (1, "late: why".to_owned()));
        assert_eq!(tally.failures()[1].len(), 2);
        for share in [0.5, 1.0, 1.25] {
            tally.add_used(share);
        }
        let [least, most, mean] = tally.used_percent().unwrap_or_default();
        assert_eq!((least, most, mean.round(), tally.overrun()), (50.0, 125.0, 92.0, 1));
    }

    #[test]
    fn time_is_that_of_the_player_and_of_its_opponent() {
        let moves = ["d1-d7/g7", "a7-d4/a7", "g1-e3/e10", "j7-h7/j7"].map(|mv| mv.parse().unwrap());
        let mut game = GameRecord::new("", "", Position::standard()).with_moves(&moves);
        game.winner = Some(Side::White);
        // The first move is one of the opening.
        for (played, seconds) in game.moves.iter_mut().zip([0, 1, 2, 5]) {
            played.time = std::time::Duration::from_secs(seconds);
        }
        for (side, times) in [(Side::Black, [2.0, 3.0]), (Side::White, [3.0, 2.0])] {
            let mut tally = Tally::default();
            tally.add(&game, side);
            assert_eq!((tally.seconds_a_move(), tally.mean_plies()), (times, 4.0), "{side}");
        }
    }
}
