//! The SAU Game Platform: `name?`, `new`, `move`, `error`, `end`, `quit`, on a 10x10 board with a clock
//! for the whole game.
//!
//! The search runs in a thread of its own and this loop stays at the input, so that `end`, `new` and
//! `quit` are obeyed at once. Every search has a number; the answer of one that was stopped is dropped.
//! `protocol/README.md` says what to expect when.

use crate::io::{Disconnected, Event, Events, Log, Output};
use crate::options::Settings;
use crate::records;
use crate::session::{Defaults, Game, summary};
use otrera::{GameClock, Move, Position, Report, Rules, Side, Size, Square};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
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

/// A command of the platform. Those of other games are not here: they are ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Command {
    Name,
    New(Side),
    /// The opponent's move; `None` when it cannot be read.
    Move(Option<Move>),
    Error,
    End,
    Quit,
}

impl Command {
    fn read(line: &str, size: Size) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let command = match words.next()? {
            "name?" => Self::Name,
            "new" => match words.next() {
                Some(colour) if colour.eq_ignore_ascii_case("white") => Self::New(Side::White),
                // "new black"; a colour that cannot be read is better answered than not.
                _ => Self::New(Side::Black),
            },
            "move" => Self::Move(words.next().and_then(|text| read_move(text, size))),
            "error" => Self::Error,
            "end" => Self::End,
            "quit" => Self::Quit,
            _ => return None,
        };
        Some(command)
    }
}

/// A move from six letters: column A.., row A.. counted from the top, three times. Small letters will do.
fn read_move(text: &str, size: Size) -> Option<Move> {
    let letters: [u8; 6] = text.to_ascii_uppercase().as_bytes().try_into().ok()?;
    let square = |x: u8, y: u8| {
        let from_top = usize::from(y.checked_sub(b'A')?);
        let row = size.edge().checked_sub(from_top + 1)?;
        let square = Square::new(usize::from(x.checked_sub(b'A')?), row)?;
        size.contains(square).then_some(square)
    };
    let [x0, y0, x1, y1, x2, y2] = letters;
    Some(Move { from: square(x0, y0)?, to: square(x1, y1)?, arrow: square(x2, y2)? })
}

/// The six letters of a move.
fn written(mv: Move, size: Size) -> String {
    let letter = |number: usize| (b'A' + number as u8) as char;
    [mv.from, mv.to, mv.arrow]
        .iter()
        .flat_map(|square| [letter(square.column()), letter(size.edge() - 1 - square.row())])
        .collect()
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
        let outcome = match events.next() {
            Event::Closed => break,
            Event::Thought(number) => engine.thought(number),
            Event::Line(line, arrived) => match Command::read(&line, engine.size) {
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

/// Gives `end` a moment to come before the answer to a game that is over: thinking may take no time at all.
fn wait_for_end(stop: &AtomicBool) {
    for _ in 0..50 {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Who thinks: the game is here, or with the thread that thinks about it.
enum Mind {
    Idle(Box<Game>),
    Thinking { stop: Arc<AtomicBool>, thread: JoinHandle<(Box<Game>, Report)>, turn_began: Instant },
}

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
    /// Our moves that the platform refused in the present position, and what we thought of the others.
    refused: Vec<Move>,
    last_report: Option<Report>,
}

impl<'a> Engine<'a> {
    fn new(sender: Sender<Event>, output: &'a Output, log: &'a Log, settings: &'a Settings) -> Self {
        let size = settings.size.unwrap_or(Size::STANDARD);
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
            clock: GameClock::new(settings.total_time),
            refused: Vec::new(),
            last_report: None,
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
        game
    }

    fn obey(&mut self, command: Command, arrived: Instant) -> Result<(), Disconnected> {
        match command {
            Command::Name => self.output.send(&format!("name {}", self.settings.name)),
            Command::New(side) => {
                self.finish_game();
                self.us = Some(side);
                self.clock = GameClock::new(self.settings.total_time);
                if side == Side::Black { self.think(arrived) } else { Ok(()) }
            }
            Command::Move(mv) => self.opponent_moved(mv, arrived),
            Command::Error => self.answer_refused(),
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
            Some(Mind::Thinking { stop, thread, .. }) => {
                stop.store(true, Ordering::Relaxed);
                self.search += 1;
                thread.join().map_or_else(|_| self.restored_game(), |(game, _)| game)
            }
            None => self.new_game(),
        }
    }

    fn opponent_moved(&mut self, mv: Option<Move>, arrived: Instant) -> Result<(), Disconnected> {
        if matches!(self.mind, Some(Mind::Thinking { .. })) {
            // It is our turn: the platform sends no move now, so this is none.
            return Ok(());
        }
        let us = *self.us.get_or_insert(Side::White);
        let mut game = self.take_game();
        let last_time = game.moves().iter().rev().nth(1).copied();
        if mv.is_some() && mv == last_time && game.position().side() != us {
            // It is said twice: an amazon does not leave a square that it has just left.
            self.mind = Some(Mind::Idle(game));
            return Ok(());
        }
        self.refused.clear();
        self.last_report = None;
        match mv.filter(|&mv| game.position().side() != us && game.position().check(mv).is_ok()) {
            Some(mv) => game.advance(mv),
            None => {
                // The platform lets no illegal move pass, so we have misread something. Any answer is
                // better than to wait for a move that has already been made.
                self.log.note("!!", "a move that cannot be played here was left out");
                game.give_turn_to(us);
            }
        }
        self.mind = Some(Mind::Idle(game));
        self.think(arrived)
    }

    /// Starts to think about our move, if we have any.
    fn think(&mut self, turn_began: Instant) -> Result<(), Disconnected> {
        let mut game = self.take_game();
        if game.position().movements().next().is_none() {
            self.mind = Some(Mind::Idle(game));
            return Ok(());
        }
        let over = game.position().winner().is_some();
        if over {
            // The platform ends such a game, and `end` will stop us. A referee that goes on all the same
            // plays by the ordinary rules.
            game.set_rules(Rules::Standard);
        }
        let time = self.settings.move_time.unwrap_or_else(|| self.clock.time_for(game.position()));
        let stop = Arc::new(AtomicBool::new(false));
        self.search += 1;
        self.given = Some((game.moves().to_vec(), *game.position()));
        let (number, sender, flag) = (self.search, self.sender.clone(), Arc::clone(&stop));
        let think = move || {
            let report = game.think(Some(turn_began + time), &flag);
            if over {
                wait_for_end(&flag);
            }
            // A closed channel means that the program is ending.
            let _ = sender.send(Event::Thought(number));
            (game, report)
        };
        let spawned = std::thread::Builder::new().name("search".into()).spawn(think);
        match spawned {
            Ok(thread) => {
                self.mind = Some(Mind::Thinking { stop, thread, turn_began });
                Ok(())
            }
            Err(_) => self.answer_without_thinking(turn_began),
        }
    }

    /// The system grants no thread, or it broke down: the game was lost with it and goes on with a new tree.
    fn answer_without_thinking(&mut self, turn_began: Instant) -> Result<(), Disconnected> {
        let mut game = self.restored_game();
        let report = game.think(Some(turn_began), &AtomicBool::new(true));
        self.mind = Some(Mind::Idle(game));
        self.answer(report)
    }

    /// A search has ended by itself.
    fn thought(&mut self, number: u64) -> Result<(), Disconnected> {
        match self.mind.take() {
            Some(Mind::Thinking { thread, turn_began, .. }) if number == self.search => {
                let (game, report) = match thread.join() {
                    Ok(thought) => thought,
                    Err(_) => return self.answer_without_thinking(turn_began),
                };
                self.mind = Some(Mind::Idle(game));
                self.log.note("--", &summary(&report, 1000));
                let answered = self.answer(report);
                self.clock.spend(turn_began.elapsed());
                answered
            }
            other => {
                self.mind = other;
                Ok(())
            }
        }
    }

    fn answer(&mut self, report: Report) -> Result<(), Disconnected> {
        let Some(mv) = report.best else { return Ok(()) };
        self.last_report = Some(report);
        self.play(mv)
    }

    /// Sends our move, and only then plays it: tidying up a large tree takes a moment.
    fn play(&mut self, mv: Move) -> Result<(), Disconnected> {
        let sent = self.output.send(&format!("move {}", written(mv, self.size)));
        let mut game = self.take_game();
        game.advance(mv);
        self.mind = Some(Mind::Idle(game));
        sent
    }

    /// `error`: our last move was refused, the position stands as before it. The next best move that has
    /// not been refused is played at once; when all have been, the round begins again.
    fn answer_refused(&mut self) -> Result<(), Disconnected> {
        if matches!(self.mind, Some(Mind::Thinking { .. })) {
            return Ok(());
        }
        let mut game = self.take_game();
        let ours_is_last = self.us.is_some_and(|us| game.position().side() != us);
        let taken_back = if ours_is_last { game.take_back() } else { None };
        let Some(refused) = taken_back else {
            self.mind = Some(Mind::Idle(game));
            return Ok(());
        };
        self.refused.push(refused);
        let looked_at = self.last_report.iter().flat_map(|report| report.lines.iter().map(|line| line.mv));
        let candidates: Vec<Move> = looked_at.chain(game.position().legal_moves()).collect();
        let next = candidates.iter().copied().find(|mv| !self.refused.contains(mv));
        self.mind = Some(Mind::Idle(game));
        if next.is_none() {
            self.refused.clear();
        }
        self.play(next.or(candidates.first().copied()).unwrap_or(refused))
    }

    /// The game is over or breaks off: no search goes on, and the record is written if one is wanted.
    fn finish_game(&mut self) {
        let game = self.take_game();
        if let (Some(us), Some(folder)) = (self.us, &self.settings.record_dir)
            && !game.moves().is_empty()
        {
            let names = match us {
                Side::Black => [self.settings.name.as_str(), "Opponent"],
                Side::White => ["Opponent", self.settings.name.as_str()],
            };
            if let Err(problem) = records::write(folder, names, &game, game.position().winner()) {
                self.log.note("!!", &problem);
            }
        }
        self.us = None;
        self.refused.clear();
        self.last_report = None;
        let mut game = game;
        game.restart();
        self.mind = Some(Mind::Idle(game));
    }
}
