//! `otrera play`: a game against a person in the terminal.
//!
//! The record is written after every move, so Ctrl-C loses no move. The first write prints the record's path, a later one
//! that fails prints the error.

use crate::analyze::Progress;
use crate::board::{self, Colours};
use crate::cli::CommandLine;
use crate::records::{RecordFile, format_game, record_folder};
use otrera::{Level, Move, PlayedMove, Report, Side, record};
use otrera_front::files::{replace_file, require_new};
use otrera_front::session::{GameSearch, verdict};
use otrera_front::settings::{Settings, number};
use otrera_front::setup::Setup;
use std::io::BufRead;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Default thinking time for a move.
const DEFAULT_TIME: Duration = Duration::from_secs(2);

const HELP: &str = "\
Type a move as from, to and arrow, like d1-d7/g7 or DJDDGD, or one of:
  hint       suggest a move
  undo [N]   take back your last N moves and their answers (1)
  moves      list the moves of the game
  save FILE  write the game to a file that ends in .sgf, .json or .txt (CCGC)
  resign     resign the game
  quit       leave (or Ctrl-C); the record is kept
  help       show this text
";

/// Runs the command: plays one game on standard input and output.
pub fn run(options: &CommandLine) -> Result<(), String> {
    let start = crate::position::start(options)?;
    let settings = &options.settings;
    settings.check_board(start.size())?;
    let level = options.own.level;
    let person = settings.side.unwrap_or(Side::Black);
    let engine = level.map_or(settings.name.clone(), |level| format!("{} level {level}", settings.name));
    let names = if person == Side::Black { ["You", &engine] } else { [&engine, "You"] };
    let record = RecordFile::new(record_folder(settings), names, settings, &start);
    let record = if reads_chinese() { record } else { record.in_english() };
    let game = GameSearch::new(settings, Setup::DESKTOP, start);
    let colours = Colours::of_output();
    let time = options.own.time.or(settings.move_time).unwrap_or(DEFAULT_TIME);
    let (played, saved) = (Vec::new(), None);
    let mut table = Table { game, played, record, told: None, saved, settings, level, time, person, colours };
    let [letter, mover] = if person == Side::Black { ["B", "first"] } else { ["W", "second"] };
    let against = level.map_or(String::new(), |level| format!(" against level {level}"));
    otrera_front::io::print(&format!(
        "You play {person}{against}. On the board {person} is {letter} and moves {mover}.
{HELP}"
    ))?;
    let winner = table.play(&mut std::io::stdin().lock())?;
    table.finish(winner)
}

/// True if `LC_ALL`, `LC_MESSAGES` or `LANG` selects Chinese.
fn reads_chinese() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set);
    locale.is_some_and(|locale| locale.starts_with("zh"))
}

/// A game against a person in the terminal.
struct Table<'a> {
    game: GameSearch,
    /// Moves of the record. Moves taken back stay in the list until another move is played.
    played: Vec<PlayedMove>,
    record: RecordFile,
    /// True if the record was written after the latest move; `None` before the first move.
    told: Option<bool>,
    /// File written by the last `save`; a later `save` may overwrite this file.
    saved: Option<PathBuf>,
    settings: &'a Settings,
    /// Otrera's playing level; `None` for a full search within `time`. Hints ignore the level.
    level: Option<Level>,
    /// Thinking time for a move.
    time: Duration,
    person: Side,
    colours: Colours,
}

impl Table<'_> {
    /// Plays until the game ends or the person leaves; returns the winner, if any.
    fn play(&mut self, input: &mut impl BufRead) -> Result<Option<Side>, String> {
        loop {
            if let Some(winner) = self.game.position().winner() {
                self.show_board()?;
                otrera_front::io::print(&format!("{winner} has won.\n"))?;
                return Ok(Some(winner));
            }
            if self.game.position().side() != self.person {
                self.engine_moves()?;
                continue;
            }
            self.show_board()?;
            if let ControlFlow::Break(winner) = self.person_moves(input)? {
                return Ok(winner);
            }
        }
    }

    fn show_board(&self) -> Result<(), String> {
        let last = self.game.moves().last().copied();
        otrera_front::io::print(&format!("\n{}", board::position(self.game.position(), last, self.colours)))
    }

    /// Searches the position for `time` or the iterations in the settings; shows progress on a terminal.
    fn think(&mut self) -> Report {
        let thinks = format!("{} thinks ...", self.settings.name);
        let progress = Progress::begin(&thinks);
        let limits = self.game.limits(Some(Instant::now() + self.time));
        let report = self.game.search(&limits, &AtomicBool::new(false), &mut |report| {
            let seconds = report.elapsed.as_secs_f64();
            progress.show(&format!("{thinks} {seconds:.0} s, depth {}", report.depth));
        });
        progress.wipe();
        report
    }

    fn engine_moves(&mut self) -> Result<(), String> {
        let report = match self.level {
            Some(level) => self.game.think_at(level),
            None => self.think(),
        };
        let Some(mv) = report.best else { return Ok(()) };
        self.advance(PlayedMove {
            mv,
            time: report.elapsed,
            effort: Some(report.iterations),
            win_rate: Some(report.best_rate().0),
            lead: report.lead(),
        })?;
        // At a level, the win rate would be a hint; the web page hides it too.
        let rate = match self.level {
            Some(_) => String::new(),
            None => format!(" ({})", format_verdict(&report, "its win rate")),
        };
        otrera_front::io::print(&format!("{} plays {mv}{rate}\n", self.settings.name))
    }

    /// Reads commands until a move is played or taken back. Returns `Break` if the person resigns (with the winner) or
    /// leaves (with `None`).
    fn person_moves(&mut self, input: &mut impl BufRead) -> Result<ControlFlow<Option<Side>>, String> {
        loop {
            otrera_front::io::print("your move> ")?;
            let mut bytes = Vec::new();
            if input.read_until(b'\n', &mut bytes).map_err(|error| error.to_string())? == 0 {
                otrera_front::io::print("\n")?;
                return Ok(ControlFlow::Break(None));
            }
            let typed = String::from_utf8_lossy(&bytes);
            let (command, argument) = typed.trim().split_once(' ').unwrap_or((typed.trim(), ""));
            match (command.to_ascii_lowercase().as_str(), argument.trim()) {
                ("", _) => {}
                ("help" | "?", _) => otrera_front::io::print(HELP)?,
                ("quit" | "exit", _) => return Ok(ControlFlow::Break(None)),
                ("resign", _) => {
                    otrera_front::io::print(&format!("{} resigns.\n", self.person))?;
                    return Ok(ControlFlow::Break(Some(self.person.opponent())));
                }
                ("hint", _) => {
                    let report = self.think();
                    let mv = report.best.map_or("nothing".into(), |mv| mv.to_string());
                    otrera_front::io::print(&format!("{mv} ({})\n", format_verdict(&report, "win rate")))?;
                }
                ("moves", _) => otrera_front::io::print(&format_moves(self.game.moves()))?,
                ("save", file) => {
                    let done =
                        self.save(Path::new(file)).unwrap_or_else(|problem| format!("not saved: {problem}"));
                    otrera_front::io::print(&format!("{done}\n"))?;
                }
                ("undo", count) => match self.undo(count) {
                    Ok(taken) => {
                        otrera_front::io::print(&format!("taken back: {taken}\n"))?;
                        return Ok(ControlFlow::Continue(()));
                    }
                    Err(problem) => otrera_front::io::print(&format!("{problem}\n"))?,
                },
                _ => match self.parse_move(&typed) {
                    Ok(mv) => {
                        self.advance(mv.into())?;
                        return Ok(ControlFlow::Continue(()));
                    }
                    Err(problem) => otrera_front::io::print(&format!("{problem}\n"))?,
                },
            }
        }
    }

    /// Parses a legal move in any notation.
    fn parse_move(&self, text: &str) -> Result<Move, String> {
        record::read_move(text, self.game.position())
            .map_err(|problem| format!("{problem} (type help for the commands)"))
    }

    fn advance(&mut self, played: PlayedMove) -> Result<(), String> {
        self.played.truncate(self.game.moves().len());
        self.played.push(played);
        self.game.advance(played.mv);
        self.keep_record()
    }

    /// Takes back the person's last `count` moves (default 1) and Otrera's answers; returns these moves as text. The
    /// record keeps them until another move is played: resigning after `undo` records the whole game.
    fn undo(&mut self, count: &str) -> Result<String, String> {
        let available = self.game.moves().len() / 2;
        if available == 0 {
            return Err("you have no move to take back".into());
        }
        let count = if count.is_empty() { Ok(1) } else { number(count, 1, available as u64) };
        let count = count.map_err(|valid| format!("undo: {valid}"))?;
        let mut taken: Vec<Move> = (0..2 * count).map_while(|_| self.game.take_back()).collect();
        taken.reverse();
        Ok(taken.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }

    /// Saves the game in the format of the file's extension; returns a message for the person.
    fn save(&mut self, file: &Path) -> Result<String, String> {
        let game = self.played.get(..self.game.moves().len()).unwrap_or_default();
        if game.is_empty() {
            return Err("no move has been played yet".into());
        }
        let text = format_game(file, &self.record.game(game, None))?;
        if self.saved.as_deref() != Some(file) {
            require_new(file)?;
        }
        replace_file(file, text.as_bytes(), false).map_err(|error| format!("{}: {error}", file.display()))?;
        self.saved = Some(file.to_owned());
        Ok(format!("saved to {}", file.display()))
    }

    /// Writes the record. Prints the record's path or the error after the first move, and when one follows the other.
    fn keep_record(&mut self) -> Result<(), String> {
        let written = self.write_record(None);
        let told = Some(written.is_ok());
        if std::mem::replace(&mut self.told, told) == told {
            return Ok(());
        }
        match written {
            Ok(path) => {
                otrera_front::io::print(&format!("Record, written after every move: {}\n", path.display()))
            }
            Err(problem) => otrera_front::io::print(&format!("{problem}\n")),
        }
    }

    fn write_record(&mut self, winner: Option<Side>) -> Result<PathBuf, String> {
        let moves: Vec<Move> = self.played.iter().map(|played| played.mv).collect();
        self.record.write(&moves, winner)
    }

    /// Writes the record with the result and prints its path; does nothing if no move was played.
    fn finish(&mut self, winner: Option<Side>) -> Result<(), String> {
        if self.told.is_none() {
            return Ok(());
        }
        let path = self.write_record(winner)?;
        otrera_front::io::print(&format!("Record: {}\n", path.display()))
    }
}

/// Formats the proven result, or else the win rate after the label `rate`.
fn format_verdict(report: &Report, rate: &str) -> String {
    verdict(report).unwrap_or_else(|| format!("{rate} {}", report.best_rate()))
}

/// Formats the moves in numbered pairs, three per line.
fn format_moves(moves: &[Move]) -> String {
    if moves.is_empty() {
        return "no move has been played yet\n".into();
    }
    let pair = |(number, pair): (usize, &[Move])| {
        let moves: Vec<String> = pair.iter().map(ToString::to_string).collect();
        format!("{number:>3}. {:<21}", moves.join(" "))
    };
    let pairs: Vec<String> = (1..).zip(moves.chunks(2)).map(pair).collect();
    pairs.chunks(3).map(|line| format!("{}\n", line.concat().trim_end())).collect()
}
