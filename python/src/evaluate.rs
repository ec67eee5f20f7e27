//! Static evaluation of many positions in one call.

use crate::board::Board;
use crate::engine::params;
use crate::errors::value_error;
use crate::gil::without_gil;
use crate::moves::index_of;
use numpy::{PyArray1, PyArray2, PyArray5, PyArrayMethods};
use otrera::eval::distance::{DistanceMaps, Levels};
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::eval::policy::{odds, sum_of_odds};
use otrera::{Position, Size, Square};
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
    let parts = Parts { policy, distances, leads, arrows };
    let (positions, size) = positions_of(boards)?;
    let model = params(preset)?.model().clone();
    model.check_board(size).map_err(value_error)?;
    let evaluator = Evaluator::new(model.clone());
    let mut arrays = Arrays::of_length(positions.len(), size, &parts);
    for some in positions.chunks(CHUNK) {
        without_gil(py, || arrays.add(some, &model, &evaluator));
        py.check_signals()?;
    }
    arrays.into_evaluation(py, size)
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

/// Number of positions that are evaluated between two looks for Ctrl-C.
const CHUNK: usize = 4096;

/// The arrays that are requested.
struct Parts {
    policy: bool,
    distances: bool,
    leads: bool,
    arrows: bool,
}

/// The contents of the arrays.
struct Arrays {
    values: Vec<f32>,
    win_rates: Vec<f32>,
    leads: Option<Vec<f32>>,
    policies: Option<Policies>,
    distances: Option<Vec<u8>>,
}

impl Arrays {
    /// Returns empty arrays with room for a number of positions.
    fn of_length(length: usize, size: Size, parts: &Parts) -> Self {
        Self {
            values: Vec::with_capacity(length),
            win_rates: Vec::with_capacity(length),
            leads: parts.leads.then(|| Vec::with_capacity(length)),
            policies: parts.policy.then(|| Policies { has_arrows: parts.arrows, ..Policies::default() }),
            distances: parts.distances.then(|| Vec::with_capacity(length * 4 * size.area())),
        }
    }

    /// Adds the contents for further positions.
    fn add(&mut self, positions: &[Position], model: &Model, evaluator: &Evaluator) {
        let mut scratch = ModelScratch::default();
        for position in positions {
            let value = evaluator.value(position, &mut scratch);
            self.values.push(value.0);
            self.win_rates.push(model.win_rate(value).0);
        }
        if let Some(leads) = &mut self.leads {
            leads.extend(positions.iter().map(|at| model.lead(at, &mut scratch).unwrap_or(f32::NAN)));
        }
        if let Some(policies) = &mut self.policies {
            positions.iter().for_each(|position| policies.add(position, evaluator, &mut scratch));
        }
        if let Some(distances) = &mut self.distances {
            add_distances(distances, positions, evaluator);
        }
    }

    /// Returns the arrays as those of numpy.
    fn into_evaluation(self, py: Python<'_>, size: Size) -> PyResult<Evaluation> {
        let (count, edge) = (self.values.len(), size.edge());
        let (given, arrow) = match &self.policies {
            Some(policies) => (Some(()), policies.has_arrows.then_some(())),
            None => (None, None),
        };
        let policies = self.policies.unwrap_or_default();
        let plies = policies.movements.len();
        let movements = policies.movements.into_flattened();
        let movements = given.map(|()| PyArray1::from_vec(py, movements).reshape([plies, 2]));
        let shape = [count, 2, 2, edge, edge];
        let distances = self.distances.map(|cells| PyArray1::from_vec(py, cells).reshape(shape));
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
            distances: distances.transpose()?.map(Bound::unbind),
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
    /// Adds the distribution with these logits.
    fn add(&mut self, logits: impl Iterator<Item = f32> + Clone) {
        let best = logits.clone().fold(f32::NEG_INFINITY, f32::max);
        let start = self.values.len();
        self.values.extend(logits.map(|logit| logit - best));
        let values = &mut self.values[start..];
        let share = sum_of_odds(values).recip();
        values.iter_mut().for_each(|value| *value = odds(*value) * share);
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
        let logits = evaluator.movement_logits(position, scratch);
        self.policy.add(logits.iter().map(|(_, logit)| *logit));
        self.movements.extend(logits.iter().map(|(movement, _)| [movement.from, movement.to].map(index)));
        for (movement, _) in logits.iter().filter(|_| self.has_arrows) {
            let logits = evaluator.arrow_logits(&position.with_movement(*movement), scratch);
            self.arrow_policy.add(logits.iter().map(|(_, logit)| *logit));
            self.arrows.extend(logits.iter().map(|(arrow, _)| index(*arrow)));
        }
    }
}

/// Distance that marks a square that is not reached.
const UNREACHED: u8 = u8::MAX;

/// Adds the distances of positions of equal size, in the order of [`Evaluation::distances`].
fn add_distances(all: &mut Vec<u8>, positions: &[Position], evaluator: &Evaluator) {
    let area = positions.first().map_or(0, |position| position.size().area());
    let begin = all.len();
    all.resize(begin + positions.len() * 4 * area, UNREACHED);
    let cells = &mut all[begin..];
    let mut maps = DistanceMaps::default();
    for (position, cells) in positions.iter().zip(cells.chunks_mut(4 * area.max(1))) {
        maps.flood(position, evaluator.kernel());
        let kinds = [0, 1].into_iter().flat_map(|side| [(side, &maps.queen), (side, &maps.king)]);
        for ((side, levels), cells) in kinds.zip(cells.chunks_mut(area)) {
            fill(cells, levels, side, position.size());
        }
    }
}

/// Writes the distances of one side.
fn fill(cells: &mut [u8], levels: &Levels, side: usize, size: Size) {
    // By the square's index, which is faster than by row and column; rows of cells are copied from there.
    let mut steps = [UNREACHED; 128];
    for ((nearer, reached), step) in levels.reached().iter().zip(levels.reached().iter().skip(1)).zip(1..) {
        for square in reached.of(side) - nearer.of(side) {
            steps[square.index() % steps.len()] = step;
        }
    }
    let firsts = (0..size.edge()).filter_map(|row| Square::new(0, row));
    for (cells, first) in cells.chunks_mut(size.edge()).zip(firsts) {
        cells.copy_from_slice(&steps[first.index()..first.index() + size.edge()]);
    }
}
