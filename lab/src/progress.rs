//! Progress bars.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// Creates a progress bar with a message, hidden unless standard error is a terminal.
pub fn progress_bar(total: u64) -> ProgressBar {
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(total) } else { ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg} ({eta} left)");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
