//! Playing levels: a shallow search, then a random choice among the moves that the search found good.
//!
//! `lab table levels` plays each level against the one below.

use crate::board::moves::Move;
use crate::board::position::Position;
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
    /// Rating on the scale of the ladder in docs/experiments.md.
    elo: u64,
    iterations: u64,
    /// Number of legal moves, drawn at random, that are considered; `usize::MAX` for all.
    sight: usize,
    /// Win-rate loss, 0 to 1, at which a move is chosen 1/e times as often as the best move.
    temperature: f32,
    /// Maximum win-rate loss of a chosen move, 0 to 1.
    max_loss: f32,
}

/// A strength that considers `sight` random moves and plays the best of them: the draw varies the moves enough.
const fn short_sighted(elo: u64, sight: usize, iterations: u64) -> Strength {
    Strength { elo, iterations, sight, temperature: 1e-4, max_loss: 1.0 }
}

// A move limit weakens more evenly than few iterations: even 50 iterations of the network beat beginners.
const STRENGTHS: [Strength; 9] = [
    short_sighted(300, 2, 20),
    short_sighted(575, 3, 32),
    short_sighted(850, 6, 14),
    short_sighted(1125, 11, 24),
    short_sighted(1400, 20, 50),
    short_sighted(1650, 34, 80),
    short_sighted(1900, 60, 130),
    short_sighted(2150, 108, 220),
    Strength { elo: 2400, iterations: 800, sight: usize::MAX, temperature: 0.015, max_loss: 0.06 },
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

    /// Ratings of level 1 and level 9, the range of [`Self::of_elo`].
    pub const ELO: [u64; 2] = [STRENGTHS[0].elo, STRENGTHS[8].elo];

    /// Returns the level number, 1 to 10.
    pub fn number(self) -> u64 {
        u64::from(self.0)
    }

    /// Returns the level below 10 whose rating is nearest to `elo`.
    pub fn of_elo(elo: u64) -> Self {
        let rated = (1..).zip(&STRENGTHS);
        let nearest = rated.min_by_key(|(_, strength)| strength.elo.abs_diff(elo));
        nearest.map_or(Self::FULL, |(number, _)| Self(number))
    }

    fn strength(self) -> Option<&'static Strength> {
        STRENGTHS.get(usize::from(self.0) - 1)
    }

    /// Searches the root position at this level. The move to play is [`Report::best`]; excluded moves stay excluded.
    ///
    /// Levels below 10 clear the tree before the search, since results of earlier searches would make the level
    /// stronger. With one thread, these levels choose the same move for equal seeds and positions.
    pub fn think(self, search: &mut Search, seed: u64, stop: &AtomicBool) -> Report {
        let Some(strength) = self.strength() else {
            return search.run(&Limits::time(Self::FULL_TIME), stop, &mut |_| ());
        };
        search.clear();
        let ply = u64::from(search.position().ply());
        let mut rng = Rng::with_seed(mix_seed(seed, ply));
        let excluded = search.excluded().to_vec();
        let overlooked = strength.overlooked(search.position(), &excluded, &mut rng);
        search.exclude(&[&excluded[..], &overlooked].concat());
        let report = search.run(&Limits::iterations(strength.iterations), stop, &mut |_| ());
        search.exclude(&excluded);
        strength.choose(report, &mut rng)
    }
}

impl Strength {
    /// Draws the legal moves that are not considered: all but [`Self::sight`] of those that are not `excluded`.
    fn overlooked(&self, position: &Position, excluded: &[Move], rng: &mut Rng) -> Vec<Move> {
        if self.sight == usize::MAX {
            return Vec::new();
        }
        let mut moves: Vec<Move> = position.legal_moves().filter(|mv| !excluded.contains(mv)).collect();
        rng.shuffle(&mut moves);
        moves.split_off(self.sight.min(moves.len()))
    }

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
        let reports: Vec<Report> = (0..20).map(|seed| report_at(9, seed)).collect();
        let moves: HashSet<_> = reports.iter().filter_map(|report| report.best).collect();
        assert!(moves.len() > 3, "{moves:?}");
        for report in &reports {
            let best = report.lines.iter().map(|line| line.win_rate.0).fold(0.0, f32::max);
            let chosen = report.lines[0].win_rate.0;
            assert!(
                report.best == Some(report.lines[0].mv) && best - chosen <= 0.06 + 1e-4,
                "{chosen} of {best}"
            );
        }
        assert_eq!(report_at(9, 5).best, report_at(9, 5).best);
    }

    #[test]
    fn low_levels_consider_few_moves() {
        for (number, sight) in [(1, 2), (2, 4), (5, 20)] {
            let reports: Vec<Report> = (0..10).map(|seed| report_at(number, seed)).collect();
            assert!(reports.iter().all(|report| report.lines.len() <= sight), "level {number}");
            let moves: HashSet<_> = reports.iter().filter_map(|report| report.best).collect();
            assert!(moves.len() > 7, "level {number}: {moves:?}");
        }
        // Moves that the caller excludes stay excluded.
        let mut search = Search::new(Position::standard(), Params::TOURNAMENT, Resources::default());
        let excluded: Vec<Move> = Position::standard().legal_moves().skip(3).collect();
        search.exclude(&excluded);
        for seed in 0..5 {
            let best = Level(1).think(&mut search, seed, &AtomicBool::new(false)).best;
            assert!(best.is_some_and(|mv| !excluded.contains(&mv)), "{best:?}");
        }
        assert_eq!(search.excluded(), excluded);
    }

    #[test]
    fn a_rating_chooses_the_nearest_level() {
        for (elo, number) in [(0, 1), (300, 1), (900, 3), (2399, 9), (9000, 9)] {
            assert_eq!(Level::of_elo(elo), Level(number), "{elo}");
        }
        assert!(STRENGTHS.windows(2).all(|pair| pair[0].elo < pair[1].elo));
    }

    #[test]
    fn better_moves_are_chosen_more_often() {
        let mut search = Search::new(Position::standard(), Params::TOURNAMENT, Resources::default());
        let report = search.run(&Limits::iterations(200), &AtomicBool::new(false), &mut |_| ());
        let strength =
            Strength { elo: 0, iterations: 200, sight: usize::MAX, temperature: 0.03, max_loss: 0.19 };
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
