//! Queen slides, the basic operation behind movements and arrows.
//!
//! The eight rays from each square are precomputed sets. On a ray to higher squares, `blockers ^ (blockers - 1)` holds
//! every bit up to the nearest blocker (<https://www.chessprogramming.org/Subtracting_a_Rook_from_a_Blocking_Piece>).
//! On a ray to lower squares, the ray that continues from the nearest blocker is removed
//! (<https://www.chessprogramming.org/Classical_Approach>). There are no branches and no loops over squares.

use super::bitboard::{Bitboard, DIRECTIONS};
use super::square::{FRAME, STRIDE, Square};

/// `RAYS[square][direction]`: all squares of the 10x10 board in that direction, ignoring blockers. 128 entries, so that
/// every bit index is valid.
static RAYS: [[u128; 8]; 128] = rays();

const fn rays() -> [[u128; 8]; 128] {
    let mut rays = [[0; 8]; 128];
    let mut from = 0;
    while from < FRAME {
        let mut direction = 0;
        // Column 10 is a wall: its squares have no rays.
        while direction < 8 && from % STRIDE != STRIDE - 1 {
            let mut square = from as i32 + DIRECTIONS[direction];
            while square >= 0 && square < FRAME as i32 && square % STRIDE as i32 != STRIDE as i32 - 1 {
                rays[from][direction] |= 1 << square;
                square += DIRECTIONS[direction];
            }
            direction += 1;
        }
        from += 1;
    }
    rays
}

/// Returns the squares that a queen on `from` can slide to over `empty` squares.
///
/// `from` is never part of the result and need not be empty.
#[inline(always)]
pub fn queen_reach(from: Square, empty: Bitboard) -> Bitboard {
    let rays = &RAYS[from.index()];
    let mut reach = 0;
    for &ray in &rays[..4] {
        let blockers = ray & !empty.0;
        reach |= ray & (blockers ^ blockers.wrapping_sub(1));
    }
    for (direction, &ray) in rays.iter().enumerate().skip(4) {
        // Bit 0 is a sentinel blocker: square 0 has no rays to lower squares, so an unblocked ray stays whole.
        let blockers = ray & !empty.0 | 1;
        let nearest = 127 - blockers.leading_zeros() as usize;
        reach |= ray & !RAYS[nearest & 127][direction];
    }
    Bitboard(reach & empty.0)
}

/// Direction from one square to another on one of its rays, as an index of [`DIRECTIONS`]: `[from][to]`.
static TOWARDS: [[u8; 128]; 128] = towards();

const fn towards() -> [[u8; 128]; 128] {
    let mut towards = [[0; 128]; 128];
    let mut from = 0;
    while from < FRAME {
        let mut direction = 0;
        while direction < 8 {
            let mut ray = RAYS[from][direction];
            while ray != 0 {
                towards[from][ray.trailing_zeros() as usize] = direction as u8;
                ray &= ray - 1;
            }
            direction += 1;
        }
        from += 1;
    }
    towards
}

/// Returns the squares behind `to`, seen from `from`, on a ray of the 10x10 board; `to` must be on a ray of `from`.
#[inline(always)]
pub fn beyond(from: Square, to: Square) -> Bitboard {
    let direction = TOWARDS[from.index() % 128][to.index() % 128];
    Bitboard(RAYS[to.index() % 128][usize::from(direction) % 8])
}
