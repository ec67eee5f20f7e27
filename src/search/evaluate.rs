//! Leaf evaluation by the model.

use super::state::State;
use crate::board::square::Side;
use crate::eval::model::{Model, ModelScratch};
use crate::eval::winrate::WinRate;
use crate::simd::Lanes;
use fastrand::Rng;

/// Returns Black's win rate at a leaf. A leaf after a movement, which exists only while the tree is full or another
/// worker expands the node, is evaluated after a random arrow.
#[inline(always)]
pub(super) fn evaluate<L: Lanes>(
    state: &State,
    model: &Model,
    rng: &mut Rng,
    scratch: &mut ModelScratch,
) -> WinRate {
    let position = match state {
        State::ToMove(position) => *position,
        State::ToShoot(arrow_phase) => arrow_phase.with_arrow(arrow_phase.random_arrow(rng)),
    };
    match position.winner() {
        Some(Side::Black) => WinRate::WIN,
        Some(Side::White) => WinRate::LOSS,
        None => {
            let rate = model.win_rate(model.value::<L>(&position, scratch));
            if position.side() == Side::Black { rate } else { !rate }
        }
    }
}
