//! Command-line options that choose where work runs: on the cores of this machine or on a cluster.

use super::ray;
use crate::arguments::{read_concurrency, read_range};
use crate::interrupt::locked;
use crate::progress::progress_bar;
use otrera::Resources;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::hash::Hash;
use std::ops::Range;
use std::sync::Mutex;
use std::thread::{self, ScopedJoinHandle};

#[derive(clap::Args, Clone, Default, Debug)]
pub struct CoreArgs {
    /// Number of concurrent games or searches [default: one per core].
    #[arg(long, value_name = "N", value_parser = read_concurrency)]
    concurrency: Option<usize>,
}

#[derive(clap::Args, Clone, Default, Debug)]
pub struct WorkArgs {
    #[command(flatten)]
    pub cores: CoreArgs,
    /// Run on the Ray cluster at HOST:PORT; `local` starts Ray on this machine.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "concurrency", value_parser = ray::check_address)]
    pub cluster: Option<String>,
}

/// Numbered results that end in any order, given back in the order of their numbers.
pub struct InOrder<T> {
    missing: VecDeque<u64>,
    /// Results whose predecessors are missing.
    early: BTreeMap<u64, T>,
}

impl<T> InOrder<T> {
    pub fn new(missing: VecDeque<u64>) -> Self {
        Self { missing, early: BTreeMap::new() }
    }

    /// Adds a result; returns it and those after it, with their numbers, if no earlier one is missing.
    pub fn add(&mut self, number: u64, result: T) -> Vec<(u64, T)> {
        self.early.insert(number, result);
        let mut ready = Vec::new();
        while let Some(next) = self.missing.front().and_then(|number| self.early.remove_entry(number)) {
            self.missing.pop_front();
            ready.push(next);
        }
        ready
    }
}

/// Maximum number of results tried by [`first_new`].
const MAX_TRIES: u64 = 100;

/// Returns `result`, or the first of `again(1)`, `again(2)` and so on, whose key is not known yet; adds the key to the
/// `known` ones. Fails if 100 results in a row have known keys.
pub fn first_new<T, K: Eq + Hash>(
    known: &mut HashSet<K>,
    mut result: T,
    key: impl Fn(&T) -> Result<K, String>,
    again: impl Fn(u64) -> Result<T, String>,
) -> Result<T, String> {
    let mut attempts = 1..MAX_TRIES;
    while !known.insert(key(&result)?) {
        let attempt = attempts.next().ok_or_else(|| format!("repeated others {MAX_TRIES} times"))?;
        result = again(attempt)?;
    }
    Ok(result)
}

impl CoreArgs {
    /// Returns the number of games or searches to run concurrently on this machine.
    pub fn concurrency(&self) -> usize {
        self.concurrency.unwrap_or_else(Resources::cores)
    }

    /// Calls `work` with each item on [`Self::concurrency`] threads, which take the items in order. Stops after the
    /// first error.
    pub fn for_each<T: Send>(
        &self,
        items: impl Iterator<Item = T> + Send,
        work: impl Fn(T) -> Result<(), String> + Sync,
    ) -> Result<(), String> {
        // Not rayon: while a rayon thread waits for a search's thread pool, it would start another game.
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

    /// Maps items on [`Self::concurrency`] threads and shows a progress bar; returns the results in the order of the
    /// items.
    pub fn map<T: Send, R: Send>(
        &self,
        name: &'static str,
        items: impl ExactSizeIterator<Item = T> + Send,
        work: impl Fn(T) -> Result<R, String> + Sync,
    ) -> Result<Vec<R>, String> {
        let bar = progress_bar(items.len() as u64).with_message(name);
        let results = Mutex::new(BTreeMap::new());
        self.for_each(items.enumerate(), |(place, item)| {
            let result = work(item)?;
            bar.inc(1);
            locked(&results).insert(place, result);
            Ok(())
        })?;
        bar.finish_and_clear();
        Ok(results.into_inner().map_err(|error| error.to_string())?.into_values().collect())
    }

    pub fn pool(&self) -> Result<ThreadPool, String> {
        let builder = ThreadPoolBuilder::new().num_threads(self.concurrency());
        builder.build().map_err(|error| format!("threads: {error}"))
    }
}

// The option that turns a command line into a cluster task.
#[derive(clap::Args, Clone, Debug)]
pub struct TaskArgs {
    /// Run only the items with these numbers, in order, and print one line for each.
    #[arg(long, value_name = "FROM..TO", value_parser = read_range, conflicts_with = "cluster", hide = true)]
    pub numbers: Option<Range<u64>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;
    use std::time::Duration;

    #[test]
    fn a_repeated_result_is_replaced_by_the_first_new_one() {
        let mut known = HashSet::from([1, 2, 3]);
        let known_one = |_: u64| Ok(2);
        assert_eq!(first_new(&mut known, 5, |key| Ok(*key), known_one), Ok(5));
        assert_eq!(first_new(&mut known, 5, |key| Ok(*key), |attempt| Ok(attempt + 1)), Ok(4));
        assert!(known.contains(&4) && known.len() == 5);
        let stuck = first_new(&mut known, 5, |key| Ok(*key), known_one);
        assert_eq!(stuck, Err("repeated others 100 times".into()));
        assert_eq!(first_new(&mut known, 5, |key| Ok(*key), |_| Err("no".into())), Err("no".into()));
    }

    #[test]
    fn parallel_results_are_in_the_order_of_the_items() {
        let cores = CoreArgs { concurrency: Some(4) };
        let delayed = |item: usize| {
            sleep(Duration::from_millis(if item == 0 { 200 } else { 40 - item as u64 }));
            Ok(10 * item)
        };
        assert_eq!(cores.map("", 0..20_usize, delayed), Ok((0..20).map(|item| 10 * item).collect()));
        assert_eq!(
            cores.map("", 0..20, |item: usize| if item == 7 { Err("7".into()) } else { Ok(0) }),
            Err("7".into())
        );
    }
}
