//! A test that cannot be run on this machine says so: in its output, and in the list at the end of `make test`,
//! which shows it also when everything passes.

use std::fs::OpenOptions;
use std::io::Write;

/// Tells that a test is skipped, and what is missing for it.
pub fn skip(test: &str, missing: &str) {
    eprintln!("SKIPPED {test}: {missing}");
    if let Some(list) = std::env::var_os("OTRERA_SKIPPED") {
        let mut list = OpenOptions::new().append(true).open(list).expect("scripts/tests.sh has made it");
        list.write_all(format!("{test}: {missing}\n").as_bytes()).expect("a line fits on the disk");
    }
}
