//! Progress bars.

use crate::interrupt::locked;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;

/// Prefix shown in front of every progress bar, such as the round of a training run.
static PREFIX: Mutex<String> = Mutex::new(String::new());

/// Sets the prefix shown in front of every progress bar created from now on.
pub fn set_prefix(prefix: String) {
    *locked(&PREFIX) = prefix;
}

/// Creates a progress bar with a message, hidden unless standard error is a terminal.
pub fn progress_bar(total: u64) -> ProgressBar {
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(total) } else { ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{prefix}{bar:12} {pos}/{len} ({eta} left) {msg}");
    let prefix = locked(&PREFIX).clone();
    bar.with_prefix(prefix).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
