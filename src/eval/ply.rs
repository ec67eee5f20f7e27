//! Progress of a game, measured as the ply of a 10x10 game.

use crate::board::position::Position;
use crate::board::square::Side;

/// Number of empty squares at the start of a 10x10 game.
const STANDARD_EMPTY: u32 = 92;

/// Number of possible values of [`standard_ply`].
pub const PLIES: usize = STANDARD_EMPTY as usize + 1;

/// Returns the progress of a game, scaled to the plies of a 10x10 game, 0 to 92: `arrows * 92 / (area - amazons)`,
/// rounded down.
#[inline(always)]
pub fn standard_ply(position: &Position) -> usize {
    let area = position.size().area() as u32;
    let amazons = position.amazons(Side::Black).len() + position.amazons(Side::White).len();
    let empty_at_start = area - amazons;
    let ply = empty_at_start - position.empty().len();
    (ply * STANDARD_EMPTY / empty_at_start.max(1)) as usize
}
