//! Otrera, an engine for the Game of the Amazons.
//!
//! The library does no input or output: it prints nothing, reads no files and has no platform code. The bot in
//! `protocol/` speaks the platforms' protocols; the laboratory in `lab/` runs experiments.
//!
//! To use the library, start with [`Position`], [`Search`] and [`Report`]. To read the source, start with one iteration
//! of the search (`src/search/iteration.rs`), or read the modules in order; each uses only those listed above it:
//!
//! 1. [`board`]: rules. Squares, sets of squares, positions, moves and their notation.
//! 2. [`endgame`]: proofs. Regions, and bounds on the moves that each side has left in them.
//! 3. [`simd`]: SIMD arithmetic on several bitboards at once.
//! 4. [`eval`]: static evaluation. Distance maps, metrics, networks, win rates, priors.
//! 5. [`clock`]: time management. [`time`]: the system's clock. [`mix_seed`]: seeds for independent random streams.
//! 6. [`TreeSearch`], [`Limits`], [`report`]: what all searches have in common. [`mgpeo`]: the searches of the papers,
//!    as printed. [`search`]: the tournament search. [`Params`]: the presets.
//! 7. [`level`]: playing levels, for games against people.
//! 8. [`record`]: game records and their file formats.
//! 9. [`mod@bench`]: a checksum that shows whether two builds search identically.
//!
//! ```
//! use otrera::{Limits, Params, Position, Resources, Search};
//! use std::sync::atomic::AtomicBool;
//!
//! let mut search = Search::new(Position::standard(), Params::TOURNAMENT, Resources::default());
//! let report = search.run(&Limits::iterations(5000), &AtomicBool::new(false), &mut |_| ());
//! for line in report.lines.iter().take(3) {
//!     println!("{} {} {}", line.mv, line.visits, line.win_rate);
//! }
//! ```

pub mod bench;
pub mod board;
pub mod clock;
pub mod endgame;
mod engine;
pub mod eval;
mod interface;
pub mod level;
mod limits;
pub mod mgpeo;
mod parameter;
pub mod record;
pub mod report;
pub mod search;
mod seed;
#[doc(hidden)] // public for tests and the laboratory
pub mod simd;
mod threads;
mod time;

pub use board::bitboard::{Bitboard, Squares};
pub use board::moves::{IllegalMove, Move, Movement};
pub use board::notation::MalformedText;
pub use board::perft::perft;
pub use board::position::{ArrowPhase, Position, Rules};
pub use board::square::{Side, Size, Square};
pub use clock::GameClock;
pub use endgame::{FillingBounds, FillingProver};
pub use engine::{Params, Search};
pub use eval::distance::DistanceMaps;
pub use eval::metrics::Metrics;
pub use eval::model::{Model, ModelScratch};
pub use eval::winrate::{ValueLink, WinRate};
pub use eval::{Evaluator, Value};
pub use interface::TreeSearch;
pub use level::Level;
pub use limits::{Limits, Resources};
pub use parameter::{Parameter, Tuning};
pub use record::{GameRecord, Note, PlayedMove, Variation};
pub use report::{Line, Report};
pub use search::params::TournamentParams;
pub use seed::mix_seed;
pub use simd::Kernel;

/// Compiles the example of each README as it stands.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../README.zh-CN.md")]
struct Readme;
