//! A first layer over the squares of the board: each square adds the weight row of its class to the hidden units.
//!
//! The class of an empty square is given by the queen moves of both sides to it, that of an amazon by its owner.
//! Squares with an arrow and squares outside the board add nothing, so a layer also works on boards smaller than its
//! own. The policy networks and the evaluation's network each have such a layer.

use super::inputs::QUEEN_CLASSES;
pub use super::square_classes::SquareCodes;
use super::square_classes::{CODES, OUR_AMAZON, SQUARES, THEIR_AMAZON};
use crate::board::square::{STRIDE, Square};
use crate::simd::Lanes;
use std::sync::LazyLock;

/// Number of classes of a square: 25 for empty squares, by the queen moves of both sides, and one for each side's
/// amazons.
pub const SQUARE_CLASSES: usize = QUEEN_CLASSES * QUEEN_CLASSES + 2;

/// Number of 16-bit hidden units in a vector of [`Lanes`].
pub const VECTOR: usize = 16;

/// A row of 8-bit weights: one for each unit, in `VECTORS` vectors.
pub type Row<const VECTORS: usize> = [[i8; VECTOR]; VECTORS];

/// First layer of a network, whose one-hot inputs are the codes of all squares; it has `16 * VECTORS` hidden units.
#[derive(Clone, PartialEq, Debug)]
pub struct SquareLayer<const VECTORS: usize> {
    edge: usize,
    /// Weight rows by code, then by square index: `rows[code].0[square]`.
    rows: Box<[OfCode<VECTORS>; CODES]>,
}

/// The weight rows of one code, by square index. The alignment keeps a row of 64 bytes within one cache line.
#[derive(Clone, PartialEq, Debug)]
#[repr(align(64))]
struct OfCode<const VECTORS: usize>([Row<VECTORS>; SQUARES]);

impl<const VECTORS: usize> SquareLayer<VECTORS> {
    /// Creates the layer for boards of this edge length from its rows: for each class, a row for each square. Missing
    /// rows are 0.
    pub fn new(edge: usize, mut rows: impl Iterator<Item = Row<VECTORS>>) -> Self {
        let mut layer = Self { edge, rows: boxed(OfCode([[[0; VECTOR]; VECTORS]; SQUARES])) };
        for code in class_codes() {
            for (square, row) in squares(edge).zip(&mut rows) {
                layer.rows[code].0[square.index()] = row;
            }
        }
        layer
    }

    /// Returns the edge length of the largest board that the layer covers.
    pub fn edge(&self) -> usize {
        self.edge
    }

    /// Returns the rows in the order of [`Self::new`].
    pub fn rows(&self) -> impl Iterator<Item = &Row<VECTORS>> {
        class_codes()
            .flat_map(move |code| squares(self.edge).map(move |square| &self.rows[code].0[square.index()]))
    }

    /// Returns `start` plus the weight rows of all squares, 16 bits per unit.
    #[inline(always)]
    pub(super) fn sum<L: Lanes>(&self, codes: &SquareCodes, start: [L; VECTORS]) -> [L; VECTORS] {
        let pairs = (self.edge * STRIDE).div_ceil(2);
        // Two independent sums, so that an addition need not wait for the previous one. Squares without weights are
        // added too: a loop without branches is the fastest.
        let (mut sum, mut odd) = (start, [L::splat(0); VECTORS]);
        for (pair, codes) in codes.0.as_chunks::<2>().0.iter().enumerate().take(pairs) {
            sum = plus(sum, wide(self.row(codes[0], 2 * pair)));
            odd = plus(odd, wide(self.row(codes[1], 2 * pair + 1)));
        }
        plus(sum, odd)
    }

    /// Returns the weight row of a square with this code; `square` is its index.
    #[inline(always)]
    pub(super) fn row(&self, code: u8, square: usize) -> &Row<VECTORS> {
        &self.rows[usize::from(code) % CODES].0[square % SQUARES]
    }
}

/// Widens the weights of a row to 16 bits.
#[inline(always)]
pub(super) fn wide<L: Lanes, const VECTORS: usize>(row: &Row<VECTORS>) -> [L; VECTORS] {
    std::array::from_fn(
        #[inline(always)]
        |vector| L::new(bytemuck::cast(row[vector].map(i16::from))),
    )
}

#[inline(always)]
fn plus<L: Lanes, const VECTORS: usize>(one: [L; VECTORS], other: [L; VECTORS]) -> [L; VECTORS] {
    std::array::from_fn(
        #[inline(always)]
        |vector| one[vector].plus(other[vector]),
    )
}

/// Creates an array of copies of `element` directly on the heap.
pub(super) fn boxed<T: Clone, const N: usize>(element: T) -> Box<[T; N]> {
    vec![element; N].try_into().unwrap_or_else(|_| unreachable!("the vector has N elements"))
}

impl SquareCodes {
    /// Calls `found` with the class and the square for each square that has a class ([`SQUARE_CLASSES`]).
    pub fn for_each(&self, mut found: impl FnMut(usize, Square)) {
        for (square, &code) in self.0.iter().enumerate() {
            if let Some(class) = CLASSES[usize::from(code) % CODES] {
                found(class.into(), Square::from_index(square));
            }
        }
    }
}

/// Lookup table: the class of each code; `None` for a code without weights.
static CLASSES: LazyLock<[Option<u8>; CODES]> = LazyLock::new(|| {
    let mut classes = [None; CODES];
    for (class, code) in (0..).zip(class_codes()) {
        classes[code] = Some(class);
    }
    classes
});

/// Iterates over the codes of the [`SQUARE_CLASSES`] classes, in class order.
fn class_codes() -> impl Iterator<Item = usize> {
    let by_moves = |our| (0..QUEEN_CLASSES).map(move |their| our + 8 * their);
    (0..QUEEN_CLASSES).flat_map(by_moves).chain([OUR_AMAZON, THEIR_AMAZON])
}

/// Iterates over the squares of a board with this edge length, row by row from a1.
pub fn squares(edge: usize) -> impl Iterator<Item = Square> + Clone {
    (0..edge).flat_map(move |row| (0..edge).filter_map(move |column| Square::new(column, row)))
}
