//! Training loop shared by both networks: options, batches, optimiser, learning curve.

use crate::arguments::read_share;
use crate::games::Games;
use crate::plot::{Line, Plot};
use crate::progress::progress_bar;
use fastrand::Rng;
use otrera::eval::distance::DistanceMaps;
use otrera::seed::mix_seed;
use otrera::{GameRecord, Size, Square};
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
    /// Number of positions in the shuffle buffer, from which batches are drawn.
    #[arg(long, default_value_t = 1 << 18)]
    pub buffer: usize,
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

/// Maximum number of held-out samples; of more, a random choice is kept.
const MAX_TESTS: usize = 200_000;

/// Number of games whose samples are computed together.
const GAMES_AT_ONCE: usize = 256;

/// Training data: samples of games that are read from the files again for each pass, and held-out samples of other
/// games. Memory does not grow with the files, except 8 bytes a game.
pub struct Data<'a, S> {
    args: &'a TrainingArgs,
    samples_of: &'a (dyn Fn(&GameRecord) -> Vec<S> + Sync),
    /// Number of games of each file: a file can grow, and the passes read the same games.
    lengths: Vec<u64>,
    /// Number of games, with the held-out ones.
    pub games: usize,
    /// Number of samples for training.
    pub seen: usize,
    /// Number of samples of held-out games.
    pub unseen: usize,
    /// Held-out samples: of both games of every tenth pair, at most [`MAX_TESTS`].
    pub tests: Vec<S>,
    /// Edge length of the first game's board.
    pub edge: usize,
}

impl<'a, S: Send> Data<'a, S> {
    /// Reads all files once. Fails for a damaged or unfinished file, for boards up to 8x8 mixed with larger ones, and
    /// for fewer than `fit` training samples or `test` held-out samples.
    pub fn open(
        args: &'a TrainingArgs,
        [fit, test]: [usize; 2],
        samples_of: &'a (dyn Fn(&GameRecord) -> Vec<S> + Sync),
    ) -> Result<Self, String> {
        let mut data = Self {
            args,
            samples_of,
            lengths: Vec::new(),
            games: 0,
            seen: 0,
            unseen: 0,
            tests: Vec::new(),
            edge: 0,
        };
        let mut all = Games::new(&args.games, args.unfinished);
        let (mut rng, mut tests) = (Rng::with_seed(args.seed), Vec::new());
        for games in batches(&mut all) {
            let games = games?;
            data.check_boards(&games)?;
            data.seen += data.samples(&games, data.games, false).len();
            for sample in data.samples(&games, data.games, true) {
                data.unseen += 1;
                // Reservoir sampling (Vitter 1985): each held-out sample is kept with equal probability.
                let place = if tests.len() < MAX_TESTS { tests.len() } else { rng.usize(..data.unseen) };
                if place == tests.len() {
                    tests.push(sample);
                } else if place < MAX_TESTS {
                    tests[place] = sample;
                }
            }
            data.games += games.len();
        }
        if data.games == 0 {
            return Err("no games in the input".into());
        }
        (data.tests, data.lengths) = (tests, all.lengths);
        if data.seen >= fit && data.unseen >= test {
            return Ok(data);
        }
        let Self { seen, unseen, .. } = data;
        Err(format!(
            "too few positions: {seen} for the fit and {unseen} for its test (a tenth of the games), and at least {fit} \
             and {test} are needed, with win rates that a search has seen: give more games"
        ))
    }

    /// True if all games are on boards up to 8x8, false if all are on larger boards.
    pub fn is_small(&self) -> bool {
        self.edge <= Size::BOTZONE.edge()
    }

    /// Returns the edge length of the boards for which the networks are trained: 8 or 10.
    pub fn network_edge(&self) -> usize {
        if self.is_small() { Size::BOTZONE } else { Size::STANDARD }.edge()
    }

    /// Fails if boards up to 8x8 and larger ones are mixed.
    fn check_boards(&mut self, games: &[GameRecord]) -> Result<(), String> {
        for game in games {
            let edge = game.start.size().edge();
            self.edge = if self.edge == 0 { edge } else { self.edge };
            if (edge <= Size::BOTZONE.edge()) != self.is_small() {
                let mixed = "games on boards up to 8x8 and on larger ones are mixed: train a separate network on each";
                return Err(mixed.into());
            }
        }
        Ok(())
    }

    /// Calls `take` with the training samples of all games, some games at a time.
    pub fn for_each(&self, mut take: impl FnMut(Vec<S>) -> Result<(), String>) -> Result<(), String> {
        let mut first = 0;
        let mut all = Games::again(&self.args.games, self.args.unfinished, &self.lengths);
        for games in batches(&mut all) {
            let games = games?;
            take(self.samples(&games, first, false))?;
            first += games.len();
        }
        Ok(())
    }

    /// Returns the samples of the games that are held out, or of the others. `first` is the number of the first game.
    fn samples(&self, games: &[GameRecord], first: usize, is_held_out: bool) -> Vec<S> {
        let numbered = games.par_iter().enumerate();
        let chosen = numbered.filter(|(place, _)| ((first + place) / 2).is_multiple_of(10) == is_held_out);
        chosen.flat_map_iter(|(_, game)| (self.samples_of)(game)).collect()
    }
}

/// Iterates over games, [`GAMES_AT_ONCE`] at a time.
fn batches(games: &mut Games) -> impl Iterator<Item = Result<Vec<GameRecord>, String>> {
    std::iter::from_fn(move || {
        let batch: Result<Vec<_>, _> = games.by_ref().take(GAMES_AT_ONCE).collect();
        batch.map(|batch| (!batch.is_empty()).then_some(batch)).transpose()
    })
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
    type Sample: Send + Sync;
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

/// Trains a network created by `random` for `epochs` passes over the data, in batches drawn from a shuffle buffer;
/// returns the network and the losses of each epoch. `rate` is the initial learning rate. The progress bar shows
/// `name`.
///
/// # Errors
/// The loss diverges, or a file changes.
pub fn train<T: Trainee>(
    random: impl FnOnce(&mut Rng) -> T,
    data: &Data<'_, T::Sample>,
    epochs: u32,
    rate: f64,
    name: &str,
) -> Result<(T, Vec<Epoch>), String> {
    let args = data.args;
    let rng = &mut Rng::with_seed(args.seed);
    let mut trainee = random(rng);
    let steps = u64::from(epochs) * data.seen.div_ceil(BATCH) as u64;
    let mut adam = Adam::new(trainee.weights().len(), steps, rate, args.decay);
    let bar = progress_bar(steps);
    let mut curve = Vec::new();
    for _ in 0..epochs {
        let mut loss = 0.0;
        for_each_batch(data, rng, |batch, rng| {
            let (gradient, of_batch) = gradient(&mut trainee, batch, rng);
            adam.step(trainee.weights(), &gradient, batch.len());
            trainee.constrain();
            loss += of_batch;
            bar.set_message(format!("{name} loss {:.4}", of_batch / batch.len() as f64));
            bar.inc(1);
        })?;
        // Summed in order after the parallel part, so the result is reproducible.
        let losses: Vec<f64> = data.tests.par_iter().map(|test| trainee.test(test)).collect();
        let unseen = losses.iter().sum::<f64>() / losses.len() as f64;
        let epoch = Epoch { seen: loss / data.seen as f64, unseen };
        if !(epoch.seen + epoch.unseen).is_finite() {
            return Err("the training does not converge: give a smaller --rate".into());
        }
        curve.push(epoch);
    }
    bar.finish_and_clear();
    Ok((trainee, curve))
}

/// Calls `learn` with batches drawn at random from a shuffle buffer, until each training sample has been in one batch.
fn for_each_batch<S: Send>(
    data: &Data<'_, S>,
    rng: &mut Rng,
    mut learn: impl FnMut(&[S], &mut Rng),
) -> Result<(), String> {
    let mut buffer = Vec::new();
    let mut draw = |buffer: &mut Vec<S>| {
        let count = buffer.len().min(BATCH);
        let batch: Vec<S> = (0..count).map(|_| buffer.swap_remove(rng.usize(..buffer.len()))).collect();
        learn(&batch, rng);
    };
    data.for_each(|samples| {
        buffer.extend(samples);
        while buffer.len() >= data.args.buffer + BATCH {
            draw(&mut buffer);
        }
        Ok(())
    })?;
    while !buffer.is_empty() {
        draw(&mut buffer);
    }
    Ok(())
}

/// Returns the summed gradient and loss of a batch. The sums of its chunks are added in a fixed order, so the result
/// does not depend on the number of threads.
fn gradient<T: Trainee>(trainee: &mut T, batch: &[T::Sample], rng: &mut Rng) -> (Vec<f32>, f64) {
    let (weights, seed) = (trainee.weights().len(), rng.u64(..));
    let trainee = &*trainee;
    let of_chunk = |(number, chunk): (usize, &[T::Sample])| {
        let mut rng = Rng::with_seed(mix_seed(seed, number as u64));
        let (mut gradient, mut maps) = (vec![0.0; weights], DistanceMaps::default());
        let learn = |sample: &T::Sample| trainee.learn(sample, rng.usize(..8), &mut maps, &mut gradient);
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

#[cfg(test)]
mod tests {
    use super::*;
    use otrera::record::json;
    use otrera::{PlayedMove, Position};
    use testkit::Folder;

    #[test]
    fn both_games_of_every_tenth_pair_are_held_out() {
        let folder = Folder::new("held-out");
        let start = Position::standard();
        // More than are read at once.
        let count = 2 * GAMES_AT_ONCE + 90;
        let games = start.legal_moves().take(count).enumerate().map(|(number, mv)| {
            let moves = vec![PlayedMove::from(mv)];
            json::write(&GameRecord { number: number as u64, moves, ..GameRecord::new("", "", start) }) + "\n"
        });
        let file = folder.write("games.jsonl", &games.collect::<String>());
        let args = TrainingArgs {
            games: vec![file.into()],
            unfinished: false,
            buffer: 1,
            decay: 0.0,
            seed: 1,
            base: None,
        };
        let number_of = |game: &GameRecord| vec![game.number];
        let mut data = Data::open(&args, [1, 1], &number_of).unwrap();
        let (held_out, others): (Vec<u64>, Vec<u64>) =
            (0..count as u64).partition(|number| number / 2 % 10 == 0);
        data.tests.sort_unstable();
        assert_eq!((data.games, &data.tests), (count, &held_out));
        let mut seen = Vec::new();
        data.for_each(|samples| {
            seen.extend(samples);
            Ok(())
        })
        .unwrap();
        assert_eq!((data.seen, seen), (others.len(), others));
    }
}
