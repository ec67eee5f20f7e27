//! Exceptions. Their messages are those of the engine.

use otrera::{IllegalMove, MalformedText, Move};
use pyo3::exceptions::{PyRuntimeError, PyUserWarning, PyValueError};
use pyo3::{PyErr, create_exception};

create_exception!(
    otrera,
    MalformedTextError,
    PyValueError,
    "A FEN, move or game record that cannot be read."
);
create_exception!(otrera, IllegalMoveError, PyValueError, "A move that the rules do not allow.");
create_exception!(
    otrera,
    EngineBusyError,
    PyRuntimeError,
    "An engine that is asked to search during another search."
);
create_exception!(otrera, RecordWarning, PyUserWarning, "A part of a game record that is in no game.");

/// Converts the error of a reader.
pub fn malformed(error: MalformedText) -> PyErr {
    MalformedTextError::new_err(error.to_string())
}

/// Converts the reason why a move is illegal.
pub fn illegal(mv: Move, error: IllegalMove) -> PyErr {
    IllegalMoveError::new_err(format!("{mv} is not legal: {error}"))
}

/// Creates a `ValueError`.
pub fn value_error(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}
