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
/// judge by any search, the game is decided between plies 8 and 40, and filling up needs little.
const fn weight(ply: u32) -> u32 {
    match ply {
        0..8 => 2,
        8..40 => 4,
        40..60 => 2,
        _ => 1,
    }
}

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

    /// Time to think about the next move: its share of what is left above a reserve of 2 % (at most ten
    /// seconds), as if the game went on until every square was filled. Always less than what is left.
    pub fn time_for(&self, position: &Position) -> Duration {
        let reserve = (self.total / 50).min(Duration::from_secs(10)).min(self.remaining() / 2);
        let plies = position.size().area() as u32
            - position.all_amazons().iter().map(|amazons| amazons.len()).sum::<u32>();
        let ply_on_standard = |ply: u32| ply * STANDARD_PLIES / plies.max(1);
        let now = plies - position.empty().len();
        let ahead: u32 = (now..plies.max(now + 1)).step_by(2).map(|ply| weight(ply_on_standard(ply))).sum();
        (self.remaining() - reserve) * weight(ply_on_standard(now)) / ahead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A whole game in which every move takes all the time it is given, and 5 ms more.
    fn rest_after_a_game(total: Duration, mut position: Position) -> Duration {
        let mut clock = GameClock::new(total);
        let mut rng = fastrand::Rng::with_seed(1);
        while position.winner().is_none() {
            if position.side() == crate::Side::Black {
                let time = clock.time_for(&position);
                assert!(time < clock.remaining());
                clock.spend(time + Duration::from_millis(5));
            }
            let moves: Vec<_> = position.legal_moves().collect();
            position = position.with_move(moves[rng.usize(..moves.len())]);
        }
        clock.remaining()
    }

    #[test]
    fn a_whole_game_fits_into_the_clock() {
        for size in [4, 8, 10] {
            let position = Position::start(crate::Size::new(size).unwrap());
            let rest = rest_after_a_game(Duration::from_secs(900), position);
            assert!(
                rest > Duration::from_secs(8) && rest < Duration::from_secs(300),
                "{size}: {rest:?} left"
            );
            assert!(rest_after_a_game(Duration::from_secs(10), position) > Duration::ZERO);
        }
    }

    #[test]
    fn an_empty_clock_gives_no_time() {
        let mut clock = GameClock::new(Duration::from_secs(1));
        clock.spend(Duration::from_secs(5));
        assert_eq!(clock.time_for(&Position::standard()), Duration::ZERO);
    }
}
