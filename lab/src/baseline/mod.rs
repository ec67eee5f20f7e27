//! The opponents of the papers, and what most tournament programs do: random play, alpha-beta of fixed
//! depth, principal variation search against the clock. (Plain UCT is a preset of the search.)

pub mod alphabeta;
pub mod evaluation;
pub mod pvs;
pub mod random;
