//! Helpers of the laboratory's tests: runs the program, counts running processes.
#![allow(dead_code)] // every test file compiles this module for itself and uses a part of it

use std::process::{Command, Stdio};
use std::time::Duration;

/// The laboratory with these arguments, its output taken in. It heeds signals also where whoever runs the tests ignores
/// some, as a shell's background jobs do.
pub fn lab(arguments: &[&str]) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_lab")]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Counts the running processes with this text in their command line.
pub fn running(text: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).replace('\0', " ").contains(text)).count()
}

/// Waits up to 30 seconds for a condition; returns true if it was met.
pub fn soon(condition: impl Fn() -> bool) -> bool {
    (0..3000).any(|_| {
        condition() || {
            std::thread::sleep(Duration::from_millis(10));
            false
        }
    })
}
