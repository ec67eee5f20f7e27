//! Progress bars.

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use std::io::IsTerminal;

/// Creates a progress bar with a message, hidden unless standard error is a terminal.
pub fn progress_bar(total: u64) -> ProgressBar {
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(total) } else { ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg} ({eta} left)");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Maps items in parallel under a progress bar.
pub fn map_with_bar<T: Sync, R: Send>(
    name: &'static str,
    items: &[T],
    map: impl Fn(&T) -> R + Send + Sync,
) -> Vec<R> {
    let bar = progress_bar(items.len() as u64).with_message(name);
    let results = items.par_iter().map(map).inspect(|_| bar.inc(1)).collect();
    bar.finish_and_clear();
    results
}
