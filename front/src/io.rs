//! Input and output of a session, and the log of both.
//!
//! A thread reads standard input, so that a command can interrupt a search. Each answer is sent in one `write` call,
//! because the SAU platform drops answers that arrive in pieces.

use crate::files;
use otrera::Move;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// An event in a session's queue.
#[derive(Debug)]
pub enum Event {
    /// A line of input without its line break, and the time it was read.
    Line(String, Instant),
    /// The end of input.
    Closed,
    /// The end of the background search with this number.
    SearchEnded(u64),
    /// A line from the searcher with this number, or `None` when the searcher has ended.
    Searcher(u64, Option<String>),
    /// The operator's answer to a question about a game: its moves.
    Told(Vec<Move>),
}

/// Maximum number of bytes kept of an input line; the rest of a longer line is dropped. No platform sends such lines.
pub const MAX_LINE_BYTES: usize = 32 << 20;

/// Bytes of input read so far, including an unfinished line.
static BYTES_READ: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of input bytes read so far, including an unfinished line.
pub fn bytes_read() -> usize {
    BYTES_READ.load(Relaxed)
}

/// Reads lines from `input` and sends them as events, until the input ends or the receiver is dropped.
pub fn read_lines(mut input: impl BufRead, events: &Sender<Event>, log: &Log) {
    loop {
        let event = read_event(&mut input, log);
        let is_last = matches!(event, Event::Closed);
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

/// Waits for the next line or the end of input, logs it and returns it as an event.
fn read_event(input: &mut impl BufRead, log: &Log) -> Event {
    let mut line = Vec::new();
    let Ok(true) = read_line(input, &mut line) else {
        log.note("->", "(end of input)");
        return Event::Closed;
    };
    let text = String::from_utf8_lossy(&line);
    let text = text.trim_start_matches('\u{feff}').trim_matches(['\r', '\n', '\0']);
    log.note("->", text);
    Event::Line(text.to_owned(), Instant::now())
}

/// Reads the next line with its line break, cut to [`MAX_LINE_BYTES`], into `line`; returns false at the end of input.
pub fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    loop {
        let buffer = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            result => result?,
        };
        if buffer.is_empty() {
            return Ok(!line.is_empty());
        }
        let (taken, ended) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffer.len(), false),
        };
        let room = MAX_LINE_BYTES.saturating_sub(line.len()).min(taken);
        line.extend(buffer.iter().take(room));
        input.consume(taken);
        BYTES_READ.fetch_add(taken, Relaxed);
        if ended {
            return Ok(true);
        }
    }
}

/// Error from writing to standard output, usually because the reader has exited.
#[derive(Debug)]
pub struct Disconnected(pub io::Error);

/// Output of a session; sends each answer in one write.
#[derive(Clone)]
pub struct Output {
    sink: Arc<Mutex<Box<dyn Write + Send>>>,
    log: Log,
}

impl Output {
    /// Creates an output that writes answers to `sink` and logs them.
    pub fn new(sink: Box<dyn Write + Send>, log: Log) -> Self {
        Self { sink: Arc::new(Mutex::new(sink)), log }
    }

    /// Sends an answer of one or more lines in one write.
    pub fn send(&self, answer: &str) -> Result<(), Disconnected> {
        for line in answer.lines() {
            self.log.note("<-", line);
        }
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = format!("{answer}\n");
        sink.write_all(bytes.as_bytes()).and_then(|()| sink.flush()).map_err(Disconnected)
    }
}

/// Handle to the log file, if any. After a failed write, the log moves to the temporary folder; after a second failure,
/// logging stops. Log errors never end a game.
#[derive(Clone)]
pub struct Log {
    file: Option<Arc<Mutex<LogFile>>>,
    started: Instant,
}

struct LogFile {
    /// Path given by the option `log`.
    path: PathBuf,
    /// The open log file with its path; `None` once logging has stopped.
    file: Option<(PathBuf, File)>,
    moved: bool,
}

impl Log {
    /// Opens the log file and writes `heading`. Adds a problem if the file is unusable.
    pub fn open(path: &Path, started: Instant, heading: &str, problems: &mut Vec<String>) -> Self {
        let mut file = LogFile { path: path.to_owned(), file: None, moved: false };
        match files::append(path) {
            Ok(opened) => file.file = Some(opened),
            Err(error) => problems.push(file.move_away(&error)),
        }
        let log = Self { file: Some(Arc::new(Mutex::new(file))), started };
        log.note("--", heading);
        log
    }

    /// Creates a log without a file, which discards everything.
    pub fn none(started: Instant) -> Self {
        Self { file: None, started }
    }

    /// Writes a line: seconds since process start, `mark`, and `text` cut to 2000 characters. The marks are `->` for
    /// input, `<-` for answers, `--` for information and `!!` for problems.
    pub fn note(&self, mark: &str, text: &str) {
        let Some(file) = &self.file else { return };
        let Ok(mut file) = file.lock() else { return };
        let text: String = text.chars().take(2000).collect();
        file.write(&format!("{:9.3} {mark} {text}\n", self.started.elapsed().as_secs_f64()));
    }
}

impl LogFile {
    fn write(&mut self, line: &str) {
        let Some((_, file)) = &self.file else { return };
        if let Err(error) = (&*file).write_all(line.as_bytes()) {
            let problem = self.move_away(&error);
            self.write(&format!("          !! {problem}\n{line}"));
        }
    }

    /// Continues the log in the temporary folder, or stops logging if this fails or was done before. Returns a message.
    fn move_away(&mut self, reason: &io::Error) -> String {
        let name = self.path.file_name().unwrap_or(OsStr::new("otrera.log"));
        let refuge = std::env::temp_dir().join(name);
        let found = if self.moved { None } else { files::append(&refuge).ok() };
        self.moved = true;
        let outcome = match &found {
            Some((path, _)) => format!("logging to {}", path.display()),
            None => "logging has stopped".into(),
        };
        if let Some((path, file)) = std::mem::replace(&mut self.file, found)
            && file.metadata().is_ok_and(|file| file.len() == 0)
        {
            drop(file);
            let _ = std::fs::remove_file(path);
        }
        format!("--log {}: {reason}; {outcome}", self.path.display())
    }
}

/// Writes to standard output and flushes it. A closed pipe is not an error.
pub fn print(text: &str) -> Result<(), String> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// Input, output and log of a session.
pub struct Connection {
    /// Queue of input lines and of notices that a background search has ended.
    pub events: Events,
    /// Sender with which background searches report their end.
    pub sender: Sender<Event>,
    /// Output for the answers.
    pub output: Output,
    /// Log of input, answers and problems.
    pub log: Log,
    /// Problems with the options, for platforms that can show them.
    pub problems: Vec<String>,
    /// Start time of the process.
    pub started: Instant,
    /// Program and arguments that start a searcher process; empty if none can be started.
    pub searcher: Vec<OsString>,
}

impl Connection {
    /// Connects standard input and output. A thread reads the input; if it cannot start, or without `has_threads`, the
    /// session reads the input itself. From now on a panic only goes to the log, since the session still plays a legal
    /// move.
    pub fn new(log: Log, problems: Vec<String>, has_threads: bool) -> Self {
        for problem in &problems {
            log.note("!!", problem);
        }
        let panics = log.clone();
        std::panic::set_hook(Box::new(move |panic| panics.note("!!", &panic.to_string())));
        let connection = Self::between(channel(), Box::new(io::stdout()), log.clone());
        let mut connection = Self { problems, ..connection };
        let sender = connection.sender.clone();
        let listening =
            if has_threads { listen(sender, log.clone()) } else { Err(io::ErrorKind::Unsupported.into()) };
        if let Err(error) = listening {
            log.note("!!", &format!("cannot start the input thread: {error}"));
            connection.events.read_from(Box::new(io::stdin().lock()), log);
        }
        connection
    }

    /// Connects a channel, from which the events come, and a sink for the answers.
    pub fn between(
        (sender, receiver): (Sender<Event>, Receiver<Event>),
        sink: Box<dyn Write + Send>,
        log: Log,
    ) -> Self {
        Self {
            events: Events::new(receiver),
            sender,
            output: Output::new(sink, log.clone()),
            problems: Vec::new(),
            started: log.started,
            searcher: Vec::new(),
            log,
        }
    }
}

/// Starts the thread that reads standard input. It never ends, which Botzone's sandbox may not allow. Fails if the
/// system cannot start a thread.
fn listen(events: Sender<Event>, log: Log) -> io::Result<()> {
    let read = move || {
        read_lines(io::stdin().lock(), &events, &log);
        loop {
            std::thread::park();
        }
    };
    std::thread::Builder::new().spawn(read).map(|_| ())
}

/// The event queue of a session, in order of arrival.
pub struct Events {
    receiver: Receiver<Event>,
    waiting: VecDeque<Event>,
    /// Input to read without a thread, and its log; `None` if the input thread is running.
    input: Option<(Box<dyn BufRead>, Log)>,
}

impl Events {
    /// Creates a queue that receives its events from a channel.
    pub fn new(receiver: Receiver<Event>) -> Self {
        Self { receiver, waiting: VecDeque::new(), input: None }
    }

    /// Switches to reading `input` without a thread, in [`Self::wait`] and [`Self::next_by`]. In this mode no line can
    /// interrupt a search, and [`Self::peek_before`] treats the input as closed.
    pub fn read_from(&mut self, input: Box<dyn BufRead>, log: Log) {
        self.input = Some((input, log));
    }

    /// True if a thread reads the input, so that events can interrupt a wait.
    pub fn has_thread(&self) -> bool {
        self.input.is_none()
    }

    /// Waits for the next event and returns it; [`Event::Closed`] if no more events can come.
    pub fn wait(&mut self) -> Event {
        match (self.waiting.pop_front(), &mut self.input) {
            (Some(event), _) => event,
            (None, Some((input, log))) => read_event(input, log),
            (None, None) => self.receiver.recv().unwrap_or(Event::Closed),
        }
    }

    /// Returns the next event, or `None` at `deadline`. Waits without limit if there is no deadline, or no thread reads
    /// the input.
    pub fn next_by(&mut self, deadline: Option<Instant>) -> Option<Event> {
        match deadline {
            Some(deadline) if self.input.is_none() => {
                self.waiting.pop_front().or_else(|| self.receive_before(deadline))
            }
            _ => Some(self.wait()),
        }
    }

    /// Puts an event back at the front of the queue.
    pub fn unread(&mut self, event: Event) {
        self.waiting.push_front(event);
    }

    /// Drops the unwanted lines among the events collected by [`Self::peek_before`] or put back by [`Self::unread`].
    pub fn keep_lines(&mut self, wanted: impl Fn(&str) -> bool) {
        self.waiting.retain(|event| match event {
            Event::Line(line, _) => wanted(line),
            _ => true,
        });
    }

    /// Collects all events until `deadline` or the end of input, and returns the queue without consuming any event.
    pub fn peek_before(&mut self, deadline: Instant) -> &VecDeque<Event> {
        if self.input.is_some() && self.waiting.is_empty() {
            self.waiting.push_back(Event::Closed);
        }
        while !matches!(self.waiting.back(), Some(Event::Closed)) {
            match self.receive_before(deadline) {
                Some(event) => self.waiting.push_back(event),
                None => break,
            }
        }
        &self.waiting
    }

    fn receive_before(&self, deadline: Instant) -> Option<Event> {
        match self.receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Disconnected) => Some(Event::Closed),
            Err(RecvTimeoutError::Timeout) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn the_end_of_input_is_reported_once() {
        let (sender, receiver) = mpsc::channel();
        read_lines("quit\n".as_bytes(), &sender, &Log::none(Instant::now()));
        drop(sender);
        let events: Vec<Event> = receiver.iter().collect();
        assert!(matches!(&events[..], [Event::Line(line, _), Event::Closed] if line == "quit"), "{events:?}");
    }

    #[test]
    fn lines_are_read_on_demand_without_a_thread() {
        let (_sender, receiver) = mpsc::channel();
        let mut events = Events::new(receiver);
        events.read_from(Box::new("1\r\n-1 -1\nlast".as_bytes()), Log::none(Instant::now()));
        let mut next = || match events.next_by(Some(Instant::now())) {
            Some(Event::Line(line, _)) => line,
            Some(Event::Closed) => "closed".into(),
            _ => "nothing".into(),
        };
        assert_eq!([next(), next(), next(), next()], ["1", "-1 -1", "last", "closed"]);
    }
}
