//! Injected faults, as a decorator around a program. Answers that a fault alone made late or impossible are excused.
//! Every other forfeit counts as avoidable: the engine's fault.

use crate::dialect::Dialect;
use crate::failure::Failure;
use crate::game::{Event, GameSetup, Watcher, lose, play};
use crate::load::Load;
use crate::player::{Budget, Choice, Player};
use crate::process::signal_group;
use crate::program::Program;
use clap::ValueEnum;
use fastrand::Rng;
use otrera::{GameRecord, Move, Position, Resources, Side};
use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
pub enum Fault {
    /// The process is killed in its turn; a new one gets the whole history.
    Killed,
    /// The process is stopped (SIGSTOP) for up to two seconds, right after the input or later in its turn.
    Stopped,
    /// Input arrives while a keep-running process is stopped, as on Botzone.
    StoppedBetween,
    /// The process gets a fraction of its processor time: it is stopped and continued repeatedly.
    Slowed,
    /// Two busy processes on each core.
    FullLoad,
    /// Input arrives one byte at a time.
    InputInBytes,
    /// Output is not read for a while, then one byte at a time.
    OutputInBytes,
    /// The output pipe is closed: the engine must exit with status 0.
    ReaderGone,
    /// Log and records cannot be written: the disk is full or the path invalid.
    NoDisk,
    /// The system's clocks are off by days.
    Clock,
    /// Meaningless lines, where bot/README.md allows them.
    Noise,
    /// Each message is sent twice in one write.
    Doubled,
}

use Fault::*;

impl Fault {
    /// Returns the name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// True if the fault can occur in this dialect. UCI has none.
    pub fn fits(self, protocol: Dialect) -> bool {
        match self {
            _ if protocol == Dialect::Uci => false,
            // The SAU platform gives a dead program no second chance.
            Killed => !protocol.is_sau(),
            StoppedBetween => protocol.keeps(),
            // On Botzone, a repeated request counts as a second turn.
            Doubled => protocol.is_sau(),
            _ => true,
        }
    }

    /// Returns a substring of the only failure that this fault excuses; `None` if the fault excuses none.
    fn causes(self) -> Option<&'static str> {
        match self {
            Killed => Some("signal: 9"),
            ReaderGone => Some("exit status: 0"),
            _ => None,
        }
    }
}

/// Facts of a game with one kind of fault besides its record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bout {
    pub fault: Fault,
    /// "won", "lost on board", "broken off" or "avoidable".
    #[serde(skip)]
    pub result: &'static str,
    /// Reason for an avoidable loss.
    #[serde(skip)]
    pub reason: String,
    /// Number of turns in which the fault was injected.
    pub hit: u64,
    /// Number of excused answers.
    pub excused: u64,
}

/// Share of the turns in which a fault is injected, by default.
pub const RATE: f64 = 0.3;

/// Latest turn in which a fault is injected in any case, so that every game has one.
const MAX_CERTAIN: u64 = 8;

/// Frequency of the faults in a game, its time limits and its random seed.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Share of the turns in which a fault is injected.
    pub rate: f64,
    /// Time for a move; `None` for the platform's.
    pub time: Option<Duration>,
    /// Tolerated delay of an answer.
    pub grace: Duration,
    pub seed: u64,
}

/// Injects one kind of fault into the turns of a program.
pub struct Faulty {
    program: Program,
    protocol: Dialect,
    fault: Fault,
    setting: Setting,
    rng: Rng,
    load: Load,
    /// Folder of the program's log and records with [`Fault::NoDisk`], removed after the game.
    folder: PathBuf,
    /// Number of plies played.
    ply: usize,
    /// Number of the program's turns so far.
    turns: u64,
    /// Turn, counted from 1, in which the fault is injected in any case.
    certain: u64,
    /// Number of turns in which the fault was injected.
    hit: u64,
    /// Number of excused answers.
    excused: u64,
    /// True if the game cannot continue after the fault.
    is_over: bool,
    /// Reason why a fault could not be injected.
    problem: Option<String>,
}

impl Drop for Faulty {
    fn drop(&mut self) {
        // A leftover temporary folder is not a failure.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Faulty {
    /// Creates the player. Fails if the fault cannot be injected.
    pub fn new(engine: &[String], protocol: Dialect, fault: Fault, setting: Setting) -> Result<Self, String> {
        let mut rng = Rng::with_seed(setting.seed);
        let folder = std::env::temp_dir().join(format!("faults-{}-{:x}", std::process::id(), setting.seed));
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let command =
            command(engine, fault, &folder, &mut rng).map_err(|problem| fault.not_injected(&problem));
        let busy = if fault == FullLoad { 2 * Resources::cores() as u16 } else { 0 };
        let load = Load::start(busy).map_err(|problem| fault.not_injected(&problem));
        let program = |command| Program::new(command, protocol).strict();
        let started = command.and_then(|command| Ok((program(command), load?)));
        let (program, load) = started.inspect_err(|_| drop(fs::remove_dir_all(&folder)))?;
        Ok(Self {
            certain: rng.u64(1..=MAX_CERTAIN),
            program,
            protocol,
            fault,
            setting,
            rng,
            load,
            folder,
            ply: 0,
            turns: 0,
            hit: 0,
            excused: 0,
            is_over: false,
            problem: None,
        })
    }

    /// Plays a game with this side against `opponent`. Returns the game, without a winner if it was broken off, and its
    /// facts. Fails if the fault could not be injected.
    pub fn play(
        mut self,
        opponent: &mut dyn Player,
        side: Side,
        setup: &GameSetup,
        watcher: &mut Watcher,
    ) -> Result<(GameRecord, Bout), String> {
        let mut players: [&mut dyn Player; 2] = [&mut self, opponent];
        players.rotate_left(side.index());
        let mut failure = None;
        let mut record = play(players, setup, &mut |position, ply, event| {
            if let Event::Failed(loser, why) = event
                && loser == side
            {
                failure.get_or_insert_with(|| why.clone());
            }
            watcher(position, ply, event);
        });
        if failure.is_none()
            && let Err(why) = self.program.leave()
        {
            lose(&mut record, side, &why);
            failure = Some(why);
        }
        if !self.load.is_running() {
            self.problem = Some("a busy process has ended".into());
        }
        if let Some(problem) = &self.problem {
            return Err(self.fault.not_injected(problem));
        }
        let mut reason = String::new();
        let result = match failure {
            Some(_) if self.is_over => {
                (record.winner, record.forfeit) = (None, None);
                "broken off"
            }
            Some(failure) => {
                reason = failure.in_strict_words();
                "avoidable"
            }
            None if record.winner == Some(side) => "won",
            None => "lost on board",
        };
        Ok((record, Bout { fault: self.fault, result, reason, hit: self.hit, excused: self.excused }))
    }
}

impl Fault {
    fn not_injected(self, problem: &str) -> String {
        let name = self.name();
        format!("the fault {name} cannot be injected: {problem}; choose other faults with --fault")
    }
}

/// Returns the command line of the engine, which for `NoDisk` and `Clock` also injects the fault.
fn command(engine: &[String], fault: Fault, folder: &Path, rng: &mut Rng) -> Result<Vec<String>, String> {
    match fault {
        NoDisk => Ok(without_disk(engine, folder, rng)),
        Clock => {
            if !succeeds(&["unshare", "--time", "true"]) {
                return Err("`unshare --time` needs root's rights".into());
            }
            // The clocks are set forward by up to 300 days.
            let days = (86_400 * rng.u32(0..=300)).to_string();
            let start = ["unshare", "--time", "--monotonic", &days, "--boottime", &days];
            Ok(start.into_iter().map(str::to_owned).chain(engine.iter().cloned()).collect())
        }
        _ => Ok(engine.to_vec()),
    }
}

/// Returns a command line that runs the engine with a full disk or with invalid paths.
fn without_disk(engine: &[String], folder: &Path, rng: &mut Rng) -> Vec<String> {
    const MOUNT: &str = "mount -t tmpfs -o size=4k tmpfs \"$0\" || exit 1; \
                         head -c 9999 /dev/zero >\"$0/full\" 2>/dev/null; exec \"$@\"";
    let folder = folder.to_string_lossy().into_owned();
    let (log, records) = (format!("{folder}/log"), format!("{folder}/records"));
    let mount = ["unshare", "--mount", "sh", "-c", MOUNT, &folder];
    let (start, log, records) = if rng.bool() && succeeds(&[&mount[..], &["true"]].concat()) {
        (mount.to_vec(), log.as_str(), records.as_str())
    } else {
        (vec!["env", "TMPDIR=/dev/full"], "/dev/full", "/dev/full/records")
    };
    let engine: Vec<&str> = engine.iter().map(String::as_str).collect();
    let words = [&start[..], &engine, &["--log", log, "--record-dir", records]].concat();
    words.into_iter().map(str::to_owned).collect()
}

impl Player for Faulty {
    fn begin(&mut self, start: &Position, side: Side) -> Result<(), Failure> {
        self.program.begin(start, side)
    }

    /// Requests a move, and repeats the request if the fault prevented an answer.
    fn choose(&mut self, position: &Position, budget: Budget) -> Result<Choice, Failure> {
        let is_whole_game = matches!(self.fault, FullLoad | NoDisk);
        self.turns += 1;
        let is_certain = self.setting.rate > 0.0 && self.turns == self.certain;
        let is_disturbed = self.rng.f64() < self.setting.rate || is_certain || is_whole_game;
        self.hit += u64::from(is_disturbed);
        let fault = Some(self.fault).filter(|_| is_disturbed && !is_whole_game);
        let mut excuse = Duration::ZERO;
        let mut choice = match self.disturbed(fault, position, budget, &mut excuse) {
            Ok(choice) => choice,
            Err(failure) => {
                let is_cause = |cause: &str| failure.detail.contains(cause);
                self.program.kill();
                if !fault.and_then(Fault::causes).is_some_and(is_cause) {
                    return Err(failure);
                }
                self.excused += 1;
                if self.protocol.is_sau() {
                    self.is_over = true;
                    return Err(failure);
                }
                self.disturbed(None, position, budget, &mut excuse)?
            }
        };
        // The process may have answered before the fault hit it.
        if fault.is_some_and(|fault| fault.causes().is_some()) {
            self.program.kill();
        }
        let time = choice.time.unwrap_or_default();
        let own = time.saturating_sub(excuse);
        choice.time = Some(own);
        let is_late = |time| budget.time.is_some_and(|limit| time > limit + self.setting.grace);
        self.excused += u64::from(is_late(time) && !is_late(own));
        Ok(choice)
    }

    fn played(&mut self, mv: Move) {
        self.ply += 1;
        self.program.played(mv);
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.program.end()
    }
}

impl Faulty {
    /// Plays one turn, with a fault if one is given. Adds the delay that the fault caused to `excuse`.
    fn disturbed(
        &mut self,
        fault: Option<Fault>,
        position: &Position,
        budget: Budget,
        excuse: &mut Duration,
    ) -> Result<Choice, Failure> {
        let text = self.program.prepare(budget)?;
        let think = self.setting.time.unwrap_or(Duration::from_secs(1));
        *excuse = excuse.saturating_add(self.send(fault, &text)?);
        let group = self.program.process()?.group();
        let delay = think.mul_f64(self.rng.f64());
        let random = [(); 2].map(|()| self.rng.f64());
        self.program.sent()?;
        thread::scope(|scope| {
            let meanwhile = scope.spawn(move || match fault {
                Some(Killed) => {
                    sleep(delay);
                    signal_group(group, Signal::KILL);
                    Duration::ZERO
                }
                Some(Stopped) => stop(group, delay, random),
                Some(Slowed) => slow(group, think, random),
                _ => Duration::ZERO,
            });
            if fault == Some(OutputInBytes) {
                // The pipe is full, so the engine cannot write its answer yet.
                sleep(think.mul_f64(1.5));
            }
            let choice = self.program.answer(position);
            *excuse = excuse.saturating_add(meanwhile.join().unwrap_or_default());
            choice
        })
    }

    /// Sends the request, with a fault of the pipes if one is given. Returns the delay that the fault caused.
    fn send(&mut self, fault: Option<Fault>, text: &str) -> Result<Duration, Failure> {
        let process = self.program.process()?;
        if fault == Some(ReaderGone) {
            process.hang_up();
        }
        let mut excuse = Duration::ZERO;
        if fault == Some(OutputInBytes) {
            match process.fill_output() {
                Ok(()) => excuse = Duration::MAX,
                Err(error) => self.problem = Some(format!("its output pipe cannot be filled: {error}")),
            }
        }
        let noisy = if fault == Some(Noise) { self.noisy(text) } else { String::new() };
        let began = Instant::now();
        let rng = &mut self.rng;
        let process = self.program.process()?;
        match fault {
            Some(StoppedBetween) => {
                process.signal(Signal::STOP);
                process.write(text);
                sleep(Duration::from_millis(rng.u64(0..300)));
                process.signal(Signal::CONT);
            }
            Some(InputInBytes) => {
                let pause = Duration::from_micros([0, 300, 2000][rng.usize(..3)]);
                for byte in text.bytes() {
                    process.write([byte]);
                    sleep(pause);
                }
            }
            Some(Noise) => process.write(noisy),
            Some(Doubled) => process.write(text.repeat(2)),
            _ => process.write(text),
        }
        let is_delay = matches!(fault, Some(StoppedBetween | InputInBytes));
        Ok(if is_delay { began.elapsed() } else { excuse })
    }

    /// Adds meaningless lines before and after a request.
    fn noisy(&mut self, text: &str) -> String {
        const BLANK: [&str; 4] = ["", "   ", "\r", "\t"];
        let long = "x".repeat(5000);
        let words = ["garbage", "#!?", "hello 12", "3.5 2", "settings 9", &long, "new"];
        let is_kept = self.protocol.keeps() && !self.protocol.is_sau();
        let words = match (is_kept && self.ply >= 2, self.protocol.is_sau()) {
            // A keep-running process on Botzone reads any other line as the opponent's move.
            (true, _) => &words[..0],
            (_, true) => &words[..6],
            _ => &words[..],
        };
        let choices = [&BLANK, words].concat();
        let lines: Vec<&str> =
            (0..self.rng.usize(1..=4)).map(|_| choices[self.rng.usize(..choices.len())]).collect();
        let behind = match (self.protocol.is_sau(), is_kept) {
            (true, _) => "undo\n",
            (_, true) => "\t\n   ",
            // Botzone appends stored data to the request.
            _ => "stored data\n",
        };
        format!("{}\n{text}{behind}\n", lines.join("\n"))
    }
}

/// Stops a process group for up to 2 s, at once or after `delay`, then continues it. Returns the duration of the stop.
/// `length` and `choice` are random numbers from 0 to 1.
fn stop(group: Pid, delay: Duration, [length, choice]: [f64; 2]) -> Duration {
    let longest = [0.01, 0.1, 0.5, 2.0][(choice * 4.0) as usize % 4];
    if choice * 8.0 % 2.0 < 1.0 {
        sleep(delay);
    }
    let began = Instant::now();
    signal_group(group, Signal::STOP);
    sleep(Duration::from_secs_f64(longest * length));
    signal_group(group, Signal::CONT);
    began.elapsed()
}

/// Repeatedly stops and continues a process group for the duration `think`. Two random numbers from 0 to 1 set the
/// length of a stop and the share of stopped time. Returns zero: late answers are not excused.
fn slow(group: Pid, think: Duration, [pause, share]: [f64; 2]) -> Duration {
    let pause = Duration::from_secs_f64(0.002 + 0.018 * pause);
    let share = 0.1 + 0.8 * share;
    let began = Instant::now();
    while began.elapsed() < think {
        signal_group(group, Signal::STOP);
        sleep(pause);
        signal_group(group, Signal::CONT);
        sleep(pause.mul_f64(share / (1.0 - share)));
    }
    Duration::ZERO
}

fn succeeds(command: &[&str]) -> bool {
    let status = Command::new(command[0]).args(&command[1..]).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
