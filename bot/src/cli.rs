//! The command line: commands, options and help pages.

use crate::options::{COMMAND_OPTIONS, CommandOptions, read_file};
use crate::platforms::PLATFORMS;
use lexopt::{Arg, Parser, ValueExt};
use otrera::mgpeo::{self, PaperParams};
use otrera::parameter::Parameter;
use otrera::search::params::TournamentParams;
use otrera::{Params, search};
use otrera_front::platform::Platform;
use otrera_front::settings::{OptionRow, Page, SETTINGS, Settings, number};
use otrera_front::setup::Setup;
use std::ffi::OsString;
use std::path::Path;

/// Width of a help page in columns.
const WIDTH: usize = 80;

/// A command of the program.
#[derive(Clone, Copy, Default, Debug)]
pub enum Command {
    /// Detect the platform and play on it.
    #[default]
    Detect,
    /// Play on this platform, without detection.
    Platform(&'static Platform),
    /// Speak UCI to the guardian that has started this process.
    Searcher,
    /// Print the speed and the checksum of the search in a fixed benchmark.
    Bench,
    /// Count the legal move sequences of [`CommandLine::depth`] plies.
    Perft,
    /// Search a position.
    Analyze,
    /// Play against a person in the terminal.
    Play,
    /// Serve the web page to a browser on this computer.
    Gui,
    /// Answer requests on standard input.
    Serve,
    /// Print a help page, or the overview.
    Help(Option<Page>),
    /// Print the program's name and version.
    Version,
}

/// The parsed command line, merged with `otrera.toml`.
#[derive(Clone, Default, Debug)]
pub struct CommandLine {
    /// Command to run.
    pub command: Command,
    /// General options, from `otrera.toml` and the command line.
    pub settings: Settings,
    /// Command-specific options, from the command line only.
    pub own: CommandOptions,
    /// Depth argument of `perft`, in plies; `None` if it is missing.
    pub depth: Option<u32>,
    /// Messages about invalid commands, arguments and options.
    pub problems: Vec<String>,
    /// True if the command line itself is invalid; problems in `otrera.toml` do not count.
    pub is_mistyped: bool,
    /// Messages about option values reduced to this machine's limits; not errors.
    pub remarks: Vec<String>,
}

/// Commands that do not select a platform: help page, command, argument placeholder (or empty), description in help.
const COMMANDS: [(Page, Command, &str, &str); 6] = [
    (Page::Play, Command::Play, "", "play against the engine in the terminal"),
    (Page::Gui, Command::Gui, "", "play and analyse in a browser"),
    (Page::Analyze, Command::Analyze, "", "search a position: owners of the squares, best moves"),
    (Page::Serve, Command::Serve, "", "answer requests of other programs in lines of JSON"),
    (Page::Bench, Command::Bench, "", "print the speed and a checksum of the search"),
    (Page::Perft, Command::Perft, "DEPTH", "count the legal sequences of DEPTH moves"),
];

/// Command that resumes a game on the SAU platform, and its description.
const RESUME: (&str, &str) = ("resume", "SAU: resume the game of a record");

const FEN_NOTE: &str = "
FEN as in Fairy-Stockfish, whose White is our Black: Q a black amazon, q a white
one, * an arrow, 3 three empty squares; w: Black to move. The start on 10x10:
3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1
";

/// A command as the manual describes it.
pub struct Described {
    /// Name of the command.
    pub name: &'static str,
    /// Placeholder of its argument; empty without one.
    pub argument: &'static str,
    /// Description.
    pub meaning: &'static str,
    /// Name, placeholder (empty for a flag) and description of each option.
    pub options: Vec<(&'static str, &'static str, &'static str)>,
}

/// Lists all commands with their options, for man pages and shell completions.
pub fn reference() -> Vec<Described> {
    let options = |page: Page| {
        let own = COMMAND_OPTIONS.iter().filter(|row| row.pages.contains(&page)).map(parts);
        own.chain(SETTINGS.iter().filter(|row| row.pages.contains(&page)).map(parts)).collect()
    };
    let own = COMMANDS.iter().map(|&(page, _, argument, meaning)| (page, page.name(), argument, meaning));
    let of_platforms = PLATFORMS.iter().filter_map(|platform| {
        let (name, meaning) = platform.command?;
        Some((page_of(platform)?, name, "", meaning))
    });
    let resume = (Page::Sau, RESUME.0, "FILE", RESUME.1);
    let commands = own.chain(of_platforms).chain([resume]).map(|(page, name, argument, meaning)| {
        let options = options(page);
        Described { name, argument, meaning, options }
    });
    commands.collect()
}

fn parts<T>(row: &OptionRow<T>) -> (&'static str, &'static str, &'static str) {
    (row.name, row.value, row.help)
}

/// Formats the overview page of `otrera --help`.
pub fn help() -> String {
    let speakers = PLATFORMS.iter().map(|platform| platform.speaker).collect::<Vec<_>>().join(", ");
    let own = COMMANDS.map(|(page, _, _, meaning)| (page.name(), meaning));
    let of_platforms = PLATFORMS.iter().filter_map(|platform| platform.command);
    let resume = ("resume FILE", RESUME.1);
    let commands: String = (own.into_iter().chain(of_platforms).chain([resume]))
        .map(|(name, meaning)| format!("  otrera {name:<13}{meaning}\n"))
        .collect();
    let topics: Vec<&str> = PLATFORMS.iter().filter_map(|platform| Some(page_of(platform)?.name())).collect();
    format!(
        "\
Otrera plays the Game of the Amazons.

Without a command, it detects the platform from the first line of input:
{speakers}.

Commands:
{commands}
More help:
  otrera COMMAND --help      arguments and options of a command
  otrera --help PLATFORM     options on a platform: {}
  otrera --help parameters   search parameters for --preset
  otrera --version

otrera.toml beside the program sets the same options, as lines `name = value`.
",
        topics.join(", ")
    )
}

/// Formats a help page of a command, a platform or the search parameters; without a page, the overview.
pub fn help_on(page: Option<Page>) -> String {
    let Some(page) = page else { return help() };
    let usage = |usage: &str, meaning: &str| format!("{meaning}\nUsage: otrera {usage}[OPTIONS]\n");
    if page == Page::Parameters {
        return parameters_help();
    }
    if let Some((_, _, argument, meaning)) = COMMANDS.iter().find(|(own, ..)| *own == page) {
        let name = page.name();
        let argument = if argument.is_empty() { String::new() } else { format!("{argument} ") };
        let defaults = CommandOptions::default();
        let own = options_help(COMMAND_OPTIONS, page, |name| defaults.shown(name));
        let note = if own.contains("--fen") { FEN_NOTE } else { "" };
        let heading = usage(&format!("{name} {argument}"), &format!("otrera {name}: {meaning}"));
        return heading + &own + &settings_help(page, Setup::DESKTOP) + note;
    }
    match PLATFORMS.iter().find(|platform| page_of(platform) == Some(page)) {
        Some(platform) => {
            let command = platform.command.map_or(String::new(), |(name, _)| format!("{name} "));
            let first = platform.defaults.first_move_time.map(|time| time.as_secs_f64());
            let first = first.map_or(String::new(), |time| format!("; {time} s for the first turn"));
            let meaning = format!("otrera on {}, with the platform's defaults{first}", platform.name);
            usage(&command, &meaning) + &settings_help(page, platform.defaults)
        }
        None => help(),
    }
}

/// Formats the settings of a help page with their values in force by default.
fn settings_help(page: Page, setup: Setup) -> String {
    let filled = setup.fill(&Settings::default());
    options_help(SETTINGS, page, |name| filled.shown(name))
}

/// Formats the options of a help page, one per line, with the default value if there is one. A flag is off by default.
fn options_help<T>(rows: &[OptionRow<T>], page: Page, default: impl Fn(&str) -> Option<String>) -> String {
    let line = |row: &OptionRow<T>| {
        let default = default(row.name).filter(|_| !row.value.is_empty());
        let default = default.map_or(String::new(), |default| format!(" ({default})"));
        format!("  {:<24}{}{default}\n", format!("--{} {}", row.name, row.value), row.help)
    };
    rows.iter().filter(|row| row.pages.contains(&page)).map(line).collect()
}

fn parameters_help() -> String {
    let names: Vec<&str> = Params::NAMED.iter().map(|(name, _)| *name).collect();
    let names = names.join(", ");
    let heading = "Search parameters follow a preset: --preset tournament,c=3,lcb-z=0";
    let tournament = rows(search::params::PARAMETERS, &TournamentParams::DEFAULT);
    let paper = rows(mgpeo::PARAMETERS, &PaperParams::PAPER);
    format!(
        "{heading}\nPresets: {names}\n\nParameters and values (tournament's):\n{tournament}\nParameters of the other \
         presets (paper's):\n{paper}"
    )
}

/// Formats the parameters of a table, with their values in `params`.
fn rows<P: Clone>(table: &[Parameter<P>], params: &P) -> String {
    let shown = table.iter().filter(|parameter| !parameter.for_laboratory);
    let paragraph = |parameter: &Parameter<P>| {
        let value = parameter.value(params).unwrap_or_default();
        let text = format!("{}: {} ({value})", parameter.meaning, parameter.valid());
        wrapped(&format!("  {:<10}", parameter.name), &text)
    };
    shown.map(paragraph).collect()
}

/// Formats `label` and `text`, wrapped at [`WIDTH`] columns with a hanging indent as wide as `label`.
fn wrapped(label: &str, text: &str) -> String {
    let mut lines = vec![label.to_owned()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= WIDTH => *line += &format!(" {word}"),
            _ => lines.push(format!("{:width$} {word}", "", width = label.len())),
        }
    }
    lines.join("\n") + "\n"
}

impl CommandLine {
    /// Reads `otrera.toml` beside the executable and then the command line; collects problems instead of failing.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let mut options = Self::default();
        let beside = || Some(std::env::current_exe().ok()?.parent()?.join("otrera.toml"));
        if let Some(path) = beside() {
            read_file(&mut options.settings, &path, &mut options.problems);
        }
        let in_file = options.problems.len();
        options.take_all(arguments);
        options.is_mistyped = options.problems.len() > in_file;
        options.remarks.extend(options.settings.cap_threads());
        options
    }

    fn take_all(&mut self, arguments: impl IntoIterator<Item = OsString>) {
        let mut parser = Parser::from_args(arguments);
        let mut used = Vec::new();
        loop {
            let argument = match parser.next() {
                Ok(None) => return self.check_used(&used),
                Ok(Some(Arg::Short(letter))) => Ok(format!("-{letter}")),
                Ok(Some(Arg::Long(name))) => Ok(format!("--{name}")),
                Ok(Some(Arg::Value(word))) => Err(word.to_string_lossy().into_owned()),
                Err(error) => {
                    self.problems.push(error.to_string());
                    continue;
                }
            };
            let outcome = match argument {
                Ok(flag) => self.take_flag(&flag, &mut parser, &mut used),
                Err(word) => self.take_word(&word, &mut parser),
            };
            if let Err(problem) = outcome {
                self.problems.push(problem);
                // Skips the value in `--name=value`, so that it is not reported as a second problem.
                let _ = parser.optional_value();
            }
        }
    }

    fn take_flag(&mut self, flag: &str, parser: &mut Parser, used: &mut Vec<Used>) -> Result<(), String> {
        let name = flag.strip_prefix("--").unwrap_or_default();
        if let Some(row) = SETTINGS.iter().find(|row| row.name == name) {
            used.push((row.name, row.pages));
            return set(row, &mut self.settings, parser);
        }
        if let Some(row) = COMMAND_OPTIONS.iter().find(|row| row.name == name) {
            used.push((row.name, row.pages));
            return set(row, &mut self.own, parser);
        }
        match flag {
            "-h" | "--help" => self.command = Command::Help(self.page()),
            "-V" | "--version" => self.command = Command::Version,
            _ => {
                skip_value(parser);
                let own = COMMAND_OPTIONS.iter().map(|row| row.name);
                let known = SETTINGS.iter().map(|row| row.name).chain(own).chain(["help", "version"]);
                return Err(unknown("option", flag, known));
            }
        }
        Ok(())
    }

    /// Handles a word that is not an option: a command or its argument.
    fn take_word(&mut self, word: &str, parser: &mut Parser) -> Result<(), String> {
        match (self.command, word) {
            (Command::Detect, "resume") => match value_of(parser) {
                Ok(page) if page == "--help" || page == "-h" => self.command = Command::Help(Some(Page::Sau)),
                Ok(file) => self.settings.resume = Some(file.into()),
                Err(_) => return Err("resume needs a file with a record or moves".into()),
            },
            (Command::Detect, word) => {
                let found = commands().find(|(name, _)| *name == word);
                let known = commands().map(|(name, _)| name).chain(["resume"]);
                self.command = found.ok_or_else(|| unknown("command", word, known))?.1;
            }
            (Command::Perft, depth) if self.depth.is_none() => {
                let number =
                    number(depth, 0, 20).map_err(|valid| format!("perft's depth {depth}: {valid}"))?;
                self.depth = Some(number as u32);
            }
            (Command::Help(None), topic) => {
                let page = Page::named(topic).filter(|page| pages().any(|known| known == *page));
                let known = pages().map(Page::name);
                self.command = Command::Help(Some(page.ok_or_else(|| unknown("help page", topic, known))?));
            }
            (Command::Help(_) | Command::Version, _) => {}
            _ => return Err(format!("unexpected argument {word}; see otrera --help")),
        }
        Ok(())
    }

    /// Returns the command's help page; `None` for the overview.
    fn page(&self) -> Option<Page> {
        let own = COMMANDS.iter().find(|(_, command, ..)| {
            std::mem::discriminant(command) == std::mem::discriminant(&self.command)
        });
        match (own, self.command) {
            (Some((page, ..)), _) => Some(*page),
            (_, Command::Platform(platform)) => page_of(platform),
            _ => None,
        }
    }

    /// Adds a problem for each option in `used` that has no effect: the command ignores it, or a level of play does.
    /// Without a command, any platform may use it.
    fn check_used(&mut self, used: &[Used]) {
        let page = self.page();
        let has_effect = |pages: &[Page]| match self.command {
            Command::Help(_) | Command::Version => true,
            Command::Detect => {
                PLATFORMS.iter().filter_map(|platform| page_of(platform)).any(|on| pages.contains(&on))
            }
            _ => page.is_some_and(|page| pages.contains(&page)),
        };
        let is_used = |name: &&&str| used.iter().any(|(other, _)| other == *name);
        if self.own.level.is_some()
            && let Some(name) = ["time", "move-time", "iterations"].iter().find(is_used)
        {
            self.problems.push(format!("--level cannot be combined with --{name}"));
        }
        let foreign = used.iter().filter(|(_, pages)| !has_effect(pages));
        let names = |pages: &[Page]| pages.iter().map(|page| page.name()).collect::<Vec<_>>().join(", ");
        let problems = foreign.map(|(name, pages)| format!("--{name} is for {}", names(pages)));
        self.problems.extend(problems);
    }
}

/// An option given on the command line: its name, and the help pages that list it.
type Used = (&'static str, &'static [Page]);

/// Reads the value of an option from the command line and sets the option.
fn set<T>(row: &OptionRow<T>, options: &mut T, parser: &mut Parser) -> Result<(), String> {
    let value = if row.value.is_empty() { String::new() } else { value_of(parser)? };
    (row.set)(options, &value, Path::new("")).map_err(|valid| format!("--{} {value}: {valid}", row.name))
}

fn value_of(parser: &mut Parser) -> Result<String, String> {
    parser.value().and_then(|value| value.string()).map_err(|error| error.to_string())
}

/// Skips the presumed value of an unknown option: the next word, unless that word is a command or an option.
fn skip_value(parser: &mut Parser) {
    let is_value = |word: &OsString| {
        word.to_str().is_none_or(|word| !word.starts_with('-') && commands().all(|(name, _)| name != word))
    };
    if parser.optional_value().is_none()
        && let Ok(mut rest) = parser.raw_args()
    {
        let _ = rest.next_if(|word| is_value(&word.to_owned()));
    }
}

/// Lists all command words with their commands: [`COMMANDS`], the platforms' commands, and aliases.
fn commands() -> impl Iterator<Item = (&'static str, Command)> {
    let own = COMMANDS.into_iter().map(|(page, command, ..)| (page.name(), command));
    let of_platform = |platform: &&'static Platform| Some((platform.command?.0, Command::Platform(platform)));
    let others =
        [("analyse", Command::Analyze), ("help", Command::Help(None)), ("searcher", Command::Searcher)];
    own.chain(PLATFORMS.iter().filter_map(of_platform)).chain(others)
}

/// Lists the help pages that this build has.
fn pages() -> impl Iterator<Item = Page> {
    let of_platforms = PLATFORMS.iter().filter_map(|platform| page_of(platform));
    COMMANDS.into_iter().map(|(page, ..)| page).chain(of_platforms).chain([Page::Parameters])
}

/// Returns the help page of a platform, which has its name.
fn page_of(platform: &Platform) -> Option<Page> {
    Page::named(platform.name)
}

/// Formats the error for an unknown word; suggests the most similar word of `known`, if close enough, and `--help`.
fn unknown(kind: &str, word: &str, known: impl Iterator<Item = &'static str>) -> String {
    let dashes = if kind == "option" { "--" } else { "" };
    let bare = word.strip_prefix(dashes).unwrap_or(word);
    let nearest = known.map(|name| (edits(bare, name), name)).min();
    // Two swapped letters are two edits.
    let hint = match nearest.filter(|(edits, name)| *edits <= 2 && edits * 2 <= name.len()) {
        Some((_, name)) => format!("did you mean {dashes}{name}? See otrera --help"),
        None => "see otrera --help".into(),
    };
    format!("unknown {kind} {word}; {hint}")
}

/// Returns the Levenshtein distance between two words.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_help_page_fits_a_terminal() {
        for page in pages().map(Some).chain([None]) {
            let text = help_on(page);
            assert!(text.lines().count() <= 24, "{page:?}: {} lines\n{text}", text.lines().count());
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{page:?}:\n{text}");
        }
    }

    #[test]
    fn an_unknown_option_takes_the_next_word_as_its_value_unless_it_is_a_command_or_an_option() {
        for (words, left) in [
            (&["--colour", "red", "bench"][..], "bench"),
            (&["--colour=red", "bench"], "bench"),
            (&["--colour", "bench"], "bench"),
            (&["--colour", "--seed"], "--seed"),
        ] {
            let mut parser = Parser::from_args(words);
            assert!(parser.next().is_ok_and(|option| option.is_some()));
            skip_value(&mut parser);
            let rest: Vec<OsString> = parser.raw_args().into_iter().flatten().collect();
            assert_eq!(rest, [left], "{words:?}");
        }
    }

    #[test]
    fn every_page_has_options_or_parameters() {
        assert!(PLATFORMS.iter().all(|platform| page_of(platform).is_some()));
        assert!(pages().eq(Page::ALL), "a page without a command or platform");
        for page in Page::ALL {
            assert!(help_on(Some(page)).lines().any(|line| line.starts_with("  ")), "{page:?}");
        }
    }
}
