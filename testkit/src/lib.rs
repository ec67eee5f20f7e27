//! Helpers shared by the tests of several crates.

pub mod browser;
pub mod definitions;
pub mod files;
pub mod page;
mod positions;
pub mod program;

pub use files::{Folder, repository};
pub use positions::*;

use std::fs::OpenOptions;
use std::io::Write;

/// Reports a skipped test and its missing requirement, in the test output and in the list at the end of `make test`.
pub fn skip(test: &str, missing: &str) {
    eprintln!("SKIPPED {test}: {missing}");
    if let Some(list) = std::env::var_os("OTRERA_SKIPPED") {
        let mut list = OpenOptions::new().append(true).open(list).expect("the list of scripts/tests.sh");
        list.write_all(format!("{test}: {missing}\n").as_bytes()).expect("a line fits on the disk");
    }
}

/// Runs a task for all cases concurrently, one thread per case, for tests that mostly wait.
pub fn at_once<T: Send>(cases: impl IntoIterator<Item = T>, task: impl Fn(T) + Sync) {
    let task = &task;
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || task(case));
        }
    });
}
