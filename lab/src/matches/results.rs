//! Result files: the first line holds the conditions of the match, each further line a finished game with its facts, in
//! the order in which games end.

use crate::files::{LineLog, Output};
use crate::interrupt::locked;
use crate::matches::harness::Facts;
use crate::matches::score::Score;
use otrera::GameRecord;
use otrera::record::json;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Mutex;

/// A finished game and its facts.
#[derive(Clone, Debug)]
pub struct Finished {
    pub game: GameRecord,
    pub facts: Facts,
}

impl Finished {
    /// Formats a line of a result file: the JSON of the record, with the facts under `facts` if there are any.
    pub fn to_line(&self) -> String {
        let mut line = json::write(&self.game);
        if !matches!(self.facts, Facts::None) && line.pop().is_some() {
            line += &format!(",\"facts\":{}}}", json!(self.facts));
        }
        line
    }

    /// Reads a line of a result file.
    pub fn read(line: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Line {
            #[serde(default)]
            facts: Facts,
        }
        let game = json::read(line).map_err(|error| error.to_string())?;
        let Line { facts } = serde_json::from_str(line).map_err(|error| format!("facts: {error}"))?;
        Ok(Self { game, facts })
    }
}

/// A result file open for appending, and its games.
pub struct Results(Mutex<Inner>);

struct Inner {
    log: LineLog,
    games: BTreeMap<u64, Finished>,
}

/// Treatment of a result file that already exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    Refuse,
    Resume,
    /// Like `Resume`, but replays games lost on time and moves their records to `FILE.late`. Useful after the machine
    /// was suspended, for example.
    ReplayLate,
}

impl Results {
    /// Creates or resumes the result file of a match; fails if an existing file has other conditions.
    pub fn open(path: &Path, conditions: &Value, existing: Existing) -> Result<Self, String> {
        let header = json!({ "match": conditions }).to_string();
        let (mut games, mut kept, mut late) = (BTreeMap::new(), header.clone() + "\n", Vec::new());
        let log = LineLog::open(path, existing != Existing::Refuse, Some(&header), |line| {
            let finished = Finished::read(line)?;
            if existing == Existing::ReplayLate && finished.game.lost_late() {
                late.push(line.to_owned());
            } else {
                kept.extend([line, "\n"]);
                games.insert(finished.game.number, finished);
            }
            Ok(())
        })?;
        if late.is_empty() {
            return Ok(Self(Mutex::new(Inner { log, games })));
        }
        // Copies late games first: an interruption between the two steps loses none.
        append_late(path, &late)?;
        Output::new(path, &[], &[&header])?.write(&kept)?;
        drop(log);
        Self::open(path, conditions, Existing::Resume)
    }

    /// Appends a finished game to the file, unless the file contains a game with its number.
    pub fn add(&self, finished: Finished) -> Result<(), String> {
        let (mut inner, number) = (locked(&self.0), finished.game.number);
        if !inner.games.contains_key(&number) {
            inner.log.add(&finished.to_line())?;
            inner.games.insert(number, finished);
        }
        Ok(())
    }

    pub fn count(&self) -> usize {
        locked(&self.0).games.len()
    }

    pub fn score(&self) -> Score {
        Score::of(locked(&self.0).games.values().map(|finished| &finished.game))
    }

    pub fn games(&self) -> Vec<GameRecord> {
        locked(&self.0).games.values().map(|finished| finished.game.clone()).collect()
    }

    /// Returns all games of the file with their facts, in the order of their numbers.
    pub fn finished(&self) -> Vec<Finished> {
        locked(&self.0).games.values().cloned().collect()
    }
}

/// Appends the lines of games lost on time to `FILE.late`, except lines that the file already contains.
fn append_late(path: &Path, late: &[String]) -> Result<(), String> {
    let mut late_path = path.as_os_str().to_owned();
    late_path.push(".late");
    let late_path = Path::new(&late_path);
    let mut known = HashSet::new();
    let mut log = LineLog::open(late_path, true, None, |line| {
        known.insert(line.to_owned());
        Ok(())
    })?;
    late.iter().filter(|line| !known.contains(*line)).try_for_each(|line| log.add(line))?;
    eprintln!("lab: late games moved to {}: {}", late_path.display(), late.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use otrera::{Position, Side};
    use testkit::Folder;

    fn game(number: u64) -> Finished {
        let game = GameRecord { number, ..GameRecord::new("a", "b", Position::standard()) };
        Finished { game, facts: Facts::None }
    }

    #[test]
    fn a_file_truncated_anywhere_resumes() {
        let folder = Folder::new("results");
        let path = folder.join("match.jsonl");
        let conditions = json!({"players": ["a", "b"]});
        let results = Results::open(&path, &conditions, Existing::Refuse).unwrap();
        [1, 0].into_iter().for_each(|number| results.add(game(number)).unwrap());
        drop(results);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let results = Results::open(&path, &conditions, Existing::Resume).unwrap();
            [0, 1].into_iter().for_each(|number| results.add(game(number)).unwrap());
            assert_eq!(results.games().len(), 2);
            drop(results);
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(text.lines().count(), 3, "cut at {length}:\n{text}");
        }
        std::fs::write(&path, "notes of somebody's").unwrap();
        assert!(Results::open(&path, &conditions, Existing::Resume).is_err(), "a foreign file");
        std::fs::write(&path, &whole).unwrap();
        assert!(Results::open(&path, &conditions, Existing::Refuse).is_err());
        assert!(Results::open(&path, &json!({"players": ["a", "c"]}), Existing::Resume).is_err());
    }

    #[test]
    fn opening_waits_for_a_briefly_held_lock() {
        let folder = Folder::new("lock");
        let path = folder.join("match.jsonl");
        Results::open(&path, &json!({}), Existing::Refuse).unwrap().add(game(0)).unwrap();
        let copy = std::fs::File::open(&path).unwrap();
        copy.lock().unwrap();
        let child = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(100));
            drop(copy);
        });
        assert!(Results::open(&path, &json!({}), Existing::Resume).is_ok());
        child.join().unwrap();
    }

    #[test]
    fn late_games_are_replayed_and_archived() {
        let folder = Folder::new("late");
        let path = folder.join("match.jsonl");
        let conditions = json!({"players": ["a", "b"]});
        let lost_by = |number, kind: &str| {
            let mut finished = game(number);
            finished.game.winner = Some(Side::Black);
            finished.game.forfeit = Some((kind.into(), String::new()));
            finished
        };
        let results = Results::open(&path, &conditions, Existing::Refuse).unwrap();
        for record in [lost_by(0, "late"), game(1), lost_by(2, "crash"), lost_by(3, "late")] {
            results.add(record).unwrap();
        }
        drop(results);
        assert_eq!(Results::open(&path, &conditions, Existing::Resume).unwrap().count(), 4);
        let numbers = |existing| {
            let games = Results::open(&path, &conditions, existing).unwrap().games();
            games.iter().map(|game| game.number).collect::<Vec<_>>()
        };
        assert_eq!(numbers(Existing::ReplayLate), [1, 2]);
        assert_eq!(numbers(Existing::Resume), [1, 2], "late games must be removed from the file");
        // FILE.late keeps the late games of all runs.
        let mut again = lost_by(3, "late");
        again.game.when = "for the second time".into();
        Results::open(&path, &conditions, Existing::Resume).unwrap().add(again).unwrap();
        assert_eq!(numbers(Existing::ReplayLate), [1, 2]);
        let text = std::fs::read_to_string(folder.join("match.jsonl.late")).unwrap();
        let late: Vec<u64> = text.lines().map(|line| json::read(line).unwrap().number).collect();
        assert_eq!(late, [0, 3, 3]);
    }
}
