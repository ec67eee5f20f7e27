//! The interval of a share of wins.

use super::{Error, Interval, require, two_sided_z};

/// The share of wins, 0 to 1, that a player with `wins` out of `games` has in the long run: Wilson's score
/// interval without continuity correction (E. B. Wilson, Probable inference, the law of succession, and
/// statistical inference, JASA 22, 1927). `confidence` is strictly between 0 and 1, such as 0.95.
///
/// It needs independent games; for pairs of them there is [`Tally::estimate`](super::elo::Tally::estimate).
///
/// # Errors
///
/// [`Error::TooFew`] without games, [`Error::OutOfRange`] for more wins than games or another confidence.
pub fn wilson(wins: u64, games: u64, confidence: f64) -> Result<Interval, Error> {
    if games == 0 {
        return Err(Error::TooFew(1));
    }
    require(wins <= games, "wins <= games")?;
    require(confidence > 0.0 && confidence < 1.0, "0 < confidence < 1")?;
    Ok(score_interval(wins as f64 / games as f64, games as f64, two_sided_z(confidence)))
}

/// Wilson's interval around a mean score of `n` trials, `z` standard deviations wide to each side.
pub(super) fn score_interval(score: f64, n: f64, z: f64) -> Interval {
    let shrinkage = 1.0 + z * z / n;
    let centre = (score + z * z / (2.0 * n)) / shrinkage;
    let half = z / shrinkage * (score * (1.0 - score) / n + z * z / (4.0 * n * n)).sqrt();
    // Rounding would leave the ends of 0 % and 100 % a little inside.
    Interval {
        low: if score == 0.0 { 0.0 } else { centre - half },
        high: if score == 1.0 { 1.0 } else { centre + half },
    }
}
