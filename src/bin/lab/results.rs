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

/// What becomes of the games that a results file holds already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Earlier {
    /// There must be none: a file that exists is refused.
    Refused,
    /// They count, and the match goes on.
    Kept,
    /// Likewise, but those lost by an answer too late are moved to a file of the same name with `.late` behind it,
    /// and played again: for a machine that had paused, which is neither player's fault.
    KeptUnlessLate,
}

impl Results {
    /// Begins a new file for these conditions, or goes on with one that was begun under the same ones.
    ///
    /// # Errors
    /// The file exists and is refused, was begun under other conditions, or cannot be written.
    pub fn open(path: &Path, conditions: &Value, earlier: Earlier) -> Result<Self, String> {
        let problem = |error: std::io::Error| format!("{}: {error}", path.display());
        let header = format!("{}\n", json!({ "match": conditions }));
        let contents = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Contents::default(),
            Err(error) => return Err(problem(error)),
            Ok(_) if earlier == Earlier::Refused => {
                return Err(format!(
                    "{} exists: add --resume to go on with it, or name another --output",
                    path.display()
                ));
            }
            Ok(text) => Contents::read(&text, &header, earlier)
                .map_err(|error| format!("{}: {error}", path.display()))?,
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(problem)?;
        }
        if !contents.late.is_empty() {
            contents.set_late_aside(path).map_err(problem)?;
        }
        let mut file =
            File::options().create(true).truncate(false).write(true).open(path).map_err(problem)?;
        file.set_len(contents.kept.len() as u64).map_err(problem)?;
        file.seek(SeekFrom::End(0)).map_err(problem)?;
        if contents.kept.is_empty() {
            file.write_all(header.as_bytes()).map_err(problem)?;
        }
        Ok(Self { path: path.to_owned(), inner: Mutex::new(Inner { file, games: contents.games }) })
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

/// The path with something behind its last name.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// What a file holds, as far as its lines are whole.
#[derive(Default)]
struct Contents {
    /// The lines that stay, that of the conditions first.
    kept: String,
    /// The games that stay.
    games: BTreeMap<u64, GameRecord>,
    /// The lines of the games that are to be played again.
    late: String,
}

impl Contents {
    fn read(text: &str, header: &str, earlier: Earlier) -> Result<Self, String> {
        let mut contents = Self::default();
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            if contents.kept.is_empty() {
                if line != header {
                    return Err("was begun under other conditions".into());
                }
            } else {
                let record = json::read(line).map_err(|error| error.to_string())?;
                if earlier == Earlier::KeptUnlessLate && record.lost_late() {
                    contents.late.push_str(line);
                    continue;
                }
                contents.games.insert(record.number, record);
            }
            contents.kept.push_str(line);
        }
        Ok(contents)
    }

    /// Moves the late games out of the file. What is kept replaces it in one step: whenever this is interrupted, no
    /// game is lost.
    fn set_late_aside(&self, path: &Path) -> std::io::Result<()> {
        let late = with_ending(path, ".late");
        eprintln!("lab: late games moved to {}: {}", late.display(), self.late.lines().count());
        File::options().create(true).append(true).open(&late)?.write_all(self.late.as_bytes())?;
        let new = with_ending(path, ".new");
        std::fs::write(&new, &self.kept)?;
        std::fs::rename(&new, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use otrera::{Position, Side};

    fn game(number: u64) -> GameRecord {
        GameRecord { number, ..GameRecord::new("a", "b", Position::standard()) }
    }

    #[test]
    fn a_file_cut_off_anywhere_goes_on() {
        let folder = std::env::temp_dir().join(format!("otrera-results-{}", std::process::id()));
        let path = folder.join("match.jsonl");
        let conditions = json!({"players": ["a", "b"]});
        let results = Results::open(&path, &conditions, Earlier::Refused).unwrap();
        results.add(game(1)).unwrap();
        results.add(game(0)).unwrap();
        drop(results);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let results = Results::open(&path, &conditions, Earlier::Kept).unwrap();
            for number in [0, 1] {
                results.add(game(number)).unwrap();
            }
            assert_eq!(results.games().len(), 2);
            drop(results);
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(text.lines().count(), 3, "cut at {length}:\n{text}");
        }
        assert!(Results::open(&path, &conditions, Earlier::Refused).is_err());
        assert!(Results::open(&path, &json!({"players": ["a", "c"]}), Earlier::Kept).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn late_games_are_played_again_and_kept_aside() {
        let folder = std::env::temp_dir().join(format!("otrera-late-{}", std::process::id()));
        let path = folder.join("match.jsonl");
        let conditions = json!({"players": ["a", "b"]});
        let lost_by = |number, kind: &str| GameRecord {
            winner: Some(Side::Black),
            forfeit: Some((kind.into(), String::new())),
            ..game(number)
        };
        let results = Results::open(&path, &conditions, Earlier::Refused).unwrap();
        for record in [lost_by(0, "late"), game(1), lost_by(2, "crash"), lost_by(3, "late")] {
            results.add(record).unwrap();
        }
        drop(results);
        assert_eq!(Results::open(&path, &conditions, Earlier::Kept).unwrap().len(), 4);
        let numbers = |earlier| {
            let games = Results::open(&path, &conditions, earlier).unwrap().games();
            games.iter().map(|game| game.number).collect::<Vec<_>>()
        };
        assert_eq!(numbers(Earlier::KeptUnlessLate), [1, 2]);
        assert_eq!(numbers(Earlier::Kept), [1, 2], "they are gone from the file too");
        // Late once more: the file beside it tells of all that ever were.
        Results::open(&path, &conditions, Earlier::Kept).unwrap().add(lost_by(3, "late")).unwrap();
        assert_eq!(numbers(Earlier::KeptUnlessLate), [1, 2]);
        let late = std::fs::read_to_string(folder.join("match.jsonl.late")).unwrap();
        let late: Vec<u64> = late.lines().map(|line| json::read(line).unwrap().number).collect();
        assert_eq!(late, [0, 3, 3]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
