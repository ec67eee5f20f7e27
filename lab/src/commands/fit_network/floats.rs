//! The network in floats, as it is trained: its rows, its log-odds, and the gradient of its loss.

use super::Sample;
use fastrand::Rng;
use otrera::eval::inputs::Inputs;
use otrera::eval::network::{COUNTS, FREEDOMS, HIDDEN, SQUARES};

/// A weight for each hidden unit.
pub type Row = [f32; HIDDEN];

/// Where the rows of each part begin: the counts, three features of amazons, the knots of the biases, the bias of all
/// plies; last the output.
pub const FEATURES: [usize; 3] = [COUNTS, SOLE, CONTESTED];
const SOLE: usize = COUNTS + 2 * CLASSES[0];
const CONTESTED: usize = SOLE + 2 * CLASSES[1];
/// Where the biases begin.
pub const BIASES: usize = CONTESTED + 2 * CLASSES[2];
const BIAS: usize = BIASES + KNOTS.len();
const OUTPUT: usize = BIAS + 1;
/// All rows.
pub const ROWS: usize = OUTPUT + 1;

/// The classes of each feature of an amazon.
const CLASSES: [usize; 3] = [FREEDOMS.len() + 1, SQUARES.len() + 1, SQUARES.len() + 1];

/// Plies at which biases are fitted, and how far each reaches to both sides.
const KNOTS: [u8; 9] = [5, 13, 20, 27, 34, 41, 48, 56, 66];
const REACH: f32 = 7.5;

/// What a count is multiplied with, so that it is of the size of the other inputs.
pub const COUNT_SCALE: f32 = 0.25;

/// The hidden unit that is linear, with an output weight of 1.
pub const LINEAR: usize = HIDDEN - 1;

/// The weights of a network, or the gradient of its loss.
#[derive(Clone)]
pub struct Floats(pub Vec<Row>);

impl Floats {
    /// All 0.
    pub fn zero() -> Self {
        Self(vec![[0.0; HIDDEN]; ROWS])
    }

    /// Small random weights, normally distributed.
    pub fn random(rng: &mut Rng) -> Self {
        let mut network = Self::zero();
        let of_input = 1.0 / (BIAS as f64).sqrt();
        for row in &mut network.0[..BIAS] {
            for (unit, weight) in row.iter_mut().enumerate() {
                let deviation = if unit == LINEAR { 0.1 } else { 1.0 } * of_input;
                *weight = (deviation * normal(rng)) as f32;
            }
        }
        let deviation = 0.3 / (HIDDEN as f64).sqrt();
        network.0[OUTPUT] = [(); HIDDEN].map(|()| (deviation * normal(rng)) as f32);
        network.fix_linear();
        network
    }

    /// The log-odds that the network gives a position.
    pub fn log_odds(&self, inputs: &Inputs) -> f32 {
        self.output(&self.hidden(inputs))
    }

    /// The row of the output.
    pub fn output_row(&self) -> &Row {
        &self.0[OUTPUT]
    }

    /// The biases at a ply.
    pub fn biases(&self, ply: u8) -> Row {
        let mut row = self.0[BIAS];
        each_knot(ply, |knot, part| add(&mut row, part, &self.0[knot]));
        row
    }

    fn hidden(&self, inputs: &Inputs) -> Row {
        let mut hidden = self.0[BIAS];
        each_active(inputs, |row, input| add(&mut hidden, input, &self.0[row]));
        hidden
    }

    fn output(&self, hidden: &Row) -> f32 {
        let units = hidden[..LINEAR].iter().zip(&self.0[OUTPUT]);
        units.fold(hidden[LINEAR], |sum, (unit, weight)| sum + unit.max(0.0) * weight)
    }

    /// Adds the gradient of a sample's cross-entropy to `gradient`; the log-odds.
    pub fn learn(&self, sample: &Sample, gradient: &mut Self) -> f32 {
        let hidden = self.hidden(&sample.inputs);
        let log_odds = self.output(&hidden);
        let error = logistic(log_odds) - sample.target;
        let mut back = [error; HIDDEN];
        for unit in 0..LINEAR {
            let is_active = f32::from(u8::from(hidden[unit] > 0.0));
            back[unit] *= is_active * self.0[OUTPUT][unit];
            gradient.0[OUTPUT][unit] += error * hidden[unit].max(0.0);
        }
        each_active(&sample.inputs, |row, input| add(&mut gradient.0[row], input, &back));
        add(&mut gradient.0[BIAS], 1.0, &back);
        log_odds
    }

    /// Sets the output weight of the linear unit back to 1.
    pub fn fix_linear(&mut self) {
        self.0[OUTPUT][LINEAR] = 1.0;
    }

    /// Adds another gradient.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(row, other)| add(row, 1.0, other));
    }
}

/// Calls `found` with the row of each count and class of a position, and how often it counts.
#[inline(always)]
fn each_count_and_class(inputs: &Inputs, mut found: impl FnMut(usize, u8)) {
    for (row, &count) in inputs.counts.iter().enumerate() {
        if count > 0 {
            found(row, count);
        }
    }
    for (side, amazons) in inputs.amazons.iter().enumerate() {
        for classes in amazons.iter().flatten() {
            for (feature, &class) in classes.iter().enumerate() {
                found(FEATURES[feature] + side * CLASSES[feature] + usize::from(class), 1);
            }
        }
    }
}

/// Calls `found` with the row of each input that is not 0, and the input, but for the bias.
#[inline(always)]
fn each_active(inputs: &Inputs, mut found: impl FnMut(usize, f32)) {
    each_count_and_class(inputs, |row, times| {
        let scale = if row < COUNTS { COUNT_SCALE } else { 1.0 };
        found(row, scale * f32::from(times));
    });
    each_knot(inputs.ply, found);
}

/// Calls `found` with the row of each knot near a ply: 1 at the knot, falling in straight lines to both sides.
#[inline(always)]
fn each_knot(ply: u8, mut found: impl FnMut(usize, f32)) {
    let ply = f32::from(ply.clamp(KNOTS[0], KNOTS[KNOTS.len() - 1]));
    for (knot, &at) in KNOTS.iter().enumerate() {
        let part = 1.0 - (ply - f32::from(at)).abs() / REACH;
        if part > 0.0 {
            found(BIASES + knot, part);
        }
    }
}

#[inline(always)]
fn add(to: &mut Row, times: f32, row: &Row) {
    for unit in 0..HIDDEN {
        to[unit] += times * row[unit];
    }
}

/// With the exponential of libm, whose bits are the same on every machine.
fn logistic(log_odds: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-log_odds))
}

/// A number of the standard normal distribution (Box and Muller 1958).
fn normal(rng: &mut Rng) -> f64 {
    let (radius, angle) = (1.0 - rng.f64(), std::f64::consts::TAU * rng.f64());
    (-2.0 * libm::log(radius)).sqrt() * libm::cos(angle)
}
