//! Match statistics: estimates, intervals and tests that `statrs` lacks, each with the source of its formula.

pub mod elo;
pub mod mann_whitney;
pub mod shapiro_wilk;
pub mod sprt;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TestResult {
    /// The test statistic: U or W.
    pub statistic: f64,
    /// The probability, 0 to 1, of a statistic at least as extreme if the null hypothesis is true.
    pub p_value: f64,
}

pub use otrera::record::standing::Z_95;

/// Returns the error `out of range: RANGE` unless `within` is true.
fn require(within: bool, range: &str) -> Result<(), String> {
    if within { Ok(()) } else { Err(format!("out of range: {range}")) }
}

/// Fails if there are fewer than `least` values, or if a value is NaN or infinite.
fn require_sample(sample: &[f64], least: usize) -> Result<(), String> {
    if sample.len() < least {
        return Err(format!("fewer observations than {least}"));
    }
    let is_finite = sample.iter().all(|value| value.is_finite());
    if is_finite { Ok(()) } else { Err(NOT_FINITE.into()) }
}

const NOT_FINITE: &str = "an observation is not a finite number";

/// Returns the 95 % interval of a win rate, 0 to 1: Wilson's score interval without continuity correction (E. B.
/// Wilson, Probable inference, the law of succession, and statistical inference, JASA 22, 1927).
///
/// The games must be independent; for pairs of games use [`Pairs::estimate`](elo::Pairs::estimate).
/// Fails without games and for more wins than games.
pub fn wilson(wins: u64, games: u64) -> Result<Interval, String> {
    require(games > 0 && wins <= games, "0 <= wins <= games, games > 0")?;
    let (score, n, z) = (wins as f64 / games as f64, games as f64, Z_95);
    let shrinkage = 1.0 + z * z / n;
    let centre = (score + z * z / (2.0 * n)) / shrinkage;
    let half = z / shrinkage * (score * (1.0 - score) / n + z * z / (4.0 * n * n)).sqrt();
    // Rounding would leave the ends at 0 % and 100 % slightly inside.
    Ok(Interval {
        low: if score == 0.0 { 0.0 } else { centre - half },
        high: if score == 1.0 { 1.0 } else { centre + half },
    })
}
