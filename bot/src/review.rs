//! Reviews a game: searches every position and marks the moves that lose win rate.

use crate::analyze::{limits, new_search};
use crate::cli::CommandLine;
use otrera::record::{CLEAR_RATE, MARKS, Note, RATE_PER_MOVE, Variation};
use otrera::{GameRecord, Move, Position, Search, Side};
use otrera_front::session::verdict;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Default thinking time for each position.
pub const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Maximum length of the variation added for a better move, in plies.
const MAX_LINE: usize = 6;

/// Search result for one position.
struct Opinion {
    /// Black's win rate, 0 to 1.
    black: f32,
    /// Lead in moves that Black expects, if known.
    lead: Option<f32>,
    /// Principal variation; empty if the game is over.
    line: Vec<Move>,
    /// Result for a comment, like `Black has won` or `Black is certain to win`; `None` if unproven.
    verdict: Option<String>,
}

impl Opinion {
    /// Returns true if the lead counts beside the win rate, see [`CLEAR_RATE`].
    fn is_clear(&self) -> bool {
        self.verdict.is_none() && self.black.max(1.0 - self.black) > CLEAR_RATE
    }
}

/// A reviewed move.
pub struct Reviewed {
    /// Number of the move, from 1.
    pub ply: usize,
    /// Side that plays the move.
    pub side: Side,
    /// The move.
    pub mv: Move,
    /// Win rate that the move loses, 0 to 1; 0 for the best move. Where the rate is clear, a lost lead counts too.
    pub loss: f32,
    /// True if the position before the move was proven: the move counts for no accuracy.
    pub is_decided: bool,
    /// Lead in moves that the move loses, at least 0; 0 if a lead is unknown.
    pub lead_loss: f32,
    /// Name of the mark, of [`MARKS`], and the remark about the better move.
    pub mark: Option<(&'static str, String)>,
}

/// Searches all positions of a game, whose moves must be legal, and adds values, comments and better lines to it.
/// Calls `progress` with the number of positions that are done. Returns the moves.
pub fn review(options: &CommandLine, game: &mut GameRecord, progress: impl Fn(usize)) -> Vec<Reviewed> {
    let opinions = search(options, game, progress);
    let moves = compare(game, &opinions);
    for (ply, opinion) in opinions.iter().enumerate() {
        let note = game.notes.entry(ply).or_default();
        note.value = Some(Note::value_of(opinion.black));
        if let Some(verdict) = &opinion.verdict {
            add_comment(note, verdict);
        }
    }
    moves
}

/// Compares the results before and after each move, and adds comments and better lines to the game.
fn compare(game: &mut GameRecord, opinions: &[Opinion]) -> Vec<Reviewed> {
    let mut moves = Vec::new();
    let mut side = game.start.side();
    for (ply, pair) in (1..).zip(opinions.windows(2)) {
        let ([before, after], Some(played)) = (pair, game.moves.get(ply - 1)) else { continue };
        let mv = played.mv;
        let rate_loss = (rate(before, side) - rate(after, side)).max(0.0);
        let lead_loss =
            lead(before, side).zip(lead(after, side)).map_or(0.0, |(had, has)| (had - has).max(0.0));
        let better = before.line.first().filter(|best| **best != mv);
        let by_lead = if before.is_clear() { (RATE_PER_MOVE * lead_loss).min(1.0) } else { 0.0 };
        let is_best = before.line.first() == Some(&mv);
        let loss = if is_best { 0.0 } else { rate_loss.max(by_lead) };
        let mark = MARKS.iter().find(|(least, _)| loss >= *least).map(|(_, mark)| *mark);
        let mark = better.zip(mark).map(|(best, mark)| {
            let lost = if by_lead > rate_loss {
                format!("{lead_loss:.1} moves")
            } else {
                format!("{:.1}% win rate", rate_loss * 100.0)
            };
            let remark = format!("{mark}: loses {lost}; {best} is better");
            add_comment(game.notes.entry(ply).or_default(), &remark);
            add_variation(game.notes.entry(ply - 1).or_default(), &before.line);
            (mark, remark)
        });
        let is_decided = before.verdict.is_some();
        moves.push(Reviewed { ply, side, mv, loss, is_decided, lead_loss, mark });
        side = side.opponent();
    }
    moves
}

fn rate(opinion: &Opinion, side: Side) -> f32 {
    if side == Side::Black { opinion.black } else { 1.0 - opinion.black }
}

fn lead(opinion: &Opinion, side: Side) -> Option<f32> {
    opinion.lead.map(|lead| if side == Side::Black { lead } else { -lead })
}

/// Searches all positions of the game in order, reusing the tree after each move; returns one opinion per position.
fn search(options: &CommandLine, game: &GameRecord, progress: impl Fn(usize)) -> Vec<Opinion> {
    let mut search = new_search(game.start, options);
    let mut opinions = Vec::new();
    for (ply, position) in game.positions().iter().enumerate() {
        if let Some(played) = ply.checked_sub(1).and_then(|last| game.moves.get(last)) {
            search.advance(played.mv);
        }
        progress(ply);
        opinions.push(opinion(&mut search, position, options));
    }
    opinions
}

fn opinion(search: &mut Search, position: &Position, options: &CommandLine) -> Opinion {
    if let Some(winner) = position.winner() {
        let (black, verdict) = (f32::from(winner == Side::Black), Some(format!("{winner} has won")));
        return Opinion { black, lead: None, line: Vec::new(), verdict };
    }
    let report = search.run(&limits(options, DEFAULT_TIME), &AtomicBool::new(false), &mut |_| ());
    let mover = match report.proven {
        Some(winner) => f32::from(winner == position.side()),
        None => report.best_rate().0,
    };
    let is_black = position.side() == Side::Black;
    let black = if is_black { mover } else { 1.0 - mover };
    let lead = report.lead().map(|lead| if is_black { lead } else { -lead });
    let line = report.principal_variation.iter().copied().take(MAX_LINE).collect();
    Opinion { black, lead, line, verdict: verdict(&report) }
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
        let opinions = [(0.5, Some(2.0)), (0.4, Some(0.5)), (0.7, Some(1.0)), (0.4, None)];
        let opinions = opinions.map(|(black, lead)| Opinion { black, lead, line: Vec::new(), verdict: None });
        let moves = compare(&mut game, &opinions);
        let losses: Vec<_> =
            moves.iter().map(|one| (one.side, (one.loss * 10.0).round(), one.lead_loss)).collect();
        assert_eq!(losses, [(Side::Black, 1.0, 1.5), (Side::White, 3.0, 0.5), (Side::Black, 3.0, 0.0)]);
    }

    #[test]
    fn in_clear_positions_a_lost_lead_counts_and_in_proven_ones_no_accuracy() {
        let [played, better] = ["d1-d7/g7", "g1-g7/d7"].map(|mv| mv.parse::<Move>().unwrap());
        let proven = Some("Black is certain to win".to_owned());
        for (before, best, verdict, loss, remark) in [
            (0.96, better, None, 12.0, "mistake: loses 3.0 moves; g1-g7/d7 is better"),
            (0.94, better, None, 1.0, ""),
            (0.96, better, proven, 1.0, ""),
            (0.96, played, None, 0.0, ""),
        ] {
            let mut game = GameRecord::new("", "", Position::standard()).with_moves(&[played]);
            let is_decided = verdict.is_some();
            let opinions = [
                Opinion { black: before, lead: Some(5.0), line: vec![best], verdict },
                Opinion { black: before - 0.01, lead: Some(2.0), line: Vec::new(), verdict: None },
            ];
            let moves = compare(&mut game, &opinions);
            assert_eq!(
                (moves[0].is_decided, (100.0 * moves[0].loss).round()),
                (is_decided, loss),
                "{before}"
            );
            let comment = game.notes.get(&1).map_or("", |note| note.comment.as_str());
            assert_eq!(comment, remark, "{before}");
        }
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
            let opinion =
                |black, line: &[Move]| Opinion { black, lead: None, line: line.to_vec(), verdict: None };
            compare(&mut game, &[opinion(0.5, &[better]), opinion(after, &[])]);
            let comment = game.notes.get(&1).map_or("", |note| note.comment.as_str());
            assert_eq!(comment, remark, "{after}");
            let variations = game.notes.get(&0).map_or(0, |note| note.variations.len());
            assert_eq!(variations, usize::from(!remark.is_empty()), "{after}");
        }
    }
}
