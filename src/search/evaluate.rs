//! Leaf evaluation: the preset's rollouts, if any, then the model (MG-PEO paper, algorithm 3).

use super::params::{Parallel, Params, Rollouts};
use super::playout::Playouts;
use super::rollout::{End, random_arrow, random_half_moves};
use super::state::State;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::eval::model::{Model, ModelScratch};
use crate::eval::parallel;
use crate::eval::winrate::WinRate;
use crate::simd::{Kernel, Lanes, dispatch};
use crate::threads;
use fastrand::Rng;

/// Leaf evaluator: rollouts, then the model.
#[derive(Clone, Debug)]
pub struct LeafEvaluator {
    rollouts: Rollouts,
    model: Model,
    mode: Parallel,
    kernel: Kernel,
}

/// Buffers for leaf evaluation, reused between leaves. Each of two parallel rollouts has its own [`ModelScratch`].
#[derive(Clone, Debug, Default)]
pub struct EvaluationScratch {
    models: [ModelScratch; 2],
    playouts: Playouts,
}

impl LeafEvaluator {
    /// Creates an evaluator. `threaded` is true if the caller runs in a thread pool; otherwise every parallel mode runs
    /// serially, with the same result.
    pub fn new(params: &Params, threaded: bool) -> Self {
        Self {
            rollouts: params.rollouts,
            model: params.model.clone(),
            mode: if threaded { params.parallel } else { Parallel::Off },
            kernel: Kernel::fastest(),
        }
    }

    /// Selects the SIMD [`Kernel`]; falls back to the fastest that this processor supports.
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel: kernel.min(Kernel::fastest()), ..self }
    }

    /// Returns the kernel in use.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Evaluates a leaf: returns Black's winning rate, averaged over the rollouts of [`Params::rollouts`]. If the leaf
    /// is reached by a movement, shoots a random arrow first.
    #[inline]
    pub fn win_rate_for_black(
        &self,
        state: &State,
        rng: &mut Rng,
        scratch: &mut EvaluationScratch,
    ) -> WinRate {
        dispatch!(self.kernel, L => self.evaluate::<L>(state, rng, scratch))
    }

    /// Returns the model that evaluates the leaves.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Implements [`Self::win_rate_for_black`] for the instruction set of `L`, for which its caller must be compiled.
    #[inline(always)]
    pub(super) fn evaluate<L: Lanes>(
        &self,
        state: &State,
        rng: &mut Rng,
        scratch: &mut EvaluationScratch,
    ) -> WinRate {
        let position = match state {
            State::ToMove(position) => *position,
            State::ToShoot(arrow_phase) => arrow_phase.with_arrow(random_arrow(arrow_phase, rng)),
        };
        if self.rollouts == Rollouts::ToEnd
            && let Some(winner) = scratch.playouts.winner(&position, rng)
        {
            return if winner == Side::Black { WinRate::WIN } else { WinRate::LOSS };
        }
        let [first_scratch, second_scratch] = &mut scratch.models;
        // One generator per rollout, so that serial and parallel rollouts draw the same random numbers.
        let mut generator = || Rng::with_seed(rng.u64(..));
        let (depth, other_depth) = match self.rollouts {
            Rollouts::None => (0, None),
            Rollouts::One(depth) => (depth, None),
            Rollouts::Two(depth, other_depth) => (depth, Some(other_depth)),
            // Only for positions with more amazons than a playout supports.
            Rollouts::ToEnd => (u32::MAX, None),
        };
        let first_rng = generator();
        let Some(other_depth) = other_depth else {
            return self.rollout::<L>(position, depth, first_rng, first_scratch);
        };
        let second_rng = generator();
        if self.mode == Parallel::Rollouts {
            let (first, second) = threads::join(
                || self.rollout::<L>(position, depth, first_rng, first_scratch),
                || self.rollout::<L>(position, other_depth, second_rng, second_scratch),
            );
            return first.mean(second);
        }
        let first = self.rollout::<L>(position, depth, first_rng, first_scratch);
        first.mean(self.rollout::<L>(position, other_depth, second_rng, first_scratch))
    }

    /// Plays one rollout of `depth` half-moves and returns Black's winning rate at its end.
    #[inline(always)]
    fn rollout<L: Lanes>(
        &self,
        start: Position,
        depth: u32,
        mut rng: Rng,
        scratch: &mut ModelScratch,
    ) -> WinRate {
        match random_half_moves(start, depth, &mut rng) {
            End::Won(Side::Black) => WinRate::WIN,
            End::Won(Side::White) => WinRate::LOSS,
            End::Reached(position) => {
                let value = match self.mode {
                    Parallel::Metrics => parallel::value(&position, &self.model),
                    _ => self.model.value::<L>(&position, scratch),
                };
                let rate = self.model.win_rate(value);
                if position.side() == Side::Black { rate } else { !rate }
            }
        }
    }
}
