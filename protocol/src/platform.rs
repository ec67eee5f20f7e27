//! The interface of a platform: how to recognise it, its defaults, and the loop that plays on it.

use crate::io::{Connection, Disconnected};
use crate::options::Settings;
use crate::session::Session;
use crate::setup::Setup;

/// A platform and its protocol.
#[derive(Debug)]
pub struct Platform {
    /// Name in help; in lower case, the name of the help page.
    pub name: &'static str,
    /// Phrase in help for the sender of the platform's first line, like `a UCI interface`.
    pub speaker: &'static str,
    /// Command that selects the platform without detection, and the command's description in help.
    pub command: Option<(&'static str, &'static str)>,
    /// Prefixes of the file names of its transcripts in the tests, one for each style of the protocol.
    pub transcripts: &'static [&'static str],
    /// Board, resources and time, unless options change them.
    pub defaults: Setup,
    /// Returns true for a first line of this platform.
    pub recognises: fn(&str) -> bool,
    /// Plays until the platform ends the session or the input ends.
    pub play: fn(Session) -> Result<(), Disconnected>,
}

impl Platform {
    /// Creates a session and plays until it ends. Fails if a write to standard output fails.
    pub fn serve(&self, connection: Connection, settings: &Settings) -> Result<(), Disconnected> {
        (self.play)(Session::new(connection, settings, self.defaults))
    }
}
