//! Otrera's bot: platform protocols, UCI, and commands for the terminal.
//!
//! | modules | contents |
//! |---|---|
//! | [`options`], [`cli`] | options from file and command line; commands and help |
//! | [`platforms`] | the table of platforms: [`otrera_botzone`], [`sau`], [`uci`] |
//! | [`records`] | games as files |
//! | [`analyze`], [`annotate`], [`play`], [`gui`], [`serve`], `batch`, `review`, `matches`, `server` | commands for users; [`position`] reads the start position, [`board`] prints it |
//!
//! `bot/README.md` describes the protocols.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod analyze;
pub mod annotate;
mod batch;
mod board;
pub mod cli;
pub mod gui;
mod matches;
pub mod options;
pub mod platforms;
pub mod play;
pub mod position;
pub mod records;
mod review;
pub mod sau;
pub mod serve;
mod server;
pub mod uci;

/// Formats the first line of a log: date, program with version, and process ID.
pub fn log_heading(program: &str) -> String {
    let now = chrono::Local::now().format("%Y-%m-%d %H:%M:%S");
    format!("{now}, {program} {}, process {}", env!("CARGO_PKG_VERSION"), std::process::id())
}
