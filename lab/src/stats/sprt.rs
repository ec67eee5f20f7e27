//! The sequential probability ratio test: a match that ends as soon as it has proved its point.

use super::elo::{Pairs, moments, score_of_elo};
use super::{Error, require};

/// What the pairs so far prove.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing yet.
    Continue,
    /// The difference is `elo0` rather than `elo1`.
    AcceptH0,
    /// The difference is `elo1` rather than `elo0`.
    AcceptH1,
}

/// A generalised sequential probability ratio test of two Elo differences, fed with pairs of games.
///
/// A. Wald, Sequential tests of statistical hypotheses, Ann. Math. Statist. 16, 1945; for results with an
/// unknown variance, M. Van den Bergh's GSPRT in its normal approximation, as used for fishtest.
///
/// `alpha` and `beta` hold approximately: simulated with 0.05 each, hypotheses 20 to 200 Elo apart and 20 to
/// 80 % of the pairs split one to one, at most 0.075 of the matches erred.
///
/// ```
/// use otrera_lab::stats::sprt::{Sprt, Verdict};
///
/// let mut sprt = Sprt::new(0.0, 20.0, 0.05, 0.05)?;
/// assert_eq!(sprt.add(4)?, Verdict::Continue); // one pair won with both colours proves nothing yet
/// # Ok::<(), otrera_lab::stats::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sprt {
    score0: f64,
    score1: f64,
    lower: f64,
    upper: f64,
    pairs: Pairs,
    verdict: Verdict,
}

/// Added to every bin before mean and variance are taken (Jeffreys' prior of a multinomial). Without it
/// the first pairs, all in one bin, have no variance and an infinite ratio. The 0.001 in empty bins that
/// fishtest uses is too little here: its tests ask for thousands of pairs, but a test of 0 against 50 Elo
/// would already end with its first pair.
const PRIOR: f64 = 0.5;

impl Sprt {
    /// A test of "`elo0` stronger" (H0) against "`elo1` stronger" (H1), in logistic Elo. `alpha` is the
    /// accepted probability of H1 when H0 is true, `beta` that of H0 when H1 is true.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] unless `elo0 < elo1` with different expected scores, `alpha` and `beta` are
    /// positive, and their sum is below 1.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, Error> {
        let (score0, score1) = (score_of_elo(elo0), score_of_elo(elo1));
        require(score0 < score1, "elo0 < elo1")?;
        require(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0, "alpha > 0, beta > 0, alpha + beta < 1")?;
        let lower = (beta / (1.0 - alpha)).ln();
        let upper = ((1.0 - beta) / alpha).ln();
        Ok(Self { score0, score1, lower, upper, pairs: Pairs::default(), verdict: Verdict::Continue })
    }

    /// Counts a pair with 0 to 4 half-points (two for each game won) and says what is proved now. The first
    /// verdict other than [`Verdict::Continue`] stays: `alpha` and `beta` do not hold for a later one.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for more than 4 half-points; then nothing changes.
    pub fn add(&mut self, half_points: usize) -> Result<Verdict, Error> {
        self.pairs.add(half_points)?;
        let llr = self.llr();
        if self.verdict == Verdict::Continue && llr <= self.lower {
            self.verdict = Verdict::AcceptH0;
        } else if self.verdict == Verdict::Continue && llr >= self.upper {
            self.verdict = Verdict::AcceptH1;
        }
        Ok(self.verdict)
    }

    /// The logarithm of the likelihood ratio of H1 to H0, in nats: N (s₁ − s₀) (2x̄ − s₀ − s₁) / 2σ², with s
    /// the expected scores and x̄ and σ² mean and variance of the N pairs' scores, half a pair added to every
    /// bin. Zero before the first pair.
    pub fn llr(&self) -> f64 {
        let (mean, variance) = moments(self.pairs.counts.map(|count| count as f64 + PRIOR));
        let excess = 2.0 * mean - self.score0 - self.score1;
        self.pairs.total() as f64 * (self.score1 - self.score0) * excess / (2.0 * variance)
    }

    /// The bounds of [`Self::llr`] at which H0 and H1 are accepted: Wald's ln(β / (1 − α)) and
    /// ln((1 − β) / α).
    pub fn bounds(&self) -> (f64, f64) {
        (self.lower, self.upper)
    }

    /// The pairs counted so far.
    pub fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// What is proved.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }
}
