//! Injected faults, as a decorator around a program, and `arena faults`, which plays games of the engine with them.
//! Answers that a fault alone made late or impossible are excused. Every other forfeit counts as avoidable: the engine's
//! fault.

use crate::arguments::{default_engine, read_engine, read_games, read_seconds, read_share};
use crate::dialect::{Dialect, read_tournament};
use crate::failure::Failure;
use crate::game::{Control, Event, GameSetup, Watcher, lose, play};
use crate::groups;
use crate::load::Load;
use crate::player::{Budget, Choice, Player};
use crate::process::signal_group;
use crate::program::Program;
use crate::say;
use crate::tally::Tally;
use clap::ValueEnum;
use fastrand::Rng;
use otrera::{GameRecord, Move, Position, Side, mix_seed};
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
    let mut table = Table::default();
    for number in 0..options.games {
        let turn = number as usize;
        let (fault, protocols) = &schedule[turn % schedule.len()];
        let protocol = protocols[turn / schedule.len() % protocols.len()];
        let (side, bout) = options.bout(number, protocol, *fault)?;
        if groups::are_ending() {
            say("interrupted\n");
            break;
        }
        table.add(&bout, side);
        if options.verbose || !bout.reason.is_empty() {
            let (result, reason) = (bout.result, &bout.reason);
            say(&format!("game {}, {protocol}, {}: {result} {reason}\n", number + 1, fault.name()));
        }
    }
    say(&table.to_text());
    table.check()
}

impl Options {
    /// Plays a game against random moves. Returns the engine's side and the game.
    fn bout(&self, number: u64, protocol: Dialect, fault: Fault) -> Result<(Side, Bout), String> {
        // Stream 0 shuffles the protocols.
        let mut rng = Rng::with_seed(mix_seed(self.seed, number + 1));
        let side = if rng.bool() { Side::Black } else { Side::White };
        let mut opponent = RandomMoves(Rng::with_seed(rng.u64(..)));
        let setting = Setting { rate: self.rate, time: self.time, grace: self.grace, seed: rng.u64(..) };
        let total = Some(SAU_TIME).filter(|_| protocol.is_sau() && self.time.is_none());
        let setup = GameSetup {
            start: protocol.start(None),
            opening: Vec::new(),
            control: Control::turns(protocol, self.time, total),
            grace: self.grace,
            adjudicate: None,
        };
        let mut engine = vec![self.engine.clone()];
        match self.time {
            Some(time) => engine.extend(["--move-time".into(), time.as_secs_f64().to_string()]),
            None if protocol.is_sau() => {
                engine.extend(["--total-time", "30", "--move-overhead", "0.01"].map(str::to_owned));
            }
            None => {}
        }
        let faulty = Faulty::new(&engine, protocol, fault, setting)?;
        Ok((side, faulty.play(&mut opponent, side, &setup, &mut |_, _, _| ())?))
    }
}

/// A game with one kind of fault.
#[derive(Clone, Debug)]
pub struct Bout {
    /// The game; without a winner if it was broken off.
    pub record: GameRecord,
    pub fault: Fault,
    /// "won", "lost on board", "broken off" or "avoidable".
    result: &'static str,
    /// Reason for an avoidable loss.
    reason: String,
    /// Number of turns in which the fault was injected.
    hit: u64,
    /// Number of excused answers.
    excused: u64,
}

/// Tally of the games with each fault.
#[derive(Default)]
pub struct Table(BTreeMap<String, Tally>);

impl Table {
    /// Adds a game of the program with this side.
    pub fn add(&mut self, bout: &Bout, side: Side) {
        let row = self.0.entry(bout.fault.name()).or_default();
        row.add(&bout.record, side);
        row.count("turns hit", bout.hit);
        row.count("excused", bout.excused);
        row.count("broken off", u64::from(bout.record.winner.is_none()));
    }

    /// Formats a row for each fault, their sum, and an explanation.
    pub fn to_text(&self) -> String {
        let rows: Vec<(&str, [u64; 7])> =
            self.0.iter().map(|(name, row)| (name.as_str(), cells(row))).collect();
        let all = rows.iter().fold([0; 7], |sum, (_, row)| std::array::from_fn(|i| sum[i] + row[i]));
        let mut table = format!("{:16}{}\n", "fault", COLUMNS.map(|column| format!("{column:>15}")).concat());
        for (name, row) in rows.into_iter().chain([("all", all)]) {
            table += &format!("{name:16}{}\n", row.map(|count| format!("{count:15}")).concat());
        }
        table + EXPLANATION
    }

    /// Returns true if no loss was avoidable. Fails if the games ended before a fault was injected once.
    pub fn check(&self) -> Result<bool, String> {
        let is_good = self.0.values().all(|row| avoidable(row) == 0);
        match self.0.iter().find(|(_, row)| is_good && row.counted("turns hit") == 0) {
            Some((name, _)) if !groups::are_ending() => Err(format!(
                "the fault {name} was injected in no turn: more games or a higher rate are needed"
            )),
            _ => Ok(is_good),
        }
    }
}

/// Returns the number of games that the program lost by a failure of its own.
fn avoidable(row: &Tally) -> u64 {
    row.failures()[0].values().map(|(count, _)| count).sum()
}

/// Returns the row's counts in the order of [`COLUMNS`].
fn cells(row: &Tally) -> [u64; 7] {
    COLUMNS.map(|column| match column {
        "games" => row.games() + row.counted("broken off"),
        "won" => row.wins(),
        "lost on board" => row.losses() - avoidable(row),
        "avoidable" => avoidable(row),
        counted => row.counted(counted),
    })
}

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
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let busy = if fault == FullLoad { 2 * cores as u16 } else { 0 };
        let load = Load::start(busy).map_err(|problem| fault.not_injected(&problem));
        let program = |command| Program::new(command, protocol).strict();
        let started = command.and_then(|command| Ok((program(command), load?)));
        let (program, load) = started.inspect_err(|_| drop(fs::remove_dir_all(&folder)))?;
        let (ply, hit, excused, is_over, problem) = (0, 0, 0, false, None);
        Ok(Self { program, protocol, fault, setting, rng, load, folder, ply, hit, excused, is_over, problem })
    }

    /// Plays a game with this side against `opponent`. Fails if the fault could not be injected.
    pub fn play(
        mut self,
        opponent: &mut dyn Player,
        side: Side,
        setup: &GameSetup,
        watcher: &mut Watcher,
    ) -> Result<Bout, String> {
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
        Ok(Bout { record, fault: self.fault, result, reason, hit: self.hit, excused: self.excused })
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

/// The opponent.
struct RandomMoves(Rng);

impl Player for RandomMoves {
    fn choose(&mut self, position: &Position, _: Budget) -> Result<Choice, Failure> {
        let legal: Vec<Move> = position.legal_moves().collect();
        self.0.choice(legal).map(Choice::from).ok_or_else(|| Failure::cannot("the game is over"))
    }
}

impl Player for Faulty {
    fn begin(&mut self, start: &Position, side: Side) -> Result<(), Failure> {
        self.program.begin(start, side)
    }

    /// Requests a move, and repeats the request if the fault prevented an answer.
    fn choose(&mut self, position: &Position, budget: Budget) -> Result<Choice, Failure> {
        let is_whole_game = matches!(self.fault, FullLoad | NoDisk);
        let is_disturbed = is_whole_game || self.rng.f64() < self.setting.rate;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_that_was_never_injected_fails_the_run() {
        let bout = |hit, forfeit: Option<&str>| Bout {
            record: GameRecord {
                winner: Some(if forfeit.is_some() { Side::White } else { Side::Black }),
                forfeit: forfeit.map(|kind| (kind.to_owned(), kind.to_owned())),
                ..GameRecord::new("", "", Position::standard())
            },
            fault: Noise,
            result: "",
            reason: String::new(),
            hit,
            excused: 0,
        };
        let mut table = Table::default();
        table.add(&bout(0, None), Side::Black);
        assert!(table.check().unwrap_err().starts_with("the fault noise was injected in no turn"));
        table.add(&bout(1, None), Side::Black);
        assert_eq!(table.check(), Ok(true));
        table.add(&bout(0, Some("crash")), Side::Black);
        assert_eq!(table.check(), Ok(false));
        let row = "noise                         3              1              2              0";
        assert!(table.to_text().contains(row), "{}", table.to_text());
    }
}
