//! History of movements: each movement's advantage over its parent's mean value, averaged over the whole tree.
//!
//! This is the history heuristic (Schaeffer 1989) with a table indexed by side, origin and destination (butterfly
//! boards, Hartmann 1988). The search adds the weighted mean advantages to the policy logits, so that a movement that
//! did well elsewhere is tried earlier. Each worker has its own table.

use crate::board::moves::Movement;
use crate::board::square::Side;

/// Mean advantage of each movement of both sides.
pub struct History {
    /// Mean advantages, shrunk towards 0; see [`History::get`].
    values: Vec<f32>,
    /// Number of iterations in each mean, at most [`History::MAX_COUNT`].
    counts: Vec<f32>,
}

impl History {
    /// Pseudo-count: each mean starts with this many imaginary iterations of advantage 0.
    const PRIOR_COUNT: f32 = 30.0;
    /// Cap on the number of iterations that a mean counts, so that old iterations fade out.
    const MAX_COUNT: f32 = 4000.0;

    /// Creates an empty history.
    pub fn new() -> Self {
        let empty = || vec![0.0; 2 << 14];
        Self { values: empty(), counts: empty() }
    }

    #[inline(always)]
    fn index(side: Side, movement: Movement) -> usize {
        side.index() << 14 | movement.from.index() << 7 | movement.to.index()
    }

    /// Returns the mean advantage of a movement of `side`, -1 to 1: its win rate minus its parent's mean.
    #[inline(always)]
    pub fn get(&self, side: Side, movement: Movement) -> f32 {
        self.values[Self::index(side, movement)]
    }

    /// Adds `count` iterations below a movement of `side`. `advantage` is the sum of the iterations' advantages.
    #[inline(always)]
    pub fn add(&mut self, side: Side, movement: Movement, count: u32, advantage: f32) {
        let index = Self::index(side, movement);
        let (value, past, new) = (&mut self.values[index], &mut self.counts[index], count as f32);
        *past += new;
        *value += (advantage - new * *value) / (*past + Self::PRIOR_COUNT);
        *past = past.min(Self::MAX_COUNT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::Position;

    #[test]
    fn value_is_the_mean_advantage_with_thirty_more_iterations() {
        let mut history = History::new();
        let movements: Vec<Movement> = Position::standard().movements().take(2).collect();
        history.add(Side::Black, movements[0], 10, 2.0);
        history.add(Side::Black, movements[0], 20, -0.5);
        let mean = history.get(Side::Black, movements[0]);
        assert!((mean - 1.5 / 60.0).abs() < 1e-6, "{mean}");
        assert_eq!(history.get(Side::White, movements[0]), 0.0);
        assert_eq!(history.get(Side::Black, movements[1]), 0.0);
    }
}
