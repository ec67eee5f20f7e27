//! How good a position is, without search: the MG-PEO paper's phased evaluation, and a fitted one.
//!
//! [`distance`] floods the board and keeps, for each number of queen and king moves, what each side
//! reaches; [`metrics`] turns these maps into the paper's metrics, to which [`mobility`] is added, and [`terms`] into
//! more of them, to which [`confinement`] is added; [`phase`] weighs them by the stage of the game; [`winrate`] turns
//! the weighted sum into a winning rate. [`crate::simd`] is the arithmetic underneath, in several instruction sets, and
//! [`parallel`] the paper's way to spread one evaluation over threads. [`policy`] says how promising a half-move looks
//! before it is searched.
//!
//! Sums are integers until the last step, so every kernel and every thread order gives the same bits.

pub mod confinement;
pub mod distance;
mod fitted_weights;
pub mod metrics;
pub mod mobility;
pub mod parallel;
pub mod phase;
pub mod policy;
mod policy_weights;
pub mod terms;
pub mod winrate;

use crate::board::position::Position;
use crate::board::square::Side;
use crate::simd::{Kernel, Lanes, SimdTask};
use distance::DistanceMaps;
use metrics::Metrics;
use mobility::Walk;
use phase::{Weights, WeightsNow};
use std::ops::Neg;
use terms::Terms;

/// How good a position is for the side to move: positive is good. The unit is that of the weights, squares
/// for the paper's, natural log-odds of winning for fitted ones.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Value(pub f32);

impl Value {
    /// The value for a given side, when `self` is for `mover`.
    #[inline(always)]
    pub fn seen_by(self, side: Side, mover: Side) -> Self {
        if side == mover { self } else { -self }
    }
}

impl Neg for Value {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// The phased evaluation with its weights and the kernel that computes it.
#[derive(Clone, Debug)]
pub struct Evaluator {
    weights: Weights,
    kernel: Kernel,
}

impl Evaluator {
    /// An evaluator with these weights that uses the fastest kernel of this processor.
    pub fn new(weights: Weights) -> Self {
        Self { weights, kernel: Kernel::fastest() }
    }

    /// The same evaluator on a given kernel; one that this processor lacks is replaced.
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel: kernel.min(Kernel::fastest()), ..self }
    }

    /// The kernel in use.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The weights in use.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// All metrics, whatever their weight.
    pub fn metrics(&self, position: &Position, maps: &mut DistanceMaps) -> Metrics {
        maps.flood(position, self.kernel);
        let mobility = mobility::mobility_on(position, self.kernel);
        Metrics { mobility, ..metrics::of_maps(maps, self.weights.tie_for(position.side())) }
    }

    /// All terms of the fitted evaluation, whether these weights are for them or not.
    pub fn terms(&self, position: &Position, maps: &mut DistanceMaps) -> Terms {
        maps.flood(position, self.kernel);
        let confinement = confinement::confinement_on(position, maps, self.kernel);
        Terms::of_on(maps, confinement, position.side(), self.weights.tie, self.kernel)
    }

    /// The value of a position. `maps` is scratch space, worth keeping between calls.
    #[inline]
    pub fn value(&self, position: &Position, maps: &mut DistanceMaps) -> Value {
        self.kernel.dispatch(Evaluation(position, &self.weights, maps))
    }
}

/// The evaluation as a task, compiled once a kernel for all its callers.
struct Evaluation<'a>(&'a Position, &'a Weights, &'a mut DistanceMaps);

impl SimdTask for Evaluation<'_> {
    type Output = Value;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Value {
        value_here::<L>(self.0, self.1, self.2)
    }
}

/// The value of a position, by the kernel that the caller was compiled for.
#[inline(always)]
pub(crate) fn value<L: Lanes>(position: &Position, weights: &Weights, maps: &mut DistanceMaps) -> Value {
    L::call(Evaluation(position, weights, maps))
}

/// [`value`], inlined.
#[inline(always)]
fn value_here<L: Lanes>(position: &Position, weights: &Weights, maps: &mut DistanceMaps) -> Value {
    match weights.at(position) {
        WeightsNow::Metrics(now) => {
            let mut mobility = 0.0;
            if now.mobility == 0.0 {
                maps.flood_with::<L>(position);
            } else {
                let walk = Walk::<L>::new(position.all_amazons(), position.empty());
                maps.flood_beyond(position, walk.reach);
                mobility = mobility::balance(walk.mobilities);
            }
            let metrics = metrics::of_maps(maps, weights.tie_for(position.side()));
            now.value(&Metrics { mobility, ..metrics }, position.side())
        }
        WeightsNow::Terms(now) => {
            maps.flood_with::<L>(position);
            let confinement = confinement::confinement::<L>(position, maps);
            Terms::of::<L>(maps, confinement, position.side(), weights.tie).weighed(now)
        }
    }
}
