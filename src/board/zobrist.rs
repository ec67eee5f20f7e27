//! Zobrist hashing: a position's 64-bit key is the exclusive or of one random number for each amazon, each arrow and
//! the side to move (<https://www.chessprogramming.org/Zobrist_Hashing>).

use super::square::{Side, Square};

/// Random numbers: for Black's amazon on each square, for White's, for an arrow on each square, for White to move.
static NUMBERS: [u64; 3 * 128 + 1] = numbers();

/// Generates the numbers with SplitMix64 (Steele, Lea, Flood 2014) from a seed that is the same in all builds.
const fn numbers() -> [u64; 3 * 128 + 1] {
    let mut state = 0x6f74_7265_7261_u64;
    let mut drawn = [0; 3 * 128 + 1];
    let mut i = 0;
    while i < drawn.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        drawn[i] = z ^ (z >> 31);
        i += 1;
    }
    drawn
}

/// Returns the number of an amazon of `side` on `square`.
#[inline(always)]
pub fn amazon(side: Side, square: Square) -> u64 {
    NUMBERS[side.index() * 128 + (square.index() & 127)]
}

/// Returns the number of an arrow on `square`.
#[inline(always)]
pub fn arrow(square: Square) -> u64 {
    NUMBERS[2 * 128 + (square.index() & 127)]
}

/// Returns the number for "White is to move", which every move toggles.
#[inline(always)]
pub fn white_to_move() -> u64 {
    NUMBERS[3 * 128]
}
