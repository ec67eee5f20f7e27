//! Options that `otrera.toml` and the command line can set. Each option is a row of [`SETTINGS`].
//!
//! An invalid name or value is never fatal: the error lists the valid values, and the option is unchanged.

use crate::files;
use crate::machine;
use otrera::eval::model::Model;
use otrera::parameter::Parameter;
use otrera::{Level, Limits, Params, Resources, Side, Size};
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
    /// `otrera serve`.
    Serve,
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
    pub const ALL: [Self; 10] = [
        Self::Play,
        Self::Gui,
        Self::Analyze,
        Self::Serve,
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
            Self::Serve => "serve",
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

/// Declares an options struct and its table. An entry is: name placeholder pages help => field, type, default, parser,
/// and a formatter if [`Shown`] does not fit. Name and help are literals, or expressions in parentheses.
#[macro_export]
macro_rules! option_table {
    (@shown) => { $crate::settings::Shown::shown };
    (@shown $shown:expr) => { $shown };
    ($(#[$doc:meta])* $struct:ident $table:ident
        $($name:tt $value:literal on [$($page:ident)*]: $help:tt
            => $field:ident: $type:ty = $default:expr, $read:expr $(, $shown:expr)?;)*) => {
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

        impl $struct {
            /// Formats the value of the option `name`; `None` if it is unset, or if no option has this name.
            pub fn shown(&self, name: &str) -> Option<String> {
                $(if name == $name {
                    let shown: fn(&$type) -> Option<String> = $crate::option_table!(@shown $($shown)?);
                    return shown(&self.$field);
                })*
                None
            }
        }

        /// Table of the options, in the order of the help pages.
        pub const $table: &[$crate::settings::OptionRow<$struct>] = &[$($crate::settings::OptionRow {
            name: $name,
            value: $value,
            pages: &[$($crate::settings::Page::$page),*],
            help: $help,
            set: |options, text, folder| {
                let read: fn(&str, &::std::path::Path) -> Result<$type, String> = $read;
                options.$field = read(text, folder)?;
                Ok(())
            },
        },)*];
    };
}

/// The value of an option as text: times in seconds, memory in MB.
pub trait Shown {
    /// Formats the value; `None` if it is open.
    fn shown(&self) -> Option<String>;
}

impl<T: Shown> Shown for Option<T> {
    fn shown(&self) -> Option<String> {
        self.as_ref().and_then(Shown::shown)
    }
}

/// Implements [`Shown`] for types whose values are never open.
macro_rules! shown {
    ($($type:ty, $value:ident => $text:expr;)*) => {$(
        impl Shown for $type {
            fn shown(&self) -> Option<String> {
                let $value = self;
                Some($text.to_string())
            }
        }
    )*};
}

shown! {
    bool, is_on => if *is_on { "on" } else { "off" };
    u64, number => number;
    usize, number => number;
    u16, number => number;
    Duration, time => time.as_secs_f64();
    PathBuf, path => path.display();
    Level, level => level;
    Side, side => side;
    Size, size => size.edge();
    Preset, preset => preset.text;
}

impl Shown for String {
    fn shown(&self) -> Option<String> {
        Some(self.clone()).filter(|text| !text.is_empty())
    }
}

option_table! {
    /// Options in `otrera.toml` and on the command line. `None` means the platform's default, if there is one.
    Settings SETTINGS
    "preset" "NAME" on [Analyze Bench Gui Play Serve Botzone Sau Uci]: "tournament, paper, mg, peo, mcts or uct"
        => preset: Preset = Preset { text: DEFAULT_PRESET.into(), params: Params::TOURNAMENT }, read_preset;
    (Resources::THREADS.name) "N" on [Analyze Gui Play Serve Botzone Sau Uci]: (Resources::THREADS.meaning)
        => threads: Option<usize> = None, |text, _| Ok(Some(whole(&Resources::THREADS, text)? as usize));
    (Resources::MEMORY.name) "MB" on [Analyze Gui Play Serve Botzone Sau Uci]: (Resources::MEMORY.meaning)
        => memory: Option<usize> = None, |text, _| Ok(Some(megabytes(text)?)),
        |memory| memory.map(|bytes| (bytes >> 20).to_string());
    "size" "N" on [Analyze Perft Play Botzone Sau Uci]: "edge of the board, 4 to 10"
        => size: Option<Size> = None, |text, _| Ok(Size::new(number(text, 4, 10)? as usize));
    (Limits::ITERATIONS.name) "N" on [Analyze Play Botzone Sau]: (Limits::ITERATIONS.meaning)
        => iterations: Option<u64> = None, |text, _| Ok(Some(whole(&Limits::ITERATIONS, text)?));
    "seed" "N" on [Analyze Gui Play Serve Botzone Sau Uci]: "seed of the random numbers"
        => seed: Option<u64> = None, |text, _| Ok(Some(number(text, 0, u64::MAX)?));
    "move-time" "S" on [Analyze Play Botzone Sau]: "seconds per move"
        => move_time: Option<Duration> = None, |text, _| Ok(Some(seconds(text)?));
    "total-time" "S" on [Sau]: "seconds for all moves of one side"
        => total_time: Option<Duration> = None, |text, _| Ok(Some(seconds(text)?));
    "move-overhead" "S" on [Sau Uci]: "overhead of each move in seconds"
        => move_overhead: Option<Duration> = None, |text, _| Ok(Some(seconds_between(text, 0.0, MAX_OVERHEAD)?));
    "keep-running" "MODE" on [Botzone]: "keep running between turns: auto, on or off"
        => keep_running: KeepRunning = KeepRunning::Auto, |text, _| one_of(text, &[
            ("auto", KeepRunning::Auto), ("on", KeepRunning::On), ("off", KeepRunning::Off),
            ("true", KeepRunning::On), ("false", KeepRunning::Off)], 3),
        |mode| Some(format!("{mode:?}").to_lowercase());
    "pondering" "MODE" on [Sau]: "think in the opponent's time: on or off"
        => pondering: bool = false,
        |text, _| one_of(text, &[("on", true), ("off", false), ("true", true), ("false", false)], 2);
    "name" "NAME" on [Gui Play Sau Uci]: "name, at most 40 ASCII characters"
        => name: String = "Otrera".into(), engine_name;
    "log" "FILE" on [Botzone Sau Uci]: "append every line in and out, with its time"
        => log: Option<PathBuf> = None, path;
    "record-dir" "DIR" on [Gui Play Sau]: "folder for game records (gui, play: records)"
        => record_dir: Option<PathBuf> = None, path;
    "team" "NAME" on [Gui Sau]: "our name in records (--name)"
        => team: Option<String> = None, |text, folder| Ok(Some(label(text, folder)?));
    "opponent" "NAME" on [Gui Sau]: "the opponent's name in records"
        => opponent: String = "Opponent".into(), label;
    "place" "PLACE" on [Gui Play Sau]: "place in records"
        => place: String = String::new(), label;
    "event" "EVENT" on [Gui Play Sau]: "event in records"
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

/// Name of [`Params::TOURNAMENT`].
const DEFAULT_PRESET: &str = "tournament";

/// Maximum of the option `move-overhead`, in seconds.
pub const MAX_OVERHEAD: f64 = 5.0;

/// Maximum size of a weights file, in bytes.
const MAX_WEIGHTS_BYTES: u64 = 64 << 20;

/// Returns the maximum of the option `memory` in MiB: the memory that this process can use, at most that of
/// [`Resources::MEMORY`].
pub fn max_memory() -> u64 {
    let [min, max] = Resources::MEMORY.range();
    machine::memory().map_or(max, |memory| (memory.total >> 20).clamp(min, max))
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
        let cores = machine::cores();
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
}

fn read_preset(text: &str, folder: &Path) -> Result<Preset, String> {
    let params = Params::read(text, |file| read_model(&folder.join(file)))?;
    Ok(Preset { text: text.trim().into(), params })
}

fn read_model(path: &Path) -> Result<Model, String> {
    if !machine::IS_ASKED {
        return Err("this build reads no files".into());
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
pub fn seconds(text: &str) -> Result<Duration, String> {
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
pub fn read_seconds(text: &str) -> Option<f64> {
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
pub fn half_width(text: &str) -> String {
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

/// Returns a path; a relative one is resolved against `folder`.
pub fn path(text: &str, folder: &Path) -> Result<Option<PathBuf>, String> {
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
