//! The interface of the searches: all that a platform, the laboratory or the page needs to know of one.

use crate::board::moves::Move;
use crate::board::position::Position;
use crate::limits::Limits;
use crate::report::Report;
use std::sync::atomic::AtomicBool;

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

    /// Searches until a limit is reached, `stop` is set or the outcome is proven. Blocks until then, and calls `progress`
    /// about once a second.
    fn run(
        &mut self,
        limits: &Limits,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(&Report) + Send),
    ) -> Report;
}
