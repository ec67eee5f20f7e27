//! Common parts of Otrera's bots: lines, log, settings, and the session that plays a game.
//!
//! | modules | contents |
//! |---|---|
//! | [`io`], [`files`] | input and output lines, the log; files named by the user |
//! | [`machine`], [`memory`] | cores, process ID, memory that the process can use |
//! | [`settings`], [`setup`] | options with their table; board, resources and time of a game |
//! | [`session`] | a game with its background search, clock and record |
//! | [`platform`] | the interface of a platform |
//! | [`process`] | stack and signals of a bot's process |

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod files;
pub mod io;
pub mod machine;
pub mod memory;
pub mod platform;
pub mod process;
pub mod session;
pub mod settings;
pub mod setup;
