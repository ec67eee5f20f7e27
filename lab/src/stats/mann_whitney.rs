//! The Mann-Whitney U test.

use super::{TestResult, require_sample};
use statrs::distribution::{ContinuousCDF, Normal};

/// Returns U of the first sample and the two-sided p-value of the null hypothesis that both samples come from the same
/// distribution.
///
/// U is the number of pairs of one value from each sample in which the value of `first` is greater; ties count 1/2 (H.
/// B. Mann and D. R. Whitney, On a test of whether one of two random variables is stochastically larger than the other,
/// Ann. Math. Statist. 18, 1947). The p-value is the normal approximation with corrections for ties and continuity,
/// accurate for samples of at least 8 values. Fails if a sample is empty or a value is not finite.
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Result<TestResult, String> {
    let (n1, n2) = (first.len() as f64, second.len() as f64);
    require_sample(first, 1)?;
    require_sample(second, 1)?;
    let mut sorted = [first, second].concat();
    sorted.sort_by(f64::total_cmp);
    // Equal values share the mean of their ranks.
    let rank = |value: &f64| {
        let (below, up_to) =
            (sorted.partition_point(|other| other < value), sorted.partition_point(|other| other <= value));
        (below + up_to + 1) as f64 / 2.0
    };
    let u = first.iter().map(rank).sum::<f64>() - n1 * (n1 + 1.0) / 2.0;
    let ties = sorted.chunk_by(|a, b| a == b).map(|equal| equal.len() as f64);
    let n = n1 + n2;
    let correction = ties.map(|t| t * (t * t - 1.0)).sum::<f64>() / (n * (n - 1.0));
    // If all values are equal, the variance is zero, or slightly negative by rounding; then the p-value is 1.
    let variance = (n1 * n2 / 12.0 * (n + 1.0 - correction)).max(0.0);
    let distance = u.min(n1 * n2 - u) + 0.5 - n1 * n2 / 2.0;
    let tail = Normal::standard().cdf(distance / variance.sqrt());
    Ok(TestResult { statistic: u, p_value: (2.0 * tail).min(1.0) })
}
