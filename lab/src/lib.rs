//! The laboratory of Otrera: matches with sound statistics, the papers' tables, training, records and reports.
//!
//! Each group of modules uses only itself and the groups before it:
//!
//! 1. [`files`], [`interrupt`], [`plot`], [`progress`], [`sheet`], [`stats`]: files, signals, line plots, progress
//!    bars, text tables, statistics. [`filling`], [`shard`], [`games`]: completed games, self-play files, all inputs.
//! 2. [`arguments`]: option values that commands share. [`cluster`]: work on all cores or many machines. [`training`]:
//!    the training loop of the networks.
//! 3. [`play`]: players, openings, and one game between two players. [`puzzles`]: options, grades and
//!    files of puzzles.
//! 4. [`baseline`]: the papers' opponents.
//! 5. [`mod@matches`]: players by name, games on all cores, the result file.
//! 6. [`papers`]: the papers' tables, and the other games that the papers study.
//! 7. [`commands`]: the commands of the program `lab`.

#![allow(missing_docs)] // only the program and its tests use this library

/// Prints like the standard macro, but ignores a closed pipe; any other error ends the program without a panic.
macro_rules! print {
    ($($text:tt)*) => { $crate::print_out(&format!($($text)*)) };
}
macro_rules! println {
    ($($text:tt)*) => { $crate::print_out(&(format!($($text)*) + "\n")) };
}

mod arguments;
mod baseline;
pub mod cluster;
pub mod commands;
mod files;
mod filling;
mod games;
pub mod interrupt;
mod matches;
pub mod papers;
mod play;
mod plot;
mod progress;
mod puzzles;
mod shard;
mod sheet;
pub mod stats;
mod training;

use std::io::{ErrorKind, Write};

fn print_out(text: &str) {
    // Waits for an interruption in progress, but does not hold the lock during the write, which can block.
    drop(interrupt::hold());
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            interrupt::give_up(&format!("standard output: {error}"))
        }
        _ => {}
    }
}
