//! Baseline players: random moves, fixed-depth alpha-beta, and timed principal variation search. Plain UCT is not
//! here: it is a preset of the engine's search (`uct`).

pub mod alphabeta;
pub mod evaluation;
pub mod pvs;

pub use otrera_arena::player::RandomPlayer;
