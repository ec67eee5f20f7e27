//! Matches: players by name, harnesses, games on all cores, the result file, and the score.

pub mod findings;
pub mod harness;
pub mod results;
pub mod runner;
pub mod score;
pub mod spec;
pub mod verdicts;
