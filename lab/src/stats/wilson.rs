//! Wilson's confidence interval of a win rate.

use super::{Interval, Z_95, require};

/// Returns the 95 % interval of a win rate, 0 to 1: Wilson's score interval without continuity correction (E. B.
/// Wilson, Probable inference, the law of succession, and statistical inference, JASA 22, 1927).
///
/// The games must be independent; for pairs of games use [`Pairs::estimate`](super::elo::Pairs::estimate).
/// Fails without games and for more wins than games.
pub fn wilson(wins: u64, games: u64) -> Result<Interval, String> {
    require(games > 0 && wins <= games, "0 <= wins <= games, games > 0")?;
    Ok(score_interval(wins as f64 / games as f64, games as f64))
}

/// Returns Wilson's interval of a mean score of `n` trials.
pub(super) fn score_interval(score: f64, n: f64) -> Interval {
    let z = Z_95;
    let shrinkage = 1.0 + z * z / n;
    let centre = (score + z * z / (2.0 * n)) / shrinkage;
    let half = z / shrinkage * (score * (1.0 - score) / n + z * z / (4.0 * n * n)).sqrt();
    // Rounding would leave the ends of 0 % and 100 % a little inside.
    Interval {
        low: if score == 0.0 { 0.0 } else { centre - half },
        high: if score == 1.0 { 1.0 } else { centre + half },
    }
}
