//! UCI in Fairy-Stockfish's amazons dialect, for graphical interfaces and engine matches.
//!
//! The search runs in a thread of its own and this loop stays at the input. It also keeps the time: at the
//! deadline, at `stop` and before the next `go` it raises the flag of the search, waits for its end and sends
//! `bestmove`, so that every `go` is answered exactly once. `protocol/README.md` says what to expect when.

mod dialect;
mod timing;

use crate::io::{Disconnected, Event, Events, Output};
use crate::options::{self, Settings};
use crate::session::{self, Defaults, Game};
use crate::thought::Thought;
use dialect::{Command, Go, Shown};
use otrera::{Limits, Move, Params, Position, Report, Side, Size};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use timing::time_for;

/// What is held back from every time where the settings do not say, and the most that can be asked for, in
/// milliseconds.
const OVERHEAD: Duration = Duration::from_millis(10);
const MOST_OVERHEAD: u64 = (options::MOST_OVERHEAD * 1000.0) as u64;

/// The most lines of analysis that can be asked for.
const MOST_LINES: u64 = 500;

/// Whether a line is the greeting of this protocol.
pub fn recognises(line: &str) -> bool {
    line.trim() == "uci"
}

/// Speaks with the interface until `quit` or the end of input.
pub fn play(
    events: &mut Events,
    sender: Sender<Event>,
    output: &Output,
    settings: &Settings,
    problems: &[String],
) -> Result<(), Disconnected> {
    let mut engine = Engine::new(sender, output, settings, problems);
    loop {
        let event = match engine.deadline() {
            Some(deadline) => events.next_before(deadline),
            None => Some(events.wait()),
        };
        match event {
            None => engine.conclude()?,
            Some(Event::Thought(number)) => engine.thought(number)?,
            Some(Event::Closed) => return engine.conclude(),
            Some(Event::Line(line, arrived)) => match Command::read(&line) {
                Some(Command::Quit) => return engine.conclude(),
                Some(command) => engine.obey(command, arrived)?,
                None => {}
            },
        }
    }
}

/// A search that `go` has asked for and that is not answered yet.
struct Search {
    progress: Progress,
    /// The side to move.
    side: Side,
    /// The answer is not wanted before `stop`, or `ponderhit`.
    infinite: bool,
    ponder: bool,
    /// Time for the move, from `go` or, when pondering, from `ponderhit`.
    time: Option<Duration>,
    deadline: Option<Instant>,
}

enum Progress {
    Thinking(Thought),
    /// It has come to an end and awaits the permission to answer.
    Ended(Report),
}

struct Engine<'a> {
    sender: Sender<Event>,
    output: &'a Output,
    settings: Settings,
    shown: Shown,
    overhead: Duration,
    /// The board of the variant.
    size: Size,
    /// The game as `position` told it: where it began, its moves, where it stands.
    start: Position,
    moves: Vec<Move>,
    position: Position,
    /// The game as the search follows it; not here while it thinks.
    game: Option<Box<Game>>,
    /// That game is over, or its search is not what the options now say.
    outdated: bool,
    search: Option<Search>,
    /// The number of the newest search.
    number: u64,
    /// What was wrong with the options it was started with, until it is told.
    problems: &'a [String],
}

impl<'a> Engine<'a> {
    fn new(sender: Sender<Event>, output: &'a Output, settings: &Settings, problems: &'a [String]) -> Self {
        let size = settings.size.unwrap_or(Size::STANDARD);
        Self {
            sender,
            output,
            settings: settings.clone(),
            shown: Shown { lines: 1, winning_rate: false },
            overhead: settings.move_overhead.unwrap_or(OVERHEAD),
            size,
            start: Position::start(size),
            moves: Vec::new(),
            position: Position::start(size),
            game: None,
            outdated: false,
            search: None,
            number: 0,
            problems,
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.search.as_ref().and_then(|search| search.deadline)
    }

    fn obey(&mut self, command: Command, arrived: Instant) -> Result<(), Disconnected> {
        match command {
            Command::Uci => {
                self.output.send(&self.introduction())?;
                let problems = std::mem::take(&mut self.problems);
                problems.iter().try_for_each(|problem| self.complain(Err(session::in_one_line(problem))))
            }
            Command::IsReady => self.output.send("readyok"),
            Command::NewGame => {
                self.outdated = true;
                Ok(())
            }
            Command::SetOption { name, value } => {
                let outcome = self.set_option(&name, &value);
                self.complain(outcome.map_err(|problem| format!("option {}: {problem}", shortened(&name))))
            }
            Command::Position { fen, moves } => {
                let outcome = self.set_position(fen.as_deref(), &moves);
                self.complain(outcome.map_err(|problem| format!("position: {problem}")))
            }
            Command::Go(go) => {
                self.conclude()?;
                match go.perft {
                    Some(depth) => self.output.send(&dialect::perft(&self.position, depth)),
                    None => self.think(&go, arrived),
                }
            }
            Command::PonderHit => self.ponder_hit(arrived),
            Command::Stop => self.conclude(),
            Command::Display => self.output.send(&dialect::display(&self.position)),
            Command::Quit => Ok(()),
        }
    }

    /// Tells of a problem, if there is one.
    fn complain(&self, outcome: Result<(), String>) -> Result<(), Disconnected> {
        match outcome {
            Ok(()) => Ok(()),
            Err(problem) => self.output.send(&format!("info string {problem}")),
        }
    }

    fn introduction(&self) -> String {
        let defaults = Defaults::desktop();
        let variants: Vec<String> = dialect::sizes().map(dialect::variant).collect();
        let presets = Params::NAMED.map(|(name, _)| name);
        format!(
            "id name {} {}\nid author the Otrera authors\n\
             option name UCI_Variant type combo default {} var {}\n\
             option name Threads type spin default {} min 1 max {}\n\
             option name Hash type spin default {} min 1 max {}\n\
             option name Clear Hash type button\n\
             option name Ponder type check default false\n\
             option name MultiPV type spin default {} min 1 max {}\n\
             option name Move Overhead type spin default {} min 0 max {}\n\
             option name UCI_ShowWDL type check default {}\n\
             option name Preset type combo default {} var {}\n\
             uciok",
            self.settings.name,
            env!("CARGO_PKG_VERSION"),
            dialect::variant(self.size),
            variants.join(" var "),
            self.settings.threads.unwrap_or(defaults.threads),
            options::cores(),
            self.settings.memory.unwrap_or(defaults.memory) >> 20,
            options::MOST_MEMORY,
            self.shown.lines,
            MOST_LINES,
            self.overhead.as_millis(),
            MOST_OVERHEAD,
            self.shown.winning_rate,
            self.settings.preset.split(',').next().unwrap_or_default(),
            presets.join(" var "),
        )
    }

    /// Changes an option; the message of an error says what is valid.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name.to_ascii_lowercase().as_str() {
            "uci_variant" => self.set_variant(value)?,
            "threads" => self.set_search("threads", value)?,
            "hash" => self.set_search("memory", value)?,
            "preset" => self.set_search("preset", value)?,
            "clear hash" => self.outdated = true,
            "multipv" => self.shown.lines = options::number(value, 1, MOST_LINES)? as usize,
            "move overhead" => {
                self.overhead = Duration::from_millis(options::number(value, 0, MOST_OVERHEAD)?);
            }
            "uci_showwdl" => {
                self.shown.winning_rate = value.parse().map_err(|_| "valid are true, false")?;
            }
            // Whether to ponder is up to the interface, which says so with each `go`.
            "ponder" => {}
            _ => return Err("there is no such option".into()),
        }
        Ok(())
    }

    /// Changes a setting with which the search begins anew.
    fn set_search(&mut self, setting: &str, value: &str) -> Result<(), String> {
        self.settings.set(setting, value)?;
        self.outdated = true;
        self.settings.cap_threads().map_or(Ok(()), Err)
    }

    /// Another board, with the pieces at its start.
    fn set_variant(&mut self, name: &str) -> Result<(), String> {
        let Some(size) = dialect::sizes().find(|&size| dialect::variant(size) == name) else {
            let valid: Vec<String> = dialect::sizes().map(dialect::variant).collect();
            return Err(format!("valid are {}", valid.join(", ")));
        };
        self.size = size;
        self.set_position(None, &[])
    }

    /// Sets up a position. A start that cannot be read changes nothing; of the moves those before the first
    /// one that cannot be played count, as with Fairy-Stockfish.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), String> {
        self.start = match fen {
            Some(fen) => Position::from_fen(fen).map_err(|error| error.to_string())?,
            None => Position::start(self.size),
        };
        self.position = self.start;
        self.moves.clear();
        for text in moves {
            let mv: Move = text.parse().map_err(|error| format!("{error}"))?;
            self.position =
                self.position.try_play(mv).map_err(|error| format!("{}: {error}", dialect::written(mv)))?;
            self.moves.push(mv);
        }
        Ok(())
    }

    /// `go`: begins to think about the position.
    fn think(&mut self, go: &Go, arrived: Instant) -> Result<(), Disconnected> {
        let game = self.followed_game();
        let time = if go.infinite { None } else { time_for(go, &self.position, self.overhead) };
        let forced = time.is_some() && self.position.legal_moves().nth(1).is_none();
        let iterations = if forced { Some(1) } else { go.nodes };
        let (infinite, ponder) = (go.infinite, go.ponder);
        let deadline = if ponder { None } else { time.and_then(|time| arrived.checked_add(time)) };
        // The search looks at its clock too: on a busy machine that is one change of threads less.
        let limits = Limits { iterations, deadline };
        let (output, shown, side) = (self.output.clone(), self.shown, self.position.side());
        let depth = go.depth.unwrap_or(usize::MAX);
        let think = move |game: &mut Game, stop: &AtomicBool| {
            game.search(&limits, stop, &mut |report| {
                // Should nobody read any more, the loop at the input finds out.
                let _ = output.send(&dialect::info(report, side, shown));
                if dialect::depth(report) >= depth {
                    stop.store(true, Ordering::Relaxed);
                }
            })
        };
        self.number += 1;
        let progress = match Thought::start(game, self.number, self.sender.clone(), think) {
            Ok(thought) => Progress::Thinking(thought),
            Err(game) => Progress::Ended(self.first_thought(game)),
        };
        self.search = Some(Search { progress, side, infinite, ponder, time, deadline });
        self.answer_if_due()
    }

    /// The game, in the position that was told.
    fn followed_game(&mut self) -> Box<Game> {
        let known = self.game.take().filter(|_| !self.outdated);
        self.outdated = false;
        let new = || Box::new(Game::new(&self.settings, Defaults::desktop(), self.start));
        let mut game = known.unwrap_or_else(new);
        game.follow(&self.moves, self.position);
        game
    }

    /// What there is to say without thinking.
    fn first_thought(&mut self, mut game: Box<Game>) -> Report {
        let report = game.search(&Limits::iterations(1), &AtomicBool::new(true), &mut |_| ());
        self.game = Some(game);
        report
    }

    /// The opponent has played the expected move: from now on the clock counts.
    fn ponder_hit(&mut self, arrived: Instant) -> Result<(), Disconnected> {
        if let Some(search) = self.search.as_mut().filter(|search| search.ponder) {
            search.ponder = false;
            search.deadline = search.time.and_then(|time| arrived.checked_add(time));
        }
        self.answer_if_due()
    }

    /// A search has ended by itself.
    fn thought(&mut self, number: u64) -> Result<(), Disconnected> {
        let Some(search) = self.search.take() else { return Ok(()) };
        self.search = match search.progress {
            Progress::Thinking(thought) if thought.is(number) => {
                let report = self.finish(thought, search.side)?;
                Some(Search { progress: Progress::Ended(report), ..search })
            }
            progress => Some(Search { progress, ..search }),
        };
        self.answer_if_due()
    }

    fn answer_if_due(&mut self) -> Result<(), Disconnected> {
        match &self.search {
            Some(Search { progress: Progress::Ended(_), infinite: false, ponder: false, .. }) => {
                self.conclude()
            }
            _ => Ok(()),
        }
    }

    /// Waits for the end of a search, takes its game back and sends what it has found.
    fn finish(&mut self, thought: Thought, side: Side) -> Result<Report, Disconnected> {
        let report = match thought.finish() {
            Some((game, report)) => {
                self.game = Some(game);
                report
            }
            None => {
                let game = self.followed_game();
                self.first_thought(game)
            }
        };
        self.output.send(&dialect::info(&report, side, self.shown))?;
        Ok(report)
    }

    /// Ends the search there may be, and answers.
    fn conclude(&mut self) -> Result<(), Disconnected> {
        let Some(Search { progress, side, .. }) = self.search.take() else { return Ok(()) };
        let report = match progress {
            Progress::Ended(report) => report,
            Progress::Thinking(thought) => {
                thought.stop();
                self.finish(thought, side)?
            }
        };
        self.output.send(&dialect::best_move(&report))
    }
}

/// The beginning of a name, for messages.
fn shortened(name: &str) -> String {
    format!("{:?}", name.chars().take(40).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_greeting_is_recognised() {
        assert!(recognises("uci") && recognises(" uci\r"));
        assert!(!recognises("ucinewgame") && !recognises("usi") && !recognises("isready"));
    }
}
