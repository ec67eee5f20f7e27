//! Speed of the static evaluation on one thread: `cargo bench -p otrera --bench evaluate -- FILE`, with a FEN on each
//! line of FILE. Prints positions per second of three tasks:
//!
//! - `values`: the values and win rates alone;
//! - `parts`: values, leads, logits of the movements and distance maps, in the engine's own forms, which are thrown away;
//! - `all`: the contents of all arrays that the Python package returns, written into memory that is used again.
//!
//! Times are those of the processor, since other programs may run beside it; without Linux, those of the clock.
//! `scripts/bench_python.py` compares the Python package with it.

use otrera::eval::distance::DistanceMaps;
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::{Position, Square};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Number of times that each task is measured; the best counts.
const ROUNDS: usize = 3;

fn main() {
    // Cargo adds `--bench`.
    let Some(path) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        return println!("expected a file with a FEN on each line");
    };
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let read = |line| Position::from_fen(line).unwrap_or_else(|error| panic!("{path}: {line}: {error}"));
    let positions: Vec<Position> = text.lines().map(read).collect();
    let (model, evaluator) = (Model::Fitted, Evaluator::new(Model::Fitted));
    let (mut scratch, mut maps) = (ModelScratch::default(), DistanceMaps::default());
    measure("values", &positions, |position| {
        let value = evaluator.value(position, &mut scratch);
        black_box((value, model.win_rate(value)));
    });
    measure("parts", &positions, |position| {
        black_box(evaluator.value_and_lead(position, &mut scratch));
        evaluator.for_each_movement(position, &mut scratch, |movement, logit| {
            black_box((movement, logit));
        });
        maps.flood(position, evaluator.kernel());
        black_box(&maps);
    });
    let mut arrays = Arrays::default();
    measure("all", &positions, |position| {
        arrays.write(position, &model, &evaluator, &mut scratch);
        black_box(&arrays);
    });
}

/// Prints the positions per second of a task.
fn measure(name: &str, positions: &[Position], mut task: impl FnMut(&Position)) {
    // The first calls unpack the weights.
    positions.iter().take(1000).for_each(&mut task);
    let mut best = 0.0_f64;
    for _ in 0..ROUNDS {
        let (start, used) = (Instant::now(), processor_time());
        positions.iter().for_each(&mut task);
        let time = processor_time().zip(used).map_or(start.elapsed(), |(now, before)| now - before);
        best = best.max(positions.len() as f64 / time.as_secs_f64());
    }
    println!("{name} {best:.0}");
}

/// Returns the processor time of this thread; `None` on a system that does not tell it.
fn processor_time() -> Option<Duration> {
    // The kernel updates the number when it schedules.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// The arrays that the package returns, for one position.
#[derive(Default)]
struct Arrays {
    estimates: [f32; 3],
    policy: Vec<f32>,
    movements: Vec<[u8; 2]>,
    distances: Vec<u8>,
}

impl Arrays {
    /// Replaces the contents by those of another position.
    fn write(
        &mut self,
        position: &Position,
        model: &Model,
        evaluator: &Evaluator,
        scratch: &mut ModelScratch,
    ) {
        let (value, lead) = evaluator.value_and_lead(position, scratch);
        self.estimates = [value.0, model.win_rate(value).0, lead.unwrap_or(f32::NAN)];
        let edge = position.size().edge();
        let index = |square: Square| (square.row() * edge + square.column()) as u8;
        self.policy.clear();
        self.movements.clear();
        evaluator.for_each_movement(position, scratch, |movement, logit| {
            self.policy.push(logit);
            self.movements.push([movement.from, movement.to].map(index));
        });
        evaluator.softmax(&mut self.policy);
        self.distances.resize(4 * edge * edge, 0);
        evaluator.write_distances(position, scratch, &mut self.distances);
    }
}
