//! Tasks on [Slurm](https://slurm.schedmd.com), by way of a folder that all its machines share. `slurm.sh` does them.
//!
//! Tasks that are handed over together become one job array. Partition, account and limits are those of `sbatch`'s own
//! variables, `SBATCH_PARTITION` and so on. What a run has left behind, because it was killed, the next one in the
//! same folder cancels.

use super::{Cluster, Done, Task};
use crate::interrupt;
use rustix::process::Pid;
use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File, TryLockError};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Slurm's machines.
pub struct Slurm {
    /// Of this run, in the shared one.
    folder: PathBuf,
    /// Locked as long as the shared folder is in use.
    _alone: File,
    cores: usize,
    waiting: Vec<Tried>,
    arrays: Vec<Array>,
    made: u64,
    done: VecDeque<Done>,
}

/// A task, and how often it has died.
struct Tried {
    task: Task,
    deaths: u32,
}

/// A job array.
struct Array {
    job: String,
    /// `sbatch --wait`, which ends when the array does.
    process: Child,
    group: Pid,
    ended: Option<Instant>,
    /// The file of its tasks.
    path: PathBuf,
    /// Those that are not done, by their line.
    tasks: BTreeMap<usize, Tried>,
}

/// How often a task may die before it is taken to be its own fault.
const MAX_DEATHS: u32 = 3;

/// An array has fewer tasks than this, unless Slurm is configured to take more (`MaxArraySize`).
const MAX_AT_ONCE: usize = 500;

/// Time between looks at the folder.
const LOOK: Duration = Duration::from_secs(1);

/// How much later than the end of an array its files may be seen from here.
const SIGHT: Duration = Duration::from_secs(5);

/// What went wrong with this.
fn problem(path: &Path) -> impl Fn(std::io::Error) -> String + '_ {
    |error| format!("{}: {error}", path.display())
}

impl Slurm {
    /// Uses a folder that Slurm's machines share with this one.
    ///
    /// # Errors
    /// It cannot be written or is in use by another of us, or Slurm is missing.
    pub fn join(shared: &Path) -> Result<Self, String> {
        let cores = cores()?.min(MAX_AT_ONCE);
        fs::create_dir_all(shared).map_err(problem(shared))?;
        let shared = shared.canonicalize().map_err(problem(shared))?;
        let alone = File::create(shared.join("lock")).map_err(problem(&shared))?;
        alone.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => format!("{}: another lab is using it", shared.display()),
            TryLockError::Error(error) => problem(&shared)(error),
        })?;
        clear(&shared)?;
        let folder = shared.join(format!("run-{}", chrono::Local::now().format("%Y%m%d-%H%M%S%.6f")));
        fs::create_dir(&folder).map_err(problem(&folder))?;
        fs::write(folder.join("slurm.sh"), include_str!("slurm.sh")).map_err(problem(&folder))?;
        let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
        fs::copy(program, folder.join("lab")).map_err(problem(&folder))?;
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.join("lab"), executable).map_err(problem(&folder))?;
        let (waiting, arrays, done) = Default::default();
        Ok(Self { folder, _alone: alone, cores, waiting, arrays, made: 0, done })
    }

    /// Submits all tasks that wait for it as one array.
    fn submit_array(&mut self) -> Result<(), String> {
        self.made += 1;
        let path = self.folder.join(format!("array-{}", self.made));
        let tasks: BTreeMap<usize, Tried> = (1..).zip(self.waiting.drain(..)).collect();
        let program = self.folder.join("lab").display().to_string();
        let line = |tried: &Tried| {
            let words = std::iter::once(&program).chain(&tried.task.arguments);
            words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ") + "\n"
        };
        let lines: String = tasks.values().map(line).collect();
        fs::write(&path, lines).map_err(problem(&path))?;
        let mut command = Command::new("sbatch");
        command.args(["--parsable", "--wait"]).arg(format!("--array=1-{}", tasks.len()));
        command.arg(self.folder.join("slurm.sh")).arg(&path).stdin(Stdio::null()).stdout(Stdio::piped());
        let (mut process, group) =
            otrera_referee::groups::start_group(&mut command).map_err(|error| format!("sbatch: {error}"))?;
        let mut said = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut said).map_err(|error| format!("sbatch: {error}"))?;
        }
        // The number of the job, and the name of the cluster if there are several.
        let job = said.split(';').next().unwrap_or_default().trim().to_owned();
        self.arrays.push(Array { job: job.clone(), process, group, ended: None, path, tasks });
        if job.is_empty() {
            return Err("sbatch has not taken the tasks".into());
        }
        interrupt::run_last(["scancel".into(), job.clone()]);
        let jobs = self.folder.join("jobs");
        let file = File::options().append(true).create(true).open(&jobs);
        file.and_then(|mut file| writeln!(file, "{job}")).map_err(problem(&jobs))
    }

    /// Takes in what has been done since the last look.
    fn look(&mut self) -> Result<(), String> {
        for array in &mut self.arrays {
            // Its end first: what it has done is there by then.
            if array.ended.is_none() && !matches!(array.process.try_wait(), Ok(None)) {
                array.ended = Some(Instant::now());
            }
            self.done.extend(array.take_done()?);
            if array.ended.is_some_and(|ended| ended.elapsed() > SIGHT) {
                for (_, mut tried) in std::mem::take(&mut array.tasks) {
                    tried.deaths += 1;
                    if tried.deaths == MAX_DEATHS {
                        let command = tried.task.arguments.join(" ");
                        return Err(format!("lab {command}: died {MAX_DEATHS} times on Slurm"));
                    }
                    self.waiting.push(tried);
                }
            }
        }
        self.arrays.retain_mut(|array| {
            let goes_on = !array.tasks.is_empty() || array.ended.is_none();
            if !goes_on {
                array.end();
            }
            goes_on
        });
        Ok(())
    }
}

impl Cluster for Slurm {
    fn cores(&self) -> usize {
        self.cores
    }

    fn task_time(&self) -> Duration {
        Duration::from_secs(300)
    }

    fn submit(&mut self, task: Task) -> Result<(), String> {
        if let Some(word) = task.arguments.iter().find(|word| word.contains('\n')) {
            return Err(format!("{word:?}: is more than a line"));
        }
        self.waiting.push(Tried { task, deaths: 0 });
        Ok(())
    }

    fn finished(&mut self) -> Result<Option<Done>, String> {
        if self.done.is_empty() {
            if !self.waiting.is_empty() {
                self.submit_array()?;
            }
            std::thread::sleep(LOOK);
            self.look()?;
        }
        Ok(self.done.pop_front())
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for array in &mut self.arrays {
            cancel(&array.job);
            array.end();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Array {
    /// The tasks that have been done since the last look.
    fn take_done(&mut self) -> Result<Vec<Done>, String> {
        let mut done = Vec::new();
        let path = |line: usize, what: &str| PathBuf::from(format!("{}-{line}.{what}", self.path.display()));
        for (&line, tried) in &self.tasks {
            if let Ok(problem) = fs::read_to_string(path(line, "problem")) {
                let command = tried.task.arguments.join(" ");
                return Err(format!("lab {command}: {}", problem.trim()));
            }
            let Ok(lines) = fs::read_to_string(path(line, "lines")) else { continue };
            let seconds = fs::read_to_string(path(line, "seconds")).unwrap_or_default();
            let lasted = Duration::from_secs(seconds.trim().parse().unwrap_or(1));
            let lines = lines.lines().map(str::to_owned).collect();
            done.push((line, Done { id: tried.task.id, lines, lasted }));
        }
        let taken = |(line, done)| {
            self.tasks.remove(&line);
            done
        };
        Ok(done.into_iter().map(taken).collect())
    }

    /// Ends `sbatch`.
    fn end(&mut self) {
        otrera_referee::groups::end_group(self.group);
        let _ = self.process.wait();
        interrupt::not_run_last(&["scancel".into(), self.job.clone()]);
    }
}

/// All processors that Slurm has.
fn cores() -> Result<usize, String> {
    let output = Command::new("sinfo").args(["--noheader", "--format=%C"]).output();
    let output = output.map_err(|error| format!("there is no Slurm here: sinfo: {error}"))?;
    // In use, idle, other and all.
    let said = String::from_utf8_lossy(&output.stdout);
    let cores = said.lines().filter_map(|line| line.rsplit('/').next()?.trim().parse().ok()).max();
    cores.filter(|&cores| cores > 0).ok_or_else(|| format!("Slurm: sinfo tells of no processors: {said}"))
}

/// Cancels a job. One that has ended is no failure.
fn cancel(job: &str) {
    if !job.is_empty() {
        let _ = Command::new("scancel").arg(job).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// Cancels what an earlier run has left behind.
fn clear(shared: &Path) -> Result<(), String> {
    for entry in fs::read_dir(shared).map_err(problem(shared))?.flatten() {
        let is_run = entry.file_name().to_string_lossy().starts_with("run-");
        if is_run && entry.path().join("slurm.sh").exists() {
            let jobs = fs::read_to_string(entry.path().join("jobs")).unwrap_or_default();
            jobs.lines().for_each(cancel);
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// A word that the shell leaves as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
