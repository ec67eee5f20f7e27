//! `lab endgames`: writes puzzles, positions from self-play in which exactly one move keeps the win.
//!
//! [`puzzles`] plays the games and selects the positions. [`remainder`] simplifies a position, and [`solver`] finds its
//! winner. Neither uses the engine's proofs.

pub(crate) mod puzzles;
mod remainder;
mod solver;

use crate::arguments::{read_count, read_size};
use crate::cluster::CoreArgs;
use otrera::Size;
use std::path::PathBuf;

/// Write puzzles: positions in which exactly one move keeps the win.
#[derive(clap::Args)]
pub struct Args {
    /// Output file.
    #[arg(long, value_name = "FILE")]
    puzzles: PathBuf,
    /// Continue the puzzle file of an interrupted run.
    #[arg(long)]
    resume: bool,
    /// Edge length of the board.
    #[arg(long, default_value = "10", value_parser = read_size)]
    size: Size,
    /// Number of puzzles.
    #[arg(long, value_name = "N", default_value = "20", value_parser = read_count::<usize>)]
    each: usize,
    /// Iterations per move in the self-play games that supply positions.
    #[arg(long, value_name = "N", default_value = "300", value_parser = read_count::<u64>)]
    iterations: u64,
    /// Random seed of the games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Node limit of the solver for each position.
    #[arg(long, value_name = "N", default_value = "3000000", value_parser = read_count::<u64>)]
    nodes: u64,
    #[command(flatten)]
    cores: CoreArgs,
}

impl Args {
    /// Formats the command with the options that determine the positions.
    fn command(&self) -> String {
        let Self { size, each, iterations, seed, nodes, .. } = self;
        let size = size.edge();
        format!(
            "lab endgames --size {size} --each {each} --iterations {iterations} --seed {seed} --nodes {nodes}"
        )
    }
}

pub fn run(args: &Args) -> Result<(), String> {
    puzzles::make(args)
}
