//! Values, win rates, and the link function from values to win rates.

use crate::board::square::Side;
use std::fmt;
use std::ops::{Neg, Not};

/// Value of a position for the side to move; positive is good. The unit is that of the model: squares for the paper's
/// weights, natural log-odds of winning for networks.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Value(pub f32);

impl Value {
    /// Converts a value for `mover` to a value for `side`.
    #[inline(always)]
    pub fn seen_by(self, side: Side, mover: Side) -> Self {
        if side == mover { self } else { -self }
    }
}

impl Neg for Value {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// A side's probability of winning, 0 to 1. `!rate` is the opponent's probability.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct WinRate(pub f32);

impl WinRate {
    /// A certain win.
    pub const WIN: Self = Self(1.0);
    /// A certain loss.
    pub const LOSS: Self = Self(0.0);
    /// An even game.
    pub const EVEN: Self = Self(0.5);

    /// Returns the mean of two rates.
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
    /// Formats the rate as a percentage with one decimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.1}%", self.0 * 100.0))
    }
}

/// A link function, which converts values to win rates. The MG-PEO paper does not define one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ValueLink {
    /// A win above `threshold`, a loss below `-threshold`, otherwise 1/2, as in public programs with such an
    /// evaluation.
    Sign {
        /// Threshold in squares.
        threshold: f32,
    },
    /// Win rate `1 / (1 + exp(-value / scale))`.
    Logistic {
        /// Scale in the unit of the value.
        scale: f32,
    },
}

impl ValueLink {
    /// Link function for values that are natural log-odds of winning.
    pub const LOG_ODDS: Self = Self::Logistic { scale: 1.0 };

    /// Converts a value to the win rate of the same side.
    #[inline(always)]
    pub fn win_rate(self, Value(value): Value) -> WinRate {
        match self {
            Self::Sign { threshold } if value > threshold => WinRate::WIN,
            Self::Sign { threshold } if value < -threshold => WinRate::LOSS,
            Self::Sign { .. } => WinRate::EVEN,
            // libm instead of the platform's function: equal bits on every target.
            Self::Logistic { scale } => WinRate(1.0 / (1.0 + libm::expf(-value / scale))),
        }
    }
}
