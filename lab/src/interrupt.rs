//! Signal handling: Ctrl-C, SIGTERM, SIGHUP and SIGQUIT kill the programs under test, let the line being written
//! finish, and print how to resume. A second signal ends the program immediately.
//!
//! Programs under test run in their own process groups, which the terminal's signals do not reach.

use otrera_arena::groups;
use otrera_arena::signals::{self, SIGNALLED};
use signal_hook::consts::SIGXFSZ;
use std::io::{self, IsTerminal, Write};
use std::process::exit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Lock held while a line is written, so that an interruption cannot truncate the line.
static WRITING: Mutex<()> = Mutex::new(());

/// Advice on resuming, printed after an interruption.
static ADVICE: Mutex<String> = Mutex::new(String::new());

/// Locks a mutex, even if it is poisoned.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Installs the signal handlers.
pub fn listen() -> Result<(), String> {
    // With a SIGXFSZ handler, a write beyond the file size limit fails with an error instead of killing `lab`.
    signal_hook::flag::register(SIGXFSZ, Arc::default()).map_err(|error| format!("signals: {error}"))?;
    signals::listen(end)
}

fn end(signal: i32) {
    // Waits until a line being written is complete; no other line begins.
    let _guard = locked(&WRITING);
    let advice = locked(&ADVICE);
    let line_end = if io::stderr().is_terminal() { "\n" } else { "" };
    let _ = writeln!(io::stderr(), "{line_end}lab: interrupted{advice}");
    exit(SIGNALLED + signal);
}

/// Kills the programs under test, prints the error and exits with status 1.
pub fn give_up(problem: &str) -> ! {
    groups::end_all();
    let _ = writeln!(io::stderr(), "lab: {problem}");
    exit(1)
}

/// Sets the advice on resuming, printed after "interrupted" or after a cluster error.
pub fn advise(advice: String) {
    *locked(&ADVICE) = advice;
}

pub fn advice() -> String {
    locked(&ADVICE).clone()
}

/// Returns an RAII guard that delays the reaction to the first signal until the guard is dropped.
///
/// Blocks forever once the programs under test are being killed. Otherwise a killed program would be recorded as
/// crashed.
pub fn hold() -> MutexGuard<'static, ()> {
    let guard = locked(&WRITING);
    if !groups::are_ending() {
        return guard;
    }
    drop(guard);
    loop {
        thread::park();
    }
}
