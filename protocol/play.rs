//! `otrera play`: a game against a person in the terminal.

use crate::options::{Options, Settings};
use crate::records::RecordFile;
use crate::session::{Defaults, Game};
use otrera::{Move, Side};
use std::io::BufRead;
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
  quit     leave; the record is kept
  help     this text
";

/// How a game ended.
enum End {
    Won(Side),
    Resigned(Side),
    Left,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<(), String> {
    let start = crate::requested_position(options)?;
    let settings = &options.settings;
    let mut names = ["You", "You"];
    let person = settings.side.unwrap_or(Side::Black);
    if let Some(name) = names.get_mut(person.opponent().index()) {
        *name = &settings.name;
    }
    let folder = settings.record_dir.as_deref().unwrap_or(Path::new("records"));
    let record = RecordFile::new(folder, names, settings, &start);
    let game = Game::new(settings, Defaults::desktop(), start);
    let mut table = Table { game, record, settings, person };
    crate::print(&format!("You play {person}. {HELP}"))?;
    let end = table.play(&mut std::io::stdin().lock())?;
    let winner = match end {
        End::Won(side) => {
            crate::print(&format!("\n{}{side} has won.\n", table.game.position()))?;
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
    settings: &'a Settings,
    person: Side,
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
            crate::print(&format!("\n{}", self.game.position()))?;
            if let Some(end) = self.person_moves(input)? {
                return Ok(end);
            }
        }
    }

    fn think(&mut self) -> otrera::Report {
        let time = self.settings.move_time.unwrap_or(DEFAULT_TIME);
        self.game.think(Some(Instant::now() + time), &AtomicBool::new(false))
    }

    fn engine_moves(&mut self) -> Result<(), String> {
        let report = self.think();
        let Some(mv) = report.best else { return Ok(()) };
        self.advance(mv);
        crate::print(&format!("\n{} plays {mv} (its winning rate {})\n", self.settings.name, report.win_rate))
    }

    /// Reads commands until a move was made or taken back; the end of the game if that is what was typed.
    fn person_moves(&mut self, input: &mut impl BufRead) -> Result<Option<End>, String> {
        loop {
            crate::print("your move> ")?;
            let mut bytes = Vec::new();
            if input.read_until(b'\n', &mut bytes).map_err(|error| error.to_string())? == 0 {
                return Ok(Some(End::Left));
            }
            match String::from_utf8_lossy(&bytes).trim().to_ascii_lowercase().as_str() {
                "" => {}
                "help" | "?" => crate::print(HELP)?,
                "quit" | "exit" => return Ok(Some(End::Left)),
                "resign" => return Ok(Some(End::Resigned(self.person))),
                "hint" => {
                    let report = self.think();
                    let mv = report.best.map_or("nothing".into(), |mv| mv.to_string());
                    crate::print(&format!("{mv} (winning rate {})\n", report.win_rate))?;
                }
                "undo" if self.undo() => return Ok(None),
                "undo" => crate::print("there is no move of yours to take back\n")?,
                text => match self.play_typed(text) {
                    Ok(()) => return Ok(None),
                    Err(problem) => crate::print(&format!("{problem}\n"))?,
                },
            }
        }
    }

    fn play_typed(&mut self, text: &str) -> Result<(), String> {
        let mv: Move = text.parse().map_err(|error| format!("{error} (or help)"))?;
        self.game.position().check(mv).map_err(|error| format!("not legal: {error}"))?;
        self.advance(mv);
        Ok(())
    }

    /// Plays a move and writes the record, which is there even if the program is killed.
    fn advance(&mut self, mv: Move) {
        self.game.advance(mv);
        // That it cannot be written is told when the game is over.
        let _ = self.record.write(&self.game, None);
    }

    /// Takes back the engine's last move and the person's before it.
    fn undo(&mut self) -> bool {
        if self.game.moves().len() < 2 {
            return false;
        }
        self.game.take_back();
        self.game.take_back();
        true
    }

    fn save(&mut self, winner: Option<Side>) -> Result<(), String> {
        if self.game.moves().is_empty() {
            return Ok(());
        }
        let path = self.record.write(&self.game, winner)?;
        crate::print(&format!("Record: {}\n", path.display()))
    }
}
