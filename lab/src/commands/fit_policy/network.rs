//! The policy in floating point, its training by Adam, and its rounding to the engine's integers.

use super::Args;
use super::decisions::{Decision, Kind, Layout, Sample};
use crate::progress::progress_bar;
use crate::training::{Adam, Epoch, normal};
use fastrand::Rng;
use otrera::DistanceMaps;
use otrera::eval::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, STAGES};
use otrera::eval::policy_network::{self, ONE, UNITS, rows};
use rayon::prelude::*;

/// Decisions per step.
const BATCH: usize = 2048;
/// Decisions per task. Gradients are summed in a fixed order, so the result does not depend on the threads.
const CHUNK: usize = 512;

/// A row of the network in floating point.
type Row = [f32; UNITS];

/// The policy of movements or of arrows, or the gradient of its loss.
pub struct Policy {
    kind: Kind,
    layout: Layout,
    /// The rows of the network, then the linear weights.
    weights: Vec<f32>,
    /// Number of rows.
    rows: usize,
}

impl Policy {
    /// Creates a policy for boards of this edge with small random rows and linear weights of 0.
    fn random(kind: Kind, edge: usize, rng: &mut Rng) -> Self {
        let rows = rows(edge);
        let mut weights: Vec<f32> = (0..rows * UNITS).map(|_| (0.07 * normal(rng)) as f32).collect();
        weights.resize(weights.len() + STAGES * kind.features().iter().sum::<usize>(), 0.0);
        Self { kind, layout: Layout::new(edge), weights, rows }
    }

    /// Trains a policy; returns it with the losses of each epoch.
    ///
    /// # Errors
    /// The loss diverges.
    pub fn train(
        kind: Kind,
        edge: usize,
        seen: &[Sample],
        unseen: &[Sample],
        args: &Args,
    ) -> Result<(Self, Vec<Epoch>), String> {
        let mut rng = Rng::with_seed(args.seed);
        let mut policy = Self::random(kind, edge, &mut rng);
        let mut order: Vec<u32> = (0..seen.len() as u32).collect();
        let steps = u64::from(args.epochs) * order.chunks(BATCH).len() as u64;
        let mut adam = Adam::new(policy.weights.len(), steps, args.rate, args.decay);
        let bar = progress_bar(steps);
        let mut epochs = Vec::new();
        for _ in 0..args.epochs {
            rng.shuffle(&mut order);
            let mut loss = 0.0;
            for batch in order.chunks(BATCH) {
                let (gradient, of_batch) = policy.gradient(seen, batch, rng.u64(..));
                adam.step(&mut policy.weights, &gradient, batch.len());
                policy.clamp();
                loss += of_batch;
                bar.set_message(format!("{} loss {:.4}", kind.name(), of_batch / batch.len() as f64));
                bar.inc(1);
            }
            let unseen = unseen.par_iter().map(|sample| policy.loss(sample).1);
            let losses: Vec<f64> = unseen.collect();
            let unseen = losses.iter().sum::<f64>() / losses.len().max(1) as f64;
            let epoch = Epoch { seen: loss / seen.len() as f64, unseen };
            if !(epoch.seen + epoch.unseen).is_finite() {
                return Err("the training does not converge: give a smaller --rate".into());
            }
            epochs.push(epoch);
        }
        bar.finish_and_clear();
        Ok((policy, epochs))
    }

    /// Returns the summed gradient of a batch, each decision under a random symmetry, and the summed loss.
    fn gradient(&self, samples: &[Sample], batch: &[u32], seed: u64) -> (Vec<f32>, f64) {
        let of_chunk = |(number, chunk): (usize, &[u32])| {
            let mut rng = Rng::with_seed(otrera::mix_seed(seed, number as u64));
            let (mut gradient, mut loss) = (vec![0.0; self.weights.len()], 0.0);
            let mut maps = DistanceMaps::default();
            for &sample in chunk {
                let symmetry = rng.usize(..8);
                let decision =
                    self.layout.decision(&samples[sample as usize], self.kind, symmetry, &mut maps);
                loss += self.learn(&decision, &mut gradient);
            }
            (gradient, loss)
        };
        let chunks: Vec<(Vec<f32>, f64)> = batch.par_chunks(CHUNK).enumerate().map(of_chunk).collect();
        let add = |(mut sum, loss): (Vec<f32>, f64), (gradient, of_chunk): (Vec<f32>, f64)| {
            sum.iter_mut().zip(&gradient).for_each(|(sum, slope)| *sum += slope);
            (sum, loss + of_chunk)
        };
        chunks.into_iter().reduce(add).unwrap_or_else(|| (vec![0.0; self.weights.len()], 0.0))
    }

    /// Adds the gradient of a decision's cross-entropy to `gradient`; returns the cross-entropy.
    fn learn(&self, decision: &Decision, gradient: &mut [f32]) -> f64 {
        let hidden = self.hidden(decision);
        let active = hidden.map(|unit| unit.max(0.0));
        let probabilities = self.probabilities(decision, &active);
        let (rows, linear) = gradient.split_at_mut(self.rows * UNITS);
        let (rows, _) = rows.as_chunks_mut::<UNITS>();
        let mut back = [0.0; UNITS];
        for (number, ((row, features), probability)) in
            decision.choices.iter().zip(&probabilities).enumerate()
        {
            let error = probability - f32::from(u8::from(number == decision.chosen));
            features.iter().for_each(|&feature| linear[feature] += error);
            add(&mut back, error, self.row(*row));
            add(&mut rows[*row], error, &active);
        }
        for (slope, unit) in back.iter_mut().zip(hidden) {
            *slope *= f32::from(u8::from(unit > 0.0));
        }
        add(&mut rows[0], 1.0, &back);
        decision.squares.iter().for_each(|&row| add(&mut rows[row], 1.0, &back));
        -f64::from(probabilities[decision.chosen].max(1e-12).ln())
    }

    /// Returns the stage of a sample, its cross-entropy, and true if the choice of the search has the highest
    /// probability.
    pub fn loss(&self, sample: &Sample) -> (usize, f64, bool) {
        let decision = self.layout.decision(sample, self.kind, 0, &mut DistanceMaps::default());
        let active = self.hidden(&decision).map(|unit| unit.max(0.0));
        let probabilities = self.probabilities(&decision, &active);
        let chosen = probabilities[decision.chosen];
        let is_highest = probabilities.iter().all(|&other| other <= chosen);
        (decision.stage, -f64::from(chosen.max(1e-12).ln()), is_highest)
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

    /// Keeps the rows within the engine's 8 bits.
    fn clamp(&mut self) {
        const LIMIT: f32 = 127.0 / ONE as f32;
        self.weights[..self.rows * UNITS].iter_mut().for_each(|weight| *weight = weight.clamp(-LIMIT, LIMIT));
    }

    /// Returns the rows in the engine's units.
    pub fn rounded_rows(&self) -> Vec<policy_network::Row> {
        let (rows, _) = self.weights[..self.rows * UNITS].as_chunks::<UNITS>();
        rows.iter().map(|row| row.map(|weight| (weight * ONE as f32).round() as i8)).collect()
    }

    /// Returns the linear weights by stage, feature and class, rounded to two decimals.
    pub fn rounded_linear(&self) -> Vec<Vec<Vec<f32>>> {
        // Adding zero turns -0 into 0.
        let mut rounded =
            self.weights[self.rows * UNITS..].iter().map(|weight| (weight * 100.0).round() / 100.0 + 0.0);
        let mut stage =
            || self.kind.features().iter().map(|&count| rounded.by_ref().take(count).collect()).collect();
        (0..STAGES).map(|_| stage()).collect()
    }
}

impl Kind {
    /// Returns the numbers of classes of the log-linear features.
    pub fn features(self) -> &'static [usize] {
        match self {
            Self::Movements => &MOVEMENT_FEATURES,
            Self::Arrows => &ARROW_FEATURES,
        }
    }

    /// Returns the name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Movements => "movements",
            Self::Arrows => "arrows",
        }
    }
}

fn add(to: &mut Row, times: f32, row: &Row) {
    for unit in 0..UNITS {
        to[unit] += times * row[unit];
    }
}
