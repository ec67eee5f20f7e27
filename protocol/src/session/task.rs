//! A search in a thread of its own, so that the loop of a protocol stays at the input.

use super::Game;
use crate::io::Event;
use otrera::{Move, Position, Report};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{Builder, JoinHandle};

/// A search under way. It holds the game until it has ended.
pub struct SearchTask {
    number: u64,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<(Box<Game>, Report)>,
    game: Outline,
}

/// What is known of a game that its thread has lost, or that found no thread.
pub struct Outline {
    /// The moves of the game.
    pub moves: Vec<Move>,
    /// Where it stands.
    pub position: Position,
}

impl SearchTask {
    /// Starts `think`, which should return soon after its flag was raised; then [`Event::SearchEnded`] with this
    /// number is sent.
    ///
    /// # Errors
    /// The system grants no thread, and the game is lost with what should have run in it.
    pub fn start(
        mut game: Box<Game>,
        number: u64,
        events: Sender<Event>,
        think: impl FnOnce(&mut Game, &AtomicBool) -> Report + Send + 'static,
    ) -> Result<Self, Outline> {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let outline = Outline { moves: game.moves().to_vec(), position: *game.position() };
        let work = move || {
            let report = think(&mut game, &flag);
            // A closed channel means that the program is ending.
            let _ = events.send(Event::SearchEnded(number));
            (game, report)
        };
        match Builder::new().name("search".into()).spawn(work) {
            Ok(thread) => Ok(Self { number, stop, thread, game: outline }),
            Err(_) => Err(outline),
        }
    }

    /// Whether this is the search with that number.
    pub fn is(&self, number: u64) -> bool {
        self.number == number
    }

    /// The moves of the game.
    pub fn moves(&self) -> &[Move] {
        &self.game.moves
    }

    /// Asks it to end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// It panicked, and the game is lost.
    pub fn finish(self) -> Result<(Box<Game>, Report), Outline> {
        self.thread.join().map_err(|_| self.game)
    }
}
