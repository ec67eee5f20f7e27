//! `lab fit-policy`: fits the weights of the priors to the visits of longer searches.
//!
//! Positions are drawn from games and searched. The distribution of the visits over the movements is one observation, the
//! distributions over the arrows of favourite movements are others. The weights maximise their likelihood. Every fifth game
//! tests the fit.

mod args;
mod observations;
mod searches;

use crate::cluster::jobs;
use crate::files::{Output, read_weights};
use crate::matches::spec::{check_board, search_params};
pub use args::Args;
use observations::{ARROWS, MOVES, Observation, draw};
use otrera::eval::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, PolicyWeights, STAGES, classes, stage};
use otrera::eval::weights::PriorWeights;
use rayon::prelude::*;
use std::path::PathBuf;

/// Runs the command.
pub fn run(args: &Args) -> Result<(), String> {
    let params = search_params(&args.search)?;
    if let Some(numbers) = &args.task.numbers {
        let positions = draw(args)?;
        return jobs::print(numbers, |number| searches::search(args, &params, &positions, number));
    }
    let mut file = read_weights(args.base.as_deref())?;
    let output = Output::new(
        &args.output,
        &[&args.games[..], args.base.as_slice(), searched_with(args).as_slice()].concat(),
    )?;
    output.try_out(&file.write())?;
    let positions = draw(args)?;
    for drawn in &positions {
        check_board(&args.search, &params, drawn.position.size())?;
    }
    check_amount(positions.iter().map(|drawn| (stage(&drawn.position), drawn.unseen)))?;
    let searched = searches::all(args, &params, &positions)?;
    let (movements, arrows): (Vec<_>, Vec<_>) = searched.into_iter().unzip();
    let movements: Vec<_> = movements.into_iter().flatten().collect();
    let arrows: Vec<_> = arrows.into_iter().flatten().collect();
    // Proven positions give no observation.
    check_amount(movements.iter().map(|observation| (observation.stage, observation.unseen)))?;
    let movement_weights = fit::<MOVES, { classes(&MOVEMENT_FEATURES) }>(
        "movements",
        &movements,
        &MOVEMENT_FEATURES,
        args.steps,
    );
    let arrow_weights =
        fit::<ARROWS, { classes(&ARROW_FEATURES) }>("arrows", &arrows, &ARROW_FEATURES, args.steps);
    file.priors = PriorWeights {
        trained: format!(
            "by lab fit-policy, from {} positions, searched with {} iterations each by {}",
            positions.len(),
            args.iterations,
            args.search
        ),
        movements: rows(&movement_weights, &MOVEMENT_FEATURES),
        arrows: rows(&arrow_weights, &ARROW_FEATURES),
    };
    output.write_or_keep(&file.write())?;
    println!("written: {}", output.path().display());
    Ok(())
}

/// The file of weights of the search, if it has one.
fn searched_with(args: &Args) -> Option<PathBuf> {
    let mut settings = args.search.split(',').filter_map(|setting| setting.trim().split_once('='));
    settings.find(|(name, _)| name.eq_ignore_ascii_case("model")).map(|(_, file)| file.into())
}

/// Minimum of positions of each stage of the game: for the fit and for its test.
const MIN_POSITIONS: [usize; 2] = [250, 50];

/// Checks that there are enough positions of each stage: rare features keep weights near zero.
fn check_amount(positions: impl Iterator<Item = (usize, bool)>) -> Result<(), String> {
    let mut counts = [[0; 2]; STAGES];
    positions.for_each(|(stage, unseen)| counts[stage][usize::from(unseen)] += 1);
    let [fitted, tested] = MIN_POSITIONS;
    for (number, [seen, unseen]) in (1..).zip(counts) {
        if seen < fitted || unseen < tested {
            return Err(format!(
                "too few positions: stage {number} of {STAGES} has {seen} for the fit and {unseen} for its test (every \
                 fifth game), and at least {fitted} and {tested} are needed: give more games or a larger --positions"
            ));
        }
    }
    Ok(())
}

/// Maximises the likelihood of the seen observations by Adam, with the full gradient in each step.
fn fit<const FEATURES: usize, const CLASSES: usize>(
    name: &str,
    observations: &[Observation<FEATURES>],
    sizes: &[usize; FEATURES],
    steps: u32,
) -> PolicyWeights<CLASSES> {
    const RATE: f64 = 0.1;
    const MEMORY: f64 = 0.9;
    const MEMORY_OF_SQUARES: f64 = 0.99;
    let firsts: [usize; FEATURES] = std::array::from_fn(|feature| sizes[..feature].iter().sum());
    let mut weights = vec![0.0; STAGES * CLASSES];
    let (mut momentum, mut squares) = (weights.clone(), weights.clone());
    let seen: Vec<_> = observations.iter().filter(|observation| !observation.unseen).collect();
    let unseen: Vec<_> = observations.iter().filter(|observation| observation.unseen).collect();
    for step in 1..=steps {
        let gradient = gradient::<FEATURES, CLASSES>(&seen, &firsts, &weights);
        let rate = RATE * (1.0 - f64::from(step - 1) / f64::from(steps));
        for (i, slope) in gradient.into_iter().enumerate() {
            momentum[i] = MEMORY * momentum[i] + (1.0 - MEMORY) * slope;
            squares[i] = MEMORY_OF_SQUARES * squares[i] + (1.0 - MEMORY_OF_SQUARES) * slope * slope;
            let unbiased =
                (1.0 - MEMORY_OF_SQUARES.powi(step as i32)).sqrt() / (1.0 - MEMORY.powi(step as i32));
            weights[i] += rate * unbiased * momentum[i] / (squares[i].sqrt() + 1e-8);
        }
    }
    print_losses::<FEATURES, CLASSES>(name, &unseen, &firsts, &weights);
    std::array::from_fn(|stage| std::array::from_fn(|class| weights[stage * CLASSES + class] as f32))
}

/// The probability of each choice of an observation.
fn probabilities<const FEATURES: usize, const CLASSES: usize>(
    observation: &Observation<FEATURES>,
    firsts: &[usize; FEATURES],
    weights: &[f64],
) -> Vec<f64> {
    let weights = &weights[observation.stage * CLASSES..];
    let score = |features: &[usize; FEATURES]| -> f64 {
        features.iter().zip(firsts).map(|(feature, first)| weights[first + feature]).sum()
    };
    let mut odds: Vec<f64> = observation.choices.iter().map(|(features, _)| score(features).exp()).collect();
    let sum: f64 = odds.iter().sum();
    odds.iter_mut().for_each(|odds| *odds /= sum);
    odds
}

/// The gradient of the mean log-likelihood, with a normal prior of variance 1 on each weight, which holds back rare classes.
fn gradient<const FEATURES: usize, const CLASSES: usize>(
    observations: &[&Observation<FEATURES>],
    firsts: &[usize; FEATURES],
    weights: &[f64],
) -> Vec<f64> {
    let zero = || vec![0.0; weights.len()];
    let sum = |mut a: Vec<f64>, b: Vec<f64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let of_one = |mut slopes: Vec<f64>, observation: &&Observation<FEATURES>| {
        let probabilities = probabilities::<FEATURES, CLASSES>(observation, firsts, weights);
        for ((features, share), probability) in observation.choices.iter().zip(probabilities) {
            for (feature, first) in features.iter().zip(firsts) {
                slopes[observation.stage * CLASSES + first + feature] += share - probability;
            }
        }
        slopes
    };
    let mut slopes = observations.par_iter().fold(zero, of_one).reduce(zero, sum);
    let count = observations.len().max(1) as f64;
    slopes.iter_mut().zip(weights).for_each(|(slope, weight)| *slope = (*slope - weight) / count);
    slopes
}

/// Prints the cross-entropy on unseen observations, beside its lower bound and that of uniform priors.
fn print_losses<const FEATURES: usize, const CLASSES: usize>(
    name: &str,
    observations: &[&Observation<FEATURES>],
    firsts: &[usize; FEATURES],
    weights: &[f64],
) {
    println!("{name:10} stage  unseen  uniform  fitted  at best  favourite found");
    for stage in 0..STAGES {
        let chosen: Vec<_> = observations.iter().filter(|observation| observation.stage == stage).collect();
        let (mut uniform, mut fitted, mut best, mut found) = (0.0, 0.0, 0.0, 0);
        for observation in &chosen {
            let probabilities = probabilities::<FEATURES, CLASSES>(observation, firsts, weights);
            let shares = || observation.choices.iter().map(|(_, share)| *share);
            uniform += (observation.choices.len() as f64).ln();
            fitted -= shares().zip(&probabilities).map(|(share, p)| share * p.ln()).sum::<f64>();
            best -= shares().filter(|&share| share > 0.0).map(|share| share * share.ln()).sum::<f64>();
            found += usize::from(highest(shares()) == highest(probabilities.iter().copied()));
        }
        let count = chosen.len().max(1) as f64;
        println!(
            "{:10} {stage:5} {:7} {:8.3} {:7.3} {:8.3} {:15.1}%",
            "",
            chosen.len(),
            uniform / count,
            fitted / count,
            best / count,
            found as f64 / count * 100.0
        );
    }
}

/// The index of the highest value.
fn highest(values: impl Iterator<Item = f64>) -> Option<usize> {
    values.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(place, _)| place)
}

/// The weights rounded to two decimals: by stage, feature and class.
fn rows<const CLASSES: usize>(weights: &PolicyWeights<CLASSES>, sizes: &[usize]) -> Vec<Vec<Vec<f32>>> {
    // Adding zero turns -0 into 0.
    let rounded = |weight: &f32| (weight * 100.0).round() / 100.0 + 0.0;
    let of_stage = |row: &[f32; CLASSES]| {
        let mut row = row.iter().map(rounded);
        sizes.iter().map(|&classes| row.by_ref().take(classes).collect()).collect()
    };
    weights.iter().map(of_stage).collect()
}
