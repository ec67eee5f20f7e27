//! Games between players, and what they prove.

pub mod convergence;
pub mod openings;
pub mod record;
pub mod referee;
#[cfg(feature = "lab")]
pub mod stats;
