//! Games between players, and what they prove.

pub mod record;
#[cfg(feature = "lab")]
pub mod stats;
