//! Time management: distributes the time of a whole game over its moves. Pure arithmetic; the caller measures time.

use crate::board::position::Position;
use crate::endgame::regions::Regions;
use crate::eval::distance::DistanceMaps;
use crate::eval::metrics::{Territory, territory};
use crate::simd::Kernel;
use std::time::Duration;

/// One side's clock for a whole game.
///
/// ```
/// use otrera::clock::GameClock;
/// use otrera::Position;
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

/// Maximum number of moves that can come whose overhead is not planned, because few games reach them.
const MAX_OMITTED: u32 = 2;

/// Total time above which the clock reserves spare time. A shorter game needs the time for thinking.
const SPARE_ABOVE: Duration = Duration::from_secs(60);

/// Maximum of the reserve, and spare time that is kept to the end of the game.
const MAX_RESERVE: Duration = Duration::from_secs(10);

/// Returns the relative thinking time of a move at `ply` (0-based) of a 10x10 game.
// No search judges the opening well; the game is decided between plies 8 and 44. Wins are proven between plies 37 and
// 60, and time planned for the plies after a proof is left over. From ply 44 on, a search gets the overhead of moves
// that can no longer come.
const fn weight(ply: u32) -> u32 {
    match ply {
        0..8 => 200,
        8..28 => 400,
        28..36 => 480,
        36..40 => 300,
        40..44 => 70,
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
    /// The sum runs over the plies of the side to move that can still come. Plies of smaller boards are scaled to 10x10.
    /// `free` is the time to distribute, the maximum of:
    ///
    /// - `left - overhead of the planned moves - max(spare, reserve)`,
    /// - `(left - overhead of the planned moves - spare) / 8`,
    /// - `left / 64`, so that every move gets some time.
    ///
    /// The planned moves are those that can still come, up to two fewer if fewer are expected by territory (in a game of
    /// less than a minute, proportionally less than two). `reserve` is 2.5 % of the total, at most 10 s; it shrinks to
    /// half during the game, and by the overhead planned for plies from 80 on, which few games reach. For `spare` see
    /// [`Self::with_spare`].
    pub fn time_for(&self, position: &Position) -> Duration {
        let plies = position.size().area() as u32
            - position.all_amazons().iter().map(|amazons| amazons.len()).sum::<u32>();
        let now = plies - position.empty().len();
        let on_standard = |ply: u32| ply * LAST_PLY / plies.max(1);
        self.time_between(on_standard, now, Moves::of(position))
    }

    /// Returns the thinking time for the move at ply `now`, the first of `moves`. `on_standard` scales a ply to a
    /// 10x10 board.
    fn time_between(&self, on_standard: impl Fn(u32) -> u32, now: u32, moves: Moves) -> Duration {
        let ahead = (0..moves.most).map(|moves| on_standard(now + 2 * moves));
        let overhead = |moves: u32| self.overhead.saturating_mul(moves);
        let (ply, left) = (on_standard(now), self.remaining());
        let omitted = overhead(moves.most.saturating_sub(moves.expected).min(MAX_OMITTED));
        let [minute, short] = [SPARE_ABOVE, self.total.min(SPARE_ABOVE)].map(|time| time.as_secs() as u32);
        let omitted = omitted / minute * short;
        let after_overhead = left.saturating_sub(overhead(moves.most).saturating_sub(omitted));
        let to_come = LAST_PLY.saturating_sub(ply);
        let spare = self.spare.saturating_mul(LAST_PLY / 2).min(self.total.saturating_sub(SPARE_ABOVE) / 9);
        let spare = spare.min(MAX_RESERVE).max(spare * to_come / LAST_PLY);
        let reserve = (self.total / 40).min(MAX_RESERVE) * to_come.max(LAST_PLY / 2) / LAST_PLY;
        let late_moves = ahead.clone().filter(|&ply| ply >= LONG_GAME).count() as u32;
        let reserve = reserve.saturating_sub(overhead(late_moves));
        let free = after_overhead
            .saturating_sub(spare.max(reserve))
            .max(after_overhead.saturating_sub(spare) / 8)
            .max(left / 64);
        free.saturating_mul(weight(ply)) / ahead.map(weight).sum::<u32>()
    }
}

/// Moves that the side to move can still make, including the next one.
#[derive(Clone, Copy, Debug)]
struct Moves {
    /// Maximum, unless the opponent opens a region: each move fills a square that its side can reach, the sides move in
    /// turn, and the first one without a move ends the game.
    most: u32,
    /// Estimate: moves of the side with less territory by queen moves, plus [`Self::SLACK`].
    expected: u32,
}

impl Moves {
    /// Number of moves that games last longer than the smaller territory, in all but few of them.
    const SLACK: u32 = 2;

    fn of(position: &Position) -> Self {
        let (regions, mut maps) = (Regions::of(position), Box::new(DistanceMaps::default()));
        let [own, enemy] = [position.side(), position.side().opponent()].map(|side| regions.reachable(side));
        let most = (own | enemy).len().div_ceil(2).min(own.len()).min(enemy.len() + 1).max(1);
        maps.flood_queen_only(position, Kernel::fastest());
        let Territory { black, white, shared } = territory(&maps.queen);
        Self { most, expected: black.min(white) + shared.div_ceil(2) + Self::SLACK }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Side, Square};
    use std::collections::BTreeMap;

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

    /// One side of a recorded game.
    struct Recorded {
        opponent: &'static str,
        /// Position before each move of the side, and false from its search's proof on, which ends thinking.
        turns: Vec<(Position, bool)>,
    }

    /// Returns the sides of `tournament` in the recorded games.
    fn recorded() -> Vec<Recorded> {
        let mut sides = Vec::new();
        for line in
            include_str!("../tests/data/clock-games.txt").lines().filter(|line| !line.starts_with('#'))
        {
            let mut words = line.split(' ');
            let [opponent, black, white] = [(); 3].map(|()| words.next().unwrap());
            let mut positions = vec![Position::standard()];
            for word in words {
                let last = positions[positions.len() - 1];
                positions.push(last.try_play(word.parse().unwrap()).unwrap());
            }
            assert!(positions.pop().unwrap().winner().is_some());
            for (first, proof) in [(0, black), (1, white)] {
                let Ok(proof) = proof.parse() else { continue };
                let turns = positions.iter().enumerate().skip(first).step_by(2);
                let turns = turns.map(|(ply, position)| (*position, ply < proof)).collect();
                sides.push(Recorded { opponent, turns });
            }
        }
        sides
    }

    impl Recorded {
        /// Returns the thinking time of each move on a clock of the SAU platform, in seconds.
        fn thinking(&self, total: f64) -> Vec<f64> {
            let overhead = Duration::from_millis(400);
            let mut clock = GameClock::for_match(Duration::from_secs_f64(total), overhead);
            let time = |&(position, thinks): &(Position, bool)| {
                let time = if thinks { clock.time_for(&position) } else { Duration::ZERO };
                clock.spend(time + overhead);
                time.as_secs_f64()
            };
            self.turns.iter().map(time).collect()
        }
    }

    /// Returns the seconds left on the platform's clock at the end of each game, by opponent. `charge` returns the
    /// seconds that the platform counts for a move besides thinking.
    fn unused(
        games: &[Recorded],
        total: f64,
        mut charge: impl FnMut() -> f64,
    ) -> BTreeMap<&'static str, Vec<f64>> {
        let mut unused = BTreeMap::<_, Vec<f64>>::new();
        for game in games {
            let used: f64 = game.thinking(total).iter().map(|time| time + charge()).sum();
            unused.entry(game.opponent).or_default().push(total - used);
        }
        unused
    }

    #[test]
    fn sau_games_of_a_minute_use_their_time() {
        let games = recorded();
        for (charge, most) in [(0.35, [7.0, 4.8, 3.8]), (0.16, [14.7, 12.0, 11.7])] {
            let unused = unused(&games, 60.0, || charge);
            assert_eq!(unused.len(), most.len());
            // The weaker the opponent, the sooner a proof ends thinking.
            for ((opponent, unused), most) in unused.into_iter().zip(most) {
                let mean = unused.iter().sum::<f64>() / unused.len() as f64;
                assert!(mean < most, "{charge} {opponent}: {mean:.2} s unused of 60");
            }
        }
    }

    #[test]
    fn sau_games_are_never_late() {
        let games = recorded();
        let least = |total, charge: f64| {
            let unused = unused(&games, total, || charge);
            unused.into_values().flatten().fold(f64::INFINITY, f64::min)
        };
        for total in [20.0, 30.0, 40.0, 60.0, 120.0, 900.0] {
            assert!(least(total, 0.16) > 4.0 && least(total, 0.35) > 0.5, "{total} s");
        }
        assert!(least(900.0, 0.58) > 0.0);
        // 15 s are less than the overhead that is planned for a long game.
        assert!(least(15.0, 0.3) > 0.3);
    }

    #[test]
    fn hardly_any_sau_game_is_late_under_load() {
        let games = recorded();
        let mut rng = fastrand::Rng::with_seed(3);
        for (total, most) in [(20.0, 0.3), (30.0, 0.1), (60.0, 0.1), (120.0, 0.0), (900.0, 0.0)] {
            let (mut played, mut late) = (0, 0);
            for game in &games {
                let thinking: f64 = game.thinking(total).iter().sum();
                for _ in 0..100 {
                    // Under load the platform charges 0.25 to 0.5 s a move.
                    let charges: f64 = game.turns.iter().map(|_| 0.25 + 0.25 * rng.f64()).sum();
                    played += 1;
                    late += u32::from(thinking + charges > total);
                }
            }
            let late = 100.0 * f64::from(late) / f64::from(played);
            assert!(late <= most, "{total} s: {late:.2} % of the games are late");
        }
    }

    #[test]
    fn recorded_games_fit_the_bounds_of_their_length() {
        for game in recorded() {
            for (turn, (position, _)) in game.turns.iter().enumerate() {
                let (left, most) = ((game.turns.len() - turn) as u32, Moves::of(position).most);
                assert!(left <= most, "{left} of at most {most} moves, {}", game.opponent);
            }
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
