//! Queries to the machine: cores, memory, process ID.
//!
//! The bot for Botzone (without the feature `machine`) asks nothing: a sandbox may kill a process for asking, and the
//! code would lengthen the source.

use crate::memory::{self, Memory};
use otrera::Resources;

/// True in programs that ask the machine, and read files of weights.
pub const IS_ASKED: bool = cfg!(feature = "machine");

/// Returns the number of cores available to the process; 1 if the machine is not asked.
pub fn cores() -> usize {
    if IS_ASKED { Resources::cores() } else { 1 }
}

/// Returns the memory that this process can use; `None` if unknown or not asked.
pub fn memory() -> Option<Memory> {
    if IS_ASKED { memory::of_process() } else { None }
}

/// Returns the ID of this process; 0 if the machine is not asked.
pub fn process_id() -> u32 {
    if IS_ASKED { std::process::id() } else { 0 }
}
