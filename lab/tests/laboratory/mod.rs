//! Helpers for the laboratory's tests: they run the program and count running processes.
#![allow(dead_code)] // every test program compiles this module and uses a part of it

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Exit status, standard output and standard error of a finished command.
#[derive(Debug)]
pub struct Run {
    pub status: Option<i32>,
    pub printed: String,
    /// Standard error.
    pub said: String,
}

impl Run {
    /// Returns the standard output; panics with both outputs if the exit status is not 0.
    #[track_caller]
    pub fn printed(self) -> String {
        assert_eq!(self.status, Some(0), "{}{}", self.printed, self.said);
        self.printed
    }
}

/// Runs a command until it ends.
pub fn run(command: &mut Command) -> Run {
    let output = command.output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run { status: output.status.code(), printed: text(output.stdout), said: text(output.stderr) }
}

/// Runs the laboratory in a folder.
pub fn run_in(folder: &Path, arguments: &[&str]) -> Run {
    run(lab(arguments).current_dir(folder))
}

/// Runs the laboratory with arguments separated by spaces.
pub fn run_lab(words: &str) -> Run {
    run(&mut lab(&words.split_whitespace().collect::<Vec<_>>()))
}

/// Creates a `lab` command with captured output and default signal actions. Without the latter, the command would
/// ignore some signals if a shell runs the tests as a background job.
pub fn lab(arguments: &[&str]) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_lab")]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Counts the running processes with this text in their command line.
pub fn count_running(text: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).replace('\0', " ").contains(text)).count()
}

/// Waits up to 30 seconds for a condition; returns true if it was met.
pub fn eventually(condition: impl Fn() -> bool) -> bool {
    (0..3000).any(|_| {
        condition() || {
            std::thread::sleep(Duration::from_millis(10));
            false
        }
    })
}
