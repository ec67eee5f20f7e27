//! A child process that is spoken to in lines, and that cannot hurt us: what it writes is bounded, what it
//! does not write is waited for until a deadline only, and when it is dropped its whole process group goes.

use otrera::Forfeit;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Bytes that a program may write before it is spoken to again. Botzone allows one megabyte.
const FLOOD: u64 = 1 << 20;

/// Lines that may wait to be read.
const WAITING_LINES: usize = 1024;

/// What the reading thread has to say.
enum Heard {
    Line(String),
    Flood,
    Closed,
}

/// A running program.
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    heard: Receiver<Heard>,
}

impl Process {
    /// Starts a program, its error output thrown away.
    pub fn start(command: &[String]) -> Result<Self, Forfeit> {
        let crashed =
            |what: &dyn std::fmt::Display| Forfeit::Crashed(format!("{}: {what}", command.join(" ")));
        let (program, arguments) = command.split_first().ok_or_else(|| crashed(&"no program"))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| crashed(&error))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or_else(|| crashed(&"no output"))?;
        let (sender, heard) = sync_channel(WAITING_LINES);
        std::thread::spawn(move || listen(stdout, &sender));
        Ok(Self { child, stdin, heard })
    }

    /// Writes text as it is. A program that does not read is found out when its answer is missing.
    pub fn write(&mut self, text: &str) -> Result<(), Forfeit> {
        let written = match &mut self.stdin {
            Some(stdin) => stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()),
            None => Ok(()),
        };
        written.map_err(|error| Forfeit::Crashed(format!("it does not listen: {error}")))
    }

    /// Closes its input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// The next line it writes, waited for until `limit` after `since`.
    pub fn line(&mut self, since: Instant, limit: Duration) -> Result<String, Forfeit> {
        let left = limit.saturating_sub(since.elapsed());
        match self.heard.recv_timeout(left) {
            Ok(Heard::Line(line)) => Ok(line),
            Ok(Heard::Flood) => Err(Forfeit::Garbled("more than a megabyte of output".into())),
            Ok(Heard::Closed) | Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
            Err(RecvTimeoutError::Timeout) => Err(Forfeit::Late(since.elapsed())),
        }
    }

    fn ended(&mut self) -> Forfeit {
        // Output ends a moment before the process does.
        let deadline = Instant::now() + Duration::from_millis(200);
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Forfeit::Crashed(format!("it ended ({status})")),
                _ if Instant::now() > deadline => return Forfeit::Crashed("it closed its output".into()),
                _ => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stdin = None;
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // Whatever it has started goes with it; a group that is gone is no failure.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Passes on what the program writes, line by line, until it ends, floods, or nobody wants to hear more.
fn listen(stdout: impl Read, sender: &SyncSender<Heard>) {
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.by_ref().take(FLOOD).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => {
                let _ = sender.send(Heard::Closed);
                return;
            }
            Ok(_) if line.len() as u64 >= FLOOD => {
                let _ = sender.send(Heard::Flood);
                return;
            }
            Ok(_) => {
                let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
                if sender.send(Heard::Line(text)).is_err() {
                    return;
                }
            }
        }
    }
}
