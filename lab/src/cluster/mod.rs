//! Work on a Ray cluster, or on this machine's cores through Ray.
//!
//! A task is a command line of `lab` that ends with `--numbers FROM..TO`: games of a match, positions to search. It prints
//! one line for each number. A line depends only on its number and on seeds, not on the machine.
//! [`jobs`] cuts the work into tasks, [`ray`] runs them.

pub(crate) mod jobs;
pub mod python;
pub(crate) mod ray;
mod work;

pub use work::{CoreArgs, TaskArgs, WorkArgs};
