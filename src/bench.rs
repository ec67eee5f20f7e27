//! The behaviour checksum (`Bench:`): a hash over single-threaded searches of fixed positions, each with a fixed
//! iteration count.
//!
//! Builds with equal checksums search identically, visit for visit. The checksum says nothing about strength. Speeds
//! can be compared only if they were measured at the same time on the same machine.

use crate::board::position::Position;
use crate::engine::{Params, Search};
use crate::limits::{Limits, Resources};
use crate::report::Report;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// FENs from all stages of the game: the 10x10 and 8x8 start positions, four from Olympiad games on 10x10, two from
/// self-play on 8x8.
pub const POSITIONS: [&str; 8] = [
    "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1",
    "6q3/10/3q6/3Q1**3/1*7q/*6*2/2Q2q3Q/2***5/5Q4/3*6 b - - 9 5",
    "2*1*5/1*1*4Q1/1qQ3*1*1/*2*****2/1***5q/7*2/1**2*Q*2/4*2q*1/3Qq5/3**5 w - - 24 13",
    "1*2**4/3*2**2/1*qQ1*1**q/****3***/Q1*****3/1*4*1*1/1*4Q**1/q1Q***1*2/2*4q*1/4**1*2 b - - 37 19",
    "*Q3*1**Q/4**1**q/*3*1****/2***1*1*1/***3**2/5*1*q*/1****1***Q/***Q*q*1*1/*******3/q2*3*1* w - - 50 26",
    "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1",
    "2*5/1*2q1*1/1*3Q2/1Q3q2/1*q1*3/1*Q2Q*1/*1*2q1*/1*2*3 b - - 13 7",
    "1Q**4/**1*1Q*1/1***q3/2*1*1q*/1****Q1*/q*1Qq**1/*1*3**/1*1**1*1 w - - 28 15",
];

/// Iterations per position.
pub const ITERATIONS: u64 = 10_000;

/// Result of a benchmark.
#[derive(Clone, Copy, Debug)]
pub struct Bench {
    /// Behaviour checksum: the lower 32 bits of a hash of the search results.
    pub checksum: u64,
    /// Total number of iterations over all positions.
    pub iterations: u64,
    /// Total search time over all positions.
    pub elapsed: Duration,
}

/// Runs the benchmark: searches each of the [`POSITIONS`] for [`ITERATIONS`] with one thread and a fixed seed.
pub fn run(params: &Params) -> Bench {
    let mut bench = Bench { checksum: FNV_START, iterations: 0, elapsed: Duration::ZERO };
    for fen in POSITIONS {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let mut search = Search::new(position, params.clone(), Resources::default());
        let report = search.run(&Limits::iterations(ITERATIONS), &AtomicBool::new(false), &mut |_| ());
        bench.checksum = mixed_in(bench.checksum, &report);
        bench.iterations += report.iterations;
        bench.elapsed += report.elapsed;
    }
    bench.checksum &= u64::from(u32::MAX);
    bench
}

/// Offset basis of the 64-bit FNV-1a hash (<https://en.wikipedia.org/wiki/Fowler–Noll–Vo_hash_function>), applied here
/// to 64-bit numbers instead of bytes.
const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;
/// Prime of the 64-bit FNV-1a hash.
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// Returns `checksum` with a report hashed into it: the iterations and nodes, and for each root move the three squares,
/// the visits and the bits of the win rate.
fn mixed_in(checksum: u64, report: &Report) -> u64 {
    let lines = report.lines.iter().flat_map(|line| {
        let squares = [line.mv.from, line.mv.to, line.mv.arrow].map(|square| square.index() as u64);
        squares.into_iter().chain([u64::from(line.visits), u64::from(line.win_rate.0.to_bits())])
    });
    [report.iterations, report.nodes as u64]
        .into_iter()
        .chain(lines)
        .fold(checksum, |hash, number| (hash ^ number).wrapping_mul(FNV_PRIME))
}
