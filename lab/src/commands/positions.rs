//! Fixed positions for what is measured again and again: each of another game of `tournament` against itself, 400
//! iterations a move.

use otrera::{Position, Size};
use std::path::PathBuf;

/// Which positions.
#[derive(clap::Args)]
pub struct PositionArgs {
    /// FENs to take instead, one a line.
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
    /// The first so many of them.
    #[arg(long, value_name = "N", value_parser = crate::arguments::read_count::<usize>)]
    positions: Option<usize>,
}

impl PositionArgs {
    /// How many are wanted at most.
    pub fn most(&self) -> usize {
        self.positions.unwrap_or(usize::MAX)
    }
}

/// Positions of the games on 10x10 and on 8x8, as FENs.
const STANDARD: &str = include_str!("../../data/positions-10.txt");
const SMALL: &str = include_str!("../../data/positions-8.txt");

/// All positions for this board, or all of the file.
///
/// # Errors
/// There are none for this board, or a file that cannot be read.
pub fn read(args: &PositionArgs, size: Size) -> Result<Vec<Position>, String> {
    let text = match (&args.fens, size.edge()) {
        (Some(path), _) => {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?
        }
        (None, 10) => STANDARD.to_owned(),
        (None, 8) => SMALL.to_owned(),
        (None, edge) => {
            return Err(format!("--size {edge}: there are positions for 8 and 10, or give --fens FILE"));
        }
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |line: &str| Position::from_fen(line).map_err(|error| format!("{line}: {error}"));
    lines.map(read).collect()
}
