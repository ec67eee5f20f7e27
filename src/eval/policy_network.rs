//! The policy network: one hidden layer over the squares, computed once for a node, and a row of weights for each
//! half-move.
//!
//! ```text
//!   each square: the queen moves of both sides to it, or the owner of its amazon  >  16 units, ReLU
//!   half-move: its row times the hidden layer, added to the log-linear logit (super::policy)
//! ```
//!
//! The row of a movement is indexed by its two squares, the row of an arrow by the amazon's square and the target.
//! Squares with an arrow and squares outside the board add nothing, so the network of a board also works on smaller
//! ones. Integer arithmetic gives the same bits on every kernel and every target. `lab fit-policy` trains it.

use super::distance::DistanceMaps;
use super::inputs::QUEEN_CLASSES;
use super::square_classes::{CODES, OUR_AMAZON, SQUARES, SquareCodes, THEIR_AMAZON};
use crate::board::position::Position;
use crate::board::square::{STRIDE, Square};
use crate::simd::{Lanes, PortableLanes};

/// Fixed-point scale: weights and hidden activations are multiples of `1 / ONE`.
pub const ONE: i32 = 1 << 7;

/// Units of the hidden layer.
pub const UNITS: usize = 16;

/// A row of weights.
pub type Row = [i8; UNITS];

/// Number of classes of a square: 25 for empty squares, by the queen moves of both sides, and one for each side's
/// amazons.
pub const SQUARE_CLASSES: usize = QUEEN_CLASSES * QUEEN_CLASSES + 2;

/// A policy network, ready for use.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyNetwork {
    bias: Row,
    /// Number of pairs of consecutive square numbers that cover the board.
    pairs: usize,
    /// Rows by the code of a square: `[code][square]`.
    squares: Box<[[Row; SQUARES]; CODES]>,
    /// Rows of the half-moves: `[from][to]`.
    half_moves: Box<[[Row; SQUARES]; SQUARES]>,
}

impl PolicyNetwork {
    /// Creates a network for boards of this edge from its rows: the bias, then a row per square for each class, then a
    /// row for each of [`half_moves`]. Missing rows are 0.
    pub fn new(edge: usize, rows: &[Row]) -> Self {
        let mut rows = rows.iter().copied();
        let mut network = Self {
            bias: rows.next().unwrap_or_default(),
            pairs: (edge * STRIDE).div_ceil(2),
            squares: boxed([[0; UNITS]; SQUARES]),
            half_moves: boxed([[0; UNITS]; SQUARES]),
        };
        for code in class_codes() {
            for (square, row) in squares(edge).zip(&mut rows) {
                network.squares[code][square.index()] = row;
            }
        }
        for ((from, to), row) in half_moves(edge).zip(rows) {
            network.half_moves[from.index()][to.index()] = row;
        }
        network
    }

    /// Returns the hidden layer after the ReLU, 16 bits per unit; a unit is a sum of at most 101 weights of 8 bits.
    #[inline(always)]
    pub(super) fn hidden<L: Lanes>(&self, codes: &SquareCodes) -> L {
        // Two independent sums, so that an addition need not wait for the previous one. Squares without weights are
        // added too: a loop without branches is the fastest.
        let (mut hidden, mut odd): (L, L) = (wide(&self.bias), L::splat(0));
        for (pair, codes) in codes.0.as_chunks::<2>().0.iter().enumerate().take(self.pairs) {
            hidden = hidden.plus(wide(self.row(codes[0], 2 * pair)));
            odd = odd.plus(wide(self.row(codes[1], 2 * pair + 1)));
        }
        hidden = hidden.plus(odd);
        let units: [i16; UNITS] = bytemuck::cast(hidden.to_array());
        L::new(bytemuck::cast(units.map(|unit| unit.max(0))))
    }

    /// Returns the weights of a square with this code.
    #[inline(always)]
    fn row(&self, code: u8, square: usize) -> &Row {
        &self.squares[usize::from(code) % CODES][square % SQUARES]
    }

    /// Returns the network's term in the logit of a half-move between two squares.
    #[inline(always)]
    pub(super) fn logit<L: Lanes>(&self, hidden: L, from: Square, to: Square) -> f32 {
        let row = &self.half_moves[from.index() % SQUARES][to.index() % SQUARES];
        hidden.dot(wide(row)) as f32 / (ONE * ONE) as f32
    }
}

/// Widens the weights of a row to 16 bits.
#[inline(always)]
fn wide<L: Lanes>(row: &Row) -> L {
    L::new(bytemuck::cast(row.map(i16::from)))
}

/// Creates a large array on the heap.
fn boxed<T: Clone, const N: usize>(element: T) -> Box<[T; N]> {
    vec![element; N].try_into().unwrap_or_else(|_| unreachable!("the vector has N elements"))
}

/// Calls `found` with the class and the square for each square of the board that has a class ([`SQUARE_CLASSES`]).
pub fn for_each_square(position: &Position, maps: &DistanceMaps, mut found: impl FnMut(usize, Square)) {
    let codes = SquareCodes::new::<PortableLanes>(position, maps);
    for square in squares(position.size().edge()) {
        if let Some(class) = class_codes().position(|code| code == codes.of(square)) {
            found(class, square);
        }
    }
}

/// Iterates over the codes of the classes, in the order of the classes.
fn class_codes() -> impl Iterator<Item = usize> {
    let by_moves = |our| (0..QUEEN_CLASSES).map(move |their| our + 8 * their);
    (0..QUEEN_CLASSES).flat_map(by_moves).chain([OUR_AMAZON, THEIR_AMAZON])
}

/// Returns the squares of a board, row by row.
pub fn squares(edge: usize) -> impl Iterator<Item = Square> + Clone {
    (0..edge).flat_map(move |row| (0..edge).filter_map(move |column| Square::new(column, row)))
}

/// Returns all pairs of squares that a queen's move joins on an empty board.
pub fn half_moves(edge: usize) -> impl Iterator<Item = (Square, Square)> {
    let is_move = |&(from, to): &(Square, Square)| {
        let [columns, rows] = [from.column().abs_diff(to.column()), from.row().abs_diff(to.row())];
        from != to && (columns == 0 || rows == 0 || columns == rows)
    };
    squares(edge).flat_map(move |from| squares(edge).map(move |to| (from, to))).filter(is_move)
}

/// Returns the number of rows that [`PolicyNetwork::new`] expects for boards of this edge.
pub fn rows(edge: usize) -> usize {
    1 + SQUARE_CLASSES * edge * edge + half_moves(edge).count()
}
