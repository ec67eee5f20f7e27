//! What Ctrl-C, SIGTERM, SIGHUP and SIGQUIT come to: the programs under test are ended with us, no line of results is cut
//! in two, and it is said how to go on. A second signal ends at once.
//!
//! The programs live in process groups of their own, which the terminal's signals do not reach.

use otrera_referee::groups;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use std::io::{self, IsTerminal, Write};
use std::process::{Command, exit};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Programs, each with an argument, that end what runs elsewhere.
static LAST: Mutex<Vec<[String; 2]>> = Mutex::new(Vec::new());

/// Held by whoever writes what must not be cut.
static WRITING: Mutex<()> = Mutex::new(());

/// How to go on after an interruption.
static ADVICE: Mutex<String> = Mutex::new(String::new());

/// Exit status of a program that a signal has ended, less the signal's number.
const SIGNALLED: i32 = 128;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for signals from now on. One that is to be ignored, as under `nohup`, stays ignored.
///
/// # Errors
/// The system refuses it.
pub fn listen() -> Result<(), String> {
    let ignored = ignored_signals();
    let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
    let heeded = ending.into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let problem = |error: io::Error| format!("signals: {error}");
    let mut signals = Signals::new(heeded).map_err(problem)?;
    // With a handler, whatever it does, a file at the limit of its size fails to be written and is told.
    signal_hook::flag::register(SIGXFSZ, Arc::default()).map_err(problem)?;
    thread::spawn(move || {
        let mut arrived = signals.forever();
        if let Some(first) = arrived.next() {
            thread::spawn(move || end(first));
        }
        if let Some(second) = arrived.next() {
            exit(SIGNALLED + second);
        }
    });
    Ok(())
}

/// The signals that this program was started to ignore, the first in the lowest bit; none where `/proc` does not tell.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Ends everything in order.
fn end(signal: i32) {
    end_groups();
    // Whoever is writing a line may finish it; nobody begins another.
    let _written = locked(&WRITING);
    let advice = locked(&ADVICE);
    let new_line = if io::stderr().is_terminal() { "\n" } else { "" };
    say(&format!("{new_line}lab: interrupted{advice}"));
    exit(SIGNALLED + signal);
}

fn end_groups() {
    groups::end_all();
    for [program, argument] in locked(&LAST).drain(..) {
        let _ = Command::new(program).arg(argument).status();
    }
}

/// Has a program run, with its argument, when this one ends because of a signal or a problem.
pub fn run_last(command: [String; 2]) {
    locked(&LAST).push(command);
}

/// Has it run no more.
pub fn not_run_last(command: &[String; 2]) {
    locked(&LAST).retain(|other| other != command);
}

/// Ends this program because it cannot go on, and the programs under test with it.
pub fn give_up(problem: &str) -> ! {
    end_groups();
    say(&format!("lab: {problem}"));
    exit(1)
}

/// Says something to whoever is still there.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Says what follows the word "interrupted", or why a cluster's work has ended, from now on: where the results are and how to go on.
pub fn advise(advice: String) {
    *locked(&ADVICE) = advice;
}

/// What was said so.
pub fn advice() -> String {
    locked(&ADVICE).clone()
}

/// While the guard lives an interruption waits. When one has come already this does not return, so that what comes of
/// the end of a program under test is neither written down nor told.
pub fn whole() -> MutexGuard<'static, ()> {
    let guard = locked(&WRITING);
    if !groups::are_ending() {
        return guard;
    }
    drop(guard);
    loop {
        thread::park();
    }
}
