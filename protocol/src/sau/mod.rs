//! The SAU Game Platform: `name?`, `new`, `move`, `error`, `end`, `quit`, on a 10x10 board with a clock
//! for the whole game.
//!
//! A state machine ([`State`]; `protocol/README.md` prints its table). The search runs in a thread of its own and this
//! loop stays at the input, so that `end`, `new` and `quit` are obeyed at once. Every search has a number; the answer
//! of one that was stopped is dropped. Pondering is such a search without a deadline, in the opponent's time.
//! [`reload`] goes on with a game after a crash.

mod command;
mod guesses;
mod journal;
mod overhead;
mod reload;
mod resume;

use crate::io::{Disconnected, Event};
use crate::platform::Platform;
use crate::session::{GameSearch, Session, summary};
use crate::setup::Setup;
use command::{Command, written};
use guesses::Guesses;
use journal::Journal;
use otrera::{Move, Report, Rules, Side, Size};
use resume::Resumed;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// The SAU Game Platform: a clock of 15 minutes for the whole game. Painting its window, reading the pipe by a timer
/// and playing a sound to its end cost 0.24 to 0.5 s a move.
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

/// How long we wait for `end` after a move that has decided the game: the two come together, but on a busy
/// machine the thread that reads may be late with the second.
const END_FOLLOWS: Duration = Duration::from_millis(200);

/// True if a line is a command of this platform.
fn recognises(line: &str) -> bool {
    // Strict about what follows: other programs write lines that begin with "new", "move" or "error" too.
    match Command::read(line, Size::STANDARD) {
        Some(Command::Name | Command::Quit | Command::Move(Some(_))) => true,
        Some(Command::New(_)) => line.split_ascii_whitespace().count() == 2,
        _ => false,
    }
}

/// Speaks with the platform until `quit` or the end of input.
fn play(session: Session) -> Result<(), Disconnected> {
    let mut engine = Engine::new(session);
    loop {
        let deadline = match engine.state {
            State::Silent { ends, .. } => Some(ends),
            _ => None,
        };
        let outcome = match engine.session.connection.events.next_by(deadline) {
            None => engine.go_on_unasked(),
            Some(Event::Closed) => break,
            Some(Event::SearchEnded(number)) => engine.search_ended(number),
            Some(Event::Line(line, arrived)) => match Command::read(&line, engine.size()) {
                None => Ok(()),
                Some(Command::Quit) => break,
                Some(command) => engine.obey(command, arrived),
            },
        };
        if outcome.is_err() {
            break;
        }
    }
    engine.finish_game();
    Ok(())
}

/// Where we are with the platform. `told` is false as long as it has said nothing about a game that we resumed.
#[derive(Clone, Copy)]
enum State {
    /// No game has begun in this process: one that broke off may go on.
    Loaded,
    /// `name?` was answered, and a game that broke off goes on if no command comes before `ends`.
    Silent { began: Instant, ends: Instant },
    /// Our turn: a search for our move is under way.
    Thinking { us: Side, told: bool, began: Instant },
    /// The opponent's turn, or nobody's where we cannot move.
    Waiting { us: Side, told: bool },
    /// The game is over.
    Over,
}

impl State {
    /// Our side and `told` in the game that is on.
    fn game(self) -> Option<(Side, bool)> {
        match self {
            Self::Thinking { us, told, .. } | Self::Waiting { us, told } => Some((us, told)),
            Self::Loaded | Self::Silent { .. } | Self::Over => None,
        }
    }
}

struct Engine {
    session: Session,
    state: State,
    /// The game to go on with, until the first game is over.
    resumed: Resumed,
    /// The boards that are possible where the position is not known.
    guesses: Guesses,
    journal: Option<Journal>,
}

impl Engine {
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

    fn obey(&mut self, command: Command, arrived: Instant) -> Result<(), Disconnected> {
        match command {
            Command::Name => {
                let answered = self.session.send(&format!("name {}", self.session.settings.name));
                self.await_command(arrived);
                answered
            }
            Command::New(side) => {
                self.forget_unasked();
                if matches!(self.state, State::Loaded | State::Silent { .. }) {
                    self.resumed.begin_anew(&self.session);
                }
                self.finish_game();
                self.begin_game(side, true, None);
                self.session.announce(None);
                if side == Side::Black { self.think(arrived) } else { Ok(()) }
            }
            Command::Move(mv) => self.opponent_moved(mv, arrived),
            Command::Error => self.answer_refused(arrived),
            Command::End => {
                self.resumed.begin_anew(&self.session);
                self.finish_game();
                Ok(())
            }
            Command::Quit => Ok(()),
        }
    }

    /// A game begins, or goes on with this time left; `told` as in [`State`].
    fn begin_game(&mut self, us: Side, told: bool, left: Option<Duration>) {
        self.session.begin_game(us);
        if let Some(left) = left {
            self.session.set_time_left(left);
        }
        self.state = State::Waiting { us, told };
        self.journal = self.resumed.take_journal().or_else(|| {
            let created = Journal::create(self.session.settings.record_dir.as_deref()?);
            let problem =
                |error| self.session.note("!!", &format!("no journal, so no resume after a crash: {error}"));
            created.map_err(problem).ok()
        });
        self.write_journal(None, true);
    }

    /// Writes the game as it stands, with a move that has just come or is about to be sent, into the journal.
    fn write_journal(&mut self, mv: Option<Move>, sent: bool) {
        let (Some((us, _)), Some(journal)) = (self.state.game(), &mut self.journal) else { return };
        let moves = [self.session.moves(), mv.as_slice()].concat();
        let state =
            journal::State { us, moves, sent, left: self.session.time_left(), written: SystemTime::now() };
        if let Err(error) = journal.write(&state, self.session.start.size()) {
            self.session.note("!!", &format!("journal {}: {error}", journal.name()));
        }
    }

    fn opponent_moved(&mut self, mv: Option<Move>, arrived: Instant) -> Result<(), Disconnected> {
        if let State::Thinking { told: true, .. } = self.state {
            // The platform sends no move now, so this is none.
            return Ok(());
        }
        // First of all: the platform says it only once. Should it prove to be none, it is written over.
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
            // The same line twice: an amazon cannot leave the same square for the same square two turns running.
            self.session.keep_record(None);
            self.write_journal(None, true);
            return Ok(());
        }
        if !self.follow_guesses(mv) && !self.follow_opponent(mv) {
            // The platform lets no illegal move pass, so we have misread something. Any answer is
            // better than to wait for a move that has already been made.
            self.session.note("!!", "a move that cannot be played here was left out");
            self.session.game().give_turn_to(us);
        }
        let us = self.state.game().map_or(us, |(us, _)| us);
        self.state = State::Waiting { us, told: true };
        self.session.refused.clear();
        self.session.keep_record(None);
        self.write_journal(None, true);
        self.think(arrived)
    }

    /// Our move in the game to resume, as long as this one has gone the same way.
    fn resumed_move(&self) -> Option<Move> {
        self.resumed.moves.strip_prefix(self.session.moves())?.first().copied()
    }

    /// Starts the search for our move, if we have any; it ends with the time of our turn, or when it is stopped. A move
    /// of the game to resume is played at once.
    fn think(&mut self, began: Instant) -> Result<(), Disconnected> {
        let Some((us, told)) = self.state.game() else { return Ok(()) };
        let game = self.session.game();
        if game.position().movements().next().is_none() {
            return Ok(());
        }
        let decided = game.position().winner().is_some();
        if let Some(mv) = self.resumed_move().filter(|mv| !self.session.refused.contains(mv)) {
            return self.play(mv, began);
        }
        if decided {
            // The platform ends such a game, and `end` will stop us. A referee that goes on all the same
            // plays by the ordinary rules.
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

    /// Thinks in the opponent's time if that is wanted and there is something to think about.
    fn ponder(&mut self) {
        if self.session.settings.pondering && self.session.game().position().winner().is_none() {
            // Without a thread for it there is no pondering.
            let _ = self.session.search(GameSearch::ponder);
        }
    }

    /// A search has ended by itself. Pondering does so when the game is proven.
    fn search_ended(&mut self, number: u64) -> Result<(), Disconnected> {
        let (Some(report), State::Thinking { began, .. }) = (self.session.ended(number), self.state) else {
            return Ok(());
        };
        self.session.note("--", &summary(&report, 1000));
        report.best.map_or(Ok(()), |mv| self.play(mv, began))
    }

    /// Records our move, sends it, and only then plays it: pruning a large tree and waiting for the disk are done in the
    /// opponent's time. Record first: after a crash an extra move can be undone, a missing one cannot.
    fn play(&mut self, mv: Move, began: Instant) -> Result<(), Disconnected> {
        self.session.announce(Some(mv));
        self.write_journal(Some(mv), false);
        let sent = self.session.send(&format!("move {}", written(mv, self.size())));
        self.session.spend(began);
        self.write_journal(Some(mv), true);
        self.guesses.send(mv);
        self.session.game().advance(mv);
        if let Some((us, told)) = self.state.game() {
            self.state = State::Waiting { us, told };
        }
        self.session.keep_record(None);
        self.ponder();
        sent
    }

    /// `error`: our last move was refused, the position stands as before it. A short search looks for another
    /// one among those that have not been refused.
    fn answer_refused(&mut self, arrived: Instant) -> Result<(), Disconnected> {
        let State::Waiting { us, .. } = self.state else { return Ok(()) };
        if self.session.game().position().side() == us {
            return Ok(());
        }
        if self.refuse_guesses(us) {
            return self.think(arrived);
        }
        let Some(refused) = self.session.game().take_back() else { return Ok(()) };
        self.session.refuse(Some(refused));
        self.think(arrived)
    }

    /// The game is over or breaks off: no search goes on, and the record gets its result.
    fn finish_game(&mut self) {
        // Under the platform's rules, also where the game has gone on beyond them.
        let winner = self.session.game().position().with_rules(Rules::SelfBlocking).winner();
        if winner.is_some() {
            self.session.keep_record(winner);
        }
        if self.state.game().is_some() {
            self.resumed.discard();
        }
        // Loaded stays: `end` without a game says nothing about one that broke off.
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
