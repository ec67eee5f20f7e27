//! Expected lead: the *margin* of [`FillingProver::margin`](crate::endgame::FillingProver::margin) that a network
//! expects, positive for the side to move. The margin of a game is the number of moves that the winner still has when
//! the loser cannot move, so the lead of its winner is at least 0.
//!
//! The lead is a linear function of the active hidden units of the evaluation network, with its own weights in each
//! stage of the game. The search does not use it.

use super::network::{HIDDEN, ONE, Row};

/// Number of inputs: the hidden units after the ReLU, and the constant 1.
pub const LEAD_INPUTS: usize = HIDDEN + 1;

/// First ply of each stage after the first, in plies of a 10x10 game (see [`super::ply`]).
pub const LEAD_STAGES: [u8; 8] = [10, 17, 24, 31, 38, 45, 52, 60];

/// Weights of the lead in moves: a row for each stage of the game.
pub type LeadWeights = [[f32; LEAD_INPUTS]; LEAD_STAGES.len() + 1];

/// Inputs of the lead in a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LeadInputs {
    /// Index of the stage of the game.
    pub stage: usize,
    /// The active hidden units, and 1.
    pub inputs: [f32; LEAD_INPUTS],
}

impl LeadInputs {
    /// Computes the inputs from the hidden layer before the ReLU. `ply` counts plies of a 10x10 game.
    pub(super) fn new(hidden: &Row, ply: usize) -> Self {
        let mut inputs = [1.0; LEAD_INPUTS];
        for (unit, (input, &sum)) in inputs.iter_mut().zip(hidden).enumerate() {
            let active = if unit == HIDDEN - 1 { sum } else { sum.max(0) };
            *input = f32::from(active) / ONE as f32;
        }
        Self { stage: LEAD_STAGES.iter().filter(|first| usize::from(**first) <= ply).count(), inputs }
    }

    /// Returns the lead of the side to move in moves.
    pub fn lead(&self, weights: &LeadWeights) -> f32 {
        self.inputs.iter().zip(&weights[self.stage]).map(|(input, weight)| input * weight).sum()
    }
}
