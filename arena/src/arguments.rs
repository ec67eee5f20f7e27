//! Parsers for option values that several commands share.

use otrera::Size;
use std::time::Duration;

/// Parses a number of seconds from 0 to 1,000,000.
pub fn read_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=1e6).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "expected a number of seconds".into())
}

/// Parses a thinking time in seconds, above 0.
pub fn read_time(text: &str) -> Result<Duration, String> {
    let time = read_seconds(text).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| "expected a number of seconds above 0".into())
}

/// Parses the edge length of a board, 4 to 10 squares.
pub fn read_size(text: &str) -> Result<Size, String> {
    text.parse().ok().and_then(Size::new).ok_or_else(|| "expected an edge from 4 to 10".into())
}

/// Returns the path of `otrera` in this program's folder, where `make` puts both programs.
pub fn default_engine() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    program.with_file_name("otrera").to_string_lossy().into_owned()
}

/// Makes the engine's path absolute, for starting the engine in another folder. Fails if the path is not UTF-8.
pub fn read_engine(path: &str) -> Result<String, String> {
    let path = std::path::absolute(path).map_err(|error| error.to_string())?;
    path.into_os_string().into_string().map_err(|path| format!("{} is not UTF-8", path.display()))
}
