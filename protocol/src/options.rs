//! Options on the command line ([`crate::cli`]) and in `otrera.toml` beside the executable. Each option is a row of
//! [`SETTINGS`] or [`COMMAND_OPTIONS`].
//!
//! The command line overrides the file. An invalid name or value is never fatal: it adds a message with the valid
//! values and leaves the option unchanged.

use crate::BOTZONE_ONLY;
use crate::files;
use crate::memory;
use otrera::{Level, Limits, Model, Parameter, Params, Resources, Side, Size};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Value of `--keep-running`: what the process does after answering a turn on Botzone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeepRunning {
    /// Keeps running if standard input is still open when the answer is ready.
    Auto,
    /// Always keeps running.
    On,
    /// Exits after each answer.
    Off,
}

/// A search preset with optional parameter overrides, such as `tournament,c=3`.
#[derive(Clone, Debug)]
pub struct Preset {
    /// Text from which the preset was parsed.
    pub text: String,
    /// Search parameters of the preset, with the overrides applied.
    pub params: Params,
}

/// A help page about options: of a command, or of a platform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Page {
    /// `otrera play`.
    Play,
    /// `otrera gui`.
    Gui,
    /// `otrera analyze`.
    Analyze,
    /// `otrera bench`.
    Bench,
    /// `otrera perft`.
    Perft,
    /// The platform Botzone.
    Botzone,
    /// The platform SAU.
    Sau,
    /// The platform UCI.
    Uci,
    /// The search parameters of the presets.
    Parameters,
}

impl Page {
    /// All pages, in the order of the overview.
    pub const ALL: [Self; 9] = [
        Self::Play,
        Self::Gui,
        Self::Analyze,
        Self::Bench,
        Self::Perft,
        Self::Botzone,
        Self::Sau,
        Self::Uci,
        Self::Parameters,
    ];

    /// Returns the name of the command, or of the platform in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Gui => "gui",
            Self::Analyze => "analyze",
            Self::Bench => "bench",
            Self::Perft => "perft",
            Self::Botzone => "botzone",
            Self::Sau => "sau",
            Self::Uci => "uci",
            Self::Parameters => "parameters",
        }
    }

    /// Returns the page with this name, ignoring case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|page| page.name().eq_ignore_ascii_case(name))
    }
}

/// A row in an options table: an option that sets a field of `T`.
pub struct OptionRow<T> {
    /// Name, without the leading dashes.
    pub name: &'static str,
    /// Placeholder for the value in help; empty for a flag.
    pub value: &'static str,
    /// Help pages that list the option.
    pub pages: &'static [Page],
    /// Description in help.
    pub help: &'static str,
    /// Parses the value and sets the field. A relative path in the value is resolved against the given folder.
    pub set: fn(&mut T, &str, &Path) -> Result<(), String>,
}

/// Declares an options struct and its table. An entry is: name placeholder pages help => field, type, default, parser.
/// Name and help are literals, or expressions in parentheses.
macro_rules! option_table {
    ($(#[$doc:meta])* $struct:ident $table:ident
        $($name:tt $value:literal on [$($page:ident)*]: $help:tt
            => $field:ident: $type:ty = $default:expr, $read:expr;)*) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $struct {
            $(
                #[doc = concat!("Option `", stringify!($field), "`, see [`", stringify!($table), "`].")]
                pub $field: $type,
            )*
        }

        impl Default for $struct {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        /// Table of the options, in the order of the help pages.
        pub const $table: &[OptionRow<$struct>] = &[$(OptionRow {
            name: $name,
            value: $value,
            pages: &[$(Page::$page),*],
            help: $help,
            set: |options, text, folder| {
                let read: fn(&str, &Path) -> Result<$type, String> = $read;
                options.$field = read(text, folder)?;
                Ok(())
            },
        },)*];
    };
}

option_table! {
    /// Options in `otrera.toml` and on the command line. `None` means the platform's default, if there is one.
    Settings SETTINGS
    "preset" "NAME" on [Analyze Bench Gui Play Botzone Sau Uci]: "tournament, paper, mg, peo, mcts or uct (tournament)"
        => preset: Preset = Preset { text: DEFAULT_PRESET.into(), params: Params::TOURNAMENT }, read_preset;
    (Resources::THREADS.name) "N" on [Analyze Gui Play Botzone Sau Uci]: (Resources::THREADS.meaning)
        => threads: Option<usize> = None, |text, _| Ok(Some(whole(&Resources::THREADS, text)? as usize));
    (Resources::MEMORY.name) "MB" on [Analyze Gui Play Botzone Sau Uci]: (Resources::MEMORY.meaning)
        => memory: Option<usize> = None, |text, _| Ok(Some(megabytes(text)?));
    "size" "N" on [Analyze Perft Play Botzone Sau Uci]: "edge of the board, 4 to 10"
        => size: Option<Size> = None, |text, _| Ok(Size::new(number(text, 4, 10)? as usize));
    (Limits::ITERATIONS.name) "N" on [Analyze Play Botzone Sau]: (Limits::ITERATIONS.meaning)
        => iterations: Option<u64> = None, |text, _| Ok(Some(whole(&Limits::ITERATIONS, text)?));
    "seed" "N" on [Analyze Gui Play Botzone Sau Uci]: "seed of the random numbers"
        => seed: Option<u64> = None, |text, _| Ok(Some(number(text, 0, u64::MAX)?));
    "move-time" "S" on [Analyze Play Botzone Sau]: "seconds per move"
        => move_time: Option<Duration> = None, |text, _| Ok(Some(seconds(text)?));
    "total-time" "S" on [Sau]: "seconds for all moves of one side"
        => total_time: Option<Duration> = None, |text, _| Ok(Some(seconds(text)?));
    "move-overhead" "S" on [Sau Uci]: "overhead of each move in seconds"
        => move_overhead: Option<Duration> = None, |text, _| Ok(Some(seconds_between(text, 0.0, MAX_OVERHEAD)?));
    "keep-running" "MODE" on [Botzone]: "keep running between turns: auto, on or off (auto)"
        => keep_running: KeepRunning = KeepRunning::Auto, |text, _| one_of(text, &[
            ("auto", KeepRunning::Auto), ("on", KeepRunning::On), ("off", KeepRunning::Off),
            ("true", KeepRunning::On), ("false", KeepRunning::Off)], 3);
    "pondering" "MODE" on [Sau]: "think in the opponent's time: on or off (off)"
        => pondering: bool = false,
        |text, _| one_of(text, &[("on", true), ("off", false), ("true", true), ("false", false)], 2);
    "name" "NAME" on [Gui Play Sau Uci]: "name, at most 40 ASCII characters (Otrera)"
        => name: String = "Otrera".into(), engine_name;
    "log" "FILE" on [Botzone Sau Uci]: "append every line in and out, with its time"
        => log: Option<PathBuf> = None, path;
    "record-dir" "DIR" on [Gui Play Sau]: "folder for game records (gui, play: records)"
        => record_dir: Option<PathBuf> = None, path;
    "team" "NAME" on [Gui Sau]: "our name in records (--name)"
        => team: Option<String> = None, |text, folder| Ok(Some(label(text, folder)?));
    "opponent" "NAME" on [Gui Sau]: "the opponent's name in records (Opponent)"
        => opponent: String = "Opponent".into(), label;
    "place" "PLACE" on [Gui Play Sau]: "place in records"
        => place: String = String::new(), label;
    "event" "EVENT" on [Gui Play Sau]: "event in records (Otrera)"
        => event: String = "Otrera".into(), label;
    "resume" "FILE" on [Sau]: "record of a game to resume"
        => resume: Option<PathBuf> = None, path;
    "resume-time-left" "S" on [Sau]: "our seconds left in the game to resume"
        => resume_time_left: Option<Duration> = None, |text, _| Ok(Some(seconds(text)?));
    "platform-dir" "DIR" on [Sau]: "the platform's folder, to read its game record"
        => platform_dir: Option<PathBuf> = None, path;
    "no-open" "" on [Gui Sau]: "open no browser"
        => no_open: bool = false, |text, _| one_of(text, &[("true", true), ("false", false), ("", true)], 2);
    "side" "SIDE" on [Play Sau]: "your side in play, ours in a game to resume"
        => side: Option<Side> = None, |text, _| {
            let sides = [("black", Side::Black), ("white", Side::White), ("b", Side::Black), ("w", Side::White)];
            one_of(&text.trim().to_ascii_lowercase(), &sides, 2).map(Some)
        };
}

option_table! {
    /// Command-specific options, accepted only on the command line.
    CommandOptions COMMAND_OPTIONS
    "fen" "FEN" on [Analyze Perft Play]: "position to start from"
        => fen: Option<String> = None, |text, _| Ok(Some(text.into()));
    "moves" "\"M M\"" on [Analyze]: "moves from that position"
        => moves: Option<String> = None, |text, _| Ok(Some(text.into()));
    "record" "FILE" on [Analyze]: "game in any format: SGF, JSON, text with moves"
        => record: Option<PathBuf> = None, path;
    "game" "N" on [Analyze]: "number of the game in that file, from 1"
        => game: Option<usize> = None, |text, _| Ok(Some(number(text, 1, 1_000_000_000)? as usize));
    "strict" "" on [Analyze]: "refuse a record of which a part cannot be read"
        => strict: bool = false, |_, _| Ok(true);
    "ply" "N" on [Analyze]: "position after N moves (the last one)"
        => ply: Option<usize> = None, |text, _| Ok(Some(number(text, 0, 1000)? as usize));
    "lines" "N" on [Analyze]: "rows of the table of moves (6)"
        => lines: usize = 6, |text, _| Ok(number(text, 1, 10_000)? as usize);
    "time" "S" on [Analyze Play]: "seconds to think (analyze: 5; play: 2)"
        => time: Option<Duration> = None, |text, _| Ok(Some(seconds(text)?));
    "level" "N" on [Play]: "level of play, 1 (beginner) to 10 (full search)"
        => level: Option<Level> = None, |text, _| text.parse().map(Some);
    "annotate" "FILE" on [Analyze]: "review a whole game, write it as .sgf or .json"
        => annotate: Option<PathBuf> = None, path;
    "port" "N" on [Gui]: "port on 127.0.0.1 (7264, or any free one)"
        => port: Option<u16> = None, |text, _| Ok(Some(number(text, 0, 65_535)? as u16));
}

/// Name of [`Params::TOURNAMENT`].
const DEFAULT_PRESET: &str = "tournament";

/// Maximum of the option `move-overhead`, in seconds.
pub const MAX_OVERHEAD: f64 = 5.0;

/// Maximum size of `otrera.toml`, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// Maximum size of a weights file, in bytes.
const MAX_WEIGHTS_BYTES: u64 = 64 << 20;

/// Returns the number of cores available to the process; 1 in the build for Botzone.
pub fn cores() -> usize {
    if BOTZONE_ONLY {
        return 1;
    }
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the maximum of the option `memory` in MiB: the memory that this process can use, at most that of
/// [`Resources::MEMORY`].
pub fn max_memory() -> u64 {
    let [min, max] = Resources::MEMORY.range();
    let memory = if BOTZONE_ONLY { None } else { memory::of_process() };
    memory.map_or(max, |memory| (memory.total >> 20).clamp(min, max))
}

impl Settings {
    /// Fails if the preset uses a weights file that was fitted for other board sizes than `size`.
    pub fn check_board(&self, size: Size) -> Result<(), String> {
        let Preset { text, params } = &self.preset;
        params.check_board(size).map_err(|problem| format!("preset {text}: {problem}"))
    }

    /// Reduces `threads` to at most the number of cores; returns a message if the value changes.
    pub fn cap_threads(&mut self) -> Option<String> {
        // A thousand threads on a few cores wait for each other: a 0.3 s move takes many seconds.
        let cores = cores();
        let wanted = self.threads.filter(|&wanted| wanted > cores)?;
        self.threads = Some(cores);
        Some(format!("threads {wanted}: more than the cores of this machine; using {cores}"))
    }

    /// Sets the option `name` from text; a relative path is resolved against `folder`. An error lists the valid inputs.
    pub fn set(&mut self, name: &str, value: &str, folder: &Path) -> Result<(), String> {
        let Some(row) = SETTINGS.iter().find(|row| row.name == name) else {
            let names: Vec<&str> = SETTINGS.iter().map(|row| row.name).collect();
            return Err(format!("unknown option, expected one of {}", names.join(", ")));
        };
        (row.set)(self, value, folder)
    }

    /// Reads a configuration file, if it exists. Each invalid line adds a problem; the other lines take effect.
    pub fn read_file(&mut self, path: &Path, problems: &mut Vec<String>) {
        let text = match files::read_text(path, MAX_FILE_BYTES) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => return problems.push(format!("{}: {error}", path.display())),
            Ok(text) => text,
        };
        if text.contains('\u{fffd}') {
            problems.push(format!("{}: not valid UTF-8; save the file as UTF-8", path.display()));
        }
        self.read_text(&text, path, problems);
    }

    /// Applies the text of a configuration file. `path` is shown in problems, and relative paths refer to its folder.
    pub fn read_text(&mut self, text: &str, path: &Path, problems: &mut Vec<String>) {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut seen = HashMap::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let outcome = self.read_line(line, folder).and_then(|name| match name {
                Some(name) => seen.insert(name.clone(), number).map_or(Ok(()), |earlier: usize| {
                    Err(format!("{name} is also in line {earlier}; line {number} takes effect"))
                }),
                None => Ok(()),
            });
            if let Err(problem) = outcome {
                problems.push(format!("{} line {number}: {problem}", path.display()));
            }
        }
    }

    /// Applies one line of a configuration file: `name = value`, a comment, or an empty line. Returns the option's
    /// name.
    fn read_line(&mut self, line: &str, folder: &Path) -> Result<Option<String>, String> {
        let Some((name, value)) = parse_line(line)? else { return Ok(None) };
        let text = match &value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Array(_) | toml::Value::Table(_) => {
                return Err(format!("{name} = {value}: expected one string or number"));
            }
            other => other.to_string(),
        };
        // Users write both total-time and total_time.
        let known = name.replace('_', "-");
        self.set(&known, &text, folder).map_err(|valid| format!("{name} = {value}: {valid}"))?;
        Ok(Some(known))
    }
}

/// Parses a line of TOML with at most one value; also accepts full-width punctuation and a time without quotes.
fn parse_line(line: &str) -> Result<Option<(String, toml::Value)>, String> {
    let parse = |line: &str| line.parse::<toml::Table>();
    let table = parse(line).or_else(|error| {
        let narrow = half_width(line);
        let quoted = || {
            let (name, value) = narrow.split('#').next()?.split_once('=')?;
            let is_plain = !value.contains(['"', '\'', '[', '{']);
            is_plain.then(|| format!("{name} = '{}'", value.trim()))
        };
        let table = parse(&narrow).ok().or_else(|| parse(&quoted()?).ok());
        // The value without quotes must be a time, so that other mistakes are reported.
        let is_valid = |table: &toml::Table| {
            parse(&narrow).is_ok()
                || table.values().all(|value| value.as_str().is_some_and(|text| read_seconds(text).is_some()))
        };
        table.filter(is_valid).ok_or_else(|| error.message().to_owned())
    })?;
    Ok(table.into_iter().next())
}

fn read_preset(text: &str, folder: &Path) -> Result<Preset, String> {
    let params = Params::read(text, |file| read_model(&folder.join(file)))?;
    Ok(Preset { text: text.trim().into(), params })
}

fn read_model(path: &Path) -> Result<Model, String> {
    if BOTZONE_ONLY {
        return Err("the build for Botzone reads no files".into());
    }
    let text = files::read_text(path, MAX_WEIGHTS_BYTES).map_err(|error| error.to_string());
    let model = text.and_then(|text| Model::from_weights(&text).map_err(|error| error.to_string()));
    model.map_err(|problem| format!("{}: {problem}", path.display()))
}

/// Parses a whole number from `min` to `max`, inclusive.
pub fn number(text: &str, min: u64, max: u64) -> Result<u64, String> {
    match half_width(text).trim().parse() {
        Ok(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(format!("expected a whole number from {min} to {max}")),
    }
}

/// Parses a time in seconds, from 10 ms to one week.
fn seconds(text: &str) -> Result<Duration, String> {
    seconds_between(text, 0.01, 604_800.0)
}

fn seconds_between(text: &str, min: f64, max: f64) -> Result<Duration, String> {
    match read_seconds(&half_width(text)) {
        Some(seconds) if (min..=max).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!("expected a number of seconds from {min} to {max}, or a time like 900s or 15分钟")),
    }
}

/// Units of time with their seconds. A number without unit is in seconds.
const UNITS: [(&str, f64); 14] = [
    ("", 1.0),
    ("s", 1.0),
    ("sec", 1.0),
    ("second", 1.0),
    ("seconds", 1.0),
    ("秒", 1.0),
    ("秒钟", 1.0),
    ("m", 60.0),
    ("min", 60.0),
    ("minute", 60.0),
    ("minutes", 60.0),
    ("分", 60.0),
    ("分钟", 60.0),
    ("h", 3600.0),
];

/// Parses a time like `900`, `900s`, `15分钟` or `1分30秒`; returns its seconds.
fn read_seconds(text: &str) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    // A plain number can have an exponent.
    if let Ok(seconds) = text.parse() {
        return Some(seconds);
    }
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let (mut rest, mut sum) = (text.as_str(), 0.0);
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|c| !is_digit(c)).unwrap_or(rest.len()));
        let (unit, after) = after.split_at(after.find(is_digit).unwrap_or(after.len()));
        let seconds = UNITS.iter().find(|(name, _)| *name == unit.trim())?.1;
        sum += number.parse::<f64>().ok()? * seconds;
        rest = after;
    }
    (!text.is_empty()).then_some(sum)
}

/// Replaces full-width forms of ASCII characters, and typographic quotes, with the ASCII characters.
fn half_width(text: &str) -> String {
    let narrow = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        '“' | '”' => '"',
        '‘' | '’' => '\'',
        c => c,
    };
    text.chars().map(narrow).collect()
}

/// Parses a value of a setting that is a whole number.
fn whole<P>(setting: &Parameter<P>, text: &str) -> Result<u64, String> {
    let [min, max] = setting.range();
    number(text, min, max)
}

/// Parses a size in MiB, from 1 to [`max_memory`], and returns it in bytes. Saturates on 32-bit systems.
fn megabytes(text: &str) -> Result<usize, String> {
    Ok(usize::try_from(number(text, 1, max_memory())? << 20).unwrap_or(usize::MAX))
}

/// Parses one of `words` and returns the value paired with that word. The error lists only the first `listed` words.
fn one_of<T: Copy>(text: &str, words: &[(&str, T)], listed: usize) -> Result<T, String> {
    let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    let valid = || words.iter().take(listed).map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| format!("expected one of {}", valid()))
}

fn path(text: &str, folder: &Path) -> Result<Option<PathBuf>, String> {
    Ok(Some(folder.join(text)))
}

fn engine_name(text: &str, _folder: &Path) -> Result<String, String> {
    let printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    match text.trim() {
        name if printable && (1..=40).contains(&name.len()) => Ok(name.into()),
        _ => Err("expected 1 to 40 printable ASCII characters".into()),
    }
}

/// Parses a name for records: 1 to 40 printable characters of any script, except `[`, `]` and `;`.
fn label(text: &str, _folder: &Path) -> Result<String, String> {
    let usable = |c: char| !c.is_control() && !"[];".contains(c);
    match text.trim() {
        label if (1..=40).contains(&label.chars().count()) && label.chars().all(usable) => Ok(label.into()),
        _ => Err("expected 1 to 40 printable characters other than [ ] ;".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the total time in seconds and the problems after reading a configuration file.
    fn read(text: &str) -> (Option<f64>, Vec<String>) {
        let (mut settings, mut problems) = (Settings::default(), Vec::new());
        settings.read_text(text, Path::new("otrera.toml"), &mut problems);
        (settings.total_time.map(|time| time.as_secs_f64()), problems)
    }

    #[test]
    fn times_can_have_units_and_full_width_characters() {
        for line in [
            "total-time = 900",
            "total-time = 900s",
            "total-time = 15分钟 # per side",
            "total-time = \"15 分\"",
            "total-time = “15min”",
            "total-time ＝ ９００",
            "total-time = ＂９００秒＂",
            "total-time = '14m60s'",
            "total_time = 9e2",
        ] {
            assert_eq!(read(line), (Some(900.0), Vec::new()), "{line}");
        }
        for line in ["total-time = 15x", "total-time = ", "total-time = 分钟", "total-time = '1.2.3'"] {
            let (time, problems) = read(line);
            assert!(time.is_none() && problems.len() == 1, "{line}: {problems:?}");
        }
    }

    #[test]
    fn a_duplicate_name_is_reported_and_the_last_one_counts() {
        let (time, problems) = read("total-time = 900\n\ntotal_time = 60");
        assert_eq!(time, Some(60.0));
        assert_eq!(problems, ["otrera.toml line 3: total-time is also in line 1; line 3 takes effect"]);
    }
}
