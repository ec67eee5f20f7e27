//! Weights files: their format and its reader. The built-in file is `fitted.json`; `lab fit-network` and
//! `lab fit-policy` write others, for `model=FILE`.
//!
//! ```json
//! {
//!   "priors": {"trained": "from which searches", "movements": [[[1.23, 0.0]]], "arrows": [[[0.5, 0.0]]]},
//!   "networks": {"small": {"trained": "from which games", "counts": [[12, -3]], "output": [[240, 512]]}}
//! }
//! ```
//!
//! Weights of priors are indexed by stage, feature and class, see [`super::policy`]. Networks are optional, see
//! [`network`]. Versions up to 0.2 wrote a section `value` too, which is ignored if the file has a network.

pub mod network;
#[cfg(botzone_only)]
pub(super) mod packed;

use super::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, STAGES};
use network::{Networks, json};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fmt::Write;

/// Contents of a weights file.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsFile {
    #[serde(default)]
    value: Option<IgnoredAny>,
    /// Weights of the priors.
    pub priors: PriorWeights,
    /// Networks; the paper's evaluation stands in for a missing one.
    #[serde(default)]
    pub networks: Networks,
}

/// Weights of the priors.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriorWeights {
    /// Description of the training data.
    pub trained: String,
    /// Logits of movements by stage, feature and class.
    pub movements: Vec<Vec<Vec<f32>>>,
    /// Logits of arrows by stage, feature and class.
    pub arrows: Vec<Vec<Vec<f32>>>,
}

impl WeightsFile {
    /// Text of the built-in weights file.
    pub const BUILT_IN: &str = include_str!("fitted.json");

    /// Returns the built-in weights.
    pub fn built_in() -> Self {
        Self::parse(Self::BUILT_IN).expect("a test reads the file that is built in")
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// The text is not JSON, a weight is missing or not finite, or the sums of a network overflow the engine's
    /// integers.
    pub fn read(text: &str) -> Result<Self, String> {
        let file = Self::parse(text)?;
        // Botzone's build has no file to read, and no room.
        if cfg!(not(botzone_only)) {
            file.networks.check_sums()?;
        }
        Ok(file)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut file: Self = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| format!("is no file of weights: {error}"))?;
        if file.value.take().is_some() && file.networks == Networks::default() {
            return Err(
                "its section `value` holds weights of an evaluation that networks have replaced, and it has \
                        no network: train one with `lab fit-network`, or remove the section to play with the \
                        paper's evaluation"
                    .into(),
            );
        }
        check_priors("movements", &file.priors.movements, &MOVEMENT_FEATURES)?;
        check_priors("arrows", &file.priors.arrows, &ARROW_FEATURES)?;
        Ok(file)
    }

    /// Writes the text of the file, with one row of numbers per line.
    pub fn write(&self) -> String {
        let Self { priors, networks, .. } = self;
        let mut text = format!("{{\n  \"priors\": {{\n    \"trained\": {},\n", json(&priors.trained));
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
