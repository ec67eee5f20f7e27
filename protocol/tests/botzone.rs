//! Botzone's clock: from which moment a process counts the time of its first turn.

use otrera_referee::program::Program;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Of all that is measured the shortest of this many tries counts: a busy machine only makes it longer.
const TRIES: u32 = 3;

/// Asks for a first move of one second when the process has been running for this long. Returns how long the answer
/// took from then on, and its iterations.
fn first_turn_after(pause: Duration) -> (Duration, u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_otrera"));
    command.args(["--move-time", "1", "--memory", "64"]);
    let mut program = Program::start(command);
    sleep(pause);
    let asked = Instant::now();
    program.send(b"1\n-1 -1 -1 -1 -1 -1\n");
    program.close_input();
    let exit = program.exit(Duration::from_secs(20)).unwrap_or_else(|problem| panic!("{problem}"));
    let iterations = exit.rest.split(" n=").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    (asked.elapsed(), iterations.unwrap_or_else(|| panic!("no iterations in {}", exit.rest)))
}

#[test]
fn a_process_that_waited_for_its_turn_thinks_about_it() {
    let iterations = (0..TRIES).map(|_| first_turn_after(Duration::from_millis(1200)).1).max();
    assert!(iterations >= Some(100), "{iterations:?} iterations in a second");
}

#[test]
fn a_process_that_was_started_for_the_turn_counts_from_its_start() {
    let time = (0..TRIES).map(|_| first_turn_after(Duration::from_millis(400)).0).min();
    assert!(time < Some(Duration::from_millis(850)), "{time:?} after the request, and 0.4 s before it");
}
