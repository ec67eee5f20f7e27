//! Speed of the static evaluation on one thread: `cargo bench -p otrera --bench evaluate -- FILE`, with a FEN on each
//! line of FILE. Prints positions per second for the values alone, and for values, leads, policies and distance maps.
//! `scripts/bench_python.py` compares the Python package with it.

use otrera::Position;
use otrera::eval::distance::DistanceMaps;
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use std::hint::black_box;
use std::time::Instant;

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
        black_box(evaluator.value(position, &mut scratch));
    });
    measure("all", &positions, |position| {
        black_box(evaluator.value(position, &mut scratch));
        black_box(model.lead(position, &mut scratch));
        black_box(evaluator.movement_logits(position, &mut scratch));
        maps.flood(position, evaluator.kernel());
        black_box(&maps);
    });
}

/// Prints the positions per second of a task.
fn measure(name: &str, positions: &[Position], mut task: impl FnMut(&Position)) {
    // The first calls unpack the weights.
    positions.iter().take(1000).for_each(&mut task);
    let start = Instant::now();
    positions.iter().for_each(&mut task);
    println!("{name} {:.0}", positions.len() as f64 / start.elapsed().as_secs_f64());
}
