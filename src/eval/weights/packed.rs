//! The weights of the build for Botzone: the numbers of `fitted.json` alone, as `scripts/botzone_weights.py` packs them.
//! Text and its reader would take room in a source that must be small.
//!
//! All are 32-bit integers, the low byte first: of each course the number of knots, and of each knot its ply and weights;
//! the priors; the network of small boards. Weights of the terms and of the priors are in units of 1 / [`UNITS`].

use super::network::{NetworkWeights, Networks, ROWS};
use super::{Course, Knot, PriorWeights, ValueWeights, WeightsFile};
use crate::eval::network::HIDDEN;
use crate::eval::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, STAGES};
use crate::eval::terms::TERMS;

static NUMBERS: &[u8] = include_bytes!(env!("OTRERA_WEIGHTS"));

const UNITS: f32 = 10_000.0;

/// Reads them.
pub fn built_in() -> WeightsFile {
    let mut reader = Reader(NUMBERS.as_chunks().0.iter());
    let (standard, small) = (reader.course(), reader.course());
    WeightsFile {
        value: ValueWeights { terms: Vec::new(), standard, small },
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

    fn course(&mut self) -> Course {
        let knots = (0..self.number())
            .map(|_| Knot { ply: self.number() as usize, weights: self.weights(TERMS) })
            .collect();
        Course { trained: String::new(), knots }
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
