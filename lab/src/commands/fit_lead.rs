//! `lab fit-lead`: fits the expected lead ([`otrera::eval::lead`]) to games, for the evaluation network of a weights
//! file.
//!
//! A sample is a position whose result the search had not proven; its target is the margin of the completed game,
//! negative for the loser. The other weights stay as they are. Least squares, then reweighted least squares for the
//! absolute error (Holland and Welsch 1977), need one pass over the games each and no learning rate. One tenth of the
//! games is held out: on these games the errors are compared with those of two simple predictions.

use crate::commands::fit_network::samples::undecided;
use crate::files::{Output, WEIGHTS, read_weights};
use crate::filling::margin;
use crate::sheet::Sheet;
use crate::training::{Data, TrainingArgs};
use otrera::endgame::FillingProver;
use otrera::eval::distance::DistanceMaps;
use otrera::eval::lead::{LEAD_INPUTS, LEAD_STAGES, LeadInputs, LeadWeights};
use otrera::eval::metrics::territory;
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::eval::weights::WeightsFile;
use otrera::simd::Kernel;
use otrera::{GameRecord, Side};
use rayon::prelude::*;
use std::ops::Range;
use std::path::PathBuf;

/// Fit the expected lead in moves to games.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    training: TrainingArgs,
    /// Output file for `model=FILE`.
    #[arg(long, default_value = "results/lead.json")]
    output: PathBuf,
}

/// Minimum numbers of positions in the training set and in the held-out set.
const MIN_POSITIONS: [usize; 2] = [5000, 500];

/// Number of passes that reweight the samples, after the pass of least squares.
const REWEIGHTED: usize = 3;

/// Ridge penalty, as a share of the number of samples.
const RIDGE: f64 = 1e-4;

/// A position with the lead that its game ended with.
struct Sample {
    ply: u16,
    inputs: LeadInputs,
    /// Margin of the game, negative if the side to move lost.
    lead: f32,
    /// Squares that the side to move reaches in fewer queen moves, minus those of its opponent.
    territory: f32,
}

pub fn run(args: &Args) -> Result<(), String> {
    let mut file = read_weights(args.training.base.as_deref())?;
    let output = Output::new(&args.output, &args.training.inputs(), WEIGHTS)?;
    output.try_out(WeightsFile::BUILT_IN)?;
    let evaluator = Evaluator::new(Model::from_weights(&file.write())?);
    let of_game = |game: &GameRecord| samples_of(game, &evaluator);
    let data = Data::open(&args.training, MIN_POSITIONS, &of_game)?;
    println!("{} games, {} positions, {} of them unseen", data.games, data.seen + data.unseen, data.unseen);
    let mut weights = fit(&data, None)?;
    for _ in 0..REWEIGHTED {
        weights = fit(&data, Some(&weights))?;
    }
    // Four decimals suffice for sums of 65 terms.
    weights.iter_mut().flatten().for_each(|weight| *weight = (*weight * 1e4).round() / 1e4 + 0.0);
    println!("{}\n{}", errors(&data.tests, &weights).to_text(), calibration(&data.tests, &weights).to_text());
    let networks = &mut file.networks;
    let network = if data.is_small() { &mut networks.small } else { &mut networks.standard };
    let network = network.as_mut().ok_or("the weights file has no network for these boards")?;
    network.lead = Some(Box::new(weights));
    output.write_or_keep(&file.write())?;
    println!("written: {}", output.path().display());
    Ok(())
}

/// Returns a sample for each searched, unproven position of a game; none if the game has no margin.
fn samples_of(game: &GameRecord, evaluator: &Evaluator) -> Vec<Sample> {
    let positions = game.positions();
    let Some(margin) = positions.last().and_then(|last| margin(game, last, &mut FillingProver::new())) else {
        return Vec::new();
    };
    let (mut maps, mut scratch) = (DistanceMaps::default(), ModelScratch::default());
    let samples = undecided(game).filter_map(|(_, position, _, _)| {
        let inputs = evaluator.lead_inputs(&position, &mut scratch)?;
        maps.flood_queen_only(&position, Kernel::fastest());
        let black = territory(&maps.queen).balance(0.0);
        let territory = if position.side() == Side::Black { black } else { -black };
        let lead = margin as f32 * if Some(position.side()) == game.winner { 1.0 } else { -1.0 };
        Some(Sample { ply: position.ply(), inputs, lead, territory })
    });
    samples.collect()
}

/// Sums of the normal equations of one stage.
struct Sums {
    products: Vec<[f64; LEAD_INPUTS]>,
    targets: [f64; LEAD_INPUTS],
    count: f64,
}

/// Fits the weights of each stage by least squares; with `previous` weights, each sample counts by the inverse of its
/// previous error.
fn fit(data: &Data<'_, Sample>, previous: Option<&LeadWeights>) -> Result<LeadWeights, String> {
    let new =
        || Sums { products: vec![[0.0; LEAD_INPUTS]; LEAD_INPUTS], targets: [0.0; LEAD_INPUTS], count: 0.0 };
    let mut sums: Vec<Sums> = (0..=LEAD_STAGES.len()).map(|_| new()).collect();
    data.for_each(|samples| {
        // Each stage adds its samples in order, so the result does not depend on the number of threads.
        sums.par_iter_mut().enumerate().for_each(|(stage, sums)| {
            for sample in samples.iter().filter(|sample| sample.inputs.stage == stage) {
                let error = previous.map(|weights| (sample.inputs.lead(weights) - sample.lead).abs());
                sums.add(sample, error.map_or(1.0, |error| 1.0 / f64::from(error).max(0.5)));
            }
        });
        Ok(())
    })?;
    let mut weights = [[0.0; LEAD_INPUTS]; LEAD_STAGES.len() + 1];
    for (row, sums) in weights.iter_mut().zip(sums) {
        *row = sums.solved();
    }
    Ok(weights)
}

impl Sums {
    fn add(&mut self, sample: &Sample, weight: f64) {
        let inputs = sample.inputs.inputs.map(f64::from);
        self.count += weight;
        for (row, input) in inputs.iter().enumerate() {
            let scaled = weight * input;
            self.targets[row] += scaled * f64::from(sample.lead);
            for (sum, other) in self.products[row].iter_mut().zip(&inputs[..=row]) {
                *sum += scaled * other;
            }
        }
    }

    /// Solves the normal equations by Cholesky decomposition.
    fn solved(mut self) -> [f32; LEAD_INPUTS] {
        let factor = &mut self.products;
        for row in 0..LEAD_INPUTS {
            factor[row][row] += RIDGE * self.count + 1e-6;
            for column in 0..=row {
                let sum: f64 = (0..column).map(|k| factor[row][k] * factor[column][k]).sum();
                let left = factor[row][column] - sum;
                factor[row][column] =
                    if row == column { left.max(1e-12).sqrt() } else { left / factor[column][column] };
            }
        }
        let mut solution = self.targets;
        for row in 0..LEAD_INPUTS {
            let sum: f64 = (0..row).map(|k| factor[row][k] * solution[k]).sum();
            solution[row] = (solution[row] - sum) / factor[row][row];
        }
        for row in (0..LEAD_INPUTS).rev() {
            let sum: f64 = (row + 1..LEAD_INPUTS).map(|k| factor[k][row] * solution[k]).sum();
            solution[row] = (solution[row] - sum) / factor[row][row];
        }
        solution.map(|weight| weight as f32)
    }
}

/// Number of plies in a row of the table of errors.
const PLIES: u16 = 5;

/// Tabulates the mean absolute error, in moves, on held-out games by ply.
fn errors(tests: &[Sample], weights: &LeadWeights) -> Sheet {
    let header = ["plies", "positions", "network", "territory", "constant"];
    let mut sheet = Sheet::new("Mean absolute error of the lead on unseen games, in moves", &header);
    sheet.notes = vec![
        "territory: squares reached in fewer queen moves; constant: the best one for these plies, in hindsight".into(),
    ];
    let end = tests.iter().map(|test| test.ply + 1).max().unwrap_or(0);
    let stages = (0..end).step_by(PLIES.into()).map(|from| from..from + PLIES);
    for plies in stages.chain(std::iter::once(0..end)) {
        let Range { start, end } = plies;
        let of_stage: Vec<&Sample> = tests.iter().filter(|test| plies.contains(&test.ply)).collect();
        if of_stage.is_empty() {
            continue;
        }
        let mut leads: Vec<f32> = of_stage.iter().map(|test| test.lead).collect();
        leads.sort_by(f32::total_cmp);
        let median = leads[leads.len() / 2];
        let mean = |predicted: &dyn Fn(&Sample) -> f32| {
            let errors = of_stage.iter().map(|test| f64::from((predicted(test) - test.lead).abs()));
            format!("{:.2}", errors.sum::<f64>() / of_stage.len() as f64)
        };
        sheet.row([
            format!("{start} to {}", end - 1),
            of_stage.len().to_string(),
            mean(&|test| test.inputs.lead(weights)),
            mean(&|test| test.territory),
            mean(&|_| median),
        ]);
    }
    sheet
}

/// Bounds of the rows of the calibration table, in moves.
const BOUNDS: [f32; 10] = [-15.0, -10.0, -6.0, -3.0, -1.0, 1.0, 3.0, 6.0, 10.0, 15.0];

/// Tabulates the mean lead of held-out games by the expected lead.
fn calibration(tests: &[Sample], weights: &LeadWeights) -> Sheet {
    let mut sheet = Sheet::new("Calibration", &["expected lead", "positions", "mean expected", "mean lead"]);
    let lower = [f32::NEG_INFINITY].into_iter().chain(BOUNDS);
    for (from, to) in lower.zip(BOUNDS.into_iter().chain([f32::INFINITY])) {
        let found: Vec<(f32, f32)> =
            tests.iter().map(|test| (test.inputs.lead(weights), test.lead)).collect();
        let here: Vec<_> = found.iter().filter(|(expected, _)| (from..to).contains(expected)).collect();
        let count = here.len().max(1) as f32;
        let [expected, lead] = [here.iter().map(|it| it.0).sum::<f32>(), here.iter().map(|it| it.1).sum()]
            .map(|sum| sum / count);
        let name = match (from.is_finite(), to.is_finite()) {
            (false, _) => format!("below {to}"),
            (_, false) => format!("{from} or more"),
            _ => format!("{from} to {to}"),
        };
        sheet.row([name, here.len().to_string(), format!("{expected:.2}"), format!("{lead:.2}")]);
    }
    sheet
}
