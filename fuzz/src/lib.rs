//! Fuzz targets for all parsers. No input may cause a panic or an endless loop, and a parsed value must survive a round
//! trip: writing it and parsing the text again gives an equal value.
//!
//! `bot/tests/fuzzed.rs` also compiles this file and runs the targets on every input that ever failed.

mod notation;
mod platform;
mod settings;

/// A property tested by a fuzz target: a function that panics if its input violates the property.
type Property = fn(&[u8]);

/// Name and property of each fuzz target.
pub const PROPERTIES: [(&str, Property); 13] = [
    ("fen", notation::fen),
    ("moves", notation::moves),
    ("ccgc", notation::ccgc),
    ("sgf", notation::sgf),
    ("json_record", notation::json_record),
    ("lines", platform::lines),
    ("botzone_line", platform::botzone_line),
    ("botzone_history", platform::botzone_history),
    ("session", platform::session),
    ("sau_session", platform::sau_session),
    ("uci_session", platform::uci_session),
    ("options", settings::options),
    ("configuration", settings::configuration),
];

/// Runs the fuzz target `name` on one input. Panics if the input violates the property or no target has this name.
pub fn check(name: &str, bytes: &[u8]) {
    let (_, property) = PROPERTIES.iter().find(|(known, _)| *known == name).expect("a target of this name");
    property(bytes);
}
