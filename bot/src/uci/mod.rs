//! UCI in the dialect of Fairy-Stockfish's Amazons variant, for graphical interfaces and engine matches.
//!
//! The search runs in the background, while the loop reads input and watches the deadline. At the deadline, at `stop`
//! and before the next `go`, the loop stops the search and sends `bestmove`: every `go` has exactly one answer.

mod dialect;
mod options;
mod timing;

use dialect::{Go, Shown};
use otrera::{Level, Limits, Move, Position, Report, Rules, Side};
use otrera_front::io::{Disconnected, Event};
use otrera_front::platform::Platform;
use otrera_front::session::{GameSearch, Session, in_one_line};
use otrera_front::setup::Setup;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use timing::time_for;

/// UCI: the GUI sets board, threads and memory by options, and sends the clocks with each `go`.
pub const PLATFORM: Platform = Platform {
    name: "UCI",
    speaker: "a UCI interface",
    command: Some(("uci", "speak UCI (Fairy-Stockfish's variant amazons)")),
    transcripts: &["uci"],
    defaults: Setup { move_overhead: Some(Duration::from_millis(10)), ..Setup::DESKTOP },
    recognises,
    play,
};

/// True for `uci`, the greeting of this protocol.
fn recognises(line: &str) -> bool {
    line.trim() == "uci"
}

/// Plays until `quit` or the end of input.
fn play(session: Session) -> Result<(), Disconnected> {
    let mut bot = UciBot::new(session);
    loop {
        let deadline = bot.pending.as_ref().and_then(|go| go.deadline);
        match bot.session.connection.events.next_by(deadline) {
            None => bot.conclude()?,
            Some(Event::SearchEnded(number)) => bot.search_ended(number)?,
            Some(Event::Line(line, _)) if line.split_ascii_whitespace().next() == Some("quit") => {
                return bot.conclude();
            }
            Some(Event::Line(line, arrived)) => bot.obey(&line, arrived)?,
            Some(Event::Closed) => return bot.conclude(),
            // Only the SAU platform has a searcher and an operator.
            Some(Event::Searcher(..) | Event::Told(_)) => {}
        }
    }
}

/// A `go` command that has not been answered yet.
struct PendingGo {
    /// Side to move.
    side: Side,
    /// Arguments of the command. While `infinite` or `ponder` is set, the answer is withheld.
    go: Go,
    /// Thinking time, counted from `go`, or from `ponderhit` when pondering; `None` without a time limit.
    time: Option<Duration>,
    deadline: Option<Instant>,
    /// Report of the search; `None` while the search is running.
    report: Option<Report>,
}

struct UciBot {
    session: Session,
    shown: Shown,
    /// Moves of the last `position` command, from the session's start position.
    moves: Vec<Move>,
    /// Position after the moves.
    position: Position,
    /// Rules that end the game.
    rules: Rules,
    strength: UciStrength,
    pending: Option<PendingGo>,
}

/// Options that limit the strength: a playing level, or a rating if `by_elo`.
struct UciStrength {
    level: Level,
    by_elo: bool,
    elo: u64,
}

impl UciStrength {
    fn level(&self) -> Level {
        if self.by_elo { Level::of_elo(self.elo) } else { self.level }
    }
}

impl UciBot {
    fn new(session: Session) -> Self {
        let shown = Shown { lines: 1, win_rate: false };
        let rules = Rules::Standard;
        let strength = UciStrength { level: Level::FULL, by_elo: false, elo: Level::ELO[1] };
        Self { shown, moves: Vec::new(), position: session.start, rules, strength, pending: None, session }
    }

    /// Returns the move overhead, which is subtracted from every time limit.
    fn overhead(&self) -> Duration {
        self.session.setup().move_overhead.unwrap_or_default()
    }

    /// Executes a command. Unknown commands are ignored.
    fn obey(&mut self, line: &str, arrived: Instant) -> Result<(), Disconnected> {
        let mut words = line.split_ascii_whitespace();
        match words.next().unwrap_or_default() {
            "uci" => {
                self.session.send(&self.introduction())?;
                let problems = std::mem::take(&mut self.session.connection.problems);
                problems.iter().try_for_each(|problem| self.report(Err(in_one_line(problem))))
            }
            "isready" => self.session.send("readyok"),
            "ucinewgame" => {
                self.session.forget_tree();
                Ok(())
            }
            "setoption" => {
                let [name, value] = dialect::read_option(words);
                let outcome = self.set_option(&name, &value);
                self.report(outcome)
            }
            "position" => {
                let [start, moves] = dialect::split_at("moves", words);
                let fen = match start.split_first() {
                    Some((&"startpos", _)) => None,
                    Some((&"fen", fields)) => Some(fields.join(" ")),
                    _ => return Ok(()),
                };
                let outcome = self.set_position(fen.as_deref(), &moves);
                self.report(outcome.map_err(|problem| format!("position: {problem}")))
            }
            "go" => {
                let go = Go::read(words);
                self.conclude()?;
                go.problems.iter().try_for_each(|problem| self.report(Err(in_one_line(problem))))?;
                match go.perft {
                    Some(depth) => self.session.send(&dialect::format_perft(&self.position, depth)),
                    None => self.think(go, arrived),
                }
            }
            "ponderhit" => self.ponder_hit(arrived),
            "stop" => self.conclude(),
            "d" => self.session.send(&dialect::format_board(&self.position)),
            _ => Ok(()),
        }
    }

    /// Sends the problem in `outcome`, if there is one, as an `info string`.
    fn report(&self, outcome: Result<(), String>) -> Result<(), Disconnected> {
        outcome.or_else(|problem| self.session.send(&format!("info string {problem}")))
    }

    /// Formats the answer to `uci`: name and options.
    fn introduction(&self) -> String {
        let (name, version) = (&self.session.settings.name, env!("CARGO_PKG_VERSION"));
        format!("id name {name} {version}\nid author the Otrera authors\n{}uciok", self.format_options())
    }

    /// Sets up a position. Like Fairy-Stockfish, plays all moves before the first invalid one. An invalid FEN changes
    /// nothing. Also fails if the preset's weights file is for other board sizes.
    fn set_position(&mut self, fen: Option<&str>, moves: &[&str]) -> Result<(), String> {
        self.position = match fen {
            Some(fen) => Position::from_fen(fen).map_err(|error| error.to_string())?,
            None => Position::start(self.session.setup().size),
        }
        .with_rules(self.rules);
        self.session.start = self.position;
        self.moves.clear();
        for text in moves {
            let mv: Move = text.parse().map_err(|error| format!("{error}"))?;
            let next = self.position.try_play(mv);
            self.position = next.map_err(|error| format!("{}: {error}", mv.to_uci()))?;
            self.moves.push(mv);
        }
        self.session.settings.check_board(self.position.size())
    }

    /// Starts the search requested by `go`. If only one move is legal, limits a timed search to one iteration.
    fn think(&mut self, go: Go, arrived: Instant) -> Result<(), Disconnected> {
        let time = if go.infinite { None } else { time_for(&go, &self.position, self.overhead()) };
        let forced = time.is_some() && self.position.legal_moves().nth(1).is_none();
        let iterations = if forced { Some(1) } else { go.nodes };
        let deadline = if go.ponder { None } else { time.and_then(|time| arrived.checked_add(time)) };
        // The search checks the deadline too, which saves a thread switch on a busy machine.
        let limits = Limits { iterations, deadline };
        let (output, shown) = (self.session.connection.output.clone(), self.shown);
        let (side, depth) = (self.position.side(), go.depth.unwrap_or(usize::MAX));
        let endless = go.infinite;
        let level = self.strength.level();
        let think = move |game: &mut GameSearch, stop: &AtomicBool| {
            // An analysis without an end has the full strength.
            if level != Level::FULL && !endless {
                return game.think_at(level);
            }
            game.search(&limits, stop, &mut |report| {
                // The main loop notices if the reader is gone.
                let _ = output.send(&dialect::format_info(report, side, shown));
                if dialect::depth(report) >= depth {
                    stop.store(true, Ordering::Relaxed);
                }
            })
        };
        let excluded = go.excluded(&self.position);
        let game = self.session.game();
        game.follow(&self.moves, self.position);
        game.exclude(&excluded);
        let report = self.session.search(think);
        self.pending = Some(PendingGo { side, go, time, deadline, report });
        self.answer_if_due()
    }

    /// Handles `ponderhit`: the opponent has played the ponder move, so our clock starts.
    fn ponder_hit(&mut self, arrived: Instant) -> Result<(), Disconnected> {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.go.ponder) {
            pending.go.ponder = false;
            pending.deadline = pending.time.and_then(|time| arrived.checked_add(time));
        }
        self.answer_if_due()
    }

    /// Handles a search that ended by itself: sends its last `info` lines, and the answer if it is due.
    fn search_ended(&mut self, number: u64) -> Result<(), Disconnected> {
        if let (Some(report), Some(go)) = (self.session.ended(number), &mut self.pending) {
            self.session.send(&dialect::format_info(&report, go.side, self.shown))?;
            go.report = Some(report);
        }
        self.answer_if_due()
    }

    fn answer_if_due(&mut self) -> Result<(), Disconnected> {
        let is_due =
            |pending: &PendingGo| pending.report.is_some() && !pending.go.infinite && !pending.go.ponder;
        if self.pending.as_ref().is_some_and(is_due) { self.conclude() } else { Ok(()) }
    }

    /// Stops the search, if one is running, and answers the pending `go`.
    fn conclude(&mut self) -> Result<(), Disconnected> {
        let Some(go) = self.pending.take() else { return Ok(()) };
        if let Some(report) = self.session.stop() {
            self.session.send(&dialect::format_info(&report, go.side, self.shown))?;
            return self.session.send(&dialect::format_best_move(&report));
        }
        go.report.map_or(Ok(()), |report| self.session.send(&dialect::format_best_move(&report)))
    }
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
