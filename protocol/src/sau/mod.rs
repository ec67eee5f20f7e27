//! The SAU Game Platform: the commands `name?`, `new`, `move`, `error`, `end` and `quit`, on a 10x10 board with a clock
//! for the whole game.
//!
//! This module is a state machine ([`State`]); `protocol/README.md` has its transition table. The search runs in the
//! background, so that the loop reacts to `end`, `new` and `quit` at once. Each search has a number, and the result of
//! a stopped search is dropped. Pondering is a search without a deadline. [`reload`] resumes a game after a crash.

mod guesses;
mod journal;
mod overhead;
mod reload;
mod resume;

use crate::io::{Disconnected, Event};
use crate::platform::Platform;
use crate::session::{GameSearch, Session, summary};
use crate::setup::Setup;
use guesses::Guesses;
use journal::Journal;
use otrera::{Move, Report, Rules, Side, Size};
use resume::Resumed;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// The SAU Game Platform: 15 minutes per side. The platform's window, pipe and sound add 0.24 to 0.5 s to each move.
pub const PLATFORM: Platform = Platform {
    name: "SAU",
    speaker: "SAU",
    command: None,
    transcripts: &["sau"],
    defaults: Setup {
        total_time: Some(Duration::from_secs(15 * 60)),
        move_overhead: Some(Duration::from_millis(400)),
        ..Setup::DESKTOP
    },
    recognises,
    play,
};

/// Time to wait for `end` after a move that decides the game, since `end` can be late on a busy machine.
const END_FOLLOWS: Duration = Duration::from_millis(200);

/// True for `name?`, `quit`, `new` with one argument, and `move` with a move in SAU notation.
fn recognises(line: &str) -> bool {
    // Strict about the arguments, since lines of other programs can also begin with "new", "move" or "error".
    match line.split_ascii_whitespace().collect::<Vec<_>>()[..] {
        ["name?" | "quit", ..] | ["new", _] => true,
        ["move", mv, ..] => Move::from_letters(mv, Size::STANDARD).is_some(),
        _ => false,
    }
}

/// Plays until `quit` or the end of input.
fn play(session: Session) -> Result<(), Disconnected> {
    let mut bot = SauBot::new(session);
    loop {
        let deadline = match bot.state {
            State::Silent { ends, .. } => Some(ends),
            _ => None,
        };
        let outcome = match bot.session.connection.events.next_by(deadline) {
            None => bot.go_on_unasked(),
            Some(Event::Closed) => break,
            Some(Event::SearchEnded(number)) => bot.search_ended(number),
            Some(Event::Line(line, _)) if line.split_ascii_whitespace().next() == Some("quit") => break,
            Some(Event::Line(line, arrived)) => bot.obey(&line, arrived),
        };
        if outcome.is_err() {
            break;
        }
    }
    bot.finish_game();
    Ok(())
}

/// State of the protocol. `told` is false in a game resumed without `new` until a move from the platform confirms whose
/// turn it is and which side is ours.
#[derive(Clone, Copy)]
enum State {
    /// Before the first game of this process; the first game can resume an interrupted one.
    Loaded,
    /// `name?` was answered; an interrupted game resumes if no command arrives before `ends`.
    Silent { began: Instant, ends: Instant },
    /// Our turn; the search is running.
    Thinking { us: Side, told: bool, began: Instant },
    /// The opponent's turn, or we cannot move.
    Waiting { us: Side, told: bool },
    /// The game is over.
    Over,
}

impl State {
    /// Returns our side and the field `told` of the running game; `None` if no game is running.
    fn game(self) -> Option<(Side, bool)> {
        match self {
            Self::Thinking { us, told, .. } | Self::Waiting { us, told } => Some((us, told)),
            Self::Loaded | Self::Silent { .. } | Self::Over => None,
        }
    }
}

struct SauBot {
    session: Session,
    state: State,
    /// Game to resume; dropped when the first game ends.
    resumed: Resumed,
    /// Candidate games on the platform's board; empty if the position is certain.
    guesses: Guesses,
    journal: Option<Journal>,
}

impl SauBot {
    fn new(mut session: Session) -> Self {
        overhead::apply(&mut session);
        resume::check_platform_dir(&session);
        let resumed = Resumed::read(&session);
        session.start = session.start.with_rules(Rules::SelfBlocking);
        Self { session, state: State::Loaded, resumed, guesses: Guesses::default(), journal: None }
    }

    fn size(&self) -> Size {
        self.session.start.size()
    }

    /// Executes a command from the platform. Ignores unknown commands, such as those of other board games.
    fn obey(&mut self, line: &str, arrived: Instant) -> Result<(), Disconnected> {
        let mut words = line.split_ascii_whitespace();
        match words.next().unwrap_or_default() {
            "name?" => {
                let answered = self.session.send(&format!("name {}", self.session.settings.name));
                self.await_command(arrived);
                answered
            }
            "new" => {
                // An unreadable colour counts as Black: a wrong answer is better than none.
                let is_white = words.next().is_some_and(|colour| colour.eq_ignore_ascii_case("white"));
                self.new_game(if is_white { Side::White } else { Side::Black }, arrived)
            }
            "move" => {
                let mv = words.next().and_then(|text| Move::from_letters(text, self.size()));
                self.opponent_moved(mv, arrived)
            }
            "error" => self.answer_refused(arrived),
            "end" => {
                self.resumed.begin_anew(&self.session);
                self.finish_game();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn new_game(&mut self, us: Side, arrived: Instant) -> Result<(), Disconnected> {
        self.forget_unasked();
        if matches!(self.state, State::Loaded | State::Silent { .. }) {
            self.resumed.begin_anew(&self.session);
        }
        self.finish_game();
        self.begin_game(us, true, None);
        self.session.announce(None);
        if us == Side::Black { self.think(arrived) } else { Ok(()) }
    }

    /// Starts a game as `us`, or resumes one with `left` on our clock. `told` is the field of the new [`State`].
    fn begin_game(&mut self, us: Side, told: bool, left: Option<Duration>) {
        self.session.begin_game(us);
        if let Some(left) = left {
            self.session.set_time_left(left);
        }
        self.state = State::Waiting { us, told };
        self.journal = self.resumed.journal.take().or_else(|| {
            let created = Journal::create(self.session.settings.record_dir.as_deref()?);
            let problem = |error| {
                self.session
                    .note("!!", &format!("cannot create a journal for a resume after a crash: {error}"))
            };
            created.map_err(problem).ok()
        });
        self.write_journal(None, true);
    }

    /// Appends the game to the journal, including `mv`, a move that was just received or is about to be sent.
    fn write_journal(&mut self, mv: Option<Move>, sent: bool) {
        let (Some((us, _)), Some(journal)) = (self.state.game(), &mut self.journal) else { return };
        let moves = [self.session.moves(), mv.as_slice()].concat();
        let state =
            journal::State { us, moves, sent, left: self.session.time_left(), written: SystemTime::now() };
        if let Err(error) = journal.write(&state, self.session.start.size()) {
            self.session.note("!!", &format!("journal {}: {error}", journal.name()));
        }
    }

    /// Plays the opponent's move (`None` if it cannot be parsed) and starts the search for ours.
    fn opponent_moved(&mut self, mv: Option<Move>, arrived: Instant) -> Result<(), Disconnected> {
        if let State::Thinking { told: true, .. } = self.state {
            // The platform sends no moves on our turn.
            return Ok(());
        }
        // Record first: the platform sends a move only once. A bad one is overwritten below.
        self.session.announce(mv);
        self.write_journal(mv, true);
        let us = match self.state.game() {
            Some((us, _)) => us,
            None => self.enter_resumed_game(mv, arrived),
        };
        let game = self.session.game();
        let before_last = game.moves().iter().rev().nth(1).copied();
        let is_known = self.guesses.is_empty();
        if is_known && mv.is_some() && mv == before_last && game.position().side() != us {
            // A repeated line: no side can play the same move in two consecutive turns.
            self.session.keep_record(None);
            self.write_journal(None, true);
            return Ok(());
        }
        if !self.follow_guesses(mv) && !self.follow_opponent(mv) {
            // The platform accepts no illegal move, so our position is wrong. Any answer is better than waiting for a
            // move that was already sent.
            self.session.note("!!", "ignored a move that is illegal in this position");
            self.session.game().give_turn_to(us);
        }
        let us = self.state.game().map_or(us, |(us, _)| us);
        self.state = State::Waiting { us, told: true };
        self.session.refused.clear();
        self.session.keep_record(None);
        self.write_journal(None, true);
        self.think(arrived)
    }

    /// Starts the search for our move, if we can move. If the game to resume has our move, plays that move at once.
    fn think(&mut self, began: Instant) -> Result<(), Disconnected> {
        let Some((us, told)) = self.state.game() else { return Ok(()) };
        let game = self.session.game();
        if game.position().movements().next().is_none() {
            return Ok(());
        }
        let decided = game.position().winner().is_some();
        if let Some(&[mv, ..]) = self.resumed.moves.strip_prefix(self.session.moves())
            && !self.session.refused.contains(&mv)
        {
            return self.play(mv, began);
        }
        if decided {
            // The platform sends `end` after a decided game. A referee that continues uses the standard rules.
            self.session.game().set_rules(Rules::Standard);
        }
        let hold = if decided { END_FOLLOWS } else { Duration::ZERO };
        self.exclude_moves();
        let time = self.session.time_for_move();
        let think = move |game: &mut GameSearch, stop: &AtomicBool| {
            let report = game.think(Some(began + time), stop);
            while began.elapsed() < hold && !stop.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(2));
            }
            report
        };
        self.state = State::Thinking { us, told, began };
        match self.session.search(think) {
            Some(Report { best: Some(mv), .. }) => self.play(mv, began),
            _ => Ok(()),
        }
    }

    /// Starts pondering, if it is enabled and the game is not over.
    fn ponder(&mut self) {
        if self.session.settings.pondering && self.session.game().position().winner().is_none() {
            // If no thread can start, there is no pondering.
            let _ = self.session.search(GameSearch::ponder);
        }
    }

    /// Handles a search that ended by itself: plays its move on our turn. Pondering ends on a proof and plays no move.
    fn search_ended(&mut self, number: u64) -> Result<(), Disconnected> {
        let (Some(report), State::Thinking { began, .. }) = (self.session.ended(number), self.state) else {
            return Ok(());
        };
        self.session.note("--", &summary(&report, 1000));
        report.best.map_or(Ok(()), |mv| self.play(mv, began))
    }

    /// Records our move, sends it and plays it on our board; then starts pondering.
    fn play(&mut self, mv: Move, began: Instant) -> Result<(), Disconnected> {
        // Record first: after a crash an extra move can be undone, a missing one cannot.
        self.session.announce(Some(mv));
        self.write_journal(Some(mv), false);
        let sent = self.session.send(&format!("move {}", mv.to_letters(self.size())));
        self.session.spend(began);
        self.write_journal(Some(mv), true);
        self.guesses.send(mv);
        // The rest runs in the opponent's time: it prunes the tree and waits for the disk.
        self.session.game().advance(mv);
        if let Some((us, told)) = self.state.game() {
            self.state = State::Waiting { us, told };
        }
        self.session.keep_record(None);
        self.ponder();
        sent
    }

    /// Handles `error`: takes back our refused move and searches for another one.
    fn answer_refused(&mut self, arrived: Instant) -> Result<(), Disconnected> {
        let State::Waiting { us, .. } = self.state else { return Ok(()) };
        if self.session.game().position().side() == us {
            return Ok(());
        }
        if self.refuse_guesses(us) {
            return self.think(arrived);
        }
        let Some(refused) = self.session.game().take_back() else { return Ok(()) };
        self.session.refuse(refused);
        self.think(arrived)
    }

    /// Ends the game: stops the search, writes the result to the record and removes the journal.
    fn finish_game(&mut self) {
        // The platform's rules decide the result, even if the game went on by the standard rules.
        let winner = self.session.game().position().with_rules(Rules::SelfBlocking).winner();
        if winner.is_some() {
            self.session.keep_record(winner);
        }
        if self.state.game().is_some() {
            self.resumed.discard();
        }
        // After `end` without a game, an interrupted game can still be resumed.
        if !matches!(self.state, State::Loaded) {
            self.state = State::Over;
        }
        if let Some(journal) = self.journal.take() {
            journal.discard();
        }
        self.guesses.clear();
        self.session.end_game();
    }
}
