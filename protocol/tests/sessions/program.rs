//! The program under test, talked to through pipes. Nothing here waits without a limit.
#![allow(dead_code)] // two test files compile this module for themselves, and one uses a part of it

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How a program ended.
pub struct Exit {
    /// Its exit status, `None` when a signal ended it.
    pub status: Option<i32>,
    /// What was left on its standard output.
    pub rest: String,
    /// All that it wrote to standard error.
    pub errors: String,
}

/// A running program. Dropped, it is killed.
pub struct Program {
    child: Child,
    /// What is to be written to its standard input, which is closed when this is dropped.
    input: Option<Sender<Vec<Vec<u8>>>>,
    /// What has not yet been handed over. A line and the end of input after it go together, since the
    /// program takes a pause between them for a sign.
    outbox: Vec<Vec<u8>>,
    /// Asks for one read of its standard output, which is closed when this is dropped.
    ask: Option<Sender<()>>,
    asked: bool,
    /// Reads standard output, once for each time it is asked.
    reader: Option<JoinHandle<()>>,
    chunks: Receiver<Vec<u8>>,
    /// What has been read and not yet been taken.
    pending: String,
    errors: Receiver<String>,
}

impl Program {
    /// Starts a program with all three streams piped.
    pub fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        let mut stdin = child.stdin.take().expect("piped");
        let mut stdout = child.stdout.take().expect("piped");
        let mut stderr = child.stderr.take().expect("piped");
        let (input, to_write) = channel::<Vec<Vec<u8>>>();
        // A program that no longer reads will be found out by what it says.
        let mut write_all =
            move |pieces: Vec<Vec<u8>>| pieces.iter().all(|bytes| stdin.write_all(bytes).is_ok());
        thread::spawn(move || while to_write.recv().is_ok_and(&mut write_all) {});
        let (ask, asked) = channel::<()>();
        let (chunk, chunks) = channel();
        let reader = thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while asked.recv().is_ok() {
                let length = stdout.read(&mut buffer).unwrap_or(0);
                if chunk.send(buffer[..length].to_vec()).is_err() || length == 0 {
                    return;
                }
            }
        });
        let (error, errors) = channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.read_to_end(&mut bytes);
            let _ = error.send(String::from_utf8_lossy(&bytes).into_owned());
        });
        Self {
            child,
            input: Some(input),
            outbox: Vec::new(),
            ask: Some(ask),
            asked: false,
            reader: Some(reader),
            chunks,
            pending: String::new(),
            errors,
        }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes to standard input, in one write as far as the pipe takes it.
    pub fn send(&mut self, bytes: Vec<u8>) {
        self.outbox.push(bytes);
    }

    /// Closes standard input once everything has been sent.
    pub fn close_input(&mut self) {
        self.hand_over();
        self.input = None;
    }

    fn hand_over(&mut self) {
        let pieces = std::mem::take(&mut self.outbox);
        if let Some(input) = &self.input {
            let _ = input.send(pieces);
        }
    }

    /// Closes our end of its standard output.
    pub fn hang_up(&mut self) {
        assert!(!self.asked, "`hang up` stands at the beginning or directly after an answer");
        self.ask = None;
        let reader = self.reader.take().expect("one hangs up once");
        reader.join().expect("reading does not panic");
    }

    /// The next line it prints.
    pub fn line(&mut self, limit: Duration) -> Result<String, String> {
        if self.pending.is_empty() {
            let read = self.read(Instant::now() + limit)?;
            self.pending = read.ok_or_else(|| format!("nothing came within {limit:?}"))?;
        }
        // A line that comes in two pieces would be lost on the SAU platform.
        let piece = || format!("only a piece of a line came: {:?}", self.pending);
        let (line, rest) = self.pending.split_once('\n').ok_or_else(piece)?;
        let [line, rest] = [line, rest].map(str::to_owned);
        self.pending = rest;
        Ok(line)
    }

    /// The same where much is printed at once: a line that begins at the end of a full pipe comes in two pieces.
    pub fn line_of_many(&mut self, limit: Duration) -> Result<String, String> {
        let deadline = Instant::now() + limit;
        while !self.pending.contains('\n') {
            let read = self.read(deadline)?;
            self.pending += &read.ok_or_else(|| format!("nothing came within {limit:?}"))?;
        }
        self.line(limit)
    }

    /// Checks that it neither prints anything nor ends for this long.
    pub fn silent(&mut self, time: Duration) -> Result<(), String> {
        if !self.pending.is_empty() {
            return Err(format!("it had already printed {:?}", self.pending));
        }
        match self.read(Instant::now() + time)? {
            None => Ok(()),
            Some(text) => Err(format!("it printed {text:?}")),
        }
    }

    /// One read of standard output before `deadline`: `None` if nothing comes.
    fn read(&mut self, deadline: Instant) -> Result<Option<String>, String> {
        self.hand_over();
        let ended = || "it has closed its output".to_owned();
        if !self.asked {
            self.ask.as_ref().ok_or("we hung up")?.send(()).map_err(|_| ended())?;
            self.asked = true;
        }
        match self.chunks.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(ended()),
            Ok(bytes) => {
                self.asked = false;
                match String::from_utf8(bytes) {
                    Ok(text) if text.is_empty() => Err(ended()),
                    Ok(text) => Ok(Some(text)),
                    Err(error) => Err(format!("what came is not UTF-8: {:?}", error.as_bytes())),
                }
            }
        }
    }

    /// Waits until it ends by itself.
    pub fn exit(&mut self, limit: Duration) -> Result<Exit, String> {
        let deadline = Instant::now() + limit;
        let late = || format!("it had not ended after {limit:?}");
        self.hand_over();
        let mut rest = std::mem::take(&mut self.pending);
        while self.ask.is_some() {
            match self.read(deadline) {
                Ok(Some(text)) => rest += &text,
                Ok(None) => return Err(format!("{}, but printed {rest:?}", late())),
                Err(_) => break,
            }
        }
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.code(),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                Ok(None) => return Err(late()),
                Err(error) => return Err(error.to_string()),
            }
        };
        let errors = self.errors.recv_timeout(limit).map_err(|_| "its standard error stays open")?;
        Ok(Exit { status, rest, errors })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // One that has ended cannot be killed, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
