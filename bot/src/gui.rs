//! `otrera gui`: serves the page on 127.0.0.1 and answers its requests with the native engine.
//!
//! | request | answer |
//! |---|---|
//! | `GET /TOKEN/` | the page |
//! | `POST /TOKEN/ask` | the answer to a request of [`otrera_requests::request`]; a closed connection stops the search |
//! | `POST /TOKEN/save` | id and file name of a match, after saving it: [`crate::matches`] |
//! | `GET /TOKEN/matches` | the unfinished matches |
//! | `GET /TOKEN/alive` | none; an open page holds this connection, and the server exits after the last one closes |
//!
//! [`crate::server`] refuses requests with another path, host or origin.

use crate::cli::CommandLine;
use crate::matches::{self, Matches};
use crate::records::own_name;
use crate::server::{Address, Answer, Refusal, answer_json, answer_page, refuse, text_of, token};
use hyper::body::Incoming;
use hyper::{Method, Request, StatusCode};
use otrera_front::setup::Setup;
use otrera_requests::engine::Engine;
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Maximum size of an `ask` request, in bytes: enough for a 16 MB record in JSON.
const MAX_BODY: usize = 20 << 20;

/// Time without an open tab after which the server exits; longer than a page reload takes.
const GRACE: Duration = Duration::from_secs(5);

/// A request in the queue of the engine thread.
struct Job {
    request: String,
    stop: Arc<AtomicBool>,
    answer: oneshot::Sender<String>,
}

/// State shared by all connections.
struct Shared {
    address: Address,
    page: String,
    jobs: mpsc::Sender<Job>,
    matches: Mutex<Matches>,
    /// Number of open `alive` connections, and thus of open pages.
    tabs: watch::Sender<usize>,
}

/// Serves the page until its last tab is closed. Fails if the server cannot start, for example if the port is in use.
pub fn run(options: &CommandLine) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("cannot start the server: {error}"))?;
    runtime.block_on(serve(options))
}

async fn serve(options: &CommandLine) -> Result<(), String> {
    let (address, listener) = Address::listen(options.own.port)?;
    let url = address.url();
    let (tabs, mut open_tabs) = watch::channel(0);
    let shared = Shared {
        page: otrera_web::page(&describe(options), &token()?),
        jobs: start_engine(options)?,
        matches: Mutex::new(Matches::new(&options.settings)),
        tabs,
        address,
    };
    otrera_front::io::print(&format!("{url}\n"))?;
    if !options.settings.no_open
        && let Err(error) = open::that_detached(&url)
    {
        eprintln!("otrera: cannot open a browser ({error}); open the address above");
    }
    let shared = Arc::new(shared);
    let server = crate::server::serve(listener, move |request| respond(shared.clone(), request));
    tokio::select! {
        Err(error) = server => Err(error.to_string()),
        () = last_tab_closed(&mut open_tabs) => Ok(()),
    }
}

/// Returns a JSON object for the page: version, preset, threads, memory in MiB, and a match's names and event.
fn describe(options: &CommandLine) -> String {
    let settings = &options.settings;
    let resources = Setup::DESKTOP.resources(settings);
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "preset": settings.preset.text,
        "threads": resources.threads,
        "memory": resources.memory >> 20,
        "match": { "name": own_name(settings), "opponent": settings.opponent, "event": settings.event },
    })
    .to_string()
}

/// Starts the engine thread, which answers requests one at a time; returns the sender of its queue.
fn start_engine(options: &CommandLine) -> Result<mpsc::Sender<Job>, String> {
    let (params, resources) =
        (options.settings.preset.params.clone(), Setup::DESKTOP.resources(&options.settings));
    let (sender, jobs) = mpsc::channel::<Job>();
    let work = move || {
        let mut engine = Engine::new(params, resources);
        for job in jobs {
            if job.stop.load(Ordering::Relaxed) {
                continue;
            }
            // If the tab has been closed, nobody waits for the answer.
            let _ = job.answer.send(engine.answer(&job.request, &job.stop));
        }
    };
    let thread = std::thread::Builder::new().name("engine".into()).spawn(work);
    thread.map(|_| sender).map_err(|error| format!("cannot start the engine's thread: {error}"))
}

/// Waits until a tab has been opened and then none has been open for [`GRACE`].
async fn last_tab_closed(tabs: &mut watch::Receiver<usize>) {
    // The sender outlives this task, so waiting cannot fail.
    let _ = tabs.wait_for(|&tabs| tabs > 0).await;
    loop {
        let _ = tabs.wait_for(|&tabs| tabs == 0).await;
        if tokio::time::timeout(GRACE, tabs.wait_for(|&tabs| tabs > 0)).await.is_err() {
            return;
        }
    }
}

async fn respond(shared: Arc<Shared>, request: Request<Incoming>) -> Answer {
    let (parts, body) = request.into_parts();
    let path = match shared.address.path_of(&parts) {
        Ok(path) => path,
        Err(refusal) => return refuse(refusal),
    };
    match (&parts.method, path) {
        (&Method::GET, "") => answer_page(shared.page.clone()),
        (&Method::POST, "ask") => ask(&shared, body).await.unwrap_or_else(refuse),
        (&Method::POST, "save") => save(&shared, body).await.unwrap_or_else(refuse),
        (&Method::GET, "matches") => answer_json(shared.matches().unfinished()),
        (&Method::GET, "alive") => {
            shared.tabs.send_modify(|tabs| *tabs += 1);
            let _tab = OnDrop(|| shared.tabs.send_modify(|tabs| *tabs -= 1));
            std::future::pending().await
        }
        _ => refuse((StatusCode::NOT_FOUND, "")),
    }
}

impl Shared {
    fn matches(&self) -> std::sync::MutexGuard<'_, Matches> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn save(shared: &Shared, body: Incoming) -> Result<Answer, Refusal> {
    let request = text_of(body, matches::MAX_BYTES).await?;
    let saved = shared.matches().save(&request, token);
    Ok(answer_json(saved.unwrap_or_else(|problem| json!({"problem": problem}).to_string())))
}

async fn ask(shared: &Shared, body: Incoming) -> Result<Answer, Refusal> {
    let request = text_of(body, MAX_BODY).await?;
    let (answer, answered) = oneshot::channel();
    let stop = Arc::new(AtomicBool::new(false));
    // If the connection closes, this guard is dropped with the future.
    let _stops = OnDrop(|| stop.store(true, Ordering::Relaxed));
    let sent = shared.jobs.send(Job { request, stop: stop.clone(), answer });
    match (sent, answered.await) {
        (Ok(()), Ok(answer)) => Ok(answer_json(answer)),
        _ => Err((StatusCode::INTERNAL_SERVER_ERROR, "")),
    }
}

/// RAII guard that calls a function when dropped, for example when the client disconnects.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
