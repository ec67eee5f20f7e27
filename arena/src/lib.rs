//! The platforms' side: runs programs as Botzone, the SAU platform and UCI front ends do, and judges their answers.
//!
//! Each module uses only those listed above it:
//!
//! 1. [`groups`]: process groups that end with this program. [`signals`]: Ctrl-C. [`usage`]: time and memory of a
//!    process. [`load`]: busy processes. [`failure`]: what loses a game away from the board.
//! 2. [`process`]: a child process on pipes. [`limits`]: a process with a judge's limits.
//! 3. [`notation`], [`interaction`]: moves, histories and answers of each platform. [`dialect`]: the protocols.
//!    [`board`]: the game.
//! 4. [`player`]: the interface of players. [`program`]: a process that speaks a dialect, as a player.
//! 5. [`game`]: one game between two players. [`tally`]: counts over games. [`screen`]: shows games.
//! 6. [`sau`]: a model of the SAU platform and its operator. [`faults`]: faults injected into a program's turns.
//! 7. [`bouts`], [`selfplay`]: the commands `faults` and `selfplay` of the program `arena`. [`arguments`]: their option
//!    values.

#![allow(missing_docs)] // used only in this workspace: self-explanatory names need no comment

pub mod arguments;
pub mod board;
pub mod bouts;
pub mod dialect;
pub mod failure;
pub mod faults;
pub mod game;
pub mod groups;
pub mod interaction;
pub mod limits;
pub mod load;
pub mod notation;
pub mod player;
pub mod process;
pub mod program;
pub mod sau;
pub mod screen;
pub mod selfplay;
pub mod signals;
pub mod tally;
pub mod usage;

use std::io::{self, Write};

/// Writes to standard output. If the output is closed, kills all programs under test and starts no more.
pub fn say(text: &str) {
    let mut output = io::stdout().lock();
    if output.write_all(text.as_bytes()).and_then(|()| output.flush()).is_err() {
        groups::end_all();
    }
}
