//! Playing levels: a shallow search, then a random choice among the moves that the search found good.
//!
//! `lab table levels` plays each level against the one below.

use crate::engine::Search;
use crate::limits::Limits;
use crate::report::{Line, Report};
use crate::seed::mix_seed;
use fastrand::Rng;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A playing level from 1, easy for beginners, to 10, the full search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level(u8);

/// Parameters of a level below 10, calibrated in 10x10 games.
struct Strength {
    iterations: u64,
    /// Win-rate loss, 0 to 1, at which a move is chosen 1/e times as often as the best move.
    temperature: f32,
    /// Maximum win-rate loss of a chosen move, 0 to 1.
    max_loss: f32,
}

const STRENGTHS: [Strength; 9] = [
    Strength { iterations: 50, temperature: 0.124, max_loss: 0.36 },
    Strength { iterations: 200, temperature: 0.055, max_loss: 0.19 },
    Strength { iterations: 560, temperature: 0.03, max_loss: 0.1 },
    Strength { iterations: 2000, temperature: 0.019, max_loss: 0.065 },
    Strength { iterations: 5500, temperature: 0.014, max_loss: 0.05 },
    Strength { iterations: 13_000, temperature: 0.01, max_loss: 0.04 },
    Strength { iterations: 32_000, temperature: 0.007, max_loss: 0.03 },
    Strength { iterations: 85_000, temperature: 0.005, max_loss: 0.02 },
    Strength { iterations: 250_000, temperature: 0.003, max_loss: 0.01 },
];

impl Level {
    /// Level 10, the full search.
    pub const FULL: Self = Self(10);

    /// Thinking time per move of [`Self::FULL`].
    pub const FULL_TIME: Duration = Duration::from_secs(1);

    /// Returns level `number`; `None` unless the number is 1 to 10.
    pub fn new(number: u64) -> Option<Self> {
        u8::try_from(number).ok().filter(|number| (1..=10).contains(number)).map(Self)
    }

    fn strength(self) -> Option<&'static Strength> {
        STRENGTHS.get(usize::from(self.0) - 1)
    }

    /// Searches the root position at this level. The move to play is [`Report::best`].
    ///
    /// Levels below 10 clear the tree before the search, since results of earlier searches would make the level
    /// stronger. With one thread, these levels choose the same move for equal seeds and positions.
    pub fn think(self, search: &mut Search, seed: u64, stop: &AtomicBool) -> Report {
        let Some(strength) = self.strength() else {
            return search.run(&Limits::time(Self::FULL_TIME), stop, &mut |_| ());
        };
        search.clear();
        let ply = u64::from(search.position().ply());
        let report = search.run(&Limits::iterations(strength.iterations), stop, &mut |_| ());
        let mut rng = Rng::with_seed(mix_seed(seed, ply));
        strength.choose(report, &mut rng)
    }
}

impl Strength {
    /// Draws a root move that loses at most [`Self::max_loss`] of win rate, with probability proportional to
    /// `exp(-loss / temperature)`, and makes it the report's best move. Changes nothing if the outcome is proven.
    fn choose(&self, mut report: Report, rng: &mut Rng) -> Report {
        let Some(best) = report.lines.first().filter(|_| report.proven.is_none()) else { return report };
        let best_rate = best.win_rate.0;
        let odds = |line: &Line| {
            let loss = (best_rate - line.win_rate.0).max(0.0);
            if loss > self.max_loss { 0.0 } else { libm::expf(-loss / self.temperature) }
        };
        let odds: Vec<f32> = report.lines.iter().map(odds).collect();
        let mut left = rng.f32() * odds.iter().sum::<f32>();
        let chosen = odds.iter().position(|odds| {
            left -= odds;
            left < 0.0
        });
        let line = report.lines.remove(chosen.unwrap_or_default());
        report.best = Some(line.mv);
        report.principal_variation = [&[line.mv], &line.continuation[..]].concat();
        report.lines.insert(0, line);
        report
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.trim().parse().ok().and_then(Self::new).ok_or_else(|| "expected a level from 1 to 10".into())
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Params, Position, Resources};
    use std::collections::HashSet;

    fn report_at(number: u64, seed: u64) -> Report {
        let mut search = Search::new(Position::standard(), Params::TOURNAMENT, Resources::default());
        Level::new(number).expect("a level").think(&mut search, seed, &AtomicBool::new(false))
    }

    #[test]
    fn levels_vary_moves_within_their_maximum_loss() {
        let reports: Vec<Report> = (0..20).map(|seed| report_at(2, seed)).collect();
        let moves: HashSet<_> = reports.iter().filter_map(|report| report.best).collect();
        assert!(moves.len() > 3, "{moves:?}");
        for report in &reports {
            let best = report.lines.iter().map(|line| line.win_rate.0).fold(0.0, f32::max);
            let chosen = report.lines[0].win_rate.0;
            assert!(
                report.best == Some(report.lines[0].mv) && best - chosen <= 0.18 + 0.1,
                "{chosen} of {best}"
            );
        }
        assert_eq!(report_at(2, 5).best, report_at(2, 5).best);
    }

    #[test]
    fn better_moves_are_chosen_more_often() {
        let mut search = Search::new(Position::standard(), Params::TOURNAMENT, Resources::default());
        let report = search.run(&Limits::iterations(200), &AtomicBool::new(false), &mut |_| ());
        let strength = Level(2).strength().expect("a level below 10");
        let mut rng = Rng::with_seed(1);
        let mut count = vec![0; report.lines.len()];
        for _ in 0..2000 {
            let chosen = strength.choose(report.clone(), &mut rng).best;
            count[report.lines.iter().position(|line| Some(line.mv) == chosen).expect("a root move")] += 1;
        }
        let best = report.lines[0].win_rate.0;
        let loss = |index: usize| best - report.lines[index].win_rate.0;
        for (index, &times) in count.iter().enumerate().skip(1) {
            // Three standard deviations.
            assert!(
                f64::from(times) < f64::from(count[0]) + 3.0 * f64::from(count[0]).sqrt()
                    || loss(index) <= 0.0
            );
            assert!(times == 0 || loss(index) <= strength.max_loss, "{times} times {}", loss(index));
        }
        assert!(count[0] > 100 && count.iter().sum::<i32>() > 2 * count[0], "{count:?}");
    }

    #[test]
    fn levels_outside_1_to_10_are_rejected() {
        assert!([0, 11, 256 + 3].map(Level::new).iter().all(Option::is_none));
        assert!("11".parse::<Level>().is_err());
        assert_eq!((Level::new(10), "1".parse()), (Some(Level::FULL), Ok(Level(1))));
    }
}
