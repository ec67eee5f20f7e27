//! `otrera play`: a game against a person in the terminal.
//!
//! The record is written after every move and its path told at once, so that nothing is lost by Ctrl-C.

use crate::board::{self, Colours};
use crate::cli::CommandLine;
use crate::conditions::Conditions;
use crate::options::Settings;
use crate::records::RecordFile;
use crate::session::Game;
use otrera::{Move, Report, Side};
use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How long the engine thinks about a move when nothing is said.
const DEFAULT_TIME: Duration = Duration::from_secs(2);

const HELP: &str = "\
Type a move as from, to and arrow, like d1-d7/g7 or d1d7g7, or one of:
  hint     what the engine would play for you
  undo     take back your last move and the answer to it
  resign   give the game up
  quit     leave (or Ctrl-C); the record is kept
  help     this text
";

/// How a game ended.
enum End {
    Won(Side),
    Resigned(Side),
    Left,
}

/// Runs the command.
pub fn run(options: &CommandLine) -> Result<(), String> {
    let start = crate::given::start(options)?;
    let settings = &options.settings;
    settings.check_board(start.size())?;
    let person = settings.side.unwrap_or(Side::Black);
    let engine = settings.name.as_str();
    let names = if person == Side::Black { ["You", engine] } else { [engine, "You"] };
    let folder = settings.record_dir.as_deref().unwrap_or(Path::new("records"));
    let record = RecordFile::new(folder, names, settings, &start);
    let game = Game::new(settings, Conditions::DESKTOP, start);
    let colours = Colours::of_output();
    let mut table = Table { game, record, told: false, settings, person, colours };
    let [letter, mover] = if person == Side::Black { ["B", "first"] } else { ["W", "second"] };
    crate::print(&format!(
        "You play {person}. On the board {person} is {letter} and moves {mover}.
{HELP}"
    ))?;
    let end = table.play(&mut std::io::stdin().lock())?;
    let winner = match end {
        End::Won(side) => {
            table.show_board()?;
            crate::print(&format!("{side} has won.\n"))?;
            Some(side)
        }
        End::Resigned(side) => {
            crate::print(&format!("{side} resigns.\n"))?;
            Some(side.opponent())
        }
        End::Left => None,
    };
    table.save(winner)
}

struct Table<'a> {
    game: Game,
    record: RecordFile,
    /// Whether the person was told where the record is, or why there is none.
    told: bool,
    settings: &'a Settings,
    person: Side,
    colours: Colours,
}

impl Table<'_> {
    fn play(&mut self, input: &mut impl BufRead) -> Result<End, String> {
        loop {
            if let Some(winner) = self.game.position().winner() {
                return Ok(End::Won(winner));
            }
            if self.game.position().side() != self.person {
                self.engine_moves()?;
                continue;
            }
            self.show_board()?;
            if let Some(end) = self.person_moves(input)? {
                return Ok(end);
            }
        }
    }

    /// The board, with the last move marked.
    fn show_board(&self) -> Result<(), String> {
        let last = self.game.moves().last().copied();
        crate::print(&format!("\n{}", board::position(self.game.position(), last, self.colours)))
    }

    /// Thinks; on a terminal that is said as long as it lasts.
    fn think(&mut self) -> Result<Report, String> {
        let waits = std::io::stdout().is_terminal();
        let notice = format!("{} thinks ...", self.settings.name);
        if waits {
            crate::print(&notice)?;
        }
        let time = self.settings.move_time.unwrap_or(DEFAULT_TIME);
        let report = self.game.think(Some(Instant::now() + time), &AtomicBool::new(false));
        if waits {
            crate::print(&format!("\r{:width$}\r", "", width = notice.len()))?;
        }
        Ok(report)
    }

    fn engine_moves(&mut self) -> Result<(), String> {
        let report = self.think()?;
        let Some(mv) = report.best else { return Ok(()) };
        self.advance(mv)?;
        let rate = report.best_rate();
        crate::print(&format!("{} plays {mv} (its winning rate {rate})\n", self.settings.name))
    }

    /// Reads commands until a move was made or taken back; the end of the game if that is what was typed.
    fn person_moves(&mut self, input: &mut impl BufRead) -> Result<Option<End>, String> {
        loop {
            crate::print("your move> ")?;
            let mut bytes = Vec::new();
            if input.read_until(b'\n', &mut bytes).map_err(|error| error.to_string())? == 0 {
                crate::print("\n")?;
                return Ok(Some(End::Left));
            }
            match String::from_utf8_lossy(&bytes).trim().to_ascii_lowercase().as_str() {
                "" => {}
                "help" | "?" => crate::print(HELP)?,
                "quit" | "exit" => return Ok(Some(End::Left)),
                "resign" => return Ok(Some(End::Resigned(self.person))),
                "hint" => {
                    let report = self.think()?;
                    let mv = report.best.map_or("nothing".into(), |mv| mv.to_string());
                    crate::print(&format!("{mv} (winning rate {})\n", report.best_rate()))?;
                }
                "undo" if self.game.moves().len() >= 2 => {
                    self.undo()?;
                    return Ok(None);
                }
                "undo" => crate::print("there is no move of yours to take back\n")?,
                text => match self.checked(text) {
                    Ok(mv) => {
                        self.advance(mv)?;
                        return Ok(None);
                    }
                    Err(problem) => crate::print(&format!("{problem}\n"))?,
                },
            }
        }
    }

    /// The move that was typed, if it may be played.
    fn checked(&self, text: &str) -> Result<Move, String> {
        let mv: Move = text.parse().map_err(|error| format!("{error} (or help)"))?;
        self.game.position().check(mv).map_err(|error| format!("not legal: {error}"))?;
        Ok(mv)
    }

    fn advance(&mut self, mv: Move) -> Result<(), String> {
        self.game.advance(mv);
        self.keep_record()
    }

    /// Takes back the engine's last move and the person's before it.
    fn undo(&mut self) -> Result<(), String> {
        self.game.take_back();
        self.game.take_back();
        self.keep_record()
    }

    /// Writes the game as it stands; the first time it is told where to, or why that is impossible.
    fn keep_record(&mut self) -> Result<(), String> {
        let written = self.record.write(self.game.moves(), None);
        if std::mem::replace(&mut self.told, true) {
            return Ok(());
        }
        match written {
            Ok(path) => crate::print(&format!("Record, written after every move: {}\n", path.display())),
            Err(problem) => crate::print(&format!("{problem}\n")),
        }
    }

    /// Writes the finished game, if any move was ever made.
    fn save(&mut self, winner: Option<Side>) -> Result<(), String> {
        if !self.told {
            return Ok(());
        }
        let path = self.record.write(self.game.moves(), winner)?;
        crate::print(&format!("Record: {}\n", path.display()))
    }
}
