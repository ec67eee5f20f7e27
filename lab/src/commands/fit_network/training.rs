//! Trains the network: gradients on the training set, loss on the held-out set.

use super::Args;
use super::floats::{Floats, ROWS};
use super::samples::{Sample, Test, log_loss, probability};
use crate::training::{Epoch, Schedule, Trainee, mean_of, sum_of_chunks};
use fastrand::Rng;
use otrera::eval::network::HIDDEN;

/// Number of samples per parallel task.
const CHUNK: usize = 128;

/// Trains a network; returns it with the losses of each epoch.
pub fn train(seen: &[Sample], tests: &[Test], args: &Args) -> Result<(Floats, Vec<Epoch>), String> {
    let mut rng = Rng::with_seed(args.training.seed);
    let mut training = Training { network: Floats::random(&mut rng), seen, tests };
    let schedule = Schedule { epochs: args.epochs, rate: args.rate, decay: args.training.decay };
    let epochs = crate::training::train(&mut training, seen.len(), &schedule, &mut rng, "network")?;
    Ok((training.network, epochs))
}

struct Training<'a> {
    network: Floats,
    seen: &'a [Sample],
    tests: &'a [Test],
}

impl Trainee for Training<'_> {
    fn weights(&mut self) -> &mut [f32] {
        self.network.0.as_flattened_mut()
    }

    fn gradient(&self, batch: &[u32], _: &mut Rng) -> (Vec<f32>, f64) {
        sum_of_chunks(batch, CHUNK, ROWS * HIDDEN, |_, chunk, gradient| {
            let (gradient, _) = gradient.as_chunks_mut();
            let learn = |&number: &u32| {
                let sample = &self.seen[number as usize];
                let log_odds = self.network.learn(sample, gradient);
                log_loss(sample.won.into(), probability(log_odds.into()))
            };
            chunk.iter().map(learn).fold(0.0, |sum, loss| sum + loss)
        })
    }

    fn constrain(&mut self) {
        self.network.fix_linear();
    }

    fn unseen_loss(&self) -> f64 {
        mean_of(self.tests, |Test { sample, .. }| {
            log_loss(sample.won.into(), probability(self.network.log_odds(&sample.inputs).into()))
        })
    }
}
