//! `otrera serve`: answers requests of [`otrera_requests::request`], one JSON object on each line of standard input, by
//! lines on standard output. `docs/requests.md` describes it for users.
//!
//! A thread reads the requests into a bounded queue. The engine answers them one at a time, in their order.

use crate::analyze::resources;
use crate::cli::CommandLine;
use otrera_front::io::{Disconnected, Log, MAX_LINE_BYTES, Output, read_line};
use otrera_requests::answer::{Answer, Found, Reply};
use otrera_requests::engine::Engine;
use otrera_requests::request::{Id, Request, Task};
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Maximum size of the requests in the queue, in bytes of their lines. In memory they take up to eight times as much.
const MAX_QUEUED: usize = 16 << 20;

/// Answers all requests of standard input. Ends after the last answer, or when nobody reads the answers any more. Fails
/// if an answer cannot be written.
pub fn run(options: &CommandLine) -> Result<(), String> {
    let mut engine = Engine::new(options.settings.preset.params.clone(), resources(options));
    let output = Output::new(Box::new(std::io::stdout()), Log::none(Instant::now()));
    let queue = Arc::new(Queue::new(MAX_QUEUED));
    let (requests, answers) = (Arc::clone(&queue), output.clone());
    let read = move || {
        let outcome = read_requests(std::io::stdin().lock(), &requests, &answers);
        if outcome.is_err() {
            // No answer can be written any more.
            requests.cancel(None);
        }
        requests.close();
        outcome
    };
    #[cfg(unix)]
    abandon_without_reader(&queue);
    let thread = std::thread::Builder::new().name("input".into()).spawn(read);
    let thread = thread.map_err(|error| format!("cannot start the thread that reads requests: {error}"))?;
    while let Some(job) = queue.next() {
        if let Err(problem) = answer(&mut engine, job, &queue, &output) {
            // The other thread may wait for input that never comes.
            return lost(problem);
        }
    }
    if queue.is_abandoned() {
        return Ok(());
    }
    thread.join().map_or(Ok(()), |outcome| outcome.or_else(lost))
}

/// Starts a thread that abandons all requests when the reader of the answers exits: a search may take hours until its
/// answer shows that nobody reads it. Without the thread, that answer shows it.
#[cfg(unix)]
fn abandon_without_reader(queue: &Arc<Queue>) {
    use rustix::event::{PollFd, PollFlags, poll};
    let queue = Arc::clone(queue);
    let watch = move || {
        let stdout = std::io::stdout();
        let mut files = [PollFd::new(&stdout, PollFlags::empty())];
        while poll(&mut files, None) == Err(rustix::io::Errno::INTR) {}
        // A file that cannot be watched has other events.
        if files[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
            queue.abandon();
        }
    };
    let _ = std::thread::Builder::new().name("output".into()).spawn(watch);
}

/// Tells why an answer was not written, unless its reader has exited.
fn lost(Disconnected(error): Disconnected) -> Result<(), String> {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(format!("cannot write an answer: {error}")),
    }
}

/// A request in the queue.
struct Job {
    id: Id,
    partial: bool,
    task: Task,
    /// Size of the request's line, in bytes.
    bytes: usize,
    /// True if the request is cancelled.
    stop: Arc<AtomicBool>,
}

/// Reads requests until the input ends. Answers broken requests and `cancel` at once.
fn read_requests(mut input: impl BufRead, queue: &Queue, output: &Output) -> Result<(), Disconnected> {
    let mut line = Vec::new();
    for number in 1.. {
        match read_line(&mut input, &mut line) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                eprintln!("otrera: cannot read standard input: {error}");
                break;
            }
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}').trim();
        let is_cut = line.len() >= MAX_LINE_BYTES && !line.ends_with(b"\n");
        if text.is_empty() {
            continue;
        }
        let too_long = || format!("this request is longer than {} MB", MAX_LINE_BYTES >> 20);
        let request = if is_cut { Err(too_long()) } else { read_request(text) };
        let reply = match request {
            Ok((id, Request { task: Task::Cancel { of }, .. })) => {
                Reply::new(Some(id), Answer::Ended { ended: queue.cancel(of.as_ref()) })
            }
            Ok((id, Request { partial, task, .. })) => {
                queue.push(Job { id, partial, task, bytes: text.len(), stop: Arc::default() });
                continue;
            }
            Err(problem) => Reply { line: Some(number), ..Reply::new(Id::find(text), problem.into()) },
        };
        output.send(&reply.to_json())?;
    }
    Ok(())
}

/// Reads a request, which must have an id.
fn read_request(text: &str) -> Result<(Id, Request), String> {
    let mut request = Request::read(text)?;
    let id = request.id.take().ok_or("a request needs an id, a string or a number")?;
    Ok((id, request))
}

/// Answers a request; during its search too if it asks for partial answers.
fn answer(engine: &mut Engine, job: Job, queue: &Queue, output: &Output) -> Result<(), Disconnected> {
    let Job { id, partial, task, stop, .. } = job;
    let mut progress = |found: Found| {
        let reply = Reply { partial, ..Reply::new(Some(id.clone()), Answer::Found(found)) };
        if partial && output.send(&reply.to_json()).is_err() {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let answer = match stop.load(Ordering::Relaxed) {
        true => Answer::Nothing {},
        false => engine.reply(task, &stop, &mut progress),
    };
    let cancelled = queue.finish();
    output.send(&Reply { cancelled, ..Reply::new(Some(id), answer) }.to_json())
}

/// Queue between the thread that reads requests and the one that answers them.
struct Queue {
    /// Maximum size of the queued requests in bytes. A larger request waits until the queue is empty.
    limit: usize,
    state: Mutex<State>,
    /// Notified of every change of the state.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// Size of the queued requests.
    bytes: usize,
    /// Id and stop flag of the request that is being answered.
    current: Option<(Id, Arc<AtomicBool>)>,
    is_closed: bool,
    /// True if the reader of the answers has exited.
    is_abandoned: bool,
}

impl Queue {
    fn new(limit: usize) -> Self {
        Self { limit, state: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while a condition holds.
    fn wait(&self, holds: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let waited = self.changed.wait_while(self.lock(), |state| holds(state));
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request; first waits until there is room.
    fn push(&self, job: Job) {
        let mut state = self.wait(|state| !state.jobs.is_empty() && state.bytes + job.bytes > self.limit);
        state.bytes += job.bytes;
        state.jobs.push_back(job);
        self.changed.notify_all();
    }

    /// Waits for the next request and removes it; returns `None` after the last one.
    fn next(&self) -> Option<Job> {
        let mut state = self.wait(|state| state.jobs.is_empty() && !state.is_closed);
        let job = state.jobs.pop_front()?;
        state.bytes -= job.bytes;
        state.current = Some((job.id.clone(), Arc::clone(&job.stop)));
        self.changed.notify_all();
        Some(job)
    }

    /// Notes that the current request has its answer; returns true if it was cancelled before.
    fn finish(&self) -> bool {
        self.lock().current.take().is_some_and(|(_, stop)| stop.load(Ordering::Relaxed))
    }

    /// Cancels the queued and current requests with this id, or all; returns the number of requests that it cancels.
    fn cancel(&self, of: Option<&Id>) -> usize {
        let state = self.lock();
        let queued = state.jobs.iter().map(|job| (&job.id, &job.stop));
        let current = state.current.iter().map(|(id, stop)| (id, stop));
        let wanted = queued.chain(current).filter(|(id, _)| of.is_none_or(|of| of == *id));
        wanted.filter(|(_, stop)| !stop.swap(true, Ordering::Relaxed)).count()
    }

    /// Cancels all requests and closes the queue: the reader of the answers has exited.
    #[cfg(unix)]
    fn abandon(&self) {
        self.lock().is_abandoned = true;
        self.cancel(None);
        self.close();
    }

    /// True if the reader of the answers has exited. The other thread may then wait for input that never comes.
    fn is_abandoned(&self) -> bool {
        self.lock().is_abandoned
    }

    /// Makes [`Self::next`] return `None` after the last request.
    fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test fails by panicking
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn reading_waits_while_the_queue_is_full() {
        let request = |id: usize| format!("{{\"id\":{id},\"do\":\"version\"}}\n");
        let input: String = (0..9).map(request).collect();
        let queue = Arc::new(Queue::new(3 * request(0).trim().len()));
        let reader = Arc::clone(&queue);
        let thread = std::thread::spawn(move || {
            let output = Output::new(Box::new(std::io::sink()), Log::none(Instant::now()));
            read_requests(input.as_bytes(), &reader, &output).unwrap();
            reader.close();
        });
        for _ in 0..9 {
            std::thread::sleep(Duration::from_millis(5));
            assert!(queue.lock().jobs.len() <= 3);
            assert!(queue.next().is_some());
        }
        thread.join().unwrap();
        assert!(queue.next().is_none());
    }
}
