//! Players that use the engine's search.

use otrera::seed::mix_seed;
use otrera::{Level, Limits, Move, Params, Position, Report, Resources, Search, Side};
pub use otrera_arena::failure::Failure;
pub use otrera_arena::player::{Budget, Choice, Player};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Runs a search to its limits, without progress reports.
pub fn run_search(search: &mut Search, limits: &Limits) -> Report {
    search.run(limits, &AtomicBool::new(false), &mut |_| ())
}

pub fn search_of(position: &Position, params: impl Into<Params>, megabytes: usize, seed: u64) -> Search {
    Search::new(*position, params, Resources { threads: 1, memory: megabytes << 20, seed })
}

pub fn iterate(search: &mut Search, iterations: u64) -> Report {
    run_search(search, &Limits::iterations(iterations))
}

pub struct SearchPlayer {
    params: Params,
    resources: Resources,
    /// Iterations per move; overrides the budget passed to [`Player::choose`].
    iterations: Option<u64>,
    /// Playing level, instead of parameters and limits; overrides the budget passed to [`Player::choose`].
    level: Option<Level>,
    games: u64,
    search: Option<Search>,
}

impl SearchPlayer {
    /// Creates a player with these parameters; `iterations`, if given, overrides the budget of each move. Each game
    /// uses a different seed, derived from `resources.seed`.
    pub fn new(params: Params, resources: Resources, iterations: Option<u64>) -> Self {
        Self { params, resources, iterations, level: None, games: 0, search: None }
    }

    /// Creates a player at this level; the player ignores time and iteration limits.
    pub fn at_level(level: Level, resources: Resources) -> Self {
        Self { level: Some(level), ..Self::new(Params::TOURNAMENT, resources, None) }
    }
}

impl Player for SearchPlayer {
    fn begin(&mut self, start: &Position, _: Side) -> Result<(), Failure> {
        let seed = mix_seed(self.resources.seed, self.games);
        let resources = Resources { seed, ..self.resources };
        self.search = Some(Search::new(*start, self.params.clone(), resources));
        self.games += 1;
        Ok(())
    }

    fn choose(&mut self, _: &Position, budget: Budget) -> Result<Choice, Failure> {
        let began = Instant::now();
        let search = self.search.as_mut().ok_or_else(|| Failure::cannot("no game has begun"))?;
        let report = match (self.level, self.iterations.or(budget.iterations)) {
            (Some(level), _) => {
                let seed = mix_seed(self.resources.seed, self.games);
                level.think(search, seed, &AtomicBool::new(false))
            }
            (None, Some(count)) => iterate(search, count),
            (None, None) => {
                let deadline = budget.time.map(|time| began + time);
                run_search(search, &Limits { iterations: None, deadline })
            }
        };
        let rate = if self.level.is_some() { report.best_rate() } else { report.win_rate };
        let mv = report.best.ok_or_else(|| Failure::cannot("the game is over"))?;
        Ok(Choice { mv, effort: Some(report.iterations), win_rate: Some(rate.0), time: None })
    }

    fn played(&mut self, mv: Move) {
        if let Some(search) = &mut self.search {
            search.advance(mv);
        }
    }
}

/// A player that gets a share of the thinking time.
pub struct Handicapped {
    pub player: Box<dyn Player>,
    /// Share of the time, above 0, at most 1.
    pub share: f64,
}

impl Player for Handicapped {
    fn begin(&mut self, start: &Position, side: Side) -> Result<(), Failure> {
        self.player.begin(start, side)
    }

    fn choose(&mut self, position: &Position, budget: Budget) -> Result<Choice, Failure> {
        let time = budget.time.map(|time| time.mul_f64(self.share));
        self.player.choose(position, Budget { time, ..budget })
    }

    fn played(&mut self, mv: Move) {
        self.player.played(mv);
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.player.end()
    }

    fn leave(&mut self) -> Result<(), Failure> {
        self.player.leave()
    }
}
