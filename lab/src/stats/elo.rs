//! Elo differences from the results of a match.

use super::{Error, Interval, two_sided_z, wilson};
use statrs::distribution::{ContinuousCDF, Normal};

/// How often each score happened: bin `i` counts scores of `i / (N - 1)`, where a loss is 0 and a win 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tally<const N: usize> {
    /// The bins, lowest score first.
    pub counts: [u64; N],
}

/// Single games: losses, draws, wins. For games whose pairs are unknown only: it takes the two games of a
/// pair for independent, and so its intervals are too wide or too narrow.
pub type Games = Tally<3>;

/// Pairs of games from one opening, colours swapped in the second: pairs with 0, 1/2, 1, 3/2 and 2 points
/// out of two (the pentanomial counts). Amazons without draws fills only the first, third and fifth.
pub type Pairs = Tally<5>;

/// How much stronger the player is who scored so.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Mean score per game, 0 to 1.
    pub score: f64,
    /// Difference in logistic Elo; infinite at scores of 0 and 1.
    pub elo: f64,
    /// The 95 % interval of `elo`, with infinite ends where the score's interval reaches 0 or 1.
    pub interval: Interval,
    /// Likelihood of superiority: the probability, 0 to 1, that this player is the stronger one.
    pub superiority: f64,
}

/// The logistic Elo difference of an expected score; a score outside 0 to 1 counts as 0 or 1, where Elo is
/// infinite.
pub fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

/// The expected score, 0 to 1, of a player this many logistic Elo above the opponent.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

impl<const N: usize> Default for Tally<N> {
    fn default() -> Self {
        Self { counts: [0; N] }
    }
}

impl<const N: usize> Tally<N> {
    /// Counts one result, given as the number of its bin: half-points, for [`Games`] and [`Pairs`].
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for a bin that does not exist.
    pub fn add(&mut self, bin: usize) -> Result<(), Error> {
        let count = self.counts.get_mut(bin).ok_or(Error::OutOfRange("a bin of the tally"))?;
        *count = count.saturating_add(1);
        Ok(())
    }

    /// How many results there are: games of [`Games`], pairs of [`Pairs`].
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |total, &count| total.saturating_add(count))
    }

    /// Score, Elo with its 95 % interval, and likelihood of superiority.
    ///
    /// The interval is that of the mean score, ±1.96 standard errors from the variance of the results, with
    /// both ends turned into Elo. Superiority is Φ((score − 1/2) / standard error). Both are as in fastchess
    /// and fishtest; for pairs, they allow for the correlation of a pair's games.
    ///
    /// Results that are all the same leave the variance unknown, not zero. Then the interval is
    /// [Wilson's](wilson::wilson), for which scores have the largest variance that they can have around
    /// their mean, and superiority supposes that of equal players, 1/4. So 100 % gives an infinite Elo, with a
    /// finite lower and an infinite upper end, and 0 % the reverse.
    ///
    /// # Errors
    ///
    /// [`Error::TooFew`] without results.
    pub fn estimate(&self) -> Result<Estimate, Error> {
        let n = self.total() as f64;
        if n == 0.0 {
            return Err(Error::TooFew(1));
        }
        let (score, variance) = moments(self.counts.map(|count| count as f64));
        let all_the_same = self.counts.iter().filter(|&&count| count > 0).count() == 1;
        let standard_error = (if all_the_same { 0.25 } else { variance } / n).sqrt();
        let z = two_sided_z(0.95);
        let interval = if all_the_same {
            wilson::score_interval(score, n, z)
        } else {
            Interval { low: score - z * standard_error, high: score + z * standard_error }
        };
        Ok(Estimate {
            score,
            elo: elo_of_score(score),
            interval: Interval { low: elo_of_score(interval.low), high: elo_of_score(interval.high) },
            superiority: Normal::standard().cdf((score - 0.5) / standard_error),
        })
    }
}

/// Mean and variance of the score, bins weighted so; NaN when all weights are zero.
pub(super) fn moments<const N: usize>(weights: [f64; N]) -> (f64, f64) {
    const { assert!(N >= 2, "scores from 0 to 1 need two bins") };
    let total: f64 = weights.iter().sum();
    let shares = || weights.iter().enumerate().map(|(i, w)| (i as f64 / (N - 1) as f64, w / total));
    let mean: f64 = shares().map(|(score, share)| share * score).sum();
    (mean, shares().map(|(score, share)| share * (score - mean).powi(2)).sum())
}
