//! Weights files: their format and its reader. The built-in file is `fitted.json`; `lab fit-network` and
//! `lab fit-policy` write others, for `model=FILE`.
//!
//! ```json
//! {
//!   "priors": {"small": {"trained": "from which games", "movements": [[[1.23, 0.0]]], "arrows": [[[0.5, 0.0]]],
//!     "movement_rows": "AP8B", "arrow_rows": "AP8B"}},
//!   "networks": {"small": {"trained": "from which games", "counts": [[12, -3]], "output": [[240, 512]],
//!     "squares": "AP8B"}}
//! }
//! ```
//!
//! Linear weights of priors are indexed by stage, feature and class, see [`super::policy`]; the rows of their networks
//! are signed bytes in Base64, see [`super::policy_network`]. A network can have the weights of a [`super::lead`].
//! Networks of the evaluation are optional, see [`network`]. Versions up to 0.2 wrote a section `value` too, which is
//! ignored if the file has a network.

pub mod network;
#[cfg(feature = "packed")]
pub(super) mod packed;

use super::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, STAGES};
use super::policy_network::{self, UNITS};
use crate::board::square::Size;
use base64::prelude::{BASE64_STANDARD, Engine};
use network::{Networks, json};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fmt::Write;

/// Contents of a weights file: evaluation networks and priors.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsFile {
    #[serde(default)]
    value: Option<IgnoredAny>,
    /// Weights of the priors for each kind of board.
    pub priors: Priors,
    /// Evaluation networks. Where one is missing, the paper's evaluation is used.
    #[serde(default)]
    pub networks: Networks,
}

/// Priors of a weights file, for both kinds of boards.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Priors {
    /// Weights for boards larger than 8x8.
    pub standard: PriorWeights,
    /// Weights for boards up to 8x8.
    pub small: PriorWeights,
}

/// Weights of the priors for one kind of board.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriorWeights {
    /// Description of the training data.
    pub trained: String,
    /// Linear weights of movements, indexed by stage, feature and class.
    pub movements: Vec<Vec<Vec<f32>>>,
    /// Linear weights of arrows, indexed by stage, feature and class.
    pub arrows: Vec<Vec<Vec<f32>>>,
    /// Weight rows of the policy network for movements.
    pub movement_rows: Rows<UNITS>,
    /// Weight rows of the policy network for arrows.
    pub arrow_rows: Rows<UNITS>,
}

/// Rows of 8-bit weights, in the order of [`super::policy_network::PolicyNetwork::new`] or
/// [`super::square_layer::SquareLayer::new`].
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Rows<const WIDTH: usize>(pub Vec<[i8; WIDTH]>);

impl<const WIDTH: usize> TryFrom<String> for Rows<WIDTH> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bytes = BASE64_STANDARD.decode(text).map_err(|error| format!("rows in Base64: {error}"))?;
        if bytes.len() % WIDTH != 0 {
            return Err(format!("{} weights do not divide into rows of {WIDTH}", bytes.len()));
        }
        Ok(Self::of_bytes(&bytes))
    }
}

impl<const WIDTH: usize> Rows<WIDTH> {
    /// Reads rows of signed bytes; ignores an incomplete last row.
    fn of_bytes(bytes: &[u8]) -> Self {
        Self(bytes.as_chunks().0.iter().map(|row| row.map(|byte| byte as i8)).collect())
    }

    fn write(&self) -> String {
        BASE64_STANDARD.encode(bytemuck::cast_slice(self.0.as_flattened()))
    }
}

impl WeightsFile {
    /// Text of the built-in weights file.
    pub const BUILT_IN: &str = include_str!("fitted.json");

    /// Returns the built-in weights.
    pub fn built_in() -> Self {
        Self::parse(Self::BUILT_IN).expect("a test reads the file that is built in")
    }

    /// Parses the contents of a weights file.
    ///
    /// # Errors
    /// Fails if the text is not JSON, if weights are missing, superfluous or not finite, or if a network's sums
    /// overflow the engine's integers.
    pub fn read(text: &str) -> Result<Self, String> {
        let file = Self::parse(text)?;
        file.networks.check()?;
        Ok(file)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut file: Self = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| format!("is not a weights file: {error}"))?;
        if file.value.take().is_some() && file.networks == Networks::default() {
            return Err(
                "its section `value` holds weights of an evaluation that networks have replaced, and it has \
                        no network: train one with `lab fit-network`, or remove the section to play with the \
                        paper's evaluation"
                    .into(),
            );
        }
        for weights in [&mut file.priors.standard, &mut file.priors.small] {
            // Older files lack the last two features of arrows: their weights are then 0.
            for stage in weights.arrows.iter_mut().filter(|stage| stage.len() == ARROW_FEATURES.len() - 2) {
                let newer = &ARROW_FEATURES[stage.len()..];
                stage.extend(newer.iter().map(|&classes| vec![0.0; classes]));
            }
        }
        for (name, weights, size) in file.priors.named() {
            check_priors(&format!("{name}, movements"), &weights.movements, &MOVEMENT_FEATURES)?;
            check_priors(&format!("{name}, arrows"), &weights.arrows, &ARROW_FEATURES)?;
            let wanted = policy_network::rows(size.edge());
            for Rows(rows) in [&weights.movement_rows, &weights.arrow_rows] {
                check_count(&format!("priors {name}"), "rows", rows.len(), wanted)?;
            }
        }
        Ok(file)
    }

    /// Formats the weights as the text of a file, with one row of numbers per line.
    pub fn write(&self) -> String {
        let Self { priors, networks, .. } = self;
        let priors = priors.named().map(|(name, weights, _)| weights.write(name)).join(",\n");
        format!("{{\n  \"priors\": {{\n{priors}\n  }}{}\n}}\n", networks.write())
    }
}

impl Priors {
    /// Returns the weights for each kind of board, with its key in a file and its largest board size.
    fn named(&self) -> [(&'static str, &PriorWeights, Size); 2] {
        [("standard", &self.standard, Size::STANDARD), ("small", &self.small, Size::BOTZONE)]
    }
}

impl PriorWeights {
    fn write(&self, name: &str) -> String {
        let mut text = format!("    \"{name}\": {{\n      \"trained\": {}", json(&self.trained));
        for (name, stages) in [("movements", &self.movements), ("arrows", &self.arrows)] {
            let stages = stages.iter().map(|features| list(features.iter().map(json), 8));
            let _ = write!(text, ",\n      \"{name}\": {}", list(stages, 6));
        }
        for (name, rows) in [("movement_rows", &self.movement_rows), ("arrow_rows", &self.arrow_rows)] {
            let _ = write!(text, ",\n      \"{name}\": \"{}\"", rows.write());
        }
        text + "\n    }"
    }
}

/// Formats a JSON list with one element per line; `indent` is the number of spaces before the closing bracket.
fn list(elements: impl Iterator<Item = String>, indent: usize) -> String {
    let lines: Vec<String> = elements.map(|element| format!("{:indent$}  {element}", "")).collect();
    format!("[\n{}\n{:indent$}]", lines.join(",\n"), "")
}

fn check_priors(name: &str, stages: &[Vec<Vec<f32>>], features: &[usize]) -> Result<(), String> {
    check_count(name, "stages", stages.len(), STAGES)?;
    for (number, stage) in (1..).zip(stages) {
        let place = format!("{name}, stage {number}");
        check_count(&place, "features", stage.len(), features.len())?;
        for (feature, (row, &classes)) in (1..).zip(stage.iter().zip(features)) {
            let place = format!("{place}, feature {feature}");
            check_count(&place, "weights", row.len(), classes)?;
            if let Some(weight) = row.iter().find(|weight| !weight.is_finite()) {
                return Err(format!("{place}: {weight} is not a valid weight"));
            }
        }
    }
    Ok(())
}

fn check_count(place: &str, what: &str, found: usize, wanted: usize) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{place}: {found} {what}, expected {wanted}")) }
}
