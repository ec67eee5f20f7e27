//! Zobrist hashing: a position's 64-bit key is the exclusive or of one random number for each amazon, each arrow and
//! the side to move (<https://www.chessprogramming.org/Zobrist_Hashing>).

use super::square::{Side, Square};

/// Random numbers: 128 each for a Black amazon, a White amazon and an arrow by square index; one for White to move.
static NUMBERS: [u64; 3 * 128 + 1] = numbers();

/// Generates the random numbers with SplitMix64 (Steele, Lea, Flood 2014) from a fixed seed, equal in all builds.
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

/// Returns the Zobrist number of an amazon of `side` on `square`.
#[inline(always)]
pub fn amazon(side: Side, square: Square) -> u64 {
    NUMBERS[side.index() * 128 + (square.index() & 127)]
}

/// Returns the Zobrist number of an arrow on `square`.
#[inline(always)]
pub fn arrow(square: Square) -> u64 {
    NUMBERS[2 * 128 + (square.index() & 127)]
}

/// Returns the Zobrist number of "White is to move"; every move toggles it in the key.
#[inline(always)]
pub fn white_to_move() -> u64 {
    NUMBERS[3 * 128]
}
