//! The results printed in the paper \[R\] of [`super`], and known facts about the games.
//!
//! \[R\] played 6 games, 3 with each side moving first, for every combination of board, minimax depth and MCTS
//! iterations: 288 games, in Python. A game ended when one side had searched for more than 30 minutes (table 10). The
//! numbers in rows and columns with such games mostly describe the opening.

use std::time::Duration;

/// Edge lengths of the boards; an index `[board]` refers to this list.
pub const BOARDS: [usize; 3] = [4, 8, 12];

pub const DEPTHS: [u32; 4] = [3, 4, 5, 6];

pub const ITERATIONS: [u32; 4] = [10, 100, 1000, 10_000];

pub const GAMES: u32 = 6;

/// Search time of one side after which a game was stopped.
pub const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Numbers printed in \[R\]: `[board][depth]` for minimax, `[board][iterations]` for MCTS.
pub type ByBoard = [[f64; 4]; 3];

/// Tables 1 to 8, alternately per game and per move: search time in seconds of minimax (1, 2) and of MCTS (3, 4), then
/// number of nodes of minimax (5, 6) and of MCTS (7, 8). In \[R\], table 7 is mislabelled as a second table 5.
pub const EFFORTS: [ByBoard; 8] = [
    [[0.022, 0.04, 0.077, 0.121], [6.808, 30.616, 167.335, 632.757], [87.183, 390.696, 856.841, 1376.846]],
    [[0.004, 0.007, 0.014, 0.02], [0.283, 1.208, 6.984, 23.356], [1.535, 6.786, 37.227, 92.765]],
    [
        [0.044, 0.299, 1.834, 12.024],
        [4.062, 39.075, 370.572, 1888.147],
        [34.755, 373.311, 1772.112, 2851.605],
    ],
    [[0.007, 0.049, 0.305, 1.985], [0.14, 1.299, 12.235, 226.017], [1.122, 9.925, 143.197, 1428.281]],
    [
        [104.04, 196.0, 381.5, 658.42],
        [6924.04, 32_816.58, 180_567.2, 745_303.0],
        [41_911.46, 189_724.4, 319_085.7, 666_029.0],
    ],
    [
        [18.73, 33.27, 69.41, 111.44],
        [275.82, 1248.26, 7186.5, 27_659.54],
        [688.14, 3093.52, 13_476.16, 43_797.56],
    ],
    [
        [321.67, 2237.54, 12_231.88, 59_256.71],
        [8959.71, 87_142.33, 836_543.3, 4_195_134.0],
        [32_708.46, 361_819.5, 1_598_819.0, 2_729_862.0],
    ],
    [
        [54.47, 368.21, 2031.54, 9769.24],
        [308.2, 2897.44, 27_625.41, 470_541.5],
        [1014.28, 9390.97, 124_830.6, 1_337_428.0],
    ],
];

/// Table 9: percentage of games won by minimax, `[board][depth][iterations]`; the last column is the mean of its row.
pub const MINIMAX_WINS: [[[f64; 5]; 4]; 3] = [
    [
        [33.33, 33.33, 50.0, 50.0, 41.67],
        [16.67, 0.0, 0.0, 0.0, 4.17],
        [16.67, 0.0, 0.0, 0.0, 4.17],
        [16.67, 0.0, 0.0, 0.0, 4.17],
    ],
    [
        [100.0, 0.0, 16.67, 50.0, 41.67],
        [100.0, 66.67, 16.67, 66.67, 62.5],
        [100.0, 50.0, 16.67, 50.0, 54.17],
        [100.0, 33.33, 66.67, 83.33, 70.83],
    ],
    [
        [83.33, 66.67, 100.0, 100.0, 87.5],
        [83.33, 33.33, 100.0, 83.33, 75.0],
        [100.0, 100.0, 100.0, 83.33, 95.83],
        [100.0, 83.33, 83.33, 66.67, 83.33],
    ],
];

/// Table 10: how many of the 6 games were stopped early, `[board][depth][iterations]`.
pub const STOPPED: [[[f64; 4]; 4]; 3] = [
    [[0.0; 4]; 4],
    [[0.0, 0.0, 0.0, 6.0]; 4],
    [[0.0, 0.0, 6.0, 6.0], [0.0, 0.0, 5.0, 6.0], [4.0, 5.0, 5.0, 6.0], [6.0, 5.0, 6.0, 6.0]],
];

/// Perft of Reversi 8x8 from the start, depths 1 to 9 (well known, not from the paper).
pub const PERFT_8X8: [u64; 9] = [4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_means_match_the_printed_rates() {
        for row in MINIMAX_WINS.iter().flatten() {
            assert!((row[..4].iter().sum::<f64>() / 4.0 - row[4]).abs() < 0.011, "{row:?}");
        }
    }
}
