//! Fuzz targets for all parsers. No input may cause a panic or an endless loop, and a parsed value must survive being
//! written and parsed again.
//!
//! `protocol/tests/fuzzed.rs` also compiles this file and runs the targets on every input that ever failed.

mod notation;
mod platform;
mod settings;

/// A law: a function that checks a property of one input and panics if the input violates the property.
type Law = fn(&[u8]);

/// Every law with the name of its fuzz target.
pub const LAWS: [(&str, Law); 13] = [
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

/// Checks the law with this name on one input.
pub fn check(name: &str, bytes: &[u8]) {
    let (_, law) = LAWS.iter().find(|(known, _)| *known == name).expect("a law of this name");
    law(bytes);
}
