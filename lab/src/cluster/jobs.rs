//! Cuts jobs into tasks, by guided self-scheduling (Polychronopoulos and Kuck 1987): a task is a part of what is left, so
//! that all cores end together, but lasts no longer than the cluster wants it to.

use super::{Task, join};
use crate::interrupt;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Numbered pieces of work of one kind, such as the games of a match.
pub struct Job<'a> {
    /// The command line that does them when `--numbers FROM..TO` is behind it.
    pub arguments: Vec<String>,
    /// The numbers of those that are not done yet.
    pub missing: VecDeque<u64>,
    /// Takes the line of one, in no order.
    pub take: Box<Take<'a>>,
}

/// What takes lines.
type Take<'a> = dyn FnMut(&str) -> Result<(), String> + 'a;

/// Tasks for each core, so that none waits for the next.
const TASKS_A_CORE: usize = 2;

/// Has all jobs done on the cluster of this address, until `enough` is raised. The first jobs come first.
///
/// # Errors
/// There is no such cluster, a task cannot be done, or a line is not taken; and how to go on.
pub fn run(address: &str, jobs: Vec<Job>, enough: &AtomicBool) -> Result<(), String> {
    do_all(address, jobs, enough).map_err(|problem| problem + &interrupt::advice())
}

fn do_all(address: &str, jobs: Vec<Job>, enough: &AtomicBool) -> Result<(), String> {
    let mut plan = Plan::new(jobs);
    if plan.left() == 0 {
        return Ok(());
    }
    let mut cluster = join(address)?;
    while !(enough.load(Ordering::Relaxed) || plan.left() == 0 && plan.under_way.is_empty()) {
        while plan.under_way.len() < TASKS_A_CORE * cluster.cores()
            && let Some(task) = plan.next_task(cluster.cores())
        {
            cluster.submit(task)?;
        }
        if let Some(done) = cluster.finished()? {
            plan.take(done.id, &done.lines, done.lasted, cluster.task_time())?;
        }
    }
    Ok(())
}

/// The jobs, and what becomes of them.
struct Plan<'a> {
    /// With how many numbers the next task of each is to have.
    jobs: Vec<(Job<'a>, u64)>,
    /// By task: the job and how many of its numbers.
    under_way: HashMap<u64, (usize, u64)>,
    next_id: u64,
}

impl<'a> Plan<'a> {
    fn new(jobs: Vec<Job<'a>>) -> Self {
        // At first nobody knows how long one takes.
        let jobs = jobs.into_iter().map(|job| (job, 1)).collect();
        Self { jobs, under_way: HashMap::new(), next_id: 1 }
    }

    /// How much is in no task yet.
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

    fn take(&mut self, id: u64, lines: &[String], lasted: Duration, wanted: Duration) -> Result<(), String> {
        let Some((number, count)) = self.under_way.remove(&id) else { return Ok(()) };
        let (job, length) = &mut self.jobs[number];
        if lines.len() as u64 != count {
            let command = job.arguments.join(" ");
            return Err(format!("{command}: {} lines came of {count} numbers", lines.len()));
        }
        lines.iter().try_for_each(|line| (job.take)(line))?;
        let fitting = count as f64 * wanted.as_secs_f64() / lasted.as_secs_f64().max(1e-3);
        *length = (fitting as u64).clamp(1, 2 * *length);
        Ok(())
    }
}

/// The command line for these numbers.
pub fn numbered(arguments: &[String], numbers: &Range<u64>) -> Vec<String> {
    let numbers = format!("{}..{}", numbers.start, numbers.end);
    arguments.iter().cloned().chain(["--numbers".into(), numbers]).collect()
}

/// So many numbers in a row from the front of those that are missing.
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

    /// Does all tasks of a job at once, round after round; how many numbers each had.
    fn lengths(seconds_each: f64, count: u64, cores: usize) -> Vec<u64> {
        let mut taken = Vec::new();
        let missing: VecDeque<u64> = (0..count).filter(|number| number % 100 != 50).collect();
        let wanted: Vec<String> = missing.iter().map(u64::to_string).collect();
        let take = |line: &str| {
            taken.push(line.to_owned());
            Ok(())
        };
        let mut plan =
            Plan::new(vec![Job { arguments: vec!["match".into()], missing, take: Box::new(take) }]);
        let mut lengths = Vec::new();
        while let Some(task) = plan.next_task(cores) {
            let range =
                task.arguments.last().and_then(|text| crate::arguments::read_range(text).ok()).unwrap();
            let lines: Vec<String> = range.map(|number| number.to_string()).collect();
            let lasted = Duration::from_secs_f64(seconds_each * lines.len() as f64);
            assert!(plan.take(task.id, &lines[1..], lasted, lasted).is_err(), "a line is missing");
            plan.under_way.insert(task.id, (0, lines.len() as u64));
            plan.take(task.id, &lines, lasted, Duration::from_secs(10)).unwrap();
            lengths.push(lines.len() as u64);
        }
        drop(plan);
        assert_eq!(taken, wanted);
        lengths
    }

    #[test]
    fn tasks_grow_to_their_time_and_shrink_to_the_end() {
        let short = lengths(0.2, 1000, 2);
        assert_eq!(short[..6], [1, 2, 4, 8, 16, 19], "up to the gap at 50");
        assert_eq!(short.iter().max(), Some(&50), "ten seconds");
        assert_eq!(short.last(), Some(&1));
        assert!(lengths(30.0, 40, 4).iter().all(|&length| length == 1));
    }
}
