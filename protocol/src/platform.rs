//! The platforms: how each is recognised, what it grants, and the loop that speaks with it.
//!
//! A new one is a module with its [`Platform`], a line in [`PLATFORMS`] and transcripts; `--help`, detection and the
//! tests read the table.

use crate::conditions::Conditions;
use crate::io::{Connection, Disconnected, Event, Events};
use crate::options::Settings;
use crate::session::Session;
use crate::{botzone, sau, uci};

/// All platforms, in the order in which they are asked whether a first line is theirs.
/// Built with `--cfg botzone_only` there is one: its editor takes no large source.
pub static PLATFORMS: &[&Platform] = if cfg!(botzone_only) {
    &[&botzone::PLATFORM]
} else {
    &[&botzone::PLATFORM, &sau::PLATFORM, &uci::PLATFORM]
};

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

/// The platform of the first line that is one of a platform; that line will be the next event. Lines before it are
/// skipped. `None` at the end of input.
pub fn detect(events: &mut Events) -> Option<&'static Platform> {
    while let Event::Line(line, arrived) = events.wait() {
        if let Some(platform) = PLATFORMS.iter().find(|platform| (platform.recognises)(&line)) {
            events.unread(Event::Line(line, arrived));
            return Some(platform);
        }
    }
    None
}
