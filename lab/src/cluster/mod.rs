//! Games on more than the cores of this machine, or on these by the same means: [Ray](https://www.ray.io) does the
//! tasks, each a range of numbers of games, whose lines are those that this process would have written.
//!
//! `ray.py` is the other side: it starts this same program with the arguments that this one was started with and
//! `--numbers FROM..TO` behind them. What decides a game is its number, so it does not matter where it is played.

pub mod python;

use crate::interrupt;
use rustix::process::Pid;
use serde::Deserialize;
use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What `ray.py` says.
#[derive(Deserialize)]
#[serde(untagged)]
enum Message {
    /// The cores of the cluster.
    Cores { cores: usize },
    /// A task is done.
    Done { numbers: String, lines: Vec<String> },
    /// It cannot be done.
    Failed { numbers: String, problem: String },
}

/// How long a task is to last: what it costs beside its games is some ten milliseconds.
const TASK: Duration = Duration::from_secs(2);

/// Tasks for each core, so that none waits for the next.
const TASKS_A_CORE: usize = 2;

/// A cluster that plays games of this command.
pub struct Cluster {
    process: Child,
    group: Pid,
    /// `None` when it is to end.
    tasks: Option<ChildStdin>,
    messages: Receiver<Message>,
}

/// How long it may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

impl Cluster {
    /// Joins the cluster at an address, `HOST:PORT`, or makes one of this machine, `local`.
    ///
    /// # Errors
    /// Python or Ray is missing, or there is no such cluster: its own words.
    pub fn join(address: &str) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
        let mut command = Command::new(python::with_ray()?);
        command.args(["-c", include_str!("ray.py"), address]).arg(program).args(std::env::args_os().skip(1));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let (mut process, group) =
            interrupt::start_group(&mut command).map_err(|error| format!("Ray: {error}"))?;
        let (tasks, output) = (process.stdin.take(), process.stdout.take().ok_or("Ray: no pipe")?);
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // What is no message is Ray's own chatter.
            let messages = lines.filter_map(|line| serde_json::from_str(&line).ok());
            messages.map(|message| sender.send(message)).take_while(Result::is_ok).for_each(drop);
        });
        Ok(Self { process, group, tasks, messages })
    }

    /// Plays the games of these numbers until all are played or `enough` is raised. Each line is given to `take`.
    ///
    /// # Errors
    /// A task that cannot be done, a line that is not taken, or a cluster that has gone.
    pub fn play(
        mut self,
        mut missing: VecDeque<u64>,
        enough: &AtomicBool,
        take: &dyn Fn(&str) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut under_way: HashMap<String, Instant> = HashMap::new();
        let (mut cores, mut length) = (0, 2);
        while !(enough.load(Ordering::Relaxed) || missing.is_empty() && under_way.is_empty()) {
            while under_way.len() < TASKS_A_CORE * cores
                && let Some(task) = take_range(&mut missing, length)
            {
                let numbers = format!("{}..{}", task.start, task.end);
                self.begin(&numbers)?;
                under_way.insert(numbers, Instant::now());
            }
            match self.messages.recv_timeout(Duration::from_millis(100)) {
                Ok(Message::Cores { cores: now }) => cores = now,
                Ok(Message::Done { numbers, lines }) => {
                    lines.iter().try_for_each(|line| take(line))?;
                    let begun = under_way.remove(&numbers);
                    length = next_length(length, lines.len() as u64, begun.map(|begun| begun.elapsed()));
                }
                Ok(Message::Failed { numbers, problem }) => {
                    return Err(format!("games {numbers}: {problem}"));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err("Ray has ended before the games did".into());
                }
            }
        }
        Ok(())
    }

    /// Hands a task over.
    fn begin(&mut self, numbers: &str) -> Result<(), String> {
        let tasks = self.tasks.as_mut().ok_or("Ray has been ended")?;
        writeln!(tasks, "{numbers}").map_err(|error| format!("Ray has ended: {error}"))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The end of its input is the end of its work.
        self.tasks = None;
        let patience = Instant::now() + PATIENCE;
        while matches!(self.process.try_wait(), Ok(None)) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(20));
        }
        interrupt::end_group(self.group);
        let _ = self.process.wait();
    }
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

/// How many games the next tasks have, from how long one lasted, its time in the queue included.
fn next_length(length: u64, games: u64, lasted: Option<Duration>) -> u64 {
    let Some(lasted) = lasted.filter(|lasted| !lasted.is_zero()) else { return length };
    let a_game = lasted.as_secs_f64() / (TASKS_A_CORE as f64 * games.max(1) as f64);
    ((TASK.as_secs_f64() / a_game) as u64).clamp(1, 2 * length)
}
