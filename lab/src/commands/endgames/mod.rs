//! `lab endgames`: writes puzzles, positions from self-play in which exactly one move keeps the win.
//!
//! [`puzzles`] plays the games and selects the positions. [`remainder`] simplifies a position, and [`solver`] finds its
//! winner. Neither uses the engine's proofs.

mod puzzles;
mod remainder;
mod solver;

use crate::arguments::read_count;
use crate::puzzles::PuzzleArgs;

/// Write puzzles: positions in which exactly one move keeps the win.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    games: PuzzleArgs,
    /// Node limit of the solver for each position.
    #[arg(long, value_name = "N", default_value = "3000000", value_parser = read_count::<u64>)]
    nodes: u64,
}

pub fn run(args: &Args) -> Result<(), String> {
    puzzles::make(args)
}
