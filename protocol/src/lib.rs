//! Otrera's bot: platform protocols, UCI, and commands for the terminal.
//!
//! | modules | contents |
//! |---|---|
//! | [`options`], [`cli`], [`setup`] | options from file and command line; commands and help; board, resources and time |
//! | `memory` | memory that the process can use |
//! | [`io`], [`files`] | input and output lines, the log; files named by the user |
//! | [`session`], [`records`] | a game with its background search, clock and record; games as files |
//! | [`platform`], [`platforms`] | the platform interface, and the table of platforms: [`botzone`], [`sau`], [`uci`] |
//! | [`analyze`], [`annotate`], [`play`], `gui`, `matches`, `server` | commands for users; [`position`] reads the start position, [`board`] prints it |
//!
//! `protocol/README.md` describes the protocols.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod analyze;
pub mod annotate;
mod board;
pub mod botzone;
pub mod cli;
pub mod files;
#[cfg(not(botzone_only))]
pub mod gui;
pub mod io;
#[cfg(not(botzone_only))]
mod matches;
mod memory;
pub mod options;
mod platform;
pub mod platforms;
pub mod play;
pub mod position;
pub mod records;
pub mod sau;
#[cfg(not(botzone_only))]
mod server;
pub mod session;
pub mod setup;
pub mod uci;

use std::io::Write;

/// True in the build for Botzone (`--cfg botzone_only`), whose web editor limits the size of the source: one platform,
/// one thread, no configuration file, and only the commands `bench` and `--version`.
pub const BOTZONE_ONLY: bool = cfg!(botzone_only);

/// Writes to standard output and flushes it. A closed pipe is not an error.
pub fn print(text: &str) -> Result<(), String> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(()),
    }
}
