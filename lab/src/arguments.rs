//! Parsers for option values shared by several commands. Their errors name the valid range.

use otrera::Resources;
pub use otrera_arena::arguments::{
    MAX_GAMES, read_games, read_if, read_seconds, read_share, read_size, read_time,
};
use std::ops::Range;

/// Parses command-line arguments, given without a program name; options left out get the command's defaults.
pub fn parse<A: clap::Args>(words: &[String]) -> Result<A, String> {
    let command = A::augment_args(clap::Command::new("lab").no_binary_name(true));
    let parsed = command.try_get_matches_from(words).and_then(|found| A::from_arg_matches(&found));
    parsed.map_err(|error| error.to_string())
}

/// Maximum of [`read_count`], far above any experiment.
const MAX_COUNT: u32 = 1_000_000_000;

/// Parses a whole number from 1 to [`MAX_COUNT`].
pub fn read_count<T: TryFrom<u32>>(text: &str) -> Result<T, String> {
    let expected = format!("a whole number from 1 to {MAX_COUNT}");
    let count = read_if(text, |count| (1..=MAX_COUNT).contains(count), &expected)?;
    T::try_from(count).map_err(|_| format!("expected {expected}"))
}

pub fn read_range(text: &str) -> Result<Range<u64>, String> {
    let range = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    range.ok_or_else(|| "expected two whole numbers, like 0..20".into())
}

/// Parses a number of games or searches to run concurrently, 1 to 1024.
pub fn read_concurrency(text: &str) -> Result<usize, String> {
    read_if(text, |count| (1..=1024).contains(count), "a whole number from 1 to 1024")
}

/// Parses the memory of a search in MiB.
pub fn read_memory(text: &str) -> Result<u64, String> {
    let [min, max] = Resources::MEMORY.range();
    read_if(text, |size| (min..=max).contains(size), &Resources::MEMORY.valid())
}

/// Parses a learning rate, above 0, at most 1.
pub fn read_learning_rate(text: &str) -> Result<f64, String> {
    read_if(text, |&rate: &f64| rate > 0.0 && rate <= 1.0, "a number above 0, at most 1")
}
