#![doc = "Otrera, an engine for the Game of the Amazons."]
pub mod board;
pub mod eval;
pub mod search;
pub use board::bitboard::{Bitboard, Squares};
pub use board::moves::{IllegalMove, Move, Movement};
pub use board::perft::perft;
pub use board::position::{Aiming, Position, Rules};
pub use board::square::{Side, Size, Square};
pub use eval::{
    Evaluator, Value,
    distance::DistanceMaps,
    lanes::Kernel,
    metrics::Metrics,
    phase::Weights,
    winrate::{Leaf, WinRate},
};
pub use search::{
    Limits, Resources, Search,
    params::{Parallel, Params},
    report::{Line, Report},
};
