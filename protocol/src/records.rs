//! Records of games as files, under the names that the Chinese championships ask for, and the way back:
//! the moves of a record.

use crate::files;
use crate::options::Settings;
use otrera::record::{GameRecord, PlayedMove, ccgc};
use otrera::{Move, Position, Side};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The record of one game. It may be written as often as the game has changed, so that there is one even
/// if the program is killed; each time it replaces the one before.
pub struct RecordFile {
    folder: PathBuf,
    record: GameRecord,
    /// Date, time and place as file names have them.
    when: String,
    /// Whether the file is named in English.
    in_english: bool,
    /// Tells games apart that began in the same minute: empty, or ` (2)` and so on.
    suffix: String,
    /// Where the record is now.
    path: Option<PathBuf>,
}

impl RecordFile {
    /// The record of a game that begins now; no file is made yet.
    pub fn new(folder: &Path, [black, white]: [&str; 2], settings: &Settings, start: &Position) -> Self {
        let now = chrono::Local::now();
        let at_place = |time: String| format!("{time} {}", settings.place).trim_end().to_owned();
        let record = GameRecord {
            when: at_place(now.format("%Y.%m.%d %H:%M").to_string()),
            event: settings.event.clone(),
            ..GameRecord::new(black, white, *start)
        };
        let when = at_place(now.format("%Y年%m月%d日 %H时%M分").to_string());
        Self { folder: folder.to_owned(), record, when, in_english: false, suffix: String::new(), path: None }
    }

    /// The same with an English name, `You vs Otrera, Black wins, 2020-08-16 11.44.txt`.
    pub fn in_english(self) -> Self {
        let when = chrono::Local::now().format("%Y-%m-%d %H.%M").to_string();
        Self { when, in_english: true, ..self }
    }

    /// The game with these moves.
    pub fn game(&self, moves: &[PlayedMove], winner: Option<Side>) -> GameRecord {
        GameRecord { winner, moves: moves.to_vec(), ..self.record.clone() }
    }

    /// Writes the game as it stands and waits until the disk has it; without a winner it is marked as unfinished.
    /// Returns the file's path, which changes with the result.
    ///
    /// # Errors
    /// What could not be written, as a message.
    pub fn write(&mut self, moves: &[Move], winner: Option<Side>) -> Result<PathBuf, String> {
        self.write_moves(moves, winner, write_through)
    }

    /// Writes these moves of a game under way and does not wait for the disk: whoever kills the program after that
    /// finds them in the record.
    ///
    /// # Errors
    /// What could not be written, as a message.
    pub fn announce(&mut self, moves: &[Move]) -> Result<PathBuf, String> {
        self.write_moves(moves, None, |path, bytes| std::fs::write(path, bytes))
    }

    /// Removes the file: the game was none.
    pub fn discard(self) {
        // One that cannot be removed is no more than a file too many.
        let _ = self.path.map(std::fs::remove_file);
    }

    fn write_moves(
        &mut self,
        moves: &[Move],
        winner: Option<Side>,
        write: impl Fn(&Path, &[u8]) -> std::io::Result<()>,
    ) -> Result<PathBuf, String> {
        let folder = self.folder.display().to_string();
        let problem = |error: std::io::Error| format!("no record written in {folder}: {error}");
        if self.path.is_none() {
            self.path = Some(self.claim_name().map_err(problem)?);
        }
        let record = GameRecord { winner, ..self.record.clone().with_moves(moves) };
        let path = self.place(winner, &self.suffix);
        // A draft that is renamed: whoever is killed leaves the old record or the new one, and no half.
        let draft = self.folder.join(format!("otrera-{}.part", std::process::id()));
        let text = ccgc::write(&record).replace('\n', "\r\n");
        let written = write(&draft, text.as_bytes()).and_then(|()| std::fs::rename(&draft, &path));
        if let Err(error) = written {
            // The draft is worth nothing; that it cannot be removed either would be no news.
            let _ = std::fs::remove_file(&draft);
            return Err(problem(error));
        }
        if let Some(old) = self.path.replace(path.clone()).filter(|old| *old != path) {
            std::fs::remove_file(old).map_err(problem)?;
        }
        Ok(path)
    }

    /// Makes the file under the first name that is free whatever the result will be.
    fn claim_name(&mut self) -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(&self.folder)?;
        for number in 1.. {
            let suffix = if number == 1 { String::new() } else { format!(" ({number})") };
            let taken =
                [Side::Black, Side::White].iter().any(|&side| self.place(Some(side), &suffix).exists());
            let path = self.place(None, &suffix);
            match std::fs::File::create_new(&path) {
                Ok(_) if !taken => {
                    self.suffix = suffix;
                    return Ok(path);
                }
                Ok(_) => std::fs::remove_file(path)?,
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(std::io::ErrorKind::AlreadyExists.into())
    }

    /// The competition's name for the file:
    /// `AM-<first>B vs <second>W-先手胜-2020年08月16日 11时44分 重庆-<event>.txt`.
    fn place(&self, winner: Option<Side>, suffix: &str) -> PathBuf {
        let [black, white, when, event] =
            [&self.record.black, &self.record.white, &self.when, &self.record.event]
                .map(|text| file_safe(text));
        if self.in_english {
            let result = match winner {
                Some(side) => format!("{side} wins"),
                None => "unfinished".into(),
            };
            return self.folder.join(format!("{black} vs {white}, {result}, {when}{suffix}.txt"));
        }
        let result = ccgc::result(winner);
        self.folder.join(format!("AM-{black}B vs {white}W-{result}-{when}-{event}{suffix}.txt"))
    }
}

/// Our name in records.
pub fn own_name(settings: &Settings) -> &str {
    settings.team.as_ref().unwrap_or(&settings.name)
}

/// A text without the characters that Windows forbids in names, and short enough for four of its kind to
/// fit into the 255 bytes that Linux allows.
fn file_safe(text: &str) -> String {
    let forbidden = |c: char| c.is_control() || r#"<>:"/\|?*"#.contains(c);
    let safe = text.chars().map(|c| if forbidden(c) { '_' } else { c });
    let mut bytes = 0;
    safe.take_while(|c| {
        bytes += c.len_utf8();
        bytes <= 50
    })
    .collect()
}

/// Writes a file and waits until the disk has it, so that a power cut leaves the old record or the new one.
fn write_through(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The largest record that is read, in bytes. One of a long game has some 10 KB, and the platform adds every game to
/// the same file.
const LARGEST_RECORD: u64 = 16 << 20;

/// The text of a record. Names in it may be in any encoding; the moves are plain letters.
///
/// # Errors
/// It cannot be read.
pub fn read_text(file: &Path) -> std::io::Result<String> {
    files::read_text(file, LARGEST_RECORD)
}

/// The moves of a record or of a text of moves, from `start` on, as far as they can be read and played, and what
/// was wrong with the text.
pub fn playable(text: &str, start: &Position) -> (Vec<Move>, Option<String>) {
    let (moves, torn) = ccgc::read_moves_up_to_error(text);
    let mut position = *start;
    for (played, &mv) in moves.iter().enumerate() {
        match position.try_play(mv) {
            Ok(next) => position = next,
            Err(error) => {
                let problem = format!("move {}, {mv}, is not legal: {error}", played + 1);
                return (moves.into_iter().take(played).collect(), Some(problem));
            }
        }
    }
    let problem = match torn {
        Some(error) => Some(format!("{error}; what comes before it counts")),
        None if moves.is_empty() => Some("no moves in it".into()),
        None => None,
    };
    (moves, problem)
}
