//! Runs a bot as Botzone does. Normally each turn starts a new process, which receives the whole history. With
//! keep-running, one process is suspended during the opponent's turn and then receives only the opponent's move.

use crate::interaction::Stored;
use crate::notation::KEEP_RUNNING;
use crate::player::{Budget, Choice, Player};
use crate::process::{Errors, FLOOD, Process, Sign};
use crate::protocol::Mode;
use crate::usage::Usage;
use crate::verdict::{Failure, Limits, Spent, Verdict};
use otrera::{Forfeit, Move, Position};
use rustix::process::Signal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time limit for an answer if the match has none. A process that needs more time is considered hung.
const PATIENCE: Duration = Duration::from_secs(60);

/// Extra wait for an answer after its [`Budget`] has expired. The caller decides whether the answer is too late.
const GRACE: Duration = Duration::from_millis(500);

pub fn patience(budget: Budget) -> Duration {
    budget.time.map_or(PATIENCE, |time| time + GRACE)
}

/// Botzone's limits for a turn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allowance {
    /// Processor time for a turn; the first turn of a game has twice as much.
    pub time: Duration,
    /// Processor time for a turn of a process that has kept running since its last turn.
    pub kept_time: Duration,
    /// Wall-clock limit, as a multiple of the limit on processor time.
    pub alarm: f64,
    /// Limit on the peak resident set size, in bytes.
    pub memory: u64,
}

impl Allowance {
    fn limits(&self, first: bool, kept: bool) -> Limits {
        let later = if kept { self.kept_time } else { self.time };
        let cpu = if first { self.time * 2 } else { later };
        Limits { cpu, wall: cpu.mul_f64(self.alarm), memory: self.memory }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnTaken {
    /// True for the bot's first turn of a game.
    pub first: bool,
    pub spent: Spent,
    /// Reason why the turn produced no move; `None` if a move was produced.
    pub failure: Option<Failure>,
}

impl TurnTaken {
    pub fn verdict(&self) -> Verdict {
        self.failure.as_ref().map_or(Verdict::Ok, |failure| failure.verdict)
    }
}

/// Log of the turns of several games. Players append to this log; the caller counts the verdicts.
pub type Log = Arc<Mutex<Vec<TurnTaken>>>;

/// Polling interval for a process's time and memory.
const LOOK: Duration = Duration::from_millis(10);

/// A bot's process, either in its turn or suspended until its next turn.
struct Running {
    process: Process,
    /// Start of this turn.
    began: Instant,
    /// Processor time already charged to earlier turns.
    paid: Duration,
    /// Time and memory used in this turn.
    spent: Spent,
}

impl Running {
    /// Waits until the process ends or, if `may_stay`, asks for keep-running. Returns the output before that request,
    /// and true if the process asked for keep-running. Fails if a limit is exceeded.
    fn answer(&mut self, limits: &Limits, may_stay: bool) -> Result<(String, bool), Failure> {
        let mut looked = self.began;
        loop {
            let sign = self.process.listen(LOOK);
            if self.process.heard().len() > FLOOD {
                self.look();
                return Err(Failure::new(Verdict::Ole, "more than a megabyte of output"));
            }
            if let Some((length, with_line)) = keep_running_line(self.process.heard()).filter(|_| may_stay) {
                self.look();
                limits.check(&self.spent)?;
                let mut text = self.process.take(with_line);
                text.truncate(length);
                return Ok((text, true));
            }
            if sign == Sign::Ended {
                return Ok((self.ended(limits)?, false));
            }
            if looked.elapsed() >= LOOK {
                self.look();
                limits.check(&self.spent)?;
                looked = Instant::now();
            }
        }
    }

    /// Returns the output of a process that has ended. Fails if a limit is exceeded or the exit status is not 0.
    fn ended(&mut self, limits: &Limits) -> Result<String, Failure> {
        self.look();
        let text = self.process.take(FLOOD);
        let end = self.process.end().ok_or_else(|| Failure::new(Verdict::Re, "exit status unknown"))?;
        self.add(end.usage);
        limits.check(&self.spent)?;
        if !end.status.success() {
            return Err(Failure::new(Verdict::Re, format!("the program ended with {}", end.status)));
        }
        Ok(text)
    }

    /// Updates the time and memory used in this turn.
    fn look(&mut self) {
        self.spent.wall = self.began.elapsed();
        self.add(self.process.usage());
    }

    fn add(&mut self, usage: Usage) {
        self.spent.cpu = self.spent.cpu.max(usage.cpu.saturating_sub(self.paid));
        self.spent.peak = self.spent.peak.max(usage.peak);
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

pub struct BotzonePlayer {
    command: Vec<String>,
    mode: Mode,
    /// The platform's limits. If `None`, the [`Budget`] of each move limits the time, and memory is unlimited.
    allowance: Option<Allowance>,
    errors: Errors,
    log: Log,
    kept: Option<Running>,
    stored: Stored,
    moves: Vec<Move>,
    turns: usize,
}

impl BotzonePlayer {
    /// Creates a player that runs this command. The [`Budget`] of each move limits the time; memory is unlimited.
    pub fn new(command: Vec<String>, mode: Mode) -> Self {
        Self {
            command,
            mode,
            allowance: None,
            errors: Errors::Hidden,
            log: Log::default(),
            kept: None,
            stored: Stored::default(),
            moves: Vec::new(),
            turns: 0,
        }
    }

    /// Applies the platform's limits instead of the budget of each move, and logs every turn.
    pub fn judged(self, allowance: Allowance, errors: Errors, log: Log) -> Self {
        Self { allowance: Some(allowance), errors, log, ..self }
    }

    fn limits(&self, budget: Budget) -> Limits {
        match self.allowance {
            Some(allowance) => allowance.limits(self.turns == 0, self.kept.is_some()),
            None => {
                let time = patience(budget);
                Limits { cpu: time, wall: time, memory: u64::MAX }
            }
        }
    }

    /// Sends the request for this turn to the suspended process, or to a new one. Returns the process.
    fn ask(&mut self) -> Result<Running, Failure> {
        let (began, spent) = (Instant::now(), Spent::default());
        if let (Some(mut kept), Some(&last)) = (self.kept.take(), self.moves.last()) {
            kept.process.signal(Signal::CONT);
            kept.process.write(self.mode.form.bare_request(last));
            return Ok(Running { began, spent, ..kept });
        }
        let mut process = Process::start(&self.command, self.errors)
            .map_err(|error| Failure::new(Verdict::Re, format!("{}: {error}", self.command.join(" "))))?;
        process.write(self.mode.form.full_request(&self.moves, &self.stored));
        if !self.mode.keeps_running {
            process.close_input();
        }
        Ok(Running { process, began, paid: Duration::ZERO, spent })
    }

    /// Plays a turn. Records the time and memory used in `spent`, even if the turn fails.
    fn turn(&mut self, limits: &Limits, spent: &mut Spent) -> Result<Move, Failure> {
        let mut running = self.ask()?;
        let answer = running.answer(limits, self.mode.keeps_running);
        *spent = running.spent;
        let (text, stays) = answer?;
        let (mv, stored) = self.mode.form.read_output(&text)?;
        if stays {
            running.process.signal(Signal::STOP);
            running.paid += spent.cpu;
            self.kept = Some(running);
        } else {
            self.stored = stored;
        }
        Ok(mv)
    }
}

impl Player for BotzonePlayer {
    fn begin(&mut self, start: &Position) -> Result<(), Forfeit> {
        self.kept = None;
        self.stored.data = None;
        self.moves.clear();
        self.turns = 0;
        if *start == Position::start(start.size()).with_rules(start.rules()) {
            Ok(())
        } else {
            Err(Forfeit::Crashed("its protocol cannot express this start position".into()))
        }
    }

    fn choose(&mut self, _: &Position, budget: Budget) -> Result<Choice, Forfeit> {
        let (limits, mut spent) = (self.limits(budget), Spent::default());
        let answer = self.turn(&limits, &mut spent);
        let turn = TurnTaken { first: self.turns == 0, spent, failure: answer.as_ref().err().cloned() };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(turn);
        self.turns += 1;
        Ok(answer?.into())
    }

    fn played(&mut self, mv: Move) {
        self.moves.push(mv);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Form;

    /// True if the process is stopped; `None` if the process does not exist.
    fn is_stopped(process: u32) -> Option<bool> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        Some(stat.rsplit_once(") ")?.1.starts_with('T'))
    }

    #[test]
    fn first_turns_and_kept_processes_have_their_own_limits() {
        let [time, kept_time] = [6, 4].map(Duration::from_secs);
        let allowance = Allowance { time, kept_time, alarm: 1.5, memory: 1 };
        let limits = [(true, false), (false, false), (false, true)]
            .map(|(first, kept)| allowance.limits(first, kept))
            .map(|limits| (limits.cpu.as_secs(), limits.wall.as_secs()));
        assert_eq!(limits, [(12, 18), (6, 9), (4, 6)]);
    }

    #[test]
    fn kept_process_is_suspended_and_gets_one_move() {
        let script = r#"
            read turn; read request; echo "5 0 5 6 2 3"; echo "$0"
            read request; [ "$request" = "0 5 4 5 3 4" ] && echo "2 0 2 1 2 2"; echo "$0"
            read request"#;
        let command = ["sh", "-c", script, KEEP_RUNNING].map(str::to_owned);
        let mode = Mode { form: Form::Simple, keeps_running: true };
        let mut bot = BotzonePlayer::new(command.to_vec(), mode);
        let kept = |bot: &BotzonePlayer| bot.kept.as_ref().and_then(|kept| kept.process.id()).unwrap();
        let start = Position::start(otrera::Size::new(8).unwrap());
        bot.begin(&start).unwrap();
        let first = bot.choose(&start, Budget::default()).unwrap().mv;
        let process = kept(&bot);
        let is_stopped_soon = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            is_stopped(process) == Some(true)
        });
        assert!(is_stopped_soon);
        bot.played(first);
        bot.played(Form::Simple.read_output("0 5 4 5 3 4").unwrap().0);
        let second = bot.choose(&start, Budget::default()).unwrap().mv;
        assert_eq!(second, Form::Simple.read_output("2 0 2 1 2 2").unwrap().0);
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
