//! Rollouts: random movements and arrows from a position.

use crate::board::bitboard::Bitboard;
use crate::board::moves::Movement;
use crate::board::position::Position;
use crate::board::square::{Side, Square};
use fastrand::Rng;

/// Result of a rollout.
pub(super) enum End {
    /// This side has won, since the other cannot move: an exact result, not an estimate.
    Won(Side),
    /// Position after the last half-move.
    Reached(Position),
}

/// Rollout (algorithm 3, lines 21 to 34): plays `depth` random half-moves, fewer if the game ends first. If the last
/// one is a movement, the position lacks its arrow.
#[inline(always)]
pub(super) fn rollout(start: Position, depth: u32, rng: &mut Rng) -> End {
    let mut position = start;
    let mut left = depth;
    loop {
        if let Some(winner) = position.winner() {
            return End::Won(winner);
        }
        if left == 0 {
            return End::Reached(position);
        }
        // Never `None`: `winner` has just ruled out that the side to move is blocked.
        let Some(movement) = random_movement(&position, rng) else {
            return End::Won(position.side().opponent());
        };
        let arrow_phase = position.with_movement(movement);
        if left == 1 {
            return End::Reached(*arrow_phase.position());
        }
        position = arrow_phase.with_arrow(arrow_phase.random_arrow(rng));
        left -= 2;
    }
}

/// Draws a uniformly random movement of the side to move; `None` if that side is blocked. Counts the destinations of up
/// to four amazons at a time instead of listing all movements.
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
            // Reservoir sampling over groups of four amazons: draws a new movement with probability total / seen.
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
