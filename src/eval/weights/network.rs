//! Networks in a file of weights: rows of whole numbers, in units of `1 / ONE` of [`crate::eval::network`].

use super::json;
use crate::eval::fitted::PLIES;
use crate::eval::network::{COUNTS, FREEDOMS, HIDDEN, Network, Row, SQUARES};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The networks of a file. Boards without one are judged by the terms.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Networks {
    /// For boards larger than 8x8.
    pub standard: Option<NetworkWeights>,
    /// For boards up to 8x8.
    pub small: Option<NetworkWeights>,
}

/// The weights of a [`Network`], a row for each of its inputs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkWeights {
    /// What they were fitted to.
    pub trained: String,
    /// See [`Network::counts`].
    pub counts: Vec<Vec<i16>>,
    /// See [`Network::freedom`]: the classes of the side to move, then those of the opponent; likewise the next two.
    pub freedom: Vec<Vec<i16>>,
    /// See [`Network::sole`].
    pub sole: Vec<Vec<i16>>,
    /// See [`Network::contested`].
    pub contested: Vec<Vec<i16>>,
    /// See [`Network::plies`].
    pub plies: Vec<Vec<i16>>,
    /// See [`Network::output`], a single row.
    pub output: Vec<Vec<i16>>,
}

/// The numbers of rows that are wanted, in the order of [`NetworkWeights::parts`].
pub(super) const ROWS: [usize; 6] =
    [COUNTS, 2 * (FREEDOMS.len() + 1), 2 * (SQUARES.len() + 1), 2 * (SQUARES.len() + 1), PLIES, 1];

impl Networks {
    /// Both, with the names that they have in a file.
    fn named(&self) -> [(&'static str, Option<&NetworkWeights>); 2] {
        [("standard", self.standard.as_ref()), ("small", self.small.as_ref())]
    }

    /// Whether all rows are there.
    pub(super) fn check(&self) -> Result<(), String> {
        self.named()
            .into_iter()
            .try_for_each(|(name, network)| network.map_or(Ok(()), |network| network.check(name)))
    }

    /// The part of the file behind the priors.
    pub(super) fn write(&self) -> String {
        let networks: Vec<String> =
            self.named().into_iter().filter_map(|(name, network)| Some(network?.write(name))).collect();
        if networks.is_empty() {
            String::new()
        } else {
            format!(",\n  \"networks\": {{\n{}\n  }}", networks.join(",\n"))
        }
    }
}

impl NetworkWeights {
    /// All parts, with their names.
    fn parts(&self) -> [(&'static str, &[Vec<i16>]); 6] {
        [
            ("counts", &self.counts),
            ("freedom", &self.freedom),
            ("sole", &self.sole),
            ("contested", &self.contested),
            ("plies", &self.plies),
            ("output", &self.output),
        ]
    }

    fn check(&self, network: &str) -> Result<(), String> {
        for ((name, rows), wanted) in self.parts().into_iter().zip(ROWS) {
            if rows.len() != wanted {
                return Err(format!(
                    "network {network}, {name}: {} rows, and {wanted} are wanted",
                    rows.len()
                ));
            }
            if let Some(row) = rows.iter().find(|row| row.len() != HIDDEN) {
                return Err(format!(
                    "network {network}, {name}: a row of {} weights, and {HIDDEN} are wanted",
                    row.len()
                ));
            }
        }
        Ok(())
    }

    fn write(&self, name: &str) -> String {
        let mut text = format!("    \"{name}\": {{\"trained\": {}", json(&self.trained));
        for (part, rows) in self.parts() {
            let rows: Vec<String> = rows.iter().map(|row| format!("      {}", json(row))).collect();
            let _ = write!(text, ",\n    \"{part}\": [\n{}\n    ]", rows.join(",\n"));
        }
        text + "}"
    }

    /// The network, ready for use; a file that was read has all of its rows.
    pub fn build(&self) -> Network {
        Network {
            counts: rows(&self.counts),
            freedom: of_sides(&self.freedom),
            sole: of_sides(&self.sole),
            contested: of_sides(&self.contested),
            plies: rows(&self.plies),
            output: rows::<1>(&self.output)[0],
        }
    }
}

fn rows<const COUNT: usize>(rows: &[Vec<i16>]) -> [Row; COUNT] {
    let mut array = [[0; HIDDEN]; COUNT];
    for (to, from) in array.iter_mut().zip(rows) {
        to.iter_mut().zip(from).for_each(|(to, &from)| *to = from);
    }
    array
}

fn of_sides<const CLASSES: usize>(all: &[Vec<i16>]) -> [[Row; CLASSES]; 2] {
    let (mover, opponent) = all.split_at(CLASSES.min(all.len()));
    [rows(mover), rows(opponent)]
}
