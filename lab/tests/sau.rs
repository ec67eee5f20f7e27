//! `lab sau` from outside: our program is killed on its turn and on the opponent's, with and without the platform's own
//! record, and finishes each game; one that dies is found out.

use crate::bot;
use crate::laboratory::lab;

/// Runs `lab sau`; returns its output and true if it succeeded.
fn played(engine: &str, arguments: &[&str]) -> (String, bool) {
    let output = lab(&[&["sau", engine], arguments].concat()).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

/// Eight games: two sides, two kinds of kill, with and without the own record. On a busy machine one may be late.
#[test]
fn killed_at_random_moments_it_finishes_every_game() {
    let arguments =
        "--games 8 --concurrency 8 --total-time 10 --kill both --opponent random --opponent-time 0.1";
    let (said, _) = played(bot::path(), &arguments.split(' ').collect::<Vec<_>>());
    assert!(said.contains("8 games: 8 finished, "), "{said}");
    assert!(said.contains("killed 4 on its turn, 4 on the opponent's"), "{said}");
}

/// It dies at its first line, is loaded again, and dies again.
#[test]
fn an_engine_that_dies_does_not_finish() {
    let dies = format!("{}/tests/engines/dies.sh", env!("CARGO_MANIFEST_DIR"));
    let (said, content) = played(&dies, &["--games", "1"]);
    assert!(said.contains("NOT FINISHED") && said.contains("1 games: 0 finished, ") && !content, "{said}");
}
