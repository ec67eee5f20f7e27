//! The table of platforms.
//!
//! To add a platform, write a module with its [`Platform`], a line in [`PLATFORMS`], and transcripts. Help, detection
//! and the tests read the table.

use crate::{sau, uci};
use otrera_front::io::{Event, Events};
use otrera_front::platform::Platform;

/// All platforms, in the order in which [`detect`] tries them.
pub static PLATFORMS: [&Platform; 3] = [&otrera_botzone::PLATFORM, &sau::PLATFORM, &uci::PLATFORM];

/// Skips input lines until a platform recognises one, puts that line back and returns the platform; `None` at the end.
pub fn detect(events: &mut Events) -> Option<&'static Platform> {
    while let Event::Line(line, arrived) = events.wait() {
        if let Some(platform) = PLATFORMS.iter().find(|platform| (platform.recognises)(&line)) {
            events.unread(Event::Line(line, arrived));
            return Some(platform);
        }
    }
    None
}
