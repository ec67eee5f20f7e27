//! The platforms' side: runs programs as Botzone, the SAU platform and UCI front ends do, and judges their answers.
//!
//! Each module uses only those listed above it:
//!
//! 1. [`groups`]: process groups that end with this program. [`usage`]: time and memory of a process. [`load`]: busy
//!    processes.
//! 2. [`process`]: a child process on pipes. [`program`]: a program under test.
//! 3. [`notation`]: moves and histories of each platform. [`protocol`]: the protocols. [`board`]: the game.
//! 4. [`player`]: the interface of players.
//! 5. [`verdict`], [`interaction`], [`botzone`]: a bot under Botzone's limits.
//! 6. [`external`]: SAU and UCI programs as players. [`sau`]: a model of the SAU platform and its operator.
//! 7. [`seat`]: one side of a game under strict rules. [`selfplay`], [`faults`]: the commands of the program `arena`,
//!    and [`arguments`], their option values.

#![allow(missing_docs)] // used only in this workspace: self-explanatory names need no comment

pub mod arguments;
pub mod board;
pub mod botzone;
pub mod external;
pub mod faults;
pub mod groups;
pub mod interaction;
pub mod load;
pub mod notation;
pub mod player;
pub mod process;
pub mod program;
pub mod protocol;
pub mod sau;
pub mod seat;
pub mod selfplay;
pub mod usage;
pub mod verdict;

use std::io::{self, Write};

/// Writes to standard output. If the output is closed, kills all programs under test and starts no more.
pub fn say(text: &str) {
    let mut output = io::stdout().lock();
    if output.write_all(text.as_bytes()).and_then(|()| output.flush()).is_err() {
        groups::end_all();
    }
}
