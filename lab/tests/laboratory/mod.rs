//! Helpers for the laboratory's tests: they run the program and count running processes.
#![allow(dead_code)] // every test program compiles this module and uses a part of it

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::Folder;

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

    /// Checks that the command failed with this text in its error output, and without a panic.
    #[track_caller]
    pub fn assert_refused(&self, complaint: &str) {
        assert!(matches!(self.status, Some(1 | 2)), "{complaint:?}: {self:?}");
        assert!(self.said.contains(complaint) && !self.said.contains("panicked"), "{complaint:?}: {self:?}");
    }
}

/// Runs a command until it ends.
pub fn run(command: &mut Command) -> Run {
    let output = command.output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run { status: output.status.code(), printed: text(output.stdout), said: text(output.stderr) }
}

/// Runs the laboratory in a folder; `line` as in [`lab`].
pub fn run_in(folder: &Path, line: &str) -> Run {
    run(lab(line).current_dir(folder))
}

/// Runs the laboratory; `line` as in [`lab`].
pub fn run_lab(line: &str) -> Run {
    run(&mut lab(line))
}

/// Creates a `lab` command with captured output and default signal actions. Without the latter, the command would
/// ignore some signals if a shell runs the tests as a background job. `line` is its command line after the name of the
/// program: arguments separated by spaces, or in single quotes.
pub fn lab(line: &str) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_lab")]);
    for (number, part) in line.split('\'').enumerate() {
        if number % 2 == 0 {
            command.args(part.split_whitespace())
        } else {
            command.arg(part)
        };
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Cuts a file in the middle of a line, after its first `lines` line ends, as if the program had been killed while
/// writing.
pub fn cut(file: &Path, lines: usize) {
    let bytes = std::fs::read(file).unwrap();
    let whole: usize = bytes.split_inclusive(|byte| *byte == b'\n').take(lines).map(<[u8]>::len).sum();
    std::fs::write(file, &bytes[..bytes.len().min(whole + 9)]).unwrap();
}

/// Writes a shell script that can be executed; returns its path.
pub fn write_script(folder: &Folder, name: &str, script: &str) -> String {
    let path = folder.write(name, &format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
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
