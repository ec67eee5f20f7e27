//! The commands of the laboratory, each with its arguments. `lab table`, which reproduces the papers' tables, is in
//! [`crate::papers`].

pub mod convert;
pub mod endgames;
pub mod fit_lead;
pub mod fit_network;
pub mod fit_policy;
pub mod judge;
pub mod lead_puzzles;
pub mod r#match;
pub mod openings;
pub mod picture;
pub mod regret;
pub mod report;
pub mod sau;
pub mod self_play;
pub mod tourney;
pub mod train;
pub mod tune;
