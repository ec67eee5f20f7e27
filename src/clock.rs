//! Time management: distributes the time of a whole game over its moves. Pure arithmetic; the caller measures time.

use crate::board::position::Position;
use crate::board::square::Side;
use crate::endgame::regions::Regions;
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

/// Ply of a 10x10 board on which the last empty square is filled.
const LAST_PLY: u32 = Position::STANDARD_PLIES;

/// Ply that few 10x10 games reach, even if played until a side cannot move.
const LONG_GAME: u32 = 80;

/// Total time above which the clock reserves spare time. A shorter game needs the time for thinking.
const SPARE_ABOVE: Duration = Duration::from_secs(60);

/// Maximum of the reserve, and spare time that is kept to the end of the game.
const MAX_RESERVE: Duration = Duration::from_secs(10);

/// Returns the relative thinking time of a move at `ply` (0-based) of a 10x10 game.
// No search judges the opening well; the game is decided between plies 8 and 44; from ply 50 on, often sooner, the
// filling bounds of `endgame` decide without search. Time planned for later plies is therefore often left over.
const fn weight(ply: u32) -> u32 {
    match ply {
        0..8 => 200,
        8..36 => 400,
        36..44 => 320,
        44..52 => 20,
        52..60 => 2,
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

    /// Sets the spare time per move of a whole game, reserved on top of the overhead in case the real overhead is
    /// larger: at most a ninth of the total above 60 s. Above 10 s it shrinks with the plies to come. The rest is never
    /// used for thinking, since on the SAU platform nothing measures the real overhead.
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
    /// The sum runs over the plies of the side to move that can still come: each ply fills a square that an amazon can
    /// reach. Plies of smaller boards are scaled to 10x10. `free` is the time to distribute, the maximum of:
    ///
    /// - `left - overhead of these plies - max(spare, reserve)`,
    /// - `(left - overhead of these plies - spare) / 4`,
    /// - `left / 32`, so that every move gets some time.
    ///
    /// `reserve` is 2.5 % of the total, at most 10 s; it shrinks to half during the game, and by the overhead planned
    /// for plies from 80 on, which few games reach. For `spare` see [`Self::with_spare`].
    pub fn time_for(&self, position: &Position) -> Duration {
        let plies = position.size().area() as u32
            - position.all_amazons().iter().map(|amazons| amazons.len()).sum::<u32>();
        let now = plies - position.empty().len();
        let regions = Regions::of(position);
        let reachable = regions.reachable(Side::Black) | regions.reachable(Side::White);
        let on_standard = |ply: u32| ply * LAST_PLY / plies.max(1);
        self.time_between(on_standard, now, (now + reachable.len()).max(now + 1))
    }

    /// Returns the thinking time for the move at ply `now` if the game ends before ply `end`. `on_standard` scales a
    /// ply to a 10x10 board.
    fn time_between(&self, on_standard: impl Fn(u32) -> u32, now: u32, end: u32) -> Duration {
        let ahead = (now..end).step_by(2).map(&on_standard);
        let overhead = |moves: usize| self.overhead.saturating_mul(moves as u32);
        let left = self.remaining();
        let after_overhead = left.saturating_sub(overhead(ahead.clone().count()));
        let to_come = LAST_PLY.saturating_sub(on_standard(now));
        let spare = self.spare.saturating_mul(LAST_PLY / 2).min(self.total.saturating_sub(SPARE_ABOVE) / 9);
        let spare = spare.min(MAX_RESERVE).max(spare * to_come / LAST_PLY);
        let reserve = (self.total / 40).min(MAX_RESERVE) * to_come.max(LAST_PLY / 2) / LAST_PLY;
        let late_moves = ahead.clone().filter(|&ply| ply >= LONG_GAME).count();
        let reserve = reserve.saturating_sub(overhead(late_moves));
        let free = after_overhead
            .saturating_sub(spare.max(reserve))
            .max(after_overhead.saturating_sub(spare) / 4)
            .max(left / 32);
        free * weight(on_standard(now)) / ahead.map(weight).sum::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Square;

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
            if position.side() == Side::Black {
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
                assert!(left > total / 400, "{size}, {total:?}: {left:?} left");
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

    /// A game of one side on a clock of the SAU platform: 0.4 s of overhead, 0.2 s of spare time.
    #[derive(Clone, Copy, Debug)]
    struct Simulated {
        total: f64,
        /// Number of the side's moves.
        moves: u32,
        /// Ply from which a proof by filling ends thinking.
        proof: u32,
    }

    impl Simulated {
        /// Returns the seconds left on the platform's clock at the end. `charge` returns the seconds that the platform
        /// counts for a move besides thinking. Squares that nobody can reach appear between plies 36 and 66.
        fn unused(self, mut charge: impl FnMut() -> f64) -> f64 {
            let overhead = Duration::from_millis(400);
            let mut clock = GameClock::for_match(Duration::from_secs_f64(self.total), overhead);
            let mut left = self.total;
            for ply in (0..2 * self.moves).step_by(2) {
                let lost = (LAST_PLY - 2 * self.moves) * ply.saturating_sub(36).min(30) / 30;
                let time = clock.time_between(|ply| ply, ply, LAST_PLY - lost);
                let time = if ply < self.proof { time } else { Duration::ZERO };
                clock.spend(time + overhead);
                left -= time.as_secs_f64() + charge();
            }
            left
        }
    }

    /// Lists games of 35 to 46 moves with proofs at plies 44 to 56 and, as the last ones, without a proof.
    fn games(total: f64) -> impl Iterator<Item = Simulated> {
        [44, 48, 52, 56, LAST_PLY]
            .into_iter()
            .flat_map(move |proof| (35..=46).map(move |moves| Simulated { total, moves, proof }))
    }

    #[test]
    fn sau_games_of_a_minute_use_their_time() {
        for (charge, most_usual, most) in [(0.35, 5.0, 6.2), (0.16, 12.3, 12.8)] {
            for game in games(60.0) {
                let unused = game.unused(|| charge);
                let most = if (40..=45).contains(&game.moves) { most_usual } else { most };
                assert!((0.0..=most).contains(&unused), "{charge}: {unused:.2} s unused, {game:?}");
            }
        }
    }

    #[test]
    fn sau_games_are_not_late_under_load() {
        let mut rng = fastrand::Rng::with_seed(3);
        // Under load the platform charges 0.25 to 0.5 s a move; with more time, 0.58 s each time is no problem.
        for game in [60.0, 120.0, 900.0].into_iter().flat_map(games) {
            let unused = game.unused(|| 0.25 + 0.25 * rng.f64());
            assert!(unused > 0.0, "{unused:.2} s, {game:?}");
        }
        for game in games(900.0) {
            let unused = game.unused(|| 0.58);
            assert!((0.0..60.0).contains(&unused), "{unused:.2} s, {game:?}");
        }
        let short = |&game: &Simulated| game.moves <= 42;
        for game in games(20.0).filter(short) {
            let unused = game.unused(|| 0.25 + 0.25 * rng.f64());
            assert!(unused > 0.0, "{unused:.2} s, {game:?}");
        }
    }

    #[test]
    fn squares_out_of_reach_leave_more_time_for_thinking() {
        let clock = GameClock::for_match(Duration::from_secs(60), Duration::from_millis(400));
        let start = Position::standard();
        let time = |arrows: [[usize; 2]; 6]| {
            let arrows = arrows.map(|[column, row]| Square::new(column, row).unwrap()).into_iter().collect();
            clock.time_for(&Position::from_parts(start.size(), start.all_amazons(), arrows, Side::Black))
        };
        let in_reach = time([2, 3, 4, 5, 6, 7].map(|column| [column, 4]));
        let corners_closed = time([[0, 1], [1, 0], [1, 1], [8, 0], [8, 1], [9, 1]]);
        assert!(corners_closed > in_reach, "{corners_closed:?}, {in_reach:?}");
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
