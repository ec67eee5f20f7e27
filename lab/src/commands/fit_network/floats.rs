//! The network in floating point: its output, the gradient of its loss, and its rounding to the engine's integers.

use super::samples::{Sample, log_loss, probability};
use crate::training::{Trainee, add, normal, turned};
use fastrand::Rng;
use otrera::Square;
use otrera::board::square::FRAME;
use otrera::eval::distance::DistanceMaps;
use otrera::eval::inputs::{COUNTS, Inputs, PLY_PART};
use otrera::eval::network::{HIDDEN, Network, ONE, OUTPUT_PART, SQUARES_ONE, Squares, overflow};
use otrera::eval::square_layer::{SQUARE_CLASSES, SquareLayer, VECTOR, squares};
use std::ops::Range;

pub type Row = [f32; HIDDEN];

// Row indices: the inputs other than the ply from 0, bias knots, bias common to all plies, output weights, squares.
const KNOT: usize = PLY_PART.first;
const BIAS: usize = KNOT + KNOTS.len();
const OUTPUT: usize = BIAS + 1;
const SQUARES: usize = OUTPUT + 1;
const ROWS: usize = SQUARES + SQUARE_CLASSES * FRAME;

/// Knots: plies of a 10x10 game with their own row of biases; [`for_each_knot`] interpolates between them.
const KNOTS: [u8; 9] = [5, 13, 20, 27, 34, 41, 48, 56, 66];
/// Distance in plies at which the weight of a knot falls to 0.
const REACH: f32 = 7.5;

/// Index of the hidden unit that is linear instead of ReLU. Its output weight is fixed at 1.
const LINEAR: usize = HIDDEN - 1;

/// Absolute value of a hidden unit's sum above which training penalises it. The engine's 16-bit sums hold up to 64.
const LARGE_SUM: f32 = 40.0;
/// Gradient of the penalty per unit of the sum beyond [`LARGE_SUM`].
const PENALTY: f32 = 0.1;

/// Weights of a network in floating point, [`ROWS`] rows: the inputs other than the ply, the bias at each knot, the
/// bias common to all plies, the output, and one row for each square class and square.
pub struct Floats(pub Vec<Row>);

impl Floats {
    /// Creates a network with small, normally distributed random weights.
    pub fn random(rng: &mut Rng) -> Self {
        let mut network = Self(vec![[0.0; HIDDEN]; ROWS]);
        let mut fill = |rows: Range<usize>, of_linear: f64, of_others: f64| {
            for row in &mut network.0[rows] {
                for (unit, weight) in row.iter_mut().enumerate() {
                    let deviation = if unit == LINEAR { of_linear } else { of_others };
                    *weight = (deviation * normal(rng)) as f32;
                }
            }
        };
        let [of_input, of_output] = [1.0 / (BIAS as f64).sqrt(), 0.3 / (HIDDEN as f64).sqrt()];
        fill(0..BIAS, 0.1 * of_input, of_input);
        fill(SQUARES..ROWS, 0.01, 0.05);
        fill(OUTPUT..OUTPUT + 1, of_output, of_output);
        network.constrain();
        network
    }

    /// Converts a quantised network back, the inverse of [`Self::rounded`].
    pub fn of_network(network: &Network) -> Self {
        let exact = |row: &[i16; HIDDEN]| row.map(|units| f32::from(units) / ONE as f32);
        let mut floats = Self(vec![[0.0; HIDDEN]; ROWS]);
        for (number, row) in network.rows[..PLY_PART.first].iter().enumerate() {
            floats.0[number] = exact(row).map(|weight| weight / scale(number));
        }
        floats.0[OUTPUT] = exact(&network.rows[OUTPUT_PART.first]);
        floats.fit_biases(network.rows[PLY_PART.first..OUTPUT_PART.first].iter().map(exact).collect());
        for (place, row) in square_rows(network.squares.edge()).zip(network.squares.rows()) {
            for (weight, &units) in floats.0[place].iter_mut().zip(row.as_flattened()) {
                *weight = f32::from(units) / SQUARES_ONE as f32;
            }
        }
        floats
    }

    /// Fits the rows of the knots and the common bias to the biases of all plies: least squares by coordinate descent.
    fn fit_biases(&mut self, mut missing: Vec<Row>) {
        const SWEEPS: usize = 1000;
        let parts_of = |row: usize| {
            move |ply: usize| {
                let mut found = f32::from(u8::from(row == BIAS));
                for_each_knot(ply as u8, |knot, part| found += if knot == row { part } else { 0.0 });
                found
            }
        };
        for row in (KNOT..=BIAS).cycle().take(SWEEPS * (BIAS + 1 - KNOT)) {
            let parts: Vec<f32> = (0..missing.len()).map(parts_of(row)).collect();
            let norm: f32 = parts.iter().map(|part| part * part).sum();
            let mut step = [0.0; HIDDEN];
            parts.iter().zip(&missing).for_each(|(&part, missing)| add(&mut step, part / norm, missing));
            add(&mut self.0[row], 1.0, &step);
            parts.iter().zip(&mut missing).for_each(|(&part, missing)| add(missing, -part, &step));
        }
    }

    pub fn log_odds(&self, inputs: &Inputs) -> f32 {
        self.output(&self.hidden(inputs, |square| square))
    }

    fn hidden(&self, inputs: &Inputs, turned: impl Fn(Square) -> Square) -> Row {
        let mut hidden = self.0[BIAS];
        for_each_input(inputs, turned, |row, input| add(&mut hidden, input, &self.0[row]));
        hidden
    }

    fn output(&self, hidden: &Row) -> f32 {
        let units = hidden[..LINEAR].iter().zip(&self.0[OUTPUT]);
        units.fold(hidden[LINEAR], |sum, (unit, weight)| sum + unit.max(0.0) * weight)
    }

    /// Quantises the weights to the engine's integers, for boards of this edge length. Fails if a weight overflows 16
    /// bits.
    pub fn rounded(&self, edge: usize) -> Result<Box<Network>, String> {
        let mut network = Network::new(self.rounded_squares(edge));
        for (number, row) in network.rows.iter_mut().enumerate() {
            let weights = if number < PLY_PART.first {
                self.0[number].map(|weight| weight * scale(number))
            } else if number < OUTPUT_PART.first {
                self.biases((number - PLY_PART.first) as u8)
            } else {
                self.0[OUTPUT + number - OUTPUT_PART.first]
            };
            for (weight, &exact) in row.iter_mut().zip(&weights) {
                let units = (exact * ONE as f32).round();
                if !(f32::from(i16::MIN)..=f32::from(i16::MAX)).contains(&units) {
                    return Err(overflow("a weight", units.into()));
                }
                *weight = units as i16;
            }
        }
        Ok(network)
    }

    fn rounded_squares(&self, edge: usize) -> Squares {
        let units = |weight: f32| (weight * SQUARES_ONE as f32).round() as i8;
        let rows = square_rows(edge).map(|place| {
            let (row, _) = self.0[place].as_chunks::<VECTOR>();
            std::array::from_fn(|vector| row[vector].map(units))
        });
        SquareLayer::new(edge, rows)
    }

    fn biases(&self, ply: u8) -> Row {
        let mut row = self.0[BIAS];
        for_each_knot(ply, |knot, part| add(&mut row, part, &self.0[knot]));
        row
    }
}

impl Trainee for Floats {
    type Sample = Sample;
    const CHUNK: usize = 256;

    fn weights(&mut self) -> &mut [f32] {
        self.0.as_flattened_mut()
    }

    /// Resets the output weight of the linear unit to 1, and clamps the input weights of each square to the 8-bit range
    /// of the engine.
    fn constrain(&mut self) {
        const LIMIT: f32 = 127.0 / SQUARES_ONE as f32;
        self.0[OUTPUT][LINEAR] = 1.0;
        self.0[SQUARES..].iter_mut().flatten().for_each(|weight| *weight = weight.clamp(-LIMIT, LIMIT));
    }

    /// Adds the gradient of the loss: cross-entropy with the target, plus the penalty on large pre-activations of the
    /// hidden units. Returns the cross-entropy with the result of the game.
    fn learn(&self, sample: &Sample, symmetry: usize, _: &mut DistanceMaps, gradient: &mut [f32]) -> f64 {
        let (gradient, _) = gradient.as_chunks_mut::<HIDDEN>();
        let edge = sample.position.size().edge();
        let turned = |square| turned(square, edge, symmetry);
        let hidden = self.hidden(&sample.inputs, turned);
        let log_odds = self.output(&hidden);
        // libm's exponential gives the same bits on every machine.
        let error = 1.0 / (1.0 + libm::expf(-log_odds)) - sample.target;
        let mut back = [error; HIDDEN];
        for unit in 0..LINEAR {
            let is_active = f32::from(u8::from(hidden[unit] > 0.0));
            back[unit] *= is_active * self.0[OUTPUT][unit];
            gradient[OUTPUT][unit] += error * hidden[unit].max(0.0);
        }
        for (back, sum) in back.iter_mut().zip(hidden) {
            *back += PENALTY * (sum - sum.clamp(-LARGE_SUM, LARGE_SUM));
        }
        for_each_input(&sample.inputs, turned, |row, input| add(&mut gradient[row], input, &back));
        add(&mut gradient[BIAS], 1.0, &back);
        log_loss(sample.won.into(), probability(log_odds.into()))
    }

    fn test(&self, sample: &Sample) -> f64 {
        log_loss(sample.won.into(), probability(self.log_odds(&sample.inputs).into()))
    }
}

/// Returns the row index of the weights for `square` in `class`.
fn square_row(class: usize, square: Square) -> usize {
    SQUARES + class * FRAME + square.index()
}

/// Iterates over the row indices of all classes and squares of a board, in the order of [`SquareLayer::rows`].
fn square_rows(edge: usize) -> impl Iterator<Item = usize> {
    (0..SQUARE_CLASSES).flat_map(move |class| squares(edge).map(move |square| square_row(class, square)))
}

/// Returns the scale of an input: 1/4 for counts, which are larger than the other inputs, else 1.
#[inline(always)]
fn scale(row: usize) -> f32 {
    if row < COUNTS { 0.25 } else { 1.0 }
}

/// Calls `found` with the row index and the value of each nonzero input, except the bias. `turned`, a symmetry of the
/// board, maps the squares of the inputs.
#[inline(always)]
fn for_each_input(inputs: &Inputs, turned: impl Fn(Square) -> Square, mut found: impl FnMut(usize, f32)) {
    inputs.squares.for_each(|class, square| found(square_row(class, turned(square)), 1.0));
    inputs.for_each(|row, factor| match row.checked_sub(PLY_PART.first) {
        None => found(row, scale(row) * f32::from(factor)),
        Some(ply) => for_each_knot(ply as u8, &mut found),
    });
}

/// Calls `found` with the row index and the weight of each knot within [`REACH`] of a ply. The weight is 1 at the knot
/// and falls linearly to 0 on both sides. Plies outside the range of [`KNOTS`] are clamped.
#[inline(always)]
fn for_each_knot(ply: u8, mut found: impl FnMut(usize, f32)) {
    let ply = f32::from(ply.clamp(KNOTS[0], KNOTS[KNOTS.len() - 1]));
    for (knot, &at) in KNOTS.iter().enumerate() {
        let part = 1.0 - (ply - f32::from(at)).abs() / REACH;
        if part > 0.0 {
            found(KNOT + knot, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use otrera::Position;
    use otrera::eval::model::{Evaluator, Model, ModelScratch};
    use otrera::eval::weights::WeightsFile;
    use otrera::eval::weights::network::NetworkWeights;
    use otrera::simd::Kernel;
    use testkit::random_game;

    /// Returns the positions of a random 10x10 game with their inputs.
    fn positions(rng: &mut Rng) -> Vec<(Position, Inputs)> {
        let mut maps = DistanceMaps::default();
        let game = random_game(Position::standard(), rng).into_iter();
        game.map(|position| (position, Inputs::of_position(&position, &mut maps, Kernel::fastest()).unwrap()))
            .collect()
    }

    /// Creates a random network with all weights multiplied by `times`.
    fn network(rng: &mut Rng, times: f32) -> Floats {
        let mut network = Floats::random(rng);
        network.0.iter_mut().flatten().for_each(|weight| *weight *= times);
        network.constrain();
        network
    }

    #[test]
    fn the_engine_agrees_with_the_trained_network() {
        let mut rng = Rng::with_seed(1);
        let trained = network(&mut rng, 3.0);
        let network = trained.rounded(10).unwrap();
        let mut file = WeightsFile::built_in();
        file.networks.standard = Some(NetworkWeights { trained: "in a test".into(), network, lead: None });
        let evaluator = Evaluator::new(Model::from_weights(&file.write()).unwrap());
        let mut largest = 0.0_f32;
        for (position, inputs) in positions(&mut rng) {
            let value = evaluator.value(&position, &mut ModelScratch::default()).0;
            let exact = trained.log_odds(&inputs);
            // A rounding error of half a unit in each of about 200 weights.
            assert!((value - exact).abs() < 100.0 / ONE as f32, "{value} for {exact}: {position:?}");
            largest = largest.max(exact.abs());
        }
        assert!(largest > 1.0, "{largest}");
    }

    #[test]
    fn a_rounded_network_becomes_the_same_network_again() {
        let rounded = network(&mut Rng::with_seed(1), 3.0).rounded(8).unwrap();
        let again = Floats::of_network(&rounded).rounded(8).unwrap();
        let difference = |(one, other): (&i16, &i16)| (one - other).abs();
        let rows = rounded.rows.as_flattened().iter().zip(again.rows.as_flattened());
        // The biases are rounded sums.
        assert!(rows.map(difference).max() <= Some(1));
        assert!(rounded.squares == again.squares);
    }

    #[test]
    fn overflowing_weights_and_sums_are_refused() {
        let positions = positions(&mut Rng::with_seed(1));
        for (times, part) in [(1e4, "a weight is "), (60.0, "a hidden unit is ")] {
            let rounded = network(&mut Rng::with_seed(1), times).rounded(10);
            let checked = rounded
                .and_then(|network| positions.iter().try_for_each(|(_, inputs)| network.check_sums(inputs)));
            let problem = checked.unwrap_err();
            assert!(problem.starts_with(part), "{problem}");
        }
    }
}
