//! Games from any number of files, read one after another in bounded memory.

use crate::files::{MAX_BYTES, problem, read_bytes};
use crate::shard::{Shard, is_shard};
use otrera::record::{self, Reading, Warning, json};
use otrera::{GameRecord, Move};
use std::collections::HashSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::vec::IntoIter;

/// Iterates over the games of files in order; repeated games come once. Checks that every move is legal.
///
/// Files are read game by game. Memory beyond one file's buffer is 8 bytes a game; that of shards and JSON lines is
/// small, that of other formats eight times the file ([`record::read_each`]). An error ends the iteration; a part that
/// cannot be read is an error after the file's last game.
pub struct Games {
    paths: IntoIter<PathBuf>,
    file: Option<(PathBuf, Source, u64)>,
    known: HashSet<u64>,
    allows_unfinished: bool,
    /// Number of games read from each file opened so far, with repeated ones.
    pub lengths: Vec<u64>,
    /// Number of games to read from each file; empty to read all.
    wanted: Vec<u64>,
}

enum Source {
    Shard(Box<Shard>),
    Lines(BufReader<File>, u64),
    /// Any other form, read by a thread that is at most [`GAMES_AHEAD`] games ahead.
    Other(Receiver<GameRecord>, Option<JoinHandle<Result<(), String>>>),
}

/// Number of games that are read before they are asked for.
const GAMES_AHEAD: usize = 16;

impl Games {
    /// Opens files. With `allows_unfinished`, a shard without its end block and an incomplete last JSON line are no
    /// errors.
    pub fn new(paths: &[PathBuf], allows_unfinished: bool) -> Self {
        let paths = Vec::from(paths).into_iter();
        let (lengths, wanted) = (Vec::new(), Vec::new());
        Self { paths, file: None, known: HashSet::new(), allows_unfinished, lengths, wanted }
    }

    /// Opens files again, to read as many games of each as before: a file can have grown. A file with fewer is an error.
    pub fn again(paths: &[PathBuf], allows_unfinished: bool, lengths: &[u64]) -> Self {
        Self { wanted: lengths.into(), ..Self::new(paths, allows_unfinished) }
    }

    fn next_game(&mut self) -> Result<Option<GameRecord>, String> {
        loop {
            let Some((path, source, number)) = &mut self.file else {
                let Some(path) = self.paths.next() else { return Ok(None) };
                let source = Source::open(&path)?;
                self.file = Some((path, source, 0));
                self.lengths.push(0);
                continue;
            };
            let wanted = self.wanted.get(self.lengths.len() - 1);
            let is_enough = wanted.is_some_and(|wanted| *number >= *wanted);
            let game = if is_enough { None } else { source.next_game(path, self.allows_unfinished)? };
            let Some(game) = game else {
                if let Some(wanted) = wanted.filter(|wanted| *number < **wanted) {
                    return Err(problem(path, format!("has {number} games, and had {wanted} before")));
                }
                self.file = None;
                continue;
            };
            *number += 1;
            self.lengths.last_mut().into_iter().for_each(|length| *length += 1);
            if let Some((ply, mv, error)) = game.first_illegal() {
                return Err(problem(path, format!("game {number}, ply {ply}, {mv}: {error}")));
            }
            if self.known.insert(fingerprint(&game)) {
                return Ok(Some(game));
            }
        }
    }
}

impl Iterator for Games {
    type Item = Result<GameRecord, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_game().transpose();
        if matches!(next, Some(Err(_))) {
            (self.paths, self.file) = (Vec::new().into_iter(), None);
        }
        next
    }
}

impl Source {
    fn open(path: &Path) -> Result<Self, String> {
        if is_shard(path) {
            return Ok(Self::Shard(Box::new(Shard::open(path)?)));
        }
        let mut first = String::new();
        if path.is_file()
            && let Ok(file) = File::open(path)
            && BufReader::new(file.take(MAX_BYTES)).read_line(&mut first).is_ok()
            && (first.starts_with("{\"match\"") || json::read(first.trim()).is_ok())
        {
            let file = File::open(path).map_err(|error| problem(path, error))?;
            return Ok(Self::Lines(BufReader::new(file), 0));
        }
        let input = Input::open(path, MAX_BYTES)?;
        let (sender, games) = sync_channel(GAMES_AHEAD);
        let read = move || {
            // A closed channel means that no more games are wanted.
            let warnings = input.each(&mut |game| drop(sender.send(game)))?;
            show_warnings(&input.path, &warnings);
            match warnings.first() {
                None => Ok(()),
                Some(_) => Err(problem(&input.path, "a part of this file cannot be read: correct it")),
            }
        };
        let reader = Builder::new().name("records".into()).spawn(read);
        Ok(Self::Other(games, Some(reader.map_err(|error| problem(path, error))?)))
    }

    fn next_game(&mut self, path: &Path, allows_unfinished: bool) -> Result<Option<GameRecord>, String> {
        match self {
            Self::Other(games, reader) => match games.recv() {
                Ok(game) => Ok(Some(game)),
                Err(_) => match reader.take().map(JoinHandle::join) {
                    Some(Ok(outcome)) => outcome.map(|()| None),
                    Some(Err(_)) => Err(problem(path, "reading failed: this is a bug")),
                    None => Ok(None),
                },
            },
            Self::Shard(shard) => {
                let game = shard.next_game()?;
                if game.is_none() && !allows_unfinished {
                    shard.finished()?;
                }
                Ok(game)
            }
            Self::Lines(input, number) => loop {
                let mut line = String::new();
                *number += 1;
                let flaw = |what: String| problem(path, format!("line {number}: {what}"));
                if input.read_line(&mut line).map_err(|error| flaw(error.to_string()))? == 0 {
                    return Ok(None);
                }
                if line.trim().is_empty() || *number == 1 && line.starts_with("{\"match\"") {
                    continue;
                }
                match json::read(line.trim()) {
                    Ok(game) => return Ok(Some(game)),
                    Err(_) if !line.ends_with('\n') && allows_unfinished => return Ok(None),
                    Err(_) if !line.ends_with('\n') => {
                        return Err(flaw("is incomplete: finish the file, or give --unfinished".into()));
                    }
                    Err(error) => return Err(flaw(error.to_string())),
                }
            },
        }
    }
}

/// Returns a hash of the start position and the moves.
pub fn fingerprint(game: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    game.start.key().hash(&mut hasher);
    game.moves.iter().for_each(|played| hash_move(played.mv, &mut hasher));
    hasher.finish()
}

fn hash_move(mv: Move, hasher: &mut DefaultHasher) {
    [mv.from, mv.to, mv.arrow].map(|square| square.index() as u8).hash(hasher);
}

/// Reads a file of at most `max` bytes: a shard, or any form of [`record::read_bytes`]. Warnings go to standard error.
pub fn read_record(path: &Path, max: u64) -> Result<Reading, String> {
    let (mut games, input) = (Vec::new(), Input::open(path, max)?);
    let warnings = input.each(&mut |game| games.push(game))?;
    show_warnings(path, &warnings);
    Ok(Reading { games, warnings })
}

pub fn show_warnings(path: &Path, warnings: &[Warning]) {
    for warning in warnings {
        eprintln!("{}", problem(path, warning));
    }
}

/// Reads the games of a file like [`read_record`].
pub fn read_games(path: &Path, max: u64) -> Result<Vec<GameRecord>, String> {
    read_record(path, max).map(|reading| reading.games)
}

/// A file with games in any form, which can be read several times.
pub struct Input {
    path: PathBuf,
    /// The content, unless the file is a shard.
    bytes: Option<Vec<u8>>,
}

impl Input {
    /// Opens a shard, or a file of at most `max` bytes in any form of [`record::read_bytes`].
    pub fn open(path: &Path, max: u64) -> Result<Self, String> {
        let bytes = if is_shard(path) { None } else { Some(read_bytes(path, max)?) };
        Ok(Self { path: path.to_owned(), bytes })
    }

    /// Passes each game to a function and returns the warnings.
    pub fn each(&self, take: &mut dyn FnMut(GameRecord)) -> Result<Vec<Warning>, String> {
        let Some(bytes) = &self.bytes else {
            for game in Games::new(slice::from_ref(&self.path), false) {
                take(game?);
            }
            return Ok(Vec::new());
        };
        record::read_each(bytes, take).map_err(|error| problem(&self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use otrera::{Position, record::sgf};
    use testkit::Folder;

    #[test]
    fn games_of_any_form_come_one_by_one() {
        let (folder, start) = (Folder::new("lab-games"), Position::standard());
        let games = start.legal_moves().take(3 * GAMES_AHEAD);
        let games: Vec<_> = games.map(|mv| GameRecord::new("a", "b", start).with_moves(&[mv])).collect();
        let text: String = games.iter().map(sgf::write).collect();
        folder.write("whole.sgf", &(text.clone() + &text));
        folder.write("damaged.sgf", &(text + "(;GM[18];B[djddgd];W[djddgd])"));
        let read = |name: &str| Games::new(&[folder.join(name)], false).collect::<Vec<_>>();
        let whole: Vec<GameRecord> = read("whole.sgf").into_iter().map(Result::unwrap).collect();
        assert_eq!(whole.len(), games.len(), "repeated games come once");
        assert!(whole.iter().zip(&games).all(|(read, written)| read.moves == written.moves));
        let mut damaged = read("damaged.sgf");
        let problem = damaged.pop().unwrap().unwrap_err();
        assert!(problem.contains("a part of this file cannot be read"), "{problem}");
        assert!(damaged.len() >= games.len() && damaged.iter().all(Result::is_ok));
        // Whoever wants no more games does not wait for the rest.
        assert!(Games::new(&[folder.join("whole.sgf")], false).next().unwrap().is_ok());
    }

    #[test]
    fn files_that_grow_are_read_as_before() {
        let (folder, start) = (Folder::new("lab-games-grow"), Position::standard());
        let lines: Vec<String> = start
            .legal_moves()
            .take(6)
            .map(|mv| json::write(&GameRecord::new("a", "b", start).with_moves(&[mv])) + "\n")
            .collect();
        folder.write("a.jsonl", &lines[..3].concat());
        folder.write("b.jsonl", &lines[3..5].concat());
        let paths = ["a.jsonl", "b.jsonl"].map(|name| folder.join(name));
        let mut first = Games::new(&paths, true);
        let games: Vec<GameRecord> = first.by_ref().map(Result::unwrap).collect();
        assert_eq!((games.len(), &first.lengths[..]), (5, &[3, 2][..]));
        folder.write("a.jsonl", &(lines[..3].concat() + &lines[5]));
        let again: Vec<GameRecord> = Games::again(&paths, true, &first.lengths).map(Result::unwrap).collect();
        assert!(again.iter().map(|game| &game.moves).eq(games.iter().map(|game| &game.moves)));
        folder.write("b.jsonl", &lines[3]);
        let shrunk = Games::again(&paths, true, &first.lengths).last().unwrap().unwrap_err();
        assert!(shrunk.contains("has 1 games, and had 2 before"), "{shrunk}");
    }
}
