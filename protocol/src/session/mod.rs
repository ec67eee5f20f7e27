//! A session on a platform: game, background search, clock, refused moves and record. Each protocol is a loop that
//! reads commands, calls the session and writes answers.

mod game;

pub use game::{GameSearch, in_one_line, summary, verdict};

use crate::io::{Connection, Disconnected, Event};
use crate::options::Settings;
use crate::records::{RecordFile, own_name};
use crate::setup::Setup;
use otrera::{GameClock, Limits, Move, Position, Report, Rules, Side};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Maximum thinking time for a replacement move after the platform has refused our move.
const MAX_REPLACEMENT: Duration = Duration::from_millis(700);

/// A session on a platform: connection, settings, and the current game with its search, clock and record.
pub struct Session {
    pub connection: Connection,
    /// Options from `otrera.toml`, the command line and the platform.
    pub settings: Settings,
    /// Start position of new games.
    pub start: Position,
    /// The platform's default setup, for values that `settings` leaves open.
    defaults: Setup,
    /// Current game; `None` before the first use, and while the background search owns the game.
    game: Option<Box<GameSearch>>,
    /// The background search, if one is running.
    task: Option<SearchTask>,
    /// Number of the latest background search, counted from 1; stale [`Event::SearchEnded`] events have lower numbers.
    searches: u64,
    /// True if the next call to [`Session::game`] starts a new game with an empty tree.
    outdated: bool,
    clock: GameClock,
    /// Our moves that the platform has refused in the current position.
    pub refused: Vec<Move>,
    record: Option<RecordFile>,
}

/// A search in a background thread, which owns the game until the search ends.
struct SearchTask {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<(Box<GameSearch>, Report)>,
    /// Moves of the game, which restore it, together with the position after them, if the thread panics.
    moves: Vec<Move>,
    position: Position,
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
            game: None,
            task: None,
            searches: 0,
            outdated: false,
            clock: new_clock(setup),
            refused: Vec::new(),
            record: None,
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

    pub fn note(&self, mark: &str, text: &str) {
        self.connection.log.note(mark, text);
    }

    /// Returns the current game, created if necessary. First stops a running search and drops its result.
    pub fn game(&mut self) -> &mut GameSearch {
        if let Some(report) = self.stop() {
            self.note("--", &format!("stopped: {}", summary(&report, 1000)));
        }
        if std::mem::take(&mut self.outdated) {
            self.game = None;
        }
        if self.game.is_none()
            && let Err(problem) = self.settings.check_board(self.start.size())
        {
            self.note("!!", &problem);
        }
        let new = || Box::new(GameSearch::new(&self.settings, self.defaults, self.start));
        self.game.get_or_insert_with(new)
    }

    /// Returns the moves played so far; also available during a search.
    pub fn moves(&self) -> &[Move] {
        match (&self.game, &self.task) {
            (Some(game), _) => game.moves(),
            (None, Some(task)) => &task.moves,
            (None, None) => &[],
        }
    }

    /// Makes the next call to [`Self::game`] start a new game with an empty tree.
    pub fn forget_tree(&mut self) {
        self.outdated = true;
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
        let mut game = self.game.take()?;
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
                self.task = Some(SearchTask { stop, thread, moves, position });
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
        let SearchTask { stop, thread, moves, position } = self.task.take()?;
        stop.store(true, Ordering::Relaxed);
        match thread.join() {
            Ok((game, report)) => {
                self.game = Some(game);
                Some(report)
            }
            Err(_) => Some(self.restore(&moves, position)),
        }
    }

    /// Restores the game if its search thread panicked or could not start; returns the report of a one-iteration run.
    fn restore(&mut self, moves: &[Move], position: Position) -> Report {
        self.game().follow(moves, position);
        self.exclude_refused();
        self.game().search(&Limits::iterations(1), &AtomicBool::new(true), &mut |_| ())
    }
}

/// Methods for the game clock.
impl Session {
    /// Returns the thinking time for our next move: `move_time` of the setup, or [`GameClock::time_for`] without it.
    /// After a refused move, limits the time to [`MAX_REPLACEMENT`].
    pub fn time_for_move(&mut self) -> Duration {
        let position = *self.game().position();
        let time = self.setup().move_time.unwrap_or_else(|| self.clock.time_for(&position));
        if self.refused.is_empty() { time } else { time.min(MAX_REPLACEMENT) }
    }

    /// Subtracts the time since `turn_began` and the move overhead from the clock, and logs the time left.
    pub fn spend(&mut self, turn_began: Instant) {
        self.clock.spend(turn_began.elapsed() + self.setup().move_overhead.unwrap_or_default());
        self.note("--", &format!("{:.3} s left", self.clock.remaining().as_secs_f64()));
    }

    pub fn time_left(&self) -> Duration {
        self.clock.remaining()
    }

    /// Sets our time left in the current game. The next game begins with the total time again.
    pub fn set_time_left(&mut self, left: Duration) {
        self.clock = new_clock(self.setup()).with_left(left);
    }
}

fn new_clock(setup: Setup) -> GameClock {
    GameClock::for_match(setup.total_time.unwrap_or_default(), setup.move_overhead.unwrap_or_default())
}

/// Methods for refused moves.
impl Session {
    /// Records that the platform refused a move in this position. Clears the list once it excludes every legal move.
    pub fn refuse(&mut self, mv: Move) {
        self.refused.push(mv);
        let excluded = self.excluded().len();
        if excluded == self.game().position().legal_moves().count() {
            self.refused.clear();
        }
    }

    pub fn exclude_refused(&mut self) {
        let excluded = self.excluded();
        self.game().exclude(&excluded);
    }

    /// Lists the legal moves to exclude: refused moves, and all moves whose movement was refused with two arrows.
    fn excluded(&mut self) -> Vec<Move> {
        if self.refused.is_empty() {
            return Vec::new();
        }
        let position = *self.game().position();
        // A movement refused with two arrows is probably blocked by a piece that we do not know of.
        let refusals = |mv: &Move| self.refused.iter().filter(|r| r.movement() == mv.movement()).count();
        let is_out = |mv: &Move| self.refused.contains(mv) || refusals(mv) >= 2;
        position.legal_moves().filter(is_out).collect()
    }
}

/// Methods for games and their records.
impl Session {
    /// Starts a game in which we play `us`: resets the clock, and prepares a record if `record_dir` is set.
    pub fn begin_game(&mut self, us: Side) {
        self.clock = new_clock(self.setup());
        let settings = &self.settings;
        let (ours, theirs) = (own_name(settings), settings.opponent.as_str());
        let names = if us == Side::Black { [ours, theirs] } else { [theirs, ours] };
        let start = self.start.with_rules(Rules::Standard);
        let folder = settings.record_dir.as_ref();
        self.record = folder.map(|folder| RecordFile::new(folder, names, settings, &start));
    }

    /// Ends the game: returns to the start position, clears the moves that the platform refused, and closes the record.
    /// Deletes the record if the game has no moves.
    pub fn end_game(&mut self) {
        if self.game().moves().is_empty() {
            self.discard_record();
        }
        self.record = None;
        self.refused.clear();
        let start = self.start;
        self.game().follow(&[], start);
    }

    /// Writes the record, with the result if known, and syncs it to disk.
    pub fn keep_record(&mut self, winner: Option<Side>) {
        let moves = self.moves().to_vec();
        self.write_record(|record| record.write(&moves, winner));
    }

    /// Writes the record, including `mv`, a move just received or about to be sent, without syncing it to disk.
    pub fn announce(&mut self, mv: Option<Move>) {
        let moves = [self.moves(), mv.as_slice()].concat();
        self.write_record(|record| record.announce(&moves));
    }

    fn write_record<T>(&mut self, write: impl FnOnce(&mut RecordFile) -> Result<T, String>) {
        if let Some(Err(problem)) = self.record.as_mut().map(write) {
            self.note("!!", &problem);
        }
    }

    pub fn discard_record(&mut self) {
        if let Some(record) = self.record.take() {
            record.discard();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Log;

    const TOTAL: Duration = Duration::from_secs(60);

    fn session(overhead: Duration) -> Session {
        let connection = Connection::closed(Log::none(Instant::now()));
        let settings = Settings { memory: Some(1 << 20), threads: Some(1), ..Settings::default() };
        let defaults = Setup { total_time: Some(TOTAL), move_overhead: Some(overhead), ..Setup::DESKTOP };
        Session::new(connection, &settings, defaults)
    }

    #[test]
    fn the_first_move_reserves_overhead_for_later_moves() {
        // One second of overhead for each of 40 moves leaves a third of the minute for thinking.
        let time = |overhead| session(Duration::from_millis(overhead)).time_for_move();
        assert!(time(1000) < time(0) * 2 / 3, "{:?} and {:?}", time(1000), time(0));
        let after_begin = |overhead| {
            let mut session = session(Duration::from_millis(overhead));
            session.begin_game(Side::Black);
            session.time_for_move()
        };
        assert!(after_begin(1000) < after_begin(0) * 2 / 3);
    }
}
