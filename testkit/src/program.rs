//! A program under test: tests send bytes, read whole lines and collect standard error.

use otrera_arena::process::{Errors, FLOOD, Process, Sign};
use std::process::Command;
use std::time::{Duration, Instant};

/// The end of a program.
pub struct Exit {
    /// Exit status; `None` if a signal ended the program.
    pub status: Option<i32>,
    /// Standard output that was not read before the exit.
    pub rest: String,
    /// Standard error.
    pub errors: String,
}

/// A running program. Dropping it kills the process.
pub struct Program(Process);

impl Program {
    /// Starts a program with all three streams piped.
    pub fn start(command: Command) -> Self {
        let name = format!("{command:?}");
        let process = Process::spawn(command, Errors::Kept);
        Self(process.unwrap_or_else(|error| panic!("cannot start {name}: {error}")))
    }

    /// Returns the process ID.
    pub fn id(&self) -> u32 {
        self.0.id().expect("it runs")
    }

    /// Sends bytes to the standard input; up to 4096 go in a single write if the pipe has room.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write(bytes);
    }

    /// Closes the program's input.
    pub fn close_input(&mut self) {
        self.0.close_input();
    }

    /// Closes our end of the output.
    pub fn hang_up(&mut self) {
        self.0.hang_up();
    }

    /// Reads the next line. Fails if the line arrives in several pieces, because the SAU platform loses such lines.
    pub fn line(&mut self, limit: Duration) -> Result<String, String> {
        self.wait(limit, |heard| !heard.is_empty())?;
        let Some(length) = self.0.heard().iter().position(|&byte| byte == b'\n') else {
            return Err(format!("received only part of a line: {:?}", self.0.take(FLOOD)));
        };
        let mut line = self.0.take(length + 1);
        line.pop();
        if line.contains('\u{fffd}') { Err(format!("output is not UTF-8: {line:?}")) } else { Ok(line) }
    }

    /// Reads the next line, even if it arrives in several pieces.
    pub fn line_of_many(&mut self, limit: Duration) -> Result<String, String> {
        self.wait(limit, |heard| heard.contains(&b'\n'))?;
        self.line(limit)
    }

    /// Waits for `time`. Fails if the program prints anything or closes its output meanwhile.
    pub fn silent(&mut self, time: Duration) -> Result<(), String> {
        match self.0.listen_until(Instant::now(), time, |heard| !heard.is_empty()) {
            Sign::Silence => Ok(()),
            Sign::Output => Err(format!("unexpected output {:?}", self.0.take(FLOOD))),
            Sign::Closed | Sign::Ended => Err("the program closed its output".into()),
        }
    }

    fn wait(&mut self, limit: Duration, is_done: impl Fn(&[u8]) -> bool) -> Result<(), String> {
        match self.0.listen_until(Instant::now(), limit, is_done) {
            Sign::Output => Ok(()),
            Sign::Silence => Err(format!("no output within {limit:?}")),
            Sign::Closed | Sign::Ended => Err("the program closed its output".into()),
        }
    }

    /// Waits until the program exits by itself; fails after `limit`.
    pub fn exit(&mut self, limit: Duration) -> Result<Exit, String> {
        let (rest, end) = self.0.finish(limit);
        let end = end.ok_or_else(|| format!("still running after {limit:?}; printed {rest:?}"))?;
        Ok(Exit { status: end.status.code(), rest, errors: self.0.errors() })
    }
}
