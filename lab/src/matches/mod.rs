//! Matches: players by name, platforms, games on all cores, the result file, and the score.

pub mod findings;
pub mod platform;
pub mod results;
pub mod runner;
pub mod score;
pub mod spec;
pub mod verdicts;
