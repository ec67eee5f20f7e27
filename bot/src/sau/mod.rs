//! The SAU Game Platform: the commands `name?`, `new`, `move`, `error`, `end` and `quit`, on a 10x10 board with a clock
//! for the whole game.
//!
//! This module is a state machine ([`State`]); `bot/README.md` has its transition table. The process started by
//! the platform is a guardian: it keeps pipes, moves, clock, journal and record, and never searches. A [`Searcher`]
//! process searches; if it dies or hangs, the guardian starts another one, and at last moves by itself ([`one_ply`]).
//! Pondering is a search without a deadline. [`after_crash`] resumes a game after a crash of the guardian.

mod after_crash;
mod game;
mod journal;
mod one_ply;
mod operator;
mod resume;
mod searcher;

use game::Game;
use journal::Journal;
use operator::Question;
use otrera::{Move, Rules, Side, Size};
use otrera_front::io::{Disconnected, Event};
use otrera_front::platform::Platform;
use otrera_front::session::Session;
use otrera_front::setup::Setup;
use resume::Resumed;
use searcher::{Limit, News, Searcher};
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

/// Maximum number of searchers started for one move after failures. The last one gets less memory.
const MAX_RESTARTS: u32 = 2;

/// Minimum thinking time of a replaced searcher, if the time for the move is over.
const MIN_RETRY: Duration = Duration::from_millis(300);

/// Bounds of the time after the end of thinking at which a searcher counts as hanging; between them, an eighth of the
/// time left.
const PATIENCE: [Duration; 2] = [Duration::from_millis(700), Duration::from_secs(3)];

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
    let mut bot = Guardian::new(session);
    loop {
        let deadline = bot.deadline();
        let outcome = match bot.session.connection.events.next_by(deadline) {
            None => bot.time_is_up(),
            Some(Event::Closed) => break,
            Some(Event::SearchEnded(_)) => Ok(()),
            Some(Event::Searcher(number, line)) => bot.searcher_spoke(number, line.as_deref()),
            Some(Event::Told(moves)) => bot.operator_told(moves),
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

/// State of the protocol. `told` is false in a game resumed without `new` until a move from the platform, or the
/// operator's answer, confirms whose turn it is and which side is ours.
#[derive(Clone, Copy)]
enum State {
    /// Before the first game of this process; the first game can resume an interrupted one.
    Loaded,
    /// `name?` was answered; at `ends` an interrupted game resumes if no command has arrived. `None` while the operator
    /// is asked for its last move.
    Silent { began: Instant, ends: Option<Instant> },
    /// Our turn; the search is running.
    Thinking { us: Side, told: bool, thought: Thought },
    /// The opponent's turn, or we cannot move.
    Waiting { us: Side, told: bool },
    /// The game is over.
    Over,
}

/// The search for our move.
#[derive(Clone, Copy)]
struct Thought {
    /// Start of our turn.
    began: Instant,
    limit: Limit,
    /// Time at which the searcher counts as hanging; `None` without a time limit.
    patience_ends: Option<Instant>,
    /// Number of searchers that have failed to find this move.
    failures: u32,
    /// Our move, found before its time has come; it is sent at `patience_ends`.
    found: Option<Move>,
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

struct Guardian {
    session: Session,
    state: State,
    game: Game,
    searcher: Searcher,
    /// Failures of the searcher in the opponent's time since its last answer.
    failures: u32,
    /// Game to resume; dropped when the first game ends.
    resumed: Resumed,
    /// Question to the operator, which is open while this value lives.
    question: Option<Question>,
    journal: Option<Journal>,
}

impl Guardian {
    fn new(mut session: Session) -> Self {
        resume::check_platform_dir(&session);
        let resumed = Resumed::read(&session);
        if let Err(problem) = session.settings.check_board(session.start.size()) {
            session.note("!!", &problem);
        }
        session.start = session.start.with_rules(Rules::SelfBlocking);
        let mut searcher = Searcher::new(&session);
        searcher.ensure();
        let game = Game::new(&session, Side::Black);
        let (state, question, journal) = (State::Loaded, None, None);
        Self { session, state, game, searcher, failures: 0, resumed, question, journal }
    }

    /// Returns the time at which [`Self::time_is_up`] acts if no event arrives.
    fn deadline(&self) -> Option<Instant> {
        match self.state {
            State::Silent { ends, .. } => ends,
            State::Thinking { thought, .. } => thought.patience_ends,
            _ => None,
        }
    }

    fn time_is_up(&mut self) -> Result<(), Disconnected> {
        match self.state {
            State::Silent { .. } => self.go_on_unasked(),
            State::Thinking { thought: Thought { found: Some(mv), began, .. }, .. } => self.play(mv, began),
            State::Thinking { .. } => self.search_failed("hangs"),
            _ => Ok(()),
        }
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
        self.forget_untold();
        if matches!(self.state, State::Loaded | State::Silent { .. }) {
            self.resumed.begin_anew(&self.session);
        }
        self.finish_game();
        self.begin_game(us, true, None);
        if us == Side::Black { self.think(arrived) } else { Ok(()) }
    }

    /// Starts a game as `us` from [`Self::game`]'s moves, or resumes one with `left` on our clock. `told` is the field
    /// of the new [`State`].
    fn begin_game(&mut self, us: Side, told: bool, left: Option<Duration>) {
        self.question = None;
        let moves = self.game.moves().to_vec();
        self.game = Game::new(&self.session, us);
        moves.into_iter().for_each(|mv| self.game.advance(mv));
        self.game.place = self.resumed.place();
        if let Some(left) = left {
            self.game.set_time_left(&self.session, left);
        }
        self.state = State::Waiting { us, told };
        resume::note_setup(&self.session, us, left);
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
        let moves = [self.game.moves(), mv.as_slice()].concat();
        let (left, place) = (self.game.time_left(), self.game.place.clone());
        let state = journal::State { us, moves, sent, left, written: SystemTime::now(), place };
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
        // A move before any game belongs to the game to resume, and to its record.
        let us = match self.state.game() {
            Some((us, _)) => us,
            None => self.enter_resumed_game(mv, arrived),
        };
        // Record first: the platform sends a move only once. A bad one is overwritten below.
        self.game.announce(&self.session, mv);
        self.write_journal(mv, true);
        let before_last = self.game.moves().iter().rev().nth(1).copied();
        if mv.is_some() && mv == before_last && self.game.position().side() != us {
            // A repeated line: no side can play the same move in two consecutive turns.
            self.game.keep_record(&self.session, None);
            self.write_journal(None, true);
            return Ok(());
        }
        if !self.follow_opponent(mv) {
            // The platform accepts no illegal move, so our position is wrong. Any answer is better than waiting for a
            // move that was already sent.
            self.session.note("!!", "ignored a move that is illegal in this position");
            self.game.give_turn_to(us);
        }
        let us = self.state.game().map_or(us, |(us, _)| us);
        self.state = State::Waiting { us, told: true };
        self.game.forget_refused();
        let thinking = self.think(arrived);
        // The rest runs in the time of the search, because it waits for the disk.
        self.game.keep_record(&self.session, None);
        self.write_journal(None, true);
        thinking
    }

    /// Plays the opponent's move; returns false if it is illegal, even after a correction of a game that is not told yet.
    fn follow_opponent(&mut self, mv: Option<Move>) -> bool {
        let (Some(mv), Some((us, _))) = (mv, self.state.game()) else { return false };
        let position = self.game.position();
        let is_expected = position.side() != us && position.check(mv).is_ok();
        let is_legal = is_expected || self.correct_untold_game(mv);
        if is_legal {
            self.game.advance(mv);
        }
        is_legal
    }

    /// Starts the search for our move, if we can move. If the game to resume has our move, plays that move at once.
    fn think(&mut self, began: Instant) -> Result<(), Disconnected> {
        let Some((us, told)) = self.state.game() else { return Ok(()) };
        if self.game.position().movements().next().is_none() {
            return Ok(());
        }
        if let Some(&[mv, ..]) = self.resumed.moves.strip_prefix(self.game.moves())
            && self.game.allows(mv)
        {
            return self.play(mv, began);
        }
        if self.game.position().winner().is_some() {
            // The platform sends `end` after a decided game. A referee that continues uses the standard rules.
            self.game.continue_by_standard_rules();
        }
        let limit = match self.session.settings.iterations {
            Some(count) => Limit::Iterations(count),
            None => Limit::Until(began + self.game.time_for_move(&self.session)),
        };
        let thought = Thought { began, limit, patience_ends: None, failures: 0, found: None };
        self.state = State::Thinking { us, told, thought };
        self.search(thought)
    }

    /// Starts a search for our move, or moves without one if there is no searcher.
    fn search(&mut self, thought: Thought) -> Result<(), Disconnected> {
        let Some((us, told)) = self.state.game() else { return Ok(()) };
        let memory = (thought.failures >= MAX_RESTARTS).then(|| self.reduced_memory());
        let restarts = thought.failures > 0 && thought.failures <= MAX_RESTARTS;
        let runs = if restarts { self.searcher.restart(memory) } else { self.searcher.ensure() };
        // Without an input thread, no event of the searcher can arrive while the session waits for input.
        let is_heard = runs && self.session.connection.events.has_thread();
        if thought.failures > MAX_RESTARTS || !is_heard {
            return self.move_without_searcher(thought.began);
        }
        let Thought { limit, .. } = thought;
        let [shortest, longest] = PATIENCE;
        let patience = (self.game.time_left() / 8).clamp(shortest, longest);
        let patience_ends = if let Limit::Until(time) = limit { time.checked_add(patience) } else { None };
        self.state = State::Thinking { us, told, thought: Thought { patience_ends, ..thought } };
        self.searcher.search(&self.game, limit);
        Ok(())
    }

    /// Returns a quarter of the memory for the tree, in MB.
    fn reduced_memory(&self) -> usize {
        (self.session.setup().resources(&self.session.settings).memory >> 22).max(1)
    }

    fn move_without_searcher(&mut self, began: Instant) -> Result<(), Disconnected> {
        self.session.note("!!", "no searcher answers; moving by the evaluation alone");
        let model = &self.session.settings.preset.params.model();
        one_ply::best(self.game.position(), self.game.allowed(), model)
            .map_or(Ok(()), |mv| self.play(mv, began))
    }

    /// Starts pondering, if it is enabled and the game is not over.
    fn ponder(&mut self) {
        let ponders = self.session.settings.pondering && self.game.position().winner().is_none();
        if ponders && self.searcher.ensure() {
            self.searcher.search(&self.game, Limit::Unlimited);
        }
    }

    /// Handles a line from the searcher, or its end.
    fn searcher_spoke(&mut self, number: u64, line: Option<&str>) -> Result<(), Disconnected> {
        match (self.searcher.heard(number, line), self.state) {
            (Some(News::Move(Some(mv))), State::Thinking { us, told, mut thought }) => {
                if self.game.position().check(mv).is_err() {
                    return self.search_failed("answered with an illegal move");
                }
                self.failures = 0;
                let is_decided = self.game.position().with_rules(Rules::SelfBlocking).winner().is_some();
                let earliest = thought.began + END_FOLLOWS;
                if is_decided && Instant::now() < earliest {
                    (thought.found, thought.patience_ends) = (Some(mv), Some(earliest));
                    self.state = State::Thinking { us, told, thought };
                    return Ok(());
                }
                self.play(mv, thought.began)
            }
            (Some(News::Move(None)), State::Thinking { .. }) => self.search_failed("answered without a move"),
            (Some(News::Died), _) => self.search_failed("has ended"),
            _ => Ok(()),
        }
    }

    /// Replaces a searcher that has failed, and repeats its search.
    fn search_failed(&mut self, why: &str) -> Result<(), Disconnected> {
        self.session.note("!!", &format!("the searcher {why}; starting another one"));
        if let State::Thinking { mut thought, .. } = self.state {
            thought.failures += 1;
            if let Limit::Until(time) = thought.limit {
                let least = MIN_RETRY.min(self.game.time_left() / 20);
                thought.limit = Limit::Until(time.max(Instant::now() + least));
            }
            return self.search(thought);
        }
        self.failures += 1;
        // A searcher that keeps dying is not started again before our turn.
        let is_started = self.failures <= MAX_RESTARTS && self.searcher.restart(None);
        if is_started && matches!(self.state, State::Waiting { .. }) {
            self.ponder();
        }
        Ok(())
    }

    /// Records our move, sends it and plays it on our board; then starts pondering.
    fn play(&mut self, mv: Move, began: Instant) -> Result<(), Disconnected> {
        // Record first: after a crash an extra move can be undone, a missing one cannot.
        self.game.announce(&self.session, Some(mv));
        self.write_journal(Some(mv), false);
        let sent = self.session.send(&format!("move {}", mv.to_letters(self.size())));
        self.game.spend(&self.session, began);
        self.write_journal(Some(mv), true);
        self.game.advance(mv);
        if let Some((us, told)) = self.state.game() {
            self.state = State::Waiting { us, told };
        }
        self.ponder();
        // The rest runs in the opponent's time, because it waits for the disk.
        self.game.keep_record(&self.session, None);
        sent
    }

    /// Handles `error`: takes back our refused move and searches for another one.
    fn answer_refused(&mut self, arrived: Instant) -> Result<(), Disconnected> {
        let State::Waiting { us, told } = self.state else { return Ok(()) };
        if self.game.position().side() == us {
            return Ok(());
        }
        if !told {
            return self.doubt();
        }
        let Some(refused) = self.game.take_back() else { return Ok(()) };
        self.game.refuse(refused);
        self.think(arrived)
    }

    /// Ends the game: stops the search, writes the result to the record and removes the journal.
    fn finish_game(&mut self) {
        self.question = None;
        self.searcher.forget_tree();
        // The platform's rules decide the result, even if the game went on by the standard rules.
        let winner = self.game.position().with_rules(Rules::SelfBlocking).winner();
        if winner.is_some() {
            self.game.keep_record(&self.session, winner);
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
        self.game = Game::new(&self.session, Side::Black);
    }
}
