//! `lab sau`: Otrera is killed on its own turn or the opponent's, with and without the platform's record, and finishes
//! each game. An engine that always dies is reported.

use crate::bot;
use crate::laboratory::{Run, run_lab};

/// Plays eight games: both sides, two kinds of kill, with and without the platform's record. Accepts time overruns,
/// which a busy machine can cause.
#[test]
fn an_engine_killed_at_random_finishes_every_game() {
    let options =
        "--games 8 --concurrency 8 --total-time 10 --kill both --opponent random --opponent-time 0.1";
    let printed = run_lab(&format!("sau {} {options}", bot::path())).printed;
    assert!(printed.contains("8 games: 8 finished, "), "{printed}");
    assert!(printed.contains("killed 4 on its turn, 4 on the opponent's"), "{printed}");
}

/// The engine dies at its first line, is loaded again, and dies again.
#[test]
fn an_engine_that_always_dies_is_reported() {
    let dies = format!("{}/tests/engines/dies.sh", env!("CARGO_MANIFEST_DIR"));
    let Run { status, printed, .. } = run_lab(&format!("sau {dies} --games 1"));
    assert!(printed.contains("NOT FINISHED") && printed.contains("1 games: 0 finished, "), "{printed}");
    assert_eq!(status, Some(1));
}
