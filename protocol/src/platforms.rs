//! The table of the platforms.
//!
//! A new platform is a module with its [`Platform`], a line in [`PLATFORMS`] and transcripts. Help, detection and the
//! tests read the table.

use crate::io::{Event, Events};
use crate::platform::Platform;
use crate::{BOTZONE_ONLY, botzone, sau, uci};

/// All platforms, in the order of detection.
pub static PLATFORMS: &[&Platform] =
    if BOTZONE_ONLY { &[&botzone::PLATFORM] } else { &[&botzone::PLATFORM, &sau::PLATFORM, &uci::PLATFORM] };

/// Skips lines until a platform recognises one, and puts that line back; `None` at the end of input.
pub fn detect(events: &mut Events) -> Option<&'static Platform> {
    while let Event::Line(line, arrived) = events.wait() {
        if let Some(platform) = PLATFORMS.iter().find(|platform| (platform.recognises)(&line)) {
            events.unread(Event::Line(line, arrived));
            return Some(platform);
        }
    }
    None
}
