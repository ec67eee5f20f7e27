//! Distributes work over this machine's cores or over a Ray cluster.
//!
//! A cluster task is a `lab` command line that ends with `--numbers FROM..TO`, for example a match restricted to the
//! games with these numbers. The task prints one result line for each number. The item's number and the seeds determine
//! all random choices. [`jobs`] splits the work into tasks, and [`ray`] runs them.

pub(crate) mod jobs;
pub mod python;
pub(crate) mod ray;
mod work;

pub use work::{CoreArgs, InOrder, TaskArgs, WorkArgs, first_new};
