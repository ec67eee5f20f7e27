//! From a value to a winning rate: the link function.

use super::Value;
use std::fmt;
use std::ops::Not;

/// The probability of winning, 0 to 1, of the side that it is said to be for. `!rate` is the
/// opponent's.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct WinRate(pub f32);

impl WinRate {
    /// A certain win.
    pub const WIN: Self = Self(1.0);
    /// A certain loss.
    pub const LOSS: Self = Self(0.0);
    /// As likely as not.
    pub const EVEN: Self = Self(0.5);

    /// The mean of two rates.
    #[inline(always)]
    pub fn mean(self, other: Self) -> Self {
        Self((self.0 + other.0) * 0.5)
    }
}

impl Not for WinRate {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(1.0 - self.0)
    }
}

impl fmt::Display for WinRate {
    /// In per cent with one decimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.1}%", self.0 * 100.0))
    }
}

/// How a value becomes a winning rate: the link function of statistics. The MG-PEO paper leaves this step open.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ValueLink {
    /// Won above `threshold` squares, lost below `-threshold`, half in between: what public programs
    /// of the paper's family do.
    Sign {
        /// In squares.
        threshold: f32,
    },
    /// `1 / (1 + exp(-value / scale))`.
    Logistic {
        /// In the unit of the value.
        scale: f32,
    },
}

impl ValueLink {
    /// For values that are natural log-odds of winning.
    pub const LOG_ODDS: Self = Self::Logistic { scale: 1.0 };

    /// The winning rate of the side that the value is for.
    #[inline(always)]
    pub fn win_rate(self, Value(value): Value) -> WinRate {
        match self {
            Self::Sign { threshold } if value > threshold => WinRate::WIN,
            Self::Sign { threshold } if value < -threshold => WinRate::LOSS,
            Self::Sign { .. } => WinRate::EVEN,
            // libm, not the platform: the same bits on every target.
            Self::Logistic { scale } => WinRate(1.0 / (1.0 + libm::expf(-value / scale))),
        }
    }
}
