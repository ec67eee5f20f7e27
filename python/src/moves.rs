//! Sides and moves.

use crate::errors::{MalformedTextError, malformed, value_error};
use crate::numbers::Whole;
use otrera::record::botzone;
use otrera::{Size, Square};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// A player. Black moves first and starts at the bottom.
///
/// >>> from otrera import Side
/// >>> Side.BLACK.opponent
/// Side.WHITE
/// >>> str(Side.BLACK)
/// 'Black'
#[pyclass(module = "otrera", eq, hash, frozen, from_py_object, rename_all = "SCREAMING_SNAKE_CASE")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first mover.
    Black,
    /// The second mover.
    White,
}

impl From<otrera::Side> for Side {
    fn from(side: otrera::Side) -> Self {
        match side {
            otrera::Side::Black => Self::Black,
            otrera::Side::White => Self::White,
        }
    }
}

impl From<Side> for otrera::Side {
    fn from(side: Side) -> Self {
        match side {
            Side::Black => Self::Black,
            Side::White => Self::White,
        }
    }
}

#[pymethods]
impl Side {
    /// The other side.
    #[getter]
    fn opponent(&self) -> Self {
        otrera::Side::from(*self).opponent().into()
    }

    fn __str__(&self) -> String {
        otrera::Side::from(*self).to_string()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, name) = (slf.py(), slf.get().__str__().to_uppercase());
        let arguments = (py.get_type::<Self>(), name).into_pyobject(py)?;
        Ok((py.import("builtins")?.getattr("getattr")?, arguments))
    }
}

/// A move: an amazon slides, then its arrow burns a square. Moves are immutable and hashable.
///
/// `Move(text)` reads three squares in any common notation, such as `d1-d7/g7`, `d1d7,d7g7` (UCI) and `d1d7(g7)`
/// (CCGC). With the edge length `size` of the board it also reads letters (`DJDDGD`, SGF and the SAU platform) and
/// Botzone's six numbers (`3 0 3 6 6 6`). Raises MalformedTextError.
///
/// >>> from otrera import Move
/// >>> move = Move("d1-d7/g7")
/// >>> move == Move("D1D7G7") == Move("djddgd", size=10) == Move("3 0 3 6 6 6", size=10)
/// True
/// >>> str(move), move.uci(), move.ccgc(), move.letters(10), move.botzone()
/// ('d1-d7/g7', 'd1d7,d7g7', 'd1d7(g7)', 'DJDDGD', '3 0 3 6 6 6')
/// >>> Move("d1")
/// Traceback (most recent call last):
///     ...
/// otrera.MalformedTextError: expected three squares like d1-d7/g7, found 1: "d1"
#[pyclass(module = "otrera", eq, hash, frozen, from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(pub otrera::Move);

#[pymethods]
impl Move {
    #[new]
    #[pyo3(signature = (text, size=None))]
    fn new(text: &str, size: Option<Whole>) -> PyResult<Self> {
        let size = size.map(size_of).transpose()?;
        let on_board = size.and_then(|size| {
            otrera::Move::from_letters(text.trim(), size).or_else(|| of_numbers(text, size))
        });
        on_board.map_or_else(|| text.parse(), Ok).map(Self).map_err(malformed)
    }

    /// Creates a move from three square indices, `row * size + column` with row 0 for rank 1. Raises ValueError for an
    /// index outside the board.
    ///
    /// >>> from otrera import Move
    /// >>> Move.from_indices((3, 63, 66), size=10)
    /// Move('d1-d7/g7')
    #[staticmethod]
    fn from_indices(indices: [Whole; 3], size: Whole) -> PyResult<Self> {
        let size = size_of(size)?;
        let [from, to, arrow] = indices.map(|index| square_at(index, size));
        Ok(Self(otrera::Move { from: from?, to: to?, arrow: arrow? }))
    }

    /// Square that the amazon leaves, such as `'d1'`.
    #[getter(from_square)]
    fn origin(&self) -> String {
        self.0.from.to_string()
    }

    /// Square that the amazon moves to.
    #[getter(to_square)]
    fn destination(&self) -> String {
        self.0.to.to_string()
    }

    /// Square that the arrow burns; can equal `from_square`.
    #[getter]
    fn arrow(&self) -> String {
        self.0.arrow.to_string()
    }

    /// Returns the square indices of amazon, destination and arrow, `row * size + column` with row 0 for rank 1.
    ///
    /// >>> from otrera import Move
    /// >>> Move("d1-d7/g7").indices(10)
    /// (3, 63, 66)
    fn indices(&self, size: Whole) -> PyResult<(usize, usize, usize)> {
        let size = self.on_board(size)?;
        let [from, to, arrow] = [self.0.from, self.0.to, self.0.arrow].map(|square| index_of(square, size));
        Ok((from, to, arrow))
    }

    /// Returns the move as UCI engines write it: `d1d7,d7g7`.
    fn uci(&self) -> String {
        self.0.to_uci()
    }

    /// Returns the move as records of the Chinese championships write it: `d1d7(g7)`.
    fn ccgc(&self) -> String {
        self.0.to_ccgc()
    }

    /// Returns the move as six capital letters, columns and rows from the top left: `DJDDGD`. SGF uses small letters.
    fn letters(&self, size: Whole) -> PyResult<String> {
        Ok(self.0.to_letters(self.on_board(size)?))
    }

    /// Returns the move in Botzone's simple interaction: column and row of each square, counted from 0.
    fn botzone(&self) -> String {
        let squares = [self.0.from, self.0.to, self.0.arrow];
        squares.map(|square| format!("{} {}", square.column(), square.row())).join(" ")
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Move('{}')", self.0)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.py().get_type::<Self>().into_any(), (slf.get().__str__(),))
    }
}

impl Move {
    /// Returns a board size, or an error if a square of the move is not on that board.
    fn on_board(&self, size: Whole) -> PyResult<Size> {
        let size = size_of(size)?;
        match [self.0.from, self.0.to, self.0.arrow].iter().find(|&&square| !size.contains(square)) {
            Some(square) => Err(value_error(format!("{square} is not on this board"))),
            None => Ok(size),
        }
    }
}

/// A move as Python code gives it: a `Move`, or text in any notation.
pub enum MoveOrText {
    /// A move.
    Move(Move),
    /// Text of a move.
    Text(String),
}

impl<'py> FromPyObject<'_, 'py> for MoveOrText {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(mv) = object.cast::<Move>() {
            Ok(Self::Move(*mv.get()))
        } else if let Ok(text) = object.cast::<PyString>() {
            text.extract().map(Self::Text)
        } else {
            Err(PyTypeError::new_err(format!("a move is a Move or text, not {}", object.get_type().name()?)))
        }
    }
}

impl MoveOrText {
    /// Reads the move, which may be illegal if it is a [`Move`].
    pub fn read(&self, position: &otrera::Position) -> PyResult<otrera::Move> {
        match self {
            Self::Move(Move(mv)) => Ok(*mv),
            Self::Text(text) => read_move(text, position),
        }
    }
}

/// Checks the edge length of a board.
pub fn size_of(edge: Whole) -> PyResult<Size> {
    let size = edge.fit().and_then(Size::new);
    size.ok_or_else(|| value_error(format!("a board has 4 to 10 rows, not {edge}")))
}

/// Returns the square with an index, `row * edge + column`.
pub fn square_at(index: Whole, size: Size) -> PyResult<Square> {
    let edge = size.edge();
    let square = index.fit().and_then(|index: usize| Square::new(index % edge, index / edge));
    square
        .filter(|&square| size.contains(square))
        .ok_or_else(|| value_error(format!("square {index} is not from 0 to {}", size.area() - 1)))
}

/// Returns the index of a square, `row * edge + column`.
pub fn index_of(square: Square, size: Size) -> usize {
    square.row() * size.edge() + square.column()
}

/// Reads a move in any notation; it must be legal.
pub fn read_move(text: &str, position: &otrera::Position) -> PyResult<otrera::Move> {
    otrera::record::read_move(text, position).map_err(|problem| match problem.split_once(" is not legal: ") {
        Some(_) => crate::errors::IllegalMoveError::new_err(problem),
        None => MalformedTextError::new_err(problem),
    })
}

/// Reads Botzone's six numbers.
fn of_numbers(text: &str, size: Size) -> Option<otrera::Move> {
    let numbers: Vec<i64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    botzone::move_of(numbers.try_into().ok()?, size)
}
