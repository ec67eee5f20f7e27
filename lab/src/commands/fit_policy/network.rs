//! The policy in floating point, its training by Adam, and its rounding to the engine's integers.

use super::decisions::{Decision, Kind, Layout, Sample};
use crate::training::{Trainee, add, normal};
use fastrand::Rng;
use otrera::eval::distance::DistanceMaps;
use otrera::eval::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, STAGES};
use otrera::eval::policy_network::{self, ONE, UNITS, rows};

/// A row of the network in floating point.
type Row = [f32; UNITS];

/// A policy in floating point, for movements or for arrows.
pub struct Policy {
    kind: Kind,
    layout: Layout,
    /// The rows of the network (bias, squares, movements or arrows), then the log-linear weights of the features.
    weights: Vec<f32>,
    rows: usize,
}

impl Policy {
    /// Creates a policy for boards of edge length `edge`, with small random network rows and log-linear weights of 0.
    pub fn random(kind: Kind, edge: usize, rng: &mut Rng) -> Self {
        let rows = rows(edge);
        let mut weights: Vec<f32> = (0..rows * UNITS).map(|_| (0.07 * normal(rng)) as f32).collect();
        weights.resize(weights.len() + STAGES * kind.features().iter().sum::<usize>(), 0.0);
        Self { kind, layout: Layout::new(edge), weights, rows }
    }

    /// Returns the stage of a sample, from 0, its cross-entropy in nats, and true if the half-move of the
    /// most-visited move has the highest probability.
    pub fn loss(&self, sample: &Sample) -> (usize, f64, bool) {
        let decision = self.layout.decision(sample, self.kind, 0, &mut DistanceMaps::default());
        let active = self.hidden(&decision).map(|unit| unit.max(0.0));
        let probabilities = self.probabilities(&decision, &active);
        let is_found = probabilities.iter().all(|&other| other <= probabilities[decision.best]);
        (decision.stage, cross_entropy(&decision, &probabilities), is_found)
    }

    fn row(&self, row: usize) -> &Row {
        &self.weights.as_chunks().0[row]
    }

    fn hidden(&self, decision: &Decision) -> Row {
        let mut hidden = *self.row(0);
        decision.squares.iter().for_each(|&row| add(&mut hidden, 1.0, self.row(row)));
        hidden
    }

    fn probabilities(&self, decision: &Decision, active: &Row) -> Vec<f32> {
        let linear = &self.weights[self.rows * UNITS..];
        let logit = |(row, features): &(usize, Vec<usize>)| {
            let of_features: f32 = features.iter().map(|&feature| linear[feature]).sum();
            self.row(*row).iter().zip(active).fold(of_features, |sum, (weight, unit)| sum + weight * unit)
        };
        let mut odds: Vec<f32> = decision.choices.iter().map(logit).collect();
        let highest = odds.iter().copied().fold(f32::MIN, f32::max);
        // libm's exponential gives the same bits on every machine.
        odds.iter_mut().for_each(|logit| *logit = libm::expf(*logit - highest));
        let sum: f32 = odds.iter().sum();
        odds.iter_mut().for_each(|odds| *odds /= sum);
        odds
    }

    /// Returns the network rows, quantised to the engine's 8-bit weights.
    pub fn rounded_rows(&self) -> Vec<policy_network::Row> {
        let (rows, _) = self.weights[..self.rows * UNITS].as_chunks::<UNITS>();
        rows.iter().map(|row| row.map(|weight| (weight * ONE as f32).round() as i8)).collect()
    }

    /// Returns the log-linear weights `[stage][feature][class]`, rounded to two decimals.
    pub fn rounded_linear(&self) -> Vec<Vec<Vec<f32>>> {
        // Adding zero turns -0 into 0.
        let mut rounded =
            self.weights[self.rows * UNITS..].iter().map(|weight| (weight * 100.0).round() / 100.0 + 0.0);
        let mut stage =
            || self.kind.features().iter().map(|&count| rounded.by_ref().take(count).collect()).collect();
        (0..STAGES).map(|_| stage()).collect()
    }
}

/// Returns the cross-entropy between targets and probabilities, in nats.
fn cross_entropy(decision: &Decision, probabilities: &[f32]) -> f64 {
    let terms = decision.targets.iter().zip(probabilities);
    terms.map(|(&target, probability)| f64::from(target * -probability.max(1e-12).ln())).sum()
}

impl Trainee for Policy {
    type Sample = Sample;
    const CHUNK: usize = 512;

    fn weights(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    /// Clamps the rows to the range of the engine's 8-bit weights.
    fn constrain(&mut self) {
        const LIMIT: f32 = 127.0 / ONE as f32;
        self.weights[..self.rows * UNITS].iter_mut().for_each(|weight| *weight = weight.clamp(-LIMIT, LIMIT));
    }

    fn learn(&self, sample: &Sample, symmetry: usize, maps: &mut DistanceMaps, gradient: &mut [f32]) -> f64 {
        let decision = &self.layout.decision(sample, self.kind, symmetry, maps);
        let hidden = self.hidden(decision);
        let active = hidden.map(|unit| unit.max(0.0));
        let probabilities = self.probabilities(decision, &active);
        let (rows, linear) = gradient.split_at_mut(self.rows * UNITS);
        let (rows, _) = rows.as_chunks_mut::<UNITS>();
        let mut back = [0.0; UNITS];
        let choices = decision.choices.iter().zip(&probabilities).zip(&decision.targets);
        for (((row, features), probability), target) in choices {
            let error = probability - target;
            features.iter().for_each(|&feature| linear[feature] += error);
            add(&mut back, error, self.row(*row));
            add(&mut rows[*row], error, &active);
        }
        for (slope, unit) in back.iter_mut().zip(hidden) {
            *slope *= f32::from(u8::from(unit > 0.0));
        }
        add(&mut rows[0], 1.0, &back);
        decision.squares.iter().for_each(|&row| add(&mut rows[row], 1.0, &back));
        cross_entropy(decision, &probabilities)
    }

    fn test(&self, sample: &Sample) -> f64 {
        self.loss(sample).1
    }
}

impl Kind {
    /// Returns the number of classes of each log-linear feature.
    pub fn features(self) -> &'static [usize] {
        match self {
            Self::Movements => &MOVEMENT_FEATURES,
            Self::Arrows => &ARROW_FEATURES,
        }
    }

    /// Returns `movements` or `arrows`, for messages and file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Movements => "movements",
            Self::Arrows => "arrows",
        }
    }
}
