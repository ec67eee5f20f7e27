//! What a number of games proves about strength.
//!
//! Pure functions of counts and samples. Distributions come from `statrs`; the estimates, intervals and
//! tests that it lacks are here, each with the source of its formula.

pub mod elo;
pub mod mann_whitney;
pub mod shapiro_wilk;
pub mod sprt;
pub mod wilson;

use statrs::distribution::{ContinuousCDF, Normal};
use std::fmt;

/// Why a statistic is not defined for its input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// Fewer observations than this many.
    TooFew(usize),
    /// More observations than this many.
    TooMany(usize),
    /// A value, or the distance between two of them, is NaN or infinite.
    NotFinite,
    /// All observations are the same.
    Constant,
    /// A parameter outside its range, which the text tells.
    OutOfRange(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew(least) => write!(f, "fewer observations than {least}"),
            Self::TooMany(most) => write!(f, "more observations than {most}"),
            Self::NotFinite => write!(f, "an observation is no finite number"),
            Self::Constant => write!(f, "all observations are the same"),
            Self::OutOfRange(range) => write!(f, "out of range: {range}"),
        }
    }
}

impl std::error::Error for Error {}

/// A confidence interval, in the unit of what it estimates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// What a test of a hypothesis found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TestResult {
    /// The statistic that the test is named after.
    pub statistic: f64,
    /// The probability, 0 to 1, of a statistic at least as extreme if the hypothesis is true.
    pub p_value: f64,
}

/// How many standard deviations to each side of the mean hold this share of a normal distribution.
fn two_sided_z(confidence: f64) -> f64 {
    Normal::standard().inverse_cdf(0.5 + confidence / 2.0)
}

/// `Err` with the range of a parameter that is outside it.
fn require(within: bool, range: &'static str) -> Result<(), Error> {
    if within { Ok(()) } else { Err(Error::OutOfRange(range)) }
}

/// `Err` when a value is NaN or infinite.
fn require_finite(sample: &[f64]) -> Result<(), Error> {
    if sample.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Error::NotFinite) }
}
