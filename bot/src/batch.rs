//! `otrera analyze --record FOLDER --annotate FOLDER`: reviews many games, and writes each annotated game and a table.
//!
//! [`JOURNAL`] in the output folder has a line for each reviewed game. A line is written before its game, so that a
//! file without a line is not ours. Both steps are atomic: after a kill, the same command goes on.

use crate::analyze::{Progress, resources};
use crate::cli::CommandLine;
use crate::position::{self, check_warnings};
use crate::records::{each_game, format_game, format_illegal};
use crate::review::{DEFAULT_TIME, Reviewed, review};
use otrera::record::{MARKS, PHASE_ENDS, phase_of};
use otrera::{GameRecord, Side};
use otrera_front::files::{self, claim, read, remove_drafts, replace_file};
use otrera_front::io::print;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// File with a line for each reviewed game, in the output folder.
const JOURNAL: &str = "reviews.jsonl";

/// Start of each line of the journal.
const ROW_START: &str = "{\"game\":";

/// Table of the players, in the output folder.
const TABLE: &str = "reviews.csv";

/// Columns of the table. The phases, see [`PHASE_ENDS`], count mistakes and blunders.
const COLUMNS: [&str; 13] = [
    "game",
    "record",
    "side",
    "player",
    "moves",
    "accuracy",
    "inaccuracies",
    "mistakes",
    "blunders",
    "opening_mistakes",
    "middlegame_mistakes",
    "endgame_mistakes",
    "lead_lost",
];

/// Number of phases of a game.
const PHASES: usize = PHASE_ENDS.len() + 1;

/// Maximum size of our own files, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// A line of the journal: a reviewed game.
#[derive(Clone, Serialize, Deserialize)]
struct Row {
    /// File name of the annotated game.
    game: String,
    /// File name of the record, and number of the game there.
    record: String,
    number: usize,
    /// Settings of the search.
    settings: String,
    /// Checksums of the game before, and of the annotated game's file.
    input: u32,
    written: u32,
    /// Black's row of the table and White's.
    players: [Player; 2],
}

/// A player's row of the table.
#[derive(Clone, Serialize, Deserialize)]
struct Player {
    name: String,
    moves: usize,
    /// 100 minus the mean loss of win rate in percent; `None` without moves.
    accuracy: Option<f32>,
    /// Inaccuracies, mistakes and blunders.
    marks: [usize; MARKS.len()],
    /// Mistakes and blunders by phase.
    phases: [usize; PHASES],
    lead_lost: f32,
}

/// A game of a record that is to be reviewed.
struct Planned {
    file: PathBuf,
    number: usize,
    /// File name of the annotated game.
    output: String,
    input: u32,
    positions: usize,
}

/// Reviews all games of a record or of a folder of records. Fails at the end if a game could not be reviewed.
pub fn run(options: &CommandLine, record: &Path, folder: &Path) -> Result<(), String> {
    let own = &options.own;
    if own.game.is_some() || own.moves.is_some() || own.fen.is_some() || own.ply.is_some() {
        return Err("a folder is reviewed whole, without --game, --ply, --moves or --fen".into());
    }
    let at_folder = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(at_folder)?;
    if record.is_dir() && same_file::is_same_file(record, folder).map_err(at_folder)? {
        return Err("--annotate needs another folder than --record".into());
    }
    let files = record_files(record).map_err(|error| format!("{}: {error}", record.display()))?;
    let mut batch = Batch::open(options, folder)?;
    let planned = batch.plan(&files);
    let pending: Vec<&Planned> = planned.iter().filter(|game| !batch.is_done(game)).collect();
    let (games, ready) = (planned.len(), planned.len() - pending.len());
    print(&format!("{games} games, {ready} of them reviewed before with these settings\n"))?;
    let mut course = Course::begin(&pending);
    for file in &files {
        batch.review_file(file, &pending, &mut course);
    }
    course.progress.wipe();
    let path = batch.write_table(&planned)?;
    print(&format!("written to {} and {}\n", folder.display(), path.display()))?;
    match batch.problems {
        0 => Ok(()),
        1 => Err("1 problem, see above; the other games are reviewed".into()),
        count => Err(format!("{count} problems, see above; the other games are reviewed")),
    }
}

/// Returns a file, or all files of a folder except hidden ones, sorted by name.
fn record_files(record: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !record.is_dir() {
        return Ok(vec![record.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(record)? {
        let path = entry?.path();
        if path.is_file() && !file_name(&path).starts_with('.') {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The progress line: games, positions, a bar, and an estimate of the time left.
struct Course {
    progress: Progress,
    started: Instant,
    games: usize,
    positions: usize,
    /// Games and positions that are done.
    done: (usize, usize),
}

impl Course {
    fn begin(pending: &[&Planned]) -> Self {
        let positions = pending.iter().map(|game| game.positions).sum();
        let progress = Progress::begin("");
        Self { progress, started: Instant::now(), games: pending.len(), positions, done: (0, 0) }
    }

    /// Shows the progress; `now` positions of the current game are done.
    fn show(&self, now: usize) {
        const WIDTH: usize = 24;
        let (game, done) = (self.done.0 + 1, self.done.1 + now);
        let filled = "#".repeat(WIDTH * done / self.positions.max(1));
        let elapsed = self.started.elapsed().as_secs_f64();
        let left = elapsed * self.positions.saturating_sub(done) as f64 / done as f64;
        let left = match done {
            0 => String::new(),
            _ if left < 90.0 => format!("{left:.0} s left"),
            _ => format!("{:.0} min left", left / 60.0),
        };
        let (games, now) = (self.games, now + 1);
        self.progress.show(&format!("[{filled:WIDTH$}] game {game} of {games}, position {now}  {left}"));
    }
}

/// A batch: its output folder with the journal.
struct Batch<'a> {
    options: &'a CommandLine,
    folder: &'a Path,
    settings: String,
    journal: File,
    /// All lines of the journal, by the name of the annotated game; the newest line last.
    rows: HashMap<String, Vec<Row>>,
    /// Number of messages about games that were not reviewed.
    problems: usize,
}

impl<'a> Batch<'a> {
    /// Opens or creates the journal, and removes what a killed process left half-written. Fails if the folder is in
    /// use, or has a file with the name of one of ours.
    fn open(options: &'a CommandLine, folder: &'a Path) -> Result<Self, String> {
        let [path, table] = [JOURNAL, TABLE].map(|name| folder.join(name));
        let foreign = |path: &Path| {
            format!("{} is not Otrera's and stays unchanged; choose another folder", path.display())
        };
        let text = read_text(&path)?;
        // A kill can have cut off a line.
        let is_ours = |line: &str| line.starts_with(ROW_START) || ROW_START.starts_with(line);
        if text.starts_with(['\n', '\r']) || !text.lines().all(is_ours) {
            return Err(foreign(&path));
        }
        let header = read_text(&table)?;
        if !header.is_empty() && header.lines().next() != Some(&COLUMNS.join(",")) {
            return Err(foreign(&table));
        }
        let mut rows = HashMap::<String, Vec<Row>>::new();
        for (number, line) in (1..).zip(text.lines()) {
            match serde_json::from_str::<Row>(line) {
                Ok(row) => rows.entry(row.game.clone()).or_default().push(row),
                // A kill has cut off the line.
                Err(error) if error.is_eof() => {}
                Err(error) => {
                    let advice = "choose another folder";
                    return Err(format!("{}: line {number} is damaged: {error}; {advice}", path.display()));
                }
            }
        }
        let journal = claim(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut journal =
            journal.ok_or_else(|| format!("{}: another process reviews into it", folder.display()))?;
        if !text.is_empty() && !text.ends_with('\n') {
            journal.write_all(b"\n").map_err(|error| format!("{}: {error}", path.display()))?;
        }
        // The journal is locked: no other process writes here.
        remove_drafts(folder);
        Ok(Self { options, folder, settings: settings_of(options), journal, rows, problems: 0 })
    }

    /// Shows a message about a game that is not reviewed.
    fn complain(&mut self, place: &Path, problem: &str) {
        self.problems += 1;
        // Nobody is left to read the message if standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}: {problem}", place.display());
    }

    /// Lists the games of the files, under different names. Shows warnings, and messages about games left out.
    fn plan(&mut self, files: &[PathBuf]) -> Vec<Planned> {
        let (mut planned, mut names) = (Vec::new(), BTreeSet::new());
        for file in files {
            let mut games = Vec::new();
            let take = |game: GameRecord| {
                games.push((input_of(&game), game.moves.len(), problem_of(self.options, &game)))
            };
            let outcome = each_game(file, position::MAX_BYTES, take);
            if let Err(problem) = outcome.and_then(|warnings| check_warnings(file, &warnings, self.options)) {
                self.complain(file, &problem);
                continue;
            }
            let several = games.len() > 1;
            for (number, (input, moves, problem)) in (1..).zip(games) {
                let output = output_name(&file_name(file), several.then_some(number), &mut names);
                match problem {
                    Some(problem) => self.complain(file, &format!("game {number}: {problem}")),
                    None => planned.push(Planned {
                        file: file.clone(),
                        number,
                        output,
                        input,
                        positions: moves + 1,
                    }),
                }
            }
        }
        planned
    }

    /// Returns the journal's newest line about a game, if it was reviewed with the same settings.
    fn row(&self, game: &Planned) -> Option<&Row> {
        let row = self.rows.get(&game.output)?.last()?;
        Some(row).filter(|row| row.settings == self.settings && row.input == game.input)
    }

    /// True if a game was reviewed with these settings and its file exists, edited or not.
    fn is_done(&self, game: &Planned) -> bool {
        let Some(row) = self.row(game) else { return false };
        let Some(found) = checksum(&self.folder.join(&game.output)) else { return false };
        let is_older = |older: &Row| older.written == found;
        found == row.written || !self.rows.get(&game.output).is_some_and(|rows| rows.iter().any(is_older))
    }

    /// Reviews the pending games of a file.
    fn review_file(&mut self, file: &Path, pending: &[&Planned], course: &mut Course) {
        if pending.iter().all(|planned| planned.file != file) {
            return;
        }
        let mut number = 0;
        let outcome = each_game(file, position::MAX_BYTES, |game| {
            number += 1;
            let Some(planned) =
                pending.iter().find(|planned| planned.file == file && planned.number == number)
            else {
                return;
            };
            if let Err(problem) = self.review_game(planned, game, course) {
                course.progress.wipe();
                self.complain(&self.folder.join(&planned.output), &problem);
            }
            course.done = (course.done.0 + 1, course.done.1 + planned.positions);
        });
        if let Err(problem) = outcome {
            self.complain(file, &problem);
        }
    }

    /// Reviews a game; writes the journal's line and then the file.
    fn review_game(
        &mut self,
        planned: &Planned,
        mut game: GameRecord,
        course: &Course,
    ) -> Result<(), String> {
        let path = self.folder.join(&planned.output);
        let ours = |found| {
            self.rows.get(&planned.output).is_some_and(|rows| rows.iter().any(|row| row.written == found))
        };
        if path.exists() && !checksum(&path).is_some_and(ours) {
            return Err("exists, is not a review by Otrera or was edited, and stays unchanged".into());
        }
        if input_of(&game) != planned.input {
            return Err(format!("{} has changed meanwhile; run the command again", planned.file.display()));
        }
        let moves = review(self.options, &mut game, |now| course.show(now));
        let text = format_game(&path, &game)?;
        let row = Row {
            game: planned.output.clone(),
            record: file_name(&planned.file),
            number: planned.number,
            settings: self.settings.clone(),
            input: planned.input,
            written: crc32fast::hash(text.as_bytes()),
            players: Side::BOTH.map(|side| Player::new(&game, &moves, side)),
        };
        let line = serde_json::to_string(&row).map_err(|error| error.to_string())? + "\n";
        self.journal.write_all(line.as_bytes()).map_err(|error| format!("{JOURNAL}: {error}"))?;
        replace_file(&path, text.as_bytes(), false).map_err(|error| error.to_string())?;
        self.rows.entry(row.game.clone()).or_default().push(row);
        Ok(())
    }

    /// Writes the table of all games that are reviewed; returns its path.
    fn write_table(&self, planned: &[Planned]) -> Result<PathBuf, String> {
        let path = self.folder.join(TABLE);
        let mut table = csv::Writer::from_writer(Vec::new());
        let mut written = table.write_record(COLUMNS);
        for row in planned.iter().filter(|game| self.is_done(game)).filter_map(|game| self.row(game)) {
            for (side, player) in Side::BOTH.iter().zip(&row.players) {
                written = written.and_then(|()| table.write_record(player.cells(row, *side)));
            }
        }
        let bytes = written
            .map_err(|error| error.to_string())
            .and_then(|()| table.into_inner().map_err(|error| error.to_string()));
        let replaced =
            bytes.and_then(|bytes| replace_file(&path, &bytes, false).map_err(|error| error.to_string()));
        replaced.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }
}

impl Player {
    fn new(game: &GameRecord, moves: &[Reviewed], side: Side) -> Self {
        let own: Vec<&Reviewed> = moves.iter().filter(|one| one.side == side).collect();
        let open: Vec<f32> = own.iter().filter(|one| !one.is_decided).map(|one| one.loss).collect();
        let lost: f32 = open.iter().sum();
        let [mut marks, mut phases] = [[0; MARKS.len()], [0; PHASES]];
        let positions = game.positions();
        for (one, name) in own.iter().filter_map(|one| Some((one, one.mark.as_ref()?.0))) {
            // The marks are sorted by descending loss, the columns by ascending loss.
            let rank = MARKS.iter().rev().position(|(_, mark)| *mark == name).unwrap_or_default();
            marks.iter_mut().skip(rank).take(1).for_each(|count| *count += 1);
            let position = positions.get(one.ply - 1).unwrap_or(&game.start);
            phases
                .iter_mut()
                .skip(phase_of(position))
                .take(usize::from(rank > 0))
                .for_each(|count| *count += 1);
        }
        Self {
            name: if side == Side::Black { &game.black } else { &game.white }.clone(),
            moves: own.len(),
            accuracy: (!open.is_empty()).then(|| 100.0 * (1.0 - lost / open.len() as f32)),
            marks,
            phases,
            // Without moves the sum would be -0.
            lead_lost: own.iter().map(|one| one.lead_loss).sum::<f32>() + 0.0,
        }
    }

    /// Returns the cells of the player's row in the table.
    fn cells(&self, row: &Row, side: Side) -> Vec<String> {
        let record = format!("{} {}", row.record, row.number);
        let texts = [&row.game, &record, &side.to_string(), &self.name].map(|text| text_cell(text));
        let accuracy = self.accuracy.map_or(String::new(), |accuracy| format!("{accuracy:.1}"));
        let counts = self.marks.iter().chain(&self.phases).map(ToString::to_string);
        let lead = format!("{:.1}", self.lead_lost);
        texts.into_iter().chain([self.moves.to_string(), accuracy]).chain(counts).chain([lead]).collect()
    }
}

/// Returns a cell that a spreadsheet shows as text: one that it would run as a formula begins with an apostrophe.
fn text_cell(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// Returns the name for an annotated game: that of its record, with a number if the record has several games. Names
/// differ in more than case.
fn output_name(record: &str, number: Option<usize>, taken: &mut BTreeSet<String>) -> String {
    let stem = match (record.strip_suffix(".sgf").unwrap_or(record), number) {
        (stem, None) => stem.to_owned(),
        (stem, Some(number)) => format!("{stem}-{number}"),
    };
    let names =
        (1..).map(|copy| if copy == 1 { format!("{stem}.sgf") } else { format!("{stem} ({copy}).sgf") });
    let mut free = names.filter(|name| taken.insert(name.to_lowercase()));
    free.next().unwrap_or(stem)
}

/// Describes the settings that change a review.
fn settings_of(options: &CommandLine) -> String {
    let settings = &options.settings;
    let limit = match settings.iterations {
        Some(count) => format!("{count} iterations"),
        None => {
            let time: Duration = options.own.time.or(settings.move_time).unwrap_or(DEFAULT_TIME);
            format!("{} s", time.as_secs_f64())
        }
    };
    let otrera::Resources { threads, seed, .. } = resources(options);
    format!("{}, {limit}, threads {threads}, seed {seed}", settings.preset.text)
}

/// Returns a message if a game cannot be reviewed.
fn problem_of(options: &CommandLine, game: &GameRecord) -> Option<String> {
    if game.moves.is_empty() {
        return Some("has no moves".into());
    }
    game.first_illegal().map(format_illegal).or_else(|| options.settings.check_board(game.start.size()).err())
}

/// Returns the checksum of a game.
fn input_of(game: &GameRecord) -> u32 {
    crc32fast::hash(serde_json::to_string(game).unwrap_or_default().as_bytes())
}

/// Returns the checksum of a file; `None` if it cannot be read.
fn checksum(path: &Path) -> Option<u32> {
    read(path, MAX_BYTES).ok().map(|bytes| crc32fast::hash(&bytes))
}

/// Reads one of our own files; a missing file is empty.
fn read_text(path: &Path) -> Result<String, String> {
    match files::read_text(path, MAX_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        found => found.map_err(|error| format!("{}: {error}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for (name, cell) in [
            ("=1+1", "'=1+1"),
            ("+Ada", "'+Ada"),
            ("-Ada", "'-Ada"),
            ("@Ada", "'@Ada"),
            ("\t=1", "'\t=1"),
            ("Ada = Bob", "Ada = Bob"),
            ("'Ada", "'Ada"),
            ("", ""),
        ] {
            assert_eq!(text_cell(name), cell);
        }
    }

    #[test]
    fn games_have_different_names() {
        let mut taken = BTreeSet::new();
        for (record, number, name) in [
            ("a.sgf", None, "a.sgf"),
            ("a", None, "a (2).sgf"),
            ("A.sgf", None, "A (3).sgf"),
            ("a.txt", None, "a.txt.sgf"),
            ("b.txt", Some(1), "b.txt-1.sgf"),
            ("b.txt", Some(2), "b.txt-2.sgf"),
            ("b.txt-2", None, "b.txt-2 (2).sgf"),
        ] {
            assert_eq!(output_name(record, number, &mut taken), name);
        }
    }
}
