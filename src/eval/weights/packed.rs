//! Weights of Botzone's build and of the page, whose sizes are limited: only the numbers of `fitted.json`, packed by
//! `scripts/pack_weights.py`.
//!
//! For boards above 8x8, then for those up to 8x8, a byte says whether the file has their weights. The weights are
//! little-endian: the linear weights of movements and arrows, 32-bit integers in units of 1 / [`DIVISOR`]; the rows of
//! the network, 16-bit integers; a byte that says whether the network has a lead, and its 32-bit floats; then the rows
//! of both policy networks and of the network's squares, one byte for each weight.

use super::network::{NetworkWeights, Networks};
use super::{PriorWeights, Priors, Rows, WeightsFile};
use crate::board::square::Size;
use crate::eval::lead::{LEAD_INPUTS, LEAD_STAGES, LeadWeights};
use crate::eval::network::{HIDDEN, Network, ROWS};
use crate::eval::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, STAGES, classes};
use crate::eval::policy_network::{UNITS, rows};
use crate::eval::square_layer::{SQUARE_CLASSES, SquareLayer};

static PACKED: &[u8] = include_bytes!(env!("OTRERA_WEIGHTS"));

const LINEAR: usize = STAGES * (classes(&MOVEMENT_FEATURES) + classes(&ARROW_FEATURES));
const _: () = assert!(PACKED.len() > 4 * LINEAR + 2 * ROWS * HIDDEN, "fitted.json lacks weights: train them");

const DIVISOR: f32 = 10_000.0;

/// Unpacks the built-in weights.
pub fn built_in() -> WeightsFile {
    let reader = &mut Reader(PACKED);
    let [standard, small] = [Size::STANDARD, Size::BOTZONE].map(|size| {
        let weights = reader.flag().then(|| weights(reader, size.edge()));
        weights.map_or((None, None), |(priors, network)| (Some(priors), Some(network)))
    });
    assert!(reader.0.is_empty(), "the packed weights are not those of this version");
    let empty = PriorWeights {
        trained: String::new(),
        movements: zeros(&MOVEMENT_FEATURES),
        arrows: zeros(&ARROW_FEATURES),
        movement_rows: Rows(Vec::new()),
        arrow_rows: Rows(Vec::new()),
    };
    WeightsFile {
        value: None,
        priors: Priors {
            standard: standard.0.unwrap_or_else(|| empty.clone()),
            small: small.0.unwrap_or(empty),
        },
        networks: Networks { standard: standard.1, small: small.1 },
    }
}

fn zeros(features: &[usize]) -> Vec<Vec<Vec<f32>>> {
    vec![features.iter().map(|&classes| vec![0.0; classes]).collect(); STAGES]
}

/// Reads the weights for boards up to this edge length.
fn weights(reader: &mut Reader, edge: usize) -> (PriorWeights, NetworkWeights) {
    let mut linear = |features: &[usize]| {
        let mut weights = zeros(features);
        // Both operands are exact, so the quotient equals the parsed decimal fraction.
        let all = weights.iter_mut().flatten().flatten();
        all.for_each(|weight| *weight = i32::from_le_bytes(reader.next()) as f32 / DIVISOR);
        weights
    };
    let (movements, arrows) = (linear(&MOVEMENT_FEATURES), linear(&ARROW_FEATURES));
    let mut network = Network::new(SquareLayer::new(edge, std::iter::empty()));
    network.rows.iter_mut().flatten().for_each(|weight| *weight = i16::from_le_bytes(reader.next()));
    let lead = reader.flag().then(|| {
        let mut lead: Box<LeadWeights> = Box::new([[0.0; LEAD_INPUTS]; LEAD_STAGES.len() + 1]);
        lead.iter_mut().flatten().for_each(|weight| *weight = f32::from_le_bytes(reader.next()));
        lead
    });
    let [movement_rows, arrow_rows] =
        [(); 2].map(|()| Rows::<UNITS>::of_bytes(reader.take(UNITS * rows(edge))));
    let Rows::<HIDDEN>(squares) = Rows::of_bytes(reader.take(HIDDEN * SQUARE_CLASSES * edge * edge));
    network.squares = SquareLayer::new(edge, squares.into_iter().map(bytemuck::cast));
    let trained = String::new();
    (
        PriorWeights { trained: trained.clone(), movements, arrows, movement_rows, arrow_rows },
        NetworkWeights { trained, network, lead },
    )
}

/// The rest of the packed weights.
struct Reader(&'static [u8]);

impl Reader {
    fn take(&mut self, count: usize) -> &'static [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn next<const COUNT: usize>(&mut self) -> [u8; COUNT] {
        let mut bytes = [0; COUNT];
        bytes.copy_from_slice(self.take(COUNT));
        bytes
    }

    fn flag(&mut self) -> bool {
        self.next::<1>() == [1]
    }
}
