//! What a running process and its descendants have used so far, read from `/proc`.
//!
//! Two sources of processor time complete each other, both never too high: the totals in `stat` are cut to
//! ticks of 10 ms, those in `schedstat` are exact but only of the threads that still live. A child that its
//! parent has waited for is in the parent's totals; one whose parent has died is not found any more.

use std::fs;
use std::time::Duration;

/// What a process has used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Processor time of all threads and processes.
    pub cpu: Duration,
    /// The largest resident set of one process, in bytes.
    pub peak: u64,
}

/// The usage of a process with its descendants; zero where nothing can be read any more.
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

/// The largest resident set of this very process. What a child is told to have used is never less, since
/// it begins its life in our memory.
pub fn own_peak() -> u64 {
    peak_of("self").unwrap_or(u64::MAX)
}

/// Processor time of the threads that live, and the child processes of all of them.
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

/// Processor time of a process itself and of the children that it has waited for, in whole ticks.
fn ticks_of(process: u32) -> Option<(Duration, Duration)> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in brackets, may hold anything: fields are counted behind it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |first: usize| -> Option<Duration> {
        let [user, system] = [fields.get(first)?, fields.get(first + 1)?].map(|field| field.parse::<f64>());
        let seconds = (user.ok()? + system.ok()?) / rustix::param::clock_ticks_per_second() as f64;
        Some(Duration::from_secs_f64(seconds.max(0.0)))
    };
    Some((ticks(11)?, ticks(13)?))
}

fn peak_of(process: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}
