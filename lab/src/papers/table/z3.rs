//! Table 3 of the MG-PEO paper: the time of the evaluation's modules, serial and on rayon's threads, and the speed of the
//! search in each parallel mode.

use super::study::{Study, machine};
use crate::arguments::cores;
use crate::play::openings::random_moves;
use crate::play::player::run_search;
use crate::sheet::Sheet;
use otrera::eval::{metrics, mobility, parallel};
use otrera::{
    DistanceMaps, Evaluator, Kernel, Limits, Model, ModelScratch, Parallel, Params, Position, Resources,
    Search,
};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Measures, prints and writes the table.
pub fn run(study: &Study) -> Result<(), String> {
    let threads = cores();
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    let positions = positions(study.seed);
    let time = Duration::from_millis(if study.quick { 300 } else { 3000 });
    let mut sheet = Sheet::new(
        "Z-3: microseconds of one evaluation, serial and parallel (paper)",
        &["module", "serial", "paper", "parallel", "paper", "serial/parallel", "paper"],
    );
    for (name, modules, paper) in modules() {
        let (serial, spread) =
            (per_call(&positions, time, modules.0), pool.install(|| per_call(&positions, time, modules.1)));
        let cells = [format!("{serial:.3}"), paper[0].into(), format!("{spread:.3}"), paper[1].into()];
        let ratio = [format!("{:.3}", serial / spread), paper[2].into()];
        sheet.row([name.to_owned()].into_iter().chain(cells).chain(ratio));
    }
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

/// A calculation on a position, with its scratch space.
type Work = fn(&Position, &mut (DistanceMaps, ModelScratch));

/// Each module, serial and parallel, with the paper's times and ratio.
fn modules() -> [(&'static str, (Work, Work), [&'static str; 3]); 3] {
    [
        (
            "1: territory, position",
            (
                |position, (maps, _)| {
                    maps.flood(position, Kernel::fastest());
                    black_box(metrics::of_maps(maps, 0.2));
                },
                |position, _| {
                    black_box(parallel::territory_and_position(position, 0.2));
                },
            ),
            ["69", "29", "2.379"],
        ),
        (
            "2: mobility",
            (
                |position, _| {
                    black_box(mobility::mobility_on(position, Kernel::fastest()));
                },
                |position, _| {
                    black_box(parallel::mobility(position));
                },
            ),
            ["45", "23", "1.956"],
        ),
        (
            "whole evaluation",
            (
                |position, (_, scratch)| {
                    black_box(Evaluator::new(Model::PAPER).value(position, scratch));
                },
                |position, _| {
                    black_box(parallel::value(position, &Model::PAPER));
                },
            ),
            ["114", "54", "2.111"],
        ),
    ]
}

/// Microseconds a call, over all positions repeatedly.
fn per_call(positions: &[Position], time: Duration, work: Work) -> f64 {
    let mut scratch = Default::default();
    let mut calls = 0;
    let began = Instant::now();
    while began.elapsed() < time {
        for position in positions {
            work(black_box(position), &mut scratch);
        }
        calls += positions.len();
    }
    began.elapsed().as_secs_f64() * 1e6 / calls as f64
}

/// Iterations a second of the whole search in each parallel mode.
fn search_speeds(threads: usize, time: Duration) -> Vec<String> {
    let speed = |parallel: Parallel| {
        let resources = Resources { threads, memory: 1 << 30, seed: 1 };
        let mut search = Search::new(Position::standard(), Params { parallel, ..Params::PAPER }, resources);
        run_search(&mut search, &Limits::time(time)).speed()
    };
    let serial = speed(Parallel::Off);
    let line = |(name, mode): (&str, Parallel)| {
        let speed = speed(mode);
        format!(
            "search, --parallel {name}, {threads} threads: {speed:.0} iterations/s, {:.2} of off",
            speed / serial
        )
    };
    Parallel::NAMED.into_iter().map(line).collect()
}

/// All positions of 20 random games, except the final ones.
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
