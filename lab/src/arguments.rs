//! Options that several commands share, and parsers of numbers that name the valid range.

use crate::cluster::ray;
use otrera::Size;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ops::Range;
use std::str::FromStr;
use std::sync::Mutex;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

/// Where a command does its work.
#[derive(clap::Args, Clone, Default, Debug)]
pub struct WorkArgs {
    /// Games or searches run at once [default: one for each core].
    #[arg(long, value_name = "N", value_parser = read_concurrency)]
    concurrency: Option<usize>,
    /// Work on the Ray cluster at HOST:PORT, or with `local` on this machine through Ray.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "concurrency", value_parser = ray::check_address)]
    pub cluster: Option<String>,
}

impl WorkArgs {
    /// Returns the number of games or searches to run at once on this machine.
    pub fn concurrency(&self) -> usize {
        self.concurrency.unwrap_or_else(cores)
    }

    /// Calls `work` with each item, from that many threads, in the order of the items. Stops after the first error.
    pub fn for_each<T: Send>(
        &self,
        items: impl Iterator<Item = T> + Send,
        work: impl Fn(T) -> Result<(), String> + Sync,
    ) -> Result<(), String> {
        // Not rayon: a thread that waits for the pool of a search would begin another game meanwhile.
        let items = Mutex::new(items);
        let next = || items.lock().ok().and_then(|mut items| items.next());
        let work_all = || {
            while let Some(item) = next() {
                work(item).inspect_err(|_| while next().is_some() {})?;
            }
            Ok(())
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..self.concurrency()).map(|_| scope.spawn(work_all)).collect();
            let outcome = |thread: ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|_| Err("a game ended in a panic".into()))
            };
            threads.into_iter().try_for_each(outcome)
        })
    }

    /// Builds a pool of that many threads.
    pub fn pool(&self) -> Result<ThreadPool, String> {
        let builder = ThreadPoolBuilder::new().num_threads(self.concurrency());
        builder.build().map_err(|error| format!("threads: {error}"))
    }

    /// Returns these options, or `others` if none of these is given.
    #[must_use]
    pub fn or(&self, others: &Self) -> Self {
        if self.concurrency.is_some() || self.cluster.is_some() { self.clone() } else { others.clone() }
    }
}

/// The option that makes a command line a task of a cluster.
#[derive(clap::Args, Clone, Debug)]
pub struct TaskArgs {
    /// Do these numbers only, in order, and print one line for each.
    #[arg(long, value_name = "FROM..TO", value_parser = read_range, conflicts_with = "cluster", hide = true)]
    pub numbers: Option<Range<u64>>,
}

/// Returns the number of cores of this machine.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Parses a value that passes a test; the error says what was expected.
fn read_if<T: FromStr>(text: &str, is_valid: impl Fn(&T) -> bool, expected: &str) -> Result<T, String> {
    text.parse().ok().filter(is_valid).ok_or_else(|| format!("expected {expected}"))
}

/// Parses a whole number from 1.
pub fn read_count<T: FromStr + PartialOrd + Default>(text: &str) -> Result<T, String> {
    read_if(text, |count| *count > T::default(), "a whole number from 1")
}

fn read_range(text: &str) -> Result<Range<u64>, String> {
    let range = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    range.ok_or_else(|| "expected two whole numbers, like 0..20".into())
}

/// Parses a number of games, threads or processes at once.
pub fn read_concurrency(text: &str) -> Result<usize, String> {
    read_if(text, |count| (1..=1024).contains(count), "a whole number from 1 to 1024")
}

/// Parses a number of seconds, 0 allowed.
pub fn read_seconds(text: &str) -> Result<Duration, String> {
    let is_valid = |seconds: &f64| (0.0..=1e6).contains(seconds);
    read_if(text, is_valid, "a number of seconds").map(Duration::from_secs_f64)
}

/// Parses a thinking time in seconds, above 0.
pub fn read_time(text: &str) -> Result<Duration, String> {
    let time = read_seconds(text).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| "expected a number of seconds above 0".into())
}

/// Parses a number from 0 to 1.
pub fn read_share(text: &str) -> Result<f64, String> {
    read_if(text, |share| (0.0..=1.0).contains(share), "a number from 0 to 1")
}

/// Parses a number above 0.
pub fn read_positive(text: &str) -> Result<f64, String> {
    read_if(text, |number: &f64| *number > 0.0 && number.is_finite(), "a number above 0")
}

/// Parses the edge of a board.
pub fn read_size(text: &str) -> Result<Size, String> {
    text.parse().ok().and_then(Size::new).ok_or_else(|| "expected an edge from 4 to 10".into())
}
