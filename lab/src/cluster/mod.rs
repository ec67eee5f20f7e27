//! Work on more than the cores of this machine, or on these by the same means.
//!
//! A task is a command line of this program that ends with `--numbers FROM..TO`: games of a match, positions to search. It
//! prints a line for each number, the same wherever it runs, since all chances hang on numbers and seeds. [`jobs`] cuts
//! the work into tasks; [`ray`] and [`slurm`] have them done.

pub mod jobs;
pub mod python;
pub mod ray;
pub mod slurm;

use serde::Serialize;
use std::time::Duration;

/// Something to be done.
#[derive(Clone, Debug, Serialize)]
pub struct Task {
    /// Of its own among those of a cluster.
    pub id: u64,
    /// Of this program.
    pub arguments: Vec<String>,
}

/// What has come of a task.
#[derive(Debug)]
pub struct Done {
    /// Which one it was.
    pub id: u64,
    /// What it printed.
    pub lines: Vec<String>,
    /// How long it ran, not counting how long it waited to.
    pub lasted: Duration,
}

/// What does tasks elsewhere. A task whose process or machine dies is done again. To drop it drops everything under way.
pub trait Cluster {
    /// How many tasks it does at once; 0 as long as this is not known.
    fn cores(&self) -> usize;

    /// How long a task is to last, so that what it costs beside its work is little.
    fn task_time(&self) -> Duration;

    /// Hands a task over.
    ///
    /// # Errors
    /// The cluster has gone.
    fn submit(&mut self, task: Task) -> Result<(), String>;

    /// A task that is done, if there is one within a moment.
    ///
    /// # Errors
    /// A task that cannot be done, or a cluster that has gone.
    fn finished(&mut self) -> Result<Option<Done>, String>;
}

/// Joins a cluster: `slurm:FOLDER`, that of Ray at `HOST:PORT`, or `local` for Ray on this machine.
///
/// # Errors
/// There is no such cluster, or what it needs is missing.
pub fn join(address: &str) -> Result<Box<dyn Cluster>, String> {
    Ok(match address.strip_prefix("slurm:") {
        Some(folder) => Box::new(slurm::Slurm::join(folder.as_ref())?),
        None => Box::new(ray::Ray::join(address)?),
    })
}
