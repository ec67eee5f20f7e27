//! Parsers for option values shared by several commands. Their errors name the valid range.

pub use otrera_arena::arguments::{read_seconds, read_size, read_time};
use std::ops::Range;
use std::str::FromStr;
use std::thread;

/// Parses command-line arguments, given without a program name; options left out get the command's defaults.
pub fn parse<A: clap::Args>(words: &[String]) -> Result<A, String> {
    let command = A::augment_args(clap::Command::new("lab").no_binary_name(true));
    let parsed = command.try_get_matches_from(words).and_then(|found| A::from_arg_matches(&found));
    parsed.map_err(|error| error.to_string())
}

pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Parses `text` and checks the value with `is_valid`; the error on failure is `expected {expected}`.
pub fn read_if<T: FromStr>(text: &str, is_valid: impl Fn(&T) -> bool, expected: &str) -> Result<T, String> {
    text.parse().ok().filter(is_valid).ok_or_else(|| format!("expected {expected}"))
}

pub fn read_count<T: FromStr + PartialOrd + Default>(text: &str) -> Result<T, String> {
    read_if(text, |count| *count > T::default(), "a whole number from 1")
}

pub fn read_range(text: &str) -> Result<Range<u64>, String> {
    let range = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    range.ok_or_else(|| "expected two whole numbers, like 0..20".into())
}

/// Parses a number of games or searches to run concurrently, 1 to 1024.
pub fn read_concurrency(text: &str) -> Result<usize, String> {
    read_if(text, |count| (1..=1024).contains(count), "a whole number from 1 to 1024")
}

pub fn read_share(text: &str) -> Result<f64, String> {
    read_if(text, |share| (0.0..=1.0).contains(share), "a number from 0 to 1")
}

pub fn read_positive(text: &str) -> Result<f64, String> {
    read_if(text, |number: &f64| *number > 0.0 && number.is_finite(), "a number above 0")
}
