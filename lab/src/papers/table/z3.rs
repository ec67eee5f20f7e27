//! Table 3 of the MG-PEO paper: times of the evaluation's modules, serial and on rayon's threads, and the search
//! speed of each parallel mode.

use super::study::{Study, machine};
use crate::play::openings::random_moves;
use crate::play::player::run_search;
use crate::sheet::Sheet;
use otrera::eval::distance::DistanceMaps;
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::eval::phased::PhasedWeights;
use otrera::eval::{metrics, mobility, parallel};
use otrera::mgpeo::{PaperParams, Parallel};
use otrera::simd::Kernel;
use otrera::{Limits, Position, Resources, Search};
use std::hint::black_box;
use std::time::{Duration, Instant};

pub fn run(study: &Study) -> Result<(), String> {
    let threads = Resources::cores();
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    let positions = positions(study.seed);
    let time = Duration::from_millis(if study.quick { 300 } else { 3000 });
    let mut sheet = Sheet::new(
        "Z-3: microseconds of one evaluation, serial and parallel (paper)",
        &["module", "serial", "paper", "parallel", "paper", "serial/parallel", "paper"],
    );
    let mut row = |name: &str, serial: f64, parallel: f64, paper: [&str; 3]| {
        let ratio = serial / parallel;
        let ours = [format!("{serial:.3}"), format!("{parallel:.3}"), format!("{ratio:.3}")];
        let cells = ours.into_iter().zip(paper).flat_map(|(ours, paper)| [ours, paper.to_owned()]);
        sheet.row(std::iter::once(name.to_owned()).chain(cells));
    };
    let (kernel, mut maps, mut scratch) =
        (Kernel::fastest(), DistanceMaps::default(), ModelScratch::default());
    let territory = per_call(&positions, time, |position| {
        maps.flood(position, kernel);
        metrics::of_maps(&maps, 0.2)
    });
    let in_parallel = pool
        .install(|| per_call(&positions, time, |position| parallel::territory_and_position(position, 0.2)));
    row("1: territory, position", territory, in_parallel, ["69", "29", "2.379"]);
    let serial = per_call(&positions, time, |position| mobility::mobility_on(position, kernel));
    let in_parallel = pool.install(|| per_call(&positions, time, parallel::mobility));
    row("2: mobility", serial, in_parallel, ["45", "23", "1.956"]);
    let evaluator = Evaluator::new(Model::PAPER);
    let serial = per_call(&positions, time, |position| evaluator.value(position, &mut scratch));
    let in_parallel = pool
        .install(|| per_call(&positions, time, |position| parallel::value(position, &PhasedWeights::PAPER)));
    row("whole evaluation", serial, in_parallel, ["114", "54", "2.111"]);
    sheet.notes = vec![
        format!(
            "machine: {}, kernel {:?}; the paper's: i7-11800H, all threads",
            machine(),
            Kernel::fastest()
        ),
        format!("{} positions of 20 random games on 10x10, seed {}", positions.len(), study.seed),
    ];
    sheet.notes.extend(search_speeds(threads, time));
    study.publish("Z-3", &sheet, None)
}

/// Measures the microseconds per call, in repeated passes through the positions for at least `time`.
fn per_call<R>(positions: &[Position], time: Duration, mut work: impl FnMut(&Position) -> R) -> f64 {
    let mut calls = 0;
    let began = Instant::now();
    while began.elapsed() < time {
        for position in positions {
            black_box(work(black_box(position)));
        }
        calls += positions.len();
    }
    began.elapsed().as_secs_f64() * 1e6 / calls as f64
}

/// Measures the search's iterations per second in each parallel mode; returns a line of text for each mode.
fn search_speeds(threads: usize, time: Duration) -> Vec<String> {
    let speed = |parallel: Parallel| {
        let resources = Resources { threads, memory: 1 << 30, seed: 1 };
        let mut search =
            Search::new(Position::standard(), PaperParams { parallel, ..PaperParams::PAPER }, resources);
        run_search(&mut search, &Limits::time(time)).speed()
    };
    let serial = speed(Parallel::Off);
    let line = |(name, mode): (&str, Parallel)| {
        let speed = speed(mode);
        format!(
            "search, parallel={name}, {threads} threads: {speed:.0} iterations/s, {:.2} of off",
            speed / serial
        )
    };
    Parallel::NAMED.into_iter().map(line).collect()
}

/// Returns all positions of 20 random 10x10 games, except the final ones.
fn positions(seed: u64) -> Vec<Position> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut positions = Vec::new();
    for _ in 0..20 {
        let mut position = Position::standard();
        while position.winner().is_none() {
            positions.push(position);
            (_, position) = random_moves(&position, 1, &mut rng);
        }
    }
    positions
}
