//! What a platform is: how it is recognised, what it grants, and the loop that speaks with it.

use crate::conditions::Conditions;
use crate::io::{Connection, Disconnected};
use crate::options::Settings;
use crate::session::Session;

/// A platform, with its protocol.
#[derive(Debug)]
pub struct Platform {
    /// Its name in `--help`, before the defaults that are its own.
    pub name: &'static str,
    /// Who speaks on standard input, for `--help`.
    pub speaker: &'static str,
    /// The command that asks for it, so that no first line has to be waited for, and the help of that command.
    pub command: Option<(&'static str, &'static str)>,
    /// What the names of its transcripts begin with, one for each style of the protocol.
    pub transcripts: &'static [&'static str],
    /// What it grants where the settings do not say.
    pub defaults: Conditions,
    /// Whether a first line is one of this platform.
    pub recognises: fn(&str) -> bool,
    /// Speaks with it until it ends the session or the input ends.
    pub play: fn(Session) -> Result<(), Disconnected>,
}

impl Platform {
    /// Plays on this platform.
    ///
    /// # Errors
    /// Nobody reads the answers any more.
    pub fn serve(&self, connection: Connection, settings: &Settings) -> Result<(), Disconnected> {
        (self.play)(Session::new(connection, settings, self.defaults))
    }
}
