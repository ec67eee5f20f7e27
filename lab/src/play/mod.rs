//! Players and openings.

pub mod openings;
pub mod player;
