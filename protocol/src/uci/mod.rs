//! UCI in Fairy-Stockfish's amazons dialect, for graphical interfaces and engine matches.
//!
//! The search runs in a thread of its own and this loop stays at the input. It also keeps the time: at the
//! deadline, at `stop` and before the next `go` it raises the flag of the search, waits for its end and sends
//! `bestmove`, so that every `go` is answered exactly once. `protocol/README.md` says what to expect when.

mod dialect;
mod timing;

use crate::conditions::Conditions;
use crate::io::{Disconnected, Event};
use crate::options;
use crate::platform::Platform;
use crate::session::{Game, Session, in_one_line};
use dialect::{Command, Go, Shown};
use otrera::{Limits, Move, Params, Position, Report, Side};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use timing::time_for;

/// UCI: its interfaces set board, threads and memory by options and send the clocks with each `go`. The overhead
/// is held back from every time.
pub const PLATFORM: Platform = Platform {
    name: "UCI",
    speaker: "a UCI interface",
    command: Some(("uci", "UCI (Fairy-Stockfish's variant amazons) from the first line on")),
    transcripts: &["uci"],
    defaults: Conditions { move_overhead: Some(Duration::from_millis(10)), ..Conditions::DESKTOP },
    recognises,
    play,
};

/// The most overhead that can be asked for, in milliseconds.
const MAX_OVERHEAD: u64 = (options::MAX_OVERHEAD * 1000.0) as u64;

/// The most lines of analysis that can be asked for.
const MAX_LINES: u64 = 500;

/// Whether a line is the greeting of this protocol.
fn recognises(line: &str) -> bool {
    line.trim() == "uci"
}

/// Speaks with the interface until `quit` or the end of input.
fn play(session: Session) -> Result<(), Disconnected> {
    let mut engine = Engine::new(session);
    loop {
        let deadline = engine.pending.as_ref().and_then(|go| go.deadline);
        match engine.session.connection.events.next_by(deadline) {
            None => engine.conclude()?,
            Some(Event::SearchEnded(number)) => engine.search_ended(number)?,
            Some(Event::Closed) => return engine.conclude(),
            Some(Event::Line(line, arrived)) => match Command::read(&line) {
                Some(Command::Quit) => return engine.conclude(),
                Some(command) => engine.obey(command, arrived)?,
                None => {}
            },
        }
    }
}

/// A `go` that is not answered yet.
struct PendingGo {
    /// The side to move.
    side: Side,
    /// The answer is not wanted before `stop`, or `ponderhit`.
    infinite: bool,
    ponder: bool,
    /// Time for the move, from `go` or, when pondering, from `ponderhit`.
    time: Option<Duration>,
    deadline: Option<Instant>,
    /// What the search has found; `None` as long as it goes on.
    report: Option<Report>,
}

struct Engine {
    session: Session,
    shown: Shown,
    /// The game as `position` told it: its moves, and where it stands. The session knows where it began.
    moves: Vec<Move>,
    position: Position,
    pending: Option<PendingGo>,
}

impl Engine {
    fn new(session: Session) -> Self {
        let shown = Shown { lines: 1, winning_rate: false };
        Self { shown, moves: Vec::new(), position: session.start, pending: None, session }
    }

    /// What is held back from every time.
    fn overhead(&self) -> Duration {
        self.session.conditions().move_overhead.unwrap_or_default()
    }

    fn obey(&mut self, command: Command, arrived: Instant) -> Result<(), Disconnected> {
        match command {
            Command::Uci => {
                self.session.send(&self.introduction())?;
                let problems = std::mem::take(&mut self.session.connection.problems);
                problems.iter().try_for_each(|problem| self.complain(Err(in_one_line(problem))))
            }
            Command::IsReady => self.session.send("readyok"),
            Command::NewGame => {
                self.session.forget_tree();
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
                    Some(depth) => self.session.send(&dialect::perft(&self.position, depth)),
                    None => self.think(&go, arrived),
                }
            }
            Command::PonderHit => self.ponder_hit(arrived),
            Command::Stop => self.conclude(),
            Command::Display => self.session.send(&dialect::display(&self.position)),
            Command::Quit => Ok(()),
        }
    }

    /// Tells of a problem, if there is one.
    fn complain(&self, outcome: Result<(), String>) -> Result<(), Disconnected> {
        match outcome {
            Ok(()) => Ok(()),
            Err(problem) => self.session.send(&format!("info string {problem}")),
        }
    }

    /// The answer to `uci`: name and options.
    fn introduction(&self) -> String {
        let settings = &self.session.settings;
        let (name, version) = (&settings.name, env!("CARGO_PKG_VERSION"));
        let resources = self.session.conditions().resources(settings);
        let (threads, cores) = (resources.threads, options::cores());
        let (memory, most_memory) = (resources.memory >> 20, options::MAX_MEMORY);
        let variant = dialect::variant(self.session.conditions().size);
        let variants = dialect::sizes().map(dialect::variant).collect::<Vec<_>>().join(" var ");
        let preset = settings.preset.split(',').next().unwrap_or_default().to_ascii_lowercase();
        let presets = Params::NAMED.map(|(name, _)| name).join(" var ");
        let Shown { lines, winning_rate } = self.shown;
        let overhead = self.overhead().as_millis();
        format!(
            "id name {name} {version}\nid author the Otrera authors\n\
             option name UCI_Variant type combo default {variant} var {variants}\n\
             option name Threads type spin default {threads} min 1 max {cores}\n\
             option name Hash type spin default {memory} min 1 max {most_memory}\n\
             option name Clear Hash type button\n\
             option name Ponder type check default false\n\
             option name MultiPV type spin default {lines} min 1 max {MAX_LINES}\n\
             option name Move Overhead type spin default {overhead} min 0 max {MAX_OVERHEAD}\n\
             option name UCI_ShowWDL type check default {winning_rate}\n\
             option name Preset type combo default {preset} var {presets}\n\
             uciok"
        )
    }

    /// Changes an option; the message of an error says what is valid.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name.to_ascii_lowercase().as_str() {
            "uci_variant" => self.set_variant(value)?,
            "threads" => self.set_search("threads", value)?,
            "hash" => self.set_search("memory", value)?,
            "preset" => self.set_search("preset", value)?,
            "clear hash" => self.session.forget_tree(),
            "multipv" => self.shown.lines = options::number(value, 1, MAX_LINES)? as usize,
            "move overhead" => {
                let overhead = Duration::from_millis(options::number(value, 0, MAX_OVERHEAD)?);
                self.session.settings.move_overhead = Some(overhead);
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
        self.session.settings.set(setting, value)?;
        self.session.forget_tree();
        self.session.settings.cap_threads().map_or(Ok(()), Err)
    }

    /// Another board, with the pieces at its start.
    fn set_variant(&mut self, name: &str) -> Result<(), String> {
        let Some(size) = dialect::sizes().find(|&size| dialect::variant(size) == name) else {
            let valid: Vec<String> = dialect::sizes().map(dialect::variant).collect();
            return Err(format!("valid are {}", valid.join(", ")));
        };
        self.session.settings.size = Some(size);
        self.set_position(None, &[])
    }

    /// Sets up a position. A start that cannot be read changes nothing; of the moves those before the first
    /// one that cannot be played count, as with Fairy-Stockfish.
    ///
    /// # Errors
    /// What cannot be read or played; or the position is set up, and the preset's weights are for other boards.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), String> {
        self.position = match fen {
            Some(fen) => Position::from_fen(fen).map_err(|error| error.to_string())?,
            None => Position::start(self.session.conditions().size),
        };
        self.session.start = self.position;
        self.moves.clear();
        for text in moves {
            let mv: Move = text.parse().map_err(|error| format!("{error}"))?;
            self.position =
                self.position.try_play(mv).map_err(|error| format!("{}: {error}", dialect::written(mv)))?;
            self.moves.push(mv);
        }
        self.session.settings.check_board(self.position.size())
    }

    /// `go`: begins to think about the position.
    fn think(&mut self, go: &Go, arrived: Instant) -> Result<(), Disconnected> {
        let time = if go.infinite { None } else { time_for(go, &self.position, self.overhead()) };
        let forced = time.is_some() && self.position.legal_moves().nth(1).is_none();
        let iterations = if forced { Some(1) } else { go.nodes };
        let deadline = if go.ponder { None } else { time.and_then(|time| arrived.checked_add(time)) };
        // The search looks at its clock too: on a busy machine that is one change of threads less.
        let limits = Limits { iterations, deadline };
        let (output, shown) = (self.session.connection.output.clone(), self.shown);
        let (side, depth) = (self.position.side(), go.depth.unwrap_or(usize::MAX));
        let think = move |game: &mut Game, stop: &AtomicBool| {
            game.search(&limits, stop, &mut |report| {
                // Should nobody read any more, the loop at the input finds out.
                let _ = output.send(&dialect::info(report, side, shown));
                if dialect::depth(report) >= depth {
                    stop.store(true, Ordering::Relaxed);
                }
            })
        };
        self.session.game().follow(&self.moves, self.position);
        let report = self.session.search(think);
        let (infinite, ponder) = (go.infinite, go.ponder);
        self.pending = Some(PendingGo { side, infinite, ponder, time, deadline, report });
        self.answer_if_due()
    }

    /// The opponent has played the expected move: from now on the clock counts.
    fn ponder_hit(&mut self, arrived: Instant) -> Result<(), Disconnected> {
        if let Some(go) = self.pending.as_mut().filter(|go| go.ponder) {
            go.ponder = false;
            go.deadline = go.time.and_then(|time| arrived.checked_add(time));
        }
        self.answer_if_due()
    }

    /// A search has ended by itself.
    fn search_ended(&mut self, number: u64) -> Result<(), Disconnected> {
        if let (Some(report), Some(go)) = (self.session.ended(number), &mut self.pending) {
            self.session.send(&dialect::info(&report, go.side, self.shown))?;
            go.report = Some(report);
        }
        self.answer_if_due()
    }

    fn answer_if_due(&mut self) -> Result<(), Disconnected> {
        match &self.pending {
            Some(PendingGo { report: Some(_), infinite: false, ponder: false, .. }) => self.conclude(),
            _ => Ok(()),
        }
    }

    /// Ends the search there may be, and answers.
    fn conclude(&mut self) -> Result<(), Disconnected> {
        let Some(go) = self.pending.take() else { return Ok(()) };
        if let Some(report) = self.session.stop() {
            self.session.send(&dialect::info(&report, go.side, self.shown))?;
            return self.session.send(&dialect::best_move(&report));
        }
        go.report.map_or(Ok(()), |report| self.session.send(&dialect::best_move(&report)))
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
