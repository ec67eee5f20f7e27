//! A game: who plays, how it opens, and the referee.

pub mod openings;
pub mod player;
pub mod referee;
