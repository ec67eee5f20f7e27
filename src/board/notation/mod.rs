//! Positions and moves as text: [`moves`], [`fen`], [`picture`] and [`svg`].
//!
//! Parsing a move needs no board. Malformed text gives [`MalformedText`]; an illegal move gives
//! [`IllegalMove`](super::moves::IllegalMove).

pub mod fen;
pub mod moves;
pub mod picture;
pub mod svg;

use super::square::Size;
use std::fmt;

/// Parse error of a move, FEN, picture or game record; holds the reason as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MalformedText(String);

impl MalformedText {
    /// Creates an error with `reason` as its message.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for MalformedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MalformedText {}

fn malformed<T>(reason: impl Into<String>) -> Result<T, MalformedText> {
    Err(MalformedText::new(reason))
}

/// Truncates text to 60 characters for error messages and marks the cut with `…`.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn size_of_rows(rows: usize) -> Result<Size, MalformedText> {
    Size::new(rows).ok_or_else(|| MalformedText::new(format!("a board has 4 to 10 rows, not {rows}")))
}
