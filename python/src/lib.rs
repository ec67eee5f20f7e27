//! The Python module `otrera._otrera`. The package `otrera` re-exports its items, see `otrera/__init__.py`.
//!
//! Doc comments of Python classes, functions and methods are their docstrings; `python/tests` runs their examples.

mod board;
mod engine;
mod errors;
mod evaluate;
mod games;
mod gil;
mod moves;
mod numbers;
mod report;

/// The native part of the package `otrera`.
#[pyo3::pymodule]
mod _otrera {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::board::{Board, LegalMoves};
    #[pymodule_export]
    use crate::engine::{Analysis, Engine, Limit};
    #[pymodule_export]
    use crate::errors::{EngineBusyError, IllegalMoveError, MalformedTextError, RecordWarning};
    #[pymodule_export]
    use crate::evaluate::{Evaluation, evaluate};
    #[pymodule_export]
    use crate::games::{Game, parse_games, read_games};
    #[pymodule_export]
    use crate::moves::{Move, Side};
    #[pymodule_export]
    use crate::report::{Line, Report};

    /// Version of the package and of the engine.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::gil::prepare_end(module.py())
    }
}
