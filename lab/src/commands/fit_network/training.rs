//! Training: epochs of batches in random order, one step of Adam per batch.

use super::Args;
use super::floats::{Floats, ROWS};
use super::samples::{Sample, Test, log_loss, probability};
use crate::progress::progress_bar;
use fastrand::Rng;
use otrera::eval::network::HIDDEN;
use rayon::prelude::*;
use std::f64::consts::PI;

const BATCH: usize = 2048;
/// Positions per task. Gradients are summed in a fixed order, so the result does not depend on the threads.
const CHUNK: usize = 128;

/// Mean log-losses of an epoch.
pub struct Epoch {
    /// Loss of the training positions, each when it was seen.
    pub seen: f64,
    /// Loss of the unseen games after the epoch.
    pub unseen: f64,
}

/// Trains a network; returns it with the losses of each epoch.
pub fn train(seen: &[Sample], tests: &[Test], args: &Args) -> Result<(Floats, Vec<Epoch>), String> {
    let mut rng = Rng::with_seed(args.seed);
    let mut network = Floats::random(&mut rng);
    let mut order: Vec<u32> = (0..seen.len() as u32).collect();
    let steps = u64::from(args.epochs) * order.chunks(BATCH).len() as u64;
    let mut adam = Adam::new(args, steps);
    let bar = progress_bar(steps);
    let mut epochs = Vec::new();
    for _ in 0..args.epochs {
        rng.shuffle(&mut order);
        let mut loss = 0.0;
        for batch in order.chunks(BATCH) {
            let (gradient, of_batch) = gradient(&network, seen, batch);
            adam.step(&mut network, &gradient, batch.len());
            loss += of_batch;
            bar.set_message(format!("loss {:.4}", of_batch / batch.len() as f64));
            bar.inc(1);
        }
        let epoch = Epoch { seen: loss / seen.len() as f64, unseen: unseen_loss(&network, tests) };
        if !(epoch.seen + epoch.unseen).is_finite() {
            return Err("the training does not converge: give a smaller --rate".into());
        }
        epochs.push(epoch);
    }
    bar.finish_and_clear();
    Ok((network, epochs))
}

/// Returns the summed gradient of a batch and the summed log-loss of its results.
fn gradient(network: &Floats, samples: &[Sample], batch: &[u32]) -> (Floats, f64) {
    let of_chunk = |chunk: &[u32]| {
        let (mut gradient, mut loss) = (Floats::zero(), 0.0);
        for &number in chunk {
            let sample = &samples[number as usize];
            let log_odds = network.learn(sample, &mut gradient);
            loss += log_loss(sample.won.into(), probability(log_odds.into()));
        }
        (gradient, loss)
    };
    let chunks: Vec<(Floats, f64)> = batch.par_chunks(CHUNK).map(of_chunk).collect();
    let add = |(mut sum, loss): (Floats, f64), (gradient, of_chunk): (Floats, f64)| {
        sum.add(&gradient);
        (sum, loss + of_chunk)
    };
    chunks.into_iter().reduce(add).unwrap_or_else(|| (Floats::zero(), 0.0))
}

fn unseen_loss(network: &Floats, tests: &[Test]) -> f64 {
    let losses: Vec<f64> = tests
        .par_iter()
        .map(|test| {
            log_loss(test.sample.won.into(), probability(network.log_odds(&test.sample.inputs).into()))
        })
        .collect();
    losses.iter().sum::<f64>() / tests.len() as f64
}

/// Adam (Kingma and Ba, <https://arxiv.org/abs/1412.6980>) with decoupled weight decay.
struct Adam {
    mean: Floats,
    square: Floats,
    /// Steps done, of `steps`.
    step: u64,
    steps: u64,
    rate: f64,
    decay: f32,
}

impl Adam {
    /// Decay of the mean and of the mean square of the gradients per step.
    const KEPT: [f64; 2] = [0.9, 0.999];

    fn new(args: &Args, steps: u64) -> Self {
        let (mean, square) = (Floats::zero(), Floats::zero());
        Self { mean, square, step: 0, steps, rate: args.rate, decay: args.decay as f32 }
    }

    fn step(&mut self, network: &mut Floats, gradient: &Floats, samples: usize) {
        let rate = self.rate * 0.5 * (1.0 + libm::cos(PI * self.step as f64 / self.steps as f64));
        self.step += 1;
        let [unbiased_mean, unbiased_square] =
            Self::KEPT.map(|kept| (1.0 / (1.0 - libm::pow(kept, self.step as f64))) as f32);
        let [kept_mean, kept_square] = Self::KEPT.map(|kept| kept as f32);
        let (rate, share) = (rate as f32, 1.0 / samples as f32);
        for row in 0..ROWS {
            let (mean, square) = (&mut self.mean.0[row], &mut self.square.0[row]);
            for unit in 0..HIDDEN {
                let slope = gradient.0[row][unit] * share;
                mean[unit] = kept_mean * mean[unit] + (1.0 - kept_mean) * slope;
                square[unit] = kept_square * square[unit] + (1.0 - kept_square) * slope * slope;
                let step = unbiased_mean * mean[unit] / ((unbiased_square * square[unit]).sqrt() + 1e-8);
                let weight = &mut network.0[row][unit];
                *weight -= rate * (step + self.decay * *weight);
            }
        }
        network.fix_linear();
    }
}
