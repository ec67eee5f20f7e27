//! Distributes work over this machine's cores or over a Ray cluster.
//!
//! A task of the cluster is a command line of `lab` that ends with `--numbers FROM..TO`, for example to play the games
//! of a match with these numbers. The task prints one result line for each number. All random choices follow from the
//! number and the seeds. [`jobs`] cuts the work into tasks, and [`ray`] runs them.

pub(crate) mod jobs;
pub mod python;
pub(crate) mod ray;
mod work;

pub use work::{CoreArgs, TaskArgs, WorkArgs};
