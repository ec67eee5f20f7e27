//! The commands of the laboratory, each with its arguments. Those that reproduce tables are in [`crate::papers`].

pub mod convert;
pub mod endgames;
pub mod fit_eval;
pub mod fit_network;
pub mod fit_policy;
mod foreseen;
pub mod judge;
pub mod r#match;
pub mod picture;
pub mod report;
pub mod sau;
pub mod self_play;
pub mod tourney;
pub mod tune;
