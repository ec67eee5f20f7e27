//! Weights of the Botzone build: the numbers of `fitted.json` alone, packed by `scripts/botzone_weights.py`, because
//! the size of the source is limited.
//!
//! The numbers are 32-bit integers, low byte first: the priors of movements and arrows in units of 1 / [`UNITS`], then
//! the rows of the network of small boards.

use super::network::{NetworkWeights, Networks};
use super::{PriorWeights, WeightsFile};
use crate::eval::network::{HIDDEN, Network, ROWS};
use crate::eval::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, STAGES, classes};

static NUMBERS: &[u8] = include_bytes!(env!("OTRERA_WEIGHTS"));

const PRIORS: usize = STAGES * (classes(&MOVEMENT_FEATURES) + classes(&ARROW_FEATURES));
const _: () = assert!(NUMBERS.len() == 4 * (PRIORS + ROWS * HIDDEN), "fitted.json lacks weights: train them");

const UNITS: f32 = 10_000.0;

/// Reads the weights.
pub fn built_in() -> WeightsFile {
    let mut numbers = NUMBERS.as_chunks().0.iter().map(|&bytes| i32::from_le_bytes(bytes));
    // Both numbers of the quotient are exact, so it is what reading the decimal fraction gives.
    let mut weights =
        |count: &usize| numbers.by_ref().take(*count).map(|number| number as f32 / UNITS).collect();
    let mut priors = |features: &[usize]| -> Vec<Vec<Vec<f32>>> {
        (0..STAGES).map(|_| features.iter().map(&mut weights).collect()).collect()
    };
    let (movements, arrows) = (priors(&MOVEMENT_FEATURES), priors(&ARROW_FEATURES));
    let mut network = Box::new(Network::ZERO);
    network.rows.iter_mut().flatten().zip(numbers).for_each(|(weight, number)| *weight = number as i16);
    WeightsFile {
        value: None,
        priors: PriorWeights { trained: String::new(), movements, arrows },
        networks: Networks {
            standard: None,
            small: Some(NetworkWeights { trained: String::new(), network }),
        },
    }
}
