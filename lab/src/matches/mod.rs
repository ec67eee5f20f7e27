//! Many games: players from text, games on all cores, the file that keeps them, and the score.

pub mod results;
pub mod runner;
pub mod score;
pub mod spec;
