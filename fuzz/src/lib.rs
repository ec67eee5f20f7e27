//! Fuzz targets for all readers of text: no input causes a panic or an endless loop, and whatever was read is equal
//! after it is written and read again.
//!
//! `protocol/tests/fuzzed.rs` compiles this file for itself and runs the targets on every input that ever failed.

mod notation;
mod platform;
mod settings;

/// A law: it panics where it is broken.
type Law = fn(&[u8]);

/// Every law with the name of its target.
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

/// Holds the law of this name against some bytes.
pub fn check(name: &str, bytes: &[u8]) {
    let (_, law) = LAWS.iter().find(|(known, _)| *known == name).expect("a law of this name");
    law(bytes);
}
