//! The edge from a node to a child, with its prior, in 32 bits.

use crate::board::moves::Movement;
use crate::board::square::Square;
use crate::board::state::Action;
use std::sync::LazyLock;

/// Number of codes for quantized priors. Code `k` means the prior `exp(-k / PRIOR_STEPS)`: the codes run from 1 down to
/// 1/27,000 in steps of 2 %.
const PRIOR_CODES: u32 = 1 << PRIOR_BITS;
pub(super) const PRIOR_BITS: u32 = 9;
const PRIOR_STEPS: f32 = 50.0;

static PRIORS: LazyLock<[f32; PRIOR_CODES as usize]> =
    LazyLock::new(|| std::array::from_fn(|code| libm::expf(-(code as f32) / PRIOR_STEPS)));

/// An edge from a node to a child: a movement or an arrow.
///
/// Bits 0..7 = origin of the amazon, 7..14 = its destination, 14..21 = the arrow; 127 means none. Bits 21..30 = code of
/// the prior, 0 for probability 1. Edges therefore sort by prior, the most probable first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge(pub(super) u32);

impl Edge {
    /// Code of a missing square.
    const NONE: u32 = 127;

    fn new(from: u32, to: u32, arrow: u32) -> Self {
        Self(from | to << 7 | arrow << 14)
    }

    /// Creates the edge of a movement, with prior 1.
    pub fn movement(m: Movement) -> Self {
        Self::new(m.from.index() as u32, m.to.index() as u32, Self::NONE)
    }

    /// Creates the edge of an arrow, with prior 1.
    pub fn arrow(square: Square) -> Self {
        Self::new(Self::NONE, Self::NONE, square.index() as u32)
    }

    /// Returns the edge's movement, if it has one.
    #[inline]
    pub fn as_movement(self) -> Option<Movement> {
        let (from, to) = (self.0 & 127, self.0 >> 7 & 127);
        let square = |index| Square::from_index(index as usize);
        (from != Self::NONE).then(|| Movement { from: square(from), to: square(to) })
    }

    /// Returns the edge's arrow, if it has one.
    #[inline]
    pub fn as_arrow(self) -> Option<Square> {
        let arrow = self.0 >> 14 & 127;
        (arrow != Self::NONE).then(|| Square::from_index(arrow as usize))
    }

    /// Returns the half-move.
    ///
    /// # Panics
    /// If the edge has no squares: the root's.
    #[inline]
    pub fn action(self) -> Action {
        match (self.as_movement(), self.as_arrow()) {
            (Some(movement), _) => Action::Movement(movement),
            (None, Some(arrow)) => Action::Arrow(arrow),
            (None, None) => unreachable!("an edge without squares"),
        }
    }

    /// Mask of the bits of the three squares, which leaves out the prior.
    pub(super) const MASK: u32 = (1 << 21) - 1;

    /// Returns the edge with a new prior, given as the natural logarithm of a probability. The stored prior has an
    /// error of about 1 % and is at least 1/27,000.
    #[inline(always)]
    pub fn with_log_prior(self, log_probability: f32) -> Self {
        // A float of 2^23 or more has no fraction bits: adding 2^23 rounds to an integer in the lowest bits of the
        // significand.
        const ROUNDING: f32 = (1 << 23) as f32;
        let code = (-log_probability * PRIOR_STEPS).clamp(0.0, (PRIOR_CODES - 1) as f32);
        Self(self.0 & Self::MASK | ((code + ROUNDING).to_bits() & (PRIOR_CODES - 1)) << 21)
    }

    /// Returns the prior probability.
    #[inline]
    pub(super) fn prior(self) -> f32 {
        Self::prior_of(self.prior_code())
    }

    /// Returns the prior's code, see [`PRIOR_CODES`].
    #[inline]
    pub(super) fn prior_code(self) -> u32 {
        self.0 >> 21 & (PRIOR_CODES - 1)
    }

    /// Decodes a prior from the low 9 bits of `code`.
    #[inline]
    pub(super) fn prior_of(code: u32) -> f32 {
        PRIORS[(code & (PRIOR_CODES - 1)) as usize]
    }
}

/// Replaces the edges that are in `tried` with placeholders that sort before all other edges, in the order of `tried`.
/// The tried edges take the priors of the edges replaced.
#[inline(always)]
pub fn put_first(edges: &mut [Edge], tried: &mut [Edge]) {
    for (place, tried) in (0..).zip(tried) {
        // Placeholders are below 2^12, since a node has fewer edges; the squares of an edge are at least 127 << 7.
        if let Some(edge) = edges.iter_mut().find(|edge| (edge.0 ^ tried.0) & Edge::MASK == 0) {
            *tried = std::mem::replace(edge, Edge(place));
        }
    }
}

/// Number of edges compared at once: the 32-bit lanes of a 256-bit register.
const AT_ONCE: usize = 8;

/// Padding that compares greater than every edge, even as a signed number: before AVX-512, x86 has only signed
/// vector comparisons.
const LAST: Edge = Edge(i32::MAX as u32);

/// Sorts distinct edges into `sorted` (rank sort): the index of each edge is the number of smaller edges. For the
/// movements or arrows of a node, these n^2 branchless comparisons are the fastest sort. Pads `edges` to a multiple of
/// [`AT_ONCE`].
#[inline(always)]
pub fn sort(edges: &mut Vec<Edge>, sorted: &mut Vec<Edge>) {
    let count = edges.len();
    let padded = padded(edges).as_flattened();
    sorted.clear();
    sorted.resize(count, LAST);
    for &edge in &padded[..count] {
        let mut before = 0;
        for other in padded {
            before += u32::from((other.0 as i32) < edge.0 as i32);
        }
        sorted[before as usize] = edge;
    }
}

/// Puts the `count` smallest of distinct edges at the front of `sorted`, in order, and pads `edges`. The other elements
/// of `sorted` are unspecified. Finding each of the `count` edges takes one pass over all edges.
#[inline(always)]
pub fn sort_first(edges: &mut Vec<Edge>, sorted: &mut Vec<Edge>, count: usize) {
    sorted.clear();
    sorted.resize(edges.len(), LAST);
    let padded = padded(edges);
    let mut before = -1;
    for place in sorted.iter_mut().take(count) {
        let mut least = [LAST.0 as i32; AT_ONCE];
        for edges in padded {
            for (least, edge) in least.iter_mut().zip(edges) {
                let edge = edge.0 as i32;
                *least = (*least).min(if edge > before { edge } else { LAST.0 as i32 });
            }
        }
        before = least.into_iter().fold(LAST.0 as i32, i32::min);
        *place = Edge(before as u32);
    }
}

/// Pads the edges with [`LAST`] to a multiple of [`AT_ONCE`] and returns them in groups of that size.
#[inline(always)]
fn padded(edges: &mut Vec<Edge>) -> &[[Edge; AT_ONCE]] {
    edges.resize(edges.len().next_multiple_of(AT_ONCE), LAST);
    edges.as_chunks().0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_puts_the_most_probable_edges_first() {
        let mut rng = fastrand::Rng::with_seed(4);
        let mut sorted = Vec::new();
        for count in (0..40).chain([64, 99, 110]) {
            let squares = (0..110).map(|square| Edge::arrow(Square::from_index(square)));
            let mut edges: Vec<Edge> = squares.map(|edge| edge.with_log_prior(-rng.f32() * 12.0)).collect();
            rng.shuffle(&mut edges);
            edges.truncate(count);
            let mut expected = edges.clone();
            expected.sort();
            sort_first(&mut edges.clone(), &mut sorted, 3);
            assert_eq!(sorted.len(), count);
            assert_eq!(sorted[..count.min(3)], expected[..count.min(3)]);
            sort(&mut edges, &mut sorted);
            assert_eq!(sorted, expected);
            assert!(sorted.is_sorted_by(|a, b| a.prior() >= b.prior()));
        }
    }

    #[test]
    fn quantized_priors_are_accurate() {
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
