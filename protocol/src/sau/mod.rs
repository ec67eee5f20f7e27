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

use crate::io::{Disconnected, Event, Events, Log, Output};
use crate::options::Settings;
use crate::records::{RecordFile, own_name};
use crate::session::{Defaults, Game, summary};
use crate::thought::Thought;
use command::{Command, written};
use otrera::clock::GameClock;
use otrera::{Move, Position, Report, Rules, Side, Size};
use reload::{Silence, Standing};
use resume::Resumed;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// Whether a line is a command of this platform.
pub fn recognises(line: &str) -> bool {
    // Strict about what follows: other programs write lines that begin with "new", "move" or "error" too.
    match Command::read(line, Size::STANDARD) {
        Some(Command::Name | Command::Quit | Command::Move(Some(_))) => true,
        Some(Command::New(_)) => line.split_ascii_whitespace().count() == 2,
        _ => false,
    }
}

/// Speaks with the platform until `quit` or the end of input.
pub fn play(
    events: &mut Events,
    sender: Sender<Event>,
    output: &Output,
    log: &Log,
    settings: &Settings,
) -> Result<(), Disconnected> {
    let mut engine = Engine::new(sender, output, log, settings);
    loop {
        let event = match engine.silence {
            Some(silence) => events.next_before(silence.ends),
            None => Some(events.wait()),
        };
        let outcome = match event {
            None => engine.go_on_unasked(),
            Some(Event::Closed) => break,
            Some(Event::Thought(number)) => engine.thought(number),
            Some(Event::Line(line, arrived)) => match Command::read(&line, engine.size) {
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

/// Who thinks: the game is here, or with the thread that thinks about it.
enum Mind {
    Idle(Box<Game>),
    Thinking { thought: Thought, turn: Option<Turn> },
}

/// Our turn. While we ponder it is not our turn.
#[derive(Clone, Copy)]
struct Turn {
    began: Instant,
    /// How long we want to think.
    time: Duration,
    /// How long to hold the answer back however soon it is found.
    hold: Duration,
}

/// What a move costs on the platform's clock beside our thinking, where the settings do not say: its window is
/// painted again, the pipe is read by a timer, a sound is played to its end.
const OVERHEAD: Duration = Duration::from_millis(200);

/// How long we think about a move in place of one that was refused.
const REPLACEMENT: Duration = Duration::from_millis(700);

/// How long we wait for `end` after a move that has decided the game: the two come together, but on a busy
/// machine the thread that reads may be late with the second.
const END_FOLLOWS: Duration = Duration::from_millis(200);

struct Engine<'a> {
    sender: Sender<Event>,
    output: &'a Output,
    log: &'a Log,
    settings: &'a Settings,
    size: Size,
    /// Only absent while it changes hands inside a method.
    mind: Option<Mind>,
    /// The moves and the position of the game when it was last given to a search, should that lose it.
    given: Option<(Vec<Move>, Position)>,
    /// The number of the newest search.
    search: u64,
    us: Option<Side>,
    clock: GameClock,
    /// Our moves that the platform refused in the present position.
    refused: Vec<Move>,
    record: Option<RecordFile>,
    /// The game to go on with, until the first game is over.
    resumed: Resumed,
    silence: Option<Silence>,
    standing: Standing,
}

impl<'a> Engine<'a> {
    fn new(sender: Sender<Event>, output: &'a Output, log: &'a Log, settings: &'a Settings) -> Self {
        let size = settings.size.unwrap_or(Size::STANDARD);
        let resumed = settings.resume.as_ref().map_or_else(Resumed::default, |file| {
            let (resumed, notes) = Resumed::read(file, settings, &Position::start(size));
            notes.iter().for_each(|(mark, note)| log.note(mark, note));
            resumed
        });
        Self {
            sender,
            output,
            log,
            settings,
            size,
            mind: None,
            given: None,
            search: 0,
            us: None,
            clock: new_clock(settings),
            refused: Vec::new(),
            record: None,
            resumed,
            silence: None,
            standing: Standing::Confirmed,
        }
    }

    fn new_game(&self) -> Box<Game> {
        let start = Position::start(self.size).with_rules(Rules::SelfBlocking);
        Box::new(Game::new(self.settings, Defaults::desktop(), start))
    }

    /// The game that a search was given and did not give back, with a new tree.
    fn restored_game(&self) -> Box<Game> {
        let mut game = self.new_game();
        if let Some((moves, position)) = &self.given {
            game.follow(moves, *position);
        }
        game.exclude(&self.left_out(game.position()));
        game
    }

    fn obey(&mut self, command: Command, arrived: Instant) -> Result<(), Disconnected> {
        if command != Command::Name {
            self.silence = None;
        }
        match command {
            Command::Name => {
                self.await_command(arrived);
                self.output.send(&format!("name {}", self.settings.name))
            }
            Command::New(side) => {
                self.forget_unasked();
                self.finish_game();
                self.begin_game(side);
                self.announce(None);
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

    /// The game, taken back from a search that may be under way; its result is dropped.
    fn take_game(&mut self) -> Box<Game> {
        match self.mind.take() {
            Some(Mind::Idle(game)) => game,
            Some(Mind::Thinking { thought, .. }) => {
                thought.stop();
                let Some((game, report)) = thought.finish() else { return self.restored_game() };
                self.log.note("--", &format!("stopped: {}", summary(&report, 1000)));
                game
            }
            None => self.new_game(),
        }
    }

    fn begin_game(&mut self, us: Side) {
        self.us = Some(us);
        self.clock = new_clock(self.settings);
        self.record = self.settings.record_dir.as_ref().map(|folder| {
            let settings = self.settings;
            let (ours, theirs) = (own_name(settings), settings.opponent.as_str());
            let names: [&str; 2] = match us {
                Side::Black => [ours, theirs],
                Side::White => [theirs, ours],
            };
            let start = Position::start(self.size);
            RecordFile::new(folder, names, settings, &start)
        });
    }

    fn opponent_moved(&mut self, mv: Option<Move>, arrived: Instant) -> Result<(), Disconnected> {
        if self.is_our_turn() && self.standing == Standing::Confirmed {
            // The platform sends no move now, so this is none.
            return Ok(());
        }
        // First of all: the platform says it only once. Should it prove to be none, it is written over.
        self.announce(mv);
        let mut game = self.take_game();
        let us = match self.us {
            Some(us) => us,
            None => {
                let us = self.enter_resumed_game(&mut game, mv);
                self.begin_game(us);
                us
            }
        };
        let before_last = game.moves().iter().rev().nth(1).copied();
        if mv.is_some() && mv == before_last && game.position().side() != us {
            // It is said twice: an amazon does not leave a square that it has just left.
            self.keep_record(&game, None);
            self.mind = Some(Mind::Idle(game));
            return Ok(());
        }
        if !self.follow_opponent(&mut game, mv) {
            // The platform lets no illegal move pass, so we have misread something. Any answer is
            // better than to wait for a move that has already been made.
            self.log.note("!!", "a move that cannot be played here was left out");
            game.give_turn_to(us);
        }
        self.standing = Standing::Confirmed;
        self.refused.clear();
        self.keep_record(&game, None);
        self.mind = Some(Mind::Idle(game));
        self.think(arrived)
    }

    /// Whether a search for our next move is under way.
    fn is_our_turn(&self) -> bool {
        matches!(self.mind, Some(Mind::Thinking { turn: Some(_), .. }))
    }

    /// Our move in the game to resume, as long as this one has gone the same way.
    fn resumed_move(&self, game: &Game) -> Option<Move> {
        self.resumed.moves.strip_prefix(game.moves())?.first().copied()
    }

    /// Starts to think about our move, if we have any.
    fn think(&mut self, turn_began: Instant) -> Result<(), Disconnected> {
        let mut game = self.take_game();
        if game.position().movements().next().is_none() {
            self.mind = Some(Mind::Idle(game));
            return Ok(());
        }
        if let Some(mv) = self.resumed_move(&game).filter(|mv| !self.refused.contains(mv)) {
            self.mind = Some(Mind::Idle(game));
            return self.play(mv, turn_began);
        }
        let mut hold = Duration::ZERO;
        if game.position().winner().is_some() {
            // The platform ends such a game, and `end` will stop us. A referee that goes on all the same
            // plays by the ordinary rules.
            hold = END_FOLLOWS;
            game.set_rules(Rules::Standard);
        }
        game.exclude(&self.left_out(game.position()));
        let mut time = self.settings.move_time.unwrap_or_else(|| self.clock.time_for(game.position()));
        if !self.refused.is_empty() {
            time = time.min(REPLACEMENT);
        }
        match self.start_search(game, Some(Turn { began: turn_began, time, hold })) {
            Ok(()) => Ok(()),
            Err(game) => self.answer_without_thinking(game, turn_began),
        }
    }

    /// Thinks in the opponent's time if that is wanted and there is something to think about.
    fn ponder(&mut self) {
        let game = self.take_game();
        let nothing_to_do = !self.settings.pondering || game.position().winner().is_some();
        if nothing_to_do {
            self.mind = Some(Mind::Idle(game));
        } else if let Err(game) = self.start_search(game, None) {
            self.mind = Some(Mind::Idle(game));
        }
    }

    /// Thinks in a thread of its own until the time of our turn is over, or until it is stopped. Where there
    /// is no thread to be had the game comes back.
    fn start_search(&mut self, game: Box<Game>, turn: Option<Turn>) -> Result<(), Box<Game>> {
        self.search += 1;
        self.given = Some((game.moves().to_vec(), *game.position()));
        let think = move |game: &mut Game, stop: &AtomicBool| {
            let Some(turn) = turn else { return game.ponder(stop) };
            let report = game.think(Some(turn.began + turn.time), stop);
            while turn.began.elapsed() < turn.hold && !stop.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(2));
            }
            report
        };
        let thought = Thought::start(game, self.search, self.sender.clone(), think)?;
        self.mind = Some(Mind::Thinking { thought, turn });
        Ok(())
    }

    /// The system grants no thread, or it broke down.
    fn answer_without_thinking(
        &mut self,
        mut game: Box<Game>,
        turn_began: Instant,
    ) -> Result<(), Disconnected> {
        let report = game.think(Some(turn_began), &AtomicBool::new(true));
        self.mind = Some(Mind::Idle(game));
        self.answer(report, turn_began)
    }

    /// A search has ended by itself.
    fn thought(&mut self, number: u64) -> Result<(), Disconnected> {
        match self.mind.take() {
            Some(Mind::Thinking { thought, turn }) if thought.is(number) => {
                let finished = thought.finish();
                let Some(turn) = turn else {
                    // Pondering is over before its time: the game is proven.
                    let game = finished.map_or_else(|| self.restored_game(), |(game, _)| game);
                    self.mind = Some(Mind::Idle(game));
                    return Ok(());
                };
                let Some((game, report)) = finished else {
                    let game = self.restored_game();
                    return self.answer_without_thinking(game, turn.began);
                };
                self.mind = Some(Mind::Idle(game));
                self.log.note("--", &summary(&report, 1000));
                self.answer(report, turn.began)
            }
            other => {
                self.mind = other;
                Ok(())
            }
        }
    }

    fn answer(&mut self, report: Report, turn_began: Instant) -> Result<(), Disconnected> {
        let Some(mv) = report.best else { return Ok(()) };
        self.play(mv, turn_began)
    }

    /// Records our move and sends it, and only then plays it: tidying up a large tree and waiting for the disk take
    /// a moment, and it is the opponent's. Who is killed in between finds a move in the record that the platform
    /// may not have; the other way round it could not be known any more.
    fn play(&mut self, mv: Move, turn_began: Instant) -> Result<(), Disconnected> {
        self.announce(Some(mv));
        let mut game = self.take_game();
        let sent = self.output.send(&format!("move {}", written(mv, self.size)));
        self.clock.spend(turn_began.elapsed() + overhead(self.settings));
        self.log.note("--", &format!("{:.3} s left", self.clock.remaining().as_secs_f64()));
        game.advance(mv);
        self.keep_record(&game, None);
        self.mind = Some(Mind::Idle(game));
        self.ponder();
        sent
    }

    /// `error`: our last move was refused, the position stands as before it. A short search looks for another
    /// one among those that have not been refused; when all have been, the round begins again.
    fn answer_refused(&mut self, arrived: Instant) -> Result<(), Disconnected> {
        if self.is_our_turn() {
            return Ok(());
        }
        let mut game = self.take_game();
        let Some(us) = self.us.filter(|&us| game.position().side() != us) else {
            self.mind = Some(Mind::Idle(game));
            return Ok(());
        };
        if self.standing == Standing::Repeated {
            self.log.note("!!", "the opponent has moved while we were away; the record lacks that move");
            self.standing = Standing::Unasked;
            game.give_turn_to(us);
        } else if let Some(refused) = game.take_back() {
            self.refused.push(refused);
        } else {
            self.mind = Some(Mind::Idle(game));
            return Ok(());
        }
        if self.left_out(game.position()).len() == game.position().legal_moves().count() {
            self.refused.clear();
        }
        self.mind = Some(Mind::Idle(game));
        self.think(arrived)
    }

    /// The legal moves that are not to be tried: those refused, and all with a movement that was refused twice, for
    /// something must stand in its way that we do not know of.
    fn left_out(&self, position: &Position) -> Vec<Move> {
        let refusals = |mv: &Move| self.refused.iter().filter(|r| r.movement() == mv.movement()).count();
        let is_out = |mv: &Move| self.refused.contains(mv) || refusals(mv) >= 2;
        if self.refused.is_empty() { Vec::new() } else { position.legal_moves().filter(is_out).collect() }
    }

    /// Writes the record as the game stands, if one is wanted.
    fn keep_record(&mut self, game: &Game, winner: Option<Side>) {
        let written = self.record.as_mut().map(|record| record.write(game, winner));
        self.tell_of_failure(written);
    }

    /// Writes the record with a move that has just come or is about to be sent.
    fn announce(&mut self, mv: Option<Move>) {
        let known = match (&self.mind, &self.given) {
            (Some(Mind::Idle(game)), _) => game.moves(),
            (_, Some((given, _))) => given,
            _ => &[],
        };
        let moves = [known, mv.as_slice()].concat();
        let written = self.record.as_mut().map(|record| record.announce(&moves));
        self.tell_of_failure(written);
    }

    fn tell_of_failure(&self, written: Option<Result<PathBuf, String>>) {
        if let Some(Err(problem)) = written {
            self.log.note("!!", &problem);
        }
    }

    /// The game is over or breaks off: no search goes on, and the record gets its result.
    fn finish_game(&mut self) {
        let mut game = self.take_game();
        // Under the platform's rules, also where the game has gone on beyond them.
        let winner = game.position().with_rules(Rules::SelfBlocking).winner();
        if winner.is_some() {
            self.keep_record(&game, winner);
        }
        if self.us.take().is_some() {
            self.resumed = Resumed::default();
        }
        if let Some(record) = self.record.take().filter(|_| game.moves().is_empty()) {
            record.discard();
        }
        self.standing = Standing::Confirmed;
        self.refused.clear();
        game.restart();
        self.mind = Some(Mind::Idle(game));
    }
}

/// What a move costs beside our thinking.
fn overhead(settings: &Settings) -> Duration {
    settings.move_overhead.unwrap_or(OVERHEAD)
}

fn new_clock(settings: &Settings) -> GameClock {
    GameClock::new(settings.total_time).with_overhead(overhead(settings))
}
