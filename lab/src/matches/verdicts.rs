//! Verdicts on the turns of a bot in its games in one mode, with results, time and memory.

use crate::sheet::Sheet;
use otrera::{GameRecord, Side};
use otrera_arena::failure::{Failure, Kind};
use otrera_arena::limits::TurnTaken;
use otrera_arena::tally::Tally;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The verdicts on a bot, and what its turns took.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    pub mode: String,
    pub tally: Tally,
    /// Turns of the bot in all games.
    pub turns: Vec<TurnTaken>,
    /// For each game that the bot lost by a verdict, the number of the game and the reason.
    pub problems: Vec<String>,
    /// For each game that the opponent forfeited, the number of the game and the reason.
    pub gifts: Vec<String>,
}

impl Verdicts {
    /// Adds a finished game; `is_alone` is true if the bot played against itself.
    pub fn add(&mut self, game: &GameRecord, bot_side: Side, is_alone: bool, mut turns: Vec<TurnTaken>) {
        self.tally.add(game, bot_side);
        if let Some((kind, forfeit)) = &game.forfeit {
            let number = self.tally.games();
            if game.winner == Some(bot_side) && !is_alone {
                self.gifts.push(format!("game {number} by {forfeit}"));
            } else {
                self.problems.push(format!("game {number}, {}", complaint(&mut turns, kind, forfeit)));
            }
        }
        self.turns.extend(turns);
    }

    /// Returns the number of turns with each verdict that occurred.
    fn counts(&self) -> Vec<(&'static str, usize)> {
        let count = |verdict| self.turns.iter().filter(|turn| turn.verdict() == verdict).count();
        Kind::VERDICTS
            .into_iter()
            .map(|verdict| (verdict, count(verdict)))
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    fn peak(&self) -> u64 {
        self.turns.iter().map(|turn| turn.spent.peak).max().unwrap_or(0)
    }

    /// Returns the number of first turns (if `first`) or other turns, and the [`spread`]s of their processor times and
    /// wall-clock times.
    fn taken(&self, first: bool) -> (usize, [[f64; 3]; 2]) {
        let turns = || self.turns.iter().filter(|turn| turn.first == first);
        (
            turns().count(),
            [spread(turns().map(|turn| turn.spent.cpu)), spread(turns().map(|turn| turn.spent.wall))],
        )
    }

    pub fn to_text(&self) -> String {
        let (mode, won, games) = (&self.mode, self.tally.wins(), self.tally.games());
        let verdicts = self.counts();
        let verdicts: Vec<String> =
            verdicts.iter().map(|(verdict, count)| format!("{verdict} {count}")).collect();
        let title = format!("{mode}: {won} of {games} games won; turns: {}", verdicts.join(", "));
        let header = ["seconds", "turns", "CPU median", "99 %", "max", "wall median", "99 %", "max"];
        let mut sheet = Sheet::new(title, &header);
        for (name, first) in [("first turns", true), ("other turns", false)] {
            let (count, times) = self.taken(first);
            let times = times.as_flattened().iter().map(|time| format!("{time:.3}"));
            sheet.row([name.to_owned(), count.to_string()].into_iter().chain(times));
        }
        sheet.notes.push(match self.peak() {
            0 => "peak memory unknown: no turn was long enough to be measured".to_owned(),
            peak => format!("peak memory {:.1} MB", peak as f64 / f64::from(1 << 20)),
        });
        sheet.notes.extend(self.problems.iter().map(|problem| format!("lost {problem}")));
        sheet.notes.extend(self.gifts.iter().map(|gift| format!("won {gift}")));
        sheet.to_text()
    }

    /// Formats the verdicts as a JSON object, times in seconds and memory in bytes.
    pub fn to_json(&self) -> Value {
        let verdicts: Map<String, Value> =
            self.counts().into_iter().map(|(verdict, count)| (verdict.to_owned(), count.into())).collect();
        let times = |first| {
            let (turns, times) = self.taken(first);
            let [cpu, wall] = times
                .map(|[median, percentile, max]| json!({"median": median, "99 %": percentile, "max": max}));
            json!({"turns": turns, "cpu": cpu, "wall": wall})
        };
        json!({
            "mode": self.mode, "games": self.tally.games(), "won": self.tally.wins(), "verdicts": verdicts,
            "first_turns": times(true), "other_turns": times(false), "peak_memory": self.peak(),
            "lost": self.problems, "opponent_lost": self.gifts,
        })
    }
}

/// Describes the last of `turns`, in which the bot lost a game. Also records the verdict for an illegal move: the turn
/// was logged before the game checked the move.
fn complaint(turns: &mut [TurnTaken], kind: &str, forfeit: &str) -> String {
    let number = turns.len();
    let Some(turn) = turns.last_mut() else { return forfeit.to_owned() };
    if kind == Kind::Illegal.word() {
        turn.failure
            .get_or_insert_with(|| Failure::new(Kind::Illegal, forfeit.trim_start_matches("illegal: ")));
    }
    let failure = turn.failure.clone().map(Failure::with_verdict);
    let what = failure.map_or_else(|| forfeit.to_owned(), |failure| failure.detail);
    format!("its turn {number}: {what}")
}

/// Returns the median, the 99th percentile and the maximum of `times`, in seconds; all 0 if there are none.
fn spread(times: impl Iterator<Item = Duration>) -> [f64; 3] {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    // Percentile by the nearest-rank method.
    let percentile = |percent: usize| {
        let rank = (times.len() * percent).div_ceil(100).saturating_sub(1);
        times.get(rank).map_or(0.0, Duration::as_secs_f64)
    };
    [percentile(50), percentile(99), percentile(100)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_use_the_nearest_rank() {
        let of = |count: u64| spread((1..=count).rev().map(Duration::from_secs));
        assert_eq!(of(200), [100.0, 198.0, 200.0]);
        assert_eq!(of(3), [2.0, 3.0, 3.0]);
        assert_eq!(of(0), [0.0; 3]);
    }
}
