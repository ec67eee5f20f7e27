//! Runs tasks on [Ray](https://www.ray.io), through the Python program `ray.py`.

use super::python;
use rustix::process::Pid;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A `lab` command line to run on one of the cluster's machines.
#[derive(Clone, Debug, Serialize)]
pub struct Task {
    /// Task ID, unique within one connection.
    pub id: u64,
    pub arguments: Vec<String>,
}

/// The result of a finished task.
#[derive(Deserialize, Debug)]
pub struct Done {
    pub id: u64,
    pub lines: Vec<String>,
    /// Running time of the task in seconds, excluding its time in the queue.
    pub seconds: f64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Message {
    Cores { cores: usize },
    Done(Done),
    Failed { command: String, problem: String },
}

/// A connection to a Ray cluster. Dropping it cancels the tasks under way.
pub struct Ray {
    process: Child,
    group: Pid,
    /// Standard input of `ray.py`; `None` once the connection is closing.
    tasks: Option<ChildStdin>,
    messages: Receiver<Message>,
    /// Cores of the cluster; 0 until Ray has reported them.
    pub cores: usize,
}

/// Time for `ray.py` to exit by itself before it is killed.
const MAX_SHUTDOWN: Duration = Duration::from_secs(10);

impl Ray {
    /// Connects to the cluster at `HOST:PORT`, or starts Ray on this machine if the address is `local`.
    pub fn join(address: &str) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
        let mut command = Command::new(python::with_ray()?);
        command.args(["-c", include_str!("ray.py"), address]).arg(program);
        // Turns off Ray's usage reports and its default niceness of 15, which would slow down timed games.
        command.env("RAY_USAGE_STATS_ENABLED", "0").env("RAY_worker_niceness", "0");
        // Otherwise a Python module in the working folder could shadow one of Ray's.
        command.env("PYTHONSAFEPATH", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let (mut process, group) =
            otrera_arena::groups::start_group(&mut command).map_err(|error| format!("Ray: {error}"))?;
        let (tasks, output) = (process.stdin.take(), process.stdout.take().ok_or("Ray: no pipe")?);
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // Other lines are Ray's own messages.
            let messages = lines.filter_map(|line| serde_json::from_str(&line).ok());
            messages.map(|message| sender.send(message)).take_while(Result::is_ok).for_each(drop);
        });
        Ok(Self { process, group, tasks, messages, cores: 0 })
    }

    /// Submits a task. Ray reruns the task, at most nine times, if its process or machine dies.
    pub fn submit(&mut self, task: &Task) -> Result<(), String> {
        let tasks = self.tasks.as_mut().ok_or("Ray was stopped")?;
        let task = serde_json::to_string(task).map_err(|error| error.to_string())?;
        writeln!(tasks, "{task}").map_err(|error| format!("Ray ended: {error}"))
    }

    /// Waits up to 100 ms for a message from Ray. Returns a finished task, or `None`. Sets [`Self::cores`] if the
    /// message reports the number of cores. Fails if a task has failed or Ray has ended.
    pub fn finished(&mut self) -> Result<Option<Done>, String> {
        match self.messages.recv_timeout(Duration::from_millis(100)) {
            Ok(Message::Done(done)) => return Ok(Some(done)),
            Ok(Message::Cores { cores }) => self.cores = cores,
            Ok(Message::Failed { command, problem }) => return Err(format!("{command}: {problem}")),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err("Ray ended before the work was done".into()),
        }
        Ok(None)
    }
}

impl Drop for Ray {
    fn drop(&mut self) {
        // ray.py exits when its input is closed.
        self.tasks = None;
        let deadline = Instant::now() + MAX_SHUTDOWN;
        while matches!(self.process.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        otrera_arena::groups::end_group(self.group);
        let _ = self.process.wait();
    }
}

/// Checks that the address is `local` or that a cluster answers at `HOST:PORT` within 8 seconds; returns the address.
/// Ray itself would retry for minutes.
pub fn check_address(address: &str) -> Result<String, String> {
    let text = address.to_owned();
    if text == "local" {
        return Ok(text);
    }
    let (sender, outcome) = channel();
    let host = text.clone();
    // Runs in a thread, because a DNS look-up has no timeout.
    std::thread::spawn(move || {
        // The receiver is gone after the timeout.
        let _ = sender.send(greet(&host).map_err(|error| error.to_string()));
    });
    let outcome = outcome.recv_timeout(Duration::from_secs(8)).unwrap_or_else(|_| Err("no answer".into()));
    outcome.map(|()| text).map_err(|problem| {
        format!(
            "no Ray cluster at this address ({problem}): expected local, or HOST:PORT of a `ray start --head`"
        )
    })
}

/// Checks that an HTTP/2 server, which Ray's gRPC needs, answers at `HOST:PORT`: exchanges the connection preface and
/// the SETTINGS frames (RFC 9113, sections 3.4 and 6.5). With TLS, checks only that the port accepts connections.
fn greet(host: &str) -> io::Result<()> {
    const EMPTY_SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    let mut stream = TcpStream::connect(host)?;
    // With TLS the frames are encrypted.
    if std::env::var_os("RAY_USE_TLS").is_some() {
        return Ok(());
    }
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")?;
    stream.write_all(&EMPTY_SETTINGS)?;
    let mut answer = EMPTY_SETTINGS;
    stream.read_exact(&mut answer)?;
    let is_settings = answer[3] == EMPTY_SETTINGS[3];
    if is_settings { Ok(()) } else { Err(io::Error::other("another service listens there")) }
}
