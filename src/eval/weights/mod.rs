//! Files of fitted weights: their format and its one reader. The file that is built in is `fitted.json`; `lab fit-eval`,
//! `lab fit-network` and `lab fit-policy` write others, which `model=FILE` plays with.
//!
//! ```json
//! {
//!   "value": {
//!     "terms": ["queen-lead-1", "..."],
//!     "standard": {"trained": "from which games", "knots": [{"ply": 5, "weights": [0.0793, -0.023]}]},
//!     "small": {"trained": "...", "knots": []}
//!   },
//!   "priors": {"trained": "...", "movements": [[[1.23, 0.0]]], "arrows": [[[0.5, 0.0]]]},
//!   "networks": {"standard": {"trained": "...", "counts": [[12, -3]]}}
//! }
//! ```
//!
//! A weight of the value belongs to a term at a ply, see [`super::terms`]; a weight of the priors to a stage of the
//! game, a feature and a class of it, see [`super::policy`]. Networks may be missing, see [`network`].

pub mod network;
#[cfg(botzone_only)]
mod packed;

use super::fitted::PLIES;
use super::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, STAGES};
use super::terms::{NAMES, TERMS};
use network::Networks;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What a file of weights holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsFile {
    /// Of the evaluation.
    pub value: ValueWeights,
    /// Of the priors.
    pub priors: PriorWeights,
    /// Of the networks that take the place of the terms, if there are any.
    #[serde(default)]
    pub networks: Networks,
}

/// Weights of the evaluation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueWeights {
    /// The terms that the weights are of: [`NAMES`].
    pub terms: Vec<String>,
    /// For boards larger than 8x8.
    pub standard: Course,
    /// For boards up to 8x8, where a square is worth more.
    pub small: Course,
}

/// How the weights change in the course of a game: in straight lines from knot to knot.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Course {
    /// What they were fitted to.
    pub trained: String,
    /// At least one, their plies ascending.
    pub knots: Vec<Knot>,
}

/// The weights at one ply.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knot {
    /// Of a game on 10x10, 0 to 92.
    pub ply: usize,
    /// Log-odds for a unit of each term.
    pub weights: Vec<f32>,
}

/// Weights of the priors.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriorWeights {
    /// What they were fitted to.
    pub trained: String,
    /// Logits by stage, feature and class of movements.
    pub movements: Vec<Vec<Vec<f32>>>,
    /// The same of arrows.
    pub arrows: Vec<Vec<Vec<f32>>>,
}

impl WeightsFile {
    /// The file with the weights that the bot plays with.
    pub const BUILT_IN: &str = include_str!("fitted.json");

    /// The weights that the bot plays with. A test has checked their sums.
    pub fn built_in() -> Self {
        #[cfg(botzone_only)]
        return packed::built_in();
        #[cfg(not(botzone_only))]
        Self::parse(Self::BUILT_IN).expect("a test reads the file that is built in")
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// What is wrong with it: no JSON, other terms or features than these, a number that is none, sums that leave the
    /// integers of the engine.
    ///
    /// ```
    /// use otrera::eval::weights::WeightsFile;
    ///
    /// let weights = WeightsFile::read(WeightsFile::BUILT_IN).unwrap();
    /// assert_eq!(weights.value.terms[0], "queen-lead-1");
    /// assert!(WeightsFile::read("{}").unwrap_err().contains("missing field"));
    /// ```
    pub fn read(text: &str) -> Result<Self, String> {
        let file = Self::parse(text)?;
        // Botzone's build has no file to read, and no room.
        if cfg!(not(botzone_only)) {
            file.networks.check_sums()?;
        }
        Ok(file)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: Self = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| format!("is no file of weights: {error}"))?;
        if file.value.terms != NAMES {
            return Err(format!(
                "the terms of the evaluation are not those of this version: {}",
                NAMES.join(", ")
            ));
        }
        file.value.standard.check("standard")?;
        file.value.small.check("small")?;
        check_priors("movements", &file.priors.movements, &MOVEMENT_FEATURES)?;
        check_priors("arrows", &file.priors.arrows, &ARROW_FEATURES)?;
        file.networks.check()?;
        Ok(file)
    }

    /// The text of the file, a row of numbers on each line.
    pub fn write(&self) -> String {
        let Self { value, priors, networks } = self;
        let mut text = format!("{{\n  \"value\": {{\n    \"terms\": {},\n", json(&value.terms));
        for (name, course, end) in [("standard", &value.standard, ","), ("small", &value.small, "")] {
            let knots: Vec<String> =
                course.knots.iter().map(|knot| format!("      {}", json(knot))).collect();
            let (trained, knots) = (json(&course.trained), knots.join(",\n"));
            let _ = writeln!(
                text,
                "    \"{name}\": {{\"trained\": {trained}, \"knots\": [\n{knots}\n    ]}}{end}"
            );
        }
        let _ = writeln!(text, "  }},\n  \"priors\": {{\n    \"trained\": {},", json(&priors.trained));
        for (name, stages, end) in [("movements", &priors.movements, ","), ("arrows", &priors.arrows, "")] {
            let stages: Vec<String> = stages
                .iter()
                .map(|features| {
                    let rows: Vec<String> =
                        features.iter().map(|row| format!("        {}", json(row))).collect();
                    format!("      [\n{}\n      ]", rows.join(",\n"))
                })
                .collect();
            let _ = writeln!(text, "    \"{name}\": [\n{}\n    ]{end}", stages.join(",\n"));
        }
        text + "  }" + &networks.write() + "\n}\n"
    }
}

/// The JSON of what cannot fail to be written: numbers and names.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

impl Course {
    fn check(&self, name: &str) -> Result<(), String> {
        let plies: Vec<usize> = self.knots.iter().map(|knot| knot.ply).collect();
        if plies.is_empty() || !plies.is_sorted_by(|a, b| a < b) || plies.iter().any(|&ply| ply >= PLIES) {
            return Err(format!("{name}: the knots want ascending plies from 0 to {}: {plies:?}", PLIES - 1));
        }
        for knot in &self.knots {
            check_row(&format!("{name}, ply {}", knot.ply), &knot.weights, TERMS)?;
        }
        Ok(())
    }
}

fn check_priors(name: &str, stages: &[Vec<Vec<f32>>], features: &[usize]) -> Result<(), String> {
    if stages.len() != STAGES {
        return Err(format!("{name}: {} stages, and {STAGES} are wanted", stages.len()));
    }
    for (number, stage) in (1..).zip(stages) {
        if stage.len() != features.len() {
            let (found, wanted) = (stage.len(), features.len());
            return Err(format!("{name}, stage {number}: {found} features, and {wanted} are wanted"));
        }
        for (feature, (row, &classes)) in (1..).zip(stage.iter().zip(features)) {
            check_row(&format!("{name}, stage {number}, feature {feature}"), row, classes)?;
        }
    }
    Ok(())
}

fn check_row(place: &str, row: &[f32], wanted: usize) -> Result<(), String> {
    if row.len() != wanted {
        return Err(format!("{place}: {} weights, and {wanted} are wanted", row.len()));
    }
    match row.iter().find(|weight| !weight.is_finite()) {
        Some(weight) => Err(format!("{place}: {weight} is no weight")),
        None => Ok(()),
    }
}
