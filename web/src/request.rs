//! The requests of the page and their answers.
//!
//! ```json
//! {"do":"start","edge":8}                                  the start position of a board
//! {"do":"position","fen":"…","moves":["d1-d7/g7"]}         the position after these moves, in any move notation
//! {"do":"proofs","fen":"…","moves":["d1-d7/g7"]}           the proven outcome of each position, or null
//! {"do":"think","fen":"…","seconds":0.1,"lines":5}         one run of the search, which keeps the tree
//! {"do":"think","fen":"…","iterations":5000,"anew":true}   one run that starts with an empty tree
//! {"do":"think","fen":"…","moves":["d1-d7/g7"],"clock":{"left":540,"total":900,"overhead":5}}
//!                                                          a move of a match, with its time planned as in SAU matches
//! {"do":"think","fen":"…","level":3,"seed":7}              the move of a playing level, first in `lines`
//! {"do":"read","text":"…"}                                 the games of a record in any format, or of a FEN, and
//!                                                          warnings; the standing if there is one
//! {"do":"read","bytes":"KDtHTVsxOF0"}                      games of a file of any encoding, given as base64
//! {"do":"write","game":{…},"form":"sgf"}                   the text of a game from `read`, as json, sgf or ccgc
//! {"do":"marks"}                                           the minimum losses of inaccuracy, mistake and blunder
//! {"do":"bench"}                                           the behaviour checksum and the speed
//! {"do":"version"}                                         the version
//! ```
//!
//! The answer to an invalid request is `{"problem":"…"}` with a message of one sentence.

use crate::describe::{Described, Found, Proof};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use otrera::record::Format;
use otrera::record::standing::Standing;
use otrera::{
    GameClock, GameRecord, Level, Limits, Move, Params, Position, Report, Resources, Search, Side, Size,
    bench, record,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Maximum size of a game record in a request, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// Maximum duration of one search, in seconds.
const MAX_SECONDS: f64 = 60.0;

/// Maximum time on a clock, in seconds: a week.
const MAX_CLOCK: f64 = 604_800.0;

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Request {
    Start { edge: usize },
    Position(MoveSequence),
    Proofs(MoveSequence),
    Think(Think),
    Read { text: Option<String>, bytes: Option<String> },
    Write { game: Value, form: Format },
    Marks,
    Bench,
    Version,
}

/// A position and the moves that follow it.
#[derive(Deserialize)]
struct MoveSequence {
    fen: String,
    #[serde(default)]
    moves: Vec<String>,
}

/// A search of the position at the end of the sequence.
#[derive(Deserialize)]
struct Think {
    #[serde(flatten)]
    sequence: MoveSequence,
    seconds: Option<f64>,
    iterations: Option<u64>,
    lines: Option<usize>,
    #[serde(default)]
    anew: bool,
    level: Option<u64>,
    #[serde(default)]
    seed: u64,
    clock: Option<Clock>,
}

impl MoveSequence {
    /// Returns all positions and the parsed moves. Fails on a bad FEN, bad or illegal moves, or a side without amazons.
    fn played(&self) -> Result<(Vec<Position>, Vec<Move>), String> {
        let mut position = Position::from_fen(&self.fen).map_err(|error| error.to_string())?;
        if let Some(side) = Side::BOTH.into_iter().find(|&side| position.amazons(side).is_empty()) {
            return Err(format!("{side} has no amazon"));
        }
        let (mut positions, mut played) = (vec![position], Vec::new());
        for (number, text) in (1..).zip(&self.moves) {
            let mv = record::read_move(text, &position).map_err(|error| format!("move {number}: {error}"))?;
            position = position.with_move(mv);
            positions.push(position);
            played.push(mv);
        }
        Ok((positions, played))
    }
}

/// The clock of the side to move, in seconds.
#[derive(Deserialize)]
struct Clock {
    left: f64,
    /// Time for the whole game.
    total: f64,
    /// Time that a move takes in addition to thinking.
    overhead: f64,
}

impl Clock {
    /// Returns the planned time for the next move; `None` if a value is not a valid time.
    fn time_for(&self, position: &Position) -> Option<Duration> {
        let is_valid = |seconds: &f64| (0.0..=MAX_CLOCK).contains(seconds);
        let time = |seconds| Some(seconds).filter(is_valid).map(Duration::from_secs_f64);
        let clock = GameClock::for_match(time(self.total)?, time(self.overhead)?);
        Some(clock.with_left(time(self.left)?).time_for(position))
    }
}

/// The page's engine: the search with its tree.
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
    pub fn answer(&mut self, request: &str, stop: &AtomicBool) -> String {
        self.answered(request, stop).unwrap_or_else(|problem| format_field("problem", problem))
    }

    fn answered(&mut self, request: &str, stop: &AtomicBool) -> Result<String, String> {
        let request = serde_json::from_str(request).map_err(|error| format!("invalid request: {error}"))?;
        Ok(match request {
            Request::Start { edge } => {
                let size = Size::new(edge).ok_or("a board has 4 to 10 squares along each edge")?;
                format_json(&Described::new(&Position::start(size), &[]))
            }
            Request::Position(sequence) => {
                let (positions, moves) = sequence.played()?;
                let position = positions.last().ok_or("the request has no position")?;
                format_json(&Described::new(position, &moves))
            }
            Request::Proofs(sequence) => {
                let (positions, _) = sequence.played()?;
                format_field("proofs", positions.iter().map(Proof::of).collect::<Vec<_>>())
            }
            Request::Think(think) => format_json(&self.think(&think, stop)?),
            Request::Read { text: Some(text), .. } => format_json(&Games::read(text.as_bytes())?),
            Request::Read { bytes, .. } => {
                let bytes = BASE64_STANDARD.decode(bytes.unwrap_or_default());
                format_json(&Games::read(&bytes.map_err(|error| error.to_string())?)?)
            }
            Request::Write { game, form } => {
                let game: GameRecord = serde_json::from_value(game).map_err(|error| error.to_string())?;
                format_field("text", form.write(&game)?)
            }
            Request::Marks => format_field("marks", record::MARKS),
            Request::Bench => measured().to_string(),
            Request::Version => format_field("version", env!("CARGO_PKG_VERSION")),
        })
    }

    /// Runs the search once. Reuses the tree if the last run's position occurs in the request's game or precedes the
    /// new position by one move. Starts with an empty tree for `anew` and at levels below 10.
    fn think(&mut self, think: &Think, stop: &AtomicBool) -> Result<Found, String> {
        let (positions, moves) = think.sequence.played()?;
        let position = *positions.last().ok_or("the request has no position")?;
        if position.winner().is_some() {
            return Err("the game is over".into());
        }
        self.params.check_board(position.size())?;
        let level = think.level.map(|number| Level::new(number).ok_or("levels are 1 to 10")).transpose()?;
        let limits = if level.is_none() { limits_of(think, &position)? } else { Limits::default() };
        if let Some(search) = self.search.as_mut().filter(|_| think.anew) {
            search.clear();
        }
        if think.anew || self.search.as_ref().is_none_or(|search| *search.position() != position) {
            self.progress = (0, 0);
        }
        let new = || Search::new(position, self.params.clone(), self.resources);
        let search = self.search.get_or_insert_with(new);
        // Keeps the subtree if the game was continued since the last run.
        if let Some(ply) = positions.iter().rposition(|known| known == search.position()) {
            for mv in &moves[ply..] {
                search.advance(*mv);
            }
        }
        let before = *search.position();
        // Most runs continue in the same position: then no move needs to be found.
        if before != position {
            match before.legal_moves().find(|&mv| before.with_move(mv) == position) {
                Some(mv) => search.advance(mv),
                None => search.set_position(position),
            }
        }
        let report = match level {
            Some(level) => level.think(search, think.seed, stop),
            None => search.run(&limits, stop, &mut |_| ()),
        };
        let (depth, recycled) = self.progress;
        let (depth, recycled) = (depth.max(report.depth), recycled + report.recycled);
        self.progress = (depth, recycled);
        Ok(Found::new(&Report { depth, recycled, ..report }, think.lines.unwrap_or(1)))
    }
}

/// Returns the limits of a run: by its clock if given, otherwise by iterations, seconds or both. Fails without limits.
fn limits_of(think: &Think, position: &Position) -> Result<Limits, String> {
    if let Some(clock) = &think.clock {
        let time = clock.time_for(position);
        let time = time.ok_or_else(|| format!("expected clock times from 0 to {MAX_CLOCK} s"))?;
        return Ok(Limits::for_move(position, Limits::time(time).deadline));
    }
    let time = think.seconds.filter(|seconds| (0.0..=MAX_SECONDS).contains(seconds));
    if think.iterations.is_none() && time.is_none() {
        return Err(format!("a search needs iterations, or seconds from 0 to {MAX_SECONDS}"));
    }
    let deadline = time.and_then(|seconds| Limits::time(Duration::from_secs_f64(seconds)).deadline);
    Ok(Limits { iterations: think.iterations, deadline })
}

/// Formats an answer as JSON. Does not use [`Value`], which would change the digits of win rates.
fn format_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_else(|error| format!("{{\"problem\":\"{error}\"}}"))
}

/// Formats an answer that is a JSON object with one field.
fn format_field(name: &str, value: impl Serialize) -> String {
    format_json(&BTreeMap::from([(name, value)]))
}

/// The games and warnings of a record.
#[derive(Serialize)]
struct Games {
    /// Cross-table and ratings; `None` if no two players have met.
    standing: Option<Standing>,
    games: Vec<GameRecord>,
    warnings: Vec<String>,
}

impl Games {
    /// Reads a record in any format and encoding.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > MAX_BYTES {
            let [size, limit] = [bytes.len(), MAX_BYTES].map(|bytes| bytes >> 20);
            return Err(format!("{size} MB is too large: a record can have up to {limit} MB"));
        }
        let reading = record::read_bytes(bytes).map_err(|error| error.to_string())?;
        let standing = Some(Standing::of(&reading.games)).filter(Standing::is_a_match);
        Ok(Self {
            standing,
            games: reading.games,
            warnings: reading.warnings.iter().map(ToString::to_string).collect(),
        })
    }
}

/// Runs the benchmark. Returns its checksum and speed.
fn measured() -> Value {
    let bench = bench::run(&Params::TOURNAMENT);
    json!({
        "checksum": bench.checksum,
        "iterations": bench.iterations,
        "seconds": bench.elapsed.as_secs_f64(),
        "kernel": otrera::Kernel::fastest().name(),
        "version": env!("CARGO_PKG_VERSION"),
    })
}
