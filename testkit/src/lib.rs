//! Helpers shared by the tests of several crates.

pub mod browser;
pub mod definitions;
pub mod files;
pub mod page;
mod positions;
mod skip;

pub use files::Folder;
pub use positions::*;
pub use skip::skip;
