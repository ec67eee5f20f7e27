//! Training: epochs of batches in random order, one step of Adam per batch.

use super::Args;
use super::floats::{Floats, ROWS};
use super::samples::{Sample, Test, log_loss, probability};
use crate::progress::progress_bar;
use crate::training::{Adam, Epoch};
use fastrand::Rng;
use otrera::eval::network::HIDDEN;
use rayon::prelude::*;

const BATCH: usize = 2048;
/// Positions per task. Gradients are summed in a fixed order, so the result does not depend on the threads.
const CHUNK: usize = 128;

/// Trains a network; returns it with the losses of each epoch.
pub fn train(seen: &[Sample], tests: &[Test], args: &Args) -> Result<(Floats, Vec<Epoch>), String> {
    let mut rng = Rng::with_seed(args.seed);
    let mut network = Floats::random(&mut rng);
    let mut order: Vec<u32> = (0..seen.len() as u32).collect();
    let steps = u64::from(args.epochs) * order.chunks(BATCH).len() as u64;
    let mut adam = Adam::new(ROWS * HIDDEN, steps, args.rate, args.decay);
    let bar = progress_bar(steps);
    let mut epochs = Vec::new();
    for _ in 0..args.epochs {
        rng.shuffle(&mut order);
        let mut loss = 0.0;
        for batch in order.chunks(BATCH) {
            let (gradient, of_batch) = gradient(&network, seen, batch);
            adam.step(network.0.as_flattened_mut(), gradient.0.as_flattened(), batch.len());
            network.fix_linear();
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
