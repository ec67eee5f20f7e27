//! Results files: a first line that says what is being played, then one line for each finished game,
//! written as it ends. A file that was cut off in the middle of a line is good up to there.

use crate::score::Score;
use otrera::GameRecord;
use otrera::contest::record::json;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A results file that is being written, and the games in it.
pub struct Results {
    path: PathBuf,
    inner: Mutex<Inner>,
}

struct Inner {
    file: File,
    games: BTreeMap<u64, GameRecord>,
}

impl Results {
    /// Begins a new file for these conditions, or with `resume` goes on with one that was begun under the
    /// same ones.
    ///
    /// # Errors
    /// The file exists already, was begun under other conditions, or cannot be written.
    pub fn open(path: &Path, conditions: &Value, resume: bool) -> Result<Self, String> {
        let problem = |error: std::io::Error| format!("{}: {error}", path.display());
        let header = format!("{}\n", json!({ "match": conditions }));
        let (kept, games) = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (String::new(), BTreeMap::new()),
            Err(error) => return Err(problem(error)),
            Ok(_) if !resume => {
                return Err(format!(
                    "{} exists: add --resume to go on with it, or name another --output",
                    path.display()
                ));
            }
            Ok(text) => kept_games(&text, &header).map_err(|error| format!("{}: {error}", path.display()))?,
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(problem)?;
        }
        let mut file =
            File::options().create(true).truncate(false).write(true).open(path).map_err(problem)?;
        file.set_len(kept.len() as u64).map_err(problem)?;
        file.seek(SeekFrom::End(0)).map_err(problem)?;
        if kept.is_empty() {
            file.write_all(header.as_bytes()).map_err(problem)?;
        }
        Ok(Self { path: path.to_owned(), inner: Mutex::new(Inner { file, games }) })
    }

    /// Adds a finished game, at once on disk. A number that is there already is not taken again.
    pub fn add(&self, record: GameRecord) -> Result<(), String> {
        let mut inner = self.inner.lock().map_err(|error| error.to_string())?;
        if !inner.games.contains_key(&record.number) {
            let line = format!("{}\n", json::write(&record));
            inner
                .file
                .write_all(line.as_bytes())
                .map_err(|error| format!("{}: {error}", self.path.display()))?;
            inner.games.insert(record.number, record);
        }
        Ok(())
    }

    /// How many games there are so far.
    pub fn len(&self) -> usize {
        self.inner.lock().map_or(0, |inner| inner.games.len())
    }

    /// What the games so far come to.
    pub fn score(&self) -> Score {
        self.inner.lock().map_or_else(|_| Score::default(), |inner| Score::of(inner.games.values()))
    }

    /// The games so far, by number.
    pub fn games(&self) -> Vec<GameRecord> {
        self.inner.lock().map_or_else(|_| Vec::new(), |inner| inner.games.values().cloned().collect())
    }
}

/// The part of an interrupted file that is whole, and its games.
fn kept_games(text: &str, header: &str) -> Result<(String, BTreeMap<u64, GameRecord>), String> {
    let mut games = BTreeMap::new();
    let mut kept = String::new();
    for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        if kept.is_empty() {
            if line != header {
                return Err("was begun under other conditions".into());
            }
        } else {
            let record = json::read(line).map_err(|error| error.to_string())?;
            games.insert(record.number, record);
        }
        kept.push_str(line);
    }
    Ok((kept, games))
}

#[cfg(test)]
mod tests {
    use super::*;
    use otrera::Position;

    fn game(number: u64) -> GameRecord {
        GameRecord { number, ..GameRecord::new("a", "b", Position::standard()) }
    }

    #[test]
    fn a_file_cut_off_anywhere_goes_on() {
        let folder = std::env::temp_dir().join(format!("otrera-results-{}", std::process::id()));
        let path = folder.join("match.jsonl");
        let conditions = json!({"players": ["a", "b"]});
        let results = Results::open(&path, &conditions, false).unwrap();
        results.add(game(1)).unwrap();
        results.add(game(0)).unwrap();
        drop(results);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let results = Results::open(&path, &conditions, true).unwrap();
            for number in [0, 1] {
                results.add(game(number)).unwrap();
            }
            assert_eq!(results.games().len(), 2);
            drop(results);
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(text.lines().count(), 3, "cut at {length}:\n{text}");
        }
        assert!(Results::open(&path, &conditions, false).is_err());
        assert!(Results::open(&path, &json!({"players": ["a", "c"]}), true).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
