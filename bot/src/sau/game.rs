//! A game as the platform plays it: moves, position, clock, refused moves and record.

use crate::records::{RecordFile, own_name};
use otrera::clock::GameClock;
use otrera::{Move, Position, Rules, Side};
use otrera_front::session::Session;
use std::time::{Duration, Instant, SystemTime};

/// Maximum thinking time for a replacement move after the platform has refused our move.
const MAX_REPLACEMENT: Duration = Duration::from_millis(700);

/// The current game, or the start position between games.
pub struct Game {
    position: Position,
    moves: Vec<Move>,
    /// Position before each move.
    past: Vec<Position>,
    /// Number of moves before the latest change of the position without a move, such as a pass.
    base: usize,
    clock: GameClock,
    /// Our moves that the platform has refused in the current position.
    refused: Vec<Move>,
    names: [String; 2],
    /// Time of the first move and suffix of the record's file name; `None` before the first move.
    pub place: Option<Place>,
    record: Option<RecordFile>,
    /// True if an earlier process created the record.
    is_continued: bool,
}

/// Time of a game's first move and the suffix of its record's file name, by which a new process finds the record.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    pub began: SystemTime,
    pub suffix: String,
}

impl Game {
    /// Creates a game without moves; `us` is our side.
    pub fn new(session: &Session, us: Side) -> Self {
        let (ours, theirs) = (own_name(&session.settings).to_owned(), session.settings.opponent.clone());
        Self {
            position: session.start,
            moves: Vec::new(),
            past: Vec::new(),
            base: 0,
            clock: clock(session),
            refused: Vec::new(),
            names: if us == Side::Black { [ours, theirs] } else { [theirs, ours] },
            place: None,
            record: None,
            is_continued: false,
        }
    }

    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the moves played so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays `mv`, which must be legal.
    pub fn advance(&mut self, mv: Move) {
        self.past.push(self.position);
        self.moves.push(mv);
        self.position = self.position.with_move(mv);
    }

    /// Takes back the last move and returns it; `None` without a move.
    pub fn take_back(&mut self) -> Option<Move> {
        self.position = self.past.pop()?;
        self.base = self.base.min(self.past.len());
        self.moves.pop()
    }

    /// Returns the position before the last move; `None` without a move.
    pub fn before_last(&self) -> Option<&Position> {
        self.past.last()
    }

    /// Sets the side to move, as if the other side had passed.
    pub fn give_turn_to(&mut self, side: Side) {
        self.position = self.position.with_side(side);
        self.base = self.moves.len();
    }

    /// Continues a game that is over on the platform by the standard rules.
    pub fn continue_by_standard_rules(&mut self) {
        self.position = self.position.with_rules(Rules::Standard);
        self.base = self.moves.len();
    }

    /// Returns the game as a position and the moves since.
    pub fn since_base(&self) -> (&Position, &[Move]) {
        let base = self.past.get(self.base).unwrap_or(&self.position);
        (base, self.moves.get(self.base..).unwrap_or_default())
    }
}

/// Methods for the clock.
impl Game {
    /// Returns the thinking time for our next move: `move_time` of the setup, or [`GameClock::time_for`] without it.
    /// After a refused move, limits the time to [`MAX_REPLACEMENT`].
    pub fn time_for_move(&self, session: &Session) -> Duration {
        let time = session.setup().move_time.unwrap_or_else(|| self.clock.time_for(&self.position));
        if self.refused.is_empty() { time } else { time.min(MAX_REPLACEMENT) }
    }

    /// Subtracts the time since `turn_began` and the move overhead from the clock, and logs the time left.
    pub fn spend(&mut self, session: &Session, turn_began: Instant) {
        self.clock.spend(turn_began.elapsed() + session.setup().move_overhead.unwrap_or_default());
        session.note("--", &format!("{:.3} s left", self.time_left().as_secs_f64()));
    }

    pub fn time_left(&self) -> Duration {
        self.clock.remaining()
    }

    pub fn set_time_left(&mut self, session: &Session, left: Duration) {
        self.clock = clock(session).with_left(left);
    }
}

fn clock(session: &Session) -> GameClock {
    let setup = session.setup();
    GameClock::for_match(setup.total_time.unwrap_or_default(), setup.move_overhead.unwrap_or_default())
}

/// Methods for refused moves.
impl Game {
    /// Records that the platform refused a move in this position. Clears the list once it excludes every legal move.
    pub fn refuse(&mut self, mv: Move) {
        self.refused.push(mv);
        if self.allowed().is_empty() {
            self.refused.clear();
        }
    }

    /// Forgets the refused moves, after the opponent's move.
    pub fn forget_refused(&mut self) {
        self.refused.clear();
    }

    /// True if the platform has not refused this move in the current position.
    pub fn allows(&self, mv: Move) -> bool {
        // A movement refused with two arrows is probably blocked by a piece that we do not know of.
        let refusals = self.refused.iter().filter(|refused| refused.movement() == mv.movement()).count();
        refusals < 2 && !self.refused.contains(&mv)
    }

    /// Lists the legal moves that the platform has not refused; all of them if it has refused none.
    pub fn allowed(&self) -> Vec<Move> {
        self.position.legal_moves().filter(|&mv| self.allows(mv)).collect()
    }

    /// True if the platform has refused a move in the current position.
    pub fn has_refused(&self) -> bool {
        !self.refused.is_empty()
    }
}

/// Methods for the record.
impl Game {
    /// Writes the record, with the result if known, and syncs it to disk.
    pub fn keep_record(&mut self, session: &Session, winner: Option<Side>) {
        self.write_record(session, None, |record, moves| record.write(moves, winner));
    }

    /// Writes the record, including `mv`, a move just received or about to be sent, without syncing it to disk.
    pub fn announce(&mut self, session: &Session, mv: Option<Move>) {
        self.write_record(session, mv, |record, moves| record.announce(moves));
    }

    /// Writes the moves and `mv` to the record, which the first move creates.
    fn write_record<T>(
        &mut self,
        session: &Session,
        mv: Option<Move>,
        write: impl FnOnce(&mut RecordFile, &[Move]) -> Result<T, String>,
    ) {
        let moves = [&self.moves, mv.as_slice()].concat();
        if moves.is_empty() {
            return;
        }
        let outcome = self.open_record(session).map_or(Ok(()), |record| write(record, &moves).map(drop));
        if let (Some(place), Some(record)) = (&mut self.place, &self.record) {
            record.date_and_suffix()[1].clone_into(&mut place.suffix);
        }
        if let Err(problem) = outcome {
            session.note("!!", &problem);
        }
    }

    /// Returns the record of this game, opened if necessary; `None` if the option `record-dir` is not set.
    fn open_record(&mut self, session: &Session) -> Option<&mut RecordFile> {
        if self.record.is_none() {
            self.is_continued = self.place.is_some();
        }
        let is_continued = self.is_continued;
        let new = || Place { began: SystemTime::now(), suffix: String::new() };
        let place = self.place.get_or_insert_with(new);
        let (settings, start) = (&session.settings, session.start.with_rules(Rules::Standard));
        let folder = settings.record_dir.as_ref()?;
        Some(self.record.get_or_insert_with(|| {
            let [black, white] = &self.names;
            let file = RecordFile::begun_at(place.began, folder, [black, white], settings, &start);
            if is_continued { file.continued(place.suffix.clone()) } else { file }
        }))
    }

    /// Closes the record, and deletes the file if this process created it.
    pub fn discard_record(&mut self) {
        if let Some(record) = self.record.take().filter(|_| !self.is_continued) {
            record.discard();
        }
        self.place = None;
    }
}
