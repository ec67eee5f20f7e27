//! Computes the thinking time for a `go` command.

use super::dialect::Go;
use otrera::Position;
use otrera::clock::GameClock;
use std::time::Duration;

/// Returns the thinking time: `movetime` minus the overhead, or a time planned from the clock; `None` without either.
/// With `left` on the clock minus the overhead, the planned time is
///
/// `min(max(share, left / (movestogo + 1)) + 3/4 increment, left / 2)`
///
/// where `share` is the time that [`GameClock`] plans for this move if `left` must last for the rest of the game.
pub fn time_for(go: &Go, position: &Position, overhead: Duration) -> Option<Duration> {
    if let Some(time) = go.move_time {
        return Some(time.saturating_sub(overhead));
    }
    let side = position.side().index();
    let left = (*go.clocks.get(side)?)?.saturating_sub(overhead);
    let increment = go.increments.get(side).copied().unwrap_or_default();
    // Plans for one move more than the time control requires, as a reserve.
    let to_control = go.moves_to_go.map_or(Duration::ZERO, |moves| left / moves.saturating_add(1));
    let share = GameClock::new(left).with_overhead(overhead).time_for(position).max(to_control);
    // A quarter of the increment stays as a reserve for a busy machine.
    Some((share + increment * 3 / 4).min(left / 2))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);

    fn time(go: &Go, position: &Position) -> Duration {
        time_for(go, position, OVERHEAD).unwrap()
    }

    fn clocks(white: u64, black: u64) -> Go {
        Go { clocks: [white, black].map(|ms| Some(Duration::from_millis(ms))), ..Go::default() }
    }

    #[test]
    fn time_depends_on_the_movers_clock() {
        let start = Position::standard();
        let other = start.with_side(start.side().opponent());
        let go = clocks(100_000, 10_000);
        assert!(time(&go, &start) > 5 * time(&go, &other));
        assert_eq!(time_for(&Go::default(), &start, OVERHEAD), None);
        assert_eq!(time_for(&Go { clocks: [None, go.clocks[1]], ..go }, &start, OVERHEAD), None);
    }

    #[test]
    fn increment_and_movestogo_add_time_up_to_half() {
        let start = Position::standard();
        let bare = clocks(60_000, 60_000);
        let increment = Go { increments: [Duration::from_secs(1); 2], ..bare.clone() };
        assert_eq!(time(&increment, &start), time(&bare, &start) + Duration::from_millis(750));
        let control = Go { moves_to_go: Some(2), ..bare.clone() };
        assert!(time(&control, &start) > 3 * time(&bare, &start));
        for left in [0, 5, 10, 11, 50, 1000] {
            for moves_to_go in [None, Some(0), Some(1), Some(u32::MAX)] {
                let increments = [Duration::from_secs(10); 2];
                let go = Go { increments, moves_to_go, ..clocks(left, left) };
                assert!(time(&go, &start) <= Duration::from_millis(left).saturating_sub(OVERHEAD) / 2);
            }
        }
    }

    #[test]
    fn overhead_of_later_moves_is_reserved() {
        let start = Position::standard();
        let time = |overhead: u64| {
            time_for(&clocks(60_000 + overhead, 0), &start, Duration::from_millis(overhead)).unwrap()
        };
        let (little, much) = (time(10), time(1000));
        assert!(much < little / 2, "{much:?} with an overhead of 1 s, {little:?} with 10 ms");
    }

    #[test]
    fn movetime_is_reduced_by_the_overhead() {
        let go = |ms| Go { move_time: Some(Duration::from_millis(ms)), ..clocks(5, 5) };
        assert_eq!(time(&go(1000), &Position::standard()), Duration::from_millis(990));
        assert_eq!(time(&go(5), &Position::standard()), Duration::ZERO);
    }
}
