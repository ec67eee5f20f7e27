//! The network evaluation: one hidden layer over the [`super::inputs`], quantised. Integer arithmetic gives
//! bit-identical results on every kernel and every target.
//!
//! ```text
//!   50 counts of squares, by the distance classes of both sides \
//!   8 amazons, each with its classes of six features             >  64 units, ReLU, the last linear  >  log-odds
//!   ply                                                          |
//!   each square with its class (super::square_layer)            /
//! ```
//!
//! A count multiplies its row of weights; a class selects a row. The sum of the selected rows is the hidden layer (a
//! 16-bit accumulator, as in NNUE, <https://www.chessprogramming.org/NNUE>). The trainer's floating-point form of this
//! architecture is `lab/src/commands/fit_network/floats.rs`.

#![allow(clippy::needless_range_loop)] // an index is used for several arrays

use super::amazons::{AMAZONS, AmazonReach};
use super::distance::DistanceMaps;
use super::inputs::{self, COUNTS, Inputs, PLY_PART, Part, amazon_classes, amazon_row, count};
use super::ply::standard_ply;
use super::square_classes::SquareCodes;
use super::square_layer::{SquareLayer, VECTOR};
use super::winrate::Value;
use crate::board::position::Position;
use crate::simd::Lanes;

/// Number of hidden units. The last one is linear: it passes a weighted sum of the inputs straight to the output.
pub const HIDDEN: usize = 64;

/// Fixed-point scale: weights and hidden activations are multiples of `1 / ONE`. Hidden sums wrap modulo 2^16; only the
/// final sum has to fit.
pub const ONE: i32 = 1 << 9;

/// Fixed-point scale of the square layer, whose weights have 8 bits: they are multiples of `1 / SQUARES_ONE`.
pub const SQUARES_ONE: i32 = 1 << 8;

/// Square layer of the evaluation network, with [`HIDDEN`] units.
pub type Squares = SquareLayer<{ HIDDEN / VECTOR }>;

/// Factor that converts square-layer weights to units of `1 / ONE`.
const SQUARES_FACTOR: i32 = ONE / SQUARES_ONE;

/// A weight row: one 16-bit weight per hidden unit.
pub type Row = [i16; HIDDEN];

/// Weight tensor of the output: the last row of a network, one weight per hidden unit.
pub const OUTPUT_PART: Part = PLY_PART.followed_by("output", 1);

/// Number of rows in a network, without the square layer.
pub const ROWS: usize = OUTPUT_PART.first + OUTPUT_PART.rows;

/// Iterates over the weight tensors of a network, each a range of rows, in the order of the weights file.
pub fn parts() -> impl Iterator<Item = Part> {
    inputs::PARTS.into_iter().chain([OUTPUT_PART])
}

/// Weights of a network. Each row of 128 bytes begins on a cache line.
#[derive(Clone, PartialEq, Debug)]
#[repr(C, align(64))]
pub struct Network {
    /// Weights of all [`parts`]: a row for each input, then the output row.
    pub rows: [Row; ROWS],
    /// The square layer.
    pub squares: Squares,
}

impl Network {
    /// Creates a network with this square layer; all other weights are 0.
    pub fn new(squares: Squares) -> Box<Self> {
        Box::new(Self { rows: [[0; HIDDEN]; ROWS], squares })
    }

    /// Returns the rows of a weight tensor.
    pub fn rows_of(&mut self, part: Part) -> &mut [Row] {
        &mut self.rows[part.first..][..part.rows]
    }

    /// Returns the value of a position for the side to move, in log-odds. `maps` and `reach` must be computed
    /// from `position`.
    #[inline(always)]
    pub(super) fn value<L: Lanes>(
        &self,
        position: &Position,
        maps: &DistanceMaps,
        reach: &AmazonReach,
    ) -> Value {
        self.value_of(&self.hidden::<L>(position, maps, reach))
    }

    /// Returns the value for this hidden layer before the ReLU, see [`Self::value`].
    #[inline(always)]
    pub(super) fn value_of(&self, hidden: &Row) -> Value {
        Value(self.output(hidden) as f32 / (ONE * ONE) as f32)
    }

    /// Returns the hidden layer before the ReLU, see [`Self::value`].
    #[inline(always)]
    pub(super) fn hidden<L: Lanes>(
        &self,
        position: &Position,
        maps: &DistanceMaps,
        reach: &AmazonReach,
    ) -> Row {
        let (side, empty) = (position.side(), position.empty());
        let mut hidden = Hidden::<L>::of(&self.rows[PLY_PART.first + standard_ply(position)]);
        let counts = count(maps, side.index(), empty);
        let mut left = not_zero(&counts);
        while left != 0 {
            let place = left.trailing_zeros() as usize;
            // x & (x - 1) clears the lowest set bit.
            left &= left - 1;
            hidden.add_scaled(&self.rows[place], counts[place]);
        }
        let classes = amazon_classes::<L>(position, maps, reach);
        for which in 0..2 {
            let side = if which == 0 { side } else { side.opponent() };
            for amazon in 0..(position.amazons(side).len() as usize).min(AMAZONS) {
                let classes = classes[which][amazon];
                for feature in 0..classes.len() {
                    hidden.add(&self.rows[amazon_row(feature, which, classes[feature])]);
                }
            }
        }
        hidden.add_squares(&self.squares, &SquareCodes::new::<L>(position, maps));
        hidden.to_row()
    }

    /// Computes the output, in units of `1 / ONE^2`, from the hidden layer before the ReLU.
    #[inline(always)]
    fn output(&self, hidden: &Row) -> i32 {
        let weights = &self.rows[OUTPUT_PART.first];
        let mut sum = i32::from(hidden[HIDDEN - 1]) * i32::from(weights[HIDDEN - 1]);
        for unit in 0..HIDDEN - 1 {
            sum += i32::from(hidden[unit].max(0)) * i32::from(weights[unit]);
        }
        sum
    }

    /// Checks that the sums for these inputs fit the engine's integers: 16 bits for a hidden unit, 32 for the output.
    ///
    /// # Errors
    /// Returns a message about the first sum that does not fit.
    pub fn check_sums(&self, inputs: &Inputs) -> Result<(), String> {
        let mut hidden = [0; HIDDEN];
        inputs.for_each(|row, factor| {
            for unit in 0..HIDDEN {
                hidden[unit] += i32::from(self.rows[row][unit]) * i32::from(factor);
            }
        });
        for (square, &code) in inputs.squares.0.iter().enumerate() {
            for (unit, &weight) in hidden.iter_mut().zip(self.squares.row(code, square).as_flattened()) {
                *unit += SQUARES_FACTOR * i32::from(weight);
            }
        }
        if let Some(&unit) = hidden.iter().find(|&&unit| i16::try_from(unit).is_err()) {
            return Err(overflow("a hidden unit", f64::from(unit)));
        }
        let products = hidden.iter().zip(&self.rows[OUTPUT_PART.first]);
        // The ReLU can only reduce this sum of absolute values.
        let sum: i64 = products.map(|(&unit, &weight)| (i64::from(unit) * i64::from(weight)).abs()).sum();
        if sum > i32::MAX.into() { Err(overflow("the output", sum as f64 / f64::from(ONE))) } else { Ok(()) }
    }
}

/// Formats the error message for a sum or weight `what` that overflows; `units` is its size in units of `1 / ONE`.
pub fn overflow(what: &str, units: f64) -> String {
    format!("{what} is {:.1}, which does not fit the integers of the engine", units / f64::from(ONE))
}

/// The hidden layer (accumulator) in SIMD registers, 16 units in each.
struct Hidden<L>([L; HIDDEN / 16]);

impl<L: Lanes> Hidden<L> {
    #[inline(always)]
    fn of(row: &Row) -> Self {
        let words: [[u64; 4]; HIDDEN / 16] = bytemuck::cast(*row);
        Self(std::array::from_fn(|part| L::new(words[part])))
    }

    #[inline(always)]
    fn add(&mut self, row: &Row) {
        let Self(row) = Self::of(row);
        for part in 0..row.len() {
            self.0[part] = self.0[part].plus(row[part]);
        }
    }

    #[inline(always)]
    fn add_scaled(&mut self, row: &Row, factor: i16) {
        let Self(row) = Self::of(row);
        for part in 0..row.len() {
            self.0[part] = self.0[part].plus_scaled(row[part], factor);
        }
    }

    #[inline(always)]
    fn add_squares(&mut self, squares: &Squares, codes: &SquareCodes) {
        let sum = squares.sum::<L>(codes, [L::splat(0); HIDDEN / VECTOR]);
        for part in 0..sum.len() {
            self.0[part] = self.0[part].plus_scaled(sum[part], SQUARES_FACTOR as i16);
        }
    }

    #[inline(always)]
    fn to_row(&self) -> Row {
        let mut words = [[0; 4]; HIDDEN / 16];
        for part in 0..words.len() {
            words[part] = self.0[part].to_array();
        }
        bytemuck::cast(words)
    }
}

/// Returns a bit mask of the nonzero counts: bit `i` for `counts[i]`. In most positions few are set.
#[inline(always)]
fn not_zero(counts: &[i16; COUNTS]) -> u64 {
    const { assert!(COUNTS <= 64) };
    let mut bits = 0;
    for (place, &count) in counts.iter().enumerate() {
        bits |= u64::from(count != 0) << place;
    }
    bits
}
