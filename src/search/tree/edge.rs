//! What leads from a node to a child, and how probable it looked that this is the best way.

use crate::board::moves::{Move, Movement};
use crate::board::square::Square;
use std::sync::LazyLock;

/// Codes of a prior: code `k` is `exp(-k / PRIOR_STEPS)`.
const PRIOR_CODES: u32 = 512;
const PRIOR_STEPS: f32 = 50.0;

static PRIORS: LazyLock<[f32; PRIOR_CODES as usize]> =
    LazyLock::new(|| std::array::from_fn(|code| libm::expf(-(code as f32) / PRIOR_STEPS)));

/// A step from a node to a child: a movement, an arrow, or both. Edges are in the order of their priors, the
/// most probable first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge(pub(super) u32);

impl Edge {
    const NONE: u32 = 127;

    fn new(from: u32, to: u32, arrow: u32) -> Self {
        Self(from | to << 7 | arrow << 14)
    }

    /// The first half of a move.
    pub fn movement(m: Movement) -> Self {
        Self::new(m.from.index() as u32, m.to.index() as u32, Self::NONE)
    }

    /// The second half of a move.
    pub fn arrow(square: Square) -> Self {
        Self::new(Self::NONE, Self::NONE, square.index() as u32)
    }

    /// A whole move.
    pub fn whole(mv: Move) -> Self {
        Self::new(mv.from.index() as u32, mv.to.index() as u32, mv.arrow.index() as u32)
    }

    /// The movement that this edge is or contains, if any.
    #[inline]
    pub fn as_movement(self) -> Option<Movement> {
        let (from, to) = (self.0 & 127, self.0 >> 7 & 127);
        let square = |index| Square::from_index(index as usize);
        (from != Self::NONE).then(|| Movement { from: square(from), to: square(to) })
    }

    /// The arrow that this edge is or contains, if any.
    #[inline]
    pub fn as_arrow(self) -> Option<Square> {
        let arrow = self.0 >> 14 & 127;
        (arrow != Self::NONE).then(|| Square::from_index(arrow as usize))
    }

    /// The bits that say what it is.
    pub(super) const MASK: u32 = (1 << 21) - 1;

    /// The same edge with the probability that it is the best of its family, given as its natural logarithm.
    /// It is kept in nine bits, to one part in fifty and down to 1/30,000, and is no part of what the edge is.
    #[inline]
    pub fn with_log_prior(self, log_probability: f32) -> Self {
        let code = (-log_probability * PRIOR_STEPS + 0.5) as u32;
        Self(self.0 & Self::MASK | code.min(PRIOR_CODES - 1) << 21)
    }

    /// The probability that was given to it.
    #[inline]
    pub(super) fn prior(self) -> f32 {
        PRIORS[(self.0 >> 21) as usize & (PRIOR_CODES as usize - 1)]
    }
}
