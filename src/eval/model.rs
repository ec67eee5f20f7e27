//! Models: the value of a leaf and the logits of its half-moves, behind one interface for the search.
//!
//! A model is an enum rather than a trait parameter, so that the search is compiled once per kernel, not once per
//! kernel and model. The branch on the variant costs nothing: it is always predicted.

use super::distance::{DistanceMaps, MAX_STEPS};
use super::distance_bytes::write_distances;
use super::fitted::Fitted;
use super::inputs;
use super::lead::LeadInputs;
use super::network::Network;
use super::phased::PhasedWeights;
use super::ply::standard_ply;
use super::policy::{Arrows, Movements, softmax, stage};
use super::square_classes::QUEEN_STEPS;
use super::weights::WeightsFile;
use super::winrate::{Value, ValueLink, WinRate};
use crate::board::moves::Movement;
use crate::board::position::{ArrowPhase, Position};
use crate::board::square::{Size, Square};
use crate::simd::{Kernel, Lanes, dispatch};
use std::fmt;
use std::sync::Arc;

/// An evaluation of positions, and a policy whose logits give the priors.
#[derive(Clone, PartialEq, Debug)]
pub enum Model {
    /// The phased evaluation of the MG-PEO paper. It defines no priors; the built-in ones are used.
    Paper(PhasedWeights),
    /// The built-in network and priors. For a position without a network, the value is the paper's evaluation divided
    /// by [`PhasedWeights::SQUARES_PER_LOG_ODDS`].
    Fitted,
    /// Like [`Self::Fitted`], with networks and priors from a weights file.
    File(Arc<Fitted>),
}

/// Scratch space for a [`Model`]. Each thread keeps its own and reuses it between calls.
#[derive(Clone, Debug, Default)]
pub struct ModelScratch {
    maps: DistanceMaps,
}

impl Model {
    /// The paper's evaluation with the weights of its table 1.
    pub const PAPER: Self = Self::Paper(PhasedWeights::PAPER);

    /// Reads a model from the text of a weights file.
    ///
    /// # Errors
    /// Returns the first error in the text, see [`WeightsFile::read`].
    pub fn from_weights(text: &str) -> Result<Self, String> {
        Ok(Self::File(Arc::new(Fitted::new(&WeightsFile::read(text)?))))
    }

    /// Returns the networks and policies of the model; for [`Self::Paper`] the built-in ones.
    #[inline(always)]
    pub fn fitted(&self) -> &Fitted {
        match self {
            Self::File(fitted) => fitted,
            Self::Paper(_) | Self::Fitted => Fitted::built_in(),
        }
    }

    /// Checks that a weights file has a network for boards of this size, see [`Fitted::check_board`].
    ///
    /// # Errors
    /// Returns a message if the file was fitted for other boards.
    pub fn check_board(&self, size: Size) -> Result<(), String> {
        match self {
            Self::File(fitted) => fitted.check_board(size),
            Self::Paper(_) | Self::Fitted => Ok(()),
        }
    }

    /// Returns the value of a position for the side to move: in squares for [`Self::Paper`], else in
    /// log-odds.
    #[inline(always)]
    pub(crate) fn value<L: Lanes>(&self, position: &Position, scratch: &mut ModelScratch) -> Value {
        L::call(
            #[inline(always)]
            move || {
                let maps = &mut scratch.maps;
                let (weights, scale) = match self {
                    Model::Paper(weights) => (weights, 1.0),
                    Model::Fitted | Model::File(_) => {
                        if let Some(network) = self.fitted().network(position) {
                            let reach = maps.flood_each::<L>(position, inputs::QUEEN_STEPS);
                            return network.value::<L>(position, maps, &reach);
                        }
                        (&PhasedWeights::PAPER, PhasedWeights::SQUARES_PER_LOG_ODDS)
                    }
                };
                Value(weights.value::<L>(position, maps).0 / scale)
            },
        )
    }

    /// Returns the inputs of the lead in a position; `None` if the model has no network for it.
    pub fn lead_inputs(&self, position: &Position, scratch: &mut ModelScratch) -> Option<LeadInputs> {
        let network = self.network(position)?;
        let hidden = dispatch!(Kernel::fastest(), L => {
            let reach = scratch.maps.flood_each::<L>(position, inputs::QUEEN_STEPS);
            network.hidden::<L>(position, &scratch.maps, &reach)
        });
        Some(LeadInputs::new(&hidden, standard_ply(position)))
    }

    /// Returns the lead in moves that the model expects for the side to move; `None` if its weights have no lead.
    pub fn lead(&self, position: &Position, scratch: &mut ModelScratch) -> Option<f32> {
        let weights = self.fitted().lead(position.size())?;
        Some(self.lead_inputs(position, scratch)?.lead(weights))
    }

    /// Returns the value and the lead of a position: both from one hidden layer, in the time of the value alone.
    #[inline(always)]
    fn value_and_lead<L: Lanes>(
        &self,
        position: &Position,
        scratch: &mut ModelScratch,
    ) -> (Value, Option<f32>) {
        let Some(network) = self.network(position) else {
            return (self.value::<L>(position, scratch), None);
        };
        let reach = scratch.maps.flood_each::<L>(position, inputs::QUEEN_STEPS);
        let hidden = network.hidden::<L>(position, &scratch.maps, &reach);
        let weights = self.fitted().lead(position.size());
        let lead = weights.map(|weights| LeadInputs::new(&hidden, standard_ply(position)).lead(weights));
        (network.value_of(&hidden), lead)
    }

    /// Returns the network that evaluates a position; `None` for [`Self::Paper`] and without a fitting network.
    #[inline(always)]
    fn network(&self, position: &Position) -> Option<&Network> {
        match self {
            Self::Paper(_) => None,
            Self::Fitted | Self::File(_) => self.fitted().network(position),
        }
    }

    /// Converts a value to a probability of winning, 0 to 1.
    #[inline(always)]
    pub fn win_rate(&self, value: Value) -> WinRate {
        match self {
            Self::Paper(weights) => weights.link.win_rate(value),
            Self::Fitted | Self::File(_) => ValueLink::LOG_ODDS.win_rate(value),
        }
    }

    /// Calls `found` with every movement and its logit. The prior is the softmax, `exp(logit) / sum of exp(logit)`.
    #[inline(always)]
    pub(crate) fn movement_logits<L: Lanes>(
        &self,
        position: &Position,
        scratch: &mut ModelScratch,
        mut found: impl FnMut(Movement, f32),
    ) {
        scratch.maps.flood_queen_steps::<L>(position, QUEEN_STEPS);
        let movements = Movements::new::<L>(position, &scratch.maps);
        let (policy, stage) = (self.fitted().policy(position.size()), stage(position));
        let network = &policy.movement_network;
        let hidden = network.hidden::<L>(&movements.codes);
        movements.for_each(position, |movement, features| {
            let linear = policy.movement_logit(stage, &features);
            found(movement, linear + network.logit(hidden, movement.from, movement.to));
        });
    }

    /// Calls `found` with every arrow target and its logit.
    #[inline(always)]
    pub(crate) fn arrow_logits<L: Lanes>(
        &self,
        arrow_phase: &ArrowPhase,
        scratch: &mut ModelScratch,
        mut found: impl FnMut(Square, f32),
    ) {
        let position = arrow_phase.position();
        scratch.maps.flood_queen_steps::<L>(position, QUEEN_STEPS);
        let arrows = Arrows::new::<L>(arrow_phase, &scratch.maps);
        let (policy, stage) = (self.fitted().policy(position.size()), stage(position));
        let network = &policy.arrow_network;
        let hidden = network.hidden::<L>(&arrows.codes);
        arrows.for_each(arrow_phase, |arrow, features| {
            let linear = policy.arrow_logit(stage, &features);
            found(arrow, linear + network.logit(hidden, arrow_phase.amazon(), arrow));
        });
    }
}

/// A model and the SIMD kernel that computes it.
#[derive(Clone, Debug)]
pub struct Evaluator {
    model: Model,
    kernel: Kernel,
}

impl Evaluator {
    /// Creates an evaluator with the fastest kernel of this processor.
    pub fn new(model: Model) -> Self {
        Self { model, kernel: Kernel::fastest() }
    }

    /// Selects the kernel; falls back to the fastest one if this processor does not support it.
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel: kernel.min(Kernel::fastest()), ..self }
    }

    /// Returns the kernel in use.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Returns the value of a position for the side to move.
    // Not inline: the search has compiled this code for each kernel already.
    pub fn value(&self, position: &Position, scratch: &mut ModelScratch) -> Value {
        dispatch!(self.kernel, L => self.model.value::<L>(position, scratch))
    }

    /// Returns the inputs of the lead in a position, see [`Model::lead_inputs`].
    pub fn lead_inputs(&self, position: &Position, scratch: &mut ModelScratch) -> Option<LeadInputs> {
        self.model.lead_inputs(position, scratch)
    }

    /// Returns the value and the lead of a position ([`Self::value`], [`Model::lead`]) in the time of the value alone.
    #[inline]
    pub fn value_and_lead(&self, position: &Position, scratch: &mut ModelScratch) -> (Value, Option<f32>) {
        dispatch!(self.kernel, L => self.model.value_and_lead::<L>(position, scratch))
    }

    /// Returns all movements with their logits. The search uses `softmax(logit / temperature)` as priors.
    #[inline]
    pub fn movement_logits(&self, position: &Position, scratch: &mut ModelScratch) -> Vec<(Movement, f32)> {
        let mut logits = Vec::new();
        self.for_each_movement(position, scratch, |movement, logit| logits.push((movement, logit)));
        logits
    }

    /// Calls `found` with every movement and its logit.
    #[inline]
    pub fn for_each_movement(
        &self,
        position: &Position,
        scratch: &mut ModelScratch,
        mut found: impl FnMut(Movement, f32),
    ) {
        let found = &mut found;
        dispatch!(self.kernel, L => self.model.movement_logits::<L>(position, scratch, found));
    }

    /// Returns all arrow targets after a movement with their logits, see [`Self::movement_logits`].
    #[inline]
    pub fn arrow_logits(&self, arrow_phase: &ArrowPhase, scratch: &mut ModelScratch) -> Vec<(Square, f32)> {
        let mut logits = Vec::new();
        self.for_each_arrow(arrow_phase, scratch, |arrow, logit| logits.push((arrow, logit)));
        logits
    }

    /// Calls `found` with every arrow target after a movement and its logit.
    #[inline]
    pub fn for_each_arrow(
        &self,
        arrow_phase: &ArrowPhase,
        scratch: &mut ModelScratch,
        mut found: impl FnMut(Square, f32),
    ) {
        let found = &mut found;
        dispatch!(self.kernel, L => self.model.arrow_logits::<L>(arrow_phase, scratch, found));
    }

    /// Replaces logits by their softmax: probabilities whose sum is 1.
    #[inline]
    pub fn softmax(&self, logits: &mut [f32]) {
        dispatch!(self.kernel, L => softmax(logits));
    }

    /// Writes the distances of all squares into `cells`: by side (Black, White), by kind of move (queen, king), row and
    /// column. A square that is occupied or not reached has the distance 255. Panics unless `cells` has four bytes for each
    /// square.
    #[inline]
    pub fn write_distances(&self, position: &Position, scratch: &mut ModelScratch, cells: &mut [u8]) {
        let maps = &mut scratch.maps;
        dispatch!(self.kernel, L => {
            maps.flood_queen_steps::<L>(position, MAX_STEPS);
            write_distances::<L>(maps, position.size(), cells);
        });
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Paper(_) => f.write_str("paper"),
            Self::Fitted => f.write_str("fitted"),
            Self::File(_) => f.write_str("file"),
        }
    }
}
