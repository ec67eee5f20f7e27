//! The journal of a running game, from which a new process resumes the game after a crash.
//!
//! Each line is the complete state as JSON; after a crash the last complete line counts. The playing process locks the
//! file, and the system releases the lock when the process ends. The end of the game, `quit` and the end of input
//! remove the file, so an unlocked file belongs to a crashed process.

use super::game::Place;
use otrera::{Move, Position, Side, Size};
use otrera_front::files::{claim, read_text};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Suffix of a journal's file name.
const SUFFIX: &str = ".game";

/// Maximum size of a journal, in bytes. Larger journals count as damaged.
const MAX_BYTES: u64 = 4 << 20;

/// State of a running game, as saved in the journal.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub us: Side,
    /// Moves played from the start position, all legal.
    pub moves: Vec<Move>,
    /// False if the last move is ours and may not have been sent.
    pub sent: bool,
    /// Time left on our clock after our last move.
    pub left: Duration,
    pub written: SystemTime,
    /// Where the record is; `None` before the first move.
    pub place: Option<Place>,
}

/// The JSON form of a state, one line of the journal.
#[derive(Serialize, Deserialize)]
struct Line {
    size: usize,
    us: String,
    moves: String,
    sent: bool,
    left: f64,
    /// Seconds since the Unix epoch (1970).
    written: f64,
    /// Time of the first move, as for `written`.
    #[serde(default)]
    began: Option<f64>,
    /// Suffix of the record's file name.
    #[serde(default)]
    suffix: String,
}

/// A journal file, locked by this process.
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Creates and locks a journal in this folder, which is created if missing.
    pub fn create(folder: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let seconds = seconds_since_1970(SystemTime::now());
        let path = folder.join(format!("otrera-{seconds:.3}-{}{SUFFIX}", std::process::id()));
        let file = claim(&path)?.ok_or(std::io::ErrorKind::ResourceBusy)?;
        Ok(Self { path, file })
    }

    /// Appends the state as one line of JSON.
    pub fn write(&mut self, state: &State, size: Size) -> std::io::Result<()> {
        let moves: Vec<String> = state.moves.iter().map(|&mv| mv.to_letters(size)).collect();
        let line = Line {
            size: size.edge(),
            us: state.us.to_string(),
            moves: moves.join(" "),
            sent: state.sent,
            left: state.left.as_secs_f64(),
            written: seconds_since_1970(state.written),
            began: state.place.as_ref().map(|place| seconds_since_1970(place.began)),
            suffix: state.place.as_ref().map_or(String::new(), |place| place.suffix.clone()),
        };
        let mut text = serde_json::to_string(&line)?;
        text.push('\n');
        // One write: a kill leaves the whole line or none of it.
        self.file.write_all(text.as_bytes())
    }

    /// Closes and removes the journal file; ignores errors.
    pub fn discard(self) {
        // Windows cannot remove an open file. A leftover file is removed once it is old.
        drop(self.file);
        let _ = std::fs::remove_file(self.path);
    }

    /// Returns the file's name, for the log.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The journals of crashed processes in a folder.
#[derive(Default)]
pub struct Abandoned {
    /// Journals of games on this board size, each with its last state, newest first.
    pub games: Vec<(Journal, State)>,
    /// Names of files that are no journal of a game on this board size. They stay, since they may be foreign.
    pub unusable: Vec<String>,
}

/// Locks and lists the journals of crashed processes in a folder. Removes readable ones last written over `age` before
/// `now`.
pub fn abandoned(folder: &Path, start: &Position, age: Duration, now: SystemTime) -> Abandoned {
    let mut found = Abandoned::default();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    // If the clock was set back, a journal can be from the future.
    let is_young = |time| now.duration_since(time).unwrap_or_default() <= age;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        // Opening a named pipe would wait for its other end.
        if !path.to_string_lossy().ends_with(SUFFIX) || !path.is_file() {
            continue;
        }
        let Ok(Some(file)) = claim(&path) else { continue };
        let journal = Journal { path, file };
        match last_state(&journal.path, start) {
            Some(state) if is_young(state.written) => found.games.push((journal, state)),
            Some(_) => journal.discard(),
            None => found.unusable.push(journal.name()),
        }
    }
    found.games.sort_by_key(|(_, state)| std::cmp::Reverse(state.written));
    found
}

/// Returns the state in the last complete line of a journal that fits the board of `start`; `None` if no line fits.
fn last_state(path: &Path, start: &Position) -> Option<State> {
    let text = read_text(path, MAX_BYTES).ok()?;
    let complete = text.rsplit_once('\n')?.0;
    complete.lines().rev().find_map(|line| state(line, start))
}

/// Latest date that a file name can have, the end of the year 9999, in seconds since 1970.
const LAST_DATE: f64 = 253_402_300_799.0;

/// The longest total time, in seconds.
const WEEK: f64 = 604_800.0;

fn state(line: &str, start: &Position) -> Option<State> {
    let line: Line = serde_json::from_str(line).ok()?;
    let size = Some(start.size()).filter(|size| size.edge() == line.size)?;
    let us = [Side::Black, Side::White].into_iter().find(|side| side.to_string() == line.us)?;
    let moves: Option<Vec<Move>> =
        line.moves.split(' ').filter(|mv| !mv.is_empty()).map(|mv| Move::from_letters(mv, size)).collect();
    let moves = moves?;
    moves.iter().try_fold(*start, |position, &mv| position.try_play(mv).ok())?;
    let duration =
        |seconds: f64, most: f64| Duration::try_from_secs_f64(seconds).ok().filter(|_| seconds <= most);
    let time = |seconds| SystemTime::UNIX_EPOCH.checked_add(duration(seconds, LAST_DATE)?);
    let place = match line.began {
        Some(began) => Some(Place { began: time(began)?, suffix: line.suffix }),
        None => None,
    };
    let (left, written) = (duration(line.left, WEEK)?, time(line.written)?);
    Some(State { us, moves, sent: line.sent, left, written, place })
}

fn seconds_since_1970(time: SystemTime) -> f64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a test fails by panicking
mod tests {
    use super::*;
    use testkit::Folder;

    fn some_state(written: SystemTime) -> State {
        let moves = ["d1d7g7", "a7d4a7"].map(|mv| mv.parse().unwrap()).to_vec();
        let place = Some(Place { began: now() - AGE, suffix: " (2)".into() });
        State { us: Side::Black, moves, sent: true, left: Duration::from_millis(12_340), written, place }
    }

    /// Returns a fixed time in whole seconds, which survives formatting without loss.
    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
    }

    const AGE: Duration = Duration::from_secs(100);

    #[test]
    fn the_last_complete_line_is_used() {
        let folder = Folder::new("journal-torn");
        let state = some_state(now());
        let mut journal = Journal::create(&folder).unwrap();
        journal.write(&State { sent: false, ..state.clone() }, Size::STANDARD).unwrap();
        journal.write(&state, Size::STANDARD).unwrap();
        journal.file.write_all(br#"{"size":10,"us":"#).unwrap();
        drop(journal);
        let found = abandoned(&folder, &Position::standard(), AGE, now() + AGE).games;
        assert_eq!(found.iter().map(|(_, state)| state.clone()).collect::<Vec<_>>(), [state]);
        drop(found);
        let other_board = abandoned(&folder, &Position::start(Size::BOTZONE), AGE, SystemTime::now());
        assert!(other_board.games.is_empty() && other_board.unusable.len() == 1);
        assert_eq!(abandoned(&folder, &Position::standard(), AGE, now()).games.len(), 1, "it is left alone");
    }

    #[test]
    fn a_state_is_read_back_as_it_was() {
        let full = some_state(now());
        let place = Some(Place { suffix: String::new(), ..full.place.clone().unwrap() });
        for (number, state) in [
            State { sent: false, ..full.clone() },
            State { us: Side::White, moves: Vec::new(), ..full.clone() },
            State { left: Duration::ZERO, place: None, ..full.clone() },
            State { place, ..full },
        ]
        .into_iter()
        .enumerate()
        {
            let folder = Folder::new(&format!("journal-state-{number}"));
            Journal::create(&folder).unwrap().write(&state, Size::STANDARD).unwrap();
            let found = abandoned(&folder, &Position::standard(), AGE, now()).games;
            assert_eq!(found.into_iter().map(|(_, state)| state).collect::<Vec<_>>(), [state]);
        }
    }

    #[test]
    fn locked_and_old_journals_are_not_resumed() {
        let folder = Folder::new("journal-claimed");
        let start = Position::standard();
        let mut journal = Journal::create(&folder).unwrap();
        journal.write(&some_state(now()), Size::STANDARD).unwrap();
        let games = |now| abandoned(&folder, &start, AGE, now).games;
        assert!(games(now()).is_empty(), "the process is alive");
        drop(journal);
        let first = games(now());
        assert_eq!(first.len(), 1);
        assert!(games(now()).is_empty(), "another process resumes the game");
        drop(first);
        assert!(games(now() + AGE + Duration::from_secs(1)).is_empty(), "the journal is old");
        assert_eq!(std::fs::read_dir(&*folder).unwrap().count(), 0, "the old journal is removed");
    }

    #[test]
    fn the_newest_unfinished_game_comes_first() {
        let folder = Folder::new("journal-order");
        let times = [30, 10, 50, 20, 40].map(|seconds| now() + Duration::from_secs(seconds));
        for (number, written) in (0..).zip(times) {
            let mut journal = Journal::create(&folder).unwrap();
            journal.write(&some_state(written), Size::STANDARD).unwrap();
            // As if another process had written it: a process has one journal.
            std::fs::rename(&journal.path, folder.join(format!("{number}{SUFFIX}"))).unwrap();
        }
        let found = abandoned(&folder, &Position::standard(), AGE, now() + AGE).games;
        let mut newest_first = times;
        newest_first.sort_by_key(|&time| std::cmp::Reverse(time));
        assert_eq!(found.iter().map(|(_, state)| state.written).collect::<Vec<_>>(), newest_first);
    }

    #[test]
    fn files_that_are_no_journal_are_named_and_stay() {
        let folder = Folder::new("journal-damaged");
        let names = ["empty.game", "words.game", "zeros.game"];
        for (name, bytes) in names.into_iter().zip([&b""[..], b"no journal\n", &[0; 500]]) {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        for age in [Duration::ZERO, 2 * AGE, 1000 * AGE] {
            let mut found = abandoned(&folder, &Position::standard(), AGE, SystemTime::now() + age);
            found.unusable.sort();
            assert_eq!((found.games.len(), found.unusable), (0, names.map(str::to_owned).to_vec()));
        }
        let text = std::fs::read(folder.join("words.game")).unwrap();
        assert_eq!(
            (text.as_slice(), std::fs::read_dir(&*folder).unwrap().count()),
            (&b"no journal\n"[..], 3)
        );
    }
}
