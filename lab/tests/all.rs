//! The tests of the laboratory that need no quiet machine, no Ray and no browser. They form one test executable, which
//! links faster than one executable per file. `cargo test -p otrera-lab --test all resume::` runs the tests of one
//! file.

mod bot;
mod convert;
mod docs;
mod lab_safety;
mod laboratory;
mod openings;
mod presets;
mod puzzles;
mod regret;
mod resume;
mod sau;
mod self_play;
mod statistics;
mod train;
