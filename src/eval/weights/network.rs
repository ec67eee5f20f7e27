//! Networks in a file of weights: rows of whole numbers, in units of `1 / ONE` of [`crate::eval::network`].

use crate::board::position::Position;
use crate::board::square::Size;
use crate::eval::distance::DistanceMaps;
use crate::eval::fitted::PLIES;
use crate::eval::inputs::Inputs;
use crate::eval::network::{COUNTS, FREEDOMS, HIDDEN, Network, ONE, Row, SQUARES};
use crate::simd::PortableLanes;
use fastrand::Rng;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::ops::RangeInclusive;

/// Networks of a weights file.
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

/// The edges of the boards of each network, in the order of [`Networks::named`].
const EDGES: [RangeInclusive<usize>; 2] = [9..=10, 4..=8];

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

    /// Runs [`NetworkWeights::check_sums`] on positions of random games, on each board of each network.
    pub(super) fn check_sums(&self) -> Result<(), String> {
        self.named().into_iter().zip(EDGES).try_for_each(|((name, network), edges)| {
            let Some(network) = network else { return Ok(()) };
            let inputs = edges.filter_map(Size::new).flat_map(random_inputs);
            network.check_sums(inputs).map_err(|problem| format!("network {name}: {problem}"))
        })
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

    /// Checks that the engine's integers hold the sums of these positions: 16 bits a hidden unit, 32 the output.
    ///
    /// # Errors
    /// The first sum that does not fit.
    pub fn check_sums(&self, positions: impl IntoIterator<Item = Inputs>) -> Result<(), String> {
        positions.into_iter().try_for_each(|inputs| {
            let hidden = self.hidden(&inputs);
            if let Some(&unit) = hidden.iter().find(|&&unit| i16::try_from(unit).is_err()) {
                return Err(too_large("a hidden unit", f64::from(unit)));
            }
            let products = hidden.iter().zip(&self.output[0]);
            // ReLU makes a sum only smaller.
            let sum: i64 = products.map(|(&unit, &weight)| (i64::from(unit) * i64::from(weight)).abs()).sum();
            if sum > i32::MAX.into() {
                Err(too_large("the output", sum as f64 / f64::from(ONE)))
            } else {
                Ok(())
            }
        })
    }

    /// The hidden units of a position before ReLU.
    pub fn hidden(&self, inputs: &Inputs) -> [i32; HIDDEN] {
        let mut hidden = [0; HIDDEN];
        let mut add = |row: &[i16], times: u8| {
            for (unit, &weight) in hidden.iter_mut().zip(row) {
                *unit += i32::from(weight) * i32::from(times);
            }
        };
        add(&self.plies[usize::from(inputs.ply)], 1);
        self.counts.iter().zip(inputs.counts).for_each(|(row, times)| add(row, times));
        for (side, amazons) in inputs.amazons.iter().enumerate() {
            for classes in amazons.iter().flatten() {
                for (rows, &class) in [&self.freedom, &self.sole, &self.contested].into_iter().zip(classes) {
                    add(&rows[side * rows.len() / 2 + usize::from(class)], 1);
                }
            }
        }
        hidden
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

/// The message of a sum of so many units of `1 / ONE`.
pub fn too_large(what: &str, units: f64) -> String {
    format!("{what} is {:.1}, which does not fit the integers of the engine", units / f64::from(ONE))
}

/// The inputs of the positions of random games. Each move's side is drawn too, so that some games are lopsided.
fn random_inputs(size: Size) -> impl Iterator<Item = Inputs> {
    const GAMES: u64 = 2;
    let (mut maps, mut legal) = (DistanceMaps::default(), Vec::new());
    (0..GAMES).flat_map(move |seed| {
        let (mut rng, mut position, mut inputs) = (Rng::with_seed(seed), Position::start(size), Vec::new());
        loop {
            inputs.extend(
                [position, position.with_side(position.side().opponent())]
                    .map(|position| Inputs::of::<PortableLanes>(&position, &mut maps)),
            );
            legal.clear();
            legal.extend(position.legal_moves());
            let Some(mv) = rng.choice(&legal) else { return inputs };
            position = position.with_move(*mv);
            if rng.bool() {
                position = position.with_side(position.side().opponent());
            }
        }
    })
}

/// Formats strings and numbers as JSON.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
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
