//! Work without the GIL.

use pyo3::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// The thread that ends the interpreter, once it does.
static ENDING: OnceLock<ThreadId> = OnceLock::new();

/// Number of threads that are about to take the GIL.
static RETURNING: AtomicUsize = AtomicUsize::new(0);

/// Maximum time to wait for these threads: a process that was forked counts threads that it does not have.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time that a thread waits for the end of the process. Afterwards it goes on, since an exit handler may wait for it.
const LAST_WAIT: Duration = Duration::from_secs(10);

/// Calls a function without the GIL.
///
/// Before Python 3.14, an interpreter that ends kills each daemon thread that takes the GIL, which native code does not
/// survive. Such a thread does not come back from here.
pub fn without_gil<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    let result = py.detach(|| {
        let result = work();
        RETURNING.fetch_add(1, SeqCst);
        if ENDING.get().is_some_and(|ending| *ending != thread::current().id()) {
            RETURNING.fetch_sub(1, SeqCst);
            thread::sleep(LAST_WAIT);
            RETURNING.fetch_add(1, SeqCst);
        }
        result
    });
    RETURNING.fetch_sub(1, SeqCst);
    result
}

/// Calls [`end`] when the interpreter ends.
pub fn prepare_end(py: Python<'_>) -> PyResult<()> {
    let end = wrap_pyfunction!(end, py)?;
    py.import("atexit")?.call_method1("register", (end,)).map(drop)
}

/// Keeps other threads from taking the GIL again. Waits until those that are about to take it have it.
#[pyfunction]
fn end(py: Python<'_>) {
    let _ = ENDING.set(thread::current().id());
    py.detach(|| {
        let until = Instant::now() + PATIENCE;
        while RETURNING.load(SeqCst) > 0 && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    });
}
