//! How long to think about a move when the clock counts for the whole game.
//!
//! Pure arithmetic on durations: what the time is, the caller says.

use crate::board::position::Position;
use std::time::Duration;

/// One side's clock for a whole game.
///
/// ```
/// use otrera::{GameClock, Position};
/// use std::time::Duration;
/// let mut clock = GameClock::new(Duration::from_secs(900));
/// let time = clock.time_for(&Position::standard());
/// assert!(time > Duration::from_secs(5) && time < Duration::from_secs(30));
/// clock.spend(time);
/// assert_eq!(clock.remaining(), Duration::from_secs(900) - time);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameClock {
    total: Duration,
    used: Duration,
    overhead: Duration,
}

/// Plies of the longest game on 10x10, one for each of its 92 empty squares: the scale of [`weight`].
const STANDARD_PLIES: u32 = 92;

/// A ply on 10x10 that few games reach, even of those that are played until a side cannot move.
const LONG_GAME: u32 = 80;

/// The weight of a move at this ply of a 10x10 game, whose time is in proportion to it: the opening is hard to judge by
/// any search, the game is decided between plies 8 and 36, and from ply 50 on, often sooner, the filling bounds of
/// [`crate::endgame`] decide it without search. The weights before ply 40 are nine tenths of all.
const fn weight(ply: u32) -> u32 {
    match ply {
        0..8 => 20,
        8..36 => 40,
        36..44 => 16,
        44..52 => 6,
        _ => 1,
    }
}

/// Time that a move costs beside thinking, unless another is given: the way through pipes, and threads that
/// wait for a busy machine.
pub const OVERHEAD: Duration = Duration::from_millis(10);

impl GameClock {
    /// A clock that has not run yet.
    pub const fn new(total: Duration) -> Self {
        Self { total, used: Duration::ZERO, overhead: OVERHEAD }
    }

    /// The same where a move costs so much beside thinking. It is held back for the moves to come; for those
    /// that were made it is part of what the caller says they have taken.
    ///
    /// ```
    /// use otrera::{GameClock, Position};
    /// use std::time::Duration;
    /// let clock = GameClock::new(Duration::from_secs(60));
    /// let slow = clock.with_overhead(Duration::from_millis(500));
    /// assert!(slow.time_for(&Position::standard()) < clock.time_for(&Position::standard()));
    /// ```
    #[must_use]
    pub const fn with_overhead(self, overhead: Duration) -> Self {
        Self { overhead, ..self }
    }

    /// Time left.
    pub fn remaining(&self) -> Duration {
        self.total.saturating_sub(self.used)
    }

    /// Counts time that a move has taken, overhead included.
    ///
    /// ```
    /// use otrera::GameClock;
    /// use std::time::Duration;
    /// let mut clock = GameClock::new(Duration::from_secs(1));
    /// clock.spend(Duration::from_secs(5));
    /// assert_eq!(clock.remaining(), Duration::ZERO);
    /// ```
    pub fn spend(&mut self, time: Duration) {
        self.used = self.used.saturating_add(time);
    }

    /// Time to think about the next move: `free * weight(now) / sum of the weights of our moves from now on`, as if the
    /// game went on until every square was filled. `free` is the greatest of three:
    ///
    /// - `left - max(overhead of all our moves to come, overhead of those before ply 80 + reserve)`, where the reserve
    ///   is 2.5 % of the whole time, ten seconds at most;
    /// - `(left - overhead of our moves before ply 80) / 4`;
    /// - `left / 16`: some thought is better than none.
    pub fn time_for(&self, position: &Position) -> Duration {
        let plies = position.size().area() as u32
            - position.all_amazons().iter().map(|amazons| amazons.len()).sum::<u32>();
        let ply_on_standard = |ply: u32| ply * STANDARD_PLIES / plies.max(1);
        let now = plies - position.empty().len();
        let ahead = (now..plies.max(now + 1)).step_by(2).map(ply_on_standard);
        let overhead = |moves: usize| self.overhead.saturating_mul(moves as u32);
        let usual = overhead(ahead.clone().filter(|&ply| ply < LONG_GAME).count());
        let longest = overhead(ahead.clone().count());
        let left = self.remaining();
        let reserve = (self.total / 40).min(Duration::from_secs(10));
        let free = left
            .saturating_sub(longest.max(usual.saturating_add(reserve)))
            .max(left.saturating_sub(usual) / 4)
            .max(left / 16);
        free * weight(ply_on_standard(now)) / ahead.map(weight).sum::<u32>()
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
    }

    /// What is left of the total after so many moves of one side, each of which costs `overhead`, or at the end of
    /// the game.
    fn rest_after(moves: usize, total: Duration, overhead: Duration) -> Duration {
        let mut clock = GameClock::new(total).with_overhead(overhead);
        let mut position = Position::standard();
        let mut rng = fastrand::Rng::with_seed(2);
        for ply in 0..2 * moves {
            if ply % 2 == 0 {
                let time = clock.time_for(&position);
                assert!(time > Duration::ZERO, "no thought at ply {ply} of {total:?}");
                clock.spend(time + overhead);
            }
            let moves: Vec<_> = position.legal_moves().collect();
            let Some(&mv) = moves.get(rng.usize(..moves.len().max(1))) else { break };
            position = position.with_move(mv);
        }
        clock.remaining()
    }

    #[test]
    fn the_overhead_of_all_moves_is_held_back_where_it_can_be() {
        let overhead = Duration::from_millis(200);
        // The 46 moves of a full board cost 9.2 s without any thought.
        for (seconds, moves) in [(900, 46), (60, 46), (20, 46), (12, 46), (10, 38), (9, 38)] {
            let rest = rest_after(moves, Duration::from_secs(seconds), overhead);
            assert!(rest > Duration::ZERO, "{seconds} s: nothing left after {moves} moves");
        }
    }

    #[test]
    fn a_total_that_does_not_cover_the_overhead_still_lets_it_think() {
        let mut clock = GameClock::new(Duration::from_secs(3)).with_overhead(Duration::from_millis(200));
        let time = clock.time_for(&Position::standard());
        assert!(time > Duration::from_millis(1), "{time:?}");
        clock.spend(Duration::from_secs(2));
        assert!(clock.time_for(&Position::standard()) > Duration::ZERO);
    }

    #[test]
    fn an_empty_clock_gives_no_time() {
        let mut clock = GameClock::new(Duration::from_secs(1));
        clock.spend(Duration::from_secs(5));
        assert_eq!(clock.time_for(&Position::standard()), Duration::ZERO);
    }
}
