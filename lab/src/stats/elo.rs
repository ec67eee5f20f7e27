//! Elo differences from the results of a match.

use super::{Interval, Z_95, require, score_interval};

/// Pentanomial counts: `counts[i]` is the number of game pairs in which the first player scored `i` half-points. The
/// games of a pair share an opening, with colours swapped. Amazons has no draws, so only even indices are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pairs {
    pub counts: [u64; 5],
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Mean score per game, 0 to 1.
    pub score: f64,
    /// Difference in logistic Elo; infinite at a score of 0 or 1.
    pub elo: f64,
    /// The 95 % confidence interval of `elo`; an end is infinite where the score's interval reaches 0 or 1.
    pub interval: Interval,
}

/// Converts an expected score, clamped to the range 0 to 1, to a logistic Elo difference; infinite at both ends.
pub fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

/// Converts a logistic Elo difference to an expected score, 0 to 1.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

impl Pairs {
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Estimates the score, and the Elo difference with its 95 % confidence interval.
    ///
    /// As in fastchess and fishtest, the interval of the mean score is ±1.96 standard errors from the variance of the
    /// pairs, with both ends converted to Elo. The variance of pairs accounts for the correlation between the two
    /// games of a pair.
    ///
    /// If all pairs have equal results, their variance is unknown, and the interval is [Wilson's](super::wilson),
    /// which takes the largest possible variance. So a score of 100 % gives an infinite Elo with a finite lower bound,
    /// and 0 % the reverse. Fails if there are no results.
    pub fn estimate(&self) -> Result<Estimate, String> {
        let n = self.total() as f64;
        require(n > 0.0, "at least one result")?;
        let (score, variance) = moments(self.counts.map(|count| count as f64));
        let all_the_same = self.counts.iter().filter(|&&count| count > 0).count() == 1;
        let interval = if all_the_same {
            score_interval(score, n)
        } else {
            let half = Z_95 * (variance / n).sqrt();
            Interval { low: score - half, high: score + half }
        };
        Ok(Estimate {
            score,
            elo: elo_of_score(score),
            interval: Interval { low: elo_of_score(interval.low), high: elo_of_score(interval.high) },
        })
    }
}

/// Returns the mean and variance of a pair's score per game, weighted by the five bins; NaN if all weights are zero.
pub(super) fn moments(weights: [f64; 5]) -> (f64, f64) {
    let total: f64 = weights.iter().sum();
    let shares = || weights.iter().enumerate().map(|(i, w)| (i as f64 / 4.0, w / total));
    let mean: f64 = shares().map(|(score, share)| share * score).sum();
    (mean, shares().map(|(score, share)| share * (score - mean).powi(2)).sum())
}
