//! Simulation of a new node: random rollouts, then the evaluation of where they end.

use super::params::{PaperParams, Parallel, Rollouts};
use super::playout::Playouts;
use super::rollout::{End, rollout};
use crate::board::position::Position;
use crate::board::square::Side;
use crate::board::state::State;
use crate::eval::distance::DistanceMaps;
use crate::eval::parallel;
use crate::eval::phased::PhasedWeights;
use crate::eval::winrate::{Value, WinRate};
use crate::simd::{Kernel, Lanes, dispatch};
use crate::threads;
use fastrand::Rng;

/// Simulates new nodes.
#[derive(Clone, Debug)]
pub struct Simulator {
    rollouts: Rollouts,
    evaluation: Evaluation,
    kernel: Kernel,
    rng: Rng,
    /// Buffers of the two rollouts, which may run in parallel.
    maps: [DistanceMaps; 2],
    playouts: Playouts,
}

/// Evaluates where rollouts end.
#[derive(Clone, Debug)]
struct Evaluation {
    weights: PhasedWeights,
    parallel: Parallel,
}

impl Simulator {
    /// Creates a simulator. `threaded` is true if its caller runs in a thread pool; otherwise every mode of
    /// [`Parallel`] runs serially, with the same result.
    pub fn new(params: &PaperParams, seed: u64, threaded: bool) -> Self {
        let parallel = if threaded { params.parallel } else { Parallel::Off };
        Self {
            rollouts: params.rollouts,
            evaluation: Evaluation { weights: PhasedWeights::PAPER, parallel },
            kernel: Kernel::fastest(),
            rng: Rng::with_seed(seed),
            maps: Default::default(),
            playouts: Playouts::default(),
        }
    }

    /// Replaces the weights of the evaluation, for tests.
    pub fn with_weights(self, weights: PhasedWeights) -> Self {
        Self { evaluation: Evaluation { weights, ..self.evaluation }, ..self }
    }

    /// Selects the SIMD [`Kernel`], for tests; falls back to the fastest that this processor supports.
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel: kernel.min(Kernel::fastest()), ..self }
    }

    /// Simulation (algorithm 3, lines 15 to 20): returns Black's win rate. At a movement node (figure 2) a random
    /// arrow comes first.
    pub fn simulation(&mut self, state: &State) -> WinRate {
        dispatch!(self.kernel, L => self.simulation_with::<L>(state))
    }

    #[inline(always)]
    fn simulation_with<L: Lanes>(&mut self, state: &State) -> WinRate {
        let position = match state {
            State::ToMove(position) => *position,
            State::ToShoot(arrow_phase) => arrow_phase.with_arrow(arrow_phase.random_arrow(&mut self.rng)),
        };
        match self.rollouts {
            Rollouts::One(depth) => self.one_rollout::<L>(position, depth),
            Rollouts::Two(depth, other_depth) => self.two_rollouts::<L>(position, [depth, other_depth]),
            Rollouts::ToEnd => match self.playouts.winner(&position, &mut self.rng) {
                Some(Side::Black) => WinRate::WIN,
                Some(Side::White) => WinRate::LOSS,
                // More amazons than a playout supports.
                None => self.one_rollout::<L>(position, u32::MAX),
            },
        }
    }

    #[inline(always)]
    fn one_rollout<L: Lanes>(&mut self, position: Position, depth: u32) -> WinRate {
        let rng = Rng::with_seed(self.rng.u64(..));
        self.evaluation.after_rollout::<L>(position, depth, rng, &mut self.maps[0])
    }

    /// The Shallow Rollout strategy (section 3.3): averages two independent rollouts.
    #[inline(always)]
    fn two_rollouts<L: Lanes>(&mut self, position: Position, [depth, other_depth]: [u32; 2]) -> WinRate {
        // One generator per rollout, so that serial and parallel rollouts draw the same random numbers.
        let [rng, other_rng] = [(); 2].map(|()| Rng::with_seed(self.rng.u64(..)));
        let (evaluation, [maps, other_maps]) = (&self.evaluation, &mut self.maps);
        let first = || evaluation.after_rollout::<L>(position, depth, rng, maps);
        let second = || evaluation.after_rollout::<L>(position, other_depth, other_rng, other_maps);
        let (one, other) = match evaluation.parallel {
            Parallel::Rollouts => threads::join(first, second),
            Parallel::Off | Parallel::Metrics => (first(), second()),
        };
        one.mean(other)
    }
}

impl Evaluation {
    /// Plays one rollout (line 18) and returns Black's win rate at its end (line 19).
    #[inline(always)]
    fn after_rollout<L: Lanes>(
        &self,
        start: Position,
        depth: u32,
        mut rng: Rng,
        maps: &mut DistanceMaps,
    ) -> WinRate {
        match rollout(start, depth, &mut rng) {
            End::Won(Side::Black) => WinRate::WIN,
            End::Won(Side::White) => WinRate::LOSS,
            End::Reached(position) => {
                let value = self.situation_evaluation::<L>(&position, maps);
                // The paper calls X a win rate and does not say how a value becomes one.
                let rate = self.weights.link.win_rate(value);
                if position.side() == Side::Black { rate } else { !rate }
            }
        }
    }

    /// SituationEvaluation (algorithm 2): equation 1 over the five metrics, for the side to move.
    fn situation_evaluation<L: Lanes>(&self, position: &Position, maps: &mut DistanceMaps) -> Value {
        if self.parallel == Parallel::Metrics {
            return parallel::value(position, &self.weights);
        }
        self.weights.value::<L>(position, maps)
    }
}
