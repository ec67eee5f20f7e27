//! All tests of the laboratory but those with Ray and a browser: one program links faster than one a file.
//! `cargo test -p otrera-lab --test all judge::` runs a file.

mod bot;
mod convert;
mod docs;
mod endgame_suite;
mod judge;
mod lab_safety;
mod laboratory;
mod matches;
mod presets;
mod resume;
mod sau;
mod self_play;
mod statistics;
