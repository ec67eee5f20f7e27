//! Random half-moves, movements and arrows, from a position on.

use crate::board::bitboard::Bitboard;
use crate::board::moves::Movement;
use crate::board::position::{ArrowPhase, Position};
use crate::board::square::{Side, Square};
use fastrand::Rng;

/// Where a rollout ended.
pub(super) enum End {
    /// Somebody cannot move: a result, not an estimate.
    Won(Side),
    /// All half-moves were played.
    Reached(Position),
}

/// Plays random half-moves. Where the last one is a movement, the end is the board as it then stands.
#[inline(always)]
pub(super) fn random_half_moves(start: Position, depth: u32, rng: &mut Rng) -> End {
    let mut position = start;
    let mut left = depth;
    loop {
        if let Some(winner) = position.winner() {
            return End::Won(winner);
        }
        if left == 0 {
            return End::Reached(position);
        }
        // Never `None`: a blocked side to move has lost, which `winner` has just said.
        let Some(movement) = random_movement(&position, rng) else {
            return End::Won(position.side().opponent());
        };
        let arrow_phase = position.with_movement(movement);
        if left == 1 {
            return End::Reached(*arrow_phase.position());
        }
        position = arrow_phase.with_arrow(random_arrow(&arrow_phase, rng));
        left -= 2;
    }
}

/// A uniformly random movement of the side to move; `None` if it has none. No list is made: the
/// landings of up to four amazons at a time are counted, and one of them is drawn.
#[inline(always)]
fn random_movement(position: &Position, rng: &mut Rng) -> Option<Movement> {
    let mut drawn = None;
    let mut seen = 0;
    let mut amazons = position.amazons(position.side()).into_iter();
    loop {
        let mut group = [(Square::from_index(0), Bitboard::EMPTY); 4];
        let mut members = 0;
        let mut total = 0;
        for (slot, from) in group.iter_mut().zip(amazons.by_ref()) {
            let landings = position.landings(from);
            *slot = (from, landings);
            total += landings.len();
            members += 1;
        }
        seen += total;
        if total > 0 {
            // Reservoir sampling over groups of four amazons: one of this group's landings with chance total / seen.
            let mut place = rng.u32(..seen);
            if place < total {
                for (from, landings) in group {
                    let count = landings.len();
                    if place < count {
                        drawn = Some(Movement { from, to: landings.nth(place) });
                        break;
                    }
                    place -= count;
                }
            }
        }
        if members < 4 || amazons.clone().next().is_none() {
            return drawn;
        }
    }
}

/// A uniformly random arrow.
#[inline(always)]
pub(super) fn random_arrow(arrow_phase: &ArrowPhase, rng: &mut Rng) -> Square {
    let targets = arrow_phase.arrow_targets();
    targets.nth(rng.u32(..targets.len()))
}
