//! Stack and signals of a bot's process, and its benchmark.

use crate::io::print;
use crate::settings::Settings;
use std::convert::Infallible;

/// Stack size of the worker thread, in bytes. The main thread's stack can be too small (`ulimit -s`).
const STACK: usize = 2 << 20;

/// Runs `work` in a thread with a stack of [`STACK`] bytes and exits with its status. Returns the status if no thread
/// can be started.
pub fn run(work: impl FnOnce() -> u8 + Clone + Send + 'static) -> u8 {
    let again = work.clone();
    // Exits from the thread, since some sandboxes do not let a thread end.
    match std::thread::Builder::new().stack_size(STACK).spawn(move || std::process::exit(again().into())) {
        Ok(thread) => thread.join().map_or(1, |never: Infallible| match never {}),
        Err(_) => work(),
    }
}

/// Makes writes beyond `ulimit -f` fail with an error instead of a fatal signal.
pub fn survive_file_limit() {
    #[cfg(unix)]
    survive(signal_hook::consts::SIGXFSZ);
}

/// Makes writes into a closed pipe fail with an error. Rust's entry point, if used, already does.
#[cfg(unix)]
pub fn survive_closed_pipe() {
    survive(signal_hook::consts::SIGPIPE);
}

#[cfg(unix)]
fn survive(signal: i32) {
    static SEEN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    // A missing handler does no harm until such a signal arrives.
    let _ = signal_hook::flag::register(signal, &SEEN);
}

/// Runs the benchmark and prints its speed and checksum. Fails if the settings limit the search.
pub fn bench(settings: &Settings) -> Result<(), String> {
    if settings.iterations.is_some() || settings.move_time.is_some() {
        return Err("bench has a fixed number of iterations: remove iterations and move-time".into());
    }
    let bench = otrera::bench::run(&settings.preset.params);
    let seconds = bench.elapsed.as_secs_f64();
    print(&format!(
        "{} iterations in {seconds:.3} s, {:.0} iterations/s ({}, one thread)\nBench: {}\n",
        bench.iterations,
        bench.iterations as f64 / seconds,
        settings.preset.text,
        bench.checksum
    ))
}
