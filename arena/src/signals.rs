//! The signal handler of all programs that play games.

use crate::groups;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use std::process::exit;
use std::thread;

/// Exit status of a program ended by a signal, before the signal's number is added.
pub const SIGNALLED: i32 = 128;

/// Installs the handler. The first signal kills all programs under test and runs `end` with the signal's number in a
/// thread; the second one ends this program. A signal that was ignored at the start, as under `nohup`, stays ignored.
pub fn listen(end: impl Fn(i32) + Send + 'static) -> Result<(), String> {
    let ignored = ignored_signals();
    let handled =
        [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let mut signals = Signals::new(handled).map_err(|error| format!("signals: {error}"))?;
    thread::spawn(move || {
        let mut arrived = signals.forever();
        if let Some(first) = arrived.next() {
            thread::spawn(move || {
                groups::end_all();
                end(first);
            });
        }
        if let Some(second) = arrived.next() {
            exit(SIGNALLED + second);
        }
    });
    Ok(())
}

/// Returns the bit mask of signals ignored at the start, signal 1 in the lowest bit; 0 without `/proc`.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
