//! The bot of Otrera: the platforms' protocols, UCI and the terminal, on one session each.
//!
//! 1. [`options`]: what can be set. [`cli`]: the command line. [`conditions`]: board, resources and time, as set or by
//!    default. [`io`]: lines in and out, and the log. [`files`]: files that people name, read with care.
//! 2. [`session`]: a game being played, with its search in the background, its clock and its record. [`records`]: games
//!    as files.
//! 3. [`platform`]: what a platform is; [`botzone`], [`sau`] and [`uci`]; [`platforms`]: their table. `protocol/README.md` says what to
//!    expect of them.
//! 4. [`analyze`], [`play`]: the commands for people. [`given`]: the position that they are asked about; [`board`] and
//!    [`territory`]: boards on a terminal.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod analyze;
pub mod board;
pub mod botzone;
pub mod cli;
pub mod conditions;
pub mod files;
pub mod given;
pub mod io;
pub mod options;
pub mod platform;
pub mod platforms;
pub mod play;
pub mod records;
pub mod sau;
pub mod session;
pub mod territory;
pub mod uci;

use std::io::Write;

/// True in the build for Botzone's editor (`--cfg botzone_only`), whose source must be small: one platform, one thread,
/// no files beside the executable, and of the commands only `bench` and `--version`.
pub const BOTZONE_ONLY: bool = cfg!(botzone_only);

/// Writes to standard output at once, a prompt without a line break too; a reader that has gone away is no failure.
///
/// # Errors
/// What else went wrong, as a message.
pub fn print(text: &str) -> Result<(), String> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(()),
    }
}
