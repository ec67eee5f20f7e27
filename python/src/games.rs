//! Game records.

use crate::board::Board;
use crate::errors::{MalformedTextError, RecordWarning, malformed, value_error};
use crate::gil::without_gil;
use crate::moves::{Move, Side};
use crate::numbers::Whole;
use otrera::record::{Format, Reading, json, read_bytes};
use otrera::{GameRecord, MalformedText};
use pyo3::exceptions::{PyIndexError, PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::PathBuf;

/// A record of a game: players, moves, result, comments.
///
/// `Game(board, black, white)` holds the moves played on a board; the winner is that of the board. `read_games` reads
/// games from a file.
///
/// >>> from otrera import Board, Game, parse_games
/// >>> game = Game(Board(moves=["d1-d7/g7", "a7-d4/a7"]), black="Ada", white="Bob")
/// >>> len(game), game.moves[0], game.winner
/// (2, Move('d1-d7/g7'), None)
/// >>> print(game.to_ccgc(), end="")
/// #[AM][Ada][Bob][未完][][];
/// 1 d1d7(g7) a7d4(a7)
/// >>> parse_games(game.to_sgf()) == parse_games(game.to_json()) == [game]
/// True
#[pyclass(module = "otrera")]
#[derive(Clone)]
pub struct Game(GameRecord);

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (board=None, black=String::new(), white=String::new(), event=String::new()))]
    fn new(board: Option<PyRef<'_, Board>>, black: String, white: String, event: String) -> Self {
        let board = board.map_or_else(
            || Board { played: Vec::new(), position: otrera::Position::standard() },
            |board| board.clone(),
        );
        let moves: Vec<otrera::Move> = board.played.iter().map(|(_, mv)| *mv).collect();
        let mut record = GameRecord::new(black, white, board.start()).with_moves(&moves);
        record.event = event;
        record.winner = board.position.winner();
        Self(record)
    }

    /// Name of Black's player.
    #[getter]
    fn black(&self) -> &str {
        &self.0.black
    }

    #[setter]
    fn set_black(&mut self, name: String) {
        self.0.black = name;
    }

    /// Name of White's player.
    #[getter]
    fn white(&self) -> &str {
        &self.0.white
    }

    #[setter]
    fn set_white(&mut self, name: String) {
        self.0.white = name;
    }

    /// Name of the event.
    #[getter]
    fn event(&self) -> &str {
        &self.0.event
    }

    #[setter]
    fn set_event(&mut self, event: String) {
        self.0.event = event;
    }

    /// Date, time and place, as one text.
    #[getter]
    fn when(&self) -> &str {
        &self.0.when
    }

    #[setter]
    fn set_when(&mut self, when: String) {
        self.0.when = when;
    }

    /// Time control or effort per move, as text.
    #[getter]
    fn control(&self) -> &str {
        &self.0.control
    }

    #[setter]
    fn set_control(&mut self, control: String) {
        self.0.control = control;
    }

    /// Winner; None for an unfinished game.
    #[getter]
    fn winner(&self) -> Option<Side> {
        self.0.winner.map(Side::from)
    }

    #[setter]
    fn set_winner(&mut self, winner: Option<Side>) {
        self.0.winner = winner.map(otrera::Side::from);
    }

    /// Kind and text of the loser's forfeit; None if the game was lost on the board.
    #[getter]
    fn forfeit(&self) -> Option<(String, String)> {
        self.0.forfeit.clone()
    }

    /// Moves of the game, as a list.
    #[getter]
    fn moves(&self) -> Vec<Move> {
        self.0.played_moves().into_iter().map(Move).collect()
    }

    /// The mover's own estimate of its win rate (0 to 1) before each move, as a list; None where the record has none.
    #[getter]
    fn win_rates(&self) -> Vec<Option<f32>> {
        self.0.moves.iter().map(|played| played.win_rate).collect()
    }

    /// Lead in moves that the mover expected before each move, as a list; None where the record has none.
    #[getter]
    fn leads(&self) -> Vec<Option<f32>> {
        self.0.moves.iter().map(|played| played.lead).collect()
    }

    /// Thinking time for each move in seconds, as a list; 0 where the record has none.
    #[getter]
    fn seconds(&self) -> Vec<f64> {
        self.0.moves.iter().map(|played| played.time.as_secs_f64()).collect()
    }

    /// Comments, keyed by the number of moves before the position.
    #[getter]
    fn comments(&self) -> BTreeMap<usize, String> {
        let notes = self.0.notes.iter().filter(|(_, note)| !note.comment.is_empty());
        notes.map(|(&ply, note)| (ply, note.comment.clone())).collect()
    }

    /// Sets the comment on the position after `ply` moves; an empty text removes it. Raises IndexError for a position
    /// that the game does not have.
    ///
    /// >>> from otrera import Board, Game
    /// >>> game = Game(Board(moves=["d1-d7/g7"]))
    /// >>> game.set_comment(1, "the usual opening")
    /// >>> game.comments
    /// {1: 'the usual opening'}
    fn set_comment(&mut self, ply: Whole, text: String) -> PyResult<()> {
        let ply = self.check_ply(ply)?;
        let note = self.0.notes.entry(ply).or_default();
        note.comment = text;
        if *note == Default::default() {
            self.0.notes.remove(&ply);
        }
        Ok(())
    }

    /// Returns the board after `ply` moves, or after all moves. Raises IndexError for a position that the game does not
    /// have.
    #[pyo3(signature = (ply=None))]
    fn board(&self, ply: Option<Whole>) -> PyResult<Board> {
        let ply = ply.map_or(Ok(self.0.moves.len()), |ply| self.check_ply(ply))?;
        Board::after(self.0.start, self.0.played_moves().into_iter().take(ply))
    }

    /// Returns the game in the Smart Game Format.
    fn to_sgf(&self) -> PyResult<String> {
        self.write(Format::Sgf)
    }

    /// Returns the game in the text format of the Chinese championships. Raises ValueError for a game that this format
    /// cannot hold.
    fn to_ccgc(&self) -> PyResult<String> {
        self.write(Format::Ccgc)
    }

    /// Returns the game as a line of JSON, which holds all of its data.
    fn to_json(&self) -> PyResult<String> {
        self.write(Format::Json)
    }

    fn __len__(&self) -> usize {
        self.0.moves.len()
    }

    fn __bool__(&self) -> bool {
        true
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __repr__(&self) -> String {
        format!("<Game: {} - {}, {} moves>", self.0.black, self.0.white, self.0.moves.len())
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (), String)> {
        Ok((slf.py().get_type::<Self>().into_any(), (), slf.borrow().to_json()?))
    }

    fn __setstate__(&mut self, state: &str) -> PyResult<()> {
        self.0 = json::read(state).map_err(malformed)?;
        Ok(())
    }
}

impl Game {
    fn write(&self, format: Format) -> PyResult<String> {
        format.write(&self.0).map_err(value_error)
    }

    fn check_ply(&self, ply: Whole) -> PyResult<usize> {
        let plies = self.0.moves.len();
        let problem = || PyIndexError::new_err(format!("the game has {plies} moves, not {ply}"));
        ply.fit().filter(|ply| *ply <= plies).ok_or_else(problem)
    }
}

/// Reads the games of a file: SGF, JSON, a Botzone log, or any text with moves, in any encoding. Returns a list of
/// Game.
///
/// All moves of the games are legal. Each part that is in no game gives a RecordWarning; `strict=True` raises
/// MalformedTextError instead. Raises MalformedTextError for a file without games, and OSError.
#[pyfunction]
#[pyo3(signature = (path, strict=false))]
pub fn read_games(py: Python<'_>, path: PathBuf, strict: bool) -> PyResult<Vec<Game>> {
    let read = || std::fs::read(&path).map(|bytes| read_bytes(&bytes));
    let name = path.display().to_string();
    let reading = without_gil(py, read).map_err(|error| match error.raw_os_error() {
        // With three arguments, Python chooses the class of the error by its number.
        Some(number) => {
            let text = error.to_string();
            let reason = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, reason, name.clone()))
        }
        None => PyOSError::new_err(format!("{name}: {error}")),
    })?;
    games(py, reading, &format!("{name}: "), strict)
}

/// Reads the games of a text or of the bytes of a file, like `read_games`.
///
/// >>> from otrera import parse_games
/// >>> [game] = parse_games("1. d1-d7/g7 a7-d4/a7")
/// >>> game.moves
/// [Move('d1-d7/g7'), Move('a7-d4/a7')]
/// >>> parse_games("1. e4 e5", strict=True)
/// Traceback (most recent call last):
///     ...
/// otrera.MalformedTextError: has no move that can be played; line 1: in no game: e4 e5
#[pyfunction]
#[pyo3(signature = (data, strict=false))]
pub fn parse_games(py: Python<'_>, data: &Bound<'_, PyAny>, strict: bool) -> PyResult<Vec<Game>> {
    let reading = if let Ok(text) = data.cast::<PyString>() {
        let text = text.extract::<String>()?;
        without_gil(py, || otrera::record::read(&text))
    } else if let Ok(bytes) = data.cast::<PyBytes>() {
        let bytes = bytes.as_bytes().to_vec();
        without_gil(py, || read_bytes(&bytes))
    } else {
        return Err(PyTypeError::new_err(format!("data is str or bytes, not {}", data.get_type().name()?)));
    };
    games(py, reading, "", strict)
}

/// Returns the games of a reading, and issues its warnings, each after `place`.
fn games(
    py: Python<'_>,
    reading: Result<Reading, MalformedText>,
    place: &str,
    strict: bool,
) -> PyResult<Vec<Game>> {
    let reading = reading.map_err(malformed).map_err(|error| match place {
        "" => error,
        _ => MalformedTextError::new_err(format!("{place}{}", error.value(py))),
    })?;
    for warning in &reading.warnings {
        if strict {
            return Err(MalformedTextError::new_err(format!("{place}{warning}")));
        }
        let text = CString::new(format!("{place}{warning}").replace('\0', " "))?;
        PyErr::warn(py, &py.get_type::<RecordWarning>(), &text, 1)?;
    }
    Ok(reading.games.into_iter().map(Game).collect())
}
