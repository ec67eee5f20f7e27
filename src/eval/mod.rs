//! Static evaluation of positions, and priors of half-moves.
//!
//! [`model`] is the interface to the search: an evaluation, that of the MG-PEO paper (Zhang, Zou, Zhu 2024,
//! <https://doi.org/10.3390/a17080334>) or a fitted one, and priors. [`distance`] computes the squares that each side
//! reaches within each number of queen and king moves.
//!
//! - The paper's evaluation: [`metrics`] of the distance maps, [`mobility`], and [`phased`] weights for both.
//! - The fitted evaluation: a [`network`] whose [`inputs`] count squares by distance, and squares per amazon
//!   ([`amazons`], [`confinement`]). Boards without a network use [`terms`] of the maps with weights by ply
//!   ([`fitted`]).
//! - [`policy`]: the logits of half-moves.
//!
//! [`winrate`] converts values to winning rates. [`ownership`] shows which side owns a square. [`mod@weights`] reads
//! and writes weights files. [`crate::simd`] is the arithmetic in several instruction sets, [`parallel`] the paper's
//! evaluation on several threads.
//!
//! Sums over squares are sums of integers, and floats are added in a fixed order. So every kernel and every order of
//! threads gives the same bits.

pub mod amazons;
pub mod confinement;
pub mod distance;
pub mod fitted;
pub mod inputs;
pub mod metrics;
pub mod mobility;
pub mod model;
pub mod network;
pub mod ownership;
pub mod parallel;
pub mod phased;
pub mod policy;
pub mod terms;
pub mod weights;
pub mod winrate;

use crate::board::moves::Movement;
use crate::board::position::{ArrowPhase, Position};
use crate::board::square::{Side, Square};
use crate::simd::{Kernel, dispatch};
use model::{Model, ModelScratch};
use std::ops::Neg;

/// Value of a position for the side to move; positive is good. The unit is that of the weights: squares for the
/// paper's, natural log-odds of winning for fitted ones.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Value(pub f32);

impl Value {
    /// Converts a value for `mover` to a value for `side`.
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

/// Empty squares at the start of a 10x10 game.
const STANDARD_EMPTY: u32 = 92;

/// Returns the ply of a 10x10 game that corresponds to a position, 0 to 92: `arrows * 92 / (area - amazons)`, rounded
/// down.
///
/// ```
/// use otrera::eval::standard_ply;
/// use otrera::Position;
///
/// assert_eq!(standard_ply(&Position::standard()), 0);
/// ```
#[inline(always)]
pub fn standard_ply(position: &Position) -> usize {
    let area = position.size().area() as u32;
    let amazons = position.amazons(Side::Black).len() + position.amazons(Side::White).len();
    let empty_at_start = area - amazons;
    let ply = empty_at_start - position.empty().len();
    (ply * STANDARD_EMPTY / empty_at_start.max(1)) as usize
}

/// A model with the kernel that computes it.
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

    /// Selects the kernel; one that this processor lacks is replaced by the fastest that it has.
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel: kernel.min(Kernel::fastest()), ..self }
    }

    /// Returns the kernel in use.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Returns the value of a position for the side to move.
    ///
    /// ```
    /// use otrera::eval::Evaluator;
    /// use otrera::eval::model::{Model, ModelScratch};
    /// use otrera::Position;
    ///
    /// let start = Position::standard();
    /// let value = Evaluator::new(Model::PAPER).value(&start, &mut ModelScratch::default());
    /// assert!(value.0 > 0.0, "to be the first to move is worth something");
    /// ```
    #[inline]
    pub fn value(&self, position: &Position, scratch: &mut ModelScratch) -> Value {
        dispatch!(self.kernel, L => self.model.value::<L>(position, scratch))
    }

    /// Returns the movements of a position with their logits. The search divides them by a temperature; the priors
    /// are their softmax.
    ///
    /// ```
    /// use otrera::eval::Evaluator;
    /// use otrera::eval::model::{Model, ModelScratch};
    /// use otrera::Position;
    ///
    /// let evaluator = Evaluator::new(Model::Fitted);
    /// let logits = evaluator.movement_logits(&Position::standard(), &mut ModelScratch::default());
    /// assert_eq!(logits.len(), 80);
    /// ```
    pub fn movement_logits(&self, position: &Position, scratch: &mut ModelScratch) -> Vec<(Movement, f32)> {
        let mut logits = Vec::new();
        let mut list = |movement, logit| logits.push((movement, logit));
        dispatch!(self.kernel, L => self.model.movement_logits::<L>(position, scratch, &mut list));
        logits
    }

    /// Returns the arrows after a movement with their logits.
    pub fn arrow_logits(&self, arrow_phase: &ArrowPhase, scratch: &mut ModelScratch) -> Vec<(Square, f32)> {
        let mut logits = Vec::new();
        let mut list = |arrow, logit| logits.push((arrow, logit));
        dispatch!(self.kernel, L => self.model.arrow_logits::<L>(arrow_phase, scratch, &mut list));
        logits
    }
}
