//! The test of Mann and Whitney: do two samples come from the same distribution?

use super::{Error, TestResult, require_finite};
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::statistics::{Data, OrderStatistics, RankTieBreaker};

/// With a sample up to this size, and without ties, p-values are exact (SciPy has the same bound).
const EXACT_SIZE: usize = 8;

/// U of the first sample (in how many pairs of one value from each sample the first's is greater, ties
/// counting 1/2) and the two-sided p-value of the hypothesis that both come from one distribution, by H. B.
/// Mann and D. R. Whitney, On a test of whether one of two random variables is stochastically larger than
/// the other, Ann. Math. Statist. 18, 1947.
///
/// The p-value is exact when a sample has at most 8 values and none are equal; otherwise by the normal
/// approximation with corrections for ties and continuity.
///
/// # Errors
///
/// [`Error::TooFew`] for an empty sample, [`Error::NotFinite`].
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Result<TestResult, Error> {
    let (n1, n2) = (first.len(), second.len());
    if n1 == 0 || n2 == 0 {
        return Err(Error::TooFew(1));
    }
    require_finite(first)?;
    require_finite(second)?;
    let mut ranks = Data::new([first, second].concat()).ranks(RankTieBreaker::Average);
    let rank_sum: f64 = ranks[..n1].iter().sum();
    let u = rank_sum - (n1 * (n1 + 1)) as f64 / 2.0;
    let lesser = u.min((n1 * n2) as f64 - u);
    ranks.sort_by(f64::total_cmp);
    let ties: Vec<f64> = ranks.chunk_by(|a, b| a == b).map(|equal| equal.len() as f64).collect();
    let exact = n1.min(n2) <= EXACT_SIZE && ties.len() == ranks.len();
    let tail = if exact { exact_tail(lesser, n1, n2) } else { normal_tail(lesser, n1, n2, &ties) };
    Ok(TestResult { statistic: u, p_value: (2.0 * tail).min(1.0) })
}

/// The probability of a U of at most this one, for samples without ties from one distribution.
///
/// How many of the equally likely orders have a certain U is a coefficient of the Gaussian binomial
/// ∏ (1 − qⁿ²⁺ⁱ) / (1 − qⁱ) over i = 1…n1.
fn exact_tail(u: f64, n1: usize, n2: usize) -> f64 {
    let (n1, n2) = (n1.min(n2), n1.max(n2));
    let mut orders = vec![0.0; n1 * n2 + 1];
    orders[0] = 1.0;
    for i in 1..=n1 {
        for u in (n2 + i..orders.len()).rev() {
            orders[u] -= orders[u - n2 - i];
        }
        for u in i..orders.len() {
            orders[u] += orders[u - i];
        }
    }
    orders.iter().take(u as usize + 1).sum::<f64>() / orders.iter().sum::<f64>()
}

/// The same by the normal approximation, given the sizes of all groups of equal values.
fn normal_tail(u: f64, n1: usize, n2: usize, ties: &[f64]) -> f64 {
    let (cells, n) = (n1 as f64 * n2 as f64, (n1 + n2) as f64);
    let correction = ties.iter().map(|t| t * (t * t - 1.0)).sum::<f64>() / (n * (n - 1.0));
    // Nothing but ties leaves no variance, or a little less by rounding; then the tail is everything.
    let variance = (cells / 12.0 * (n + 1.0 - correction)).max(0.0);
    Normal::standard().cdf((u + 0.5 - cells / 2.0) / variance.sqrt())
}
