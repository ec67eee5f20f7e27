//! An evaluator: a model and the SIMD kernel that computes it.

use super::model::{Model, ModelScratch};
use super::winrate::Value;
use crate::board::moves::Movement;
use crate::board::position::{ArrowPhase, Position};
use crate::board::square::Square;
use crate::simd::{Kernel, dispatch};

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

    /// Selects the kernel; falls back to the fastest that this processor supports.
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel: kernel.min(Kernel::fastest()), ..self }
    }

    /// Returns the kernel in use.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Returns the value of a position for the side to move.
    #[inline]
    pub fn value(&self, position: &Position, scratch: &mut ModelScratch) -> Value {
        dispatch!(self.kernel, L => self.model.value::<L>(position, scratch))
    }

    /// Returns all movements with their logits. The search uses `softmax(logit / temperature)` as priors.
    pub fn movement_logits(&self, position: &Position, scratch: &mut ModelScratch) -> Vec<(Movement, f32)> {
        let mut logits = Vec::new();
        let mut list = |movement, logit| logits.push((movement, logit));
        dispatch!(self.kernel, L => self.model.movement_logits::<L>(position, scratch, &mut list));
        logits
    }

    /// Returns all arrows after a movement with their logits, see [`Self::movement_logits`].
    pub fn arrow_logits(&self, arrow_phase: &ArrowPhase, scratch: &mut ModelScratch) -> Vec<(Square, f32)> {
        let mut logits = Vec::new();
        let mut list = |arrow, logit| logits.push((arrow, logit));
        dispatch!(self.kernel, L => self.model.arrow_logits::<L>(arrow_phase, scratch, &mut list));
        logits
    }
}
