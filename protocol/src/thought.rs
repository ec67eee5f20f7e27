//! Thinking in a thread of its own, so that the loop of a protocol stays at the input.

use crate::io::Event;
use crate::session::Game;
use otrera::Report;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};

/// A search under way. It holds the game until it is finished.
pub struct Thought {
    number: u64,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Option<(Box<Game>, Report)>>,
}

impl Thought {
    /// Starts to think. When `think` returns, [`Event::Thought`] with this number is sent; it should return
    /// soon after its flag was raised.
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
        // The game is handed over once the thread is there, so that it is not lost if there is none.
        let (hand_over, handed_over) = channel::<Box<Game>>();
        let work = move || {
            let mut game = handed_over.recv().ok()?;
            let report = think(&mut game, &flag);
            // A closed channel means that the program is ending.
            let _ = events.send(Event::Thought(number));
            Some((game, report))
        };
        match Builder::new().name("search".into()).spawn(work) {
            Ok(thread) => hand_over.send(game).map_err(|back| back.0).map(|()| Self { number, stop, thread }),
            Err(_) => Err(game),
        }
    }

    /// Whether this is the search with that number.
    pub fn is(&self, number: u64) -> bool {
        self.number == number
    }

    /// Asks it to end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits for its end. `None` when it broke down, and the game with it.
    pub fn finish(self) -> Option<(Box<Game>, Report)> {
        self.thread.join().ok().flatten()
    }
}
