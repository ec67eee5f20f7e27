//! Games between players, and what they prove.

pub mod openings;
pub mod record;
pub mod referee;
#[cfg(feature = "lab")]
pub mod stats;
