//! Helpers shared by the tests of several crates.

pub mod browser;
pub mod definitions;
pub mod files;
pub mod page;
mod positions;
mod skip;

pub use files::{Folder, repository};
pub use positions::*;
pub use skip::skip;

/// Runs a task for all cases concurrently, each in its own thread, for tests that mostly wait.
pub fn at_once<T: Send>(cases: impl IntoIterator<Item = T>, task: impl Fn(T) + Sync) {
    let task = &task;
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || task(case));
        }
    });
}
