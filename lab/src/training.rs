//! Training loop shared by both networks: options, batches, optimiser, learning curve.

use crate::arguments::read_share;
use crate::plot::{Line, Plot};
use crate::progress::progress_bar;
use fastrand::Rng;
use otrera::{DistanceMaps, GameRecord, Square, mix_seed};
use rayon::prelude::*;
use std::f64::consts::PI;
use std::path::PathBuf;

// A doc comment would replace the description of the command.
#[derive(clap::Args)]
pub struct TrainingArgs {
    /// Shards of `lab self-play`, or other game records of strong players.
    #[arg(required = true)]
    pub games: Vec<PathBuf>,
    /// Accept shards that lab self-play has not finished, and an incomplete last JSON line.
    #[arg(long)]
    pub unfinished: bool,
    /// Weight decay per step, as a share of the learning rate.
    #[arg(long, default_value = "0.0001", value_parser = read_share)]
    pub decay: f64,
    /// Random seed of the initial weights and of the order of the positions.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Weights file whose other parts are kept [default: the built-in weights].
    #[arg(long)]
    pub base: Option<PathBuf>,
}

impl TrainingArgs {
    /// Returns the input files, which no output may overwrite.
    pub fn inputs(&self) -> Vec<PathBuf> {
        [&self.games[..], self.base.as_slice()].concat()
    }
}

/// Splits the samples of the games into a training set and a held-out set, which gets both games of every tenth pair.
/// Fails for fewer than `fit` training samples or `test` held-out samples.
pub fn split<S: Send>(
    games: &[GameRecord],
    [fit, test]: [usize; 2],
    samples_of: impl Fn(&GameRecord) -> Vec<S> + Sync,
) -> Result<(Vec<S>, Vec<S>), String> {
    let numbered = games.iter().enumerate();
    let (unseen, seen): (Vec<_>, Vec<_>) = numbered.partition(|(number, _)| (number / 2).is_multiple_of(10));
    let [seen, unseen] = [seen, unseen]
        .map(|games| games.par_iter().flat_map_iter(|(_, game)| samples_of(game)).collect::<Vec<S>>());
    if seen.len() >= fit && unseen.len() >= test {
        return Ok((seen, unseen));
    }
    Err(format!(
        "too few positions: {} for the fit and {} for its test (a tenth of the games), and at least {fit} and {test} \
         are needed, with winning rates that a search has seen: give more games",
        seen.len(),
        unseen.len()
    ))
}

/// Returns the image of a square under a symmetry, 0 to 7: bit 0 mirrors columns, bit 1 rows, bit 2 transposes.
pub fn turned(square: Square, edge: usize, symmetry: usize) -> Square {
    let flip = |place: usize, bit: usize| if symmetry & bit == 0 { place } else { edge - 1 - place };
    let (column, row) = (flip(square.column(), 1), flip(square.row(), 2));
    let image = if symmetry & 4 == 0 { Square::new(column, row) } else { Square::new(row, column) };
    image.unwrap_or(square)
}

/// Number of samples per step of the optimiser (batch size).
const BATCH: usize = 2048;

/// A network in training.
pub trait Trainee: Sync {
    type Sample: Sync;
    /// Number of samples in a chunk, the unit of work of a parallel task.
    const CHUNK: usize;
    fn weights(&mut self) -> &mut [f32];
    /// Restores the constraints on the weights after a step.
    fn constrain(&mut self);
    /// Adds the gradient of a sample's loss to `gradient` and returns the loss; `symmetry` (0 to 7) transforms the
    /// board. `maps` is scratch space.
    fn learn(
        &self,
        sample: &Self::Sample,
        symmetry: usize,
        maps: &mut DistanceMaps,
        gradient: &mut [f32],
    ) -> f64;
    /// Returns the loss of a held-out sample.
    fn test(&self, sample: &Self::Sample) -> f64;
}

/// Trains a network created by `random` for `epochs` passes over the samples `seen`, in random batches; returns the
/// network and the losses of each epoch. `rate` is the initial learning rate. The progress bar shows `name`.
///
/// # Errors
/// The loss diverges.
pub fn train<T: Trainee>(
    random: impl FnOnce(&mut Rng) -> T,
    [seen, unseen]: [&[T::Sample]; 2],
    args: &TrainingArgs,
    epochs: u32,
    rate: f64,
    name: &str,
) -> Result<(T, Vec<Epoch>), String> {
    let rng = &mut Rng::with_seed(args.seed);
    let mut trainee = random(rng);
    let mut order: Vec<u32> = (0..seen.len() as u32).collect();
    let steps = u64::from(epochs) * order.chunks(BATCH).len() as u64;
    let mut adam = Adam::new(trainee.weights().len(), steps, rate, args.decay);
    let bar = progress_bar(steps);
    let mut curve = Vec::new();
    for _ in 0..epochs {
        rng.shuffle(&mut order);
        let mut loss = 0.0;
        for batch in order.chunks(BATCH) {
            let (gradient, of_batch) = gradient(&mut trainee, seen, batch, rng);
            adam.step(trainee.weights(), &gradient, batch.len());
            trainee.constrain();
            loss += of_batch;
            bar.set_message(format!("{name} loss {:.4}", of_batch / batch.len() as f64));
            bar.inc(1);
        }
        // Summed in order after the parallel part, so the result is reproducible.
        let losses: Vec<f64> = unseen.par_iter().map(|test| trainee.test(test)).collect();
        let unseen = losses.iter().sum::<f64>() / losses.len() as f64;
        let epoch = Epoch { seen: loss / seen.len() as f64, unseen };
        if !(epoch.seen + epoch.unseen).is_finite() {
            return Err("the training does not converge: give a smaller --rate".into());
        }
        curve.push(epoch);
    }
    bar.finish_and_clear();
    Ok((trainee, curve))
}

/// Returns the summed gradient and loss of a batch. The sums of its chunks are added in a fixed order, so the result
/// does not depend on the number of threads.
fn gradient<T: Trainee>(
    trainee: &mut T,
    seen: &[T::Sample],
    batch: &[u32],
    rng: &mut Rng,
) -> (Vec<f32>, f64) {
    let (weights, seed) = (trainee.weights().len(), rng.u64(..));
    let trainee = &*trainee;
    let of_chunk = |(number, chunk): (usize, &[u32])| {
        let mut rng = Rng::with_seed(mix_seed(seed, number as u64));
        let (mut gradient, mut maps) = (vec![0.0; weights], DistanceMaps::default());
        let learn =
            |&sample: &u32| trainee.learn(&seen[sample as usize], rng.usize(..8), &mut maps, &mut gradient);
        let loss = chunk.iter().map(learn).fold(0.0, |sum, loss| sum + loss);
        (gradient, loss)
    };
    let chunks: Vec<(Vec<f32>, f64)> = batch.par_chunks(T::CHUNK).enumerate().map(of_chunk).collect();
    let add = |(mut sum, loss): (Vec<f32>, f64), (gradient, of_chunk): (Vec<f32>, f64)| {
        sum.iter_mut().zip(&gradient).for_each(|(sum, slope)| *sum += slope);
        (sum, loss + of_chunk)
    };
    chunks.into_iter().reduce(add).unwrap_or_else(|| (vec![0.0; weights], 0.0))
}

/// Mean log-losses of an epoch.
pub struct Epoch {
    /// Loss on the training samples, each computed before the optimiser step that uses the sample.
    pub seen: f64,
    /// Loss on the held-out samples after the epoch.
    pub unseen: f64,
}

pub fn curve(title: &'static str, epochs: &[Epoch]) -> Plot {
    let points = |loss: fn(&Epoch) -> f64| (1..).map(f64::from).zip(epochs.iter().map(loss)).collect();
    Plot {
        title,
        horizontal: "epoch",
        is_logarithmic: false,
        is_from_zero: false,
        lines: vec![
            Line::new("games seen, in training", points(|epoch| epoch.seen)),
            Line::new("unseen games", points(|epoch| epoch.unseen)),
        ],
    }
}

/// Adam (Kingma and Ba, <https://arxiv.org/abs/1412.6980>) with decoupled weight decay and a learning rate that falls
/// to 0 along a cosine.
struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    /// Number of steps done so far, out of `steps`.
    step: u64,
    steps: u64,
    rate: f64,
    decay: f32,
}

impl Adam {
    /// Decay rates per step of the moving averages of the gradient and of its square (β₁ and β₂).
    const KEPT: [f64; 2] = [0.9, 0.999];

    /// Creates an optimiser for `steps` steps. `rate` is the initial learning rate, `decay` the weight decay as a
    /// fraction of the learning rate.
    fn new(weights: usize, steps: u64, rate: f64, decay: f64) -> Self {
        let zero = vec![0.0; weights];
        Self { mean: zero.clone(), square: zero, step: 0, steps, rate, decay: decay as f32 }
    }

    /// Takes one step, given the gradient summed over a batch of `samples` samples.
    fn step(&mut self, weights: &mut [f32], gradient: &[f32], samples: usize) {
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

/// Adds `times` times `row` to the row `to`.
#[inline(always)]
pub fn add<const UNITS: usize>(to: &mut [f32; UNITS], times: f32, row: &[f32; UNITS]) {
    for unit in 0..UNITS {
        to[unit] += times * row[unit];
    }
}

/// Draws a number from the standard normal distribution (Box and Muller 1958).
pub fn normal(rng: &mut Rng) -> f64 {
    let (radius, angle) = (1.0 - rng.f64(), std::f64::consts::TAU * rng.f64());
    (-2.0 * libm::log(radius)).sqrt() * libm::cos(angle)
}
