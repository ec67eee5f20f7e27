//! The policy network: one hidden layer over the squares, computed once per node, and a row of output weights for each
//! half-move.
//!
//! ```text
//!   each square: the queen moves of both sides to it, or the owner of its amazon  >  16 units, ReLU
//!   half-move: its row times the hidden layer, added to the log-linear logit (super::policy)
//! ```
//!
//! The row of a movement is indexed by its two squares, the row of an arrow by the amazon's square and the target.
//! Integer arithmetic gives bit-identical results on every kernel and every target. `lab fit-policy` trains it.

use super::square_classes::{SQUARES, SquareCodes};
use super::square_layer::{SQUARE_CLASSES, SquareLayer, VECTOR, boxed, squares, wide};
use crate::board::square::Square;
use crate::simd::Lanes;

/// Fixed-point scale: weights and hidden activations are multiples of `1 / ONE`.
pub const ONE: i32 = 1 << 7;

/// Number of units in the hidden layer.
pub const UNITS: usize = VECTOR;

/// A row of 8-bit weights, one per hidden unit.
pub type Row = [i8; UNITS];

/// A policy network, ready for inference.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyNetwork {
    bias: Row,
    squares: SquareLayer<1>,
    /// Output weights of each half-move, by square index: `[from][to]`.
    half_moves: Box<[[Row; SQUARES]; SQUARES]>,
}

impl PolicyNetwork {
    /// Creates a network for boards of this edge length from its rows: the bias, then the rows of a [`SquareLayer`],
    /// then a row for each of [`half_moves`]. Missing rows are 0.
    pub fn new(edge: usize, rows: &[Row]) -> Self {
        let mut rows = rows.iter().copied();
        let bias = rows.next().unwrap_or_default();
        let of_squares = rows.by_ref().take(SQUARE_CLASSES * edge * edge);
        let squares = SquareLayer::new(edge, of_squares.map(|row| [row]));
        let mut network = Self { bias, squares, half_moves: boxed([[0; UNITS]; SQUARES]) };
        for ((from, to), row) in half_moves(edge).zip(rows) {
            network.half_moves[from.index()][to.index()] = row;
        }
        network
    }

    /// Returns the hidden layer after the ReLU, 16 bits per unit. No sum overflows: each has at most 101 8-bit weights.
    #[inline(always)]
    pub(super) fn hidden<L: Lanes>(&self, codes: &SquareCodes) -> L {
        let [hidden] = self.squares.sum::<L>(codes, wide(&[self.bias]));
        let units: [i16; UNITS] = bytemuck::cast(hidden.to_array());
        L::new(bytemuck::cast(units.map(|unit| unit.max(0))))
    }

    /// Returns the network's term in the logit of a half-move between two squares.
    #[inline(always)]
    pub(super) fn logit<L: Lanes>(&self, hidden: L, from: Square, to: Square) -> f32 {
        let row = &self.half_moves[from.index() % SQUARES][to.index() % SQUARES];
        let [row] = wide::<L, 1>(&[*row]);
        hidden.dot(row) as f32 / (ONE * ONE) as f32
    }
}

/// Returns all pairs of squares that one queen move connects on an empty board, ordered by `from`, then `to`.
pub fn half_moves(edge: usize) -> impl Iterator<Item = (Square, Square)> {
    let is_move = |&(from, to): &(Square, Square)| {
        let [columns, rows] = [from.column().abs_diff(to.column()), from.row().abs_diff(to.row())];
        from != to && (columns == 0 || rows == 0 || columns == rows)
    };
    squares(edge).flat_map(move |from| squares(edge).map(move |to| (from, to))).filter(is_move)
}

/// Returns the number of rows that [`PolicyNetwork::new`] expects for boards of this edge length.
pub fn rows(edge: usize) -> usize {
    1 + SQUARE_CLASSES * edge * edge + half_moves(edge).count()
}
