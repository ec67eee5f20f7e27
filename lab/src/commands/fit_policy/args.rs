//! Arguments of `lab fit-policy`.

use crate::arguments::read_count;
use crate::cluster::{TaskArgs, WorkArgs};
use std::path::PathBuf;

/// Fits the priors of half-moves to the visits of longer searches.
#[derive(clap::Args)]
pub struct Args {
    /// Results files or records, on boards of any size.
    #[arg(required = true)]
    pub games: Vec<PathBuf>,
    /// The search: a preset with parameters.
    #[arg(long, default_value = "tournament")]
    pub search: String,
    /// Positions to search.
    #[arg(long, default_value = "20000", value_parser = read_count::<usize>)]
    pub positions: usize,
    /// Iterations of each search.
    #[arg(long, default_value = "5000", value_parser = read_count::<u64>)]
    pub iterations: u64,
    /// Steps of the fit.
    #[arg(long, default_value = "300", value_parser = read_count::<u32>)]
    pub steps: u32,
    /// Seed of the choice of positions and of the searches.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub(super) work: WorkArgs,
    #[command(flatten)]
    pub(super) task: TaskArgs,
    /// Keep the searches in this file, and skip those that it holds.
    #[arg(long, value_name = "FILE")]
    pub searches: Option<PathBuf>,
    /// File of weights whose other parts are kept [default: the built-in weights].
    #[arg(long)]
    pub base: Option<PathBuf>,
    /// File of weights to write, for `model=FILE`.
    #[arg(long, default_value = "results/weights.json")]
    pub output: PathBuf,
}
