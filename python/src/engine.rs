//! The engine: searches that run on another thread, while the caller waits without the GIL.

use crate::board::Board;
use crate::errors::{EngineBusyError, value_error};
use crate::gil::without_gil;
use crate::numbers::Whole;
use crate::report::Report;
use otrera::eval::model::Model;
use otrera::{Limits, Params, Resources};
use otrera_requests::answer::Found;
use otrera_requests::engine::Engine as Requests;
use otrera_requests::request;
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
    fn new(time: Option<f64>, iterations: Option<Whole>) -> PyResult<Self> {
        if let Some(time) = time
            && Duration::try_from_secs_f64(time).is_err()
        {
            return Err(value_error(format!("time={time:?}: a time is a number of seconds, at least 0")));
        }
        let iterations = iterations.map(|count| count.of("iterations", 1, u64::MAX)).transpose()?;
        Ok(Self { time, iterations })
    }

    fn __repr__(&self) -> String {
        let show = |value: Option<String>| value.unwrap_or_else(|| "None".into());
        let time = show(self.time.map(|time| format!("{time:?}")));
        format!("Limit(time={time}, iterations={})", show(self.iterations.map(|count| count.to_string())))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Option<f64>, Option<u64>)) {
        let limit = slf.get();
        (slf.py().get_type::<Self>().into_any(), (limit.time, limit.iterations))
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
/// (at most 32768; the tree takes memory only as it grows). With one thread and a limit of iterations, equal
/// seeds give equal searches. Raises ValueError.
///
/// An engine searches one position at a time: EngineBusyError is raised during a search, unless that search was stopped
/// and only ends. Several engines can search in several Python threads, since a search does not hold the GIL. Ctrl-C
/// stops a search and raises KeyboardInterrupt.
///
/// >>> from otrera import Board, Engine, Limit
/// >>> engine, board = Engine(), Board()
/// >>> report = engine.play(board, Limit(iterations=1000))
/// >>> board.push(report.move) in Board().legal_moves
/// True
/// >>> Engine(preset="strong")
/// Traceback (most recent call last):
///     ...
/// ValueError: preset="strong": expected one of tournament, paper, mg, peo, mcts, uct
#[pyclass(module = "otrera", frozen)]
pub struct Engine {
    /// The engine that answers requests, or its user.
    slot: Arc<Mutex<Slot>>,
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
    #[pyo3(
        signature = (preset="tournament", threads=Whole(1), memory=Whole(160), seed=Whole(1)),
        text_signature = "(preset='tournament', threads=1, memory=160, seed=1)"
    )]
    fn new(preset: &str, threads: Whole, memory: Whole, seed: Whole) -> PyResult<Self> {
        let mut resources = Resources { seed: seed.of("seed", 0, u64::MAX)?, ..Resources::default() };
        for (setting, value) in [(Resources::THREADS, threads), (Resources::MEMORY, memory)] {
            setting.set(&mut resources, &value.to_string()).map_err(value_error)?;
        }
        let requests = Some(Requests::new(params(preset)?, resources));
        let (threads, memory) = (resources.threads, resources.memory >> 20);
        let slot = Arc::new(Mutex::new(Slot { requests, user: None }));
        Ok(Self { slot, preset: preset.into(), threads, memory })
    }

    /// Searches for a move and returns a Report, whose `move` is the move to play. If only one move is legal, it takes
    /// no time. Raises ValueError if the game is over.
    fn play(&self, py: Python<'_>, board: PyRef<'_, Board>, limit: Limit) -> PyResult<Report> {
        let is_forced = board.position.legal_moves().nth(1).is_none();
        let limit = if is_forced { Limit { iterations: Some(1), ..limit } } else { limit };
        self.analyse(py, board, limit, Whole(1))
    }

    /// Searches a position and returns a Report with up to `lines` moves. Raises ValueError if the game is over.
    ///
    /// >>> from otrera import Board, Engine, Limit
    /// >>> report = Engine().analyse(Board(size=8), Limit(iterations=2000), lines=3)
    /// >>> [line.move for line in report.lines][0] == report.move == report.pv[0]
    /// True
    /// >>> 0 < report.win_rate < 1, len(report.lines), report.proven
    /// (True, 3, None)
    #[pyo3(signature = (board, limit, lines=Whole(5)), text_signature = "($self, board, limit, lines=5)")]
    fn analyse(
        &self,
        py: Python<'_>,
        board: PyRef<'_, Board>,
        limit: Limit,
        lines: Whole,
    ) -> PyResult<Report> {
        self.analysis(py, board, limit, lines)?.wait(py)
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
    #[pyo3(
        signature = (board, limit=Limit { time: None, iterations: None }, lines=Whole(5)),
        text_signature = "($self, board, limit=..., lines=5)"
    )]
    fn analysis(
        &self,
        py: Python<'_>,
        board: PyRef<'_, Board>,
        limit: Limit,
        lines: Whole,
    ) -> PyResult<Analysis> {
        let lines = lines.of("lines", 0, usize::MAX)?;
        if let Some(winner) = board.position.winner() {
            return Err(value_error(format!("the game is over: {winner} has won")));
        }
        let line = request::Line {
            past: board.played.iter().map(|(position, _)| *position).collect(),
            moves: board.played.iter().map(|(_, mv)| *mv).collect(),
            position: board.position,
        };
        // The report must have a line, since its variation is that of the first line.
        let most = lines.max(1);
        let shared = self.begin(py, move |requests, shared| {
            let mut progress = |report: &otrera::Report| shared.give(Found::new(report, most));
            let report = requests.search(&line, &limit.now(), &shared.stop, &mut progress);
            let found = report.map(|report| Found::new(&report, most));
            lock(&shared.state).last = Some(found.clone());
            if let Ok(found) = found {
                shared.give(found);
            }
        })?;
        Ok(Analysis { shared, lines })
    }

    /// Answers a request, given and answered as JSON, like `otrera serve`; docs/requests.md lists the requests. A bad
    /// request gets an answer with a `problem`. Raises EngineBusyError during a search.
    ///
    /// >>> import json
    /// >>> from otrera import Engine
    /// >>> answer = json.loads(Engine().answer('{"id": 1, "do": "think", "edge": 8, "iterations": 500, "lines": 2}'))
    /// >>> answer["id"], len(answer["lines"]), answer["best"] == answer["lines"][0]["move"]
    /// (1, 2, True)
    /// >>> Engine().answer('{"do": "start", "edge": 11}')
    /// '{"problem":"a board has 4 to 10 squares along each edge"}'
    fn answer(&self, py: Python<'_>, request: String) -> PyResult<String> {
        let answer = Arc::new(Mutex::new(String::new()));
        let written = Arc::clone(&answer);
        let shared = self.begin(py, move |requests, shared| {
            *lock(&written) = requests.answer(&request, &shared.stop);
        })?;
        drop(shared.wait_for_end(py)?);
        Ok(std::mem::take(&mut *lock(&answer)))
    }

    /// Drops the search tree. Raises EngineBusyError during a search.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.await_stopped(py)?;
        lock(&self.slot).requests.as_mut().ok_or_else(busy)?.clear();
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
        text.and_then(|text| Model::from_weights(&text))
    };
    // The problem names a parameter with its value; only the preset's own name is missing there.
    let name = text.split(',').next().unwrap_or_default();
    Params::read(text, read_model).map_err(|problem| value_error(format!("preset={name:?}: {problem}")))
}

impl Engine {
    /// Waits for the end of a search that was told to stop.
    fn await_stopped(&self, py: Python<'_>) -> PyResult<()> {
        let user = lock(&self.slot).user.clone();
        match user.filter(|shared| shared.stop.load(Ordering::Relaxed)) {
            Some(shared) => shared.wait_for_end(py).map(drop),
            None => Ok(()),
        }
    }

    /// Calls a function with the engine on another thread. Fails if the engine is in use.
    fn begin(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Requests, &Shared) + Send + 'static,
    ) -> PyResult<Arc<Shared>> {
        self.await_stopped(py)?;
        let shared = Arc::new(Shared::default());
        let requests = {
            let mut slot = lock(&self.slot);
            let taken = slot.requests.take().ok_or_else(busy)?;
            slot.user = Some(shared.clone());
            Some(taken)
        };
        let lent = Lent { shared: shared.clone(), requests, slot: self.slot.clone() };
        // If the thread cannot start, the closure is dropped and the engine is free again.
        std::thread::Builder::new().spawn(move || {
            let mut lent = lent;
            if let Some(requests) = &mut lent.requests {
                work(requests, &lent.shared);
            }
        })?;
        Ok(shared)
    }
}

fn busy() -> PyErr {
    EngineBusyError::new_err("the engine is searching: stop it first")
}

/// Place of an engine.
struct Slot {
    /// The engine; `None` while a thread uses it.
    requests: Option<Requests>,
    /// State of its last user.
    user: Option<Arc<Shared>>,
}

/// An engine that a thread uses. When this is dropped, also after a panic, the engine is free again and nobody waits
/// any more.
struct Lent {
    shared: Arc<Shared>,
    requests: Option<Requests>,
    slot: Arc<Mutex<Slot>>,
}

impl Drop for Lent {
    fn drop(&mut self) {
        lock(&self.slot).requests = self.requests.take();
        lock(&self.shared.state).is_over = true;
        self.shared.changed.notify_all();
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
    unread: Option<Found>,
    /// Final report, or the reason why there is none.
    last: Option<Result<Found, String>>,
    is_over: bool,
}

impl Shared {
    fn give(&self, found: Found) {
        lock(&self.state).unread = Some(found);
        self.changed.notify_all();
    }

    /// Waits without the GIL until a condition holds or the search is over; stops the search on Ctrl-C.
    fn wait(&self, py: Python<'_>, holds: impl Fn(&State) -> bool + Sync) -> PyResult<MutexGuard<'_, State>> {
        loop {
            without_gil(py, || {
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

    /// Waits without the GIL until the search is over. After Ctrl-C the engine is free again when the exception
    /// arrives.
    fn wait_for_end(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, State>> {
        let waited = self.wait(py, |_| false);
        if waited.is_err() {
            without_gil(py, || drop(self.changed.wait_while(lock(&self.state), |state| !state.is_over)));
        }
        waited
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
        match self.shared.wait_for_end(py)?.last.clone() {
            Some(Ok(found)) => self.convert(py, found),
            Some(Err(problem)) => Err(PyRuntimeError::new_err(problem)),
            None => Err(PyRuntimeError::new_err("the search failed")),
        }
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Report>> {
        let found = self.shared.wait(py, |state| state.unread.is_some())?.unread.take();
        found.map(|found| self.convert(py, found)).transpose()
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
    fn convert(&self, py: Python<'_>, found: Found) -> PyResult<Report> {
        Report::new(py, found, self.lines)
    }
}

impl Drop for Analysis {
    fn drop(&mut self) {
        self.stop();
    }
}
