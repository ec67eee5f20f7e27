//! Saves the matches played on the page of `otrera gui`. Each change replaces two files in the record folder: the
//! record in the championships' text format, and a JSON file from which the match resumes.
//!
//! The JSON file is a game as in [`otrera::record::json`], with the additional key `match`:
//!
//! ```json
//! {"id":"…","writer":"…","when":"2026年…","suffix":"","state":{"us":"black","clocks":{…},"over":false}}
//! ```
//!
//! The page sets `state`; the server sets `id` and both file names.

use crate::records::{RecordFile, format_illegal, record_folder};
use otrera::Position;
use otrera::record::GameRecord;
use otrera_front::files;
use otrera_front::settings::Settings;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Maximum size of a request to save a match, in bytes. A long game has 20 KB.
pub const MAX_BYTES: usize = 1 << 20;

/// Maximum number of unfinished matches that the page offers to resume.
const MAX_OFFERED: usize = 9;

/// A request of the page to save a match.
#[derive(Deserialize)]
struct Save {
    /// ID of the match; `None` for a new match.
    id: Option<String>,
    /// Random ID of the browser page that sends the request.
    writer: String,
    /// True if the page takes over a match that another page has saved.
    #[serde(default)]
    takes_over: bool,
    game: GameRecord,
    state: Map<String, Value>,
}

/// Value of the key `match` in a match's JSON file.
#[derive(Serialize, Deserialize)]
struct Entry {
    id: String,
    writer: String,
    /// Date in the names of the match's record and JSON file.
    when: String,
    suffix: String,
    state: Map<String, Value>,
}

/// Content of a match's JSON file: the game and, under the key `match`, the entry.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    game: &'a GameRecord,
    #[serde(rename = "match")]
    entry: Entry,
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "match")]
    entry: Entry,
}

/// A match saved by this process: its files and the ID of the page that can overwrite them.
struct Match {
    files: RecordFile,
    writer: String,
}

/// The matches in a record folder, and those opened by this process.
pub struct Matches {
    folder: PathBuf,
    settings: Settings,
    open: HashMap<String, Match>,
}

impl Matches {
    /// Creates a store in the [`record_folder`] of the settings. The first save creates a missing folder.
    pub fn new(settings: &Settings) -> Self {
        let folder = record_folder(settings).to_owned();
        Self { folder, settings: settings.clone(), open: HashMap::new() }
    }

    /// Writes both files of a match and returns `{"id":"…","file":"…"}`; `new_id` generates the ID of a new match.
    /// Fails if the request is invalid, the match belongs to another page, or a write fails.
    pub fn save(
        &mut self,
        request: &str,
        new_id: impl FnOnce() -> Result<String, String>,
    ) -> Result<String, String> {
        let mut save: Save =
            serde_json::from_str(request).map_err(|error| format!("invalid match: {error}"))?;
        check(&save.game)?;
        let id = match save.id {
            Some(id) if id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) => id,
            Some(_) => return Err("invalid match id".into()),
            None => new_id()?,
        };
        let mut found = self.take(&id, &save.game);
        if found.writer != save.writer && !found.writer.is_empty() && !save.takes_over {
            self.open.insert(id, found);
            return Err("this match is open in another window".into());
        }
        found.writer = save.writer;
        let written = found.write(&mut save.game, &id, save.state);
        self.open.insert(id.clone(), found);
        Ok(json!({"id": id, "file": written?.display().to_string()}).to_string())
    }

    /// Removes the match from `open`, reopens it from an earlier process's files, or creates it; returns the match.
    fn take(&mut self, id: &str, game: &GameRecord) -> Match {
        if let Some(found) = self.open.remove(id) {
            return found;
        }
        let settings = Settings { event: game.event.clone(), ..self.settings.clone() };
        let new = RecordFile::new(&self.folder, [&game.black, &game.white], &settings, &game.start);
        match entries(&self.folder).into_iter().find(|(.., entry)| entry.id == id) {
            Some((.., entry)) => {
                Match { files: new.reopened(entry.when, entry.suffix), writer: entry.writer }
            }
            None => Match { files: new, writer: String::new() },
        }
    }

    /// Lists up to [`MAX_OFFERED`] unfinished matches, newest first, as `{"matches":[{"text":"…","held":false}]}`. A match
    /// is held if a page of this process has saved it.
    pub fn unfinished(&self) -> String {
        let is_over = |entry: &Entry| entry.state.get("over").is_some_and(|over| *over == true);
        let mut open = entries(&self.folder);
        open.retain(|(.., entry)| !is_over(entry));
        open.sort_by_key(|(path, ..)| std::cmp::Reverse(files::modified(path)));
        open.truncate(MAX_OFFERED);
        let offer = |(_, text, entry): &(PathBuf, String, Entry)| json!({"text": text, "held": self.open.contains_key(&entry.id)});
        json!({"matches": open.iter().map(offer).collect::<Value>()}).to_string()
    }
}

impl Match {
    /// Writes the JSON file, from which the match resumes, and then the record. Returns the path of the record.
    fn write(
        &mut self,
        game: &mut GameRecord,
        id: &str,
        state: Map<String, Value>,
    ) -> Result<PathBuf, String> {
        self.files.claim()?;
        game.when = self.files.game(&[], None).when;
        let [when, suffix] = self.files.date_and_suffix().map(str::to_owned);
        let entry = Entry { id: id.to_owned(), writer: self.writer.clone(), when, suffix, state };
        let line = serde_json::to_string(&Line { game, entry }).map_err(|error| error.to_string())? + "\n";
        let path = self.files.json_path();
        if let Err(error) = files::replace_file(&path, line.as_bytes(), true) {
            self.files.release();
            return Err(format!("cannot write the match file {}: {error}", path.display()));
        }
        self.files.write(&game.played_moves(), game.winner)
    }
}

/// Fails unless the game begins from the standard start position and has only legal moves.
fn check(game: &GameRecord) -> Result<(), String> {
    if game.start != Position::start(game.start.size()) {
        return Err("a match must begin from the standard start position".into());
    }
    game.first_illegal().map_or(Ok(()), |illegal| Err(format_illegal(illegal)))
}

/// Reads the match files in a folder; returns the path, the text and the entry of each.
fn entries(folder: &Path) -> Vec<(PathBuf, String, Entry)> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = files.filter_map(|file| Some(file.ok()?.path()));
    let is_match = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json") && path.is_file();
    let read = |path: PathBuf| {
        let text = files::read_text(&path, MAX_BYTES as u64 * 2).ok()?;
        let File { entry } = serde_json::from_str(&text).ok()?;
        Some((path, text, entry))
    };
    paths.filter(is_match).filter_map(read).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test fails by panicking
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};
    use testkit::Folder;

    #[test]
    fn the_newest_unfinished_match_is_offered_first() {
        let folder = Folder::new("matches-order");
        let settings = Settings { record_dir: Some(folder.0.clone()), ..Settings::default() };
        let mut matches = Matches::new(&settings);
        let began = SystemTime::now() - Duration::from_secs(1000);
        // Black's name, age as a rank, and if the match is over.
        for (name, rank, over) in
            [("b", 2, false), ("d", 4, false), ("a", 1, false), ("e", 5, true), ("c", 3, false)]
        {
            let game = GameRecord::new(name, "Otrera", Position::standard());
            let request = json!({"writer": "page", "game": game, "state": {"over": over}});
            matches.save(&request.to_string(), || Ok(format!("{rank:032x}"))).unwrap();
            let (path, ..) =
                entries(&folder).into_iter().find(|(.., entry)| entry.id == format!("{rank:032x}")).unwrap();
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_modified(began + Duration::from_secs(rank)).unwrap();
        }
        let offered: Value = serde_json::from_str(&matches.unfinished()).unwrap();
        let texts = offered["matches"].as_array().unwrap().iter().filter_map(|offer| offer["text"].as_str());
        let black = |text| serde_json::from_str::<Value>(text).unwrap()["black"].as_str().unwrap().to_owned();
        assert_eq!(texts.map(black).collect::<String>(), "dcba");
    }
}
