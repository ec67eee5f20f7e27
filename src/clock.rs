//! How long to think about a move when the clock counts for the whole game.
//!
//! Pure arithmetic on durations: what the time is, the caller says.

use crate::board::position::Position;
use std::time::Duration;

/// One side's clock for a whole game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameClock {
    total: Duration,
    used: Duration,
}

/// Squares to fill on 10x10 and so the plies of the longest game; weights are given for it.
const STANDARD_PLIES: u32 = 92;

/// What a move at this ply of a 10x10 game deserves, relative to the others: the opening is hard to
/// judge by any search, the game is decided between plies 8 and 36, and from ply 50 on, often sooner, its
/// moves are counted and nothing is searched. A game counted after 40 plies has then had nine tenths of
/// its time.
const fn weight(ply: u32) -> u32 {
    match ply {
        0..8 => 20,
        8..36 => 40,
        36..44 => 16,
        44..52 => 6,
        _ => 1,
    }
}

/// Time that every move costs beside thinking: the way through pipes and windows, and threads that wait for
/// a busy machine.
pub const OVERHEAD: Duration = Duration::from_millis(10);

impl GameClock {
    /// A clock that has not run yet.
    pub const fn new(total: Duration) -> Self {
        Self { total, used: Duration::ZERO }
    }

    /// Time left.
    pub fn remaining(&self) -> Duration {
        self.total.saturating_sub(self.used)
    }

    /// Counts time that a move has taken.
    pub fn spend(&mut self, time: Duration) {
        self.used = self.used.saturating_add(time);
    }

    /// Time to think about the next move: its share of what is left, as if the game went on until every
    /// square was filled. Held back are a reserve of 2.5 % (at most ten seconds) and the [`OVERHEAD`] of
    /// the moves to come. Where something has eaten into the reserve, half of what is left takes its place;
    /// and when that does not cover the overhead either, there is no time to think: move at once.
    pub fn time_for(&self, position: &Position) -> Duration {
        let reserve = (self.total / 40).min(Duration::from_secs(10)).min(self.remaining() / 2);
        let plies = position.size().area() as u32
            - position.all_amazons().iter().map(|amazons| amazons.len()).sum::<u32>();
        let ply_on_standard = |ply: u32| ply * STANDARD_PLIES / plies.max(1);
        let now = plies - position.empty().len();
        let ahead = (now..plies.max(now + 1)).step_by(2);
        let held_back = reserve + OVERHEAD * ahead.clone().count() as u32;
        let weights: u32 = ahead.map(|ply| weight(ply_on_standard(ply))).sum();
        self.remaining().saturating_sub(held_back) * weight(ply_on_standard(now)) / weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A whole game in which every move takes the time it is given, and 5 ms more. Returns what is left
    /// after each of the first player's moves.
    fn rest_in_a_game(total: Duration, mut position: Position) -> Vec<Duration> {
        let mut clock = GameClock::new(total);
        let mut rng = fastrand::Rng::with_seed(1);
        let mut rest = Vec::new();
        while position.winner().is_none() {
            if position.side() == crate::Side::Black {
                let time = clock.time_for(&position);
                assert!(time < clock.remaining());
                clock.spend(time + Duration::from_millis(5));
                rest.push(clock.remaining());
            }
            let moves: Vec<_> = position.legal_moves().collect();
            position = position.with_move(moves[rng.usize(..moves.len())]);
        }
        rest
    }

    #[test]
    fn a_whole_game_fits_into_the_clock() {
        for size in [4, 8, 10] {
            let position = Position::start(crate::Size::new(size).unwrap());
            for seconds in [1, 10, 20, 900] {
                let total = Duration::from_secs(seconds);
                let rest = *rest_in_a_game(total, position).last().unwrap();
                assert!(rest > total / 100, "{size}, {total:?}: {rest:?} left");
            }
        }
    }

    #[test]
    fn a_game_that_lasts_has_used_its_time() {
        for seconds in [20, 60, 900] {
            let total = Duration::from_secs(seconds);
            let rest = rest_in_a_game(total, Position::standard());
            assert!(rest[24] < total * 15 / 100, "{total:?}: {:?} left after 50 plies", rest[24]);
            assert!(rest[9] > total / 2, "{total:?}: {:?} left after 20 plies", rest[9]);
        }
    }

    #[test]
    fn a_clock_that_something_else_has_eaten_is_stretched_over_the_game() {
        let mut clock = GameClock::new(Duration::from_secs(900));
        clock.spend(Duration::from_secs(897));
        let position = Position::standard();
        assert!(clock.time_for(&position) > Duration::ZERO);
        let mut moves = 0;
        while moves < 46 && clock.remaining() > Duration::ZERO {
            clock.spend(clock.time_for(&position) + OVERHEAD);
            moves += 1;
        }
        assert_eq!(moves, 46);
        let mut clock = GameClock::new(Duration::from_secs(900));
        clock.spend(Duration::from_millis(899_500));
        assert_eq!(clock.time_for(&position), Duration::ZERO);
    }

    #[test]
    fn an_empty_clock_gives_no_time() {
        let mut clock = GameClock::new(Duration::from_secs(1));
        clock.spend(Duration::from_secs(5));
        assert_eq!(clock.time_for(&Position::standard()), Duration::ZERO);
    }
}
