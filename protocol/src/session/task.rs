//! Runs a search in a background thread, so that the loop of a protocol can read its input.

use super::game::GameSearch;
use crate::io::Event;
use otrera::{Move, Position, Report};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{Builder, JoinHandle};

/// A running search. Owns the game until the search ends.
pub struct SearchTask {
    pub number: u64,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<(Box<GameSearch>, Report)>,
    pub game: GameState,
}

/// Moves and position of a game, to restore it if its thread panics or cannot start.
pub struct GameState {
    pub moves: Vec<Move>,
    /// Position after the moves.
    pub position: Position,
}

impl SearchTask {
    /// Starts `think`, which must return soon after its flag is set. The thread sends [`Event::SearchEnded`] with
    /// `number` at its end. If the system cannot start a thread, the game is lost: fails with its state.
    pub fn start(
        mut game: Box<GameSearch>,
        number: u64,
        events: Sender<Event>,
        think: impl FnOnce(&mut GameSearch, &AtomicBool) -> Report + Send + 'static,
    ) -> Result<Self, GameState> {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let state = GameState { moves: game.moves().to_vec(), position: *game.position() };
        let work = move || {
            let report = think(&mut game, &flag);
            // A closed channel means that the program ends.
            let _ = events.send(Event::SearchEnded(number));
            (game, report)
        };
        match Builder::new().name("search".into()).spawn(work) {
            Ok(thread) => Ok(Self { number, stop, thread, game: state }),
            Err(_) => Err(state),
        }
    }

    /// Stops the search and waits for its end. If the search panicked, the game is lost: fails with its state.
    pub fn finish(self) -> Result<(Box<GameSearch>, Report), GameState> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| self.game)
    }
}
