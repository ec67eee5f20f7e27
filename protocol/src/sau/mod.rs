//! The SAU Game Platform: `name?`, `new`, `move`, `error`, `end`, `quit`, on a 10x10 board with a clock
//! for the whole game.
//!
//! The search runs in a thread of its own and this loop stays at the input, so that `end`, `new` and
//! `quit` are obeyed at once. Every search has a number; the answer of one that was stopped is dropped.
//! Pondering is such a search without a deadline, in the opponent's time. `protocol/README.md` says what to
//! expect when.

mod command;
mod reload;
mod resume;

use crate::conditions::Conditions;
use crate::io::{Disconnected, Event};
use crate::platform::Platform;
use crate::session::{Game, Session, summary};
use command::{Command, written};
use otrera::{Move, Report, Rules, Side, Size};
use reload::{Silence, Standing};
use resume::Resumed;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The SAU Game Platform: a clock of 15 minutes for the whole game. A move costs there what it takes to paint its
/// window, to read the pipe by a timer and to play a sound to its end.
pub const PLATFORM: Platform = Platform {
    name: "SAU",
    speaker: "SAU",
    command: None,
    transcripts: &["sau"],
    defaults: Conditions {
        total_time: Some(Duration::from_secs(15 * 60)),
        move_overhead: Some(Duration::from_millis(200)),
        ..Conditions::DESKTOP
    },
    recognises,
    play,
};

/// How long we wait for `end` after a move that has decided the game: the two come together, but on a busy
/// machine the thread that reads may be late with the second.
const END_FOLLOWS: Duration = Duration::from_millis(200);

/// Whether a line is a command of this platform.
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
        let deadline = engine.silence.map(|silence| silence.ends);
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

struct Engine {
    session: Session,
    us: Option<Side>,
    /// When our turn began, while a search for our move is under way. One without it ponders.
    turn_began: Option<Instant>,
    /// The game to go on with, until the first game is over.
    resumed: Resumed,
    silence: Option<Silence>,
    standing: Standing,
}

impl Engine {
    fn new(mut session: Session) -> Self {
        let resumed = Resumed::read(&session);
        session.start = session.start.with_rules(Rules::SelfBlocking);
        let standing = Standing::Confirmed;
        Self { session, us: None, turn_began: None, resumed, silence: None, standing }
    }

    fn size(&self) -> Size {
        self.session.start.size()
    }

    fn obey(&mut self, command: Command, arrived: Instant) -> Result<(), Disconnected> {
        if command != Command::Name {
            self.silence = None;
        }
        match command {
            Command::Name => {
                self.await_command(arrived);
                self.session.send(&format!("name {}", self.session.settings.name))
            }
            Command::New(side) => {
                self.forget_unasked();
                self.finish_game();
                self.begin_game(side);
                self.session.announce(None);
                if side == Side::Black { self.think(arrived) } else { Ok(()) }
            }
            Command::Move(mv) => self.opponent_moved(mv, arrived),
            Command::Error => self.answer_refused(arrived),
            Command::End => {
                self.finish_game();
                Ok(())
            }
            Command::Quit => Ok(()),
        }
    }

    fn begin_game(&mut self, us: Side) {
        self.us = Some(us);
        self.session.begin_game(us);
    }

    fn opponent_moved(&mut self, mv: Option<Move>, arrived: Instant) -> Result<(), Disconnected> {
        if self.is_our_turn() && self.standing == Standing::Confirmed {
            // The platform sends no move now, so this is none.
            return Ok(());
        }
        // First of all: the platform says it only once. Should it prove to be none, it is written over.
        self.session.announce(mv);
        let us = match self.us {
            Some(us) => us,
            None => {
                let us = self.enter_resumed_game(mv);
                self.begin_game(us);
                us
            }
        };
        let game = self.session.game();
        let before_last = game.moves().iter().rev().nth(1).copied();
        if mv.is_some() && mv == before_last && game.position().side() != us {
            // The same line twice: an amazon cannot leave the same square for the same square two turns running.
            self.session.keep_record(None);
            return Ok(());
        }
        if !self.follow_opponent(mv) {
            // The platform lets no illegal move pass, so we have misread something. Any answer is
            // better than to wait for a move that has already been made.
            self.session.note("!!", "a move that cannot be played here was left out");
            self.session.game().give_turn_to(us);
        }
        self.standing = Standing::Confirmed;
        self.session.refused.clear();
        self.session.keep_record(None);
        self.think(arrived)
    }

    /// Whether a search for our next move is under way.
    fn is_our_turn(&self) -> bool {
        self.session.is_searching() && self.turn_began.is_some()
    }

    /// Our move in the game to resume, as long as this one has gone the same way.
    fn resumed_move(&self) -> Option<Move> {
        self.resumed.moves.strip_prefix(self.session.moves())?.first().copied()
    }

    /// Starts the search for our move, if we have any; it ends with the time of our turn, or when it is stopped. A move
    /// of the game to resume is played at once.
    fn think(&mut self, turn_began: Instant) -> Result<(), Disconnected> {
        let game = self.session.game();
        if game.position().movements().next().is_none() {
            return Ok(());
        }
        let decided = game.position().winner().is_some();
        if let Some(mv) = self.resumed_move().filter(|mv| !self.session.refused.contains(mv)) {
            return self.play(mv, turn_began);
        }
        if decided {
            // The platform ends such a game, and `end` will stop us. A referee that goes on all the same
            // plays by the ordinary rules.
            self.session.game().set_rules(Rules::Standard);
        }
        let hold = if decided { END_FOLLOWS } else { Duration::ZERO };
        self.session.exclude_refused();
        let time = self.session.time_for_move();
        let think = move |game: &mut Game, stop: &AtomicBool| {
            let report = game.think(Some(turn_began + time), stop);
            while turn_began.elapsed() < hold && !stop.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(2));
            }
            report
        };
        self.turn_began = Some(turn_began);
        match self.session.search(think) {
            Some(Report { best: Some(mv), .. }) => self.play(mv, turn_began),
            _ => Ok(()),
        }
    }

    /// Thinks in the opponent's time if that is wanted and there is something to think about.
    fn ponder(&mut self) {
        self.turn_began = None;
        if self.session.settings.pondering && self.session.game().position().winner().is_none() {
            // Without a thread for it there is no pondering.
            let _ = self.session.search(Game::ponder);
        }
    }

    /// A search has ended by itself. Pondering does so when the game is proven.
    fn search_ended(&mut self, number: u64) -> Result<(), Disconnected> {
        let (Some(report), Some(turn_began)) = (self.session.ended(number), self.turn_began) else {
            return Ok(());
        };
        self.session.note("--", &summary(&report, 1000));
        report.best.map_or(Ok(()), |mv| self.play(mv, turn_began))
    }

    /// Records our move and sends it, and only then plays it: tidying up a large tree and waiting for the disk take
    /// a moment, and it is the opponent's. Who is killed in between finds a move in the record that the platform
    /// may not have; the other way round it could not be known any more.
    fn play(&mut self, mv: Move, turn_began: Instant) -> Result<(), Disconnected> {
        self.session.announce(Some(mv));
        let sent = self.session.send(&format!("move {}", written(mv, self.size())));
        self.session.spend(turn_began);
        self.session.game().advance(mv);
        self.session.keep_record(None);
        self.ponder();
        sent
    }

    /// `error`: our last move was refused, the position stands as before it. A short search looks for another
    /// one among those that have not been refused.
    fn answer_refused(&mut self, arrived: Instant) -> Result<(), Disconnected> {
        if self.is_our_turn() {
            return Ok(());
        }
        let game = self.session.game();
        let Some(us) = self.us.filter(|&us| game.position().side() != us) else { return Ok(()) };
        if self.standing == Standing::Repeated {
            game.give_turn_to(us);
            self.standing = Standing::Unasked;
            self.session.note("!!", "the opponent has moved while we were away; the record lacks that move");
            self.session.refuse(None);
        } else {
            let Some(refused) = game.take_back() else { return Ok(()) };
            self.session.refuse(Some(refused));
        }
        self.think(arrived)
    }

    /// The game is over or breaks off: no search goes on, and the record gets its result.
    fn finish_game(&mut self) {
        // Under the platform's rules, also where the game has gone on beyond them.
        let winner = self.session.game().position().with_rules(Rules::SelfBlocking).winner();
        if winner.is_some() {
            self.session.keep_record(winner);
        }
        if self.us.take().is_some() {
            self.resumed = Resumed::default();
        }
        self.standing = Standing::Confirmed;
        self.session.end_game();
    }
}
