//! Tasks on [Ray](https://www.ray.io). `ray.py` is the other side.

use super::{Cluster, Done, Task, python};
use rustix::process::Pid;
use serde::Deserialize;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What `ray.py` says.
#[derive(Deserialize)]
#[serde(untagged)]
enum Message {
    /// The cores of the cluster.
    Cores { cores: usize },
    /// A task is done.
    Done { id: u64, lines: Vec<String>, seconds: f64 },
    /// One cannot be done.
    Failed { command: String, problem: String },
}

/// A Ray cluster.
pub struct Ray {
    process: Child,
    group: Pid,
    /// `None` when it is to end.
    tasks: Option<ChildStdin>,
    messages: Receiver<Message>,
    cores: usize,
}

/// How long it may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

impl Ray {
    /// Joins the cluster at an address, `HOST:PORT`, or makes one of this machine, `local`.
    ///
    /// # Errors
    /// Python or Ray is missing, or there is no such cluster: its own words.
    pub fn join(address: &str) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
        let mut command = Command::new(python::with_ray()?);
        command.args(["-c", include_str!("ray.py"), address]).arg(program);
        // Or it tells its makers; and games on the clock are not to wait for other work, as with its niceness of 15.
        command.env("RAY_USAGE_STATS_ENABLED", "0").env("RAY_worker_niceness", "0");
        // No module is to be taken for one of Ray's because it lies in this folder.
        command.env("PYTHONSAFEPATH", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let (mut process, group) =
            otrera_referee::groups::start_group(&mut command).map_err(|error| format!("Ray: {error}"))?;
        let (tasks, output) = (process.stdin.take(), process.stdout.take().ok_or("Ray: no pipe")?);
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // What is no message is Ray's own chatter.
            let messages = lines.filter_map(|line| serde_json::from_str(&line).ok());
            messages.map(|message| sender.send(message)).take_while(Result::is_ok).for_each(drop);
        });
        Ok(Self { process, group, tasks, messages, cores: 0 })
    }
}

impl Cluster for Ray {
    fn cores(&self) -> usize {
        self.cores
    }

    fn task_time(&self) -> Duration {
        Duration::from_secs(10)
    }

    fn submit(&mut self, task: Task) -> Result<(), String> {
        let tasks = self.tasks.as_mut().ok_or("Ray has been ended")?;
        let task = serde_json::to_string(&task).map_err(|error| error.to_string())?;
        writeln!(tasks, "{task}").map_err(|error| format!("Ray has ended: {error}"))
    }

    fn finished(&mut self) -> Result<Option<Done>, String> {
        match self.messages.recv_timeout(Duration::from_millis(100)) {
            Ok(Message::Cores { cores }) => self.cores = cores,
            Ok(Message::Done { id, lines, seconds }) => {
                return Ok(Some(Done { id, lines, lasted: Duration::from_secs_f64(seconds) }));
            }
            Ok(Message::Failed { command, problem }) => return Err(format!("{command}: {problem}")),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err("Ray has ended before the work did".into()),
        }
        Ok(None)
    }
}

impl Drop for Ray {
    fn drop(&mut self) {
        // The end of its input is the end of its work.
        self.tasks = None;
        let patience = Instant::now() + PATIENCE;
        while matches!(self.process.try_wait(), Ok(None)) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(20));
        }
        otrera_referee::groups::end_group(self.group);
        let _ = self.process.wait();
    }
}
