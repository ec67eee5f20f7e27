//! The search as a player.

use otrera::{Forfeit, Level, Limits, Move, Params, Position, Report, Resources, Search, mix_seed};
pub use otrera_referee::player::{Budget, Choice, Player};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Runs a search to its limits, without progress reports.
pub fn run_search(search: &mut Search, limits: &Limits) -> Report {
    search.run(limits, &AtomicBool::new(false), &mut |_| ())
}

pub struct SearchPlayer {
    params: Params,
    resources: Resources,
    /// Iterations a move, instead of the budget.
    iterations: Option<u64>,
    time: TimeShare,
    games: u64,
    moves: u32,
    search: Option<Search>,
}

/// The share of its time that a search uses.
#[derive(Clone, Copy, Debug)]
pub struct TimeShare {
    /// At most 1.
    pub share: f64,
    /// Number of first moves that get `times` as much, an upper bound for an opening book.
    pub first: u32,
    pub times: f64,
}

impl Default for TimeShare {
    fn default() -> Self {
        Self { share: 1.0, first: 0, times: 1.0 }
    }
}

impl SearchPlayer {
    /// Creates a player with these parameters; `iterations` replaces every budget. Each game has another seed.
    pub fn new(params: Params, resources: Resources, iterations: Option<u64>, time: TimeShare) -> Self {
        Self { params, resources, iterations, time, games: 0, moves: 0, search: None }
    }
}

impl Player for SearchPlayer {
    fn begin(&mut self, start: &Position) -> Result<(), Forfeit> {
        let seed = mix_seed(self.resources.seed, self.games);
        let resources = Resources { seed, ..self.resources };
        self.search = Some(Search::new(*start, self.params.clone(), resources));
        self.games += 1;
        self.moves = 0;
        Ok(())
    }

    fn choose(&mut self, budget: Budget) -> Result<Choice, Forfeit> {
        let began = Instant::now();
        let search = self.search.as_mut().ok_or_else(|| Forfeit::Crashed("no game has begun".into()))?;
        self.moves += 1;
        let TimeShare { share, first, times } = self.time;
        let share = if self.moves <= first { share * times } else { share };
        let limits = match self.iterations.or(budget.iterations) {
            Some(count) => Limits::iterations(count),
            None => {
                Limits { iterations: None, deadline: budget.time.map(|time| began + time.mul_f64(share)) }
            }
        };
        let report = run_search(search, &limits);
        let mv = report.best.ok_or_else(|| Forfeit::Crashed("the game is over".into()))?;
        Ok(Choice { mv, effort: Some(report.iterations), win_rate: Some(report.win_rate.0) })
    }

    fn played(&mut self, mv: Move) {
        if let Some(search) = &mut self.search {
            search.advance(mv);
        }
    }
}

/// A playing level of the full engine, as people meet it.
pub struct LevelPlayer {
    level: Level,
    resources: Resources,
    games: u64,
    search: Option<Search>,
}

impl LevelPlayer {
    /// Creates a player of this level. Each game has another seed.
    pub fn new(level: Level, resources: Resources) -> Self {
        Self { level, resources, games: 0, search: None }
    }
}

impl Player for LevelPlayer {
    fn begin(&mut self, start: &Position) -> Result<(), Forfeit> {
        self.games += 1;
        self.search = Some(Search::new(*start, Params::TOURNAMENT, self.resources));
        Ok(())
    }

    fn choose(&mut self, _: Budget) -> Result<Choice, Forfeit> {
        let search = self.search.as_mut().ok_or_else(|| Forfeit::Crashed("no game has begun".into()))?;
        let seed = mix_seed(self.resources.seed, self.games);
        let report = self.level.think(search, seed, &AtomicBool::new(false));
        let mv = report.best.ok_or_else(|| Forfeit::Crashed("the game is over".into()))?;
        Ok(Choice { mv, effort: Some(report.iterations), win_rate: Some(report.best_rate().0) })
    }

    fn played(&mut self, mv: Move) {
        if let Some(search) = &mut self.search {
            search.advance(mv);
        }
    }
}
