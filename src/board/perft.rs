//! Perft: counts the legal move sequences of a given length, the standard test of a move generator
//! (<https://www.chessprogramming.org/Perft>).

use super::position::Position;

/// Counts the sequences of `depth` legal moves from a position; returns 1 for depth 0.
///
/// The last ply is counted from bitboard sizes, without playing its moves (bulk counting). A game that ends sooner is
/// not counted. [`Rules::SelfBlocking`](super::position::Rules::SelfBlocking) is ignored: a game ends only if the side
/// to move cannot move.
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut count = 0;
    for movement in position.movements() {
        let arrow_phase = position.with_movement(movement);
        let arrows = arrow_phase.arrow_targets();
        count += match depth {
            1 => u64::from(arrows.len()),
            _ => arrows.into_iter().map(|a| perft(&arrow_phase.with_arrow(a), depth - 1)).sum(),
        };
    }
    count
}
