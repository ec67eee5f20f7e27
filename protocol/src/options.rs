//! Options: from the command line and from `otrera.toml` beside the executable.
//!
//! Both know the same names, listed once in [`SETTINGS`]; the command line wins. A bad name or value is
//! never fatal by itself: it becomes a message that says what would be valid, and the default stands.

use crate::files;
use lexopt::{Arg, Parser, ValueExt};
use otrera::search::params::{PARAMETERS, Parameter};
use otrera::{Params, Side, Size};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Whether Botzone lets the process live from turn to turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeepRunning {
    /// Yes where standard input is still open when the answer is ready.
    Auto,
    /// Always.
    On,
    /// Never: answer and exit.
    Off,
}

/// What can be set, in the file and on the command line. `None` where the platform decides.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The preset, with parameters behind it where they are changed: `tournament,c=3`.
    pub preset: String,
    /// Threads that think, at least 1.
    pub threads: Option<usize>,
    /// Bytes for the tree.
    pub memory: Option<usize>,
    /// Time for each move.
    pub move_time: Option<Duration>,
    /// For all moves of one side, where the platform has a clock for the whole game.
    pub total_time: Duration,
    /// What a move costs on the platform's clock beside our thinking.
    pub move_overhead: Option<Duration>,
    /// Iterations for each move, instead of a time.
    pub iterations: Option<u64>,
    /// Seed of the random numbers; else it comes from the time.
    pub seed: Option<u64>,
    /// What threads work on, in place of what the preset says.
    pub parallel: Option<otrera::Parallel>,
    /// The board.
    pub size: Option<Size>,
    /// Botzone: whether the process lives on between turns.
    pub keep_running: KeepRunning,
    /// The name told to the platform.
    pub name: String,
    /// The file for every line in and out.
    pub log: Option<PathBuf>,
    /// Think in the opponent's time, where the platform allows that.
    pub pondering: bool,
    /// The folder for records of games.
    pub record_dir: Option<PathBuf>,
    /// What stands in game records; the team is called like the program unless it has a name of its own.
    pub team: Option<String>,
    /// The opponent's name in records.
    pub opponent: String,
    /// The place in records.
    pub place: String,
    /// The event in records.
    pub event: String,
    /// A game to go on with: a record, or moves.
    pub resume: Option<PathBuf>,
    /// The side of whoever sets it: ours in the game to resume, the person's in `play`.
    pub side: Option<Side>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            preset: Params::NAMED[0].0.into(),
            threads: None,
            memory: None,
            move_time: None,
            total_time: Duration::from_secs(15 * 60),
            move_overhead: None,
            iterations: None,
            seed: None,
            parallel: None,
            size: None,
            keep_running: KeepRunning::Auto,
            name: "Otrera".into(),
            log: None,
            pondering: false,
            record_dir: None,
            team: None,
            opponent: "Opponent".into(),
            place: String::new(),
            event: "Otrera".into(),
            resume: None,
            side: None,
        }
    }
}

/// The most threads that can be asked for; more than there are cores count as all cores.
const MOST_THREADS: u64 = 1024;

/// The threads that this machine, or what we may use of it, runs at once.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The most memory that can be asked for, in MB.
pub const MOST_MEMORY: u64 = 65_536;

/// The largest configuration file that is read, in bytes: what is larger is something else.
const LARGEST_FILE: u64 = 64 << 10;

/// One setting: its name, its argument, and what `--help` says.
struct Setting {
    name: &'static str,
    argument: &'static str,
    help: &'static str,
}

const fn setting(name: &'static str, argument: &'static str, help: &'static str) -> Setting {
    Setting { name, argument, help }
}

/// Every setting, in the order of `--help`.
const SETTINGS: [Setting; 21] = [
    setting("preset", "NAME", "tournament (default), paper, mg, peo, mcts, uct; or tournament,burst=1"),
    setting("threads", "N", "threads that think (Botzone: 1; else all cores)"),
    setting("memory", "MB", "memory of the tree (Botzone: 160; else 1024)"),
    setting("move-time", "SECONDS", "time for each move (Botzone: 0.92, first turn 1.85)"),
    setting("total-time", "SECONDS", "time for all moves of one side (SAU: 900)"),
    setting("move-overhead", "SECONDS", "held back for each move to come (SAU: 0.2, UCI: 0.01)"),
    setting("iterations", "N", "think this many iterations a move instead"),
    setting("seed", "N", "seed of the random numbers (default: from the time)"),
    setting("parallel", "MODE", "off, metrics, rollouts or tree (default: the preset's)"),
    setting("size", "N", "edge of the board, 4 to 10 (Botzone: 8; else 10)"),
    setting("keep-running", "MODE", "Botzone: auto (default), on or off"),
    setting("name", "NAME", "name told to the platform, at most 40 ASCII characters"),
    setting("log", "FILE", "append every line in and out with its time (a second process: FILE-2)"),
    setting("pondering", "MODE", "SAU: on or off (default): think in the opponent's time"),
    setting("record-dir", "DIR", "SAU and play: write a record of every game into this folder"),
    setting("team", "NAME", "our name in records (default: that of --name)"),
    setting("opponent", "NAME", "the opponent's name in records of SAU games"),
    setting("place", "PLACE", "the place in records"),
    setting("event", "EVENT", "the event in records"),
    setting("resume", "FILE", "SAU: go on with the game of this record, see protocol/README.md"),
    setting("side", "SIDE", "black or white: ours in the game to resume; yours in play (default: black)"),
];

/// The settings as lines for `--help`, and the parameters that `preset` takes.
pub fn settings_help() -> String {
    let line = |s: &Setting| format!("  --{:<22} {}\n", format!("{} {}", s.name, s.argument), s.help);
    let parameter = |parameter: &Parameter| {
        let default = parameter.value(&Params::TOURNAMENT).unwrap_or_default();
        format!("  {:<18} {} ({default}): {}\n", parameter.name, parameter.meaning, parameter.valid())
    };
    SETTINGS
        .iter()
        .map(line)
        .chain(["\nParameters of the search, behind a preset (tournament,burst=1,lcb-z=0):\n".into()])
        .chain(PARAMETERS.iter().map(parameter))
        .collect()
}

impl Settings {
    /// The search parameters: the preset's, with the parallel mode that was asked for.
    pub fn params(&self) -> Params {
        let mut params: Params = self.preset.parse().unwrap_or(Params::TOURNAMENT);
        params.parallel = self.parallel.unwrap_or(params.parallel);
        params
    }

    /// Takes back the threads beyond the cores of this machine, and says so: they would wait for each other, and with
    /// a thousand of them a move of a third of a second takes many seconds.
    pub fn cap_threads(&mut self) -> Option<String> {
        let cores = cores();
        let wanted = self.threads.filter(|&wanted| wanted > cores)?;
        self.threads = Some(cores);
        Some(format!("threads {wanted}: more than the cores of this machine, so {cores} think"))
    }

    /// Changes one setting from text; the message of an error says what is valid.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "preset" => {
                let text = value.to_ascii_lowercase();
                text.parse::<Params>()?;
                self.preset = text;
            }
            "threads" => self.threads = Some(number(value, 1, MOST_THREADS)? as usize),
            "memory" => {
                // More than a 32-bit program can address is as much as it can get.
                let bytes = number(value, 1, MOST_MEMORY)? << 20;
                self.memory = Some(usize::try_from(bytes).unwrap_or(usize::MAX));
            }
            "move-time" => self.move_time = Some(seconds(value)?),
            "total-time" => self.total_time = seconds(value)?,
            "move-overhead" => self.move_overhead = Some(overhead(value)?),
            "iterations" => self.iterations = Some(number(value, 1, 1_000_000_000_000)?),
            "seed" => self.seed = Some(number(value, 0, u64::MAX)?),
            "parallel" => {
                self.parallel =
                    Some(value.parse().map_err(|e: otrera::search::params::UnknownName| e.to_string())?);
            }
            "size" => self.size = Size::new(number(value, 4, 10)? as usize),
            "keep-running" => {
                self.keep_running = match value {
                    "auto" => KeepRunning::Auto,
                    "on" | "true" => KeepRunning::On,
                    "off" | "false" => KeepRunning::Off,
                    _ => return Err("valid are auto, on, off".into()),
                };
            }
            "name" => self.name = engine_name(value)?,
            "log" => self.log = Some(value.into()),
            "pondering" => {
                self.pondering = match value {
                    "on" | "true" => true,
                    "off" | "false" => false,
                    _ => return Err("valid are on, off".into()),
                };
            }
            "team" => self.team = Some(label(value)?),
            "opponent" => self.opponent = label(value)?,
            "place" => self.place = label(value)?,
            "event" => self.event = label(value)?,
            "resume" => self.resume = Some(value.into()),
            "record-dir" => self.record_dir = Some(value.into()),
            "side" => self.side = Some(side(value)?),
            _ => return Err(format!("valid are {}", SETTINGS.map(|setting| setting.name).join(", "))),
        }
        Ok(())
    }

    /// Reads a configuration file. Each line that cannot be used adds a message, and the others count.
    pub fn read_file(&mut self, path: &Path, problems: &mut Vec<String>) {
        let text = match files::read(path, LARGEST_FILE) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => return problems.push(format!("{}: {error}", path.display())),
            Ok(bytes) => decoded(&bytes),
        };
        if text.contains('\u{fffd}') {
            problems.push(format!("{}: not all of it is UTF-8, save it as that", path.display()));
        }
        self.read_text(&text, path, problems);
    }

    /// Reads the text of a configuration file that is found at `path`.
    pub fn read_text(&mut self, text: &str, path: &Path, problems: &mut Vec<String>) {
        let folder = path.parent().unwrap_or(Path::new(""));
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            if let Err(problem) = self.read_line(line, folder) {
                problems.push(format!("{} line {number}: {problem}", path.display()));
            }
        }
    }

    /// Reads one line of the file: `name = value`, or nothing but a comment. Paths count from `folder`,
    /// where the file is.
    fn read_line(&mut self, line: &str, folder: &Path) -> Result<(), String> {
        let table: toml::Table = line.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
        for (name, value) in table {
            let text = match &value {
                toml::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            // Both total-time and total_time are natural to write in a file.
            match name.replace('_', "-").as_str() {
                "log" => self.log = Some(folder.join(text)),
                "record-dir" => self.record_dir = Some(folder.join(text)),
                "resume" => self.resume = Some(folder.join(text)),
                known => self.set(known, &text).map_err(|valid| format!("{name} = {value}: {valid}"))?,
            }
        }
        Ok(())
    }
}

/// A text from a file: UTF-16 where it begins with the mark of that, as some editors save it, else UTF-8.
pub fn decoded(bytes: &[u8]) -> String {
    let units = |read: fn([u8; 2]) -> u16| -> Vec<u16> {
        bytes.as_chunks().0.iter().skip(1).map(|&pair| read(pair)).collect()
    };
    match bytes {
        [0xff, 0xfe, ..] => String::from_utf16_lossy(&units(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => String::from_utf16_lossy(&units(u16::from_be_bytes)),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// A whole number within these bounds.
pub fn number(text: &str, least: u64, most: u64) -> Result<u64, String> {
    match text.trim().parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("valid is a whole number from {least} to {most}")),
    }
}

/// Ten milliseconds to a week.
pub fn seconds(text: &str) -> Result<Duration, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if (0.01..=604_800.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("valid is a number of seconds from 0.01 to 604800".into()),
    }
}

/// The most [`Settings::move_overhead`], in seconds.
pub const MOST_OVERHEAD: f64 = 5.0;

/// None to five seconds.
fn overhead(text: &str) -> Result<Duration, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if (0.0..=MOST_OVERHEAD).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!("valid is a number of seconds from 0 to {MOST_OVERHEAD}")),
    }
}

fn side(text: &str) -> Result<Side, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "black" | "b" => Ok(Side::Black),
        "white" | "w" => Ok(Side::White),
        _ => Err("valid are black, white".into()),
    }
}

fn engine_name(text: &str) -> Result<String, String> {
    let printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    match text.trim() {
        name if printable && (1..=40).contains(&name.len()) => Ok(name.into()),
        _ => Err("valid are 1 to 40 printable ASCII characters".into()),
    }
}

/// A name for records: teams and places have Chinese ones.
fn label(text: &str) -> Result<String, String> {
    let usable = |c: char| !c.is_control() && !"[];".contains(c);
    match text.trim() {
        label if (1..=40).contains(&label.chars().count()) && label.chars().all(usable) => Ok(label.into()),
        _ => Err("valid are 1 to 40 printable characters other than [ ] ;".into()),
    }
}

/// What the program is asked to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Find out which platform listens, and play.
    Detect,
    /// Behaviour checksum and speed.
    Bench,
    /// Count the move sequences of a length.
    Perft,
    /// Search a position and show what was found.
    Analyze,
    /// Play against a person in the terminal.
    Play,
    /// Speak UCI from the first line on.
    Uci,
    /// What can be done and set.
    Help,
    /// Name and version.
    Version,
}

/// The whole command line.
#[derive(Clone, Debug)]
pub struct Options {
    /// What to do.
    pub command: Command,
    /// What file and command line have set.
    pub settings: Settings,
    /// `--fen`, for perft and analyze.
    pub fen: Option<String>,
    /// `--moves`, for analyze: what was played from the start.
    pub moves: Option<String>,
    /// `--record`, for analyze: a file with games.
    pub record: Option<PathBuf>,
    /// `--game`, for analyze: which of them, from 1.
    pub game: Option<usize>,
    /// `--ply`, for analyze: after how many moves of the game.
    pub ply: Option<usize>,
    /// `--lines`: how many moves analyze lists.
    pub lines: usize,
    /// The argument of perft.
    pub depth: Option<u32>,
    /// `--parts`, for bench: what each part of an iteration costs.
    pub parts: bool,
    /// What could not be used, each with what would be valid.
    pub problems: Vec<String>,
    /// What was changed to something that this machine can do, which hinders no command.
    pub remarks: Vec<String>,
}

impl Options {
    /// Reads the configuration file beside the executable, then the command line.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let mut options = Self {
            command: Command::Detect,
            settings: Settings::default(),
            fen: None,
            moves: None,
            record: None,
            game: None,
            ply: None,
            lines: 10,
            depth: None,
            parts: false,
            problems: Vec::new(),
            remarks: Vec::new(),
        };
        let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join("otrera.toml")));
        if let Some(path) = beside {
            options.settings.read_file(&path, &mut options.problems);
        }
        options.take_all(arguments);
        options.remarks.extend(options.settings.cap_threads());
        options
    }

    fn take_all(&mut self, arguments: impl IntoIterator<Item = OsString>) {
        let mut parser = Parser::from_args(arguments);
        loop {
            match parser.next() {
                Ok(None) => return self.check_game(),
                Ok(Some(argument)) => {
                    if let Err(problem) = self.take(OwnedArg::from(argument), &mut parser) {
                        self.problems.push(problem);
                    }
                }
                Err(error) => self.problems.push(error.to_string()),
            }
        }
    }

    /// What says which game is meant is for `analyze`.
    fn check_game(&mut self) {
        let named =
            self.moves.is_some() || self.record.is_some() || self.game.is_some() || self.ply.is_some();
        if named && !matches!(self.command, Command::Analyze | Command::Help | Command::Version) {
            self.problems.push("--moves, --record, --game and --ply are for analyze".into());
        }
    }

    fn take(&mut self, argument: OwnedArg, parser: &mut Parser) -> Result<(), String> {
        let mut value = || -> Result<String, String> {
            parser.value().and_then(|value| value.string()).map_err(|error| error.to_string())
        };
        match argument {
            OwnedArg::Flag(flag) => match flag.as_str() {
                "-h" | "--help" => self.command = Command::Help,
                "-V" | "--version" => self.command = Command::Version,
                "--parts" => self.parts = true,
                "--fen" => self.fen = Some(value()?),
                "--moves" => self.moves = Some(value()?),
                "--record" => self.record = Some(value()?.into()),
                "--game" => self.game = Some(named("--game", number(&value()?, 1, 1_000_000_000))? as usize),
                "--ply" => self.ply = Some(named("--ply", number(&value()?, 0, 1000))? as usize),
                "--time" => self.settings.move_time = Some(named("--time", seconds(&value()?))?),
                "--lines" => self.lines = named("--lines", number(&value()?, 1, 10_000))? as usize,
                flag => {
                    let known = SETTINGS.iter().find(|setting| flag.strip_prefix("--") == Some(setting.name));
                    let setting = known.ok_or_else(|| format!("unknown option {flag}; see otrera --help"))?;
                    let value = value()?;
                    let set = self.settings.set(setting.name, &value);
                    set.map_err(|valid| format!("{flag} {value}: {valid}"))?;
                }
            },
            OwnedArg::Word(word) if word == "resume" && self.command == Command::Detect => {
                let file = value().map_err(|_| "resume needs a file: a record, or moves")?;
                self.settings.resume = Some(file.into());
            }
            OwnedArg::Word(word) => self.take_word(&word)?,
        }
        Ok(())
    }

    /// A word that is no option: the command, or perft's depth.
    fn take_word(&mut self, word: &str) -> Result<(), String> {
        match (&self.command, word) {
            (Command::Detect, "bench") => self.command = Command::Bench,
            (Command::Detect, "perft") => self.command = Command::Perft,
            (Command::Detect, "analyze" | "analyse") => self.command = Command::Analyze,
            (Command::Detect, "play") => self.command = Command::Play,
            (Command::Detect, "uci") => self.command = Command::Uci,
            (Command::Detect, "help") => self.command = Command::Help,
            (Command::Perft, depth) if self.depth.is_none() => {
                self.depth = Some(named("perft's depth", number(depth, 0, 20))? as u32);
            }
            (Command::Help | Command::Version, _) => {}
            _ => return Err(format!("unexpected argument {word}; see otrera --help")),
        }
        Ok(())
    }
}

/// Says which argument a value was for.
fn named<T>(name: &str, result: Result<T, String>) -> Result<T, String> {
    result.map_err(|valid| format!("{name}: {valid}"))
}

/// An argument that no longer borrows the parser.
enum OwnedArg {
    Flag(String),
    Word(String),
}

impl From<Arg<'_>> for OwnedArg {
    fn from(argument: Arg<'_>) -> Self {
        match argument {
            Arg::Short(letter) => Self::Flag(format!("-{letter}")),
            Arg::Long(name) => Self::Flag(format!("--{name}")),
            Arg::Value(word) => Self::Word(word.to_string_lossy().into_owned()),
        }
    }
}
