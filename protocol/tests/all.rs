//! All tests of the bot but the transcripts: one program links faster than one a file.
//! `cargo test -p otrera-bot --test all sau::` runs a file.
#![allow(clippy::duplicate_mod)] // several files include sessions/program.rs

mod clocks;
mod commands;
mod common;
mod files;
mod fuzzed;
mod gui;
mod match_mode;
mod options;
mod sau;
mod terminal;
mod uci;
