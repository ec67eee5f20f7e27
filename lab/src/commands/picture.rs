//! `lab picture`: draws a position and its last move as SVG.

use crate::arguments::read_size;
use crate::files::Output;
use otrera::board::notation::svg::BEGINNING;
use otrera::{Move, Position, Size};
use std::path::PathBuf;

/// Draw a position as SVG.
#[derive(clap::Args)]
pub struct Args {
    /// The position, in Fairy-Stockfish's FEN for amazons [default: the start position].
    #[arg(long)]
    fen: Option<String>,
    /// A move to play and draw, like d1-d7/g7.
    #[arg(long = "move", value_name = "MOVE")]
    last: Option<Move>,
    /// Edge length of the board, if --fen is not given.
    #[arg(long, default_value = "10", value_parser = read_size)]
    size: Size,
    /// File to write.
    #[arg(long)]
    output: PathBuf,
}

pub fn run(args: &Args) -> Result<(), String> {
    let position = match &args.fen {
        Some(fen) => Position::from_fen(fen).map_err(|error| format!("--fen: {error}"))?,
        None => Position::start(args.size),
    };
    let shown = match args.last {
        Some(mv) => position.try_play(mv).map_err(|error| format!("--move {mv}: {error}"))?,
        None => position,
    };
    Output::new(&args.output, &[], &[BEGINNING])?.write(&shown.to_svg(args.last))
}
