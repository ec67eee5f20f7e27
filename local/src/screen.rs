//! Lines for the user and the log. Neither ever contains the secret of the address.

use crate::address::Address;
use otrera_front::io::Log;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Standard output and the log, shared by the threads.
#[derive(Clone)]
pub struct Screen {
    output: Arc<Mutex<Box<dyn Write + Send>>>,
    log: Log,
    address: Arc<Address>,
}

impl Screen {
    /// Creates a screen that hides `address` in all lines.
    pub fn new(output: Box<dyn Write + Send>, log: Log, address: Arc<Address>) -> Self {
        Self { output: Arc::new(Mutex::new(output)), log, address }
    }

    /// Prints a line and writes it into the log. A closed output does not end the program.
    pub fn say(&self, text: &str) {
        let text = self.address.hide(text);
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = output.write_all(format!("{text}\n").as_bytes()).and_then(|()| output.flush());
        self.log.note("--", &text);
    }

    /// Writes a line into the log only. The marks are those of [`Log::note`].
    pub fn note(&self, mark: &str, text: &str) {
        self.log.note(mark, &self.address.hide(text));
    }
}
