//! Baseline players: random moves, alpha-beta of fixed depth, and principal variation search against the clock. Plain UCT
//! is a preset of the search.

pub mod alphabeta;
pub mod evaluation;
pub mod pvs;
pub mod random;
