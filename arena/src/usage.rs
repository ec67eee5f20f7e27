//! Processor time and memory of a running process and its descendants, from `/proc`.
//!
//! Two sources are combined, and neither overestimates. The totals in `stat` are truncated to ticks of 10 ms; those in
//! `schedstat` are exact but cover only living threads. A child that was waited for is included in its parent's totals;
//! an orphaned process is not found.

use std::fs;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Processor time of all threads and processes.
    pub cpu: Duration,
    /// Peak resident set size of the largest process, in bytes.
    pub peak: u64,
}

/// Returns the usage of a process and its descendants; zero after the process has ended.
pub fn of_tree(root: u32) -> Usage {
    let mut total = Usage::default();
    let mut left = vec![root];
    while let Some(process) = left.pop() {
        let (threads, children) = threads_of(process);
        let (own, waited_for) = ticks_of(process).unwrap_or_default();
        total.cpu += threads.max(own) + waited_for;
        total.peak = total.peak.max(peak_of(&process.to_string()).unwrap_or(0));
        left.extend(children);
    }
    total
}

/// Returns this process's peak resident set size in bytes; `u64::MAX` if unknown. A child starts with a copy of our
/// memory, so the child's peak is never less.
pub fn own_peak() -> u64 {
    peak_of("self").unwrap_or(u64::MAX)
}

/// Returns the processor time of all living threads of a process, and the IDs of its child processes.
fn threads_of(process: u32) -> (Duration, Vec<u32>) {
    let mut cpu = Duration::ZERO;
    let mut children = Vec::new();
    for thread in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
        let read = |file: &str| fs::read_to_string(thread.path().join(file)).unwrap_or_default();
        let nanoseconds = read("schedstat").split_whitespace().next().and_then(|word| word.parse().ok());
        cpu += Duration::from_nanos(nanoseconds.unwrap_or(0));
        children.extend(read("children").split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
    }
    (cpu, children)
}

/// Returns the processor time of a process, and that of the children it waited for, both truncated to clock ticks.
fn ticks_of(process: u32) -> Option<(Duration, Duration)> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The process name, in brackets, can contain anything, so fields are counted after the last bracket.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |first: usize| -> Option<Duration> {
        let [user, system] = [fields.get(first)?, fields.get(first + 1)?].map(|field| field.parse::<f64>());
        let seconds = (user.ok()? + system.ok()?) / rustix::param::clock_ticks_per_second() as f64;
        Some(Duration::from_secs_f64(seconds.max(0.0)))
    };
    Some((ticks(11)?, ticks(13)?))
}

/// Returns the peak resident set size (`VmHWM`) of a process, in bytes; `process` is its ID or `self`.
fn peak_of(process: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}
