//! A child process connected by pipes. Every wait has a deadline, the amount of output read is bounded, and dropping a
//! process kills its process group.

use crate::failure::{Failure, Kind};
use crate::groups;
use crate::usage::{self, Usage};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, OFlags, memfd_create};
use rustix::pipe::fcntl_setpipe_size;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open};
use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// Maximum number of bytes that a program may print between two requests: Botzone's limit.
pub const FLOOD: usize = 1 << 20;

/// Number of bytes that can be written to a pipe without blocking once the pipe is reported as writable.
const PIPE_BUF: usize = 4096;

/// Maximum number of bytes per read of the output.
const CHUNK: usize = 1 << 16;

/// Time that a process has to exit after closing its output.
const ENDING: Duration = Duration::from_secs(1);

/// Destination of a program's standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Errors {
    Hidden,
    /// Our own standard error.
    Shown,
    /// Memory, to be read by [`Process::errors`].
    Kept,
    /// The program's own standard output, as on the SAU platform.
    Merged,
}

/// An event that [`Process::listen`] reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    Output,
    /// The process has closed its output.
    Closed,
    /// The process has ended, and all of its output has been read.
    Ended,
    /// Nothing happened before the deadline.
    Silence,
}

#[derive(Clone, Copy, Debug)]
pub struct End {
    pub status: ExitStatus,
    /// Resources used by the process and its descendants that were waited for. The peak is 0 unless it exceeds our own
    /// peak, because a child starts with a copy of our memory.
    pub usage: Usage,
}

pub struct Process {
    child: Option<Child>,
    end: Option<End>,
    group: Pid,
    /// Descriptor that becomes readable when the process ends.
    ending: OwnedFd,
    stdin: Option<ChildStdin>,
    stdout: Option<PipeReader>,
    errors: Option<File>,
    /// Input that has not been written to the pipe yet.
    unsent: Vec<u8>,
    /// True if the input is to be closed as soon as `unsent` is written.
    closing: bool,
    /// Output that was read but not yet taken by [`Process::take`].
    heard: Vec<u8>,
    /// Maximum number of bytes per read: [`CHUNK`], or 1 after [`Process::fill_output`].
    chunk: usize,
    /// Number of filler bytes in the output pipe, see [`Process::fill_output`].
    padding: usize,
}

impl Process {
    pub fn start(command: &[String], errors: Errors) -> io::Result<Self> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let mut command = Command::new(program);
        command.args(arguments);
        Self::spawn(command, errors)
    }

    /// Starts a command in its own process group, with its input and output piped.
    pub fn spawn(mut command: Command, errors: Errors) -> io::Result<Self> {
        let (stdout, output) = io::pipe()?;
        let kept = match errors {
            Errors::Kept => Some(File::from(memfd_create("errors", MemfdFlags::CLOEXEC)?)),
            _ => None,
        };
        command.stdin(Stdio::piped()).stderr(match (errors, &kept) {
            (Errors::Shown, _) => Stdio::inherit(),
            (Errors::Merged, _) => output.try_clone()?.into(),
            (_, Some(file)) => file.try_clone()?.into(),
            (_, None) => Stdio::null(),
        });
        let (mut child, group) = groups::start_group(command.stdout(output))?;
        Ok(Self {
            ending: pidfd_open(group, PidfdFlags::empty())?,
            stdin: child.stdin.take(),
            stdout: Some(stdout),
            errors: kept,
            child: Some(child),
            end: None,
            group,
            unsent: Vec::new(),
            closing: false,
            heard: Vec::new(),
            chunk: CHUNK,
            padding: 0,
        })
    }

    /// Writes as many bytes as the pipe accepts now; [`Process::listen`] writes the rest.
    pub fn write(&mut self, text: impl AsRef<[u8]>) {
        self.unsent.extend(text.as_ref());
        while !self.unsent.is_empty() && self.has_room() {
            self.send();
        }
    }

    /// Closes the input once all pending bytes are written.
    pub fn close_input(&mut self) {
        self.closing = true;
        if self.unsent.is_empty() {
            self.stdin = None;
        }
    }

    /// Closes our end of the output pipe.
    pub fn hang_up(&mut self) {
        self.stdout = None;
    }

    pub fn signal(&self, signal: Signal) {
        signal_group(self.group, signal);
    }

    /// Signals the process, but not its child processes.
    pub fn signal_alone(&self, kind: Signal) {
        if let Some(id) = self.id() {
            signal(id, kind);
        }
    }

    /// Returns the process IDs of the child processes.
    pub fn children(&self) -> Vec<u32> {
        let Some(id) = self.id() else { return Vec::new() };
        let tasks = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
        let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
        lists
            .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
            .collect()
    }

    /// Returns the process group ID, which is not reused before [`Process::end`].
    pub fn group(&self) -> Pid {
        self.group
    }

    /// Returns the standard error so far, up to 1 MiB; empty unless started with [`Errors::Kept`].
    pub fn errors(&self) -> String {
        let mut bytes = vec![0; FLOOD];
        let length = self.errors.as_ref().map_or(Ok(0), |file| file.read_at(&mut bytes, 0)).unwrap_or(0);
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    }

    /// Shrinks the output pipe to its minimum size and fills the pipe. From now on, output is read one byte at a time.
    pub fn fill_output(&mut self) -> io::Result<()> {
        let Some(stdout) = &self.stdout else { return Ok(()) };
        fcntl_setpipe_size(stdout, PIPE_BUF)?;
        let path = format!("/proc/self/fd/{}", stdout.as_raw_fd());
        let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
        let mut writer = OpenOptions::new().write(true).custom_flags(nonblocking).open(path)?;
        self.padding += writer.write(&[b'.'; PIPE_BUF])?;
        self.chunk = 1;
        Ok(())
    }

    /// Waits at most `patience` for an event. Reads output and writes pending input. Returns the event.
    pub fn listen(&mut self, patience: Duration) -> Sign {
        let unsent = self.stdin.as_ref().filter(|_| !self.unsent.is_empty());
        // poll() reports closed pipes even without a request, so `never` replaces each pipe that is not waited for.
        let never = PollFd::new(&self.ending, PollFlags::empty());
        let output = self.stdout.as_ref().map(|out| PollFd::new(out, PollFlags::IN));
        let input = unsent.map(|stdin| PollFd::new(stdin, PollFlags::OUT));
        let ending = PollFd::new(&self.ending, PollFlags::IN);
        let mut sources = [ending, output.unwrap_or(never.clone()), input.unwrap_or(never)];
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
        match stdin.write(&self.unsent[..self.unsent.len().min(PIPE_BUF)]) {
            Ok(written) => drop(self.unsent.drain(..written)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return,
            // The process has closed its input, so the rest is dropped.
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
        let mut chunk = [0; CHUNK];
        match self.stdout.as_mut().map_or(Ok(0), |stdout| stdout.read(&mut chunk[..self.chunk])) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Sign::Silence,
            Ok(0) | Err(_) => {
                self.stdout = None;
                Sign::Closed
            }
            Ok(_) if self.padding > 0 => {
                self.padding -= 1;
                Sign::Output
            }
            Ok(length) => {
                self.heard.extend(&chunk[..length]);
                Sign::Output
            }
        }
    }

    /// Returns the output that has been read but not yet taken.
    pub fn heard(&self) -> &[u8] {
        &self.heard
    }

    /// Removes up to `length` bytes from the output read so far and returns the bytes as text.
    pub fn take(&mut self, length: usize) -> String {
        let taken: Vec<u8> = self.heard.drain(..length.min(self.heard.len())).collect();
        String::from_utf8_lossy(&taken).into_owned()
    }

    /// Returns [`Sign::Output`] as soon as `is_done` accepts the output read but not taken. Returns another sign if the
    /// output closes, the process ends or `since + limit` passes first.
    pub fn listen_until(&mut self, since: Instant, limit: Duration, is_done: impl Fn(&[u8]) -> bool) -> Sign {
        while !is_done(&self.heard) {
            let left = limit.saturating_sub(since.elapsed());
            match self.listen(left) {
                sign @ (Sign::Closed | Sign::Ended) => return sign,
                Sign::Silence if left.is_zero() => return Sign::Silence,
                Sign::Output | Sign::Silence => {}
            }
        }
        Sign::Output
    }

    /// Takes the next output (after [`Process::fill_output`], the next line). `None` after `limit`, empty at the end.
    pub fn receive(&mut self, limit: Duration) -> Option<String> {
        let in_bytes = self.chunk == 1;
        let is_whole = |heard: &[u8]| !heard.is_empty() && (!in_bytes || heard.ends_with(b"\n"));
        let is_silent = self.listen_until(Instant::now(), limit, is_whole) == Sign::Silence;
        if is_silent && self.heard.is_empty() && self.stdout.is_some() {
            None
        } else {
            Some(self.take(FLOOD))
        }
    }

    /// Waits for the end of the process, at most `limit`, or for more than [`FLOOD`] bytes of output. Returns the
    /// output, and the [`End`] if the process has ended.
    pub fn finish(&mut self, limit: Duration) -> (String, Option<End>) {
        let since = Instant::now();
        let is_flood = |heard: &[u8]| heard.len() > FLOOD;
        let mut sign = Sign::Closed;
        while sign == Sign::Closed {
            sign = self.listen_until(since, limit, is_flood);
        }
        let end = if sign == Sign::Ended { self.end() } else { None };
        (self.take(usize::MAX), end)
    }

    /// Reads the next line, without its line break; the last line can lack one. Fails at `since + limit`, after
    /// [`FLOOD`] bytes without a line break, and at the end of the output.
    pub fn line(&mut self, since: Instant, limit: Duration) -> Result<String, Failure> {
        let is_line = |heard: &[u8]| heard.len() >= FLOOD || heard.contains(&b'\n');
        let sign = self.listen_until(since, limit, is_line);
        let end = self.heard.iter().position(|&byte| byte == b'\n').map(|index| index + 1);
        let length = match (end, sign) {
            (Some(length), _) => length,
            (None, Sign::Output) => return Err(Failure::new(Kind::Flood, "more than a megabyte of output")),
            (None, Sign::Silence) => return Err(Failure::late(since.elapsed())),
            (None, _) if self.heard.is_empty() => return Err(self.gone()),
            (None, _) => self.heard.len(),
        };
        Ok(self.take(length).trim_end_matches(['\r', '\n']).to_owned())
    }

    /// Waits at most [`ENDING`] for the exit, then kills the process group. Returns the failure, with any exit status
    /// and the error output.
    pub fn gone(&mut self) -> Failure {
        let (_, end) = self.finish(ENDING);
        match end.map(|end| end.status) {
            None => Failure::new(Kind::NoAnswer, "the program closed its output"),
            Some(status) if status.success() => {
                Failure::new(Kind::NoAnswer, format!("the program ended ({status})"))
            }
            Some(status) => {
                Failure::quoting(Kind::BadExit, format!("the program ended ({status})"), &self.errors())
            }
        }
    }

    /// Returns the process ID; `None` after [`Process::end`].
    pub fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// True if the process has ended or closed its input.
    pub fn is_gone(&self) -> bool {
        self.stdin.is_none() || is_ready(&PollFd::new(&self.ending, PollFlags::IN))
    }

    /// Returns the resources used so far, including those of descendants.
    pub fn usage(&self) -> Usage {
        self.id().map_or(Usage::default(), usage::of_tree)
    }

    /// Kills the process group and reaps the process. Returns its exit status and usage, if known.
    pub fn end(&mut self) -> Option<End> {
        let Some(mut child) = self.child.take() else { return self.end };
        self.stdin = None;
        groups::end_group(self.group);
        let used = child.wait4().ok()?;
        let cpu = used.rusage.utime + used.rusage.stime;
        let peak = if used.rusage.maxrss > usage::own_peak() { used.rusage.maxrss } else { 0 };
        self.end = Some(End { status: used.status, usage: Usage { cpu, peak } });
        self.end
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

pub fn signal_group(group: Pid, signal: Signal) {
    // A group that has already ended is not an error: the next read reports the end.
    let _ = kill_process_group(group, signal);
}

/// Signals one process.
pub fn signal(process: u32, signal: Signal) {
    // A process that has already ended is not an error.
    let _ = Pid::from_raw(process.cast_signed()).map(|process| kill_process(process, signal));
}

/// Checks that a program can be started, by starting and killing it.
pub fn check_start(command: &[String]) -> Result<(), String> {
    let started = Process::start(command, Errors::Hidden);
    let [program, ..] = command else { return Err("no program given".into()) };
    started.map(drop).map_err(|error| format!("{program} cannot be started: {error}"))
}

/// True if `poll` reports an event on the descriptor immediately.
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
    fn writing_more_than_a_pipe_holds_never_blocks() {
        let text = "0123456789abcde\n".repeat(1 << 16);
        let mut reader = started(&["cat"]);
        reader.write(&text);
        reader.close_input();
        assert!(ended(&mut reader));
        assert!(reader.take(2 << 20) == text, "output is incomplete");
        assert!(reader.end().is_some_and(|end| end.status.success()));
        let mut sleeper = started(&["sleep", "4245"]);
        sleeper.write(&text);
        assert_eq!(sleeper.listen(Duration::from_millis(1)), Sign::Silence);
        assert!(sleeper.end().is_some_and(|end| !end.status.success()));
    }

    #[test]
    fn a_closed_output_is_reported_while_the_process_runs() {
        let mut closer = started(&["sh", "-c", "echo first; exec >&-; sleep 4246"]);
        let mut line = || closer.line(Instant::now(), Duration::from_secs(60));
        assert_eq!(line().unwrap(), "first");
        assert!(line().is_err_and(|failure| failure.detail == "the program closed its output"));
    }

    #[test]
    fn usage_is_known_before_and_after_the_end() {
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
