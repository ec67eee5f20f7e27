//! All tests of the engine: one program links faster than one a file. `cargo test --test all rules::` runs a file.

mod bench;
mod docs;
mod endgame;
mod evaluation;
mod layers;
mod model;
mod network;
mod policy;
mod records;
mod rollouts;
mod rules;
mod search;
mod selection;
mod tree;
