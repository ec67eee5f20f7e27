//! What \[R\] printed, table by table, and the known truths about the games.
//!
//! \[R\] played 6 games, 3 with each side moving first, for every combination of board, minimax depth and
//! MCTS iterations, 288 in all, in Python. A game in which one side had searched for more than 30 minutes
//! was stopped there (table 10), so what stands in the same row or column as a stopped game describes
//! openings more than games.

use std::time::Duration;

/// Sides of the boards, the rows of every table.
pub const BOARDS: [usize; 3] = [4, 8, 12];

/// Minimax depths.
pub const DEPTHS: [u32; 4] = [3, 4, 5, 6];

/// MCTS iterations per move.
pub const ITERATIONS: [u32; 4] = [10, 100, 1000, 10_000];

/// Games for each combination.
pub const GAMES: u32 = 6;

/// Search time of one side after which a game was stopped.
pub const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Boards by depths or by iterations.
pub type ByBoard = [[f64; 4]; 3];

/// Boards by depths by iterations.
pub type ByDepth = [[[f64; 4]; 4]; 3];

/// Table 1: minimax, search time per game in seconds, by board and depth.
pub const MINIMAX_TIME: ByBoard =
    [[0.022, 0.04, 0.077, 0.121], [6.808, 30.616, 167.335, 632.757], [87.183, 390.696, 856.841, 1376.846]];

/// Table 2: minimax, search time per move in seconds, by board and depth.
pub const MINIMAX_TIME_PER_MOVE: ByBoard =
    [[0.004, 0.007, 0.014, 0.02], [0.283, 1.208, 6.984, 23.356], [1.535, 6.786, 37.227, 92.765]];

/// Table 3: MCTS, search time per game in seconds, by board and iterations.
pub const MCTS_TIME: ByBoard = [
    [0.044, 0.299, 1.834, 12.024],
    [4.062, 39.075, 370.572, 1888.147],
    [34.755, 373.311, 1772.112, 2851.605],
];

/// Table 4: MCTS, search time per move in seconds, by board and iterations.
pub const MCTS_TIME_PER_MOVE: ByBoard =
    [[0.007, 0.049, 0.305, 1.985], [0.14, 1.299, 12.235, 226.017], [1.122, 9.925, 143.197, 1428.281]];

/// Table 5: minimax, nodes per game, by board and depth.
pub const MINIMAX_NODES: ByBoard = [
    [104.04, 196.0, 381.5, 658.42],
    [6924.04, 32_816.58, 180_567.2, 745_303.0],
    [41_911.46, 189_724.4, 319_085.7, 666_029.0],
];

/// Table 6: minimax, nodes per move, by board and depth.
pub const MINIMAX_NODES_PER_MOVE: ByBoard = [
    [18.73, 33.27, 69.41, 111.44],
    [275.82, 1248.26, 7186.5, 27_659.54],
    [688.14, 3093.52, 13_476.16, 43_797.56],
];

/// Table 7 (printed as a second table 5): MCTS, nodes per game, by board and iterations.
pub const MCTS_NODES: ByBoard = [
    [321.67, 2237.54, 12_231.88, 59_256.71],
    [8959.71, 87_142.33, 836_543.3, 4_195_134.0],
    [32_708.46, 361_819.5, 1_598_819.0, 2_729_862.0],
];

/// Table 8: MCTS, nodes per move, by board and iterations.
pub const MCTS_NODES_PER_MOVE: ByBoard = [
    [54.47, 368.21, 2031.54, 9769.24],
    [308.2, 2897.44, 27_625.41, 470_541.5],
    [1014.28, 9390.97, 124_830.6, 1_337_428.0],
];

/// Table 9: games won by minimax, in per cent, by board, depth and iterations. The fifth column of the
/// paper is the mean of the four.
pub const MINIMAX_WINS: ByDepth = [
    [[33.33, 33.33, 50.0, 50.0], [16.67, 0.0, 0.0, 0.0], [16.67, 0.0, 0.0, 0.0], [16.67, 0.0, 0.0, 0.0]],
    [
        [100.0, 0.0, 16.67, 50.0],
        [100.0, 66.67, 16.67, 66.67],
        [100.0, 50.0, 16.67, 50.0],
        [100.0, 33.33, 66.67, 83.33],
    ],
    [
        [83.33, 66.67, 100.0, 100.0],
        [83.33, 33.33, 100.0, 83.33],
        [100.0, 100.0, 100.0, 83.33],
        [100.0, 83.33, 83.33, 66.67],
    ],
];

/// Table 9, the last column: the mean over the iterations, by board and depth.
pub const MINIMAX_WINS_MEAN: ByBoard =
    [[41.67, 4.17, 4.17, 4.17], [41.67, 62.5, 54.17, 70.83], [87.5, 75.0, 95.83, 83.33]];

/// Table 10: games stopped early, of 6, by board, depth and iterations.
pub const STOPPED: ByDepth = [
    [[0.0; 4]; 4],
    [[0.0, 0.0, 0.0, 6.0]; 4],
    [[0.0, 0.0, 6.0, 6.0], [0.0, 0.0, 5.0, 6.0], [4.0, 5.0, 5.0, 6.0], [6.0, 5.0, 6.0, 6.0]],
];

/// Move sequences of 1 to 9 moves from the start of Reversi 8x8 (not from the paper: well known).
pub const PERFT_8X8: [u64; 9] = [4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_means_are_means_of_the_printed_rates() {
        for (rows, means) in MINIMAX_WINS.iter().zip(MINIMAX_WINS_MEAN) {
            for (row, mean) in rows.iter().zip(means) {
                assert!((row.iter().sum::<f64>() / 4.0 - mean).abs() < 0.011, "{row:?} {mean}");
            }
        }
    }
}
