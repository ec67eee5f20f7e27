//! One side of a game under rules stricter than the platform's: every line of output is checked, and anything
//! unexpected is a violation.

use crate::board::Board;
use crate::notation::{Form, KEEP_RUNNING};
use crate::process::{Errors, FLOOD, Process};
use crate::protocol::Protocol;
use otrera::{Forfeit, Move, Side};
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

/// Time to wait for an answer after the time limit.
const HANG: Duration = Duration::from_secs(10);

/// Time that an engine has to exit before the SAU platform kills it.
const EXIT: Duration = Duration::from_secs(1);

/// Time limit for a turn without any other limit: one side's time for a whole game on the SAU platform.
const UNLIMITED: Duration = Duration::from_secs(900);

/// Time after a game on the SAU platform in which the engine must send no further move.
const SETTLE: Duration = Duration::from_millis(50);

/// All kinds of violations, in the order of the summary.
pub const KINDS: [&str; 6] = [ILLEGAL, MALFORMED, LATE, BAD_EXIT, CHATTER, NO_ANSWER];
const ILLEGAL: &str = "illegal move";
const MALFORMED: &str = "malformed answer";
const LATE: &str = "late";
const BAD_EXIT: &str = "bad exit";
const CHATTER: &str = "chatter";
const NO_ANSWER: &str = "no answer";

/// Engine behaviour that the platform does not accept.
#[derive(Clone, Debug)]
pub struct Violation {
    /// One of [`KINDS`].
    pub kind: &'static str,
    detail: String,
}

impl Violation {
    fn new(kind: &'static str, reason: impl fmt::Display, text: &str) -> Self {
        let quoted: String = text.chars().take(1000).collect();
        let quoted = if text.is_empty() { String::new() } else { format!(": {quoted:?}") };
        Self { kind, detail: format!("{reason}{quoted}") }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

/// Parses the name of a protocol that seats support: any except UCI.
pub fn read_protocol(name: &str) -> Result<Protocol, String> {
    let protocol = name.parse()?;
    if protocol == Protocol::Uci { Err("this command does not support uci".into()) } else { Ok(protocol) }
}

/// Time limits of the first turn, of later turns and of a whole game; `None` for no limit.
#[derive(Clone, Copy, Debug)]
pub struct TimeControl {
    pub first: Option<Duration>,
    pub later: Option<Duration>,
    pub total: Option<Duration>,
    /// Time over the limit that is tolerated; a move after that is late.
    pub grace: Duration,
}

impl TimeControl {
    /// Creates limits with `time` for each turn; without `time`, Botzone's turn limits, or no turn limit for SAU.
    pub fn new(protocol: Protocol, time: Option<Duration>, total: Option<Duration>, grace: Duration) -> Self {
        let [first, later] = match time {
            None if !protocol.is_sau() => [2, 1].map(|seconds| Some(Duration::from_secs(seconds))),
            _ => [time; 2],
        };
        Self { first, later, total, grace }
    }
}

pub struct Turn {
    pub mv: Move,
    /// Time from the request to the answer.
    pub wall: Duration,
}

/// An engine that plays one side. For each game, call `start_game`, then `request`, `write`, `read` and `judge` for
/// each turn, then `end_game`. Call `leave` after the last game. After a violation, the caller kills the engine, and
/// the next game restarts it.
pub struct Seat {
    protocol: Protocol,
    control: TimeControl,
    side: Side,
    command: Vec<String>,
    process: Option<Process>,
    turns: usize,
    /// Time used in all turns of this game.
    pub used: Duration,
    /// True once the engine has been sent a message about the current game.
    playing: bool,
}

impl Seat {
    pub fn new(protocol: Protocol, control: TimeControl) -> Self {
        Self {
            protocol,
            control,
            side: Side::Black,
            command: Vec::new(),
            process: None,
            turns: 0,
            used: Duration::ZERO,
            playing: false,
        }
    }

    pub fn start_game(&mut self, side: Side, command: Vec<String>) -> Result<(), Violation> {
        (self.turns, self.used, self.playing) = (0, Duration::ZERO, false);
        (self.side, self.command) = (side, command);
        if !self.protocol.is_sau() {
            return Ok(());
        }
        if self.process.is_none() {
            self.launch()?.write("name?\n");
            let is_name = |text: &str| text.strip_prefix("name ").is_some_and(|name| !name.is_empty());
            self.read_command("name", is_name, HANG)?;
        }
        self.expect_silence(Duration::ZERO)?;
        // "new black" asks for the first move, so it is sent with the request.
        if side == Side::White {
            self.running()?.write("new white\n");
            self.playing = true;
        }
        Ok(())
    }

    /// Prepares a turn, with a new process if none can continue. Returns the turn's start time and the request text.
    pub fn request(&mut self, board: &Board) -> Result<(Instant, String), Violation> {
        let form = self.protocol.form();
        if !self.protocol.keeps() {
            self.kill();
        }
        let text = if self.process.is_some() {
            self.expect_silence(Duration::ZERO)?;
            match (board.moves().last(), self.protocol.is_sau()) {
                (None, true) => "new black".to_owned(),
                (Some(&last), true) => format!("move {}", board.format_move(last, form)),
                (Some(&last), false) => board.format_move(last, form),
                (None, false) => form.begin(),
            }
        } else {
            board.history(form)
        };
        let began = Instant::now();
        if self.process.is_none() {
            self.launch()?;
        }
        self.playing = true;
        Ok((began, text + "\n"))
    }

    /// Reads the answer to a request. Call this after the whole request is written.
    pub fn read(&mut self, began: Instant, board: &Board) -> Result<Turn, Violation> {
        let limit = self.allowance().unwrap_or(UNLIMITED) + HANG;
        if self.protocol.is_sau() {
            let is_move = |text: &str| Form::Sau.read_answer(text, board.position()).is_some();
            let line = self.read_command("move", is_move, limit.saturating_sub(began.elapsed()))?;
            return self.turn(&line, began, board);
        }
        let line = self.read_line("an answer", began, limit)?;
        let turn = self.turn(&line, began, board)?;
        let mut extra = Vec::new();
        if self.protocol.keeps() {
            loop {
                match self.read_line("the keep-running line", began, limit)? {
                    line if line == KEEP_RUNNING => break,
                    line => extra.push(line),
                }
            }
        } else {
            // A platform that does not grant keep-running ignores the request.
            extra.extend(self.finish()?.lines().filter(|line| *line != KEEP_RUNNING).map(str::to_owned));
        }
        // In simple interaction the first line after the answer is for debugging.
        let debug = usize::from(self.protocol.form() == Form::Simple);
        match extra.iter().skip(debug).find(|line| !line.trim().is_empty()) {
            Some(line) => Err(Violation::new(CHATTER, "more than the answer", line)),
            None => Ok(turn),
        }
    }

    /// Parses and checks the move in a line of output. Returns the move and the time since `began`.
    fn turn(&self, line: &str, began: Instant, board: &Board) -> Result<Turn, Violation> {
        let wall = began.elapsed();
        let mv = self.protocol.form().read_answer(line, board.position());
        let mv = mv.ok_or_else(|| Violation::new(MALFORMED, "no move in this notation", line))?;
        board.position().check(mv).map_err(|error| Violation::new(ILLEGAL, error, line))?;
        Ok(Turn { mv, wall })
    }

    /// Charges a turn's time minus `excused` to the engine's clock; fails if the charged time exceeds the limit and the
    /// grace period. Returns true if the turn would be late without `excused`.
    pub fn judge(&mut self, turn: &Turn, excused: Duration) -> Result<bool, Violation> {
        let own = turn.wall.saturating_sub(excused);
        let limit = self.allowance();
        let is_late = |time| limit.is_some_and(|limit| time > limit + self.control.grace);
        let late = [own, turn.wall].map(is_late);
        self.used += own;
        self.turns += 1;
        match (late, limit) {
            ([true, _], Some(limit)) => {
                let [own, limit] = [own, limit].map(|time| time.as_secs_f64());
                Err(Violation::new(LATE, format!("{own:.3} s where {limit:.3} s were left"), ""))
            }
            ([_, late], _) => Ok(late),
        }
    }

    /// Requests a move, reads the answer and charges its time to the clock.
    pub fn answer(&mut self, board: &Board) -> Result<Turn, Violation> {
        let (began, text) = self.request(board)?;
        self.write(&text)?;
        let turn = self.read(began, board)?;
        self.judge(&turn, Duration::ZERO)?;
        Ok(turn)
    }

    /// Writes a request. If the process plays only one turn, also closes its input.
    pub fn write(&mut self, text: &str) -> Result<(), Violation> {
        self.running()?.write(text);
        self.close_input()
    }

    /// Closes the input of a process that plays only one turn.
    pub fn close_input(&mut self) -> Result<(), Violation> {
        if !self.protocol.keeps() {
            self.running()?.close_input();
        }
        Ok(())
    }

    /// Returns the time left for the next turn; `None` for no limit.
    fn allowance(&self) -> Option<Duration> {
        let control = &self.control;
        let turn = if self.turns == 0 { control.first } else { control.later };
        turn.into_iter().chain(control.total.map(|total| total.saturating_sub(self.used))).min()
    }

    /// Ends the running engine's game. On SAU, sends `end`. A keep-running process gets its input closed and must exit.
    /// Other processes have already exited.
    pub fn end_game(&mut self, board: &Board) -> Result<(), Violation> {
        if self.process.is_none() || !self.playing {
            return Ok(());
        }
        if self.protocol.is_sau() {
            // The platform sends the opponent's last move and the end in one write.
            let unseen = board.moves().last().filter(|_| board.position().side() == self.side);
            let last = unseen.map(|&mv| format!("move {}\n", board.format_move(mv, Form::Sau)));
            self.running()?.write(last.unwrap_or_default() + "end\n");
            return self.expect_silence(SETTLE);
        }
        if !self.protocol.keeps() {
            return Ok(());
        }
        self.running()?.close_input();
        self.finish_silently("output after the game")
    }

    /// Sends `quit` to a running SAU engine after the last game and waits for its exit.
    pub fn leave(&mut self) -> Result<(), Violation> {
        if self.process.is_none() {
            return Ok(());
        }
        self.expect_silence(Duration::ZERO)?;
        self.running()?.write("quit\n");
        self.finish_silently("output after quit")
    }

    pub fn kill(&mut self) {
        self.process = None;
    }

    fn launch(&mut self) -> Result<&mut Process, Violation> {
        let errors = if self.protocol.is_sau() { Errors::Merged } else { Errors::Kept };
        let process = Process::start(&self.command, errors);
        let process =
            process.map_err(|error| Violation::new(NO_ANSWER, format!("cannot be started: {error}"), ""))?;
        Ok(self.process.insert(process))
    }

    pub fn running(&mut self) -> Result<&mut Process, Violation> {
        self.process.as_mut().ok_or_else(|| Violation::new(NO_ANSWER, "the program is not running", ""))
    }

    fn read_line(&mut self, awaited: &str, since: Instant, limit: Duration) -> Result<String, Violation> {
        match self.running()?.line(since, limit) {
            Ok(line) => Ok(line),
            Err(Forfeit::Late(_)) => {
                Err(Violation::new(NO_ANSWER, format!("timed out waiting for {awaited}"), ""))
            }
            Err(Forfeit::Garbled(text)) => Err(Violation::new(MALFORMED, text, "")),
            Err(_) => self.gone(awaited),
        }
    }

    /// Reads a SAU command: exactly one line from a single write, since the platform loses anything else.
    fn read_command(
        &mut self,
        word: &str,
        is_valid: impl Fn(&str) -> bool,
        limit: Duration,
    ) -> Result<String, Violation> {
        let awaited = format!("a {word} line");
        match self.running()?.receive(limit) {
            None => Err(Violation::new(NO_ANSWER, format!("timed out waiting for {awaited}"), "")),
            Some(text) if text.is_empty() => self.gone(&awaited),
            Some(text) => match text.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)) {
                Some(line) if !line.contains('\n') && is_valid(line) => Ok(line.to_owned()),
                _ => {
                    let is_ours = text.starts_with(word) && text.lines().count() <= 1;
                    let kind = if is_ours { MALFORMED } else { CHATTER };
                    Err(Violation::new(kind, format!("not exactly one {word} line in one write"), &text))
                }
            },
        }
    }

    fn expect_silence(&mut self, time: Duration) -> Result<(), Violation> {
        match self.running()?.receive(time) {
            None => Ok(()),
            Some(text) if text.is_empty() => self.gone("being asked"),
            Some(text) => Err(Violation::new(CHATTER, "output out of turn", &text)),
        }
    }

    /// Returns the violation for output that ended before `awaited`. Waits at most [`EXIT`] for the exit status.
    fn gone<T>(&mut self, awaited: &str) -> Result<T, Violation> {
        let process = self.running()?;
        let (_, end) = process.finish(EXIT);
        Err(match end.map(|end| status(end.status)) {
            None => Violation::new(NO_ANSWER, format!("closed its output before {awaited}"), ""),
            Some(0) => Violation::new(NO_ANSWER, format!("ended before {awaited}, with exit status 0"), ""),
            Some(status) => Violation::new(BAD_EXIT, format!("exit status {status}"), &process.errors()),
        })
    }

    /// Waits at most [`EXIT`] until the process exits by itself. Returns the rest of its output.
    fn finish(&mut self) -> Result<String, Violation> {
        let process = self.running()?;
        let (rest, end) = process.finish(EXIT);
        let errors = process.errors();
        self.process = None;
        match end.map(|end| status(end.status)) {
            Some(0) if rest.len() <= FLOOD => Ok(rest),
            Some(status) => Err(Violation::new(BAD_EXIT, format!("exit status {status}"), &(rest + &errors))),
            None => Err(Violation::new(BAD_EXIT, format!("still running after {EXIT:?}"), &rest)),
        }
    }

    fn finish_silently(&mut self, reason: &str) -> Result<(), Violation> {
        let rest = self.finish()?;
        if rest.is_empty() { Ok(()) } else { Err(Violation::new(CHATTER, reason, &rest)) }
    }
}

/// Returns the exit code, or the negated number of the signal that killed the process.
fn status(status: std::process::ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| -status.signal().unwrap_or(0))
}
