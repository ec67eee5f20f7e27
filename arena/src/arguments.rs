//! Parsers for option values that several commands share.

use otrera::Size;
use std::str::FromStr;
use std::time::Duration;

/// Maximum number of games, far above any experiment: the numbers of the missing games are kept in memory.
pub const MAX_GAMES: u64 = 10_000_000;

/// Parses `text` and checks the value with `is_valid`; the error on failure is `expected {expected}`.
pub fn read_if<T: FromStr>(text: &str, is_valid: impl Fn(&T) -> bool, expected: &str) -> Result<T, String> {
    text.parse().ok().filter(is_valid).ok_or_else(|| format!("expected {expected}"))
}

/// Parses a number of games, 1 to [`MAX_GAMES`].
pub fn read_games(text: &str) -> Result<u64, String> {
    let expected = format!("a whole number from 1 to {MAX_GAMES}");
    read_if(text, |games| (1..=MAX_GAMES).contains(games), &expected)
}

/// Parses a share from 0 to 1.
pub fn read_share(text: &str) -> Result<f64, String> {
    read_if(text, |share| (0.0..=1.0).contains(share), "a number from 0 to 1")
}

/// Parses a number of seconds from 0 to 1,000,000.
pub fn read_seconds(text: &str) -> Result<Duration, String> {
    let seconds =
        read_if(text, |seconds| (0.0..=1e6).contains(seconds), "a number of seconds from 0 to 1000000");
    seconds.map(Duration::from_secs_f64)
}

/// Parses a thinking time in seconds, above 0, at most 1,000,000.
pub fn read_time(text: &str) -> Result<Duration, String> {
    let time = read_seconds(text).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| "expected a number of seconds above 0, at most 1000000".into())
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
