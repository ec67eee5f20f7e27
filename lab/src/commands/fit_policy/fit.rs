//! The fit of weights to observations.

use super::observations::Observation;
use crate::sheet::Sheet;
use otrera::eval::policy::STAGES;
use rayon::prelude::*;

/// Maximises the likelihood of the seen observations by Adam, with the full gradient in each step, and prints the losses on
/// the unseen ones. Returns the weights, rounded to two decimals, by stage, feature and class.
pub fn fit<const FEATURES: usize>(
    name: &str,
    observations: &[Observation<FEATURES>],
    classes: &[usize; FEATURES],
    steps: u32,
) -> Vec<Vec<Vec<f32>>> {
    const RATE: f64 = 0.1;
    const MEMORY: f64 = 0.9;
    const MEMORY_OF_SQUARES: f64 = 0.99;
    let mut weights = vec![0.0; STAGES * classes.iter().sum::<usize>()];
    let (mut momentum, mut squares) = (weights.clone(), weights.clone());
    let (unseen, seen): (Vec<_>, Vec<_>) = observations.iter().partition(|observation| observation.unseen);
    for step in 1..=steps {
        let rate = RATE * (1.0 - f64::from(step - 1) / f64::from(steps));
        let unbiased = (1.0 - MEMORY_OF_SQUARES.powi(step as i32)).sqrt() / (1.0 - MEMORY.powi(step as i32));
        for (i, slope) in gradient(&seen, &weights).into_iter().enumerate() {
            momentum[i] = MEMORY * momentum[i] + (1.0 - MEMORY) * slope;
            squares[i] = MEMORY_OF_SQUARES * squares[i] + (1.0 - MEMORY_OF_SQUARES) * slope * slope;
            weights[i] += rate * unbiased * momentum[i] / (squares[i].sqrt() + 1e-8);
        }
    }
    print!("{}", losses(name, &unseen, &weights).to_text());
    // Adding zero turns -0 into 0.
    let mut rounded = weights.iter().map(|&weight| (weight as f32 * 100.0).round() / 100.0 + 0.0);
    let mut stage = || classes.iter().map(|&count| rounded.by_ref().take(count).collect()).collect();
    (0..STAGES).map(|_| stage()).collect()
}

fn probabilities<const FEATURES: usize>(observation: &Observation<FEATURES>, weights: &[f64]) -> Vec<f64> {
    let score = |features: &[usize; FEATURES]| features.iter().map(|&feature| weights[feature]).sum::<f64>();
    let mut odds: Vec<f64> = observation.choices.iter().map(|(features, _)| score(features).exp()).collect();
    let sum: f64 = odds.iter().sum();
    odds.iter_mut().for_each(|odds| *odds /= sum);
    odds
}

/// The gradient of the mean log-likelihood, with a normal prior of variance 1 on each weight, which holds back rare classes.
fn gradient<const FEATURES: usize>(observations: &[&Observation<FEATURES>], weights: &[f64]) -> Vec<f64> {
    let zero = || vec![0.0; weights.len()];
    let sum = |mut a: Vec<f64>, b: Vec<f64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let add = |mut slopes: Vec<f64>, observation: &&Observation<FEATURES>| {
        let probabilities = probabilities(observation, weights);
        for ((features, share), probability) in observation.choices.iter().zip(probabilities) {
            features.iter().for_each(|&feature| slopes[feature] += share - probability);
        }
        slopes
    };
    let mut slopes = observations.par_iter().fold(zero, add).reduce(zero, sum);
    let count = observations.len().max(1) as f64;
    slopes.iter_mut().zip(weights).for_each(|(slope, weight)| *slope = (*slope - weight) / count);
    slopes
}

/// The cross-entropy on unseen observations, beside its lower bound and that of uniform priors.
fn losses<const FEATURES: usize>(
    name: &str,
    observations: &[&Observation<FEATURES>],
    weights: &[f64],
) -> Sheet {
    let mut sheet = Sheet::new(name, &["stage", "unseen", "uniform", "fitted", "at best", "favourite found"]);
    for stage in 0..STAGES {
        let chosen: Vec<_> = observations.iter().filter(|observation| observation.stage == stage).collect();
        let (mut losses, mut found) = ([0.0; 3], 0);
        for observation in &chosen {
            let probabilities = probabilities(observation, weights);
            let shares = || observation.choices.iter().map(|(_, share)| *share);
            losses[0] += (observation.choices.len() as f64).ln();
            losses[1] -= shares().zip(&probabilities).map(|(share, p)| share * p.ln()).sum::<f64>();
            losses[2] -= shares().filter(|&share| share > 0.0).map(|share| share * share.ln()).sum::<f64>();
            found += usize::from(highest(shares()) == highest(probabilities.iter().copied()));
        }
        let count = chosen.len().max(1) as f64;
        let cells = losses.map(|loss| format!("{:.3}", loss / count));
        let ends = [stage.to_string(), chosen.len().to_string()];
        let found = format!("{:.1}%", found as f64 / count * 100.0);
        sheet.row(ends.into_iter().chain(cells).chain([found]));
    }
    sheet
}

fn highest(values: impl Iterator<Item = f64>) -> Option<usize> {
    values.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
}
