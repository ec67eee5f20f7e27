//! Writes game records under the file names required by the Chinese championships, and reads moves from such files.

use otrera::record::{self, Format, GameRecord, PlayedMove, Warning, ccgc};
use otrera::{IllegalMove, Move, Position, Rules, Side, Size};
use otrera_front::files::{self, replace_file};
use otrera_front::settings::Settings;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The record file of a game, rewritten after each move so that a killed process loses no moves.
pub struct RecordFile {
    folder: PathBuf,
    record: GameRecord,
    /// CCGC; of [`Self::new`] SGF for a start position that CCGC cannot express.
    format: Format,
    /// Date, time and place for the file name.
    when: String,
    /// True for an English file name.
    in_english: bool,
    /// Suffix of the file name: empty, or ` (2)` and so on for further games that start in the same minute.
    suffix: String,
    /// Path of the file, once created.
    path: Option<PathBuf>,
}

impl RecordFile {
    /// Creates the record of a game that starts now. The first write creates the file.
    pub fn new(folder: &Path, names: [&str; 2], settings: &Settings, start: &Position) -> Self {
        let usual = [Size::STANDARD, Size::BOTZONE].map(Position::start);
        let is_usual = usual.contains(&start.with_rules(Rules::Standard));
        let format = if is_usual { Format::Ccgc } else { Format::Sgf };
        Self { format, ..Self::begun_at(SystemTime::now(), folder, names, settings, start) }
    }

    /// Creates the record of a game that started at this time. The first write creates the file.
    pub fn begun_at(
        time: SystemTime,
        folder: &Path,
        [black, white]: [&str; 2],
        settings: &Settings,
        start: &Position,
    ) -> Self {
        let now = chrono::DateTime::<chrono::Local>::from(time);
        let at_place = |time: String| format!("{time} {}", settings.place).trim_end().to_owned();
        let record = GameRecord {
            when: at_place(now.format("%Y.%m.%d %H:%M").to_string()),
            event: settings.event.clone(),
            ..GameRecord::new(black, white, *start)
        };
        let when = at_place(now.format("%Y年%m月%d日 %H时%M分").to_string());
        let (folder, suffix, format) = (folder.to_owned(), String::new(), Format::Ccgc);
        Self { folder, record, format, when, in_english: false, suffix, path: None }
    }

    /// Gives the file an English name, like `You vs Otrera, Black wins, 2020-08-16 11.44.txt`.
    pub fn in_english(self) -> Self {
        let when = chrono::Local::now().format("%Y-%m-%d %H.%M").to_string();
        Self { when, in_english: true, ..self }
    }

    /// Continues the file of an earlier process that began at the same time, given the file name's suffix.
    pub fn continued(self, suffix: String) -> Self {
        let when = self.when.clone();
        self.reopened(when, suffix)
    }

    /// Continues the files of an earlier process, given its [`Self::date_and_suffix`].
    pub fn reopened(self, when: String, suffix: String) -> Self {
        let mut file = Self { when, suffix, ..self };
        let results = [Some(Side::Black), Some(Side::White), None];
        let [black, white, unfinished] = results.map(|winner| file.place(winner, &file.suffix));
        file.path = [black, white].into_iter().find(|path| path.exists()).or(Some(unfinished));
        file
    }

    /// Returns the date and the suffix in the file name, by which [`Self::reopened`] finds the files.
    pub fn date_and_suffix(&self) -> [&str; 2] {
        [&self.when, &self.suffix]
    }

    /// Creates the file under an unused name, unless this record already has a file.
    pub fn claim(&mut self) -> Result<(), String> {
        if self.path.is_none() {
            self.path = Some(self.claim_name().map_err(|error| self.problem(&error))?);
        }
        Ok(())
    }

    /// Removes the claimed file if it is still empty, as after a failed write.
    pub fn release(&mut self) {
        let is_empty = |path: &mut PathBuf| path.metadata().is_ok_and(|found| found.len() == 0);
        // A leftover file does no harm.
        let _ = self.path.take_if(is_empty).map(std::fs::remove_file);
    }

    /// Returns the path of the JSON file beside the record. The JSON file's name does not contain the game's result.
    pub fn json_path(&self) -> PathBuf {
        self.json_place(&self.suffix)
    }

    fn json_place(&self, suffix: &str) -> PathBuf {
        let [black, white, when, event] = self.names();
        self.folder.join(format!("AM-{black}B vs {white}W-{when}-{event}{suffix}.json"))
    }

    fn problem(&self, error: &std::io::Error) -> String {
        format!("cannot write a record in {}: {error}", self.folder.display())
    }

    /// Returns the game record with these moves and this result.
    pub fn game(&self, moves: &[PlayedMove], winner: Option<Side>) -> GameRecord {
        GameRecord { winner, moves: moves.to_vec(), ..self.record.clone() }
    }

    /// Writes the game (unfinished without a winner) and syncs it to disk. Returns the path, which contains the result.
    pub fn write(&mut self, moves: &[Move], winner: Option<Side>) -> Result<PathBuf, String> {
        self.write_moves(moves, winner, true)
    }

    /// Writes an unfinished game without syncing it to disk: safe if the process is killed, but not in a power cut.
    pub fn announce(&mut self, moves: &[Move]) -> Result<PathBuf, String> {
        self.write_moves(moves, None, false)
    }

    /// Removes the file, if it was created.
    pub fn discard(self) {
        // A leftover file does no harm.
        let _ = self.path.map(std::fs::remove_file);
    }

    fn write_moves(&mut self, moves: &[Move], winner: Option<Side>, sync: bool) -> Result<PathBuf, String> {
        self.claim()?;
        let record = GameRecord { winner, ..self.record.clone().with_moves(moves) };
        let path = self.place(winner, &self.suffix);
        let text = match self.format {
            Format::Ccgc => ccgc::write(&record).replace('\n', "\r\n"),
            format => format.write(&record)?,
        };
        if let Err(error) = replace_file(&path, text.as_bytes(), sync) {
            self.release();
            return Err(self.problem(&error));
        }
        if let Some(old) = self.path.replace(path.clone()).filter(|old| *old != path) {
            match std::fs::remove_file(old) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(self.problem(&error));
                }
                _ => {}
            }
        }
        Ok(path)
    }

    /// Creates the file with the first suffix that is free for every result, since the result is part of the name.
    fn claim_name(&mut self) -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(&self.folder)?;
        for number in 1.. {
            let suffix = if number == 1 { String::new() } else { format!(" ({number})") };
            let taken = self.json_place(&suffix).exists()
                || [Side::Black, Side::White].iter().any(|&side| self.place(Some(side), &suffix).exists());
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

    /// Returns Black, White, the date and the event as components of a file name.
    fn names(&self) -> [String; 4] {
        [&self.record.black, &self.record.white, &self.when, &self.record.event].map(|text| file_safe(text))
    }

    /// Returns the path for this result, by default with the championships' file name:
    /// `AM-<first>B vs <second>W-先手胜-2020年08月16日 11时44分 重庆-<event>.txt`.
    fn place(&self, winner: Option<Side>, suffix: &str) -> PathBuf {
        let [black, white, when, event] = self.names();
        let ending = if self.format == Format::Ccgc { "txt" } else { "sgf" };
        if self.in_english {
            let result = winner.map_or("unfinished".into(), |side| format!("{side} wins"));
            return self.folder.join(format!("{black} vs {white}, {result}, {when}{suffix}.{ending}"));
        }
        let result = ccgc::result(winner);
        self.folder.join(format!("AM-{black}B vs {white}W-{result}-{when}-{event}{suffix}.{ending}"))
    }
}

/// Returns the record folder of `play` and `gui`: `--record-dir`, by default `records`.
pub fn record_folder(settings: &Settings) -> &Path {
    settings.record_dir.as_deref().unwrap_or(Path::new("records"))
}

/// Returns our name in records: `--team`, by default `--name`.
pub fn own_name(settings: &Settings) -> &str {
    settings.team.as_ref().unwrap_or(&settings.name)
}

/// Replaces the characters that Windows forbids in file names with `_`, and truncates the text to 50 bytes: a name has
/// four such texts, and Linux allows 255 bytes.
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

/// Maximum size of a record file from which a game resumes, in bytes. A long game has 10 KB; the SAU platform appends
/// all games to one file.
const MAX_RECORD_BYTES: u64 = 16 << 20;

/// The last game of a record file.
pub struct LastGame {
    /// The game.
    pub game: GameRecord,
    /// Number of games in the file.
    pub games: usize,
    /// Warnings about the whole file.
    pub warnings: Vec<Warning>,
}

impl LastGame {
    /// Reads a record file in any format. Fails if the file is unreadable or has no game.
    pub fn read(file: &Path) -> Result<Self, String> {
        let (mut games, mut last) = (0, None);
        let warnings = each_game(file, MAX_RECORD_BYTES, |game| {
            games += 1;
            last = Some(game);
        })?;
        Ok(Self { game: last.ok_or("contains no game")?, games, warnings })
    }
}

/// Passes each game of a record file of at most `max` bytes to `take`, so that a large file is never held as games;
/// returns the warnings. Fails if the file is unreadable or has no game.
pub fn each_game(file: &Path, max: u64, take: impl FnMut(GameRecord)) -> Result<Vec<Warning>, String> {
    let bytes = files::read(file, max).map_err(|error| error.to_string())?;
    record::read_each(&bytes, take).map_err(|error| error.to_string())
}

/// Reads the moves of a game from `start`; also returns the first warning.
#[cfg(test)]
pub fn playable(text: &str, start: &Position) -> (Vec<Move>, Option<String>) {
    let (moves, warnings) = record::read_moves(text, start);
    let warning = warnings.first().map(ToString::to_string);
    let problem = warning.or_else(|| moves.is_empty().then(|| "contains no moves".into()));
    (moves, problem)
}

/// Formats the error for an illegal move, a result of [`GameRecord::first_illegal`].
pub fn format_illegal((number, mv, error): (usize, Move, IllegalMove)) -> String {
    format!("move {number}, {mv}, is not legal: {error}")
}

/// Formats a game as SGF, JSON or CCGC text, chosen by the file's extension. Fails for other extensions, and for games
/// that CCGC text cannot represent.
pub fn format_game(file: &Path, game: &GameRecord) -> Result<String, String> {
    let format = Format::of_extension(&file.extension().unwrap_or_default().to_string_lossy());
    format.ok_or("the file name must end in .sgf, .json or .txt (CCGC)")?.write(game)
}
