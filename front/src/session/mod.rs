//! A session on a platform: connection, settings, game and background search. Each protocol is a loop that reads
//! commands, calls the session and writes answers.

mod game;

pub use game::{GameSearch, in_one_line, summary, verdict};

use crate::io::{Connection, Disconnected, Event};
use crate::settings::Settings;
use crate::setup::Setup;
use otrera::{Limits, Move, Position, Report};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};

/// A session on a platform: connection, settings, and the current game with its search.
pub struct Session {
    /// Input, output and log.
    pub connection: Connection,
    /// Options from `otrera.toml`, the command line and the platform.
    pub settings: Settings,
    /// Start position of new games.
    pub start: Position,
    /// The platform's default setup, for values that `settings` leaves open.
    defaults: Setup,
    game: Game,
    /// Number of background searches so far. The latest has this number; stale [`Event::SearchEnded`] events have lower
    /// ones.
    searches: u64,
}

/// The current game with its search.
enum Game {
    /// The next call to [`Session::game`] starts a new game.
    None,
    Idle(Box<GameSearch>),
    /// A background search owns the game.
    Searching(SearchTask),
}

/// A search in a background thread, which owns the game until the search ends.
struct SearchTask {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<(Box<GameSearch>, Report)>,
    /// Moves of the game, which restore it, together with the position after them, if the thread panics.
    moves: Vec<Move>,
    position: Position,
    /// True if the game is dropped when the search ends.
    outdated: bool,
}

impl Session {
    /// Creates a session. The first call to [`Session::game`] creates its game.
    pub fn new(connection: Connection, settings: &Settings, defaults: Setup) -> Self {
        let setup = defaults.with(settings);
        Self {
            connection,
            settings: settings.clone(),
            start: Position::start(setup.size),
            defaults,
            game: Game::None,
            searches: 0,
        }
    }

    /// Returns the setup: the platform's defaults, overridden by the settings.
    pub fn setup(&self) -> Setup {
        self.defaults.with(&self.settings)
    }

    /// Sends an answer of one or more lines in one write.
    pub fn send(&self, answer: &str) -> Result<(), Disconnected> {
        self.connection.output.send(answer)
    }

    /// Writes a line to the log, see [`crate::io::Log::note`].
    pub fn note(&self, mark: &str, text: &str) {
        self.connection.log.note(mark, text);
    }

    /// Returns the current game, created if necessary. First stops a running search and drops its result.
    pub fn game(&mut self) -> &mut GameSearch {
        if let Some(report) = self.stop() {
            self.note("--", &format!("stopped: {}", summary(&report, 1000)));
        }
        let is_idle = matches!(self.game, Game::Idle(_));
        if !is_idle && let Err(problem) = self.settings.check_board(self.start.size()) {
            self.note("!!", &problem);
        }
        let new = || Box::new(GameSearch::new(&self.settings, self.defaults, self.start));
        self.game.idle(new)
    }

    /// Returns the moves played so far; also available during a search.
    pub fn moves(&self) -> &[Move] {
        match &self.game {
            Game::None => &[],
            Game::Idle(game) => game.moves(),
            Game::Searching(task) => &task.moves,
        }
    }

    /// Makes the next call to [`Self::game`] start a new game with an empty tree.
    pub fn forget_tree(&mut self) {
        match &mut self.game {
            Game::Searching(task) => task.outdated = true,
            idle => *idle = Game::None,
        }
    }
}

impl Game {
    /// Returns the idle game; replaces any other by a new one.
    fn idle(&mut self, new: impl FnOnce() -> Box<GameSearch>) -> &mut GameSearch {
        if !matches!(self, Self::Idle(_)) {
            *self = Self::Idle(new());
        }
        match self {
            Self::Idle(game) => game,
            Self::None | Self::Searching(_) => unreachable!("the game is idle"),
        }
    }
}

/// Methods for the background search.
impl Session {
    /// Runs `think` in a background thread, which then sends [`Event::SearchEnded`]. `think` must return soon after its
    /// stop flag is set. Normally returns `None`; if the system cannot start a thread, runs one iteration and returns
    /// its report.
    pub fn search(
        &mut self,
        think: impl FnOnce(&mut GameSearch, &AtomicBool) -> Report + Send + 'static,
    ) -> Option<Report> {
        self.game();
        let Game::Idle(mut game) = std::mem::replace(&mut self.game, Game::None) else { return None };
        self.searches += 1;
        let (number, events) = (self.searches, self.connection.sender.clone());
        let (moves, position) = (game.moves().to_vec(), *game.position());
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let work = move || {
            let report = think(&mut game, &flag);
            // A closed channel means that the program ends.
            let _ = events.send(Event::SearchEnded(number));
            (game, report)
        };
        match Builder::new().name("search".into()).spawn(work) {
            Ok(thread) => {
                self.game = Game::Searching(SearchTask { stop, thread, moves, position, outdated: false });
                None
            }
            Err(_) => Some(self.restore(&moves, position)),
        }
    }

    /// Returns the report of the background search `number`, which has ended; `None` if that search was stopped before.
    pub fn ended(&mut self, number: u64) -> Option<Report> {
        if number == self.searches { self.stop() } else { None }
    }

    /// Stops the background search and returns its report (of one iteration after a panic); `None` if no search runs.
    pub fn stop(&mut self) -> Option<Report> {
        let task = match std::mem::replace(&mut self.game, Game::None) {
            Game::Searching(task) => task,
            idle => {
                self.game = idle;
                return None;
            }
        };
        let SearchTask { stop, thread, moves, position, outdated } = task;
        stop.store(true, Ordering::Relaxed);
        match thread.join() {
            Ok((game, report)) => {
                self.game = if outdated { Game::None } else { Game::Idle(game) };
                Some(report)
            }
            Err(_) => Some(self.restore(&moves, position)),
        }
    }

    /// Restores the game if its search thread panicked or could not start; returns the report of a one-iteration run.
    fn restore(&mut self, moves: &[Move], position: Position) -> Report {
        self.game().follow(moves, position);
        self.game().search(&Limits::iterations(1), &AtomicBool::new(true), &mut |_| ())
    }
}
