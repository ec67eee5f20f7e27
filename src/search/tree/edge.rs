//! What leads from a node to a child, with its prior, in 32 bits.

use crate::board::moves::{Move, Movement};
use crate::board::square::Square;
use std::sync::LazyLock;

/// A prior is kept as one of so many codes: code `k` is `exp(-k / PRIOR_STEPS)`, so 512 reach down to 1/27,000 in
/// steps of 2 %.
const PRIOR_CODES: u32 = 512;
const PRIOR_STEPS: f32 = 50.0;

static PRIORS: LazyLock<[f32; PRIOR_CODES as usize]> =
    LazyLock::new(|| std::array::from_fn(|code| libm::expf(-(code as f32) / PRIOR_STEPS)));

/// A step from a node to a child: a movement, an arrow, or both.
///
/// Bits 0..7 = where the amazon comes from, 7..14 = where it goes, 14..21 = the arrow, each 127 where there is none;
/// bits 21..30 = the code of the prior, 0 for a probability of 1. So the order of edges is that of their priors, the
/// most probable first.
///
/// ```
/// use otrera::Move;
/// use otrera::search::tree::Edge;
/// let mv: Move = "d1-d7/g7".parse().unwrap();
/// let whole = Edge::whole(mv);
/// assert_eq!((whole.as_movement(), whole.as_arrow()), (Some(mv.movement()), Some(mv.arrow)));
/// assert_eq!(Edge::arrow(mv.arrow).as_movement(), None);
/// // Smaller is more probable.
/// assert!(whole.with_log_prior(-0.1) < whole.with_log_prior(-2.0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge(pub(super) u32);

impl Edge {
    /// In place of a square's number.
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

    /// The bits without the prior's.
    pub(super) const MASK: u32 = (1 << 21) - 1;

    /// The same edge with the probability that it is the best of its family, given as its natural logarithm.
    /// It is kept to one part in fifty and down to 1/27,000.
    #[inline(always)]
    pub fn with_log_prior(self, log_probability: f32) -> Self {
        // A float of 2^23 or more has no fraction bits: the sum is rounded to a whole number, whose value above 2^23
        // is in the lowest bits of the significand.
        const ROUNDING: f32 = (1 << 23) as f32;
        let code = (-log_probability * PRIOR_STEPS).clamp(0.0, (PRIOR_CODES - 1) as f32);
        Self(self.0 & Self::MASK | ((code + ROUNDING).to_bits() & (PRIOR_CODES - 1)) << 21)
    }

    /// The probability that was given to it.
    #[inline]
    pub(super) fn prior(self) -> f32 {
        PRIORS[(self.0 >> 21) as usize & (PRIOR_CODES as usize - 1)]
    }
}

/// Edges that are compared at once: 32-bit lanes of the widest registers that are used, 256 bits.
const AT_ONCE: usize = 8;

/// Sorts edges, all of them different, into `sorted`, by counting for each edge those before it (rank sort): n^2
/// comparisons without a branch, which is quickest for so few. `edges` is left padded to whole registers.
#[inline(always)]
pub fn sort(edges: &mut Vec<Edge>, sorted: &mut Vec<Edge>) {
    // Behind all others, also as a signed number: before AVX-512 only those can be compared.
    const LAST: Edge = Edge(i32::MAX as u32);
    let count = edges.len();
    edges.resize(count.next_multiple_of(AT_ONCE), LAST);
    sorted.clear();
    sorted.resize(count, LAST);
    let padded = edges.as_chunks::<AT_ONCE>().0.as_flattened();
    for &edge in &edges[..count] {
        let mut before = 0;
        for other in padded {
            before += u32::from((other.0 as i32) < edge.0 as i32);
        }
        sorted[before as usize] = edge;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_keeps_every_edge_and_puts_the_most_probable_first() {
        let mut rng = fastrand::Rng::with_seed(4);
        let mut sorted = Vec::new();
        for count in (0..40).chain([64, 99, 110]) {
            let squares = (0..110).map(|square| Edge::arrow(Square::from_index(square)));
            let mut edges: Vec<Edge> = squares.map(|edge| edge.with_log_prior(-rng.f32() * 12.0)).collect();
            rng.shuffle(&mut edges);
            edges.truncate(count);
            let mut expected = edges.clone();
            expected.sort();
            sort(&mut edges, &mut sorted);
            assert_eq!(sorted, expected);
            assert!(sorted.is_sorted_by(|a, b| a.prior() >= b.prior()));
        }
    }

    #[test]
    fn priors_are_kept_to_one_part_in_fifty() {
        let mut log_prior = 0.0;
        while log_prior > -10.2 {
            let error = Edge(0).with_log_prior(log_prior).prior() / libm::expf(log_prior) - 1.0;
            assert!(error.abs() < 0.0105, "{log_prior}: {error}");
            log_prior -= 0.0037;
        }
        assert_eq!(Edge(0).with_log_prior(0.001).prior(), 1.0);
        assert!(Edge(0).with_log_prior(f32::NEG_INFINITY).prior() < 1.0 / 27_000.0);
    }
}
