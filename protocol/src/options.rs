//! What can be set, in `otrera.toml` beside the executable and on the command line ([`crate::cli`]).
//!
//! Both know the same names, listed once in [`SETTINGS`]; the command line wins. A bad name or value is
//! never fatal by itself: it becomes a message that says what would be valid, and the default stands.

use crate::BOTZONE_ONLY;
use crate::files;
use otrera::{Model, Params, Side, Size};
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
    /// The parameters that the preset stands for.
    pub search: Params,
    /// Threads that think, at least 1.
    pub threads: Option<usize>,
    /// Bytes for the tree.
    pub memory: Option<usize>,
    /// Time for each move.
    pub move_time: Option<Duration>,
    /// For all moves of one side, where the platform has a clock for the whole game.
    pub total_time: Option<Duration>,
    /// What a move costs on the platform's clock beside our thinking.
    pub move_overhead: Option<Duration>,
    /// Iterations for each move, instead of a time.
    pub iterations: Option<u64>,
    /// Seed of the random numbers; else it comes from the time.
    pub seed: Option<u64>,
    /// What runs in parallel, instead of what the preset says.
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
    /// Time left for us in the game to resume, where the operator reads it from the platform.
    pub resume_time_left: Option<Duration>,
    /// The SAU platform's folder, for its own record.
    pub platform_dir: Option<PathBuf>,
    /// The side of whoever sets it: ours in the game to resume, the person's in `play`.
    pub side: Option<Side>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            preset: Params::NAMED[0].0.into(),
            search: Params::TOURNAMENT,
            threads: None,
            memory: None,
            move_time: None,
            total_time: None,
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
            resume_time_left: None,
            platform_dir: None,
            side: None,
        }
    }
}

/// The most threads that can be asked for; more than there are cores count as all cores.
const MAX_THREADS: u64 = 1024;

/// The threads that this machine, or what we may use of it, runs at once.
pub fn cores() -> usize {
    if BOTZONE_ONLY {
        return 1;
    }
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The most memory that can be asked for, in MB.
pub const MAX_MEMORY: u64 = 65_536;

/// The largest configuration file that is read, in bytes: what is larger is something else.
const LARGEST_FILE: u64 = 64 << 10;

/// Every setting, in the order of `--help`: its name, what kind of value follows, and what it means. Defaults that
/// differ between platforms are those of [`crate::conditions`].
pub const SETTINGS: [(&str, &str, &str); 23] = [
    ("preset", "NAME", "tournament (default), paper, mg, peo, mcts, uct; or tournament,burst=1"),
    ("threads", "N", "threads that think"),
    ("memory", "MB", "memory of the tree"),
    ("move-time", "SECONDS", "time for each move"),
    ("total-time", "SECONDS", "time for all moves of one side"),
    ("move-overhead", "SECONDS", "held back for each move to come"),
    ("iterations", "N", "think this many iterations a move instead"),
    ("seed", "N", "seed of the random numbers (default: from the time)"),
    ("parallel", "MODE", "off, metrics, rollouts or tree (default: the preset's)"),
    ("size", "N", "edge of the board, 4 to 10"),
    ("keep-running", "MODE", "Botzone: auto (default), on or off"),
    ("name", "NAME", "name told to the platform, at most 40 ASCII characters"),
    ("log", "FILE", "append every line in and out with its time (a second process: FILE-2)"),
    ("pondering", "MODE", "SAU: on or off (default): think in the opponent's time"),
    ("record-dir", "DIR", "SAU and play: write a record of every game into this folder"),
    ("team", "NAME", "our name in records (default: that of --name)"),
    ("opponent", "NAME", "the opponent's name in records of SAU games"),
    ("place", "PLACE", "the place in records"),
    ("event", "EVENT", "the event in records"),
    ("resume", "FILE", "SAU: go on with the game of this record, see protocol/README.md"),
    (
        "resume-time-left",
        "SECONDS",
        "SAU: our time left in the game to resume (default: its journal's count)",
    ),
    ("platform-dir", "DIR", "SAU: the platform's folder, to find its own record after a crash"),
    ("side", "SIDE", "black or white: ours in the game to resume; yours in play (default: black)"),
];

impl Settings {
    /// The search parameters: the preset's, with the parallel mode that was asked for.
    pub fn params(&self) -> Params {
        Params { parallel: self.parallel.unwrap_or(self.search.parallel), ..self.search.clone() }
    }

    /// Checks that the preset's file of weights, if it has one, is for boards of this size.
    ///
    /// # Errors
    /// The file's network is for other boards.
    pub fn check_board(&self, size: Size) -> Result<(), String> {
        self.search.model.check_board(size).map_err(|problem| format!("preset {}: {problem}", self.preset))
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
                self.set_preset(value, Path::new(""))?;
            }
            "threads" => self.threads = Some(number(value, 1, MAX_THREADS)? as usize),
            "memory" => {
                // Saturated where the address space has 32 bits.
                let bytes = number(value, 1, MAX_MEMORY)? << 20;
                self.memory = Some(usize::try_from(bytes).unwrap_or(usize::MAX));
            }
            "move-time" => self.move_time = Some(seconds(value)?),
            "total-time" => self.total_time = Some(seconds(value)?),
            "move-overhead" => self.move_overhead = Some(seconds_between(value, 0.0, MAX_OVERHEAD)?),
            "iterations" => self.iterations = Some(number(value, 1, 1_000_000_000_000)?),
            "seed" => self.seed = Some(number(value, 0, u64::MAX)?),
            "parallel" => {
                self.parallel = Some(value.parse()?);
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
            "resume-time-left" => self.resume_time_left = Some(seconds(value)?),
            "platform-dir" => self.platform_dir = Some(value.into()),
            "record-dir" => self.record_dir = Some(value.into()),
            "side" => self.side = Some(side(value)?),
            _ => return Err(format!("valid are {}", SETTINGS.map(|(name, ..)| name).join(", "))),
        }
        Ok(())
    }

    /// Changes the preset; where it names a file of weights, its path counts from `folder`.
    fn set_preset(&mut self, text: &str, folder: &Path) -> Result<(), String> {
        self.search = Params::read(text, |file| read_model(&folder.join(file)))?;
        self.preset = text.trim().into();
        Ok(())
    }

    /// Reads a configuration file. Each line that cannot be used adds a message, and the others count.
    pub fn read_file(&mut self, path: &Path, problems: &mut Vec<String>) {
        let text = match files::read_text(path, LARGEST_FILE) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => return problems.push(format!("{}: {error}", path.display())),
            Ok(text) => text,
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
                toml::Value::Array(_) | toml::Value::Table(_) => {
                    return Err(format!("{name} = {value}: valid is one text or number"));
                }
                other => other.to_string(),
            };
            // Both total-time and total_time are natural to write in a file.
            match name.replace('_', "-").as_str() {
                "preset" => {
                    self.set_preset(&text, folder).map_err(|valid| format!("{name} = {value}: {valid}"))?
                }
                "log" => self.log = Some(folder.join(text)),
                "record-dir" => self.record_dir = Some(folder.join(text)),
                "resume" => self.resume = Some(folder.join(text)),
                "platform-dir" => self.platform_dir = Some(folder.join(text)),
                known => self.set(known, &text).map_err(|valid| format!("{name} = {value}: {valid}"))?,
            }
        }
        Ok(())
    }
}

/// The largest file of weights that is read, in bytes.
const LARGEST_WEIGHTS: u64 = 64 << 20;

/// The model of a file of weights, which the fits of the laboratory write.
fn read_model(path: &Path) -> Result<Model, String> {
    if BOTZONE_ONLY {
        return Err("this program, built for Botzone alone, reads no files".into());
    }
    let problem = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let text = files::read_text(path, LARGEST_WEIGHTS).map_err(|error| problem(&error))?;
    Model::from_weights(&text).map_err(|error| problem(&error))
}

/// A whole number within these bounds.
pub fn number(text: &str, least: u64, most: u64) -> Result<u64, String> {
    match text.trim().parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("valid is a whole number from {least} to {most}")),
    }
}

/// A time for thinking, in seconds: ten milliseconds to a week.
pub fn seconds(text: &str) -> Result<Duration, String> {
    seconds_between(text, 0.01, 604_800.0)
}

/// The most [`Settings::move_overhead`], in seconds.
pub const MAX_OVERHEAD: f64 = 5.0;

fn seconds_between(text: &str, least: f64, most: f64) -> Result<Duration, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if (least..=most).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!("valid is a number of seconds from {least} to {most}")),
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
