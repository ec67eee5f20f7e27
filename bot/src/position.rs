//! Reads the position given by options: a start position, a FEN, moves, or a game from a file.

use crate::cli::CommandLine;
use crate::records::{each_game, format_illegal};
use otrera::record::{self, Warning};
use otrera::{GameRecord, Move, Position, Size};
use std::io::Write;
use std::path::Path;

/// Maximum size of a file of games to analyse, in bytes.
pub const MAX_BYTES: u64 = 512 << 20;

/// Returns the start position given by `--fen` or `--size`, by default the standard one. Fails for an invalid FEN.
pub fn start(options: &CommandLine) -> Result<Position, String> {
    match &options.own.fen {
        Some(fen) => Position::from_fen(fen).map_err(|error| format!("--fen: {error}")),
        None => Ok(Position::start(options.settings.size.unwrap_or(Size::STANDARD))),
    }
}

/// Returns the position given by `--fen`, `--size`, `--moves`, `--record`, `--game` and `--ply`, and the move that led
/// to the position, if any. Fails for contradictory options, an unreadable file, or an earlier illegal move.
pub fn position(options: &CommandLine) -> Result<(Position, Option<Move>), String> {
    let game = game(options)?;
    let positions = game.positions();
    let ply = options.own.ply.unwrap_or(game.moves.len());
    match (positions.get(ply), game.first_illegal()) {
        (Some(&position), _) => {
            Ok((position, ply.checked_sub(1).and_then(|last| game.moves.get(last)).map(|played| played.mv)))
        }
        (None, Some(illegal)) if illegal.0 <= ply => Err(format_illegal(illegal)),
        (None, _) => Err(format!("--ply {ply}: the game has {} moves", game.moves.len())),
    }
}

/// Returns the game given by `--fen`, `--size`, `--moves`, `--record` and `--game`. Does not check its moves.
pub fn game(options: &CommandLine) -> Result<GameRecord, String> {
    Ok(match (&options.own.moves, &options.own.record) {
        (Some(_), Some(_)) => return Err("--moves and --record cannot be combined".into()),
        (None, Some(_)) if options.own.fen.is_some() => {
            return Err("--fen and --record cannot be combined: a record has its own start position".into());
        }
        (_, None) if options.own.game.is_some() => {
            return Err("--game needs --record".into());
        }
        (Some(text), None) => {
            let start = start(options)?;
            let (moves, warnings) = record::read_moves(text, &start);
            match warnings.first() {
                Some(warning) => return Err(format!("--moves: {warning}")),
                None if moves.is_empty() && !text.trim().is_empty() => {
                    return Err(format!("--moves: {text:?} has no move that can be played"));
                }
                None => GameRecord::new("", "", start).with_moves(&moves),
            }
        }
        (None, Some(file)) => {
            recorded(file, options).map_err(|problem| format!("{}: {problem}", file.display()))?
        }
        (None, None) => GameRecord::new("", "", start(options)?),
    })
}

/// Reads the game `--game` (from 1) from a file; the option is only needed for a file with several games. Warnings go
/// to standard error, and are errors with `--strict`.
fn recorded(file: &Path, options: &CommandLine) -> Result<GameRecord, String> {
    let wanted = options.own.game.unwrap_or(1).max(1);
    // Keeps the wanted game only: all games of a large file would need many times its memory.
    let (mut count, mut found) = (0, None);
    let warnings = each_game(file, MAX_BYTES, |game| {
        count += 1;
        found = found.take().or((count == wanted).then_some(game));
    })?;
    check_warnings(file, &warnings, options)?;
    if options.own.game.is_none() && count > 1 {
        return Err(format!("has {count} games; choose one with --game N, or --annotate all into a folder"));
    }
    found.ok_or_else(|| format!("has no game {wanted}, only {count}"))
}

/// Shows warnings on standard error; with `--strict`, fails if there are any.
pub fn check_warnings(file: &Path, warnings: &[Warning], options: &CommandLine) -> Result<(), String> {
    for warning in warnings {
        // Nobody is left to read a warning if standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}: {warning}", file.display());
    }
    if options.own.strict && !warnings.is_empty() {
        return Err("--strict refuses a record with warnings".into());
    }
    Ok(())
}
