//! A game with the search that follows it, which finds a legal move even where it fails.

use crate::conditions::Conditions;
use crate::options::Settings;
use otrera::{Limits, Move, Position, Report, Resources, Rules, Search, Side};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A game from its start, with the search that follows it.
pub struct Game {
    settings: Settings,
    resources: Resources,
    moves: Vec<Move>,
    /// The positions before the last of these moves, as many as [`Game::advance`] has played.
    past: Vec<Position>,
    search: Search,
}

impl Game {
    /// A game that begins at `start`.
    pub fn new(settings: &Settings, conditions: Conditions, start: Position) -> Self {
        let resources = conditions.resources(settings);
        let search = Search::new(start, settings.params(), resources);
        Self { settings: settings.clone(), resources, moves: Vec::new(), past: Vec::new(), search }
    }

    /// The present position.
    pub fn position(&self) -> &Position {
        self.search.position()
    }

    /// The moves that led to the present position.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a legal move.
    pub fn advance(&mut self, mv: Move) {
        self.past.push(*self.position());
        self.moves.push(mv);
        self.search.advance(mv);
    }

    /// Takes the last move back, if there is one.
    pub fn take_back(&mut self) -> Option<Move> {
        self.search.set_position(self.past.pop()?);
        self.moves.pop()
    }

    /// The position before the last move, where that was played here.
    pub fn before_last(&self) -> Option<&Position> {
        self.past.last()
    }

    /// Does not play these moves in the present position.
    pub fn exclude(&mut self, moves: &[Move]) {
        self.search.exclude(moves);
    }

    /// Lets this side move next, as if the other one had passed.
    pub fn give_turn_to(&mut self, side: Side) {
        self.search.set_position(self.position().with_side(side));
    }

    /// Goes on under these rules.
    pub fn set_rules(&mut self, rules: Rules) {
        self.search.set_position(self.position().with_rules(rules));
    }

    /// Puts the game into a position that was reached by `moves`. The tree is kept where these only go
    /// on from the moves known so far.
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

    /// Thinks until `deadline`, or for the iterations of the settings, or until `stop` is raised. With a
    /// single legal move it does not think at all.
    pub fn think(&mut self, deadline: Option<Instant>, stop: &AtomicBool) -> Report {
        self.search(&self.limits(deadline), stop, &mut |_| ())
    }

    /// The limits of [`Self::think`].
    pub fn limits(&self, deadline: Option<Instant>) -> Limits {
        match self.settings.iterations {
            Some(count) => Limits::iterations(count),
            None if self.position().legal_moves().nth(1).is_none() => Limits::iterations(1),
            None => Limits { iterations: None, deadline },
        }
    }

    /// Thinks about the present position until `stop` is raised or the game is proven, to know more when
    /// the next move has been played.
    pub fn ponder(&mut self, stop: &AtomicBool) -> Report {
        self.search(&Limits::default(), stop, &mut |_| ())
    }

    /// The report of a single iteration, where there is no time or no thread for more.
    pub fn glance(&mut self) -> Report {
        self.search(&Limits::iterations(1), &AtomicBool::new(true), &mut |_| ())
    }

    /// Thinks within these limits or until `stop` is raised, and reports on the way; at least
    /// [`Limits::MIN_ITERATIONS`], also where the flag was raised before, since what it finds may be played. After a
    /// search that panicked a new one of a single iteration still finds a legal move.
    pub fn search(
        &mut self,
        limits: &Limits,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(&Report) + Send),
    ) -> Report {
        let search = &mut self.search;
        let think = || {
            let report = search.run(limits, stop, progress);
            if !stop.load(Ordering::Relaxed) || report.iterations >= limits.min_iterations() {
                return report;
            }
            let late = Limits { iterations: Some(limits.min_iterations()), deadline: Some(Instant::now()) };
            let more = search.run(&late, &AtomicBool::new(false), progress);
            // Where the outcome is proven no more iterations are made.
            if more.iterations > report.iterations { more } else { report }
        };
        match catch_unwind(AssertUnwindSafe(think)) {
            Ok(report) => report,
            Err(_) => {
                let excluded = self.search.excluded().to_vec();
                self.search = Search::new(*self.position(), self.settings.params(), self.resources);
                self.search.exclude(&excluded);
                self.search.run(&Limits::iterations(1), stop, &mut |_| ())
            }
        }
    }
}

/// The beginning of a message, at most 200 characters, for a place that holds one line.
pub fn in_one_line(message: &str) -> String {
    message.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}

/// A proven result as a sentence without its full stop; `None` where nothing is proven.
pub fn verdict(report: &Report) -> Option<String> {
    let margin = match report.margin {
        None | Some(0) => String::new(),
        Some(1) => " by at least 1 move".into(),
        Some(margin) => format!(" by at least {margin} moves"),
    };
    report.proven.map(|winner| format!("{winner} is certain to win{margin}"))
}

/// A line about a report for logs and debug fields, at most `limit` bytes.
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
