//! Networks and priors of a weights file, converted for inference.

use super::inputs;
use super::lead::LeadWeights;
use super::network::Network;
use super::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, Policy, PolicyWeights, classes};
use super::policy_network::PolicyNetwork;
use super::weights::{PriorWeights, WeightsFile};
use crate::board::position::Position;
use crate::board::square::Size;
use std::sync::LazyLock;

/// Networks and policies of a weights file, converted for inference.
#[derive(Clone, PartialEq, Debug)]
pub struct Fitted {
    /// Policies: `[0]` for boards above 8x8, `[1]` for boards up to 8x8.
    policies: [Policy; 2],
    /// Networks: `[0]` for boards above 8x8, `[1]` for boards up to 8x8.
    networks: [Option<Box<Network>>; 2],
    /// Weights of the lead for each network; `None` in files without them.
    leads: [Option<Box<LeadWeights>>; 2],
}

static BUILT_IN: LazyLock<Fitted> = LazyLock::new(|| {
    #[cfg(feature = "packed")]
    let file = super::weights::packed::built_in();
    #[cfg(not(feature = "packed"))]
    let file = WeightsFile::built_in();
    Fitted::new(&file)
});

impl Fitted {
    /// Converts the contents of a weights file.
    pub fn new(file: &WeightsFile) -> Self {
        Self {
            networks: [&file.networks.standard, &file.networks.small]
                .map(|weights| weights.as_ref().map(|weights| weights.network.clone())),
            leads: [&file.networks.standard, &file.networks.small]
                .map(|weights| weights.as_ref()?.lead.clone()),
            policies: [(&file.priors.standard, Size::STANDARD), (&file.priors.small, Size::BOTZONE)]
                .map(|(weights, size)| policy(weights, size.edge())),
        }
    }

    /// Returns the built-in networks and policies; the first call parses them.
    #[inline(always)]
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Returns the network for a position; `None` if the file has none for its board, or a side has too many amazons.
    #[inline(always)]
    pub fn network(&self, position: &Position) -> Option<&Network> {
        let network = &self.networks[kind(position.size())];
        network.as_deref().filter(|_| inputs::are_defined(position))
    }

    /// Returns the weights of the lead for boards of this size, if any.
    pub fn lead(&self, size: Size) -> Option<&LeadWeights> {
        self.leads[kind(size)].as_deref()
    }

    /// Checks that the file has a network for boards of this size. Files without networks pass.
    ///
    /// # Errors
    /// Fails if the file was fitted for the other kind of board (up to 8x8, or larger): only that kind has a network,
    /// or only its weights differ from the built-in ones.
    pub fn check_board(&self, size: Size) -> Result<(), String> {
        let (edge, built_in) = (size.edge(), Self::built_in());
        let here = kind(size);
        let is_own = |kind: usize| {
            self.networks[kind] != built_in.networks[kind] || self.policies[kind] != built_in.policies[kind]
        };
        let is_missing = self.networks[here].is_none() && self.networks[1 - here].is_some();
        if !is_missing && (is_own(here) || !is_own(1 - here)) {
            return Ok(());
        }
        let boards = ["up to 8x8", "above 8x8"][here];
        Err(format!(
            "its network is for boards {boards}, not for {edge}x{edge}: fit one to games on that board"
        ))
    }

    /// Returns the policy for boards of this size.
    #[inline(always)]
    pub fn policy(&self, size: Size) -> &Policy {
        &self.policies[kind(size)]
    }
}

/// Returns the index of a board size in [`Fitted::policies`] and [`Fitted::networks`].
#[inline(always)]
fn kind(size: Size) -> usize {
    usize::from(size.edge() <= Size::BOTZONE.edge())
}

fn policy(weights: &PriorWeights, edge: usize) -> Policy {
    let PriorWeights { movements, arrows, movement_rows, arrow_rows, .. } = weights;
    Policy {
        movements: flat::<{ classes(&MOVEMENT_FEATURES) }>(movements),
        arrows: flat::<{ classes(&ARROW_FEATURES) }>(arrows),
        movement_network: PolicyNetwork::new(edge, &movement_rows.0),
        arrow_network: PolicyNetwork::new(edge, &arrow_rows.0),
    }
}

/// Concatenates the weights of all classes of all features into one row for each stage.
fn flat<const CLASSES: usize>(stages: &[Vec<Vec<f32>>]) -> PolicyWeights<CLASSES> {
    std::array::from_fn(|stage| {
        let mut row = [0.0; CLASSES];
        row.iter_mut().zip(stages[stage].iter().flatten()).for_each(|(weight, &of_file)| *weight = of_file);
        row
    })
}
