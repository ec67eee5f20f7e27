//! Weights of the Botzone build: only the numbers of `fitted.json`, packed by `scripts/botzone_weights.py`, because the
//! size of the source is limited.
//!
//! First come 32-bit little-endian integers: the linear weights of movements and arrows in units of 1 / [`DIVISOR`],
//! then the rows of the network for small boards. The rows of the policy networks and of the network's squares follow,
//! one byte for each weight.

use super::network::{NetworkWeights, Networks};
use super::{PriorWeights, Priors, Rows, WeightsFile};
use crate::board::square::Size;
use crate::eval::network::{HIDDEN, Network, ROWS};
use crate::eval::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, STAGES, classes};
use crate::eval::policy_network::{UNITS, rows};
use crate::eval::square_layer::SquareLayer;

static NUMBERS: &[u8] = include_bytes!(env!("OTRERA_WEIGHTS"));

const PRIORS: usize = STAGES * (classes(&MOVEMENT_FEATURES) + classes(&ARROW_FEATURES));
const INTEGERS: usize = 4 * (PRIORS + ROWS * HIDDEN);
const _: () = assert!(NUMBERS.len() > INTEGERS, "fitted.json lacks weights: train them");

const DIVISOR: f32 = 10_000.0;

/// Unpacks the built-in weights.
pub fn built_in() -> WeightsFile {
    let mut numbers = NUMBERS[..INTEGERS].as_chunks().0.iter().map(|&bytes| i32::from_le_bytes(bytes));
    // Both operands are exact, so the quotient equals the parsed decimal fraction.
    let mut weights =
        |count: &usize| numbers.by_ref().take(*count).map(|number| number as f32 / DIVISOR).collect();
    let mut priors = |features: &[usize]| -> Vec<Vec<Vec<f32>>> {
        (0..STAGES).map(|_| features.iter().map(&mut weights).collect()).collect()
    };
    let (movements, arrows) = (priors(&MOVEMENT_FEATURES), priors(&ARROW_FEATURES));
    let (of_policies, of_squares) = NUMBERS[INTEGERS..].split_at(2 * UNITS * rows(Size::BOTZONE.edge()));
    let Rows::<HIDDEN>(of_squares) = Rows::of_bytes(of_squares);
    let of_squares = of_squares.into_iter().map(bytemuck::cast);
    let mut network = Network::new(SquareLayer::new(Size::BOTZONE.edge(), of_squares));
    network.rows.iter_mut().flatten().zip(numbers).for_each(|(weight, number)| *weight = number as i16);
    let Rows::<UNITS>(rows) = Rows::of_bytes(of_policies);
    let (movement_rows, arrow_rows) = rows.split_at(rows.len() / 2);
    let small = PriorWeights {
        trained: String::new(),
        movements,
        arrows,
        movement_rows: Rows(movement_rows.to_vec()),
        arrow_rows: Rows(arrow_rows.to_vec()),
    };
    let standard =
        PriorWeights { movement_rows: Rows(Vec::new()), arrow_rows: Rows(Vec::new()), ..small.clone() };
    WeightsFile {
        value: None,
        priors: Priors { standard, small },
        networks: Networks {
            standard: None,
            small: Some(NetworkWeights { trained: String::new(), network, lead: None }),
        },
    }
}
