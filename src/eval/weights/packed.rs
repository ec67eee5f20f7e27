//! Weights of the Botzone build: the numbers of `fitted.json` alone, packed by `scripts/botzone_weights.py`, because
//! the size of the source is limited.
//!
//! The numbers are 32-bit integers, low byte first: the priors of movements and arrows in units of 1 / [`UNITS`], then
//! the network of small boards.

use super::network::{NetworkWeights, Networks, ROWS};
use super::{PriorWeights, WeightsFile};
use crate::eval::network::HIDDEN;
use crate::eval::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, STAGES};

static NUMBERS: &[u8] = include_bytes!(env!("OTRERA_WEIGHTS"));

const UNITS: f32 = 10_000.0;

/// Reads the weights.
pub fn built_in() -> WeightsFile {
    let mut reader = Reader(NUMBERS.as_chunks().0.iter());
    WeightsFile {
        value: None,
        priors: PriorWeights {
            trained: String::new(),
            movements: reader.priors(&MOVEMENT_FEATURES),
            arrows: reader.priors(&ARROW_FEATURES),
        },
        networks: Networks { standard: None, small: Some(reader.network()) },
    }
}

struct Reader(std::slice::Iter<'static, [u8; 4]>);

impl Reader {
    fn number(&mut self) -> i32 {
        self.0.next().map_or(0, |&bytes| i32::from_le_bytes(bytes))
    }

    /// Both numbers of the quotient are exact, so it is what reading the decimal fraction gives.
    fn weights(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.number() as f32 / UNITS).collect()
    }

    fn priors(&mut self, features: &[usize]) -> Vec<Vec<Vec<f32>>> {
        (0..STAGES).map(|_| features.iter().map(|&classes| self.weights(classes)).collect()).collect()
    }

    fn network(&mut self) -> NetworkWeights {
        let mut rows = |count| -> Vec<Vec<i16>> {
            (0..count).map(|_| (0..HIDDEN).map(|_| self.number() as i16).collect()).collect()
        };
        let [counts, freedom, sole, contested, plies, output] = ROWS.map(&mut rows);
        NetworkWeights { trained: String::new(), counts, freedom, sole, contested, plies, output }
    }
}
