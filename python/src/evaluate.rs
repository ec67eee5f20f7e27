//! Static evaluation of many positions in one call.

use crate::board::Board;
use crate::engine::params;
use crate::errors::value_error;
use crate::gil::without_gil;
use crate::moves::index_of;
use numpy::{PyArray1, PyArray2, PyArray5, PyArrayMethods};
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::{Position, Size};
use pyo3::prelude::*;

/// Static evaluation of n positions, without search, as numpy arrays. The side to move is that of each position.
#[pyclass(module = "otrera", frozen, get_all)]
pub struct Evaluation {
    /// Values for the side to move, float32, shape (n,): natural log-odds of winning; squares for the preset `paper`.
    values: Py<PyArray1<f32>>,
    /// Win rates of the side to move, float32, shape (n,), 0 to 1.
    win_rates: Py<PyArray1<f32>>,
    /// Expected leads of the side to move in moves, float32, shape (n,); NaN if the preset does not estimate the lead.
    /// None if not requested.
    leads: Option<Py<PyArray1<f32>>>,
    /// Policy of the movements, the first halves of the moves, float32, shape (m,): probabilities that sum to 1 for
    /// each position. None if not requested.
    policy: Option<Py<PyArray1<f32>>>,
    /// Movements of the policy, uint8, shape (m, 2): indices `row * size + column` of origin and destination.
    movements: Option<Py<PyArray2<u8>>>,
    /// Offsets, int64, shape (n + 1,): the movements of position i are `offsets[i]` to `offsets[i + 1] - 1`.
    offsets: Option<Py<PyArray1<i64>>>,
    /// Policy of the arrows, the second halves of the moves, float32, shape (k,): probabilities that sum to 1 for each
    /// movement. None unless requested.
    arrow_policy: Option<Py<PyArray1<f32>>>,
    /// Targets of these arrows, uint8, shape (k,): indices `row * size + column`.
    arrows: Option<Py<PyArray1<u8>>>,
    /// Offsets, int64, shape (m + 1,): the arrows of movement j are `arrow_offsets[j]` to `arrow_offsets[j + 1] - 1`.
    arrow_offsets: Option<Py<PyArray1<i64>>>,
    /// Distances, uint8, shape (n, 2, 2, size, size): by side (Black, White), by kind of move (queen, king), row and
    /// column. A distance is the number of moves in which an amazon of that side reaches an empty square; 255 if none
    /// does, and for squares that are not empty. None if not requested.
    distances: Option<Py<PyArray5<u8>>>,
}

/// Evaluates many boards of equal size, without search, in one call and without the GIL.
///
/// `leads=False`, `policy=False` and `distances=False` leave these arrays out, which saves time. `arrows=True` adds the
/// policy of the arrows after each movement, thousands of numbers for a position. A finished game is estimated like any
/// other position; `Board.winner` has its result. Raises ValueError for boards of different sizes, an unknown preset, or
/// arrows without policy. Ctrl-C ends it.
///
/// >>> from otrera import Board, evaluate
/// >>> boards = [Board(), Board(moves=["d1-d7/g7"])]
/// >>> evaluation = evaluate(boards)
/// >>> evaluation.values.shape, evaluation.distances.shape, evaluation.movements.shape
/// ((2,), (2, 2, 2, 10, 10), (131, 2))
/// >>> first = slice(evaluation.offsets[0], evaluation.offsets[1])
/// >>> round(float(evaluation.policy[first].sum()), 3)
/// 1.0
/// >>> evaluation.distances[0, 0, 0, 6].tolist()  # Black's queen moves to rank 7
/// [255, 2, 2, 1, 2, 2, 1, 2, 2, 255]
/// >>> full = evaluate([Board()], arrows=True)
/// >>> full.arrows.shape, bool(full.arrow_offsets[-1] == len(Board().legal_moves))
/// ((2176,), True)
#[pyfunction]
#[pyo3(signature = (boards, preset="tournament", policy=true, distances=true, leads=true, arrows=false))]
pub fn evaluate(
    py: Python<'_>,
    boards: &Bound<'_, PyAny>,
    preset: &str,
    policy: bool,
    distances: bool,
    leads: bool,
    arrows: bool,
) -> PyResult<Evaluation> {
    if arrows && !policy {
        return Err(value_error("arrows=True needs policy=True"));
    }
    let parts = Parts { policy, leads, arrows };
    let (positions, size) = positions_of(boards)?;
    let model = params(preset)?.model().clone();
    model.check_board(size).map_err(value_error)?;
    let evaluator = Evaluator::new(model.clone());
    let mut arrays = Arrays::of_length(positions.len(), &parts);
    let distances = distances.then(|| empty_distances(py, positions.len(), size)).transpose()?;
    let mut written = distances.as_ref().map(|array| array.try_readwrite()).transpose()?;
    let mut cells = written.as_mut().map(|array| array.as_slice_mut()).transpose()?.unwrap_or_default();
    let mut scratch = ModelScratch::default();
    for some in positions.chunks(CHUNK) {
        without_gil(py, || {
            for few in some.chunks(CACHED) {
                arrays.add(few, &model, &evaluator, &mut scratch);
                let own = cells.split_off_mut(..few.len() * MAPS * size.area());
                write_distances(own.unwrap_or_default(), few, &evaluator, &mut scratch);
            }
        });
        py.check_signals()?;
    }
    arrays.into_evaluation(py, distances)
}

/// Returns the positions of boards, and their size.
fn positions_of(boards: &Bound<'_, PyAny>) -> PyResult<(Vec<Position>, Size)> {
    let mut positions = Vec::new();
    for board in boards.try_iter()? {
        positions.push(board?.cast::<Board>()?.try_borrow()?.position);
    }
    let size = positions.first().map_or(Size::STANDARD, Position::size);
    if let Some(other) = positions.iter().find(|position| position.size() != size) {
        let [edge, other] = [size, other.size()].map(Size::edge);
        return Err(value_error(format!(
            "boards of {edge}x{edge} and {other}x{other}: evaluate one size at a time"
        )));
    }
    Ok((positions, size))
}

/// Number of distance maps of a position.
const MAPS: usize = 4;

/// Returns the array of the distances, not filled yet. numpy's own memory has huge pages, where the system has them.
fn empty_distances(py: Python<'_>, count: usize, size: Size) -> PyResult<Bound<'_, PyArray5<u8>>> {
    let shape = (count, 2, 2, size.edge(), size.edge());
    Ok(py.import("numpy")?.call_method1("empty", (shape, "uint8"))?.cast_into()?)
}

/// Number of positions that are evaluated between two looks for Ctrl-C.
const CHUNK: usize = 4096;

/// Number of positions whose values, policies and distances are computed one after the other: they stay in the cache.
const CACHED: usize = 128;

/// The arrays that are requested.
struct Parts {
    policy: bool,
    leads: bool,
    arrows: bool,
}

/// The contents of the arrays, but for the distances.
struct Arrays {
    values: Vec<f32>,
    win_rates: Vec<f32>,
    leads: Option<Vec<f32>>,
    policies: Option<Policies>,
}

impl Arrays {
    /// Returns empty arrays with room for a number of positions.
    fn of_length(length: usize, parts: &Parts) -> Self {
        Self {
            values: Vec::with_capacity(length),
            win_rates: Vec::with_capacity(length),
            leads: parts.leads.then(|| Vec::with_capacity(length)),
            policies: parts.policy.then(|| Policies { has_arrows: parts.arrows, ..Policies::default() }),
        }
    }

    /// Adds the contents for further positions.
    fn add(
        &mut self,
        positions: &[Position],
        model: &Model,
        evaluator: &Evaluator,
        scratch: &mut ModelScratch,
    ) {
        for position in positions {
            let value = match &mut self.leads {
                Some(leads) => {
                    let (value, lead) = evaluator.value_and_lead(position, scratch);
                    leads.push(lead.unwrap_or(f32::NAN));
                    value
                }
                None => evaluator.value(position, scratch),
            };
            self.values.push(value.0);
            self.win_rates.push(model.win_rate(value).0);
        }
        if let Some(policies) = &mut self.policies {
            positions.iter().for_each(|position| policies.add(position, evaluator, scratch));
        }
    }

    /// Returns the arrays as those of numpy.
    fn into_evaluation(
        self,
        py: Python<'_>,
        distances: Option<Bound<'_, PyArray5<u8>>>,
    ) -> PyResult<Evaluation> {
        let (given, arrow) = match &self.policies {
            Some(policies) => (Some(()), policies.has_arrows.then_some(())),
            None => (None, None),
        };
        let policies = self.policies.unwrap_or_default();
        let plies = policies.movements.len();
        let movements = policies.movements.into_flattened();
        let movements = given.map(|()| PyArray1::from_vec(py, movements).reshape([plies, 2]));
        Ok(Evaluation {
            values: PyArray1::from_vec(py, self.values).unbind(),
            win_rates: PyArray1::from_vec(py, self.win_rates).unbind(),
            leads: self.leads.map(|leads| PyArray1::from_vec(py, leads).unbind()),
            policy: given.map(|()| PyArray1::from_vec(py, policies.policy.values).unbind()),
            movements: movements.transpose()?.map(Bound::unbind),
            offsets: given.map(|()| PyArray1::from_vec(py, policies.policy.offsets).unbind()),
            arrow_policy: arrow.map(|()| PyArray1::from_vec(py, policies.arrow_policy.values).unbind()),
            arrows: arrow.map(|()| PyArray1::from_vec(py, policies.arrows).unbind()),
            arrow_offsets: arrow.map(|()| PyArray1::from_vec(py, policies.arrow_policy.offsets).unbind()),
            distances: distances.map(Bound::unbind),
        })
    }
}

/// Probability distributions, one after the other.
struct Distributions {
    values: Vec<f32>,
    /// Place of the first value of each distribution, and of the end.
    offsets: Vec<i64>,
}

impl Default for Distributions {
    fn default() -> Self {
        Self { values: Vec::new(), offsets: vec![0] }
    }
}

impl Distributions {
    /// Adds the distribution with the logits after the last one.
    fn end(&mut self, evaluator: &Evaluator) {
        let start = self.offsets.last().map_or(0, |&start| start as usize);
        evaluator.softmax(&mut self.values[start..]);
        self.offsets.push(self.values.len() as i64);
    }
}

/// Policies of all positions.
#[derive(Default)]
struct Policies {
    has_arrows: bool,
    policy: Distributions,
    movements: Vec<[u8; 2]>,
    arrow_policy: Distributions,
    arrows: Vec<u8>,
}

impl Policies {
    /// Adds the policy of a position.
    fn add(&mut self, position: &Position, evaluator: &Evaluator, scratch: &mut ModelScratch) {
        let index = |square| index_of(square, position.size()) as u8;
        evaluator.for_each_movement(position, scratch, |movement, logit| {
            self.policy.values.push(logit);
            self.movements.push([movement.from, movement.to].map(index));
        });
        self.policy.end(evaluator);
        // In the order of the policy.
        for movement in position.movements().filter(|_| self.has_arrows) {
            evaluator.for_each_arrow(&position.with_movement(movement), scratch, |arrow, logit| {
                self.arrow_policy.values.push(logit);
                self.arrows.push(index(arrow));
            });
            self.arrow_policy.end(evaluator);
        }
    }
}

/// Writes the distances of positions of equal size, in the order of [`Evaluation::distances`].
/// Does nothing without cells.
fn write_distances(
    cells: &mut [u8],
    positions: &[Position],
    evaluator: &Evaluator,
    scratch: &mut ModelScratch,
) {
    let bytes = (cells.len() / positions.len().max(1)).max(1);
    for (position, cells) in positions.iter().zip(cells.chunks_exact_mut(bytes)) {
        evaluator.write_distances(position, scratch, cells);
    }
}
