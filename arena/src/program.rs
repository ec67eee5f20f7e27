//! A program as a player: a process and the dialect that it speaks. This file starts all programs that play.
//!
//! On Botzone, each turn normally starts a new process, which receives the whole history. With keep-running, one
//! process is suspended during the opponent's turn and then receives only the opponent's move. SAU and UCI programs
//! keep running during and between games.

use crate::dialect::{Dialect, Mode};
use crate::failure::{Failure, Kind};
use crate::interaction::{Stored, beginning};
use crate::limits::{Allowance, Log, Metered, Spent, TurnLimits, TurnTaken};
use crate::notation::{Form, KEEP_RUNNING, read_info, read_letters};
use crate::player::{Budget, Choice, Player};
use crate::process::{Errors, FLOOD, Process};
use otrera::{Move, Position, Rules, Side, Size};
use rustix::process::Signal;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// Time limit for an answer if the game has none. A process that needs more time is considered hung.
const PATIENCE: Duration = Duration::from_secs(60);

/// Time for each iteration of a [`Budget`] without a time, in addition to [`PATIENCE`].
const ITERATION: Duration = Duration::from_micros(100);

/// Extra wait for an answer after its [`Budget`] has expired. The game decides whether the answer is too late.
const GRACE: Duration = Duration::from_millis(500);

/// Time limit for a program to start and complete the handshake.
const START: Duration = Duration::from_secs(10);

/// Maximum number of lines to read while waiting for an answer.
const TALK: usize = 10_000;

/// Time to wait for a strictly checked answer after the time limit.
const HANG: Duration = Duration::from_secs(10);

/// Time limit for a strictly checked turn without any other limit: one side's time for a game on the SAU platform.
const UNLIMITED: Duration = Duration::from_secs(900);

/// Time that a strictly checked program has to exit.
const EXIT: Duration = Duration::from_secs(1);

/// Time after a game on the SAU platform in which a strictly checked program must send no further move.
const SETTLE: Duration = Duration::from_millis(50);

pub struct Program {
    command: Vec<String>,
    dialect: Dialect,
    /// True if anything that the platform would overlook is a failure.
    is_strict: bool,
    /// The platform's limits. If `None`, the [`Budget`] of each move limits the time, and memory is unlimited.
    allowance: Option<Allowance>,
    errors: Errors,
    log: Log,
    running: Option<Metered>,
    stored: Stored,
    start: Position,
    side: Side,
    moves: Vec<Move>,
    turns: usize,
    /// Resources used in the last turn.
    spent: Spent,
    /// True while the program knows of an unfinished game.
    is_playing: bool,
    /// True if the UCI program has Otrera's option for the SAU platform's rule.
    knows_rule: bool,
}

impl Program {
    /// Creates a player that runs this command. The program is not started before the first game.
    pub fn new(command: Vec<String>, dialect: Dialect) -> Self {
        Self {
            command,
            dialect,
            is_strict: false,
            allowance: None,
            errors: Errors::Hidden,
            log: Log::default(),
            running: None,
            stored: Stored::default(),
            start: Position::standard(),
            side: Side::Black,
            moves: Vec::new(),
            turns: 0,
            spent: Spent::default(),
            is_playing: false,
            knows_rule: false,
        }
    }

    /// Checks every line of output: anything unexpected is a failure.
    pub fn strict(self) -> Self {
        let errors = if self.dialect.is_sau() { Errors::Merged } else { Errors::Kept };
        Self { is_strict: true, errors, ..self }
    }

    /// Applies the platform's limits instead of the budget of each move, and logs every turn.
    pub fn judged(self, allowance: Allowance, errors: Errors, log: Log) -> Self {
        Self { allowance: Some(allowance), errors, log, ..self }
    }

    /// Sets the command that the next game starts.
    pub fn set_command(&mut self, command: Vec<String>) {
        self.command = command;
    }

    /// Returns the running process.
    pub fn process(&mut self) -> Result<&mut Process, Failure> {
        let running = self.running.as_mut().map(|running| &mut running.process);
        running.ok_or_else(|| Failure::cannot("the program is not running"))
    }

    /// True if the program runs.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Kills the program; the next turn or game starts it again.
    pub fn kill(&mut self) {
        self.running = None;
    }

    const fn mode(&self) -> Option<Mode> {
        match self.dialect {
            Dialect::Botzone(mode) => Some(mode),
            Dialect::Sau | Dialect::Uci => None,
        }
    }

    fn limits(&self, budget: Budget) -> TurnLimits {
        match (self.allowance, self.is_strict) {
            (Some(allowance), _) => allowance.limits(self.turns == 0),
            (None, true) => TurnLimits::wall(budget.time.unwrap_or(UNLIMITED) + HANG),
            (None, false) => {
                let iterations = budget.iterations.unwrap_or(0).try_into().unwrap_or(u32::MAX);
                let patience = PATIENCE + ITERATION * iterations;
                let longest = budget.patience.or(budget.time);
                TurnLimits::wall(longest.map_or(patience, |time| time.saturating_add(GRACE)))
            }
        }
    }

    fn launch(&mut self, began: Instant, limits: TurnLimits) -> Result<(), Failure> {
        let process = Process::start(&self.command, self.errors)
            .map_err(|error| Failure::cannot(format!("{}: {error}", self.command.join(" "))))?;
        self.running = Some(Metered::new(process, began, limits));
        Ok(())
    }

    /// Starts a SAU or UCI program if it does not run. Over UCI, also asks for win rates and sets the rules if the program
    /// knows these options, sets the variant and begins a new game.
    pub fn introduce(&mut self) -> Result<(), Failure> {
        let is_sau = self.dialect.is_sau();
        if self.running.is_none() {
            self.launch(Instant::now(), TurnLimits::wall(START))?;
            let (greeting, reply) = if is_sau { ("name?\n", "name ") } else { ("uci\n", "uciok") };
            self.process()?.write(greeting);
            if self.is_strict {
                let is_name = |text: &str| text.strip_prefix("name ").is_some_and(|name| !name.is_empty());
                self.command_line("name", is_name, START)?;
            } else {
                let (mut knows_rates, mut knows_rule) = (false, false);
                let listen = |line: &str| {
                    knows_rates |= line.starts_with("option name UCI_ShowWDL ");
                    knows_rule |= line.starts_with("option name Self Blocking ");
                };
                self.line_after_talk(reply, Instant::now(), START, listen)?;
                self.knows_rule = knows_rule;
                if knows_rates {
                    self.process()?.write("setoption name UCI_ShowWDL value true\n");
                }
            }
        }
        if !is_sau {
            if self.knows_rule {
                let value = self.start.rules() == Rules::SelfBlocking;
                self.process()?.write(format!("setoption name Self Blocking value {value}\n"));
            }
            self.process()?.write("setoption name UCI_Variant value amazons\nucinewgame\n");
        }
        Ok(())
    }

    /// Prepares a turn: a new process unless one can continue. Returns the request.
    pub fn prepare(&mut self, budget: Budget) -> Result<String, Failure> {
        if self.mode().is_some_and(|mode| !mode.keeps_running) {
            self.running = None;
        }
        if self.is_strict && self.running.is_some() {
            self.expect_silence(Duration::ZERO)?;
        }
        let limits = self.limits(budget);
        self.is_playing = true;
        match (self.dialect, &mut self.running) {
            (Dialect::Botzone(mode), Some(running)) => {
                running.resume(Instant::now(), limits);
                Ok(self
                    .moves
                    .last()
                    .map_or_else(|| mode.form.begin() + "\n", |&mv| mode.form.bare_request(mv)))
            }
            (Dialect::Botzone(mode), None) => {
                let request = mode.form.full_request(&self.moves, &self.stored);
                self.launch(Instant::now(), limits)?;
                Ok(request)
            }
            (dialect, running) => {
                let running =
                    running.as_mut().ok_or_else(|| Failure::cannot("the program is not running"))?;
                running.resume(Instant::now(), limits);
                Ok(if dialect.is_sau() { self.sau_request() } else { self.uci_request(budget) })
            }
        }
    }

    fn sau_request(&self) -> String {
        let edge = self.start.size().edge();
        let last = self.moves.last().map(|&mv| format!("move {}\n", Form::Sau.format_move(mv, edge)));
        last.unwrap_or_else(|| "new black\n".to_owned())
    }

    fn uci_request(&self, budget: Budget) -> String {
        let moves: String =
            self.moves.iter().map(|&mv| format!(" {}", Form::Uci.format_move(mv, 0))).collect();
        let go = match (budget.time, budget.iterations) {
            (_, Some(count)) => format!("go nodes {count}"),
            (Some(time), None) => format!("go movetime {}", time.as_millis().max(1)),
            (None, None) => "go movetime 1000".to_owned(),
        };
        format!("position fen {} moves{moves}\n{go}\n", self.start.to_fen())
    }

    /// Closes the input of a process that plays only one turn. Call this after the whole request is written.
    pub fn sent(&mut self) -> Result<(), Failure> {
        if !self.dialect.keeps() {
            self.process()?.close_input();
        }
        Ok(())
    }

    /// Reads the answer to a request in this position.
    pub fn answer(&mut self, position: &Position) -> Result<Choice, Failure> {
        let answer = match (self.mode(), self.is_strict) {
            (Some(mode), true) => self.strict_answer(mode, position),
            (Some(mode), false) => self.output().and_then(|text| {
                let answer = mode.form.read_output(&text)?;
                if self.running.is_none() {
                    self.stored = answer.stored;
                }
                Ok(answer.mv.into())
            }),
            (None, true) => self.strict_command(position),
            (None, false) => self.line_of_talk(),
        };
        self.turns += 1;
        answer
    }

    /// Returns what a Botzone bot printed: all output of a process that ended, or the output before its request to keep
    /// running, after which the process is suspended.
    fn output(&mut self) -> Result<String, Failure> {
        let may_stay = self.dialect.keeps();
        let Some(running) = &mut self.running else {
            return Err(Failure::cannot("the program is not running"));
        };
        if !running.wait(|heard| may_stay && keep_running_line(heard).is_some())? {
            let (length, with_line) = keep_running_line(running.process.heard()).unwrap_or_default();
            let mut text = running.process.take(with_line);
            text.truncate(length);
            if !self.is_strict {
                running.process.signal(Signal::STOP);
            }
            return Ok(text);
        }
        let text = running.ended();
        self.spent = running.spent;
        self.running = None;
        text
    }

    /// Reads an answer on Botzone line by line: nothing but the answer, a line for debugging in simple interaction, and
    /// the request to keep running.
    fn strict_answer(&mut self, mode: Mode, position: &Position) -> Result<Choice, Failure> {
        let running = self.running.as_mut().ok_or_else(|| Failure::cannot("the program is not running"))?;
        let (began, limit) = (running.began, running.limits.wall);
        let line = running.process.line(began, limit).map_err(|failure| match failure.kind {
            Kind::Late => Failure::cannot("timed out waiting for an answer"),
            _ => failure,
        })?;
        let time = Some(began.elapsed());
        let mv = mode.form.read_answer(&line, position);
        let mv = mv.ok_or_else(|| Failure::quoting(Kind::Malformed, "no move in this notation", &line))?;
        position.check(mv).map_err(|error| Failure::quoting(Kind::Illegal, error, &line))?;
        if !mode.keeps_running {
            running.limits = TurnLimits::wall(began.elapsed() + EXIT);
        }
        let rest = self.output().map_err(|failure| match failure.kind {
            Kind::Late if mode.keeps_running => {
                Failure::cannot("timed out waiting for the keep-running line")
            }
            Kind::Late => Failure::new(Kind::BadExit, format!("still running after {EXIT:?}")),
            _ => failure,
        })?;
        if mode.keeps_running && self.running.is_none() {
            return Err(Failure::cannot("ended before the keep-running line"));
        }
        // A platform that does not grant keep-running ignores the request. The first line after an answer in simple
        // interaction is for debugging.
        let debug = usize::from(mode.form == Form::Simple);
        let mut extra = rest.lines().filter(|line| *line != KEEP_RUNNING).skip(debug);
        match extra.find(|line| !line.trim().is_empty()) {
            Some(line) => Err(Failure::quoting(Kind::Chatter, "more than the answer", line)),
            None => Ok(Choice { time, ..mv.into() }),
        }
    }

    /// Reads an answer on the SAU platform: exactly one line in one write.
    fn strict_command(&mut self, position: &Position) -> Result<Choice, Failure> {
        let (began, limit) = self.turn();
        let read = |line: &str| Form::Sau.read_answer(line, position);
        let line =
            self.command_line("move", |line| read(line).is_some(), limit.saturating_sub(began.elapsed()))?;
        let time = Some(began.elapsed());
        let mv = read(&line).ok_or_else(|| Failure::quoting(Kind::Malformed, "no move", &line))?;
        Ok(Choice { time, ..mv.into() })
    }

    /// Returns the start of the turn and its limit on wall-clock time.
    fn turn(&self) -> (Instant, Duration) {
        self.running.as_ref().map_or((Instant::now(), PATIENCE), |turn| (turn.began, turn.limits.wall))
    }

    /// Reads an answer over SAU or UCI, and the win rate and nodes that a UCI program reports before it; overlooks all
    /// other lines.
    fn line_of_talk(&mut self) -> Result<Choice, Failure> {
        let is_sau = self.dialect.is_sau();
        let reply = if is_sau { "move " } else { "bestmove " };
        let (began, limit) = self.turn();
        let mut info = None;
        let listen = |line: &str| info = read_info(line).or(info);
        let line = self.line_after_talk(reply, began, limit, listen)?;
        let text = line[reply.len()..].trim_end();
        let mv = if is_sau {
            read_letters(text, self.start.size().edge())
        } else {
            text.split_ascii_whitespace().next().and_then(|best| best.parse().ok())
        };
        let mv = mv.ok_or_else(|| Failure::new(Kind::Malformed, beginning(&line)))?;
        let (win_rate, effort) = info.map_or((None, None), |(rate, nodes)| (Some(rate), nodes));
        Ok(Choice { win_rate, effort, ..mv.into() })
    }

    /// Reads lines until one begins with `start`, and returns that line; `listen` gets the others. Fails after [`TALK`]
    /// lines or at the limit.
    fn line_after_talk(
        &mut self,
        start: &str,
        asked: Instant,
        limit: Duration,
        mut listen: impl FnMut(&str),
    ) -> Result<String, Failure> {
        for _ in 0..TALK {
            let line = self.process()?.line(asked, limit)?;
            if line.starts_with(start) {
                return Ok(line);
            }
            listen(&line);
        }
        Err(Failure::new(Kind::Malformed, format!("{TALK} lines without {}", start.trim_end())))
    }

    /// Reads a SAU command: exactly one line from a single write, since the platform loses anything else.
    fn command_line(
        &mut self,
        word: &str,
        is_valid: impl Fn(&str) -> bool,
        limit: Duration,
    ) -> Result<String, Failure> {
        let process = self.process()?;
        match process.receive(limit) {
            None => Err(Failure::cannot(format!("timed out waiting for a {word} line"))),
            Some(text) if text.is_empty() => Err(process.gone()),
            Some(text) => match text.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)) {
                Some(line) if !line.contains('\n') && is_valid(line) => Ok(line.to_owned()),
                _ => {
                    let is_ours = text.starts_with(word) && text.lines().count() <= 1;
                    let kind = if is_ours { Kind::Malformed } else { Kind::Chatter };
                    Err(Failure::quoting(kind, format!("not exactly one {word} line in one write"), &text))
                }
            },
        }
    }

    fn expect_silence(&mut self, time: Duration) -> Result<(), Failure> {
        let process = self.process()?;
        match process.receive(time) {
            None => Ok(()),
            Some(text) if text.is_empty() => Err(process.gone()),
            Some(text) => Err(Failure::quoting(Kind::Chatter, "output out of turn", &text)),
        }
    }

    /// Waits at most [`EXIT`] until the process exits by itself with status 0 and without output.
    fn exit_silently(&mut self, reason: &str) -> Result<(), Failure> {
        let process = self.process()?;
        let (rest, end) = process.finish(EXIT);
        let errors = process.errors();
        self.running = None;
        match end.map(|end| end.status) {
            Some(status) if status.success() && rest.is_empty() => Ok(()),
            Some(status) if status.success() && rest.len() <= FLOOD => {
                Err(Failure::quoting(Kind::Chatter, reason, &rest))
            }
            Some(status) => Err(Failure::quoting(Kind::BadExit, status, &(rest + &errors))),
            None => Err(Failure::quoting(Kind::BadExit, format!("still running after {EXIT:?}"), &rest)),
        }
    }

    fn begin_game(&mut self, start: &Position) -> Result<(), Failure> {
        if self.mode().is_some() {
            self.running = None;
        }
        if self.dialect.is_sau() && start.size() != Size::STANDARD && !self.is_strict {
            return Err(Failure::cannot("the SAU platform plays on 10x10"));
        }
        let own = Position::start(start.size()).with_rules(start.rules());
        if self.dialect != Dialect::Uci && *start != own {
            return Err(Failure::cannot("its protocol cannot express this start position"));
        }
        if self.mode().is_some() {
            return Ok(());
        }
        if !self.is_strict && self.running.as_ref().is_some_and(|running| running.process.is_gone()) {
            self.running = None;
        }
        self.introduce()?;
        if self.dialect.is_sau() {
            if self.is_strict {
                self.expect_silence(Duration::ZERO)?;
            }
            // `new black` asks for the first move, so it is sent with the request.
            if self.side == Side::White {
                self.process()?.write("new white\n");
                self.is_playing = true;
            }
        }
        Ok(())
    }

    fn end_game(&mut self) -> Result<(), Failure> {
        if self.running.is_none() || !std::mem::take(&mut self.is_playing) {
            return Ok(());
        }
        if self.dialect.is_sau() {
            // The platform sends the opponent's last move and the end in one write.
            let is_own = self.moves.len().is_multiple_of(2) == (self.side == Side::White);
            let last = if is_own || self.moves.is_empty() { String::new() } else { self.sau_request() };
            self.process()?.write(last + "end\n");
            return if self.is_strict { self.expect_silence(SETTLE) } else { Ok(()) };
        }
        if self.is_strict && self.dialect.keeps() {
            self.process()?.close_input();
            return self.exit_silently("output after the game");
        }
        Ok(())
    }

    /// Kills the program if it has failed.
    fn watch<T>(&mut self, outcome: Result<T, Failure>) -> Result<T, Failure> {
        outcome.inspect_err(|_| self.kill())
    }
}

impl Player for Program {
    fn begin(&mut self, start: &Position, side: Side) -> Result<(), Failure> {
        (self.start, self.side, self.turns) = (*start, side, 0);
        self.stored.data = None;
        self.moves.clear();
        self.is_playing = false;
        let begun = self.begin_game(start);
        self.watch(begun)
    }

    fn choose(&mut self, position: &Position, budget: Budget) -> Result<Choice, Failure> {
        let first = self.turns == 0;
        let answer = self.prepare(budget).and_then(|request| {
            self.process()?.write(request);
            self.sent()?;
            self.answer(position)
        });
        if let Some(running) = &self.running {
            self.spent = running.spent;
        }
        let failure = answer.as_ref().err().cloned();
        let turn = TurnTaken { first, spent: std::mem::take(&mut self.spent), failure };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(turn);
        let judged = self.mode().is_some() && !self.is_strict;
        let answer = answer.map_err(|failure| if judged { failure.with_verdict() } else { failure });
        self.watch(answer)
    }

    fn played(&mut self, mv: Move) {
        self.moves.push(mv);
    }

    fn end(&mut self) -> Result<(), Failure> {
        let ended = self.end_game();
        self.watch(ended)
    }

    fn leave(&mut self) -> Result<(), Failure> {
        if !self.is_strict || self.running.is_none() || !self.dialect.is_sau() {
            return Ok(());
        }
        self.expect_silence(Duration::ZERO)?;
        self.process()?.write("quit\n");
        self.exit_silently("output after quit")
    }
}

/// Finds the complete line [`KEEP_RUNNING`] in the output. Returns the byte offsets of its start and end.
fn keep_running_line(heard: &[u8]) -> Option<(usize, usize)> {
    let mut begin = 0;
    for line in heard.split_inclusive(|&byte| byte == b'\n') {
        let end = begin + line.len();
        if line.ends_with(b"\n") && line.trim_ascii_end() == KEEP_RUNNING.as_bytes() {
            return Some((begin, end));
        }
        begin = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// True if the process is stopped; `None` if the process does not exist.
    fn is_stopped(process: u32) -> Option<bool> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        Some(stat.rsplit_once(") ")?.1.starts_with('T'))
    }

    #[test]
    fn kept_process_is_suspended_and_gets_one_move() {
        let script = r#"
            read turn; read request; echo "5 0 5 6 2 3"; echo "$0"
            read request; [ "$request" = "0 5 4 5 3 4" ] && echo "2 0 2 1 2 2"; echo "$0"
            read request"#;
        let command = ["sh", "-c", script, KEEP_RUNNING].map(str::to_owned);
        let mode = Mode { form: Form::Simple, keeps_running: true };
        let mut bot = Program::new(command.to_vec(), Dialect::Botzone(mode));
        let kept = |bot: &Program| bot.running.as_ref().and_then(|kept| kept.process.id()).unwrap();
        let start = Position::start(otrera::Size::new(8).unwrap());
        bot.begin(&start, Side::Black).unwrap();
        let first = bot.choose(&start, Budget::default()).unwrap().mv;
        let process = kept(&bot);
        let is_stopped_soon = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            is_stopped(process) == Some(true)
        });
        assert!(is_stopped_soon);
        bot.played(first);
        bot.played(Form::Simple.read_output("0 5 4 5 3 4").unwrap().mv);
        let second = bot.choose(&start, Budget::default()).unwrap().mv;
        assert_eq!(second, Form::Simple.read_output("2 0 2 1 2 2").unwrap().mv);
        assert_eq!(kept(&bot), process, "another process answered");
        drop(bot);
        assert_eq!(is_stopped(process), None, "the process outlived its player");
    }

    #[test]
    fn keep_running_request_must_be_a_whole_line() {
        assert_eq!(keep_running_line(format!("1 2\n{KEEP_RUNNING}\n").as_bytes()), Some((4, 39)));
        assert_eq!(keep_running_line(format!("1 2\r\n{KEEP_RUNNING}\r\nmore").as_bytes()), Some((5, 41)));
        for text in [format!("1 2 {KEEP_RUNNING}\n"), format!("1 2\n{KEEP_RUNNING}"), String::new()] {
            assert_eq!(keep_running_line(text.as_bytes()), None, "{text}");
        }
    }
}
