//! `arena faults`: plays games of the engine with injected faults. Answers that a fault alone made late or impossible
//! are excused. Every other forfeit counts as avoidable: the engine's fault.

use crate::arguments::{default_engine, read_engine, read_games, read_seconds, read_share};
use crate::dialect::{Dialect, read_tournament};
use crate::failure::Failure;
use crate::game::{Control, Event, GameSetup, play};
use crate::groups;
use crate::load::Load;
use crate::player::{Budget, Choice, Player};
use crate::process::signal_group;
use crate::program::Program;
use crate::say;
use clap::ValueEnum;
use fastrand::Rng;
use otrera::{Move, Position, Side, mix_seed};
use rustix::process::{Pid, Signal};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

const COLUMNS: [&str; 7] =
    ["games", "turns hit", "won", "lost on board", "broken off", "excused", "avoidable"];

const EXPLANATION: &str = "\
broken off: the game could not continue after the fault (the SAU platform does not restart a program)
excused:    answers that the fault alone made late or impossible: killed, stopped, no reader
avoidable:  games lost by a crash, an illegal or malformed answer, silence, or a late answer
";

/// Total time per side for a SAU game.
const SAU_TIME: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
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
    /// Meaningless lines, where protocol/README.md allows them.
    Noise,
    /// Each message is sent twice in one write.
    Doubled,
}

use Fault::*;

impl Fault {
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    fn fits(self, protocol: Dialect) -> bool {
        match self {
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

/// Plays games of the engine against random moves with injected faults, and counts the engine's avoidable losses.
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 no avoidable loss, 1 an avoidable loss, 2 wrong usage or no engine.")]
pub struct Options {
    /// The engine [default: the one beside this program].
    #[arg(long, value_name = "PATH", default_value_t = default_engine(), hide_default_value = true, value_parser = read_engine)]
    engine: String,
    /// Number of games.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = read_games)]
    games: u64,
    /// Dialects, named as in selfplay.sh.
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        default_value = "simple,json,simple-keep,json-keep,sau",
        value_parser = read_tournament
    )]
    protocol: Vec<Dialect>,
    /// Only these faults [default: all in turn].
    #[arg(long, value_enum, value_name = "NAME,...", value_delimiter = ',')]
    fault: Vec<Fault>,
    /// Seconds per move [default: Botzone's limits; 30 s for a SAU game].
    #[arg(long, value_name = "S", value_parser = read_seconds)]
    time: Option<Duration>,
    /// Seconds over the limit before an answer is late.
    #[arg(long, value_name = "S", default_value = "0", value_parser = read_seconds)]
    grace: Duration,
    /// Share of the turns in which a fault is injected.
    #[arg(long, value_name = "P", default_value_t = 0.3, value_parser = read_share)]
    rate: f64,
    /// Seed of the games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print every game, not only losses.
    #[arg(long)]
    verbose: bool,
}

/// Result of a game, with the number of turns in which a fault was injected and the number of excused answers.
#[derive(Default)]
struct Outcome {
    /// "won", "lost on board", "broken off" or "avoidable".
    result: &'static str,
    reason: String,
    disturbed: usize,
    excused: usize,
}

/// Plays the games. Returns true if the engine had no avoidable loss.
pub fn run(options: &Options) -> Result<bool, String> {
    if !Path::new(&options.engine).is_file() {
        return Err(format!("no engine at {}: run make first", options.engine));
    }
    let mut rng = Rng::with_seed(options.seed);
    let faults = if options.fault.is_empty() { Fault::value_variants() } else { &options.fault };
    let schedule = faults.iter().map(|&fault| {
        let mut protocols = options.protocol.clone();
        protocols.retain(|&protocol| fault.fits(protocol));
        rng.shuffle(&mut protocols);
        (fault, protocols)
    });
    let schedule: Vec<_> = schedule.filter(|(_, protocols)| !protocols.is_empty()).collect();
    if schedule.is_empty() {
        return Err("this fault does not occur in these protocols".into());
    }
    let mut rows: BTreeMap<String, [usize; 7]> = BTreeMap::new();
    for number in 0..options.games {
        let turn = number as usize;
        let (fault, protocols) = &schedule[turn % schedule.len()];
        let protocol = protocols[turn / schedule.len() % protocols.len()];
        let outcome = Bout::new(options, number, protocol, *fault)?.play()?;
        if groups::are_ending() {
            say("interrupted\n");
            break;
        }
        for (sum, column) in rows.entry(fault.name()).or_default().iter_mut().zip(COLUMNS) {
            *sum += match column {
                "games" => 1,
                "turns hit" => outcome.disturbed,
                "excused" => outcome.excused,
                result => usize::from(outcome.result == result),
            };
        }
        if options.verbose || !outcome.reason.is_empty() {
            let result = outcome.result;
            say(&format!("game {}, {protocol}, {}: {result} {}\n", number + 1, fault.name(), outcome.reason));
        }
    }
    let mut table = format!("{:16}{}\n", "fault", COLUMNS.map(|column| format!("{column:>15}")).concat());
    let all = rows.values().fold([0; 7], |sum, row| std::array::from_fn(|i| sum[i] + row[i]));
    for (name, row) in rows.iter().chain([(&"all".to_owned(), &all)]) {
        table += &format!("{name:16}{}\n", row.map(|count| format!("{count:15}")).concat());
    }
    say(&(table + EXPLANATION));
    Ok(all[6] == 0)
}

/// One game against random moves with one kind of fault.
struct Bout<'a> {
    options: &'a Options,
    rng: Rng,
    protocol: Dialect,
    fault: Fault,
    folder: PathBuf,
    outcome: Outcome,
}

impl Drop for Bout<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl<'a> Bout<'a> {
    fn new(options: &'a Options, number: u64, protocol: Dialect, fault: Fault) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("faults-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        // Stream 0 shuffles the protocols.
        let rng = Rng::with_seed(mix_seed(options.seed, number + 1));
        let outcome = Outcome { result: "broken off", ..Outcome::default() };
        Ok(Self { options, rng, protocol, fault, folder, outcome })
    }

    /// Plays the game. Fails if the fault cannot be injected.
    fn play(mut self) -> Result<Outcome, String> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let busy = if self.fault == FullLoad { 2 * cores as u16 } else { 0 };
        let mut load = Load::start(busy).map_err(|problem| self.not_injected(&problem))?;
        let total = Some(SAU_TIME).filter(|_| self.protocol.is_sau() && self.options.time.is_none());
        let setup = GameSetup {
            start: self.protocol.start(None),
            opening: Vec::new(),
            control: Control::turns(self.protocol, self.options.time, total),
            grace: self.options.grace,
            adjudicate: None,
        };
        let side = if self.rng.bool() { Side::Black } else { Side::White };
        let command = self.command()?;
        let mut opponent = RandomMoves(Rng::with_seed(self.rng.u64(..)));
        let program = Program::new(command, self.protocol).strict();
        let mut faulty = Faulty { bout: self, program, ply: 0, is_over: false, problem: None };
        let mut players: [&mut dyn Player; 2] = [&mut faulty, &mut opponent];
        players.rotate_left(side.index());
        let mut reason = None;
        let record = play(players, &setup, &mut |_, _, event| {
            if let Event::Failed(_, failure) = event {
                reason = Some(failure.clone());
            }
        });
        let left = if reason.is_none() { faulty.program.leave() } else { Ok(()) };
        if !load.is_running() {
            faulty.problem = Some("a busy process has ended".into());
        }
        let Faulty { mut bout, is_over, problem, .. } = faulty;
        if let Some(problem) = problem {
            return Err(bout.not_injected(&problem));
        }
        let mut outcome = std::mem::take(&mut bout.outcome);
        match reason.or(left.err()) {
            Some(_) if is_over => {}
            Some(failure) => {
                outcome.result = "avoidable";
                outcome.reason = format!("{}: {}", failure.kind.name(), failure.detail);
            }
            None if record.winner == Some(side) => outcome.result = "won",
            None => outcome.result = "lost on board",
        }
        Ok(outcome)
    }

    fn not_injected(&self, problem: &str) -> String {
        let name = self.fault.name();
        format!("the fault {name} cannot be injected: {problem}; choose other faults with --fault")
    }

    /// Returns the engine's command line, which for `NoDisk` and `Clock` also injects the fault.
    fn command(&mut self) -> Result<Vec<String>, String> {
        let mut command = match self.fault {
            NoDisk => self.without_disk(),
            Clock => {
                if !can_unshare("--time") {
                    return Err(self.not_injected("`unshare --time` needs root's rights"));
                }
                // The clocks are set forward by up to 300 days.
                let days = (86_400 * self.rng.u32(0..=300)).to_string();
                let start = ["unshare", "--time", "--monotonic", &days, "--boottime", &days];
                start.into_iter().chain([&*self.options.engine]).map(str::to_owned).collect()
            }
            _ => vec![self.options.engine.clone()],
        };
        match self.options.time {
            Some(time) => command.extend(["--move-time".into(), time.as_secs_f64().to_string()]),
            None if self.protocol.is_sau() => {
                command.extend(["--total-time", "30", "--move-overhead", "0.01"].map(str::to_owned));
            }
            None => {}
        }
        Ok(command)
    }

    /// Returns a command line that runs the engine with a full disk or with invalid paths.
    fn without_disk(&mut self) -> Vec<String> {
        const SCRIPT: &str = "mount -t tmpfs -o size=4k tmpfs \"$0\" && head -c 9999 /dev/zero >\"$0/full\" \
                              2>/dev/null; exec \"$@\"";
        let (engine, folder) = (&self.options.engine, self.folder.display());
        let (log, records) = (format!("{folder}/log"), format!("{folder}/records"));
        let folder = folder.to_string();
        let (start, log, records) = if self.rng.bool() && can_unshare("--mount") {
            (vec!["unshare", "--mount", "sh", "-c", SCRIPT, &folder], log.as_str(), records.as_str())
        } else {
            (vec!["env", "TMPDIR=/dev/full"], "/dev/full", "/dev/full/records")
        };
        let words = [&start[..], &[engine, "--log", log, "--record-dir", records]].concat();
        words.into_iter().map(str::to_owned).collect()
    }
}

/// The opponent.
struct RandomMoves(Rng);

impl Player for RandomMoves {
    fn choose(&mut self, position: &Position, _: Budget) -> Result<Choice, Failure> {
        let legal: Vec<Move> = position.legal_moves().collect();
        self.0.choice(legal).map(Choice::from).ok_or_else(|| Failure::cannot("the game is over"))
    }
}

/// Injects faults into the turns of a program.
struct Faulty<'a> {
    bout: Bout<'a>,
    program: Program,
    /// Number of plies played.
    ply: usize,
    /// True if the game cannot continue after the fault.
    is_over: bool,
    /// Reason why a fault could not be injected.
    problem: Option<String>,
}

impl Player for Faulty<'_> {
    fn begin(&mut self, start: &Position, side: Side) -> Result<(), Failure> {
        self.program.begin(start, side)
    }

    /// Requests a move, and repeats the request if the fault prevented an answer.
    fn choose(&mut self, position: &Position, budget: Budget) -> Result<Choice, Failure> {
        let is_whole_game = matches!(self.bout.fault, FullLoad | NoDisk);
        let is_disturbed = is_whole_game || self.bout.rng.f64() < self.bout.options.rate;
        self.bout.outcome.disturbed += usize::from(is_disturbed);
        let fault = Some(self.bout.fault).filter(|_| is_disturbed && !is_whole_game);
        let mut excuse = Duration::ZERO;
        let mut choice = match self.disturbed(fault, position, budget, &mut excuse) {
            Ok(choice) => choice,
            Err(failure) => {
                let is_cause = |cause: &str| failure.detail.contains(cause);
                self.program.kill();
                if !fault.and_then(Fault::causes).is_some_and(is_cause) {
                    return Err(failure);
                }
                self.bout.outcome.excused += 1;
                if self.bout.protocol.is_sau() {
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
        let is_late = |time| budget.time.is_some_and(|limit| time > limit + self.bout.options.grace);
        self.bout.outcome.excused += usize::from(is_late(time) && !is_late(own));
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

impl Faulty<'_> {
    /// Plays one turn, with a fault if one is given. Adds the delay that the fault caused to `excuse`.
    fn disturbed(
        &mut self,
        fault: Option<Fault>,
        position: &Position,
        budget: Budget,
        excuse: &mut Duration,
    ) -> Result<Choice, Failure> {
        let text = self.program.prepare(budget)?;
        let think = self.bout.options.time.unwrap_or(Duration::from_secs(1));
        *excuse = excuse.saturating_add(self.send(fault, &text)?);
        let group = self.program.process()?.group();
        let delay = think.mul_f64(self.bout.rng.f64());
        let random = [(); 2].map(|()| self.bout.rng.f64());
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
        let rng = &mut self.bout.rng;
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
        let is_kept = self.bout.protocol.keeps() && !self.bout.protocol.is_sau();
        let words = match (is_kept && self.ply >= 2, self.bout.protocol.is_sau()) {
            // A keep-running process on Botzone reads any other line as the opponent's move.
            (true, _) => &words[..0],
            (_, true) => &words[..6],
            _ => &words[..],
        };
        let choices = [&BLANK, words].concat();
        let lines: Vec<&str> =
            (0..self.bout.rng.usize(1..=4)).map(|_| choices[self.bout.rng.usize(..choices.len())]).collect();
        let behind = match (self.bout.protocol.is_sau(), is_kept) {
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

fn can_unshare(what: &str) -> bool {
    let status = Command::new("unshare").args([what, "true"]).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
