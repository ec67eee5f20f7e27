//! Otrera, an engine for the [Game of the Amazons](https://en.wikipedia.org/wiki/Game_of_the_Amazons): rules, search,
//! evaluation, endgame proofs and game records, on boards from 4x4 to 10x10.
//!
//! The library does no input or output: it prints nothing, reads no files and knows no platform.
//!
//! # Find a move
//!
//! A [`Search`] holds a position and a tree. [`Params`] are its presets, [`Resources`] its threads, memory and seed,
//! [`Limits`] end a run. The result is a [`Report`] with a [`Line`] for each move. [`TreeSearch`] lists all methods.
//!
//! ```
//! use otrera::{Limits, Params, Position, Resources, Search};
//! use std::sync::atomic::AtomicBool;
//!
//! let mut search = Search::new(Position::standard(), Params::TOURNAMENT, Resources::default());
//! // Another thread ends the run early by setting `stop`; the closure gets a report about once a second.
//! let stop = AtomicBool::new(false);
//! let report = search.run(&Limits::iterations(5000), &stop, &mut |_| ());
//! for line in report.lines.iter().take(3) {
//!     println!("{} {} {}", line.mv, line.visits, line.win_rate);
//! }
//! if let Some(best) = report.best {
//!     search.advance(best); // keeps the part of the tree below this move
//! }
//! ```
//!
//! With one thread and a limit of iterations, equal seeds give equal results on every machine.
//!
//! # Play by the rules
//!
//! A [`Position`] is small and `Copy`; a [`Move`] is an amazon's step and its arrow.
//!
//! ```
//! use otrera::{Move, Position, Side, Size};
//!
//! let start = Position::start(Size::BOTZONE); // 8x8
//! assert_eq!(start.legal_moves().count(), 1232);
//! let mv: Move = "c1-c6/f6".parse()?;
//! let next = start.try_play(mv)?;
//! assert_eq!((next.side(), next.winner()), (Side::White, None));
//! assert_eq!(Position::from_fen(&next.to_fen())?, next);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Read and write records
//!
//! [`record::read`] reads SGF, JSON, Botzone logs and any text with moves; [`record::read_bytes`] finds the encoding.
//!
//! ```
//! use otrera::record;
//!
//! let reading = record::read("1. d1-d7/g7 a7-d4/a7")?;
//! assert_eq!(reading.games[0].moves.len(), 2);
//! println!("{}", record::sgf::write(&reading.games[0]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! The names at the root are enough for the programs above. All others are in the modules, listed here in an order to
//! read them in; each uses only those listed above it:
//!
//! 1. [`board`]: rules. Squares, sets of squares, positions, moves and their notation.
//! 2. [`endgame`]: proofs. Regions, and bounds on the moves that each side has left in them.
//! 3. [`simd`]: SIMD arithmetic on several bitboards at once.
//! 4. [`eval`]: static evaluation. Distance maps, metrics, networks, win rates, priors.
//! 5. [`clock`]: time management. [`seed`]: seeds for independent random streams. [`parameter`]: parameters as text.
//! 6. [`TreeSearch`], [`Limits`], [`report`]: what all searches have in common. [`mgpeo`]: the searches of the papers,
//!    as printed. [`search`]: the tournament search. [`Params`]: the presets.
//! 7. [`level`]: playing levels, for games against people.
//! 8. [`record`]: game records and their file formats.
//! 9. [`mod@bench`]: a checksum that shows whether two builds search identically.
//!
//! To read the source of a search, start with one iteration, `src/search/iteration.rs` or `src/mgpeo/iteration.rs`.
//!
//! # Features
//!
//! - `rayon` (default): searches with several threads.
//! - `papers` (default): the presets of the papers' searches.
//! - `packed`: weights from a packed file; only for the builds for Botzone and for the page.

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
mod order;
pub mod parameter;
pub mod record;
pub mod report;
pub mod search;
pub mod seed;
pub mod simd;
mod threads;
mod time;

// The rules.
pub use board::moves::{IllegalMove, Move};
pub use board::notation::MalformedText;
pub use board::position::{Position, Rules};
pub use board::square::{Side, Size, Square};
// The search.
pub use engine::{Params, Search};
pub use eval::winrate::WinRate;
pub use interface::TreeSearch;
pub use level::Level;
pub use limits::{Limits, Resources};
pub use report::{Line, Report};
// Records.
pub use record::{GameRecord, PlayedMove};

/// Compiles the example of each README as it stands.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../README.zh-CN.md")]
struct Readme;
