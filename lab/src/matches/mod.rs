//! Matches: players by name, games on all cores, the result file, and the score.

pub mod results;
pub mod runner;
pub mod score;
pub mod spec;
