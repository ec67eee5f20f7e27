//! Statistics of games: estimates, intervals and tests that `statrs` lacks, each with the source of its formula.

pub mod elo;
pub mod mann_whitney;
pub mod shapiro_wilk;
pub mod sprt;
pub mod wilson;

use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// Fewer observations than this many.
    TooFew(usize),
    /// More observations than this many.
    TooMany(usize),
    /// A value, or a difference of two values, is NaN or infinite.
    NotFinite,
    Constant,
    /// A parameter is outside this range.
    OutOfRange(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew(least) => write!(f, "fewer observations than {least}"),
            Self::TooMany(most) => write!(f, "more observations than {most}"),
            Self::NotFinite => write!(f, "an observation is not a finite number"),
            Self::Constant => write!(f, "all observations are equal"),
            Self::OutOfRange(range) => write!(f, "out of range: {range}"),
        }
    }
}

impl std::error::Error for Error {}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// The result of a test of a hypothesis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TestResult {
    /// The statistic that the test is named after.
    pub statistic: f64,
    /// The probability, 0 to 1, of a statistic at least as extreme if the hypothesis is true.
    pub p_value: f64,
}

/// Standard deviations to each side of the mean that hold 95 % of a normal distribution.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Fails with the range of a parameter outside it.
fn require(within: bool, range: &'static str) -> Result<(), Error> {
    if within { Ok(()) } else { Err(Error::OutOfRange(range)) }
}

/// Fails if a value is NaN or infinite.
fn require_finite(sample: &[f64]) -> Result<(), Error> {
    if sample.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Error::NotFinite) }
}
