//! The sequential probability ratio test, which ends a match as soon as one hypothesis is accepted.

use super::elo::{Pairs, moments, score_of_elo};
use super::require;

/// Outcome of a sequential test so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Continue,
    /// H0 is accepted: the difference is `elo0`.
    AcceptH0,
    /// H1 is accepted: the difference is `elo1`.
    AcceptH1,
}

/// A generalised sequential probability ratio test of two Elo differences, fed with game pairs.
///
/// A. Wald, Sequential tests of statistical hypotheses, Ann. Math. Statist. 16, 1945; for results of unknown variance,
/// M. Van den Bergh's GSPRT in its normal approximation, as in fishtest.
///
/// The error rates `alpha` and `beta` hold approximately. In simulations with 0.05 each, hypotheses 20 to 200 Elo apart
/// and 20 to 80 % of the pairs split (one win each), at most 7.5 % of the matches ended with the wrong outcome.
#[derive(Clone, Debug)]
pub struct Sprt {
    score0: f64,
    score1: f64,
    /// The values of [`Self::llr`] at which H0 and H1 are accepted: Wald's ln(β / (1 − α)) and ln((1 − β) / α).
    pub bounds: [f64; 2],
    pub pairs: Pairs,
    pub outcome: Outcome,
}

/// Pseudo-count added to every bin before mean and variance are computed (the Jeffreys prior for a multinomial).
// Without it, the variance is zero and the ratio infinite while all pairs are in one bin. Fishtest's 0.001 in empty
// bins is too little here: a test of 0 against 50 Elo would end with its first pair.
const PRIOR: f64 = 0.5;

impl Sprt {
    /// Creates a test of H0, a difference of `elo0`, against H1, a difference of `elo1`, in logistic Elo. `alpha` is
    /// the probability of accepting H1 if H0 is true, `beta` that of accepting H0 if H1 is true.
    ///
    /// Fails unless `elo0 < elo1`, both from -1000 to 1000, `alpha` and `beta` are from 0.000001, and their sum is
    /// below
    /// 1.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, String> {
        let (score0, score1) = (score_of_elo(elo0), score_of_elo(elo1));
        require(
            -1000.0 <= elo0 && elo1 <= 1000.0 && score0 < score1,
            "elo0 < elo1, both from -1000 to 1000",
        )?;
        let are_small = alpha >= 1e-6 && beta >= 1e-6 && alpha + beta < 1.0;
        require(are_small, "alpha and beta from 0.000001, alpha + beta < 1")?;
        let bounds = [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()];
        Ok(Self { score0, score1, bounds, pairs: Pairs::default(), outcome: Outcome::Continue })
    }

    /// Adds a pair in which the first player scored `half_points`, 0 to 4, and returns the outcome. The first outcome
    /// other than [`Outcome::Continue`] is final: `alpha` and `beta` do not hold for later ones.
    pub fn add(&mut self, half_points: usize) -> Outcome {
        self.pairs.counts[half_points] += 1;
        let (llr, [lower, upper]) = (self.llr(), self.bounds);
        self.outcome = match self.outcome {
            Outcome::Continue if llr <= lower => Outcome::AcceptH0,
            Outcome::Continue if llr >= upper => Outcome::AcceptH1,
            outcome => outcome,
        };
        self.outcome
    }

    /// Returns the log-likelihood ratio of H1 to H0 in nats: N (s₁ − s₀) (2x̄ − s₀ − s₁) / 2σ². s₀ and s₁ are the
    /// expected scores, N is the number of pairs, and x̄ and σ² are the mean and the variance of their scores, with
    /// [`PRIOR`] added to every bin.
    pub fn llr(&self) -> f64 {
        let (mean, variance) = moments(self.pairs.counts.map(|count| count as f64 + PRIOR));
        let excess = 2.0 * mean - self.score0 - self.score1;
        self.pairs.total() as f64 * (self.score1 - self.score0) * excess / (2.0 * variance)
    }
}
