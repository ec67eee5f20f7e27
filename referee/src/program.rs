//! A program under test: tests send bytes, read whole lines and collect standard error.

use crate::process::{Errors, Process};
use std::process::Command;
use std::time::{Duration, Instant};

pub struct Exit {
    pub status: Option<i32>,
    /// Standard output that was not read before the exit.
    pub rest: String,
    /// The whole standard error.
    pub errors: String,
}

/// A running program. Dropping it kills the process.
pub struct Program {
    process: Process,
    /// Output that was read but not taken yet.
    pending: String,
}

impl Program {
    /// Starts a program with all three streams piped.
    pub fn start(command: Command) -> Self {
        let name = format!("{command:?}");
        let process = Process::spawn(command, Errors::Kept)
            .unwrap_or_else(|error| panic!("cannot start {name}: {error}"));
        Self { process, pending: String::new() }
    }

    pub fn id(&self) -> u32 {
        self.process.id().expect("it runs")
    }

    /// Sends bytes to the standard input, in a single write if the pipe has room.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.process.write(bytes);
    }

    pub fn close_input(&mut self) {
        self.process.close_input();
    }

    pub fn hang_up(&mut self) {
        self.process.hang_up();
    }

    /// Reads the next line. Fails if the line arrives in several pieces, because the SAU platform loses such lines.
    pub fn line(&mut self, limit: Duration) -> Result<String, String> {
        if self.pending.is_empty() {
            let read = self.read(Instant::now() + limit)?;
            self.pending = read.ok_or_else(|| format!("no output within {limit:?}"))?;
        }
        let piece = || format!("received only part of a line: {:?}", self.pending);
        let (line, rest) = self.pending.split_once('\n').ok_or_else(piece)?;
        let [line, rest] = [line, rest].map(str::to_owned);
        self.pending = rest;
        Ok(line)
    }

    /// Reads the next line, even if it arrives in several pieces.
    pub fn line_of_many(&mut self, limit: Duration) -> Result<String, String> {
        let deadline = Instant::now() + limit;
        while !self.pending.contains('\n') {
            let read = self.read(deadline)?;
            self.pending += &read.ok_or_else(|| format!("no output within {limit:?}"))?;
        }
        self.line(limit)
    }

    /// Fails if the program prints anything or closes its output during this time.
    pub fn silent(&mut self, time: Duration) -> Result<(), String> {
        if !self.pending.is_empty() {
            return Err(format!("already printed {:?}", self.pending));
        }
        match self.read(Instant::now() + time)? {
            None => Ok(()),
            Some(text) => Err(format!("unexpected output {text:?}")),
        }
    }

    fn read(&mut self, deadline: Instant) -> Result<Option<String>, String> {
        let read = self.process.receive(deadline);
        match read {
            Some(text) if text.is_empty() => Err("the program closed its output".into()),
            Some(text) if text.contains('\u{fffd}') => Err(format!("output is not UTF-8: {text:?}")),
            read => Ok(read),
        }
    }

    /// Waits until the program exits by itself; fails after `limit`.
    pub fn exit(&mut self, limit: Duration) -> Result<Exit, String> {
        let (rest, end) = self.process.finish(Instant::now() + limit);
        let rest = std::mem::take(&mut self.pending) + &rest;
        let end = end.ok_or_else(|| format!("still running after {limit:?}; printed {rest:?}"))?;
        Ok(Exit { status: end.status.code(), rest, errors: self.process.errors() })
    }
}
