//! The Shapiro-Wilk test for normality.

use super::{NOT_FINITE, TestResult, require_sample};
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::evaluate::polynomial;
use statrs::statistics::Statistics;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_3, FRAC_PI_6};

/// Royston's polynomial in 1/√n, constant term first: correction of the weights of the smallest and largest value.
const OUTERMOST: [f64; 6] = [0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056];
/// Like [`OUTERMOST`], for the second smallest and second largest value.
const BESIDE: [f64; 6] = [0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633];
/// Royston's polynomial in n, for n from 4 to 11: γ, the upper bound of ln(1 − W). W is transformed to
/// −ln(γ − ln(1 − W)).
const SMALL_BOUND: [f64; 2] = [-2.273, 0.459];
/// Royston's polynomial in n, for n from 4 to 11: mean of the transformed W.
const SMALL_MEAN: [f64; 4] = [0.5440, -0.39978, 0.025054, -0.0006714];
/// Royston's polynomial in n, for n from 4 to 11: logarithm of the standard deviation of the transformed W.
const SMALL_LOG_SD: [f64; 4] = [1.3822, -0.77857, 0.062767, -0.0020322];
/// Royston's polynomial in ln n, for n above 11: mean of ln(1 − W).
const LARGE_MEAN: [f64; 4] = [-1.5861, -0.31082, -0.083751, 0.0038915];
/// Royston's polynomial in ln n, for n above 11: logarithm of the standard deviation of ln(1 − W).
const LARGE_LOG_SD: [f64; 3] = [-0.4803, -0.082676, 0.0030302];

/// Returns W, at most 1 and near 1 for a normal sample, and the p-value of the null hypothesis of normality (P.
/// Royston, Remark AS R94: a remark on algorithm AS 181: the W-test for normality, Applied Statistics 44, 1995). Fails
/// unless the sample has 3 to 5000 finite values, not all equal.
pub fn shapiro_wilk(sample: &[f64]) -> Result<TestResult, String> {
    let n = sample.len();
    require_sample(sample, 3)?;
    if n > 5000 {
        return Err("more observations than 5000".into());
    }
    let sorted = standardised(sample)?;
    let mean = sorted.iter().mean();
    let weights = weights(n);
    let fitted: f64 = sorted.iter().zip(&weights).map(|(x, a)| a * (x - mean)).sum();
    let squares: f64 = sorted.iter().map(|x| (x - mean).powi(2)).sum();
    let w = (fitted * fitted / squares).min(1.0); // rounding could exceed 1
    Ok(TestResult { statistic: w, p_value: p_value(w, n) })
}

/// Returns the sample sorted, shifted by its median and scaled to a range of 1, which does not change W. Fails if all
/// values are equal.
fn standardised(sample: &[f64]) -> Result<Vec<f64>, String> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (median, range) = (sorted[sorted.len() / 2], sorted[sorted.len() - 1] - sorted[0]);
    match range {
        0.0 => Err("all observations are equal".into()),
        f64::INFINITY => Err(NOT_FINITE.into()),
        _ => Ok(sorted.iter().map(|x| (x - median) / range).collect()),
    }
}

/// Returns the weights of the ordered values, a vector of length 1: scaled expected normal order statistics. Royston's
/// polynomials give the outermost weight at each end, and the second as well if `n > 5`.
fn weights(n: usize) -> Vec<f64> {
    if n == 3 {
        return vec![-FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2];
    }
    let blom = |i: usize| (i as f64 + 0.625) / (n as f64 + 0.25);
    let expected: Vec<f64> = (0..n).map(|i| Normal::standard().inverse_cdf(blom(i))).collect();
    let square: f64 = expected.iter().map(|m| m * m).sum();
    let fitted = if n > 5 { &[OUTERMOST, BESIDE][..] } else { &[OUTERMOST] };
    let ends: Vec<(f64, f64)> = (expected.iter().rev().zip(fitted))
        .map(|(&m, terms)| (m, m / square.sqrt() + polynomial(1.0 / (n as f64).sqrt(), terms)))
        .collect();
    let replaced: f64 = ends.iter().map(|(m, _)| 2.0 * m * m).sum();
    let taken: f64 = ends.iter().map(|(_, a)| 2.0 * a * a).sum();
    let scale = ((1.0 - taken) / (square - replaced)).sqrt();
    let mut weights: Vec<f64> = expected.iter().map(|m| m * scale).collect();
    for (i, &(_, weight)) in ends.iter().enumerate() {
        weights[i] = -weight;
        weights[n - 1 - i] = weight;
    }
    weights
}

/// Returns the p-value: the probability that a normal sample of `n` values has a W of at most `w`.
fn p_value(w: f64, n: usize) -> f64 {
    let size = n as f64;
    if n == 3 {
        // The exact distribution.
        let angle = w.sqrt().asin() - FRAC_PI_3;
        return (angle / FRAC_PI_6).clamp(0.0, 1.0);
    }
    let (value, mean, log_sd) = if n <= 11 {
        // No sample of 4 or more has a W so low that it reaches the bound.
        let below_bound = polynomial(size, &SMALL_BOUND) - (1.0 - w).ln();
        (-below_bound.ln(), polynomial(size, &SMALL_MEAN), polynomial(size, &SMALL_LOG_SD))
    } else {
        ((1.0 - w).ln(), polynomial(size.ln(), &LARGE_MEAN), polynomial(size.ln(), &LARGE_LOG_SD))
    };
    Normal::standard().sf((value - mean) / log_sd.exp())
}
