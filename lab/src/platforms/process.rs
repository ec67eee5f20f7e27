//! A child process that cannot hurt us: what it writes is bounded by those who listen, what it does not
//! write or read is waited for until a deadline only, and when it is dropped its whole process group goes.

use super::usage::{self, Usage};
use crate::interrupt;
use otrera::Forfeit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// Bytes that a program may write before it is spoken to again: Botzone's limit.
pub const FLOOD: usize = 1 << 20;

/// As much fits into a pipe that says there is room, so that writing never blocks.
const MOUTHFUL: usize = 4096;

/// How long a process may take to end when it has closed its output.
const ENDING: Duration = Duration::from_millis(200);

/// What becomes of a program's error output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Errors {
    /// It is thrown away.
    Hidden,
    /// It goes where ours goes.
    Shown,
}

/// What a process did while it was listened to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// It wrote something.
    Output,
    /// It closed its output.
    Closed,
    /// It has ended, and all that it wrote has been heard.
    Ended,
    /// Nothing.
    Silence,
}

/// How a process ended.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Its exit status.
    pub status: ExitStatus,
    /// What it used, the children included that it waited for. The memory is zero where it was so little
    /// that it cannot be told from ours.
    pub usage: Usage,
}

/// A running program.
pub struct Process {
    child: Option<Child>,
    group: Pid,
    /// Readable when the process has ended.
    ending: OwnedFd,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    /// What it has not been able to read yet, and whether its input ends there.
    unsent: Vec<u8>,
    closing: bool,
    heard: Vec<u8>,
}

impl Process {
    /// Starts a program in a process group of its own, its error output thrown away or let through.
    pub fn start(command: &[String], errors: Errors) -> io::Result<Self> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(match errors {
            Errors::Hidden => Stdio::null(),
            Errors::Shown => Stdio::inherit(),
        });
        let (mut child, group) = interrupt::start_group(&mut command)?;
        Ok(Self {
            ending: pidfd_open(group, PidfdFlags::empty())?,
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            child: Some(child),
            group,
            unsent: Vec::new(),
            closing: false,
            heard: Vec::new(),
        })
    }

    /// Writes text as it is, as far as it is read; the rest while it is listened to. A program that does
    /// not read is found out when its answer is missing.
    pub fn write(&mut self, text: &str) {
        self.unsent.extend(text.as_bytes());
        while !self.unsent.is_empty() && self.has_room() {
            self.send();
        }
    }

    /// Closes its input behind what has been written.
    pub fn close_input(&mut self) {
        self.closing = true;
        if self.unsent.is_empty() {
            self.stdin = None;
        }
    }

    /// Stops or continues the process and all that it has started.
    pub fn signal(&self, signal: Signal) {
        // A group that is gone is no failure: the next attempt to listen finds out.
        let _ = kill_process_group(self.group, signal);
    }

    /// Waits until the program does something, for this long at most, and takes in what it writes.
    pub fn listen(&mut self, patience: Duration) -> Sign {
        let unsent = self.stdin.as_ref().filter(|_| !self.unsent.is_empty());
        // A closed pipe is always ready: what is not listened to is replaced by what never is.
        let never = PollFlags::empty();
        let mut sources = [
            PollFd::new(&self.ending, PollFlags::IN),
            self.stdout
                .as_ref()
                .map_or(PollFd::new(&self.ending, never), |out| PollFd::new(out, PollFlags::IN)),
            unsent.map_or(PollFd::new(&self.ending, never), |stdin| PollFd::new(stdin, PollFlags::OUT)),
        ];
        let patience = Timespec::try_from(patience.min(Duration::from_secs(3600))).ok();
        if poll(&mut sources, patience.as_ref()).is_err() {
            return Sign::Silence;
        }
        let [ended, wrote, reads] = sources.map(|source| !source.revents().is_empty());
        if reads && unsent.is_some() {
            self.send();
        }
        match (wrote && self.stdout.is_some(), ended) {
            (true, _) => self.read(),
            (false, true) => Sign::Ended,
            (false, false) => Sign::Silence,
        }
    }

    fn has_room(&self) -> bool {
        self.stdin.as_ref().is_some_and(|stdin| is_ready(&PollFd::new(stdin, PollFlags::OUT)))
    }

    fn send(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        match stdin.write(&self.unsent[..self.unsent.len().min(MOUTHFUL)]) {
            Ok(written) => drop(self.unsent.drain(..written)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return,
            // It has closed its input: nobody wants the rest.
            Err(_) => {
                self.stdin = None;
                self.unsent.clear();
            }
        }
        if self.closing && self.unsent.is_empty() {
            self.stdin = None;
        }
    }

    fn read(&mut self) -> Sign {
        let mut chunk = [0; 1 << 16];
        match self.stdout.as_mut().map_or(Ok(0), |stdout| stdout.read(&mut chunk)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Sign::Silence,
            Ok(0) | Err(_) => {
                self.stdout = None;
                Sign::Closed
            }
            Ok(length) => {
                self.heard.extend(&chunk[..length]);
                Sign::Output
            }
        }
    }

    /// What has been heard and not been taken.
    pub fn heard(&self) -> &[u8] {
        &self.heard
    }

    /// Takes so many bytes of what has been heard, as text.
    pub fn take(&mut self, length: usize) -> String {
        let taken: Vec<u8> = self.heard.drain(..length.min(self.heard.len())).collect();
        String::from_utf8_lossy(&taken).into_owned()
    }

    /// The next line it writes, waited for until `limit` after `since`.
    pub fn line(&mut self, since: Instant, limit: Duration) -> Result<String, Forfeit> {
        let mut open = true;
        loop {
            let end = self.heard.iter().position(|&byte| byte == b'\n').map(|index| index + 1);
            let rest = Some(self.heard.len()).filter(|&length| !open && length > 0);
            if let Some(length) = end.or(rest) {
                return Ok(self.take(length).trim_end_matches(['\r', '\n']).to_owned());
            }
            if self.heard.len() >= FLOOD {
                return Err(Forfeit::Garbled("more than a megabyte of output".into()));
            }
            if !open {
                return Err(self.gone());
            }
            let left = limit.saturating_sub(since.elapsed());
            match self.listen(left) {
                Sign::Closed | Sign::Ended => open = false,
                Sign::Silence if left.is_zero() => return Err(Forfeit::Late(since.elapsed())),
                Sign::Output | Sign::Silence => {}
            }
        }
    }

    /// Why there is no more output.
    fn gone(&mut self) -> Forfeit {
        let ended = self.listen(ENDING) == Sign::Ended;
        match self.end() {
            Some(End { status, .. }) if ended => Forfeit::Crashed(format!("it ended ({status})")),
            _ => Forfeit::Crashed("it closed its output".into()),
        }
    }

    /// Its number, as long as it has not been ended.
    pub fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Whether it has ended or does not want to hear more.
    pub fn is_gone(&self) -> bool {
        self.stdin.is_none() || is_ready(&PollFd::new(&self.ending, PollFlags::IN))
    }

    /// What it has used so far, its descendants included.
    pub fn usage(&self) -> Usage {
        self.id().map_or(Usage::default(), usage::of_tree)
    }

    /// Ends the process if it still lives, and all that it has started.
    pub fn end(&mut self) -> Option<End> {
        let mut child = self.child.take()?;
        self.stdin = None;
        interrupt::end_group(self.group);
        let used = child.wait4().ok()?;
        let cpu = used.rusage.utime + used.rusage.stime;
        let peak = if used.rusage.maxrss > usage::own_peak() { used.rusage.maxrss } else { 0 };
        Some(End { status: used.status, usage: Usage { cpu, peak } })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// Starts a program as for a game, and ends it at once.
///
/// # Errors
/// It cannot be started, and why.
pub fn check_start(command: &[String]) -> Result<(), String> {
    let started = Process::start(command, Errors::Hidden);
    let [program, ..] = command else { return Err("what program?".into()) };
    started.map(drop).map_err(|error| format!("{program} cannot be started: {error}"))
}

/// Whether there is something to be done without waiting.
fn is_ready(source: &PollFd) -> bool {
    matches!(poll(&mut [source.clone()], Some(&Timespec::default())), Ok(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(command: &[&str]) -> Process {
        Process::start(&command.iter().map(|&word| word.to_owned()).collect::<Vec<_>>(), Errors::Hidden)
            .unwrap()
    }

    fn ended(process: &mut Process) -> bool {
        (0..1000).any(|_| process.listen(Duration::from_millis(10)) == Sign::Ended)
    }

    #[test]
    fn more_than_a_pipe_holds_is_written_to_those_who_read_and_keeps_nobody_waiting() {
        let text = "0123456789abcde\n".repeat(1 << 16);
        let mut reader = started(&["cat"]);
        reader.write(&text);
        reader.close_input();
        assert!(ended(&mut reader));
        assert!(reader.take(2 << 20) == text, "not all has come back");
        assert!(reader.end().is_some_and(|end| end.status.success()));
        let mut sleeper = started(&["sleep", "4245"]);
        sleeper.write(&text);
        assert_eq!(sleeper.listen(Duration::from_millis(1)), Sign::Silence);
        assert!(sleeper.end().is_some_and(|end| !end.status.success()));
    }

    #[test]
    fn what_a_process_used_is_known_before_and_after_its_end() {
        let mut counter =
            started(&["sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; read line"]);
        let mut used = (0..1000).map(|_| {
            std::thread::sleep(Duration::from_millis(10));
            counter.usage()
        });
        let least = Duration::from_millis(20);
        let before = used.find(|usage| usage.cpu >= least).unwrap();
        assert!(before.peak > 100 << 10, "{before:?}");
        counter.close_input();
        assert!(ended(&mut counter));
        let after = counter.end().unwrap().usage;
        assert!(after.cpu >= before.cpu, "{before:?} {after:?}");
    }
}
