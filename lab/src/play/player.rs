//! The search as a player.

use otrera::{Forfeit, Limits, Move, Params, Position, Resources, Search};
pub use otrera_referee::player::{Budget, Choice, Player};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The search as a player.
pub struct SearchPlayer {
    params: Params,
    resources: Resources,
    /// Iterations a move, whatever the budget says.
    iterations: Option<u64>,
    games: u64,
    search: Option<Search>,
}

impl SearchPlayer {
    /// A player that searches with these parameters. Each game has a seed of its own.
    pub fn new(params: Params, resources: Resources, iterations: Option<u64>) -> Self {
        Self { params, resources, iterations, games: 0, search: None }
    }
}

impl Player for SearchPlayer {
    fn begin(&mut self, start: &Position) -> Result<(), Forfeit> {
        let seed = self.resources.seed.wrapping_add(self.games.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let resources = Resources { seed, ..self.resources };
        self.search = Some(Search::new(*start, self.params.clone(), resources));
        self.games += 1;
        Ok(())
    }

    fn choose(&mut self, budget: Budget) -> Result<Choice, Forfeit> {
        let began = Instant::now();
        let search = self.search.as_mut().ok_or_else(|| Forfeit::Crashed("no game has begun".into()))?;
        let limits = match self.iterations.or(budget.iterations) {
            Some(count) => Limits::iterations(count),
            None => Limits { iterations: None, deadline: budget.time.map(|time| began + time) },
        };
        let report = search.run(&limits, &AtomicBool::new(false), &mut |_| ());
        let mv = report.best.ok_or_else(|| Forfeit::Crashed("the game is over".into()))?;
        Ok(Choice { mv, effort: Some(report.iterations), win_rate: Some(report.win_rate.0) })
    }

    fn played(&mut self, mv: Move) {
        if let Some(search) = &mut self.search {
            search.advance(mv);
        }
    }
}
