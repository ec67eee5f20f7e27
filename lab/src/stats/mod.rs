//! Statistics of games: estimates, intervals and tests that `statrs` lacks, each with the source of its formula.

pub mod elo;
pub mod mann_whitney;
pub mod shapiro_wilk;
pub mod sprt;
pub mod wilson;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TestResult {
    /// The test statistic: U or W.
    pub statistic: f64,
    /// The probability, 0 to 1, of a statistic at least as extreme if the hypothesis is true.
    pub p_value: f64,
}

/// Number of standard deviations on each side of the mean that contain 95 % of a normal distribution.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Returns the error `out of range: RANGE` unless `within` is true.
fn require(within: bool, range: &str) -> Result<(), String> {
    if within { Ok(()) } else { Err(format!("out of range: {range}")) }
}

/// Fails if there are fewer than `least` values, or if one is NaN or infinite.
fn require_sample(sample: &[f64], least: usize) -> Result<(), String> {
    if sample.len() < least {
        return Err(format!("fewer observations than {least}"));
    }
    let is_finite = sample.iter().all(|value| value.is_finite());
    if is_finite { Ok(()) } else { Err(NOT_FINITE.into()) }
}

const NOT_FINITE: &str = "an observation is not a finite number";
