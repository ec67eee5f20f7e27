//! `lab openings`: finds openings that a long search rates as balanced, for the books of matches.
//!
//! Random moves give mostly lopsided positions, and a short search rates many of them wrongly. An opening is kept if
//! three searches, each longer than the one before, rate it within a band around one half; the bands narrow down to
//! `--balance`. The `--seed` and the number of the opening determine it.

use crate::arguments::{read_count, read_games, read_share, read_size};
use crate::cluster::jobs::{self, Job};
use crate::cluster::{InOrder, TaskArgs, WorkArgs, first_new};
use crate::files::LineLog;
use crate::interrupt;
use crate::play::openings::{check_plies, random_moves, read_line};
use crate::play::player::{iterate, search_of};
use crate::progress::progress_bar;
use crate::puzzles::{Signature, signature};
use fastrand::Rng;
use otrera::seed::mix_seed;
use otrera::{Move, Params, Position, Size};
use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Find openings that a long search rates as balanced, for lab match --book.
#[derive(clap::Args)]
pub struct Args {
    /// Edge length of the board.
    #[arg(long, default_value = "10", value_parser = read_size)]
    size: Size,
    /// Number of openings.
    #[arg(long, default_value = "300", value_parser = read_games)]
    openings: u64,
    /// Minimum number of plies.
    #[arg(long, default_value_t = 4)]
    min_plies: u32,
    /// Maximum number of plies.
    #[arg(long, default_value_t = 8)]
    max_plies: u32,
    /// Iterations of the last search.
    #[arg(long, default_value = "1000000", value_parser = read_count::<u64>)]
    iterations: u64,
    /// Maximum distance of the win rate from 0.5 in the last search.
    #[arg(long, value_name = "RATE", default_value = "0.05", value_parser = read_share)]
    balance: f64,
    /// Random seed of all openings.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    task: TaskArgs,
    /// Continue the file of an interrupted run.
    #[arg(long)]
    resume: bool,
    /// Output file: one opening per line, then its number and win rate for the side to move.
    #[arg(long, default_value = "results/openings.txt")]
    output: PathBuf,
}

/// Search lengths before the last one, as divisors of `--iterations`, with their bands as multiples of `--balance`.
const FILTERS: [(u64, f64); 2] = [(1000, 4.0), (30, 2.0)];

/// Maximum number of random openings tried for one that is kept.
const MAX_TRIES: u64 = 100_000;

/// Bytes a search may use for each iteration; a node group takes about 82.
const BYTES_AN_ITERATION: u64 = 128;

pub fn run(args: &Args) -> Result<(), String> {
    if args.min_plies > args.max_plies {
        return Err(format!("--min-plies {} is more than --max-plies {}", args.min_plies, args.max_plies));
    }
    check_plies("--max-plies", args.max_plies, args.size)?;
    if let Some(numbers) = &args.task.numbers {
        return jobs::print(numbers, |number| args.find(number, 0));
    }
    interrupt::advise(format!(
        "; the openings so far are in {}; resume with --resume",
        args.output.display()
    ));
    let start = Position::start(args.size);
    let (mut count, mut known) = (0, HashSet::new());
    let header = format!("# lab {}", args.arguments().join(" "));
    let mut log = LineLog::open(&args.output, args.resume, Some(&header), |line| {
        known.insert(image(&read_line(line, &start)?, &start));
        count += 1;
        Ok(())
    })?;
    let bar = progress_bar(args.openings).with_position(count);
    let missing: VecDeque<u64> = (count..args.openings).collect();
    let mut order = InOrder::new(missing.clone());
    let key = |line: &String| Ok(image(&read_line(line, &start)?, &start));
    let take = |line: &str| {
        bar.inc(1);
        let number =
            number_of(line).ok_or_else(|| format!("{line:?}: expected the number of the opening"))?;
        order.add(number, line.to_owned()).into_iter().try_for_each(|(number, line)| {
            // Another opening replaces one whose last position is an image of an earlier one.
            let line = first_new(&mut known, line, key, |attempt| args.find(number, attempt));
            log.add(&line.map_err(|problem| format!("opening {number}: {problem}: set more --max-plies"))?)
        })
    };
    let work = |number| args.find(number, 0);
    let job = Job { arguments: args.arguments(), missing, work: &work, take: Box::new(take) };
    jobs::run(&args.work, vec![job], &AtomicBool::new(false))?;
    bar.finish_and_clear();
    println!("{} openings, no two of them mirror images: {}", args.openings, args.output.display());
    Ok(())
}

impl Args {
    /// Returns the arguments that make `lab` find these openings, without `--numbers`.
    fn arguments(&self) -> Vec<String> {
        vec![
            "openings".into(),
            format!("--size={}", self.size.edge()),
            format!("--min-plies={}", self.min_plies),
            format!("--max-plies={}", self.max_plies),
            format!("--iterations={}", self.iterations),
            format!("--balance={}", self.balance),
            format!("--seed={}", self.seed),
        ]
    }

    /// Returns the line of the opening with this number.
    fn find(&self, number: u64, attempt: u64) -> Result<String, String> {
        let start = Position::start(self.size);
        let seed = mix_seed(Rng::with_seed(self.seed).u64(..), number + 1) ^ attempt << 48;
        let mut rng = Rng::with_seed(seed);
        for _ in 0..MAX_TRIES {
            let plies = rng.u32(self.min_plies..=self.max_plies);
            let (moves, position) = random_moves(&start, plies, &mut rng);
            if let Some(rate) = self.balanced_rate(&position, rng.u64(..)) {
                let moves: Vec<String> =
                    moves.iter().map(|mv| format!("{}{}{}", mv.from, mv.to, mv.arrow)).collect();
                return Ok(format!("{} # {number}: {rate:.3}", moves.join(" ")));
            }
        }
        Err(format!("opening {number}: none of {MAX_TRIES} was balanced: raise --balance"))
    }

    /// Returns the win rate by the last search; `None` if the game is over or a search rates the position as lopsided.
    fn balanced_rate(&self, position: &Position, seed: u64) -> Option<f32> {
        if position.winner().is_some() {
            return None;
        }
        let rate = |divisor: u64, band: f64| {
            let iterations = (self.iterations / divisor).max(1);
            let megabytes = ((iterations * BYTES_AN_ITERATION) >> 20).max(8) as usize;
            let rate =
                iterate(&mut search_of(position, Params::TOURNAMENT, megabytes, seed), iterations).win_rate.0;
            (f64::from((rate - 0.5).abs()) <= band * self.balance).then_some(rate)
        };
        FILTERS.iter().try_for_each(|&(divisor, band)| rate(divisor, band).map(drop))?;
        rate(1, 1.0)
    }
}

/// Returns a key of the last position, equal for mirror images.
fn image(moves: &[Move], start: &Position) -> Signature {
    signature(&moves.iter().fold(*start, |position, &mv| position.with_move(mv)))
}

/// Returns the number after `#` in the line of an opening.
fn number_of(line: &str) -> Option<u64> {
    line.split_once("# ")?.1.split_once(':')?.0.parse().ok()
}
