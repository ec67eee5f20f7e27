//! `lab blindness`: how long a search does not see a move that it would play had it looked.
//!
//! In wide positions the move that a long search chooses is taken for the right one, and a search from nothing is watched: after
//! how many iterations has it visited that move for the first time, and from when on is it its favourite?

use crate::arguments::{read_count, read_size};
use crate::commands::positions::{self, PositionArgs};
use crate::matches::spec::search_params;
use indicatif::ProgressBar;
use otrera::{Limits, Params, Position, Resources, Search, Size};
use rayon::prelude::*;
use std::sync::atomic::AtomicBool;

/// How long a search does not see a move that it would play had it looked.
#[derive(clap::Args)]
pub struct Args {
    /// The search that is watched: a preset with parameters.
    #[arg(long, default_value = "tournament")]
    search: String,
    /// Edge of the board, whose fixed positions are taken: 8 or 10.
    #[arg(long, default_value = "10", value_parser = read_size)]
    size: Size,
    /// Iterations of the search that is watched.
    #[arg(long, default_value = "10000", value_parser = read_count::<u64>)]
    iterations: u64,
    /// How many times as long the search that says what is right.
    #[arg(long, default_value = "30", value_parser = read_count::<u64>)]
    times: u64,
    /// The fewest legal moves of a position.
    #[arg(long, default_value = "450", value_parser = read_count::<usize>)]
    moves: usize,
    #[command(flatten)]
    positions: PositionArgs,
}

/// When a search saw the right move.
struct Sight {
    /// Iterations until it was visited.
    visited: Option<u64>,
    /// Iterations until it was the favourite and stayed so.
    favourite: Option<u64>,
}

/// Runs the command.
///
/// # Errors
/// A search or positions that are none.
pub fn run(args: &Args) -> Result<(), String> {
    let params = search_params(&args.search)?;
    let mut positions = positions::read(&args.positions, args.size)?;
    positions.retain(|position| position.legal_moves().count() >= args.moves);
    positions.truncate(args.positions.most());
    let long = args.iterations.checked_mul(args.times).ok_or("--iterations times --times is too much")?;
    if positions.is_empty() {
        return Err(format!("no position has {} moves: ask for less with --moves", args.moves));
    }
    let bar = ProgressBar::new(positions.len() as u64);
    let sights: Vec<Sight> = positions
        .par_iter()
        .filter_map(|position| {
            let sight = watch(position, &params, args.iterations, long);
            bar.inc(1);
            sight
        })
        .collect();
    bar.finish_and_clear();
    println!(
        "{}, {} undecided positions with {} moves and more, against {} iterations",
        args.search,
        sights.len(),
        args.moves,
        long
    );
    println!("iterations   visited  favourite");
    let share = |seen: &dyn Fn(&Sight) -> bool| {
        100.0 * sights.iter().filter(|sight| seen(sight)).count() as f64 / sights.len().max(1) as f64
    };
    for iterations in milestones(args.iterations) {
        let within = |when: Option<u64>| when.is_some_and(|when| when <= iterations);
        let (visited, favourite) =
            (share(&|sight| within(sight.visited)), share(&|sight| within(sight.favourite)));
        println!("{iterations:10} {visited:8.1}% {favourite:9.1}%");
    }
    Ok(())
}

/// 10, 20, 50, 100 ... and the last.
fn milestones(last: u64) -> impl Iterator<Item = u64> {
    let rounds = (1..).map(|power| 10u64.saturating_pow(power)).flat_map(|ten| [ten, 2 * ten, 5 * ten]);
    rounds.take_while(move |&count| count < last).chain([last])
}

/// Watches a search of a position; `None` where the long one proves who wins.
fn watch(position: &Position, params: &Params, iterations: u64, long: u64) -> Option<Sight> {
    let resources = Resources { threads: 1, memory: 512 << 20, seed: 1 };
    let search = || Search::new(*position, params.clone(), resources);
    let run = |search: &mut Search, iterations| {
        search.run(&Limits::iterations(iterations), &AtomicBool::new(false), &mut |_| ())
    };
    let long = run(&mut search(), long);
    let right = long.best.filter(|_| long.proven.is_none())?;
    let mut sight = Sight { visited: None, favourite: None };
    let (mut search, mut done) = (search(), 0);
    while done < iterations {
        let step = (done / 20).max(10).min(iterations - done);
        let report = run(&mut search, step);
        done += step;
        if report.lines.iter().any(|line| line.mv == right) {
            sight.visited = sight.visited.or(Some(done));
        }
        sight.favourite = sight.favourite.or(Some(done)).filter(|_| report.best == Some(right));
    }
    Some(sight)
}
