//! The speed of one search with N threads, compared with N concurrent single-threaded searches, and a model for more
//! threads.

use super::study::{Study, machine};
use crate::play::player::run_search;
use crate::plot::{Line, Plot};
use crate::sheet::Sheet;
use otrera::bench::POSITIONS;
use otrera::{Limits, Params, Position, Resources, Search};
use statrs::statistics::{Data, OrderStatistics};
use std::time::Duration;

/// Memory of the search tree per thread, in bytes.
const MEMORY: usize = 160 << 20;

/// Iterations per second with `threads` threads: the median of all rounds, each a mean over the positions.
struct Speed {
    threads: usize,
    together: f64,
    /// Total speed of `threads` concurrent single-threaded searches.
    apart: f64,
}

impl Speed {
    /// Returns the speed of one search divided by the total speed of the separate searches.
    fn ratio(&self) -> f64 {
        self.together / self.apart
    }
}

pub fn run(study: &Study) -> Result<(), String> {
    let (time, rounds) = if study.quick { (100, 1) } else { (1000, 5) };
    let positions = positions();
    let speeds: Vec<Speed> = thread_counts(Resources::cores())
        .map(|threads| measure(threads, &positions, Duration::from_millis(time), rounds))
        .collect();
    let mut sheet = Sheet::new(
        "threads: iterations a second of one search, and of N concurrent single-threaded searches",
        &["threads", "one search", "N searches", "ratio", "of one thread", "model"],
    );
    let [first, ..] = &speeds[..] else { return Ok(()) };
    for speed in &speeds {
        sheet.row(vec![
            speed.threads.to_string(),
            format!("{:.0}", speed.together),
            format!("{:.0}", speed.apart),
            format!("{:.3}", speed.ratio()),
            format!("{:.2}", speed.together / first.together),
            String::new(),
        ]);
    }
    if let Some(two) = speeds.iter().find(|speed| speed.threads == 2) {
        for threads in [4, 8, 16, 32].into_iter().filter(|threads| *threads > Resources::cores()) {
            let [least, most] = model(two.ratio(), threads).map(|share| share * threads as f64);
            let model = format!("{least:.1} to {most:.1}");
            sheet.row([threads.to_string()].into_iter().chain(vec![String::new(); 4]).chain([model]));
        }
    }
    sheet.notes = vec![
        format!("machine: {}; medians of {rounds} rounds of {time} ms on {} positions", machine(), positions.len()),
        "model: multiples of one thread's speed, from the ratio r of two threads, d = 1/r - 1. Lower bound: threads \
         wait for each other and keep 1 / (1 + d (n - 1)) each (Amdahl 1967). Upper bound: they miss cache lines that \
         another thread wrote, with probability (n - 1) / n, and keep 1 / (1 + 2 d (n - 1) / n) each. Both assume equal \
         memory speed for n threads and one hardware thread per core"
            .into(),
    ];
    study.publish("threads", &sheet, Some(&plot(&speeds)))
}

/// Returns the powers of two below the number of cores, then the number of cores.
fn thread_counts(cores: usize) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(1), |threads| Some(2 * threads));
    powers.take_while(move |threads| *threads < cores).chain([cores])
}

/// Returns a lower and an upper bound on the speed of each thread, as a fraction of the speed of a single-threaded
/// search; `of_two` is [`Speed::ratio`] for two threads.
fn model(of_two: f64, threads: usize) -> [f64; 2] {
    let (loss, n) = (1.0 / of_two - 1.0, threads as f64);
    [1.0 / (1.0 + loss * (n - 1.0)), 1.0 / (1.0 + 2.0 * loss * (n - 1.0) / n)]
}

/// Returns the benchmark positions with more than half of the board empty: too hard to solve in a measured search.
fn positions() -> Vec<Position> {
    let read = POSITIONS.iter().filter_map(|fen| Position::from_fen(fen).ok());
    read.filter(|position| 2 * position.empty().len() as usize > position.size().area()).collect()
}

/// Alternately measures one search with `threads` threads and that many single-threaded searches.
fn measure(threads: usize, positions: &[Position], time: Duration, rounds: usize) -> Speed {
    let search = |threads: usize, seed: usize| {
        let resources = Resources { threads, memory: MEMORY * threads, seed: seed as u64 };
        Search::new(Position::standard(), Params::TOURNAMENT, resources)
    };
    let mut together = search(threads, 1);
    let mut apart: Vec<Search> = (1..=threads).map(|seed| search(1, seed)).collect();
    let (mut shared, mut separate) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (mut sum_shared, mut sum_separate) = (0.0, 0.0);
        for &position in positions {
            sum_shared += speed(&mut together, position, time);
            sum_separate += std::thread::scope(|scope| {
                let begun = apart.iter_mut().map(|search| scope.spawn(move || speed(search, position, time)));
                let begun: Vec<_> = begun.collect();
                begun.into_iter().filter_map(|search| search.join().ok()).sum::<f64>()
            });
        }
        shared.push(sum_shared / positions.len() as f64);
        separate.push(sum_separate / positions.len() as f64);
    }
    Speed { threads, together: Data::new(shared).median(), apart: Data::new(separate).median() }
}

/// Returns the iterations per second of a search from an empty tree.
fn speed(search: &mut Search, position: Position, time: Duration) -> f64 {
    // `set_position` clears the tree only if the position changes.
    search.set_position(position.with_side(position.side().opponent()));
    search.set_position(position);
    run_search(search, &Limits::time(time)).speed()
}

fn plot(speeds: &[Speed]) -> Plot {
    let points = |speed_of: fn(&Speed) -> f64| {
        speeds.iter().map(|speed| (speed.threads as f64, speed_of(speed))).collect::<Vec<_>>()
    };
    Plot {
        title: "Iterations a second",
        horizontal: "threads",
        is_logarithmic: true,
        is_from_zero: true,
        lines: vec![
            Line::new("one search", points(|speed| speed.together)),
            Line::new("N searches", points(|speed| speed.apart)).dashed(),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_counts_end_with_all_cores() {
        for (cores, counts) in [(1, vec![1]), (2, vec![1, 2]), (6, vec![1, 2, 4, 6]), (8, vec![1, 2, 4, 8])] {
            assert_eq!(thread_counts(cores).collect::<Vec<_>>(), counts);
        }
    }

    #[test]
    fn the_model_reproduces_its_input() {
        for share in [0.7, 0.93, 1.0] {
            for of_two in model(share, 2) {
                assert!((of_two - share).abs() < 1e-9);
            }
            let [least, most] = model(share, 16);
            assert!(least <= most && most <= share);
        }
    }
}
