//! Time management: distributes the time of a whole game over its moves. Pure arithmetic; the caller measures time.

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
    spare: Duration,
}

/// Ply that few 10x10 games reach, even if played until a side cannot move.
const LONG_GAME: u32 = 80;

/// Returns the relative thinking time of a move at `ply` (0-based) of a 10x10 game.
// No search judges the opening well; the game is decided between plies 8 and 36; from ply 50 on, often sooner, the
// filling bounds of `endgame` decide without search. The weights before ply 40 are 90 % of the sum of all weights.
const fn weight(ply: u32) -> u32 {
    match ply {
        0..8 => 20,
        8..36 => 40,
        36..44 => 16,
        44..52 => 6,
        _ => 1,
    }
}

/// Default overhead per move: time lost to pipes and thread scheduling on a busy machine.
pub const OVERHEAD: Duration = Duration::from_millis(10);

impl GameClock {
    /// Creates an unused clock; `total` is the side's time for the whole game.
    pub const fn new(total: Duration) -> Self {
        Self { total, used: Duration::ZERO, overhead: OVERHEAD, spare: Duration::ZERO }
    }

    /// Creates a clock with `total` left, this [overhead](Self::with_overhead) per move, and half of the overhead as
    /// [spare time](Self::with_spare).
    pub fn for_match(total: Duration, overhead: Duration) -> Self {
        Self::new(total).with_overhead(overhead).with_spare(overhead / 2)
    }

    /// Sets the time left to `left`. If the total time is less than `left`, raises the total to `left`.
    #[must_use]
    pub fn with_left(self, left: Duration) -> Self {
        let total = self.total.max(left);
        Self { total, used: total - left, ..self }
    }

    /// Sets the overhead per move: the time that a move costs besides thinking. The clock reserves the overhead for
    /// each remaining move; the caller includes it in [`GameClock::spend`].
    #[must_use]
    pub const fn with_overhead(self, overhead: Duration) -> Self {
        Self { overhead, ..self }
    }

    /// Sets the spare time per move, reserved on top of the overhead for each remaining move before ply 80, in case the
    /// real overhead is larger.
    #[must_use]
    pub const fn with_spare(self, spare: Duration) -> Self {
        Self { spare, ..self }
    }

    /// Returns the time left.
    pub fn remaining(&self) -> Duration {
        self.total.saturating_sub(self.used)
    }

    /// Subtracts a move's time, which includes its overhead, from the time left.
    pub fn spend(&mut self, time: Duration) {
        self.used = self.used.saturating_add(time);
    }

    /// Returns the thinking time for the next move: `free * weight(now) / sum of weight(ply)`.
    ///
    /// The sum runs over the remaining plies of the side to move, until the board is full. Plies of smaller boards are
    /// scaled to 10x10. `free` is the time to distribute, the maximum of:
    ///
    /// - `left - max(overhead of all remaining moves, usual + reserve)`,
    /// - `(left - usual) / 4`,
    /// - `left / 16`, so that every move gets some time.
    ///
    /// `usual` is the overhead of the remaining moves before ply 80. `reserve` is the larger of 2.5 % of the total (at
    /// most 10 s) and the spare time of the remaining moves before ply 80 (at most 10 % of the total).
    pub fn time_for(&self, position: &Position) -> Duration {
        let plies = position.size().area() as u32
            - position.all_amazons().iter().map(|amazons| amazons.len()).sum::<u32>();
        let ply_on_standard = |ply: u32| ply * Position::STANDARD_PLIES / plies.max(1);
        let now = plies - position.empty().len();
        let ahead = (now..plies.max(now + 1)).step_by(2).map(ply_on_standard);
        let usual_moves = ahead.clone().filter(|&ply| ply < LONG_GAME).count() as u32;
        let usual = self.overhead.saturating_mul(usual_moves);
        let longest = self.overhead.saturating_mul(ahead.clone().count() as u32);
        let left = self.remaining();
        let spare = self.spare.saturating_mul(usual_moves).min(self.total / 10);
        let reserve = (self.total / 40).min(Duration::from_secs(10)).max(spare);
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

    #[test]
    fn a_match_reserves_half_of_the_overhead_as_spare_time() {
        let [total, overhead] = [900_000, 5_000].map(Duration::from_millis);
        let clock = GameClock::for_match(total, overhead);
        assert_eq!(
            clock,
            GameClock::new(total).with_overhead(overhead).with_spare(Duration::from_millis(2_500))
        );
        let without = GameClock::new(total).with_overhead(overhead);
        assert!(clock.time_for(&Position::standard()) < without.time_for(&Position::standard()));
    }

    /// Plays a game of random moves with a clock for Black only. Returns the time left after each of Black's moves,
    /// which each take 5 ms more than planned.
    fn time_left_during_a_game(total: Duration, mut position: Position) -> Vec<Duration> {
        let mut clock = GameClock::new(total);
        let mut rng = fastrand::Rng::with_seed(1);
        let mut left = Vec::new();
        while position.winner().is_none() {
            if position.side() == crate::Side::Black {
                let time = clock.time_for(&position);
                assert!(time < clock.remaining());
                clock.spend(time + Duration::from_millis(5));
                left.push(clock.remaining());
            }
            let moves: Vec<_> = position.legal_moves().collect();
            position = position.with_move(moves[rng.usize(..moves.len())]);
        }
        left
    }

    #[test]
    fn a_whole_game_fits_into_the_clock() {
        for size in [4, 8, 10] {
            let position = Position::start(crate::Size::new(size).unwrap());
            for seconds in [1, 10, 20, 900] {
                let total = Duration::from_secs(seconds);
                let left = *time_left_during_a_game(total, position).last().unwrap();
                assert!(left > total / 100, "{size}, {total:?}: {left:?} left");
            }
        }
    }

    #[test]
    fn long_games_use_most_of_the_time() {
        for seconds in [20, 60, 900] {
            let total = Duration::from_secs(seconds);
            let left = time_left_during_a_game(total, Position::standard());
            assert!(left[24] < total * 15 / 100, "{total:?}: {:?} left after 50 plies", left[24]);
            assert!(left[9] > total / 2, "{total:?}: {:?} left after 20 plies", left[9]);
        }
    }

    #[test]
    fn little_time_left_lasts_the_whole_game() {
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

    /// Plays a random game until one side has made `moves` moves or the game is over. Returns that side's time left.
    /// Each of its moves uses the planned time plus `overhead`.
    fn time_left_after(moves: usize, total: Duration, overhead: Duration) -> Duration {
        let mut clock = GameClock::new(total).with_overhead(overhead);
        let mut position = Position::standard();
        let mut rng = fastrand::Rng::with_seed(2);
        for ply in 0..2 * moves {
            if ply % 2 == 0 {
                let time = clock.time_for(&position);
                assert!(time > Duration::ZERO, "no time at ply {ply} of a game with {total:?}");
                clock.spend(time + overhead);
            }
            let moves: Vec<_> = position.legal_moves().collect();
            let Some(&mv) = moves.get(rng.usize(..moves.len().max(1))) else { break };
            position = position.with_move(mv);
        }
        clock.remaining()
    }

    #[test]
    fn clock_reserves_the_overhead_of_remaining_moves() {
        let overhead = Duration::from_millis(200);
        // One side needs 46 moves to fill the board; their overhead is 9.2 s.
        for (seconds, moves) in [(900, 46), (60, 46), (20, 46), (12, 46), (10, 38), (9, 38)] {
            let left = time_left_after(moves, Duration::from_secs(seconds), overhead);
            assert!(left > Duration::ZERO, "{seconds} s: nothing left after {moves} moves");
        }
    }

    /// Returns a 10x10 position with `ply` arrows, the amazons on their start squares, and Black to move.
    fn at_ply(ply: usize) -> Position {
        let start = Position::standard();
        let arrows = start.empty().into_iter().take(ply).collect();
        Position::from_parts(start.size(), start.all_amazons(), arrows, crate::Side::Black)
    }

    /// Returns the fraction of `total` seconds that one side has used on the SAU platform's clock after `plies` plies.
    /// The overhead and the spare time are those of the bot on SAU. `charge` returns the seconds that the platform
    /// counts for a move besides thinking.
    fn fraction_used_after(plies: usize, total: f64, mut charge: impl FnMut() -> f64) -> f64 {
        let overhead = Duration::from_millis(400);
        let clock = GameClock::new(Duration::from_secs_f64(total)).with_overhead(overhead);
        let mut clock = clock.with_spare(Duration::from_millis(200));
        let mut used = 0.0;
        for ply in (0..plies).step_by(2) {
            let time = clock.time_for(&at_ply(ply));
            clock.spend(time + overhead);
            used += time.as_secs_f64() + charge();
        }
        used / total
    }

    #[test]
    fn sau_games_use_80_to_100_percent_of_the_time() {
        let mut rng = fastrand::Rng::with_seed(3);
        // The platform can charge 0.5 s per move, 20 s for 40 moves. Games of strong players last 80 to 89 plies.
        for (total, shortest, longest) in [(20.0, 78, 84), (60.0, 52, 92), (120.0, 52, 92), (900.0, 52, 92)] {
            for game in 0..100 {
                let plies = shortest + game % (longest + 1 - shortest);
                let used = fraction_used_after(plies, total, || 0.25 + 0.25 * rng.f64());
                assert!((0.8..1.0).contains(&used), "{used:.3} of {total} s after {plies} plies");
            }
        }
    }

    #[test]
    fn spare_time_covers_200_ms_above_the_overhead() {
        let used = fraction_used_after(84, 900.0, || 0.6);
        assert!(used < 1.0, "{used:.3} of 900 s");
    }

    #[test]
    fn clock_reserves_spare_time_for_remaining_moves() {
        // With two minutes, the total spare time exceeds the reserve of 2.5 %.
        let clock = GameClock::new(Duration::from_secs(120)).with_overhead(Duration::from_millis(400));
        let careful = clock.with_spare(Duration::from_millis(200));
        assert!(careful.time_for(&at_ply(0)) < clock.time_for(&at_ply(0)).mul_f64(0.96));
        assert!(careful.time_for(&at_ply(40)) < clock.time_for(&at_ply(40)));
    }

    #[test]
    fn clock_gives_time_despite_uncovered_overhead() {
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
