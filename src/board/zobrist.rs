//! Zobrist hashing: a position's 64-bit key is the exclusive or of one random number for each amazon, each arrow and
//! the side to move (<https://www.chessprogramming.org/Zobrist_Hashing>).

use super::square::{Side, Square};

/// Random numbers for the amazons of each side, for arrows, and for White to move.
struct Numbers {
    amazons: [[u64; 128]; 2],
    arrows: [u64; 128],
    white_to_move: u64,
}

static NUMBERS: Numbers = numbers();

/// Generates the numbers with SplitMix64 (Steele, Lea, Flood 2014) from a seed that is the same in all builds.
const fn numbers() -> Numbers {
    let mut state = 0x6f74_7265_7261_u64;
    let mut drawn = [0; 385];
    let mut i = 0;
    while i < drawn.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        drawn[i] = z ^ (z >> 31);
        i += 1;
    }
    let mut numbers = Numbers { amazons: [[0; 128]; 2], arrows: [0; 128], white_to_move: drawn[384] };
    let mut square = 0;
    while square < 128 {
        numbers.amazons[0][square] = drawn[square];
        numbers.amazons[1][square] = drawn[128 + square];
        numbers.arrows[square] = drawn[256 + square];
        square += 1;
    }
    numbers
}

/// Returns the number of an amazon of `side` on `square`.
#[inline(always)]
pub fn amazon(side: Side, square: Square) -> u64 {
    NUMBERS.amazons[side.index()][square.index() & 127]
}

/// Returns the number of an arrow on `square`.
#[inline(always)]
pub fn arrow(square: Square) -> u64 {
    NUMBERS.arrows[square.index() & 127]
}

/// Returns the number for "White is to move", which every move toggles.
#[inline(always)]
pub fn white_to_move() -> u64 {
    NUMBERS.white_to_move
}
