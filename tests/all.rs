//! All tests of the engine in one binary, which links faster than one binary per file. `cargo test --test all rules::`
//! runs the tests of one file.

mod bench;
mod botzone;
mod docs;
mod endgame;
mod evaluation;
mod layers;
mod mgpeo;
mod model;
mod network;
mod policy;
mod record_forms;
mod record_mutations;
mod record_silence;
mod records;
mod rollouts;
mod rules;
mod search;
mod selection;
mod tree;
