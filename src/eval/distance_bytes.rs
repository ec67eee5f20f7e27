//! Distances of all squares as bytes, for programs that show or learn from them.

use super::distance::{DistanceMaps, Levels};
use super::square_classes::{SQUARES, numbers};
use crate::board::square::{STRIDE, Size};
use crate::simd::Lanes;

/// Distance of a square that is not reached.
const UNREACHED: usize = u8::MAX as usize;

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
#[inline(always)]
fn sliced(levels: &Levels, side: usize) -> [u128; 8] {
    const { assert!(SQUARES == u128::BITS as usize) };
    let mut digits = [0; 8];
    let mut add = |distance: usize, squares: u128| {
        for (place, digit) in digits.iter_mut().enumerate() {
            // All bits of the distance's digit, as a mask.
            *digit |= squares & ((distance >> place & 1) as u128).wrapping_neg();
        }
    };
    let mut nearer = 0;
    for (distance, reached) in levels.steps().iter().enumerate() {
        let reached = reached.of(side).0;
        add(distance + 1, reached & !nearer);
        nearer = reached;
    }
    add(UNREACHED, !nearer);
    digits
}
