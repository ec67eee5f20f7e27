//! A search in a thread of its own, so that the loop of a protocol stays at the input.

use super::Game;
use crate::io::Event;
use otrera::{Move, Position, Report};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};

/// A search under way. It holds the game until it has ended.
pub struct SearchTask {
    number: u64,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Option<(Box<Game>, Report)>>,
    /// The game as it was handed over, should the thread lose it.
    moves: Vec<Move>,
    position: Position,
}

impl SearchTask {
    /// Starts `think`, which should return soon after its flag was raised; then [`Event::SearchEnded`] with this
    /// number is sent.
    ///
    /// # Errors
    /// The system grants no thread: the game comes back.
    pub fn start(
        game: Box<Game>,
        number: u64,
        events: Sender<Event>,
        think: impl FnOnce(&mut Game, &AtomicBool) -> Report + Send + 'static,
    ) -> Result<Self, Box<Game>> {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let (moves, position) = (game.moves().to_vec(), *game.position());
        // A closure that cannot be spawned is lost with all it holds, so the game follows through a channel.
        let (hand_over, handed_over) = channel::<Box<Game>>();
        let work = move || {
            let mut game = handed_over.recv().ok()?;
            let report = think(&mut game, &flag);
            // A closed channel means that the program is ending.
            let _ = events.send(Event::SearchEnded(number));
            Some((game, report))
        };
        let Ok(thread) = Builder::new().name("search".into()).spawn(work) else { return Err(game) };
        hand_over.send(game).map_err(|back| back.0)?;
        Ok(Self { number, stop, thread, moves, position })
    }

    /// Whether this is the search with that number.
    pub fn is(&self, number: u64) -> bool {
        self.number == number
    }

    /// The moves of the game.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Asks it to end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// It broke down, and the game with it; this is what is known of that game.
    pub fn finish(self) -> Result<(Box<Game>, Report), (Vec<Move>, Position)> {
        self.thread.join().ok().flatten().ok_or((self.moves, self.position))
    }
}
