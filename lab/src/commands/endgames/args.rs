//! Arguments of `lab endgames`.

use crate::arguments::{read_count, read_size, read_time};
use crate::cluster::CoreArgs;
use crate::matches::spec::PlayerSpec;
use otrera::Size;
use std::path::PathBuf;
use std::time::Duration;

/// Tests a player in solved endgames.
#[derive(clap::Args)]
pub struct Args {
    /// Suite of endgames to use instead of making one.
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
    /// File for a new suite.
    #[arg(long, value_name = "FILE", default_value = "endgames.txt", conflicts_with = "suite")]
    pub output: PathBuf,
    /// Only write puzzles to this file: positions in which exactly one move keeps the win.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["suite", "output", "hard", "player", "time"])]
    pub puzzles: Option<PathBuf>,
    /// Go on with the puzzles of an interrupted run.
    #[arg(long, requires = "puzzles")]
    pub resume: bool,
    /// Edge of the board.
    #[arg(long, default_value = "10", value_parser = read_size, conflicts_with = "suite")]
    pub size: Size,
    /// Positions for each number of contested squares, 1 to 22, or number of puzzles.
    #[arg(long, value_name = "N", default_value = "20", conflicts_with = "suite", value_parser = read_count::<usize>)]
    pub each: usize,
    /// Keep only won positions in which greedy fails.
    #[arg(long, conflicts_with = "suite")]
    pub hard: bool,
    /// Iterations per move, in the games that give positions and in those played to the end.
    #[arg(long, value_name = "N", default_value = "300", value_parser = read_count::<u64>)]
    pub iterations: u64,
    /// Seed of the games and of the player.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Limit of the solver in nodes.
    #[arg(long, value_name = "N", default_value = "3000000", value_parser = read_count::<u64>)]
    pub nodes: u64,
    /// The player to test.
    #[arg(long, default_value = "tournament")]
    pub player: PlayerSpec,
    /// Its seconds a move.
    #[arg(long, value_name = "S", default_value = "0.5", value_parser = read_time)]
    pub time: Duration,
    /// Positions worked on at once.
    #[command(flatten)]
    pub cores: CoreArgs,
}
