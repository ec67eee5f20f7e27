//! The interface of the searches, which is all that a platform, the laboratory or the page needs to know of one, and
//! the parts that both searches share.

use crate::board::moves::Move;
use crate::board::position::Position;
use crate::limits::Limits;
use crate::report::Report;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A tree search of one position.
pub trait TreeSearch: Send {
    /// Returns the root position.
    fn position(&self) -> &Position;

    /// Returns the number of threads.
    fn threads(&self) -> usize;

    /// Plays a legal move at the root and keeps the subtree below it.
    fn advance(&mut self, mv: Move);

    /// Changes the root position. Drops all that was learned and the excluded moves, unless `position` is the current
    /// root position.
    fn set_position(&mut self, position: Position);

    /// Drops all that was learned; keeps the root position.
    fn clear(&mut self);

    /// Excludes these root moves, and no others, until the position changes. Drops the tree if the excluded moves
    /// change. If every legal move is excluded, all of them are searched.
    fn exclude(&mut self, moves: &[Move]);

    /// Returns the excluded root moves.
    fn excluded(&self) -> &[Move];

    /// Searches until a limit is reached, `stop` is set or the outcome is proven. Blocks until then, and calls
    /// `progress` about once a second.
    fn run(
        &mut self,
        limits: &Limits,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(&Report) + Send),
    ) -> Report;
}

/// The root of a search.
pub(crate) struct Root {
    pub position: Position,
    /// Root moves that the search does not consider.
    pub excluded: Vec<Move>,
}

impl Root {
    pub fn new(position: Position) -> Self {
        Self { position, excluded: Vec::new() }
    }

    /// Plays a legal move and excludes none.
    pub fn advance(&mut self, mv: Move) {
        self.set_position(self.position.with_move(mv));
    }

    /// Changes the position and excludes no move; returns `false` if `position` is the current one.
    pub fn set_position(&mut self, position: Position) -> bool {
        let is_new = position != self.position;
        if is_new {
            *self = Self::new(position);
        }
        is_new
    }

    /// Excludes these moves and no others; returns `false` if they are excluded already.
    pub fn exclude(&mut self, moves: &[Move]) -> bool {
        let is_new = moves != self.excluded;
        if is_new {
            self.excluded = moves.to_vec();
        }
        is_new
    }
}

/// Calls a progress closure about once a second.
pub(crate) struct Ticker<'a> {
    next: Duration,
    progress: &'a mut (dyn FnMut(&Report) + Send),
}

impl<'a> Ticker<'a> {
    /// Minimum time between two calls.
    const INTERVAL: Duration = Duration::from_secs(1);

    pub fn new(progress: &'a mut (dyn FnMut(&Report) + Send)) -> Self {
        Self { next: Self::INTERVAL, progress }
    }

    /// Calls the closure if it is time, `elapsed` after the start.
    pub fn tick(&mut self, elapsed: Duration, report: impl FnOnce() -> Report) {
        if elapsed >= self.next {
            self.next = elapsed + Self::INTERVAL;
            (self.progress)(&report());
        }
    }
}
