//! Players, openings, and one game between two players.

pub mod openings;
pub mod player;
pub mod referee;
