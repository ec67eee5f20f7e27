//! The interface of a platform: how to recognise it, its defaults, and the loop that plays on it.

use crate::io::{Connection, Disconnected};
use crate::session::Session;
use crate::settings::Settings;
use crate::setup::Setup;

/// A platform and its protocol.
#[derive(Debug)]
pub struct Platform {
    /// Name shown in help. Its lower-case form is the name of the help page.
    pub name: &'static str,
    /// Name of the sender of the first line in the help overview, like `a UCI interface`.
    pub speaker: &'static str,
    /// Command that selects the platform without detection, and its description in help; `None` if there is no command.
    pub command: Option<(&'static str, &'static str)>,
    /// File name prefixes of the platform's test transcripts, one for each input format of the protocol.
    pub transcripts: &'static [&'static str],
    /// Default board, resources and time; options override them.
    pub defaults: Setup,
    /// Returns true if a line can be the first line from this platform.
    pub recognises: fn(&str) -> bool,
    /// Plays until the platform ends the session or the input ends.
    pub play: fn(Session) -> Result<(), Disconnected>,
}

impl Platform {
    /// Creates a session and plays until the session ends. Fails only if a write to standard output fails.
    pub fn serve(&self, connection: Connection, settings: &Settings) -> Result<(), Disconnected> {
        (self.play)(Session::new(connection, settings, self.defaults))
    }
}
