//! Where options come from: `otrera.toml` beside the executable and, for the command line ([`crate::cli`]), the table
//! [`COMMAND_OPTIONS`] beside [`SETTINGS`](otrera_front::settings::SETTINGS).
//!
//! The command line overrides the file.

use otrera::Level;
use otrera_front::files;
use otrera_front::option_table;
use otrera_front::settings::{Settings, half_width, number, path, read_seconds, seconds};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

option_table! {
    /// Command-specific options, accepted only on the command line.
    CommandOptions COMMAND_OPTIONS
    "fen" "FEN" on [Analyze Perft Play]: "position to start from"
        => fen: Option<String> = None, |text, _| Ok(Some(text.into()));
    "moves" "\"M M\"" on [Analyze]: "moves from that position"
        => moves: Option<String> = None, |text, _| Ok(Some(text.into()));
    "record" "FILE" on [Analyze]: "game in any format: SGF, JSON, text; or a folder"
        => record: Option<PathBuf> = None, path;
    "game" "N" on [Analyze]: "number of the game in that file, from 1"
        => game: Option<usize> = None, |text, _| Ok(Some(number(text, 1, 1_000_000_000)? as usize));
    "strict" "" on [Analyze]: "refuse a record of which a part cannot be read"
        => strict: bool = false, |_, _| Ok(true);
    "ply" "N" on [Analyze]: "position after N moves (the last one)"
        => ply: Option<usize> = None, |text, _| Ok(Some(number(text, 0, 1000)? as usize));
    "lines" "N" on [Analyze]: "rows of the table of moves"
        => lines: usize = 6, |text, _| Ok(number(text, 1, 10_000)? as usize);
    "time" "S" on [Analyze Play]: "seconds to think (analyze: 5; play: 2)"
        => time: Option<Duration> = None, |text, _| Ok(Some(seconds(text)?));
    "level" "N" on [Play]: "level of play, 1 (beginner) to 10 (full search)"
        => level: Option<Level> = None, |text, _| text.parse().map(Some);
    "annotate" "FILE" on [Analyze]: "review a game into a .sgf or .json, all into a folder"
        => annotate: Option<PathBuf> = None, path;
    "port" "N" on [Gui]: "port on 127.0.0.1 (7264, or any free one)"
        => port: Option<u16> = None, |text, _| Ok(Some(number(text, 0, 65_535)? as u16));
}

/// Maximum size of `otrera.toml`, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// Reads a configuration file, if it exists. Each invalid line adds a problem; the other lines take effect.
pub fn read_file(settings: &mut Settings, path: &Path, problems: &mut Vec<String>) {
    let text = match files::read_text(path, MAX_FILE_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => return problems.push(format!("{}: {error}", path.display())),
        Ok(text) => text,
    };
    if text.contains('\u{fffd}') {
        problems.push(format!("{}: not valid UTF-8; save the file as UTF-8", path.display()));
    }
    read_text(settings, &text, path, problems);
}

/// Applies the text of a configuration file. `path` is shown in problems, and relative paths refer to its folder.
pub fn read_text(settings: &mut Settings, text: &str, path: &Path, problems: &mut Vec<String>) {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut seen = HashMap::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let outcome = read_line(settings, line, folder).and_then(|name| match name {
            Some(name) => seen.insert(name.clone(), number).map_or(Ok(()), |earlier: usize| {
                Err(format!("{name} is also in line {earlier}; line {number} takes effect"))
            }),
            None => Ok(()),
        });
        if let Err(problem) = outcome {
            problems.push(format!("{} line {number}: {problem}", path.display()));
        }
    }
}

/// Applies one line of a configuration file: `name = value`, a comment, or an empty line. Returns the option's name.
fn read_line(settings: &mut Settings, line: &str, folder: &Path) -> Result<Option<String>, String> {
    let Some((name, value)) = parse_line(line)? else { return Ok(None) };
    let text = match &value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(_) | toml::Value::Table(_) => {
            return Err(format!("{name} = {value}: expected one string or number"));
        }
        other => other.to_string(),
    };
    // Users write both total-time and total_time.
    let known = name.replace('_', "-");
    settings.set(&known, &text, folder).map_err(|valid| format!("{name} = {value}: {valid}"))?;
    Ok(Some(known))
}

/// Parses a line of TOML with at most one value; also accepts full-width punctuation and a time without quotes.
fn parse_line(line: &str) -> Result<Option<(String, toml::Value)>, String> {
    let parse = |line: &str| line.parse::<toml::Table>();
    let table = parse(line).or_else(|error| {
        let narrow = half_width(line);
        let quoted = || {
            let (name, value) = narrow.split('#').next()?.split_once('=')?;
            let is_plain = !value.contains(['"', '\'', '[', '{']);
            is_plain.then(|| format!("{name} = '{}'", value.trim()))
        };
        let table = parse(&narrow).ok().or_else(|| parse(&quoted()?).ok());
        // The value without quotes must be a time, so that other mistakes are reported.
        let is_valid = |table: &toml::Table| {
            parse(&narrow).is_ok()
                || table.values().all(|value| value.as_str().is_some_and(|text| read_seconds(text).is_some()))
        };
        table.filter(is_valid).ok_or_else(|| error.message().to_owned())
    })?;
    Ok(table.into_iter().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the total time in seconds and the problems after reading a configuration file.
    fn read(text: &str) -> (Option<f64>, Vec<String>) {
        let (mut settings, mut problems) = (Settings::default(), Vec::new());
        read_text(&mut settings, text, Path::new("otrera.toml"), &mut problems);
        (settings.total_time.map(|time| time.as_secs_f64()), problems)
    }

    #[test]
    fn times_can_have_units_and_full_width_characters() {
        for line in [
            "total-time = 900",
            "total-time = 900s",
            "total-time = 15分钟 # per side",
            "total-time = \"15 分\"",
            "total-time = “15min”",
            "total-time ＝ ９００",
            "total-time = ＂９００秒＂",
            "total-time = '14m60s'",
            "total_time = 9e2",
        ] {
            assert_eq!(read(line), (Some(900.0), Vec::new()), "{line}");
        }
        for line in ["total-time = 15x", "total-time = ", "total-time = 分钟", "total-time = '1.2.3'"] {
            let (time, problems) = read(line);
            assert!(time.is_none() && problems.len() == 1, "{line}: {problems:?}");
        }
    }

    #[test]
    fn a_duplicate_name_is_reported_and_the_last_one_counts() {
        let (time, problems) = read("total-time = 900\n\ntotal_time = 60");
        assert_eq!(time, Some(60.0));
        assert_eq!(problems, ["otrera.toml line 3: total-time is also in line 1; line 3 takes effect"]);
    }
}
