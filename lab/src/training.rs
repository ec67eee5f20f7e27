//! What the trainers of networks share: the optimiser and the learning curve.

use crate::plot::{Line, Plot, Scale};
use rayon::prelude::*;
use std::f64::consts::PI;

/// Mean log-losses of an epoch.
pub struct Epoch {
    /// Loss of the training data, each when it was seen.
    pub seen: f64,
    /// Loss of the unseen games after the epoch.
    pub unseen: f64,
}

/// Plots the losses by epoch.
pub fn curve(title: &'static str, epochs: &[Epoch]) -> Plot {
    let points = |loss: fn(&Epoch) -> f64| (1..).map(f64::from).zip(epochs.iter().map(loss)).collect();
    Plot {
        title,
        horizontal: "epoch",
        scale: Scale::Linear,
        is_from_zero: false,
        lines: vec![
            Line::new("games seen, in training", points(|epoch| epoch.seen)),
            Line::new("unseen games", points(|epoch| epoch.unseen)),
        ],
    }
}

/// Adam (Kingma and Ba, <https://arxiv.org/abs/1412.6980>) with decoupled weight decay and a learning rate that falls to
/// 0 along a cosine.
pub struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    /// Steps done, of `steps`.
    step: u64,
    steps: u64,
    rate: f64,
    decay: f32,
}

impl Adam {
    /// Decay of the mean and of the mean square of the gradients per step.
    const KEPT: [f64; 2] = [0.9, 0.999];

    /// `rate` is the learning rate at the start, `decay` the weight decay as a share of the rate.
    pub fn new(weights: usize, steps: u64, rate: f64, decay: f64) -> Self {
        let zero = vec![0.0; weights];
        Self { mean: zero.clone(), square: zero, step: 0, steps, rate, decay: decay as f32 }
    }

    /// Takes a step by the sums of a batch's gradients.
    pub fn step(&mut self, weights: &mut [f32], gradient: &[f32], samples: usize) {
        let rate = (self.rate * 0.5 * (1.0 + libm::cos(PI * self.step as f64 / self.steps as f64))) as f32;
        self.step += 1;
        let [unbiased_mean, unbiased_square] =
            Self::KEPT.map(|kept| (1.0 / (1.0 - libm::pow(kept, self.step as f64))) as f32);
        let [kept_mean, kept_square] = Self::KEPT.map(|kept| kept as f32);
        let (share, decay) = (1.0 / samples as f32, self.decay);
        let moments = self.mean.par_iter_mut().zip(&mut self.square);
        let all = weights.par_iter_mut().zip(gradient).zip(moments).with_min_len(1 << 14);
        all.for_each(|((weight, slope), (mean, square))| {
            let slope = slope * share;
            *mean = kept_mean * *mean + (1.0 - kept_mean) * slope;
            *square = kept_square * *square + (1.0 - kept_square) * slope * slope;
            let step = unbiased_mean * *mean / ((unbiased_square * *square).sqrt() + 1e-8);
            *weight -= rate * (step + decay * *weight);
        });
    }
}

/// Draws a number from the standard normal distribution (Box and Muller 1958).
pub fn normal(rng: &mut fastrand::Rng) -> f64 {
    let (radius, angle) = (1.0 - rng.f64(), std::f64::consts::TAU * rng.f64());
    (-2.0 * libm::log(radius)).sqrt() * libm::cos(angle)
}
