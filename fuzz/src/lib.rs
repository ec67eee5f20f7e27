//! Laws for whatever reads text, each a fuzz target: for any bytes at all it neither panics nor hangs, and
//! what it has understood it writes and reads again as the same.
//!
//! The modules of the program are compiled in as they are. `tests/fuzzed.rs` compiles this file in turn and
//! holds the laws against every input that has ever broken one.

mod notation;
mod platform;
mod settings;

#[allow(dead_code)]
#[path = "../../protocol/botzone/mod.rs"]
pub mod botzone;
#[allow(dead_code)]
#[path = "../../protocol/files.rs"]
pub mod files;
#[allow(dead_code)]
#[path = "../../protocol/io.rs"]
pub mod io;
#[allow(dead_code)]
#[path = "../../protocol/options.rs"]
pub mod options;
#[allow(dead_code)]
#[path = "../../protocol/records.rs"]
pub mod records;
#[allow(dead_code)]
#[path = "../../protocol/sau/mod.rs"]
pub mod sau;
#[allow(dead_code)]
#[path = "../../protocol/session.rs"]
pub mod session;
#[allow(dead_code)]
#[path = "../../protocol/thought.rs"]
pub mod thought;
#[allow(dead_code)]
#[path = "../../protocol/uci/mod.rs"]
pub mod uci;

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
