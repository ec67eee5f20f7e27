//! The engine: searches that run on a thread of their own, while the caller waits without the GIL.

use crate::board::Board;
use crate::errors::{EngineBusyError, value_error};
use crate::report::Report;
use otrera::{Limits, Model, Params, Position, Resources, Search};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time between two looks for Ctrl-C during a search.
const POLL: Duration = Duration::from_millis(50);

/// Limit of a search: `time` in seconds, `iterations` over all threads, or the first of both. `Limit()` has no limit:
/// the search ends when it is stopped or the outcome is proven. Raises ValueError for a negative time and for no
/// iterations.
///
/// >>> from otrera import Limit
/// >>> Limit(time=0.5)
/// Limit(time=0.5, iterations=None)
#[pyclass(module = "otrera", frozen, get_all, eq, from_py_object)]
#[derive(Clone, Copy, PartialEq)]
pub struct Limit {
    /// Time in seconds.
    time: Option<f64>,
    /// Number of iterations, summed over all threads.
    iterations: Option<u64>,
}

#[pymethods]
impl Limit {
    #[new]
    #[pyo3(signature = (time=None, iterations=None))]
    fn new(time: Option<f64>, iterations: Option<u64>) -> PyResult<Self> {
        if let Some(time) = time
            && Duration::try_from_secs_f64(time).is_err()
        {
            return Err(value_error(format!("time={time}: a time is a number of seconds, at least 0")));
        }
        if iterations == Some(0) {
            return Err(value_error("iterations=0: a search has at least 1 iteration"));
        }
        Ok(Self { time, iterations })
    }

    fn __repr__(&self) -> String {
        let show = |value: Option<String>| value.unwrap_or_else(|| "None".into());
        let time = show(self.time.map(|time| format!("{time:?}")));
        format!("Limit(time={time}, iterations={})", show(self.iterations.map(|count| count.to_string())))
    }
}

impl Limit {
    /// Returns the limits of a search that begins now.
    fn now(&self) -> Limits {
        let time = self.time.and_then(|time| Duration::try_from_secs_f64(time).ok());
        Limits { iterations: self.iterations, deadline: time.and_then(|time| Limits::time(time).deadline) }
    }
}

/// An engine with a search tree, which it keeps from move to move of a game.
///
/// `preset` names a preset and parameters as the program's option does (`"tournament"`, `"paper"`,
/// `"tournament,model=FILE"`), `threads` is the number of search threads, `memory` the maximum size of the tree in MiB
/// (at most 32768 are used; the tree takes memory only as it grows). With one thread and a limit of iterations, equal
/// seeds give equal searches. Raises ValueError.
///
/// An engine searches one position at a time: EngineBusyError is raised during a search. Several engines can search in
/// several Python threads, since a search does not hold the GIL. Ctrl-C stops a search and raises KeyboardInterrupt.
///
/// >>> from otrera import Board, Engine, Limit
/// >>> engine, board = Engine(), Board()
/// >>> report = engine.play(board, Limit(iterations=1000))
/// >>> board.push(report.move) in Board().legal_moves
/// True
/// >>> Engine(preset="strong")
/// Traceback (most recent call last):
///     ...
/// ValueError: expected one of tournament, paper, mg, peo, mcts, uct
#[pyclass(module = "otrera", frozen)]
pub struct Engine {
    /// The search; `None` while a thread uses it.
    search: Arc<Mutex<Option<Search>>>,
    /// Preset and parameters.
    #[pyo3(get)]
    preset: String,
    /// Number of search threads.
    #[pyo3(get)]
    threads: usize,
    /// Maximum size of the tree in MiB.
    #[pyo3(get)]
    memory: usize,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (preset="tournament", threads=1, memory=160, seed=1))]
    fn new(preset: &str, threads: usize, memory: usize, seed: u64) -> PyResult<Self> {
        let mut resources = Resources { seed, ..Resources::default() };
        for (setting, value) in [(Resources::THREADS, threads), (Resources::MEMORY, memory)] {
            setting.set(&mut resources, &value.to_string()).map_err(value_error)?;
        }
        let search = Search::new(Position::standard(), params(preset)?, resources);
        let search = Arc::new(Mutex::new(Some(search)));
        Ok(Self { search, preset: preset.into(), threads, memory })
    }

    /// Searches for a move and returns a Report, whose `move` is the move to play. If only one move is legal, it takes
    /// no time. Raises ValueError if the game is over.
    fn play(&self, py: Python<'_>, board: PyRef<'_, Board>, limit: Limit) -> PyResult<Report> {
        let is_forced = board.position.legal_moves().nth(1).is_none();
        let limit = if is_forced { Limit { iterations: Some(1), ..limit } } else { limit };
        self.analyse(py, board, limit, 1)
    }

    /// Searches a position and returns a Report with up to `lines` moves. Raises ValueError if the game is over.
    ///
    /// >>> from otrera import Board, Engine, Limit
    /// >>> report = Engine().analyse(Board(size=8), Limit(iterations=2000), lines=3)
    /// >>> [line.move for line in report.lines][0] == report.move == report.pv[0]
    /// True
    /// >>> 0 < report.win_rate < 1, len(report.lines), report.proven
    /// (True, 3, None)
    #[pyo3(signature = (board, limit, lines=5))]
    fn analyse(
        &self,
        py: Python<'_>,
        board: PyRef<'_, Board>,
        limit: Limit,
        lines: usize,
    ) -> PyResult<Report> {
        self.analysis(board, limit, lines)?.wait(py)
    }

    /// Starts a search on another thread and returns an Analysis, which gives reports while the search runs.
    ///
    /// >>> from otrera import Board, Engine, Limit
    /// >>> with Engine().analysis(Board(), Limit(iterations=3000)) as analysis:
    /// ...     for report in analysis:
    /// ...         if report.visits >= 1000:
    /// ...             break
    /// >>> analysis.running
    /// False
    #[pyo3(signature = (board, limit=Limit { time: None, iterations: None }, lines=5))]
    fn analysis(&self, board: PyRef<'_, Board>, limit: Limit, lines: usize) -> PyResult<Analysis> {
        if let Some(winner) = board.position.winner() {
            return Err(value_error(format!("the game is over: {winner} has won")));
        }
        let taken = lock(&self.search).take();
        let mut search =
            taken.ok_or_else(|| EngineBusyError::new_err("the engine is searching: stop it first"))?;
        let (shared, slot) = (Arc::new(Shared::default()), self.search.clone());
        let (analysis, board) = (Analysis { shared: shared.clone(), lines }, board.clone());
        std::thread::Builder::new().spawn(move || {
            // Dropped last, also after a panic: the waiting caller learns that the search is over.
            let over = Over(shared.clone());
            set_up(&mut search, &board);
            let mut progress = |report: &otrera::Report| shared.give(report.clone());
            let report = search.run(&limit.now(), &shared.stop, &mut progress);
            *lock(&slot) = Some(search);
            lock(&shared.state).last = Some(report.clone());
            shared.give(report);
            drop(over);
        })?;
        Ok(analysis)
    }

    /// Drops the search tree. Raises EngineBusyError during a search.
    fn clear(&self) -> PyResult<()> {
        let mut search = lock(&self.search);
        let search = search
            .as_mut()
            .ok_or_else(|| EngineBusyError::new_err("the engine is searching: stop it first"))?;
        search.clear();
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("Engine(preset='{}', threads={}, memory={})", self.preset, self.threads, self.memory)
    }
}

/// Reads the parameters of a preset; `model=FILE` reads a file of weights.
pub fn params(text: &str) -> PyResult<Params> {
    let read_model = |path: &str| {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
        text.and_then(|text| Model::from_weights(&text)).map_err(|problem| format!("{path}: {problem}"))
    };
    Params::read(text, read_model).map_err(value_error)
}

/// Sets the root of a search to the position of a board. Keeps the tree if the root is an earlier position of that
/// board.
fn set_up(search: &mut Search, board: &Board) {
    let root = *search.position();
    match board.played.iter().rposition(|(position, _)| *position == root) {
        Some(first) if root != board.position => {
            board.played[first..].iter().for_each(|(_, mv)| search.advance(*mv));
        }
        _ => search.set_position(board.position),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// State shared by an analysis and its search thread.
#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    state: Mutex<State>,
    /// Notified of every change of the state.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Newest report that was not read yet.
    unread: Option<otrera::Report>,
    /// Final report.
    last: Option<otrera::Report>,
    is_over: bool,
}

impl Shared {
    fn give(&self, report: otrera::Report) {
        lock(&self.state).unread = Some(report);
        self.changed.notify_all();
    }

    /// Waits without the GIL until a condition holds or the search is over; stops the search on Ctrl-C.
    fn wait(&self, py: Python<'_>, holds: impl Fn(&State) -> bool + Sync) -> PyResult<MutexGuard<'_, State>> {
        loop {
            py.detach(|| {
                let goes_on = |state: &mut State| !state.is_over && !holds(state);
                drop(self.changed.wait_timeout_while(lock(&self.state), POLL, goes_on));
            });
            py.check_signals().inspect_err(|_| self.stop.store(true, Ordering::Relaxed))?;
            let state = lock(&self.state);
            if state.is_over || holds(&state) {
                return Ok(state);
            }
        }
    }
}

/// Ends the waiting when it is dropped.
struct Over(Arc<Shared>);

impl Drop for Over {
    fn drop(&mut self) {
        lock(&self.0.state).is_over = true;
        self.0.changed.notify_all();
    }
}

/// A running search. Iterating gives a Report about once a second, then the final one. Leaving a `with` block stops the
/// search.
#[pyclass(module = "otrera", frozen)]
pub struct Analysis {
    shared: Arc<Shared>,
    lines: usize,
}

#[pymethods]
impl Analysis {
    /// True while the search runs.
    #[getter]
    fn running(&self) -> bool {
        !lock(&self.shared.state).is_over
    }

    /// Stops the search, which then gives its final report. Returns at once.
    fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Waits for the end of the search and returns the final Report.
    fn wait(&self, py: Python<'_>) -> PyResult<Report> {
        let waited = self.shared.wait(py, |_| false);
        if let Err(interrupt) = waited {
            // The engine is free again when the exception arrives.
            py.detach(|| {
                let state = lock(&self.shared.state);
                drop(self.shared.changed.wait_while(state, |state| !state.is_over));
            });
            return Err(interrupt);
        }
        let report = waited?.last.clone();
        self.convert(py, &report.ok_or_else(|| PyRuntimeError::new_err("the search failed"))?)
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Report>> {
        let report = self.shared.wait(py, |state| state.unread.is_some())?.unread.take();
        report.map(|report| self.convert(py, &report)).transpose()
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.stop();
        self.shared.wait(py, |_| false).map(drop)
    }
}

impl Analysis {
    fn convert(&self, py: Python<'_>, report: &otrera::Report) -> PyResult<Report> {
        let best = report.best.ok_or_else(|| PyRuntimeError::new_err("the search found no move"))?;
        Report::new(py, best, report, self.lines)
    }
}

impl Drop for Analysis {
    fn drop(&mut self) {
        self.stop();
    }
}
