//! `otrera analyze --annotate FILE`: searches every position of a game and writes the game with values, comments and
//! variations for better moves. [`crate::batch`] reviews many games.

use crate::analyze::Progress;
use crate::batch;
use crate::cli::CommandLine;
use crate::position;
use crate::records::{format_game, format_illegal};
use crate::review::{Reviewed, review};
use otrera::Side;
use otrera_front::files::{replace_file, require_new};
use otrera_front::io::print;
use std::path::Path;

/// Runs the command: prints the mistakes and writes the annotated game to `output`, which must not exist. If `output`
/// is a folder, or the record is one, reviews all games.
pub fn run(options: &CommandLine, output: &Path) -> Result<(), String> {
    if let Some(record) = &options.own.record
        && (record.is_dir() || output.is_dir())
    {
        return batch::run(options, record, output);
    }
    if options.own.ply.is_some() {
        return Err("--annotate reviews the whole game, without --ply".into());
    }
    let mut game = position::game(options)?;
    if game.moves.is_empty() {
        return Err("--annotate needs a game: --record FILE or --moves".into());
    }
    if let Some(illegal) = game.first_illegal() {
        return Err(format_illegal(illegal));
    }
    options.settings.check_board(game.start.size())?;
    // Checks the output format and file before the search, which takes minutes.
    format_game(output, &game)?;
    require_new(output)?;
    let (progress, positions) = (Progress::begin("thinking ..."), game.moves.len() + 1);
    let show = |done: usize| progress.show(&format!("position {} of {positions}", done + 1));
    let moves = review(options, &mut game, show);
    progress.wipe();
    // Another program can have written the file meanwhile.
    require_new(output)?;
    replace_file(output, format_game(output, &game)?.as_bytes(), true)
        .map_err(|error| format!("{}: {error}", output.display()))?;
    for Reviewed { ply, side, mv, mark, .. } in &moves {
        if let Some((_, remark)) = mark {
            print(&format!("{ply:>3}. {side} {mv}  {remark}\n"))?;
        }
    }
    print(&Side::BOTH.map(|side| format_losses(&moves, side)).concat())?;
    print(&format!("written to {}\n", output.display()))
}

/// Formats the mean loss per move of a side as a line; empty if the side has not moved.
fn format_losses(moves: &[Reviewed], side: Side) -> String {
    let own: Vec<f32> = moves.iter().filter(|one| one.side == side).map(|one| one.loss).collect();
    let mean = own.iter().sum::<f32>() / own.len() as f32;
    let line = format!("{side} lost {:.1}% win rate per move\n", mean * 100.0);
    if own.is_empty() { String::new() } else { line }
}
