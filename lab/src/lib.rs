//! The laboratory of Otrera: matches with honest statistics, the papers' tables, fits, records and reports.
//!
//! Each module uses only those before it:
//!
//! 1. [`stats`]: what a number of games proves.
//! 2. [`play`]: anything that chooses moves, openings, and one game between two players.
//! 3. [`baseline`]: the papers' opponents.
//! 4. [`cluster`]: work on many machines.
//! 5. [`mod@matches`]: players from text, many games at once, the results file.
//! 6. [`papers`]: the papers' tables, and their other games.
//! 7. [`commands`]: the commands of the program `lab`.
//!
//! Beside them: [`arguments`], what command lines have in common; [`files`], results that replace files whole; [`plot`],
//! lines as SVG; and [`interrupt`], which ends the programs under test with the laboratory.

/// Prints like the standard macros, but lets whoever reads stop early, and does not panic where nothing can be written.
macro_rules! print {
    ($($text:tt)*) => { $crate::print_out(&format!($($text)*)) };
}
macro_rules! println {
    ($($text:tt)*) => { $crate::print_out(&(format!($($text)*) + "\n")) };
}

pub mod arguments;
pub mod baseline;
pub mod cluster;
pub mod commands;
pub mod files;
pub mod interrupt;
pub mod matches;
pub mod papers;
pub mod play;
pub mod plot;
pub mod stats;

use std::io::{ErrorKind, Write};

/// What the macros above call.
fn print_out(text: &str) {
    // Not held on to: who reads may keep us waiting.
    drop(interrupt::whole());
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            interrupt::give_up(&format!("standard output: {error}"))
        }
        _ => {}
    }
}
