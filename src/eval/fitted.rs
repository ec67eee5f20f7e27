//! The fitted evaluation and the fitted priors, as tables from a file of [`super::weights`].

use super::STANDARD_EMPTY;
use super::network::Network;
use super::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, Policy, classes};
use super::weights::WeightsFile;
use crate::board::position::Position;
use crate::board::square::Size;
use std::sync::LazyLock;

/// Plies of the longest game on 10x10, the start counted.
pub const PLIES: usize = STANDARD_EMPTY as usize + 1;

/// All fitted weights, ready for use.
#[derive(Clone, PartialEq, Debug)]
pub struct Fitted {
    policy: Policy,
    networks: [Option<Box<Network>>; 2],
}

/// Those of [`WeightsFile::built_in`], read when they are first asked for.
static BUILT_IN: LazyLock<Fitted> = LazyLock::new(|| Fitted::new(&WeightsFile::built_in()));

impl Fitted {
    /// The weights of a file that [`WeightsFile::read`] found valid.
    pub fn new(file: &WeightsFile) -> Self {
        Self {
            networks: [&file.networks.standard, &file.networks.small]
                .map(|network| network.as_ref().map(|weights| Box::new(weights.build()))),
            policy: Policy {
                movements: flat::<{ classes(&MOVEMENT_FEATURES) }>(&file.priors.movements),
                arrows: flat::<{ classes(&ARROW_FEATURES) }>(&file.priors.arrows),
            },
        }
    }

    /// The weights that are built in.
    #[inline(always)]
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// The network for a position, if there is one.
    #[inline(always)]
    pub fn network(&self, position: &Position) -> Option<&Network> {
        let network = &self.networks[usize::from(position.size().edge() <= 8)];
        network.as_deref().filter(|_| Network::knows(position))
    }

    /// Checks that a network of these weights is for boards of this size, if there are any networks.
    ///
    /// # Errors
    /// The network is for other boards: here these weights have none, or only what is built in.
    pub fn check_board(&self, size: Size) -> Result<(), String> {
        let (edge, built_in) = (size.edge(), Self::built_in());
        let here = usize::from(edge <= 8);
        let is_own =
            |kind: usize| self.networks[kind].is_some() && self.networks[kind] != built_in.networks[kind];
        let is_missing = self.networks[here].is_none() && self.networks[1 - here].is_some();
        if !is_missing && (is_own(here) || !is_own(1 - here) || self.policy != built_in.policy) {
            return Ok(());
        }
        let boards = ["up to 8x8", "above 8x8"][here];
        Err(format!(
            "its network is for boards {boards}, not for {edge}x{edge}: fit one to games on that board"
        ))
    }

    /// The weights of the priors.
    #[inline(always)]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }
}

/// The classes of all features of a stage side by side.
fn flat<const CLASSES: usize>(stages: &[Vec<Vec<f32>>]) -> super::policy::PolicyWeights<CLASSES> {
    std::array::from_fn(|stage| {
        let mut row = [0.0; CLASSES];
        row.iter_mut().zip(stages[stage].iter().flatten()).for_each(|(weight, &of_file)| *weight = of_file);
        row
    })
}
