//! Distances of all squares as bytes, for programs that show or learn from them.

use super::distance::{DistanceMaps, Levels};
use super::square_classes::numbers;
use crate::board::square::{STRIDE, Size};
use crate::simd::Lanes;

/// Number of bytes of a copied row. A row is at most 10 long; copies of constant length need no call.
const COPIED: usize = 16;

/// Number of maps: queen and king moves of both sides.
const MAPS: usize = 4;

/// Writes all distances into `cells`: by side (Black, White), by kind of move (queen, king), row and column. A square
/// that is not reached or not empty has the distance 255. `cells` has four bytes for each square of the board.
#[inline(always)]
pub(super) fn write_distances<L: Lanes>(maps: &DistanceMaps, size: Size, cells: &mut [u8]) {
    let mut bytes = [0; MAPS * Size::STANDARD.area() + COPIED];
    let kinds = [0, 1].into_iter().flat_map(|side| [(side, &maps.queen), (side, &maps.king)]);
    let mut place = 0;
    for (side, levels) in kinds {
        let distances = numbers::<L>(sliced(levels, side));
        for row in 0..size.edge() {
            // The next row overwrites the bytes beyond the board.
            let row = &distances[row * STRIDE..][..COPIED];
            bytes[place..][..COPIED].copy_from_slice(row);
            place += size.edge();
        }
    }
    cells.copy_from_slice(&bytes[..place]);
}

/// Returns the distances of one side, bit-sliced.
///
/// Bit `k` of a distance changes at every multiple of `2^k`. So its set is the sum modulo 2 of the squares within
/// `2^k - 1`, `2 * 2^k - 1`, `3 * 2^k - 1` ... steps; from the last level on these sets are equal.
#[inline(always)]
fn sliced(levels: &Levels, side: usize) -> [u128; 8] {
    let reached = levels.reached();
    let reachable = levels.reachable().of(side).0;
    let mut digits = [!reachable; 8];
    for (place, digit) in digits.iter_mut().enumerate() {
        let step = 1 << place;
        let mut is_open = false;
        for within in reached[..reached.len() - 1].iter().skip(step - 1).step_by(step) {
            *digit ^= within.of(side).0;
            is_open = !is_open;
        }
        if is_open {
            *digit ^= reachable;
        }
    }
    digits
}
