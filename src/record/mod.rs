//! Game records and their formats. [`GameRecord`] holds a game. [`json`] stores all of its data in one line, [`ccgc`]
//! is the Chinese championship's format, [`sgf`] the format of board viewers; [`botzone`] reads Botzone's match logs.
//! [`read`] detects the format.

pub mod botzone;
pub mod ccgc;
mod decode;
pub mod json;
mod parts;
mod reading;
pub mod scan;
pub mod sgf;
pub mod standing;
mod work;

use reading::Intake;
pub use reading::{Reading, Warning};

use crate::board::moves::{IllegalMove, Move};
use crate::board::notation::MalformedText;
use crate::board::position::Position;
use crate::board::square::Side;
use encoding_rs::Encoding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// File format in which games are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JSON lines, see [`json`].
    Json,
    /// Smart Game Format, see [`sgf`].
    Sgf,
    /// The text format of the Chinese championships, see [`ccgc`].
    Ccgc,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Json, Self::Sgf, Self::Ccgc];

    /// Returns the name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Sgf => "sgf",
            Self::Ccgc => "ccgc",
        }
    }

    /// Returns the extensions of its files; a file that Otrera writes has the first one.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Json => &["jsonl", "json"],
            Self::Sgf => &["sgf"],
            Self::Ccgc => &["txt"],
        }
    }

    /// Returns the beginning of every record that Otrera writes.
    pub fn beginning(self) -> &'static str {
        match self {
            Self::Json => "{\"number\":",
            Self::Sgf => sgf::BEGINNING,
            Self::Ccgc => ccgc::BEGINNING,
        }
    }

    /// True if a file of several games is read as several games.
    pub fn holds_many(self) -> bool {
        self == Self::Json
    }

    /// Returns the format for a file extension in upper or lower case; `None` if the extension is unknown.
    pub fn of_extension(extension: &str) -> Option<Self> {
        let is_known = |known: &&str| known.eq_ignore_ascii_case(extension);
        Self::ALL.into_iter().find(|format| format.extensions().iter().any(is_known))
    }

    /// Returns the reason why the format cannot hold a game, if there is one.
    pub fn obstacle(self, game: &GameRecord) -> Option<String> {
        match self {
            Self::Json | Self::Sgf => None,
            Self::Ccgc => ccgc::obstacle(game),
        }
    }

    /// Formats a game as the text of a file.
    ///
    /// # Errors
    /// Returns the [obstacle](Self::obstacle).
    pub fn write(self, game: &GameRecord) -> Result<String, String> {
        self.obstacle(game).map_or(Ok(()), Err)?;
        Ok(match self {
            Self::Json => json::write(game) + "\n",
            Self::Sgf => sgf::write(game),
            Self::Ccgc => ccgc::write(game),
        })
    }
}

/// A move of a game with its time, effort and win rate.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(into = "json::MoveLine", try_from = "json::MoveLine")]
pub struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// Thinking time; zero for a move of a preset opening.
    pub time: Duration,
    /// Search effort: iterations, playouts or nodes; `None` if the player does not count them.
    pub effort: Option<u64>,
    /// The mover's own estimate of its win rate, 0 to 1.
    pub win_rate: Option<f32>,
    /// The lead in moves that the mover expects, see [`crate::eval::lead`].
    pub lead: Option<f32>,
}

impl From<Move> for PlayedMove {
    fn from(mv: Move) -> Self {
        Self { mv, time: Duration::ZERO, effort: None, win_rate: None, lead: None }
    }
}

/// Review marks of bad moves, worst first: the minimum drop in the mover's win rate (0 to 1) and the mark's name.
pub const MARKS: [(f32, &str); 3] = [(0.20, "blunder"), (0.10, "mistake"), (0.05, "inaccuracy")];

/// Win rate of a side beyond which its moves in unproven positions are also marked by the lead that they lose.
pub const CLEAR_RATE: f32 = 0.95;

/// Loss of the win rate that counts as much as a move of the lead there: five moves are a blunder.
pub const RATE_PER_MOVE: f32 = 0.04;

/// Shares of the squares free of amazons that arrows fill at the ends of opening and middle game.
pub const PHASE_ENDS: [f32; 2] = [0.25, 0.5];

/// Returns the phase of a game: 0 for the opening, 1 for the middle game, 2 for the endgame.
pub fn phase_of(position: &Position) -> usize {
    let amazons: u32 = Side::BOTH.map(|side| position.amazons(side).len()).iter().sum();
    let share = position.arrows().len() as f32 / (position.size().area() as u32 - amazons) as f32;
    PHASE_ENDS.iter().filter(|&&end| share >= end).count()
}

/// Notes on the positions of a line of moves. The key is the number of moves in the line before the position; positions
/// without a note have no entry.
pub type Notes = BTreeMap<usize, Note>;

/// Comment, name and value of one position, and the variations that begin there.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// Free text of one or more lines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// Name of the position, one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Value of the position; positive is good for Black. Otrera writes the result of [`Note::value_of`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f32>,
    /// Mark of the move that led to the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// The search of the position; boxed because few notes have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis: Option<Box<Analysis>>,
    /// Alternatives to the next move of the line; their moves can be illegal. Empty after the last move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<Variation>,
}

impl Note {
    /// Converts Black's win rate (0 to 1) to a value: Black's rate minus White's, in percent, -100 to 100.
    pub fn value_of(black: f32) -> f32 {
        // Rounded to tenths of a percent: further digits are search noise.
        ((2.0 * black - 1.0) * 1000.0).round() / 10.0
    }
}

/// Mark of a move, see [`MARKS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// The best move.
    Best,
    /// A small loss.
    Inaccuracy,
    /// A loss.
    Mistake,
    /// A large loss.
    Blunder,
}

/// Result of the search of a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Analysis {
    /// Black's win rate, 0 to 1.
    pub black: f32,
    /// Black's expected lead in moves, see [`crate::eval::lead`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<f32>,
    /// Visits of the position.
    pub visits: u64,
    /// The best line; a position of a finished game has none.
    #[serde(default, with = "json::line", skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<Move>,
}

/// An alternative to the moves played: a line of moves with its own notes, which can hold further variations.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Variation {
    /// The moves from the position where the variation begins.
    pub moves: Vec<PlayedMove>,
    /// Notes on the positions of the variation.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: Notes,
}

/// Training targets by 0-based ply: the root moves of that position's search with their visits, most visited first.
pub type Visits = BTreeMap<usize, Vec<(Move, u32)>>;

/// Maximum nesting depth of variations; deeper variations are skipped when reading. Prevents stack overflow.
pub const MAX_NESTING: usize = 24;

/// Kind of a forfeit by a late answer, see [`GameRecord::forfeit`].
pub const LATE: &str = "late";

/// A record of a game: players, start, moves, result, event and time control.
///
/// `moves` is the game as played and is enough for most uses. `notes` makes it a tree: the note of a position holds its
/// comment and the variations that branch off there; each [`Variation`] has its own `moves` and `notes`. A record
/// without comments has no notes.
///
/// ```
/// use otrera::{GameRecord, Position};
/// let moves = ["d1-d7/g7", "a7-d4/a7", "g1-g2/g2"].map(|text| text.parse().unwrap());
/// let record = GameRecord::new("first", "second", Position::standard()).with_moves(&moves);
/// assert_eq!(record.positions().len(), 3);
/// let (ply, _, error) = record.first_illegal().unwrap();
/// assert_eq!((ply, error.to_string().as_str()), (3, "the arrow cannot fly to g2"));
/// assert_eq!(record.with_moves(&moves[..2]).first_illegal(), None);
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Number of the game in its match, from 0. Games 2k and 2k + 1 share an opening.
    pub number: u64,
    /// Name of Black's player.
    pub black: String,
    /// Name of White's player.
    pub white: String,
    /// Start position.
    #[serde(with = "json::fen")]
    pub start: Position,
    /// The winner; `None` for an unfinished game.
    pub winner: Option<Side>,
    /// Kind and text of the loser's forfeit; `None` if the game was lost on the board. The kind is
    /// `crash`, `late`, `garbage`, `illegal`, or `forfeit` from an SGF file without details.
    #[serde(default, with = "json::forfeit", skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<(String, String)>,
    /// Date, time and place, as one text.
    #[serde(default)]
    pub when: String,
    /// Name of the event.
    #[serde(default)]
    pub event: String,
    /// Time control or effort per move, as text.
    #[serde(default)]
    pub control: String,
    /// All moves in order, including those of a preset opening.
    pub moves: Vec<PlayedMove>,
    /// Comments, names, values and variations, keyed by the number of moves before the position.
    #[serde(default, skip_serializing_if = "Notes::is_empty")]
    pub notes: Notes,
    /// Root visits of the searches that chose the moves, see [`Visits`]. Only JSON lines store them.
    #[serde(default, with = "json::visits", skip_serializing_if = "Visits::is_empty")]
    pub visits: Visits,
}

impl GameRecord {
    /// Creates a record without moves.
    pub fn new(black: impl Into<String>, white: impl Into<String>, start: Position) -> Self {
        Self {
            black: black.into(),
            white: white.into(),
            start,
            moves: Vec::new(),
            winner: None,
            forfeit: None,
            when: String::new(),
            event: String::new(),
            control: String::new(),
            number: 0,
            notes: Notes::new(),
            visits: Visits::new(),
        }
    }

    /// Sets the moves, without times, efforts or win rates.
    pub fn with_moves(mut self, moves: &[Move]) -> Self {
        self.moves = moves.iter().copied().map(PlayedMove::from).collect();
        self
    }

    /// Returns the moves, without times, efforts or win rates.
    pub fn played_moves(&self) -> Vec<Move> {
        self.moves.iter().map(|played| played.mv).collect()
    }

    /// True if the loser forfeited by answering too late.
    pub fn lost_late(&self) -> bool {
        self.forfeit.as_ref().is_some_and(|(kind, _)| kind == LATE)
    }

    /// Returns the name of a side's player.
    pub fn name(&self, side: Side) -> &str {
        match side {
            Side::Black => &self.black,
            Side::White => &self.white,
        }
    }

    /// Returns the first illegal move with its ply, counted from 1, and the reason.
    pub fn first_illegal(&self) -> Option<(usize, Move, IllegalMove)> {
        let positions = self.positions();
        let played = self.moves.get(positions.len() - 1)?;
        let error = positions.last()?.check(played.mv).err()?;
        Some((positions.len(), played.mv, error))
    }

    /// Returns the positions of the game, the start first, up to the first illegal move.
    pub fn positions(&self) -> Vec<Position> {
        let mut moves = self.moves.iter();
        let next = |position: &Position| position.try_play(moves.next()?.mv).ok();
        std::iter::successors(Some(self.start), next).collect()
    }
}

/// Reads the games of a text in any format: JSON, SGF, a Botzone log, or anything with moves, see [`scan`]. All moves
/// of the games are legal; what is in no game is in a warning. The result has at least one game.
///
/// # Errors
/// Fails if the text has no game; the reason is the first problem in it.
pub fn read(text: &str) -> Result<Reading, MalformedText> {
    Reading::collect(|intake| read_into(text, intake))
}

/// Reads the games of a file like [`read`]. Finds its encoding: the one in which most moves are legal. The games take up
/// to 12 times the memory of the file; [`read_each`] needs less.
///
/// # Errors
/// Fails if the file has no game in any encoding.
pub fn read_bytes(bytes: &[u8]) -> Result<Reading, MalformedText> {
    Reading::collect(|intake| read_bytes_into(bytes, intake))
}

/// Reads the games of a file like [`read_bytes`] and passes each to a function. Takes at most 8 times the memory of the
/// file, and 16 MB. Returns the warnings. On an error, some games can have been passed already.
///
/// # Errors
/// Fails if the file has no game in any encoding.
pub fn read_each(bytes: &[u8], mut take: impl FnMut(GameRecord)) -> Result<Vec<Warning>, MalformedText> {
    let mut intake = Intake::new(&mut take);
    read_bytes_into(bytes, &mut intake)?;
    Ok(intake.warnings.all())
}

fn read_into(text: &str, intake: &mut Intake) -> Result<(), MalformedText> {
    // Lines of old Macintosh files end with a carriage return.
    let with_line_feeds = (text.contains('\r') && !text.contains('\n')).then(|| text.replace('\r', "\n"));
    let text = with_line_feeds.as_deref().unwrap_or(text);
    let trimmed = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    match trimmed.chars().next() {
        None => return Err(MalformedText::new("contains no game")),
        Some('{' | '[') if json::begins(trimmed) => json::read_into(text, intake),
        _ if sgf::begins(trimmed) => sgf::read_into(text, intake)?,
        _ if json::inside(text).is_some() => json::read_into(text, intake),
        _ => scan::read_into(text, intake)?,
    }
    match intake.warnings.kept().first() {
        _ if intake.games > 0 => Ok(()),
        Some(warning) => Err(MalformedText::new(format!("contains no game; {warning}"))),
        None => Err(MalformedText::new("contains no game")),
    }
}

fn read_bytes_into(bytes: &[u8], intake: &mut Intake) -> Result<(), MalformedText> {
    if let Some(text) = decode::certain(bytes) {
        return read_into(&text, intake);
    }
    if let Some((text, damage)) = decode::mostly_utf8(bytes) {
        read_into(&text, intake)?;
        let line = 1 + bytes[..damage].iter().filter(|&&byte| byte == b'\n').count();
        intake.warnings.push(Warning::new(line, "some letters are in an unknown encoding"));
        return Ok(());
    }
    // Reads in each encoding, keeps only the figures, and then reads in the best one.
    let encodings = decode::encodings(bytes);
    let mut tried: Vec<(&'static Encoding, Quality)> = Vec::new();
    for &encoding in &encodings.all {
        tried.push((encoding, Quality::of(bytes, encoding)));
        if tried.last().is_some_and(|(_, quality)| quality.is_perfect) {
            break;
        }
    }
    let best = tried.iter().reduce(|best, next| if next.1.beats(&best.1) { next } else { best });
    let (taken, quality) = best.ok_or_else(|| MalformedText::new("contains no game"))?;
    let (text, is_valid) = decode::decoded(bytes, taken);
    let reads_equally = |rival: &&'static Encoding| {
        let known = tried.iter().find(|(encoding, _)| encoding == rival).map(|(_, quality)| quality.moves);
        known.unwrap_or_else(|| Quality::of(bytes, rival).moves) == quality.moves
    };
    let rival = encodings.rival(bytes, &text, taken).filter(|rival| is_valid && reads_equally(rival));
    read_into(&text, intake)?;
    if let Some(rival) = rival {
        let [taken, rival] = [*taken, rival].map(Encoding::name);
        let text = format!("the encoding is not certain: read as {taken}, but it can be {rival}");
        intake.warnings.push(Warning::new(0, text));
    } else if !is_valid || decode::is_doubtful(bytes) {
        intake.warnings.push(Warning::new(0, "some letters are in an unknown encoding"));
    }
    Ok(())
}

/// Quality of a reading in an encoding.
struct Quality {
    /// Number of moves, and true if all letters are valid.
    moves: (usize, bool),
    /// Number of results.
    results: usize,
    games: usize,
    warnings: usize,
    /// True if nothing is left open.
    is_perfect: bool,
}

impl Quality {
    fn of(bytes: &[u8], encoding: &'static Encoding) -> Self {
        let (text, is_valid) = decode::decoded(bytes, encoding);
        let mut ignore = |_| ();
        let mut trial = Intake::new(&mut ignore);
        let is_read = read_into(&text, &mut trial).is_ok();
        // A move that is in no game is read, too.
        let warnings = trial.warnings.kept();
        let strays = warnings.iter().filter(|warning| warning.text.starts_with("in no game")).count();
        let moves = if is_read { trial.plies + strays + 1 } else { 0 };
        // So is a result that is not certain: in a wrong encoding, its words would not be seen.
        let is_unclear = |text: &str| text.starts_with("the result") && !text.ends_with("is not understood");
        let unclear = warnings.iter().filter(|warning| is_unclear(&warning.text)).count();
        let is_whole = warnings.len() == trial.remarks && trial.decided == trial.games;
        Self {
            moves: (moves, is_valid),
            results: trial.decided + unclear,
            games: trial.games,
            warnings: warnings.len().saturating_sub(strays + unclear + trial.remarks),
            is_perfect: is_read && is_valid && is_whole,
        }
    }

    /// True if the file reads better than in a likelier encoding. Fewer warnings count for equally many games only: in a
    /// wrong encoding, the signs that part games are not seen.
    fn beats(&self, likelier: &Self) -> bool {
        let [own, other] = [self, likelier].map(|quality| (quality.moves, quality.results));
        own > other || own == other && self.games == likelier.games && self.warnings < likelier.warnings
    }
}

/// Reads the moves of a game that begins from `start`, in any notation; also returns warnings.
pub fn read_moves(text: &str, start: &Position) -> (Vec<Move>, Vec<Warning>) {
    let mut reading = scan::read(text, Some(*start), false);
    let further = reading.games.len().saturating_sub(1);
    if further > 0 {
        reading.warnings.push(Warning::new(0, format!("{further} more games of this text are not read")));
    }
    let moves = reading.games.first().map(GameRecord::played_moves).unwrap_or_default();
    (moves, reading.warnings)
}

/// Reads a move typed by hand in any notation, with coordinates counted in the usual way.
///
/// # Errors
/// Returns the reason if the text is not one legal move.
pub fn read_move(text: &str, position: &Position) -> Result<Move, String> {
    scan::typed(text, position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &[&str]) -> GameRecord {
        let moves: Vec<Move> = moves.iter().map(|text| text.parse().unwrap()).collect();
        GameRecord::new("a", "b", Position::standard()).with_moves(&moves)
    }

    #[test]
    fn read_detects_the_format() {
        let game = game(&["d1-d7/g7", "a7-d4/a7"]);
        for text in [json::write(&game), sgf::write(&game), ccgc::write(&game)] {
            for text in [text.clone(), format!("\u{feff}{text}"), format!("\u{feff}\r\n {text}")] {
                let reading = read(&text).unwrap();
                assert_eq!((reading.games, reading.warnings), (vec![game.clone()], Vec::new()), "{text}");
            }
        }
        for (text, problem) in [("1. e4 e5", "no move that can be played"), ("7777", "no move found")] {
            assert!(read(text).unwrap_err().to_string().contains(problem), "{text}");
        }
        for empty in ["", " \n", "{\"match\":{}}\n"] {
            assert!(read(empty).unwrap_err().to_string().contains("no game"));
        }
    }

    #[test]
    fn damaged_json_lines_are_in_warnings() {
        let line = json::write(&game(&[]));
        let file = format!("{{\"match\":{{}}}}\n{line}\r\n\n{line}\n{}", &line[..line.len() / 2]);
        let lines = |file: &str| {
            let reading = read(file).unwrap();
            (reading.games.len(), reading.warnings.iter().map(|warning| warning.line).collect::<Vec<_>>())
        };
        assert_eq!(lines(&file), (2, vec![5]));
        assert_eq!(lines(&format!("{line}\n{}\n{line}\n", &line[..20])), (2, vec![2]));
    }
}
