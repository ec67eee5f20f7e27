//! Results of a search.

use crate::moves::{Move, Side};
use otrera_requests::answer::{Answer, Found, FoundLine, Reply};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Result of a search, intermediate or final.
///
/// Win rates are probabilities from 0 to 1, leads are numbers of moves, both for the side to move.
#[pyclass(module = "otrera", frozen)]
pub struct Report {
    /// Move to play.
    #[pyo3(get)]
    r#move: Move,
    /// Win rate of the move to play, for the side to move; 0 or 1 if the outcome is proven.
    #[pyo3(get)]
    win_rate: f32,
    /// Lead in moves that the side to move expects after the best line; None if the preset does not estimate it.
    #[pyo3(get)]
    lead: Option<f32>,
    /// Side that is proven to win, if any.
    #[pyo3(get)]
    proven: Option<Side>,
    /// Number of moves that the proven winner is certain to have left when the loser cannot move, if known.
    #[pyo3(get)]
    margin: Option<u32>,
    /// Moves in order of preference.
    #[pyo3(get)]
    lines: Vec<Py<Line>>,
    /// Principal variation, beginning with `move`.
    #[pyo3(get)]
    pv: Vec<Move>,
    /// Number of iterations in this search.
    #[pyo3(get)]
    iterations: u64,
    /// Number of visits to the position, including those kept from earlier searches.
    #[pyo3(get)]
    visits: u32,
    /// Number of nodes in the tree.
    #[pyo3(get)]
    nodes: usize,
    /// Length of the longest path in whole moves.
    #[pyo3(get)]
    depth: usize,
    /// Time since the search began, in seconds.
    #[pyo3(get)]
    seconds: f64,
    /// The report as an answer to a request.
    found: Found,
}

/// Statistics of a move.
#[pyclass(module = "otrera", frozen, get_all)]
pub struct Line {
    /// The move.
    r#move: Move,
    /// Number of visits to the position after the move.
    visits: u32,
    /// Win rate of the side that plays the move, 0 to 1.
    win_rate: f32,
    /// Lower confidence bound of the win rate, by which the final move is chosen, if known.
    lower_bound: Option<f32>,
    /// Lead in moves that the side that plays the move expects, if known.
    lead: Option<f32>,
    /// Side that is proven to win after the move, if any.
    proven: Option<Side>,
    /// Principal variation, beginning with the move.
    pv: Vec<Move>,
}

impl Report {
    /// Converts what a search has found, with up to `lines` lines.
    pub fn new(py: Python<'_>, mut found: Found, lines: usize) -> PyResult<Self> {
        let best = found.best.ok_or_else(|| PyRuntimeError::new_err("the search found no move"))?;
        let pv = found.lines.first().map_or(vec![Move(best)], variation);
        found.lines.truncate(lines);
        Ok(Self {
            r#move: Move(best),
            win_rate: found.win_rate,
            lead: found.lead,
            proven: found.proven.map(Side::from),
            margin: found.margin,
            lines: found.lines.iter().map(|line| Py::new(py, Line::from(line))).collect::<PyResult<_>>()?,
            pv,
            iterations: found.iterations,
            visits: found.visits,
            nodes: found.nodes,
            depth: found.depth,
            seconds: found.seconds,
            found,
        })
    }
}

impl From<&FoundLine> for Line {
    fn from(line: &FoundLine) -> Self {
        Self {
            r#move: Move(line.mv),
            visits: line.visits,
            win_rate: line.win_rate,
            lower_bound: line.lower_bound,
            lead: line.lead,
            proven: line.proven.map(Side::from),
            pv: variation(line),
        }
    }
}

/// Returns a line's move and its continuation.
fn variation(line: &FoundLine) -> Vec<Move> {
    [line.mv].iter().chain(&line.continuation).copied().map(Move).collect()
}

#[pymethods]
impl Report {
    /// Returns the report as JSON, as `otrera serve` answers a request `think`.
    fn to_json(&self) -> String {
        Reply::new(None, Answer::Found(self.found.clone())).to_json()
    }

    fn __repr__(&self) -> String {
        format!("<Report: {}, win rate {:.3}, {} visits>", self.r#move.0, self.win_rate, self.visits)
    }
}

#[pymethods]
impl Line {
    fn __repr__(&self) -> String {
        format!("<Line: {}, win rate {:.3}, {} visits>", self.r#move.0, self.win_rate, self.visits)
    }
}
