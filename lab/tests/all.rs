//! The tests of the laboratory that need no quiet machine, no Ray and no browser: one program links faster than one a file.
//! `cargo test -p otrera-lab --test all resume::` runs a file.

mod bot;
mod convert;
mod docs;
mod endgame_suite;
mod lab_safety;
mod laboratory;
mod presets;
mod regret;
mod resume;
mod sau;
mod self_play;
mod statistics;
mod train;
