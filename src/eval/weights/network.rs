//! Networks in a weights file: rows of integers in units of `1 / ONE` of [`crate::eval::network`], and the rows of the
//! squares as signed bytes in Base64.

use super::{Rows, check_count, list};
use crate::board::position::Position;
use crate::board::square::Size;
use crate::eval::distance::DistanceMaps;
use crate::eval::inputs::Inputs;
use crate::eval::lead::{LEAD_INPUTS, LEAD_STAGES, LeadWeights};
use crate::eval::network::{HIDDEN, Network, OUTPUT_PART, parts};
use crate::eval::square_layer::{SQUARE_CLASSES, SquareLayer};
use crate::simd::PortableLanes;
use fastrand::Rng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Evaluation networks of a weights file.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Networks {
    /// Network for boards larger than 8x8.
    pub standard: Option<NetworkWeights>,
    /// Network for boards up to 8x8.
    pub small: Option<NetworkWeights>,
}

/// A network and the description of its training.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "NetworkFile")]
pub struct NetworkWeights {
    /// Description of the training data.
    pub trained: String,
    /// The weights.
    pub network: Box<Network>,
    /// Weights of the lead (see [`crate::eval::lead`]), if the network has any.
    pub lead: Option<Box<LeadWeights>>,
}

/// A network as stored in a file: `trained`, the square layer, and the rows of each weight tensor under its name.
#[derive(Deserialize)]
struct NetworkFile {
    trained: String,
    squares: Rows<HIDDEN>,
    #[serde(default)]
    lead: Option<Vec<Vec<f32>>>,
    #[serde(flatten)]
    parts: BTreeMap<String, Vec<Vec<i16>>>,
}

impl TryFrom<NetworkFile> for NetworkWeights {
    type Error = String;

    fn try_from(file: NetworkFile) -> Result<Self, String> {
        let NetworkFile { trained, squares, lead, parts: mut found } = file;
        let Rows(squares) = squares;
        let edge = [Size::BOTZONE, Size::STANDARD].map(Size::edge);
        let edge = edge.into_iter().find(|edge| SQUARE_CLASSES * edge * edge == squares.len());
        let edge = edge.ok_or_else(|| format!("squares: {} rows", squares.len()))?;
        let mut network = Network::new(SquareLayer::new(edge, squares.into_iter().map(bytemuck::cast)));
        for part in parts() {
            let rows = match found.remove(part.name) {
                Some(rows) => rows,
                // A file older than an input lacks its tensor; the weights are then 0.
                None if part != OUTPUT_PART => continue,
                None => return Err("output is missing".into()),
            };
            if rows.len() != part.rows {
                return Err(format!("{}: {} rows, not {}", part.name, rows.len(), part.rows));
            }
            for (to, row) in network.rows_of(part).iter_mut().zip(rows) {
                let count = row.len();
                let wrong_length = |_| format!("{}: a row of {count} weights, not {HIDDEN}", part.name);
                *to = row.try_into().map_err(wrong_length)?;
            }
        }
        match found.keys().next() {
            Some(name) => Err(format!("this version has no input `{name}`")),
            None => Ok(Self { trained, network, lead: lead.map(read_lead).transpose()? }),
        }
    }
}

impl Networks {
    /// Returns both networks, each with its key in a file and the edge lengths of its boards.
    fn named(&self) -> [(&'static str, Option<&NetworkWeights>, std::ops::RangeInclusive<usize>); 2] {
        [("standard", self.standard.as_ref(), 9..=10), ("small", self.small.as_ref(), 4..=8)]
    }

    /// Checks that each network's square layer is sized for its largest board, and runs [`Network::check_sums`] on
    /// positions from random games on each of its board sizes.
    pub(super) fn check(&self) -> Result<(), String> {
        for (name, weights, edges) in self.named() {
            let Some(NetworkWeights { network, .. }) = weights else { continue };
            let (edge, wanted) = (network.squares.edge(), *edges.end());
            if edge != wanted {
                return Err(format!(
                    "network {name}: its squares are those of {edge}x{edge}, not {wanted}x{wanted}"
                ));
            }
            for size in edges.filter_map(Size::new) {
                let checked = random_inputs(size).iter().try_for_each(|inputs| network.check_sums(inputs));
                checked.map_err(|problem| format!("network {name}: {problem}"))?;
            }
        }
        Ok(())
    }

    /// Formats the section `networks`, which follows the section `priors`; empty if there is no network.
    pub(super) fn write(&self) -> String {
        let networks: Vec<String> =
            self.named().into_iter().filter_map(|(name, network, _)| Some(network?.write(name))).collect();
        if networks.is_empty() {
            String::new()
        } else {
            format!(",\n  \"networks\": {{\n{}\n  }}", networks.join(",\n"))
        }
    }
}

impl NetworkWeights {
    fn write(&self, name: &str) -> String {
        let mut text = format!("    \"{name}\": {{\"trained\": {}", json(&self.trained));
        for part in parts() {
            let rows = self.network.rows[part.first..][..part.rows].iter();
            let _ = write!(text, ",\n    \"{}\": {}", part.name, list(rows.map(|row| json(&row[..])), 4));
        }
        if let Some(lead) = &self.lead {
            let rows = lead.iter().map(|row| json(&row[..]));
            let _ = write!(text, ",\n    \"lead\": {}", list(rows, 4));
        }
        let squares = Rows::<HIDDEN>(self.network.squares.rows().map(|row| bytemuck::cast(*row)).collect());
        format!("{text},\n    \"squares\": \"{}\"}}", squares.write())
    }
}

/// Checks the number of the lead's rows and weights.
fn read_lead(rows: Vec<Vec<f32>>) -> Result<Box<LeadWeights>, String> {
    let mut weights = [[0.0; LEAD_INPUTS]; LEAD_STAGES.len() + 1];
    check_count("lead", "rows", rows.len(), weights.len())?;
    for (row, found) in weights.iter_mut().zip(rows) {
        check_count("lead", "weights in a row", found.len(), row.len())?;
        if let Some(weight) = found.iter().find(|weight| !weight.is_finite()) {
            return Err(format!("lead: {weight} is not a valid weight"));
        }
        row.copy_from_slice(&found);
    }
    Ok(Box::new(weights))
}

/// Formats a value as JSON text.
pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Returns the inputs of positions from random games. A random side moves each time, so that some games are lopsided.
fn random_inputs(size: Size) -> Vec<Inputs> {
    const GAMES: u64 = 2;
    let (mut maps, mut legal, mut inputs) = (DistanceMaps::default(), Vec::new(), Vec::new());
    for seed in 0..GAMES {
        let (mut rng, mut position) = (Rng::with_seed(seed), Position::start(size));
        loop {
            for side in [position.side(), position.side().opponent()] {
                inputs.push(Inputs::of::<PortableLanes>(&position.with_side(side), &mut maps));
            }
            legal.clear();
            legal.extend(position.legal_moves());
            let Some(mv) = rng.choice(&legal) else { break };
            position = position.with_move(*mv);
            if rng.bool() {
                position = position.with_side(position.side().opponent());
            }
        }
    }
    inputs
}
