//! Results files: a first line that says what is being played, then one line for each finished game,
//! written as it ends. A file that was cut off in the middle of a line is good up to there.

use crate::files::{identity, make_folder_of, replace};
use crate::interrupt;
use crate::matches::score::Score;
use otrera::GameRecord;
use otrera::record::json;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;
use std::fs::{File, Metadata, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A results file that is being written, and the games in it.
pub struct Results {
    path: PathBuf,
    inner: Mutex<Inner>,
}

struct Inner {
    file: File,
    /// Bytes of its whole lines.
    length: u64,
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
    /// Begins a new file for these conditions, or goes on with one that was begun under the same ones. As long as
    /// the results live the file is locked against others of us.
    ///
    /// # Errors
    /// The file exists and is refused, was begun under other conditions, is in use, or cannot be written.
    pub fn open(path: &Path, conditions: &Value, earlier: Earlier) -> Result<Self, String> {
        let problem = |what: &dyn Display| format!("{}: {what}", path.display());
        let header = format!("{}\n", json!({ "match": conditions }));
        let mut file = open_alone(path, earlier)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| problem(&error))?;
        let contents = Contents::read(&bytes, &header, earlier).map_err(|error| problem(&error))?;
        let kept = contents.kept.as_bytes();
        let mut written = kept.len().min(bytes.len());
        if !contents.late.is_empty() {
            contents.set_late_aside(path)?;
            // It was replaced by another of its name; the old one stays locked until the new one is.
            file = open_alone(path, earlier)?;
            written = kept.len();
        }
        let (length, rest) = (kept.len() as u64, &kept[written..]);
        let begun = file.set_len(written as u64).and_then(|()| file.seek(SeekFrom::End(0)));
        begun.and_then(|_| file.write_all(rest)).map_err(|error| problem(&error))?;
        let inner = Inner { file, length, games: contents.games };
        Ok(Self { path: path.to_owned(), inner: Mutex::new(inner) })
    }

    /// Adds a finished game, at once on disk, as a whole line or not at all. A number that is there already is not
    /// taken again.
    pub fn add(&self, record: GameRecord) -> Result<(), String> {
        let mut inner = self.inner.lock().map_err(|error| error.to_string())?;
        if inner.games.contains_key(&record.number) {
            return Ok(());
        }
        let line = format!("{}\n", json::write(&record));
        let _whole = interrupt::whole();
        let Inner { file, length, games } = &mut *inner;
        if let Err(error) = file.write_all(line.as_bytes()) {
            // Of a disk that is full a part of the line may be there. If it stays, it is passed over later.
            let _ = file.set_len(*length).and_then(|()| file.seek(SeekFrom::Start(*length)));
            return Err(format!("{}: {error}", self.path.display()));
        }
        *length += line.len() as u64;
        games.insert(record.number, record);
        Ok(())
    }

    /// How many games there are so far.
    pub fn count(&self) -> usize {
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

/// Opens or creates a results file and locks it.
fn open_alone(path: &Path, earlier: Earlier) -> Result<File, String> {
    let problem = |what: &dyn Display| format!("{}: {what}", path.display());
    let is_refused = earlier == Earlier::Refused;
    match path.metadata() {
        Ok(found) if !found.is_file() => {
            return Err(problem(&"is no regular file, and results have to be read again"));
        }
        Ok(_) if is_refused => {
            return Err(problem(&"exists: add --resume to go on with it, or name another --output"));
        }
        _ => make_folder_of(path)?,
    }
    let mut options = File::options();
    let file = options.read(true).write(true).create(true).create_new(is_refused).truncate(false).open(path);
    let file = file.map_err(|error| problem(&error))?;
    // Between its opening and the lock another may have replaced it by a file without late games.
    let is_found = |found: Metadata| file.metadata().is_ok_and(|file| identity(&file) == identity(&found));
    match lock(&file) {
        Ok(()) if path.metadata().is_ok_and(is_found) => Ok(file),
        Ok(()) | Err(TryLockError::WouldBlock) => {
            Err(problem(&"another lab is writing it: let that one end, or name another --output"))
        }
        Err(TryLockError::Error(error)) => Err(problem(&error)),
    }
}

/// Locks a file. One that this process has just closed may stay locked for a moment: a child process that was being
/// started in another thread has a copy of it between its fork and its exec.
fn lock(file: &File) -> Result<(), TryLockError> {
    let patience = Instant::now() + Duration::from_millis(500);
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < patience => sleep(Duration::from_millis(5)),
            outcome => return outcome,
        }
    }
}

/// What a file holds, as far as its lines are whole. Blank lines stay where they are.
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
        let text = complete(bytes, header)?;
        if text.trim().is_empty() && !header.as_bytes().starts_with(bytes) {
            return Err("is no results file".into());
        }
        let mut contents = Self { kept: header.to_owned(), ..Self::default() };
        let (mut kept, mut is_begun) = (String::new(), false);
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            if !line.trim().is_empty() {
                if !is_begun {
                    if line != header {
                        return Err("was begun under other conditions".into());
                    }
                    is_begun = true;
                } else {
                    let record = json::read(line).map_err(|error| format!("line {number}: {error}"))?;
                    if earlier == Earlier::KeptUnlessLate && record.lost_late() {
                        contents.late.push_str(line);
                        continue;
                    }
                    contents.games.insert(record.number, record);
                }
            }
            kept.push_str(line);
        }
        if is_begun {
            contents.kept = kept;
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

/// The text of a results file up to the end of its last line that is whole. That is one too which lacks nothing but
/// the line's end: an editor may have taken that away.
fn complete(bytes: &[u8], header: &str) -> Result<String, String> {
    let mut text = whole_lines(bytes)?.to_owned();
    let rest = std::str::from_utf8(&bytes[text.len()..]).unwrap_or_default();
    if rest == header.trim_end() || json::read(rest).is_ok() {
        text = text + rest + "\n";
    }
    Ok(text)
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
    fn a_copy_that_a_starting_process_holds_for_a_moment_keeps_nobody_out() {
        let folder = std::env::temp_dir().join(format!("otrera-copy-{}", std::process::id()));
        let path = folder.join("match.jsonl");
        let results = Results::open(&path, &json!({}), Earlier::Refused).unwrap();
        let copy = results.inner.lock().unwrap().file.try_clone().unwrap();
        drop(results);
        let child = std::thread::spawn(move || {
            sleep(Duration::from_millis(100));
            drop(copy);
        });
        assert!(Results::open(&path, &json!({}), Earlier::Kept).is_ok());
        child.join().unwrap();
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
        assert_eq!(Results::open(&path, &conditions, Earlier::Kept).unwrap().count(), 4);
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
