//! A game with its search, which returns a legal move even after a panic.

use crate::settings::Settings;
use crate::setup::Setup;
use otrera::{Level, Limits, Move, Position, Report, Resources, Search, Side};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A game: its moves so far, and the search of its current position.
pub struct GameSearch {
    settings: Settings,
    resources: Resources,
    moves: Vec<Move>,
    /// Position before each move played by [`GameSearch::advance`] since the last [`GameSearch::follow`].
    past: Vec<Position>,
    search: Search,
}

impl GameSearch {
    /// Creates a game at its start position, with an empty tree.
    pub fn new(settings: &Settings, setup: Setup, start: Position) -> Self {
        let resources = setup.resources(settings);
        let search = Search::new(start, settings.preset.params.clone(), resources);
        Self { settings: settings.clone(), resources, moves: Vec::new(), past: Vec::new(), search }
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        self.search.position()
    }

    /// Returns the moves played so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays `mv`, which must be legal.
    pub fn advance(&mut self, mv: Move) {
        self.past.push(*self.position());
        self.moves.push(mv);
        self.search.advance(mv);
    }

    /// Takes back the last move and returns it; `None` if [`Self::advance`] did not play that move.
    pub fn take_back(&mut self) -> Option<Move> {
        self.search.set_position(self.past.pop()?);
        self.moves.pop()
    }

    /// Excludes moves from the search of the current position.
    pub fn exclude(&mut self, moves: &[Move]) {
        self.search.exclude(moves);
    }

    /// Sets the side to move, as if the other side had passed.
    pub fn give_turn_to(&mut self, side: Side) {
        let position = self.position().with_side(side);
        self.search.set_position(position);
    }

    /// Replaces the game with `moves`, which lead to `position`. Reuses the tree if `moves` continue the current game.
    pub fn follow(&mut self, moves: &[Move], position: Position) {
        for &mv in moves.strip_prefix(&self.moves[..]).unwrap_or_default() {
            if self.position().check(mv).is_err() {
                break;
            }
            self.search.advance(mv);
        }
        self.moves = moves.to_vec();
        self.past.clear();
        self.search.set_position(position);
    }

    /// Searches until the limits returned by [`Self::limits`] are reached or `stop` is set.
    pub fn think(&mut self, deadline: Option<Instant>, stop: &AtomicBool) -> Report {
        self.search(&self.limits(deadline), stop, &mut |_| ())
    }

    /// Returns the limits for a move: the number of iterations in the settings, or else [`Limits::for_move`].
    pub fn limits(&self, deadline: Option<Instant>) -> Limits {
        match self.settings.iterations {
            Some(count) => Limits::iterations(count),
            None => Limits::for_move(self.position(), deadline),
        }
    }

    /// Searches at a playing level. The move to play is [`Report::best`].
    pub fn think_at(&mut self, level: Level) -> Report {
        let (seed, stop) = (self.resources.seed, AtomicBool::new(false));
        self.recovered(|search| level.think(search, seed, &stop))
    }

    /// Searches until `stop` is set or a limit is reached, but runs at least [`Limits::min_iterations`].
    pub fn search(
        &mut self,
        limits: &Limits,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(&Report) + Send),
    ) -> Report {
        self.recovered(|search| search.run(limits, stop, progress))
    }

    /// Runs `think` and returns its report. If `think` panics, a new one-iteration search finds a legal move.
    fn recovered(&mut self, think: impl FnOnce(&mut Search) -> Report) -> Report {
        catch_unwind(AssertUnwindSafe(|| think(&mut self.search))).unwrap_or_else(|_| {
            let excluded = self.search.excluded().to_vec();
            self.search = Search::new(*self.position(), self.settings.preset.params.clone(), self.resources);
            self.search.exclude(&excluded);
            self.search.run(&Limits::iterations(1), &AtomicBool::new(false), &mut |_| ())
        })
    }
}

/// Returns the first 200 characters of a message in one line: control characters become spaces.
pub fn in_one_line(message: &str) -> String {
    message.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}

/// Formats a proven result, like `Black is certain to win by at least 3 moves`; `None` if no result is proven.
pub fn verdict(report: &Report) -> Option<String> {
    let margin = match report.margin {
        None | Some(0) => String::new(),
        Some(1) => " by at least 1 move".into(),
        Some(margin) => format!(" by at least {margin} moves"),
    };
    report.proven.map(|winner| format!("{winner} is certain to win{margin}"))
}

/// Formats a report as one line of at most `limit` bytes, for logs and debug fields.
pub fn summary(report: &Report, limit: usize) -> String {
    let mut text = format!(
        "d={} n={} visits={} nodes={} {:.0}/s w={}",
        report.depth,
        report.iterations,
        report.visits,
        report.nodes,
        report.speed(),
        report.best_rate()
    );
    if let Some(winner) = report.proven {
        text += &format!(" proven={winner}");
    }
    if let Some(margin) = report.margin {
        text += &format!(" margin={margin}");
    }
    text += " pv";
    for mv in &report.principal_variation {
        let mv = format!(" {mv}");
        if text.len() + mv.len() > limit {
            break;
        }
        text += &mv;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> GameSearch {
        let settings = Settings { threads: Some(1), memory: Some(8 << 20), ..Settings::default() };
        GameSearch::new(&settings, Setup::DESKTOP, Position::standard())
    }

    fn first_move(position: &Position) -> Move {
        position.legal_moves().next().unwrap_or_else(|| unreachable!("the game is not over"))
    }

    #[test]
    fn a_move_is_taken_back_once() {
        let mut game = game();
        let (start, mv) = (*game.position(), first_move(game.position()));
        game.advance(mv);
        assert_eq!(game.moves(), [mv]);
        assert_eq!((game.take_back(), *game.position()), (Some(mv), start));
        assert_eq!((game.moves().len(), game.take_back()), (0, None));
        // Moves of a game that is followed are not taken back.
        game.follow(&[mv], start.with_move(mv));
        assert_eq!((game.take_back(), game.moves().len()), (None, 1));
    }

    #[test]
    fn a_panic_leaves_a_legal_move_that_is_not_excluded() {
        let mut game = game();
        let legal: Vec<Move> = game.position().legal_moves().collect();
        let (allowed, excluded) = legal.split_last().unwrap_or_else(|| unreachable!("there are legal moves"));
        game.exclude(excluded);
        let report = game.recovered(|_| std::panic::resume_unwind(Box::new(())));
        assert_eq!(report.best, Some(*allowed));
    }

    #[test]
    fn texts_for_a_log_have_one_line_and_a_limit() {
        assert_eq!(in_one_line("a\nb\u{1b}c"), "a b c");
        assert_eq!(in_one_line(&"é".repeat(300)).chars().count(), 200);
        let mut report = game().think(None, &AtomicBool::new(true));
        let line = summary(&report, 1000);
        assert!(!line.contains('\n') && line.contains(" pv "), "{line}");
        assert_eq!(summary(&report, line.len()), line);
        assert!(summary(&report, line.len() - 1).len() < line.len());
        (report.proven, report.margin) = (Some(Side::White), Some(1));
        assert_eq!(verdict(&report).as_deref(), Some("White is certain to win by at least 1 move"));
        report.margin = Some(0);
        assert_eq!(verdict(&report).as_deref(), Some("White is certain to win"));
    }
}
