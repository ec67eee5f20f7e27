//! Results of a search.

use crate::moves::{Move, Side};
use pyo3::prelude::*;

/// Result of a search, intermediate or final.
///
/// Win rates are probabilities from 0 to 1, leads are numbers of moves, both for the side to move.
#[pyclass(module = "otrera", frozen, get_all)]
pub struct Report {
    /// Move to play.
    r#move: Move,
    /// Win rate of the side to move: the mean over all visits, or 0 or 1 if the outcome is proven.
    win_rate: f32,
    /// Lead in moves that the side to move expects after the best line; None if the preset does not estimate it.
    lead: Option<f32>,
    /// Side that is proven to win, if any.
    proven: Option<Side>,
    /// Number of moves that the proven winner is certain to have left when the loser cannot move, if known.
    margin: Option<u32>,
    /// Moves in order of preference.
    lines: Vec<Py<Line>>,
    /// Principal variation, beginning with `move`.
    pv: Vec<Move>,
    /// Number of iterations in this search.
    iterations: u64,
    /// Number of visits to the position, including those kept from earlier searches.
    visits: u32,
    /// Number of nodes in the tree.
    nodes: usize,
    /// Length of the longest path in whole moves.
    depth: usize,
    /// Time since the search began, in seconds.
    seconds: f64,
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
    /// Converts a report that has a move, with up to `lines` lines.
    pub fn new(py: Python<'_>, best: otrera::Move, report: &otrera::Report, lines: usize) -> PyResult<Self> {
        let shown = report.by_choice().into_iter().take(lines);
        Ok(Self {
            r#move: Move(best),
            win_rate: report.win_rate.0,
            lead: report.lead(),
            proven: report.proven.map(Side::from),
            margin: report.margin,
            lines: shown.map(|line| Py::new(py, Line::from(line))).collect::<PyResult<_>>()?,
            pv: report.principal_variation.iter().copied().map(Move).collect(),
            iterations: report.iterations,
            visits: report.visits,
            nodes: report.nodes,
            depth: report.depth,
            seconds: report.elapsed.as_secs_f64(),
        })
    }
}

impl From<&otrera::Line> for Line {
    fn from(line: &otrera::Line) -> Self {
        Self {
            r#move: Move(line.mv),
            visits: line.visits,
            win_rate: line.win_rate.0,
            lower_bound: line.lower_bound.map(|rate| rate.0),
            lead: line.lead,
            proven: line.proven.map(Side::from),
            pv: [line.mv].iter().chain(&line.continuation).copied().map(Move).collect(),
        }
    }
}

#[pymethods]
impl Report {
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
