//! `otrera analyze --annotate`: searches every position of a game and writes the game with values, comments and
//! variations for better moves.

use crate::analyze::{Progress, limits, new_search};
use crate::cli::CommandLine;
use crate::position;
use crate::records::{format_game, format_illegal};
use otrera::record::{MARKS, Note, Variation};
use otrera::{GameRecord, Move, Position, Search, Side};
use otrera_front::files::{replace_file, require_new};
use otrera_front::session::verdict;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Default thinking time for each position.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Maximum length of the variation added for a better move, in plies.
const MAX_LINE: usize = 6;

/// Search result for one position.
struct Opinion {
    /// Black's win rate, 0 to 1.
    black: f32,
    /// Principal variation; empty if the game is over.
    line: Vec<Move>,
    /// Result for a comment, like `Black has won` or `Black is certain to win`; `None` if unproven.
    verdict: Option<String>,
}

/// Runs the command: prints the mistakes and writes the annotated game to `output`, which must not exist.
pub fn run(options: &CommandLine, output: &Path) -> Result<(), String> {
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
    let opinions = search(options, &game);
    let losses = mark_losses(&mut game, &opinions)?;
    for (ply, opinion) in opinions.iter().enumerate() {
        let note = game.notes.entry(ply).or_default();
        note.value = Some(Note::value_of(opinion.black));
        if let Some(verdict) = &opinion.verdict {
            add_comment(note, verdict);
        }
    }
    replace_file(output, format_game(output, &game)?.as_bytes(), true)
        .map_err(|error| format!("{}: {error}", output.display()))?;
    otrera_front::io::print(&format_losses(&losses))?;
    otrera_front::io::print(&format!("written to {}\n", output.display()))
}

/// Formats the mean loss per move of each side that has moved, one line for each.
fn format_losses(losses: &[(Side, f32)]) -> String {
    let line = |side: Side| {
        let own: Vec<f32> =
            losses.iter().filter(|(mover, _)| *mover == side).map(|&(_, loss)| loss).collect();
        let mean = own.iter().sum::<f32>() / own.len() as f32;
        let line = format!("{side} lost {:.1}% win rate per move\n", mean * 100.0);
        if own.is_empty() { String::new() } else { line }
    };
    Side::BOTH.map(line).concat()
}

/// Prints every move that loses enough win rate for one of the [`MARKS`], and adds a comment and the better line
/// to the game. Returns the side and the lost win rate (0 to 1) of every move.
fn mark_losses(game: &mut GameRecord, opinions: &[Opinion]) -> Result<Vec<(Side, f32)>, String> {
    let mut losses = Vec::new();
    let mut side = game.start.side();
    for (ply, pair) in (1..).zip(opinions.windows(2)) {
        let [before, after] = pair else { continue };
        let played = game.moves.get(ply - 1).map(|played| played.mv);
        let loss = (rate(before, side) - rate(after, side)).max(0.0);
        losses.push((side, loss));
        let better = Some(&before.line).filter(|line| line.first().copied() != played);
        let mark = MARKS.iter().find(|(least, _)| loss >= *least).map(|(_, mark)| mark);
        if let (Some(line), Some(mark), Some(mv)) = (better, mark, played) {
            let best = line.first().map(ToString::to_string).unwrap_or_default();
            let remark = format!("{mark}: loses {:.1}% win rate; {best} is better", loss * 100.0);
            otrera_front::io::print(&format!("{ply:>3}. {side} {mv}  {remark}\n"))?;
            add_comment(game.notes.entry(ply).or_default(), &remark);
            add_variation(game.notes.entry(ply - 1).or_default(), line);
        }
        side = side.opponent();
    }
    Ok(losses)
}

fn rate(opinion: &Opinion, side: Side) -> f32 {
    if side == Side::Black { opinion.black } else { 1.0 - opinion.black }
}

/// Searches all positions of the game in order, reusing the tree after each move; returns one opinion per position.
fn search(options: &CommandLine, game: &GameRecord) -> Vec<Opinion> {
    let mut search = new_search(game.start, options);
    let progress = Progress::begin("thinking ...");
    let positions = game.positions();
    let mut opinions = Vec::new();
    for (ply, position) in positions.iter().enumerate() {
        if let Some(played) = ply.checked_sub(1).and_then(|last| game.moves.get(last)) {
            search.advance(played.mv);
        }
        progress.show(&format!("position {} of {}", ply + 1, positions.len()));
        opinions.push(opinion(&mut search, position, options));
    }
    progress.wipe();
    opinions
}

fn opinion(search: &mut Search, position: &Position, options: &CommandLine) -> Opinion {
    if let Some(winner) = position.winner() {
        let black = f32::from(winner == Side::Black);
        return Opinion { black, line: Vec::new(), verdict: Some(format!("{winner} has won")) };
    }
    let report = search.run(&limits(options, DEFAULT_TIME), &AtomicBool::new(false), &mut |_| ());
    let mover = match report.proven {
        Some(winner) => f32::from(winner == position.side()),
        None => report.best_rate().0,
    };
    let black = if position.side() == Side::Black { mover } else { 1.0 - mover };
    let line = report.principal_variation.iter().copied().take(MAX_LINE).collect();
    Opinion { black, line, verdict: verdict(&report) }
}

fn add_comment(note: &mut Note, remark: &str) {
    if note.comment.lines().any(|line| line == remark) {
        return;
    }
    if !note.comment.is_empty() {
        note.comment.push('\n');
    }
    note.comment.push_str(remark);
}

/// Adds the moves of a better line as a variation, unless a variation with the same first move exists.
fn add_variation(note: &mut Note, line: &[Move]) {
    let first = |variation: &Variation| variation.moves.first().map(|played| played.mv);
    if note.variations.iter().all(|variation| first(variation) != line.first().copied()) {
        let moves = line.iter().copied().map(Into::into).collect();
        note.variations.push(Variation { moves, ..Variation::default() });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test fails by panicking
mod tests {
    use super::*;

    #[test]
    fn each_side_has_its_own_losses() {
        let moves = ["d1-d7/g7", "a7-d4/a7", "g1-e3/e10"].map(|mv| mv.parse().unwrap());
        let mut game = GameRecord::new("", "", Position::standard()).with_moves(&moves);
        let opinions = [0.5, 0.4, 0.7, 0.4].map(|black| Opinion { black, line: Vec::new(), verdict: None });
        let losses = mark_losses(&mut game, &opinions).unwrap();
        assert_eq!(
            losses.iter().map(|&(side, _)| side).collect::<Vec<_>>(),
            [Side::Black, Side::White, Side::Black]
        );
        let expected = "Black lost 20.0% win rate per move\nWhite lost 30.0% win rate per move\n";
        assert_eq!(format_losses(&losses), expected);
        assert_eq!(format_losses(&losses[..1]), "Black lost 10.0% win rate per move\n");
    }

    #[test]
    fn a_loss_gets_the_gravest_mark_that_it_deserves() {
        let [played, better] = ["d1-d7/g7", "g1-g7/d7"].map(|mv| mv.parse::<Move>().unwrap());
        for (after, remark) in [
            (0.25, "blunder: loses 25.0% win rate; g1-g7/d7 is better"),
            (0.38, "mistake: loses 12.0% win rate; g1-g7/d7 is better"),
            (0.44, "inaccuracy: loses 6.0% win rate; g1-g7/d7 is better"),
            (0.47, ""),
            (0.6, ""),
        ] {
            let mut game = GameRecord::new("", "", Position::standard()).with_moves(&[played]);
            let opinion = |black, line: &[Move]| Opinion { black, line: line.to_vec(), verdict: None };
            mark_losses(&mut game, &[opinion(0.5, &[better]), opinion(after, &[])]).unwrap();
            let comment = game.notes.get(&1).map_or("", |note| note.comment.as_str());
            assert_eq!(comment, remark, "{after}");
            let variations = game.notes.get(&0).map_or(0, |note| note.variations.len());
            assert_eq!(variations, usize::from(!remark.is_empty()), "{after}");
        }
    }
}
