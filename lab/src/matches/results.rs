//! Results files: a first line that says what is being played, then one line for each finished game,
//! written as it ends. A file that was cut off in the middle of a line is good up to there.

use crate::matches::score::Score;
use atomic_write_file::AtomicWriteFile;
use otrera::GameRecord;
use otrera::record::json;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
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
        let contents = match std::fs::read(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Contents::default(),
            Err(error) => return Err(problem(error)),
            Ok(_) if earlier == Earlier::Refused => {
                return Err(format!(
                    "{} exists: add --resume to go on with it, or name another --output",
                    path.display()
                ));
            }
            Ok(bytes) => Contents::read(&bytes, &header, earlier)
                .map_err(|error| format!("{}: {error}", path.display()))?,
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(problem)?;
        }
        if !contents.late.is_empty() {
            contents.set_late_aside(path)?;
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
    fn read(bytes: &[u8], header: &str, earlier: Earlier) -> Result<Self, String> {
        let text = whole_lines(bytes)?;
        if text.is_empty() && !header.as_bytes().starts_with(bytes) {
            return Err("is no results file".into());
        }
        let mut contents = Self::default();
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if number == 0 {
                if line != header {
                    return Err("was begun under other conditions".into());
                }
            } else {
                let record = json::read(line).map_err(|error| format!("line {}: {error}", number + 1))?;
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

    /// Moves the late games from the file to that of late games. Each of the two is replaced in one step, that of late
    /// games first, so that an interruption at any time loses none; one that is in both by then is not added again.
    fn set_late_aside(&self, path: &Path) -> Result<(), String> {
        let problem = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
        // Of a link what it leads to.
        let path = &path.canonicalize().map_err(|error| problem(path, error))?;
        let mut late_path = path.clone().into_os_string();
        late_path.push(".late");
        let late_path = PathBuf::from(late_path);
        let late_path = &late_path.canonicalize().unwrap_or(late_path);
        let before = match std::fs::read(late_path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|error| problem(late_path, error))?,
        };
        let before = whole_lines(&before).map_err(|error| format!("{}: {error}", late_path.display()))?;
        let known: HashSet<&str> = before.split_inclusive('\n').collect();
        let new = self.late.split_inclusive('\n').filter(|line| !known.contains(line));
        let late = before.to_owned() + &new.collect::<String>();
        for (path, text) in [(late_path, &late), (path, &self.kept)] {
            replace(path, text).map_err(|error| problem(path, error))?;
        }
        eprintln!("lab: late games moved to {}: {}", late_path.display(), self.late.lines().count());
        Ok(())
    }
}

/// The text up to the end of its last whole line.
fn whole_lines(bytes: &[u8]) -> Result<&str, String> {
    let length = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    std::str::from_utf8(&bytes[..length]).map_err(|error| error.to_string())
}

/// Gives a file another text in one step: at any time it holds all of the old one or all of the new one.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = AtomicWriteFile::open(path)?;
    file.write_all(text.as_bytes())?;
    file.commit()
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
        std::fs::write(&path, "notes of somebody's").unwrap();
        assert!(Results::open(&path, &conditions, Earlier::Kept).is_err(), "what is no results file stays");
        std::fs::write(&path, &whole).unwrap();
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
        let late_again = |when: &str| {
            let record = GameRecord { when: when.into(), ..lost_by(3, "late") };
            Results::open(&path, &conditions, Earlier::Kept).unwrap().add(record).unwrap();
        };
        late_again("for the second time");
        assert_eq!(numbers(Earlier::KeptUnlessLate), [1, 2]);
        let late_path = folder.join("match.jsonl.late");
        let late = || {
            let text = std::fs::read_to_string(&late_path).unwrap();
            text.lines().map(|line| json::read(line).unwrap().number).collect::<Vec<_>>()
        };
        assert_eq!(late(), [0, 3, 3]);
        // It was cut off in the middle of a line, or the file of the match was not yet freed of what is in it.
        late_again("for the third time");
        let before = std::fs::read(&path).unwrap();
        assert_eq!(numbers(Earlier::KeptUnlessLate), [1, 2]);
        let whole = std::fs::read(&late_path).unwrap();
        for length in 0..=whole.len() {
            std::fs::write(&path, &before).unwrap();
            std::fs::write(&late_path, &whole[..length]).unwrap();
            assert_eq!(numbers(Earlier::KeptUnlessLate), [1, 2]);
            assert_eq!(late().last(), Some(&3), "cut at {length}");
            assert_eq!(
                late().len(),
                whole[..length].iter().filter(|&&byte| byte == b'\n').count().min(3) + 1
            );
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
