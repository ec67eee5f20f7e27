//! Runs numbered work items on this machine's cores, on a cluster, or within one cluster task.
//!
//! On a cluster, guided self-scheduling (Polychronopoulos and Kuck 1987) sets the size of each task: the number of
//! remaining items divided by [`TASKS_A_CORE`] times the number of cores. Tasks shrink towards the end, and all cores
//! finish at about the same time. A task lasts at most about [`TASK_TIME`].

use super::WorkArgs;
use super::ray::{Done, Ray, Task};
use crate::interrupt::{self, locked};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Numbered work items of one kind, such as the games of a match.
pub struct Job<'a> {
    /// Arguments of `lab` for a cluster task that runs these items, without `--numbers FROM..TO`.
    pub arguments: Vec<String>,
    /// Numbers of the items still to do, in ascending order.
    pub missing: VecDeque<u64>,
    /// Runs the item with this number and returns its result as one line of text.
    pub work: &'a (dyn Fn(u64) -> Result<String, String> + Sync),
    /// Receives the result line of each item, in any order.
    pub take: Box<Take<'a>>,
}

type Take<'a> = dyn FnMut(&str) -> Result<(), String> + Send + 'a;

/// Tasks submitted per core: one runs, and one waits in Ray's queue so that the core has no idle time between tasks.
const TASKS_A_CORE: usize = 2;

/// Target duration of a task: long compared with the time to start a task.
const TASK_TIME: Duration = Duration::from_secs(10);

/// Runs all jobs, starting their items in order, until all are done or `enough` is set.
pub fn run(options: &WorkArgs, jobs: Vec<Job>, enough: &AtomicBool) -> Result<(), String> {
    if let Some(address) = &options.cluster {
        return run_on_cluster(address, jobs, enough).map_err(|problem| problem + &interrupt::advice());
    }
    let missing =
        |(index, job): (usize, &Job)| job.missing.iter().map(move |n| (index, *n)).collect::<Vec<_>>();
    let items: Vec<(usize, u64)> = jobs.iter().enumerate().flat_map(missing).collect();
    let (work, take): (Vec<_>, Vec<_>) = jobs.into_iter().map(|job| (job.work, Mutex::new(job.take))).unzip();
    let items = items.into_iter().take_while(|_| !enough.load(Ordering::Relaxed));
    options.cores.for_each(items, |(index, number)| {
        let line = work[index](number)?;
        locked(&take[index])(&line)
    })
}

/// Runs one cluster task: runs the items `numbers` in order and prints the result line of each.
pub fn print(numbers: &Range<u64>, work: impl Fn(u64) -> Result<String, String>) -> Result<(), String> {
    numbers.clone().try_for_each(|number| {
        println!("{}", work(number)?);
        Ok(())
    })
}

fn run_on_cluster(address: &str, jobs: Vec<Job>, enough: &AtomicBool) -> Result<(), String> {
    let mut plan = Plan::new(jobs);
    if plan.left() == 0 {
        return Ok(());
    }
    let mut ray = Ray::join(address)?;
    while !(enough.load(Ordering::Relaxed) || plan.left() == 0 && plan.under_way.is_empty()) {
        while plan.under_way.len() < TASKS_A_CORE * ray.cores
            && let Some(task) = plan.next_task(ray.cores)
        {
            ray.submit(&task)?;
        }
        if let Some(done) = ray.finished()? {
            plan.take(&done)?;
        }
    }
    Ok(())
}

/// Jobs of a cluster run, and the tasks that are submitted but not finished.
struct Plan<'a> {
    /// Each job, with the maximum number of items in its next task.
    jobs: Vec<(Job<'a>, u64)>,
    /// Job index and number of items of each unfinished task, by task ID.
    under_way: HashMap<u64, (usize, u64)>,
    next_id: u64,
}

impl<'a> Plan<'a> {
    fn new(jobs: Vec<Job<'a>>) -> Self {
        // A first task of one item measures how long an item takes.
        let jobs = jobs.into_iter().map(|job| (job, 1)).collect();
        Self { jobs, under_way: HashMap::new(), next_id: 1 }
    }

    /// Returns the number of items not yet assigned to a task.
    fn left(&self) -> u64 {
        self.jobs.iter().map(|(job, _)| job.missing.len() as u64).sum()
    }

    fn next_task(&mut self, cores: usize) -> Option<Task> {
        let share = self.left() / (TASKS_A_CORE * cores) as u64;
        let (number, (job, length)) =
            self.jobs.iter_mut().enumerate().find(|(_, (job, _))| !job.missing.is_empty())?;
        let range = take_range(&mut job.missing, share.clamp(1, *length))?;
        let task = Task { id: self.next_id, arguments: numbered(&job.arguments, &range) };
        self.under_way.insert(task.id, (number, range.end - range.start));
        self.next_id += 1;
        Some(task)
    }

    fn take(&mut self, done: &Done) -> Result<(), String> {
        let Some((number, count)) = self.under_way.remove(&done.id) else { return Ok(()) };
        let (job, length) = &mut self.jobs[number];
        if done.lines.len() as u64 != count {
            let command = job.arguments.join(" ");
            return Err(format!("{command}: {} lines for {count} numbers", done.lines.len()));
        }
        done.lines.iter().try_for_each(|line| (job.take)(line))?;
        let fitting = count as f64 * TASK_TIME.as_secs_f64() / done.seconds.max(1e-3);
        *length = (fitting as u64).clamp(1, 2 * *length);
        Ok(())
    }
}

/// Appends `--numbers FROM..TO` to the arguments of a `lab` command.
pub fn numbered(arguments: &[String], numbers: &Range<u64>) -> Vec<String> {
    let numbers = format!("{}..{}", numbers.start, numbers.end);
    arguments.iter().cloned().chain(["--numbers".into(), numbers]).collect()
}

/// Removes up to `length` consecutive numbers from the front and returns their range; `None` if `missing` is empty.
fn take_range(missing: &mut VecDeque<u64>, length: u64) -> Option<Range<u64>> {
    let start = missing.pop_front()?;
    let mut end = start + 1;
    while end - start < length && missing.front() == Some(&end) {
        missing.pop_front();
        end += 1;
    }
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a job whose items take `seconds` each and whose tasks run one after another; returns the number of
    /// items in each task.
    fn lengths(seconds: f64, count: u64, cores: usize) -> Vec<u64> {
        let mut taken = Vec::new();
        let missing: VecDeque<u64> = (0..count).filter(|number| number % 100 != 50).collect();
        let wanted: Vec<String> = missing.iter().map(u64::to_string).collect();
        let take = |line: &str| {
            taken.push(line.to_owned());
            Ok(())
        };
        let mut plan = Plan::new(vec![Job {
            arguments: vec!["match".into()],
            missing,
            work: &|_| Err(String::new()),
            take: Box::new(take),
        }]);
        let mut lengths = Vec::new();
        while let Some(task) = plan.next_task(cores) {
            let (_, length) = plan.under_way[&task.id];
            let (from, _) = task.arguments.last().and_then(|range| range.split_once("..")).unwrap();
            let from: u64 = from.parse().unwrap();
            let lines: Vec<String> = (from..from + length).map(|number| number.to_string()).collect();
            let seconds = seconds * length as f64;
            let short = Done { id: task.id, lines: lines[1..].to_vec(), seconds };
            assert!(plan.take(&short).is_err(), "a task with a missing line must fail");
            plan.under_way.insert(task.id, (0, length));
            plan.take(&Done { id: task.id, lines, seconds }).unwrap();
            lengths.push(length);
        }
        drop(plan);
        assert_eq!(taken, wanted);
        lengths
    }

    #[test]
    fn task_sizes_follow_guided_self_scheduling() {
        let short = lengths(0.2, 1000, 2);
        assert_eq!(short[..6], [1, 2, 4, 8, 16, 19], "sizes double up to the gap at 50");
        assert_eq!(short.iter().max(), Some(&50), "at most ten seconds of work");
        assert_eq!(short.last(), Some(&1));
        assert!(lengths(30.0, 40, 4).iter().all(|&length| length == 1));
    }
}
