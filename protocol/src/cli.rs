//! The command line: what the program is asked to do, and the text of `--help`.

use crate::BOTZONE_ONLY;
use crate::conditions::Conditions;
use crate::options::{SETTINGS, Settings, number, seconds};
use crate::platform::Platform;
use crate::platforms::PLATFORMS;
use lexopt::{Arg, Parser, ValueExt};
use otrera::Params;
use otrera::search::params::{PARAMETERS, Parameter};
use std::ffi::OsString;
use std::path::PathBuf;

/// The text of `--help`. What it says of platforms comes from their table.
pub fn help() -> String {
    let speakers = PLATFORMS.iter().map(|platform| platform.speaker).collect::<Vec<_>>().join(", or ");
    let command = |(name, help): (&str, &str)| format!("       otrera {name:<29}{help}\n");
    let commands: String = PLATFORMS.iter().filter_map(|platform| platform.command).map(command).collect();
    format!(
        "\
Otrera plays the Game of the Amazons.

Usage: otrera [OPTIONS]                    play on the platform that speaks on standard input:
                                           {speakers}, found by its
                                           first line
       otrera resume FILE [OPTIONS]        the same; on SAU go on with the game of a record, or of moves
       otrera play [--side black|white]    play against it in the terminal
       otrera analyze [--fen F] [--moves \"M M ...\"] [--time S] [--lines N]
       otrera analyze --record FILE [--game N] [--ply N] [--time S] [--lines N]
                                           search a position, show whose the squares are and the N best moves (6);
                                           a record is SGF, CCGC or JSON, or moves alone; its last position
                                           or that after N moves
{commands}       otrera bench [--parts]              behaviour checksum and speed; or what the parts of an iteration cost
       otrera perft [--fen F] DEPTH        count the move sequences of a length
       otrera --help | --version

FEN is that of Fairy-Stockfish's amazons: ranks from the top, Q an amazon of the side that moves first
(Black), q one of the other side, * an arrow, a number so many empty squares; then w if the side that moves
first is to move, b if the other is. The start: 3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1

Options, also as lines `name = value` of a file otrera.toml beside the executable:
{}",
        settings_help()
    )
}

/// The settings as lines for `--help`, and the parameters that `preset` takes.
pub fn settings_help() -> String {
    let line = |(name, argument, meaning): (&str, &str, &str)| {
        format!("  --{:<22} {meaning}{}\n", format!("{name} {argument}"), defaults_of(name))
    };
    let parameter = |parameter: &Parameter| {
        let default = parameter.value(&Params::TOURNAMENT).unwrap_or_default();
        let Parameter { name, meaning, .. } = parameter;
        format!("  {name:<18} {meaning}\n{:21}{}; tournament: {default}\n", "", parameter.valid())
    };
    SETTINGS
        .into_iter()
        .map(line)
        .chain(["\nParameters of the search, behind a preset (tournament,burst=1,lcb-z=0):\n".into()])
        .chain(PARAMETERS.iter().map(parameter))
        .collect()
}

/// The defaults of a setting where platforms differ, like ` (Botzone: 8; else 10)`.
fn defaults_of(setting: &str) -> String {
    let usual = Conditions::DESKTOP.of_setting(setting);
    let own = PLATFORMS.iter().filter_map(|platform| {
        let default = platform.defaults.of_setting(setting).filter(|own| Some(own) != usual.as_ref())?;
        Some(format!("{}: {default}", platform.name))
    });
    let mut defaults = own.collect::<Vec<_>>().join(", ");
    if !defaults.is_empty() {
        let usual = usual.map_or(String::new(), |usual| format!("; else {usual}"));
        defaults = format!(" ({defaults}{usual})");
    }
    defaults
}

/// Moves that `analyze` lists unless `--lines` says otherwise: with them its output fits 24 rows.
const DEFAULT_LINES: usize = 6;

/// What the program is asked to do.
#[derive(Clone, Copy, Default, Debug)]
pub enum Command {
    /// Find out which platform speaks, and play.
    #[default]
    Detect,
    /// Play on this platform from the first line on.
    Serve(&'static Platform),
    /// Behaviour checksum and speed.
    Bench,
    /// Count the move sequences of a length.
    Perft,
    /// Search a position and show what was found.
    Analyze,
    /// Play against a person in the terminal.
    Play,
    /// What can be done and set.
    Help,
    /// Name and version.
    Version,
}

/// The whole command line.
#[derive(Clone, Default, Debug)]
pub struct CommandLine {
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
    /// True if one of them is on the command line, and not in the file.
    pub is_mistyped: bool,
    /// What was changed to something that this machine can do, which hinders no command.
    pub remarks: Vec<String>,
}

impl CommandLine {
    /// Reads the configuration file beside the executable, then the command line.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let mut options = Self { lines: DEFAULT_LINES, ..Self::default() };
        let beside = || Some(std::env::current_exe().ok()?.parent()?.join("otrera.toml"));
        if !BOTZONE_ONLY && let Some(path) = beside() {
            options.settings.read_file(&path, &mut options.problems);
        }
        let in_file = options.problems.len();
        options.take_all(arguments);
        options.is_mistyped = options.problems.len() > in_file;
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
                        // Its value in `--name=value` is no other mistake.
                        let _ = parser.optional_value();
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

    /// Takes an option with its value, or a word.
    fn take(&mut self, argument: OwnedArg, parser: &mut Parser) -> Result<(), String> {
        let mut value = || -> Result<String, String> {
            parser.value().and_then(|value| value.string()).map_err(|error| error.to_string())
        };
        let flag = match argument {
            OwnedArg::Flag(flag) => flag,
            OwnedArg::Word(word) if word == "resume" && matches!(self.command, Command::Detect) => {
                let file = value().map_err(|_| "resume needs a file: a record, or moves")?;
                self.settings.resume = Some(file.into());
                return Ok(());
            }
            OwnedArg::Word(word) => return self.take_word(&word),
        };
        match flag.as_str() {
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
                let known = SETTINGS.iter().find(|(name, ..)| flag.strip_prefix("--") == Some(name));
                let (name, ..) = known.ok_or_else(|| {
                    let options = SETTINGS.iter().map(|(name, ..)| *name).chain(OWN_OPTIONS);
                    format!("unknown option {flag}; {}", suggestion(flag, "--", options))
                })?;
                let value = value()?;
                let set = self.settings.set(name, &value);
                set.map_err(|valid| format!("{flag} {value}: {valid}"))?;
            }
        }
        Ok(())
    }

    /// A word that is no option: the command, or perft's depth.
    fn take_word(&mut self, word: &str) -> Result<(), String> {
        match (&self.command, word) {
            (Command::Detect, word) => self.command = command(word).ok_or_else(|| unexpected(word))?,
            (Command::Perft, depth) if self.depth.is_none() => {
                self.depth = Some(named("perft's depth", number(depth, 0, 20))? as u32);
            }
            (Command::Help | Command::Version, _) => {}
            _ => return Err(unexpected(word)),
        }
        Ok(())
    }
}

/// The commands by name; platforms may have one too.
fn commands() -> impl Iterator<Item = (&'static str, Command)> {
    let own = [
        ("bench", Command::Bench),
        ("perft", Command::Perft),
        ("analyze", Command::Analyze),
        ("analyse", Command::Analyze),
        ("play", Command::Play),
        ("help", Command::Help),
    ];
    let of_platform = |platform: &&'static Platform| Some((platform.command?.0, Command::Serve(platform)));
    own.into_iter().chain(PLATFORMS.iter().filter_map(of_platform))
}

/// The command of this name.
fn command(name: &str) -> Option<Command> {
    commands().find(|(known, _)| *known == name).map(|(_, command)| command)
}

/// The options beside [`SETTINGS`].
const OWN_OPTIONS: [&str; 10] =
    ["help", "version", "parts", "fen", "moves", "record", "game", "ply", "time", "lines"];

fn unexpected(word: &str) -> String {
    let names = commands().map(|(name, _)| name).chain(["resume"]);
    format!("unexpected argument {word}; {}", suggestion(word, "", names))
}

/// Where to look after an unknown word, and the nearest of these, behind `dashes`, where it is likely to be meant.
fn suggestion(word: &str, dashes: &str, known: impl Iterator<Item = &'static str>) -> String {
    let bare = word.strip_prefix(dashes).unwrap_or(word);
    let nearest = known.map(|name| (edits(bare, name), name)).min();
    // Two letters in the wrong order are two edits.
    match nearest.filter(|(edits, name)| *edits <= 2 && edits * 2 <= name.len()) {
        Some((_, name)) => format!("did you mean {dashes}{name}? See otrera --help"),
        None => "see otrera --help".into(),
    }
}

/// The Levenshtein distance of two words.
fn edits(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (number, letter) in (1..).zip(from.chars()) {
        let mut next = vec![number];
        for (pair, other) in row.windows(2).zip(to.chars()) {
            let (&[diagonal, above], Some(&left)) = (pair, next.last()) else { continue };
            next.push((diagonal + usize::from(letter != other)).min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// Says which argument a value was for.
fn named<T>(name: &str, result: Result<T, String>) -> Result<T, String> {
    result.map_err(|valid| format!("{name}: {valid}"))
}

/// An argument that no longer borrows the parser, from which its value may have to be read.
enum OwnedArg {
    /// With its dashes.
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
