//! Baseline players: random moves, fixed-depth alpha-beta, and timed principal variation search. Plain UCT is missing
//! here, because it is a preset of the engine's search.

pub mod alphabeta;
pub mod evaluation;
pub mod pvs;
pub mod random;
