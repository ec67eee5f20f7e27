//! What every platform and command shares: a game being played, and thinking about its next move
//! without ever failing to have one.

use crate::options::{self, Settings};
use otrera::{Limits, Move, Position, Report, Resources, Rules, Search, Side};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime};

/// What a platform grants where the settings do not say.
#[derive(Clone, Copy, Debug)]
pub struct Defaults {
    /// Threads that think.
    pub threads: usize,
    /// Bytes for the tree.
    pub memory: usize,
}

impl Defaults {
    /// One core, and 256 MB in all.
    pub const BOTZONE: Self = Self { threads: 1, memory: 160 << 20 };

    /// A machine to oneself.
    pub fn desktop() -> Self {
        Self { threads: options::cores(), memory: 1 << 30 }
    }
}

/// A game from its start, with the search that follows it.
pub struct Game {
    settings: Settings,
    resources: Resources,
    start: Position,
    moves: Vec<Move>,
    /// The positions in which these moves were played, as far as they were played here.
    past: Vec<Position>,
    search: Search,
}

impl Game {
    /// A game that begins at `start`.
    pub fn new(settings: &Settings, defaults: Defaults, start: Position) -> Self {
        let resources = Resources {
            threads: settings.threads.unwrap_or(defaults.threads),
            memory: settings.memory.unwrap_or(defaults.memory),
            seed: settings.seed.unwrap_or_else(seed_from_time),
        };
        let search = Search::new(start, settings.params(), resources);
        Self { settings: settings.clone(), resources, start, moves: Vec::new(), past: Vec::new(), search }
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

    /// Begins again at the start.
    pub fn restart(&mut self) {
        self.moves.clear();
        self.past.clear();
        self.search.set_position(self.start);
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

    /// Lets this side move next, whatever the other one may have done.
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
        let limits = match self.settings.iterations {
            Some(count) => Limits::iterations(count),
            None if self.position().legal_moves().nth(1).is_none() => Limits::iterations(1),
            None => Limits { iterations: None, deadline },
        };
        self.search(&limits, stop, &mut |_| ())
    }

    /// Thinks about the present position until `stop` is raised or the game is proven, to know more when
    /// the next move has been played.
    pub fn ponder(&mut self, stop: &AtomicBool) -> Report {
        self.search(&Limits::default(), stop, &mut |_| ())
    }

    /// Thinks within these limits or until `stop` is raised, and tells of it on the way. A search that fails
    /// leaves a legal move.
    pub fn search(
        &mut self,
        limits: &Limits,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(&Report) + Send),
    ) -> Report {
        let search = &mut self.search;
        match catch_unwind(AssertUnwindSafe(|| search.run(limits, stop, progress))) {
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

/// Nobody should be able to foresee the games of a competition.
fn seed_from_time() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64 ^ u64::from(std::process::id()) << 32
}

/// The beginning of a message, at most 200 characters, for a place that holds one line.
pub fn in_one_line(message: &str) -> String {
    message.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
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
        report.win_rate
    );
    if let Some(winner) = report.proven {
        text += &format!(" proven={winner}");
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
