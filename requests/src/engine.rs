//! The engine that answers requests.

use crate::answer::{Answer, Described, Found, Proof, Reply};
use crate::request::{self, Line, Request, Task, Think};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use otrera::simd::Kernel;
use otrera::{GameRecord, Level, Limits, Params, Position, Report, Resources, Search, bench, record};
use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

/// Maximum size of a game record in a request, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// Called about once a second during a search.
pub type Progress<'a> = &'a mut (dyn FnMut(&Report) + Send);

/// An engine that answers requests: a search with its tree.
pub struct Engine {
    params: Params,
    search: Option<Search>,
    resources: Resources,
    /// Maximum depth, and number of times that tree memory was recycled, over all runs on the current position.
    progress: (usize, u32),
}

impl Default for Engine {
    fn default() -> Self {
        Self::new(Params::TOURNAMENT, Resources::default())
    }
}

impl Engine {
    /// Creates an engine whose search has these parameters and resources.
    pub fn new(params: Params, resources: Resources) -> Self {
        Self { params, search: None, resources, progress: (0, 0) }
    }

    /// Answers a JSON request with JSON; bad requests get a `problem`. A search ends as soon as `stop` is true.
    pub fn answer(&mut self, text: &str, stop: &AtomicBool) -> String {
        let reply = match Request::read(text) {
            Ok(Request { id, task, .. }) => Reply::new(id, self.reply(task, stop, &mut |_| ())),
            Err(problem) => Reply::new(request::Id::find(text), problem.into()),
        };
        reply.to_json()
    }

    /// Answers a request. `progress` gets what a search has found so far, about once a second.
    pub fn reply(
        &mut self,
        task: Task,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(Found) + Send),
    ) -> Answer {
        let answered = self.guarded(|engine| engine.answered(task, stop, progress));
        answered.and_then(|answer| answer).unwrap_or_else(Answer::from)
    }

    /// Searches the last position of a game. Fails if the game is over, the preset does not fit the board, or the
    /// search panics; the engine is then as new.
    pub fn search(
        &mut self,
        line: &Line,
        limits: &Limits,
        stop: &AtomicBool,
        progress: Progress,
    ) -> Result<Report, String> {
        self.check(&line.position)?;
        self.guarded(|engine| engine.at(line).run(limits, stop, progress))
    }

    /// Drops the search tree.
    pub fn clear(&mut self) {
        if let Some(search) = &mut self.search {
            search.clear();
        }
        self.progress = (0, 0);
    }

    /// Calls a function. If it panics, drops the search, whose tree may be damaged, and fails.
    fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Result<T, String> {
        catch_unwind(AssertUnwindSafe(|| work(self))).map_err(|_| {
            self.search = None;
            "the engine crashed and was restarted".into()
        })
    }

    fn answered(
        &mut self,
        task: Task,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(Found) + Send),
    ) -> Result<Answer, String> {
        Ok(match task {
            Task::Start { edge } => Answer::Described(Box::new(Described::new(&request::start(edge)?, &[]))),
            Task::Position(sequence) => {
                let line = sequence.played()?;
                Answer::Described(Box::new(Described::new(&line.position, &line.moves)))
            }
            Task::Proofs(sequence) => {
                Answer::Proofs { proofs: sequence.played()?.positions().map(Proof::of).collect() }
            }
            Task::Think(think) => Answer::Found(self.think(&think, stop, progress)?),
            Task::Read { text: Some(text), bytes: None } => read(text.as_bytes())?,
            Task::Read { text: None, bytes: Some(bytes) } => {
                read(&BASE64_STANDARD.decode(bytes).map_err(|error| error.to_string())?)?
            }
            Task::Read { .. } => return Err("read needs either text or bytes".into()),
            Task::Write { game, form } => {
                let game: GameRecord = serde_json::from_value(game).map_err(|error| error.to_string())?;
                Answer::Text { text: form.write(&game)? }
            }
            Task::Marks => Answer::marks(),
            Task::Bench => measured(),
            Task::Version => Answer::Version { version: env!("CARGO_PKG_VERSION") },
            // `otrera serve` ends requests before they come here.
            Task::Cancel { .. } => Answer::Ended { ended: 0 },
        })
    }

    /// Fails if the game is over or the preset does not fit the board.
    fn check(&self, position: &Position) -> Result<(), String> {
        if position.winner().is_some() {
            return Err("the game is over".into());
        }
        self.params.check_board(position.size())
    }

    /// Runs the search once. Starts with an empty tree for `anew` and at levels below 10.
    fn think(
        &mut self,
        think: &Think,
        stop: &AtomicBool,
        progress: &mut (dyn FnMut(Found) + Send),
    ) -> Result<Found, String> {
        let line = think.sequence.played()?;
        self.check(&line.position)?;
        let level = think.level.map(|number| Level::new(number).ok_or("levels are 1 to 10")).transpose()?;
        let limits = think.limits(&line.position)?;
        if think.anew {
            self.clear();
        }
        if self.search.as_ref().is_none_or(|search| *search.position() != line.position) {
            self.progress = (0, 0);
        }
        let lines = think.lines.unwrap_or(1);
        let search = self.at(&line);
        let mut report = match level {
            Some(level) => level.think(search, think.seed, stop),
            None => search.run(&limits, stop, &mut |report| progress(Found::new(report, lines))),
        };
        let (depth, recycled) = self.progress;
        self.progress = (depth.max(report.depth), recycled + report.recycled);
        (report.depth, report.recycled) = self.progress;
        Ok(Found::new(&report, lines))
    }

    /// Returns the search, with the last position of a game as its root. Keeps the tree if the root occurs in the game
    /// or precedes its last position by one move.
    fn at(&mut self, line: &Line) -> &mut Search {
        let new = || Search::new(line.position, self.params.clone(), self.resources);
        let search = self.search.get_or_insert_with(new);
        if let Some(ply) = line.past.iter().rposition(|known| known == search.position()) {
            line.moves.iter().skip(ply).for_each(|mv| search.advance(*mv));
        }
        let before = *search.position();
        // Most runs continue in the same position: then no move needs to be found.
        if before != line.position {
            match before.legal_moves().find(|&mv| before.with_move(mv) == line.position) {
                Some(mv) => search.advance(mv),
                None => search.set_position(line.position),
            }
        }
        search
    }
}

/// Reads a record in any format and encoding.
fn read(bytes: &[u8]) -> Result<Answer, String> {
    if bytes.len() > MAX_BYTES {
        let [size, limit] = [bytes.len(), MAX_BYTES].map(|bytes| bytes >> 20);
        return Err(format!("{size} MB is too large: a record can have up to {limit} MB"));
    }
    record::read_bytes(bytes).map(Answer::games).map_err(|error| error.to_string())
}

/// Runs the benchmark. Returns its checksum and speed.
fn measured() -> Answer {
    let bench = bench::run(&Params::TOURNAMENT);
    Answer::Bench(json!({
        "checksum": bench.checksum,
        "iterations": bench.iterations,
        "seconds": bench.elapsed.as_secs_f64(),
        "kernel": Kernel::fastest().name(),
        "version": env!("CARGO_PKG_VERSION"),
    }))
}
