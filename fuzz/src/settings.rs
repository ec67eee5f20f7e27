//! Fuzz targets for options: no text causes a panic, settings stay in range, and file and command line agree.

use otrera_bot::cli::CommandLine;
use otrera_bot::options::read_text;
use otrera_front::settings::{SETTINGS, Settings};
use std::ffi::OsString;
use std::path::Path;

/// Assumed path of the configuration file; relative paths in the file start from its folder.
const FILE: &str = "otrera.toml";

/// Checks that the settings are valid after any arguments, one per line of the input.
pub fn options(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let options = CommandLine::read(text.lines().map(OsString::from));
    assert_in_range(&options.settings);
    assert!((1..=10_000).contains(&options.own.lines));
}

/// Checks that the settings are valid after any configuration file, and that one setting (chosen by the first byte) has
/// the same effect in the file as on the command line.
pub fn configuration(bytes: &[u8]) {
    let Some((choice, text)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let mut settings = Settings::default();
    let mut problems = Vec::new();
    read_text(&mut settings, &text, Path::new(FILE), &mut problems);
    assert_in_range(&settings);
    assert!(problems.len() <= text.lines().count());
    let value = text.lines().next().unwrap_or_default();
    let row = &SETTINGS[usize::from(*choice) % SETTINGS.len()];
    // A flag has a value only in the file.
    if !value.chars().any(char::is_control) && !row.value.is_empty() {
        assert_agreement(row.name, value);
    }
}

fn assert_agreement(name: &str, value: &str) {
    let options = CommandLine::read([format!("--{name}"), value.to_owned()].map(OsString::from));
    let (mut settings, mut problems) = (Settings::default(), Vec::new());
    // A JSON string without control characters is also a TOML string.
    let line = format!("{name} = {}", serde_json::Value::from(value));
    read_text(&mut settings, &line, Path::new(FILE), &mut problems);
    let _ = settings.cap_threads();
    assert_eq!(format!("{settings:?}"), format!("{:?}", options.settings), "{line}");
    assert_eq!(problems.len(), options.problems.len(), "{problems:?} {:?}", options.problems);
}

fn assert_in_range(settings: &Settings) {
    assert!(settings.threads.is_none_or(|threads| (1..=1024).contains(&threads)));
    assert!(settings.memory.is_none_or(|bytes| (1 << 20..=32_768 << 20).contains(&bytes)));
    assert!(settings.iterations.is_none_or(|count| count > 0));
    let times = [settings.total_time, settings.move_time];
    assert!(times.into_iter().flatten().all(|time| (0.0099..=604_800.0).contains(&time.as_secs_f64())));
    assert!((1..=40).contains(&settings.name.len()));
    assert!(settings.name.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
}
