//! The searcher: a child process that speaks UCI, so that a crash of the search does not end the game.
//!
//! A searcher that has died or hangs is replaced by [`Searcher::restart`]. If no process can be started, or
//! [`MAX_UNREADY`] of them in a row end before they are ready, a thread of this process speaks UCI instead. Each
//! searcher has a number; lines of earlier ones are dropped.

use super::game::Game;
use crate::uci;
use otrera::{Move, Rules};
use otrera_front::io::{Connection, Event, Log};
use otrera_front::session::Session;
use otrera_front::settings::Settings;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

/// Maximum number of processes in a row that end before they are ready; the next searcher is a thread.
const MAX_UNREADY: u32 = 3;

/// Limit of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Limit {
    /// Search until this time.
    Until(Instant),
    /// Search this number of iterations.
    Iterations(u64),
    /// Search until the next command: pondering.
    Unlimited,
}

/// News from the searcher.
#[derive(PartialEq, Debug)]
pub enum News {
    /// The answer to the last [`Searcher::search`]; `None` if there is no readable move in it.
    Move(Option<Move>),
    /// The searcher has ended by itself.
    Died,
}

/// A search that has been requested: the commands before `go`, the arguments of `go`, and the limit.
struct Task {
    position: String,
    only: String,
    limit: Limit,
    rules: Rules,
    /// True once the searcher has the commands.
    sent: bool,
}

/// The other end of the pipes.
enum Link {
    Process(Child, ChildStdin),
    Thread(Sender<Event>),
}

pub struct Searcher {
    /// Program and arguments of a searcher process; empty if none can be started.
    program: Vec<OsString>,
    settings: Settings,
    events: Sender<Event>,
    log: Log,
    link: Option<Link>,
    number: u64,
    /// True once the running searcher has answered `isready`.
    ready: bool,
    /// Number of processes in a row that ended before they were ready.
    unready: u32,
    /// Number of `go` commands without an answer.
    unanswered: u32,
    task: Option<Task>,
    /// The last `info` line, for the log.
    info: String,
    rules: Rules,
}

impl Searcher {
    /// Creates a searcher without starting it.
    pub fn new(session: &Session) -> Self {
        Self {
            program: session.connection.searcher.clone(),
            settings: session.settings.clone(),
            events: session.connection.sender.clone(),
            log: session.connection.log.clone(),
            link: None,
            number: 0,
            ready: false,
            unready: 0,
            unanswered: 0,
            task: None,
            info: String::new(),
            rules: Rules::Standard,
        }
    }

    /// Ends the running searcher and starts another one with `memory` MB for its tree, by default as in the settings.
    /// Returns false if neither a process nor a thread can be started.
    pub fn restart(&mut self, memory: Option<usize>) -> bool {
        self.end();
        self.number += 1;
        (self.ready, self.unanswered, self.rules) = (false, 0, Rules::Standard);
        self.link = self.start_process().or_else(|| self.start_thread());
        if let Some(memory) = memory {
            self.send(&format!("setoption name Hash value {memory}"));
        }
        self.send("setoption name Move Overhead value 0\nisready");
        self.link.is_some()
    }

    /// Starts the searcher if none runs.
    pub fn ensure(&mut self) -> bool {
        self.link.is_some() || self.restart(None)
    }

    fn start_process(&mut self) -> Option<Link> {
        if self.unready >= MAX_UNREADY {
            let problem = format!("{MAX_UNREADY} searcher processes ended before they were ready");
            self.log.note("!!", &format!("{problem}; searching in this process"));
            return None;
        }
        let (program, arguments) = self.program.split_first()?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        hide_window(&mut command);
        match self.spawn(command) {
            Ok(link) => Some(link),
            Err(error) => {
                let problem = format!("cannot start a searcher process: {error}; searching in this process");
                self.log.note("!!", &problem);
                None
            }
        }
    }

    /// Starts a process and the thread that reads its output.
    fn spawn(&self, mut command: Command) -> io::Result<Link> {
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (events, number) = (self.events.clone(), self.number);
        let read = move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let _ = events.send(Event::Searcher(number, Some(line)));
            }
            let _ = events.send(Event::Searcher(number, None));
        };
        if let Err(error) = std::thread::Builder::new().name("searcher".into()).spawn(read) {
            let _ = child.kill().and_then(|()| child.wait());
            return Err(error);
        }
        self.log.note("--", &format!("searcher process {}", child.id()));
        Ok(Link::Process(child, input))
    }

    /// Starts UCI in a thread of this process.
    fn start_thread(&self) -> Option<Link> {
        let (sender, receiver) = channel();
        let (events, number) = (self.events.clone(), self.number);
        let (settings, to_itself) = (self.settings.clone(), sender.clone());
        let work = move || {
            let lines = Lines { events: events.clone(), number };
            let log = Log::none(Instant::now());
            let connection = Connection::between((to_itself, receiver), Box::new(lines), log);
            let _ = uci::PLATFORM.serve(connection, &settings);
            let _ = events.send(Event::Searcher(number, None));
        };
        match std::thread::Builder::new().name("searcher".into()).spawn(work) {
            Ok(_) => Some(Link::Thread(sender)),
            Err(error) => {
                self.log.note("!!", &format!("cannot start a searcher thread: {error}"));
                None
            }
        }
    }

    /// Sends lines to the searcher. A write error is ignored, because the end of the searcher is reported as an event.
    fn send(&mut self, lines: &str) {
        match &mut self.link {
            Some(Link::Process(_, input)) => {
                let _ = input.write_all(format!("{lines}\n").as_bytes());
            }
            Some(Link::Thread(events)) => {
                for line in lines.lines() {
                    let _ = events.send(Event::Line(line.to_owned(), Instant::now()));
                }
            }
            None => {}
        }
    }

    /// Ends the running searcher, if any; kills a process.
    fn end(&mut self) {
        match self.link.take() {
            Some(Link::Process(mut child, input)) => {
                drop(input);
                // Fails if the process has already ended.
                let _ = child.kill();
                let _ = child.wait();
                if !self.ready {
                    self.unready += 1;
                }
            }
            Some(Link::Thread(events)) => {
                let _ = events.send(Event::Closed);
            }
            None => {}
        }
    }

    /// Drops the searcher's tree, for a new game. A game after failures tries a process again.
    pub fn forget_tree(&mut self) {
        self.stop();
        if self.unready >= MAX_UNREADY {
            self.unready = 0;
            self.end();
        }
        self.send("ucinewgame");
    }

    /// Starts a search of the game's position, replacing the one before. A searcher that is not ready yet starts the
    /// search later. Requires a running searcher, see [`Self::ensure`].
    pub fn search(&mut self, game: &Game, limit: Limit) {
        let (base, moves) = game.since_base();
        let moves: String = moves.iter().map(|mv| format!(" {mv}")).collect();
        let position = format!("position fen {} moves{moves}", base.to_fen());
        let rules = game.position().rules();
        let mut only = String::new();
        if game.has_refused() && limit != Limit::Unlimited {
            let allowed: String = game.allowed().iter().map(|mv| format!(" {mv}")).collect();
            only = format!(" searchmoves{allowed}");
        }
        self.task = Some(Task { position, only, limit, rules, sent: false });
        self.send_task();
    }

    fn send_task(&mut self) {
        let Some(task) = self.task.as_mut().filter(|task| self.ready && !task.sent) else { return };
        let limit = match task.limit {
            Limit::Until(time) => {
                format!("movetime {}", time.saturating_duration_since(Instant::now()).as_millis())
            }
            Limit::Iterations(count) => format!("nodes {count}"),
            Limit::Unlimited => "infinite".into(),
        };
        task.sent = true;
        let mut lines = format!("{}\ngo {limit}{}", task.position, task.only);
        if task.rules != self.rules {
            // Noted only when it is sent: a task that is replaced before it is sent has set nothing.
            self.rules = task.rules;
            let value = self.rules == Rules::SelfBlocking;
            lines = format!("setoption name Self Blocking value {value}\n{lines}");
        }
        self.unanswered += 1;
        self.send(&lines);
    }

    /// Stops the running search, if any, and drops its answer.
    pub fn stop(&mut self) {
        if self.task.take().is_some_and(|task| task.sent) {
            self.send("stop");
        }
    }

    /// Handles a line of searcher `number`, or its end; returns news about the last search.
    pub fn heard(&mut self, number: u64, line: Option<&str>) -> Option<News> {
        if number != self.number {
            return None;
        }
        let Some(line) = line else {
            // The next search starts another one.
            self.end();
            return Some(News::Died);
        };
        let mut words = line.split_ascii_whitespace();
        match words.next()? {
            "info" if line.starts_with("info string") => self.info += &format!("; {line}"),
            "info" => line.clone_into(&mut self.info),
            "readyok" => {
                self.ready = true;
                if let Some(Link::Process(..)) = self.link {
                    self.unready = 0;
                }
                self.send_task();
            }
            "bestmove" => return self.answered(words.next()),
            _ => {}
        }
        None
    }

    fn answered(&mut self, mv: Option<&str>) -> Option<News> {
        self.unanswered = self.unanswered.saturating_sub(1);
        let info = std::mem::take(&mut self.info);
        if self.unanswered > 0 || self.task.take_if(|task| task.sent).is_none() {
            self.log.note("--", &format!("stopped: {info}"));
            return None;
        }
        self.log.note("--", &info);
        Some(News::Move(mv.and_then(|mv| mv.parse().ok())))
    }
}

impl Drop for Searcher {
    fn drop(&mut self) {
        self.end();
    }
}

/// Keeps a console program from opening a window. The error mode of this process, which shows no dialogs, is inherited.
#[cfg(windows)]
fn hide_window(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NO_WINDOW);
}

#[cfg(not(windows))]
fn hide_window(_: &mut Command) {}

/// Output of a searcher thread: sends each line as an event.
struct Lines {
    events: Sender<Event>,
    number: u64,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in String::from_utf8_lossy(bytes).lines() {
            let event = Event::Searcher(self.number, Some(line.to_owned()));
            self.events.send(event).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking
mod tests {
    use super::super::{Guardian, PLATFORM, State};
    use super::*;
    use otrera_front::settings::Settings;
    use std::time::Duration;
    use testkit::Folder;

    /// A searcher as a script: writes the number of its start and each line that it reads to `heard`. It ends after the
    /// line that begins with `fatal`, if its number is at most `deaths`.
    fn session(folder: &Folder, fatal: &str, deaths: u32) -> Session {
        session_with(folder, fatal, deaths, "iterations = 10")
    }

    fn session_with(folder: &Folder, fatal: &str, deaths: u32, option: &str) -> Session {
        let script = format!(
            "cd '{}'; echo >> starts; n=$(($(wc -l < starts)))\n\
             while read -r line; do\n echo \"$n $line\" >> heard\n\
             case $line in {fatal}*) [ $n -gt {deaths} ] || exit;; esac\n\
             case $line in isready) echo readyok;; 'go infinite') ;; go*) echo bestmove d1d7g7;; esac\ndone",
            folder.display()
        );
        let log = Log::open(&folder.join("log"), Instant::now(), "log", &mut Vec::new());
        let mut connection = Connection::between(channel(), Box::new(io::sink()), log);
        connection.searcher = ["sh", "-c", &script].map(OsString::from).to_vec();
        let mut settings = Settings::default();
        crate::options::read_text(
            &mut settings,
            &format!("memory = 16\n{option}"),
            &folder.join("otrera.toml"),
            &mut Vec::new(),
        );
        Session::new(connection, &settings, PLATFORM.defaults)
    }

    fn read(folder: &Folder, name: &str) -> String {
        std::fs::read_to_string(folder.join(name)).unwrap()
    }

    /// Passes the searcher's lines on until it is ready (true) or has died (false).
    fn becomes_ready(searcher: &mut Searcher, session: &mut Session) -> bool {
        loop {
            let Event::Searcher(number, line) = session.connection.events.wait() else {
                panic!("no searcher")
            };
            let news = searcher.heard(number, line.as_deref());
            if searcher.ready || news == Some(News::Died) {
                return searcher.ready;
            }
        }
    }

    #[test]
    fn a_process_that_dies_before_it_is_ready_is_started_again() {
        for deaths in [MAX_UNREADY - 1, MAX_UNREADY] {
            let folder = Folder::new(&format!("unready-{deaths}"));
            let mut session = session(&folder, "isready", deaths);
            let mut searcher = Searcher::new(&session);
            for _ in 0..deaths {
                assert!(searcher.ensure() && !becomes_ready(&mut searcher, &mut session));
            }
            assert!(searcher.ensure() && becomes_ready(&mut searcher, &mut session));
            let is_process = matches!(searcher.link, Some(Link::Process(..)));
            assert_eq!(is_process, deaths < MAX_UNREADY, "{}", read(&folder, "log"));
            // The next game tries a process again.
            searcher.forget_tree();
            assert!(searcher.ensure());
            assert!(matches!(searcher.link, Some(Link::Process(..))), "{}", read(&folder, "log"));
            assert_eq!(
                read(&folder, "log").matches("searcher process ").count() as u32,
                MAX_UNREADY + 1 - u32::from(is_process)
            );
        }
    }

    /// Plays Black's first move with a searcher that dies on its first `deaths` starts; returns the log.
    fn first_move(folder: &Folder, deaths: u32) -> String {
        let mut bot = Guardian::new(session(folder, "go", deaths));
        bot.obey("new black", Instant::now()).unwrap();
        while let State::Thinking { .. } = bot.state {
            let event = bot.session.connection.events.wait();
            let Event::Searcher(number, line) = event else { panic!("{event:?}") };
            bot.searcher_spoke(number, line.as_deref()).unwrap();
        }
        read(folder, "log")
    }

    #[test]
    fn the_third_searcher_of_a_move_gets_a_quarter_of_the_memory() {
        let folder = Folder::new("quarter");
        assert!(first_move(&folder, 2).contains("<- move DJDDGD"));
        let heard = read(&folder, "heard");
        let limits: Vec<&str> = heard.lines().filter(|line| line.contains("Hash")).collect();
        assert_eq!(limits, ["3 setoption name Hash value 4"]);
    }

    #[test]
    fn a_searcher_that_replaces_another_late_in_the_turn_gets_time() {
        let folder = Folder::new("late");
        let mut bot = Guardian::new(session_with(&folder, "go", 1, "move-time = 0.01"));
        bot.obey("new black", Instant::now()).unwrap();
        let ends = |bot: &Guardian| match bot.state {
            State::Thinking { thought, .. } => (thought.failures, thought.limit),
            _ => panic!("no search"),
        };
        while ends(&bot).0 == 0 {
            let Event::Searcher(number, line) = bot.session.connection.events.wait() else { panic!() };
            let heard = Instant::now();
            bot.searcher_spoke(number, line.as_deref()).unwrap();
            let (failures, Limit::Until(end)) = ends(&bot) else { panic!("no time limit") };
            assert!(failures == 0 || end >= heard + Duration::from_millis(300));
        }
    }

    #[test]
    fn a_third_death_leaves_the_move_to_the_evaluation() {
        let folder = Folder::new("third-death");
        let log = first_move(&folder, 3);
        assert!(log.contains("moving by the evaluation alone") && log.contains("<- move "), "{log}");
        let heard = read(&folder, "heard");
        assert_eq!(heard.lines().filter(|line| line.contains(" go nodes 10")).count(), 3, "{heard}");
    }
}
