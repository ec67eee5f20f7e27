//! All tests of the bot except the transcripts. One test binary links faster than one binary per file. `cargo test -p
//! otrera-bot --test all sau::` runs the tests of one file.

mod batch;
mod clocks;
mod commands;
mod common;
mod files;
mod fuzzed;
mod gui;
mod match_mode;
mod options;
mod sau;
mod serve;
mod terminal;
mod uci;
