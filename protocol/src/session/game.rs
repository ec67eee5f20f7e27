//! A game with its search. The search returns a legal move even if it panics.

use crate::options::Settings;
use crate::setup::Setup;
use otrera::{Level, Limits, Move, Position, Report, Resources, Rules, Search, Side};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The moves of a game, with the search of its current position.
pub struct GameSearch {
    settings: Settings,
    resources: Resources,
    moves: Vec<Move>,
    /// Position before each move that [`GameSearch::advance`] has played.
    past: Vec<Position>,
    search: Search,
}

impl GameSearch {
    pub fn new(settings: &Settings, setup: Setup, start: Position) -> Self {
        let resources = setup.resources(settings);
        let search = Search::new(start, settings.preset.params.clone(), resources);
        Self { settings: settings.clone(), resources, moves: Vec::new(), past: Vec::new(), search }
    }

    pub fn position(&self) -> &Position {
        self.search.position()
    }

    /// Returns the moves played so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a legal move.
    pub fn advance(&mut self, mv: Move) {
        self.past.push(*self.position());
        self.moves.push(mv);
        self.search.advance(mv);
    }

    /// Takes back and returns the last move that [`Self::advance`] has played, if any.
    pub fn take_back(&mut self) -> Option<Move> {
        self.search.set_position(self.past.pop()?);
        self.moves.pop()
    }

    /// Returns the position before the last move, if [`Self::advance`] has played that move.
    pub fn before_last(&self) -> Option<&Position> {
        self.past.last()
    }

    /// Excludes moves from the search of this position.
    pub fn exclude(&mut self, moves: &[Move]) {
        self.search.exclude(moves);
    }

    /// Sets the side to move, as if the other side had passed.
    pub fn give_turn_to(&mut self, side: Side) {
        self.search.set_position(self.position().with_side(side));
    }

    pub fn set_rules(&mut self, rules: Rules) {
        self.search.set_position(self.position().with_rules(rules));
    }

    /// Changes the game to `moves`, which lead to `position`. Keeps the tree if they continue the current game.
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

    /// Searches within [`Self::limits`] or until `stop` is set.
    pub fn think(&mut self, deadline: Option<Instant>, stop: &AtomicBool) -> Report {
        self.search(&self.limits(deadline), stop, &mut |_| ())
    }

    /// Returns the limits for a move: the iterations in the settings, else those of [`Limits::for_move`].
    pub fn limits(&self, deadline: Option<Instant>) -> Limits {
        match self.settings.iterations {
            Some(count) => Limits::iterations(count),
            None => Limits::for_move(self.position(), deadline),
        }
    }

    /// Ponders in the opponent's time, until `stop` is set or the result is proven.
    pub fn ponder(&mut self, stop: &AtomicBool) -> Report {
        self.search(&Limits::default(), stop, &mut |_| ())
    }

    /// Searches at a playing level. The move to play is the report's first line.
    pub fn think_at(&mut self, level: Level) -> Report {
        let (seed, stop) = (self.resources.seed, AtomicBool::new(false));
        self.recovered(|search| level.think(search, seed, &stop))
    }

    /// Searches until `stop` or a limit, but at least [`Limits::MIN_ITERATIONS`], since the move may be played.
    pub fn search(
        &mut self,
        limits: &Limits,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(&Report) + Send),
    ) -> Report {
        self.recovered(|search| {
            let report = search.run(limits, stop, progress);
            if !stop.load(Ordering::Relaxed) || report.iterations >= limits.min_iterations() {
                return report;
            }
            let late = Limits { iterations: Some(limits.min_iterations()), deadline: Some(Instant::now()) };
            let more = search.run(&late, &AtomicBool::new(false), progress);
            // A proven position gets no more iterations.
            if more.iterations > report.iterations { more } else { report }
        })
    }

    /// Runs `think`. If it panics, a new search with a single iteration finds a legal move.
    fn recovered(&mut self, think: impl FnOnce(&mut Search) -> Report) -> Report {
        catch_unwind(AssertUnwindSafe(|| think(&mut self.search))).unwrap_or_else(|_| {
            let excluded = self.search.excluded().to_vec();
            self.search = Search::new(*self.position(), self.settings.preset.params.clone(), self.resources);
            self.search.exclude(&excluded);
            self.search.run(&Limits::iterations(1), &AtomicBool::new(false), &mut |_| ())
        })
    }
}

/// Returns the first 200 characters of a message as one line.
pub fn in_one_line(message: &str) -> String {
    message.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}

/// Formats a proven result as a clause; `None` if the result is not proven.
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
