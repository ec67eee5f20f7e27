//! Learns the overhead per move from our official time left, which the operator reads from the platform's clock.

use crate::files;
use crate::session::Session;
use std::path::PathBuf;
use std::time::Duration;

/// Name of the file with the learned overhead in seconds, beside the executable.
const FILE: &str = "otrera-overhead.txt";

/// Maximum learned overhead per move; a larger value is taken for a typing error.
const MAX_LEARNED: Duration = Duration::from_millis(1500);

/// Minimum number of our moves required to learn the overhead.
const MIN_MOVES: usize = 5;

/// Reads the learned overhead from [`FILE`] and uses it if it exceeds the configured one and is plausible.
pub fn apply(session: &mut Session) {
    let configured = session.setup().move_overhead.unwrap_or_default();
    let text = path().and_then(|path| files::read_text(&path, 100).ok());
    let seconds = text.and_then(|text| text.trim().parse::<f64>().ok());
    let learned = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    if let Some(learned) = learned.filter(|&learned| learned > configured && learned <= MAX_LEARNED) {
        session.settings.move_overhead = Some(learned);
        session.note("--", &format!("move-overhead {:.3} s, as learned in {FILE}", learned.as_secs_f64()));
    }
}

/// Replaces the move overhead with the result of [`learned`], if any, and saves it to [`FILE`]. `ours` is the time left
/// on our own clock after `moves` of our moves; `resume-time-left` gives the official time.
pub fn learn(session: &mut Session, ours: Duration, moves: usize) {
    let Some(official) = session.settings.resume_time_left else { return };
    let overhead = session.setup().move_overhead.unwrap_or_default();
    let Some(learned) = learned(overhead, ours, official, moves) else { return };
    session.settings.move_overhead = Some(learned);
    let text = format!("{:.3}\n", learned.as_secs_f64());
    let kept = path().ok_or(std::io::ErrorKind::NotFound.into()).and_then(|path| std::fs::write(path, text));
    let kept = kept.map_or_else(|error| format!("not saved: {error}"), |()| format!("saved in {FILE}"));
    let [learned, ours, official] = [learned, ours, official].map(|time| time.as_secs_f64());
    session.note(
        "--",
        &format!(
            "move-overhead is now {learned:.3} s ({kept}): after {moves} moves our clock had {ours:.1} s left, the platform's {official:.1} s"
        ),
    );
}

/// Returns `overhead + (ours - official) / moves`; `None` if the result is not above `overhead`, is above
/// [`MAX_LEARNED`], or is based on fewer than [`MIN_MOVES`] moves.
fn learned(overhead: Duration, ours: Duration, official: Duration, moves: usize) -> Option<Duration> {
    // Never decreases: the operator reads the clock before loading the program, so the time read is slightly too long.
    let missed = ours.checked_sub(official)?;
    let learned = overhead + missed / u32::try_from(moves).ok().filter(|_| moves >= MIN_MOVES)?;
    (learned > overhead && learned <= MAX_LEARNED).then_some(learned)
}

fn path() -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.join(FILE))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test fails by panicking
mod tests {
    use super::*;

    #[test]
    fn learns_the_overhead_per_move_within_bounds() {
        let [overhead, ours] = [400, 60_000].map(Duration::from_millis);
        let learned = |official, moves| learned(overhead, ours, Duration::from_millis(official), moves);
        assert_eq!(learned(58_000, 10), Some(Duration::from_millis(600)));
        assert_eq!(learned(60_000, 10), None, "both clocks agree");
        assert_eq!(learned(65_000, 10), None, "the overhead never decreases");
        assert_eq!(learned(58_000, 4), None, "too few moves");
        assert_eq!(learned(6_000, 10), None, "probably a typing error");
    }
}
