//! Report on a bot's games in one mode: results, verdicts, time and memory.

use crate::sheet::Sheet;
use otrera::{Forfeit, Outcome, Side};
use otrera_referee::botzone::TurnTaken;
use otrera_referee::verdict::{Failure, Spent, Verdict};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Report {
    pub mode: String,
    pub games: u64,
    pub won: u64,
    /// Turns of the bot in all games.
    pub turns: Vec<TurnTaken>,
    /// Games that the bot lost by a verdict, with the reasons.
    pub problems: Vec<String>,
    /// Games that the opponent forfeited, with the reasons.
    pub gifts: Vec<String>,
}

/// Median, 99th percentile and maximum of a list of times; 0 if the list is empty.
type Spread = [Duration; 3];

impl Report {
    /// Adds a finished game; `is_alone` is true if the bot played against itself.
    pub fn add(&mut self, outcome: Outcome, bot_side: Side, is_alone: bool, mut turns: Vec<TurnTaken>) {
        self.games += 1;
        self.won += u64::from(outcome.winner == bot_side);
        if let Some(forfeit) = outcome.forfeit {
            let number = self.games;
            if outcome.winner == bot_side && !is_alone {
                self.gifts.push(format!("game {number} by {forfeit}"));
            } else {
                self.problems.push(format!("game {number}, {}", complaint(&mut turns, &forfeit)));
            }
        }
        self.turns.extend(turns);
    }

    pub fn verdicts(&self) -> BTreeMap<Verdict, usize> {
        let mut verdicts = BTreeMap::new();
        for turn in &self.turns {
            *verdicts.entry(turn.verdict()).or_insert(0) += 1;
        }
        verdicts
    }

    fn peak(&self) -> u64 {
        self.turns.iter().map(|turn| turn.spent.peak).max().unwrap_or(0)
    }

    fn taken(&self, first: bool) -> Vec<Spent> {
        self.turns.iter().filter(|turn| turn.first == first).map(|turn| turn.spent).collect()
    }

    pub fn to_text(&self) -> String {
        let verdicts = self.verdicts();
        let verdicts: Vec<String> =
            verdicts.iter().map(|(verdict, count)| format!("{verdict} {count}")).collect();
        let title = format!(
            "{}: {} of {} games won; turns: {}",
            self.mode,
            self.won,
            self.games,
            verdicts.join(", ")
        );
        let mut sheet = Sheet::new(
            title,
            &["seconds", "turns", "CPU median", "99 %", "max", "wall median", "99 %", "max"],
        );
        for (name, first) in [("first turns", true), ("other turns", false)] {
            let taken = self.taken(first);
            let [cpu, wall] = spreads(&taken);
            let times = cpu.iter().chain(&wall).map(|time| format!("{:.3}", time.as_secs_f64()));
            sheet.row([name.to_owned(), taken.len().to_string()].into_iter().chain(times));
        }
        sheet.notes.push(match self.peak() {
            0 => "peak memory unknown: no turn was long enough to be measured".to_owned(),
            peak => format!("peak memory {:.1} MB", peak as f64 / f64::from(1 << 20)),
        });
        sheet.notes.extend(self.problems.iter().map(|problem| format!("lost {problem}")));
        sheet.notes.extend(self.gifts.iter().map(|gift| format!("won {gift}")));
        sheet.to_text()
    }

    /// Returns the report as a JSON object, times in seconds and memory in bytes.
    pub fn to_json(&self) -> Value {
        let verdicts: Map<String, Value> =
            self.verdicts().into_iter().map(|(verdict, count)| (verdict.to_string(), count.into())).collect();
        let times = |first| {
            let taken = self.taken(first);
            let [cpu, wall] = spreads(&taken).map(|spread| {
                let [median, percentile, max] = spread.map(|time| time.as_secs_f64());
                json!({"median": median, "99 %": percentile, "max": max})
            });
            json!({"turns": taken.len(), "cpu": cpu, "wall": wall})
        };
        json!({
            "mode": self.mode, "games": self.games, "won": self.won, "verdicts": verdicts,
            "first_turns": times(true), "other_turns": times(false), "peak_memory": self.peak(),
            "lost": self.problems, "opponent_lost": self.gifts,
        })
    }
}

/// Describes the last of `turns`, which lost a game. Also sets the verdict of an illegal move: the referee logs the
/// turn before checking the move.
fn complaint(turns: &mut [TurnTaken], forfeit: &Forfeit) -> String {
    let number = turns.len();
    let Some(turn) = turns.last_mut() else { return forfeit.to_string() };
    if let Forfeit::Illegal(what) = forfeit {
        turn.failure.get_or_insert_with(|| Failure::new(Verdict::InvalidMove, what.as_str()));
    }
    let what = turn.failure.as_ref().map_or_else(|| forfeit.to_string(), Failure::to_string);
    format!("its turn {number}: {what}")
}

/// Returns the [`Spread`] of processor time and that of wall-clock time.
fn spreads(turns: &[Spent]) -> [Spread; 2] {
    [spread(turns.iter().map(|spent| spent.cpu)), spread(turns.iter().map(|spent| spent.wall))]
}

fn spread(times: impl Iterator<Item = Duration>) -> Spread {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    // Nearest-rank percentile.
    let percentile = |percent: usize| {
        let rank = (times.len() * percent).div_ceil(100).saturating_sub(1);
        times.get(rank).copied().unwrap_or_default()
    };
    [percentile(50), percentile(99), percentile(100)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_use_the_nearest_rank() {
        let of =
            |count: u64| spread((1..=count).rev().map(Duration::from_millis)).map(|time| time.as_millis());
        assert_eq!(of(200), [100, 198, 200]);
        assert_eq!(of(3), [2, 3, 3]);
        assert_eq!(of(0), [0, 0, 0]);
    }
}
