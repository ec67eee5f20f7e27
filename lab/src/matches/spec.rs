//! Players by name: what `lab match A B` and the tables understand.
//!
//! ```text
//! tournament,threads=2,c=3       a preset with parameters of the search
//! tournament,model=FILE          ... with weights that a fit of the laboratory has written
//! tournament,share=0.1           ... in a tenth of the time that it is given
//! tournament,first=3:10          ... its first three moves in ten times of it
//! alphabeta:territory            alpha-beta of depth 2 (alphabeta:territory:3 of depth 3)
//! pvs:fitted                     principal variation search against the clock
//! greedy    random
//! cmd:./bot --flag,proto=botzone-json-keep     a program from elsewhere
//! ```

use crate::baseline::{alphabeta::AlphaBeta, measure::Measure, pvs::Pvs, random::RandomPlayer};
use crate::files::read_model;
use crate::play::player::{Budget, Choice, Player, SearchPlayer};
use otrera::{Forfeit, Move, Params, Position, Resources, Size};
use otrera_referee::botzone::BotzonePlayer;
use otrera_referee::external::{Dialect, External, Protocol};
use otrera_referee::process::check_start;
use std::str::FromStr;

/// A player that can be built any number of times.
#[derive(Clone, Debug)]
pub struct PlayerSpec {
    /// As it was written; its name in records and tables.
    pub text: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Search {
        params: Box<Params>,
        threads: usize,
        memory: usize,
        iterations: Option<u64>,
        handicap: TimeHandicap,
    },
    AlphaBeta {
        measure: Measure,
        depth: u32,
    },
    Pvs {
        measure: Measure,
    },
    Random,
    External {
        command: Vec<String>,
        protocol: Protocol,
    },
}

/// Default memory of a search: matches run several at once.
const MEMORY_MB: u64 = 256;

/// The deepest alpha-beta that ends within a lifetime.
const MAX_DEPTH: u32 = 10;

impl PlayerSpec {
    /// Builds the player. The seed decides all its chances.
    pub fn build(&self, seed: u64) -> Box<dyn Player> {
        match &self.kind {
            Kind::Search { params, threads, memory, iterations, handicap } => {
                let resources = Resources { threads: *threads, memory: *memory, seed };
                let player = SearchPlayer::new((**params).clone(), resources, *iterations);
                Box::new(Handicapped { player, handicap: *handicap, moves: 0 })
            }
            Kind::AlphaBeta { measure, depth } => Box::new(AlphaBeta::new(*measure, *depth, seed)),
            Kind::Pvs { measure } => Box::new(Pvs::new(*measure)),
            Kind::Random => Box::new(RandomPlayer::new(seed)),
            Kind::External { command, protocol } => match protocol {
                Protocol::Botzone(mode) => Box::new(BotzonePlayer::new(command.clone(), *mode)),
                Protocol::Sau => Box::new(External::new(command.clone(), Dialect::Sau)),
                Protocol::Uci => Box::new(External::new(command.clone(), Dialect::Uci)),
            },
        }
    }

    /// Whether it can play. A program from elsewhere is started as for a game, and ended at once.
    ///
    /// # Errors
    /// The program that cannot be started, and why.
    pub fn check_start(&self) -> Result<(), String> {
        match &self.kind {
            Kind::External { command, .. } => check_start(command),
            _ => Ok(()),
        }
    }

    /// Checks that its file of weights, if it has one, is for boards of this size.
    ///
    /// # Errors
    /// The file's network is for other boards.
    pub fn check_board(&self, size: Size) -> Result<(), String> {
        match &self.kind {
            Kind::Search { params, .. } => check_board(&self.text, params, size),
            _ => Ok(()),
        }
    }

    /// Whether it does the same work for a move however much time there is.
    pub fn has_its_own_limit(&self) -> bool {
        match &self.kind {
            Kind::Search { iterations, .. } => iterations.is_some(),
            Kind::AlphaBeta { .. } | Kind::Random => true,
            Kind::Pvs { .. } | Kind::External { .. } => false,
        }
    }

    /// Whether it is a program that speaks to the SAU platform: it cannot be told of an opening, and plays
    /// by that platform's rules.
    pub fn speaks_sau(&self) -> bool {
        matches!(self.kind, Kind::External { protocol: Protocol::Sau, .. })
    }
}

impl FromStr for PlayerSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kind = match text.strip_prefix("cmd:") {
            Some(program) => external(program)?,
            None => built_in(text)?,
        };
        Ok(Self { text: text.to_owned(), kind })
    }
}

fn external(program: &str) -> Result<Kind, String> {
    let (command, protocol) = program
        .rsplit_once(",proto=")
        .ok_or_else(|| format!("cmd:{program}: add ,proto= and one of {}", Protocol::names()))?;
    let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    if command.is_empty() {
        return Err("cmd: needs a program".into());
    }
    Ok(Kind::External { command, protocol: protocol.parse()? })
}

fn built_in(text: &str) -> Result<Kind, String> {
    let mut options = text.split(',');
    let mut words = options.next().unwrap_or_default().split(':');
    let name = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let measure = |default: Measure| words.first().map_or(Ok(default), |word| word.parse());
    let (kind, most_words) = match name {
        "random" => (Kind::Random, 0),
        "greedy" => (Kind::AlphaBeta { measure: measure(Measure::Paper)?, depth: 1 }, 1),
        "alphabeta" => {
            let depth = words.get(1).map_or(Some(2), |depth| depth.parse().ok());
            let depth = depth.filter(|depth| (1..=MAX_DEPTH).contains(depth));
            let depth = depth.ok_or_else(|| format!("{text}: valid is a depth from 1 to {MAX_DEPTH}"))?;
            (Kind::AlphaBeta { measure: measure(Measure::Territory)?, depth }, 2)
        }
        "pvs" => (Kind::Pvs { measure: measure(Measure::Paper)? }, 1),
        preset if !words.is_empty() => {
            return Err(format!("{text}: parameters of {preset} come behind commas"));
        }
        preset => {
            let params = Params::preset(preset).map_err(|valid| {
                format!("{preset}: {valid}, random, greedy, alphabeta[:EVALUATION[:DEPTH]], pvs[:EVALUATION], cmd:PROGRAM,proto=P")
            })?;
            return search(params, options);
        }
    };
    match words.get(most_words).copied().or(options.next()) {
        Some(word) => Err(format!("{text}: {name} knows no {word}")),
        None => Ok(kind),
    }
}

/// The parameters of a search from text, for commands that search themselves.
///
/// # Errors
/// What would be valid.
pub fn search_params(text: &str) -> Result<Params, String> {
    match built_in(text)? {
        Kind::Search { params, .. } => Ok(*params),
        _ => Err(format!("{text} is no search")),
    }
}

/// Checks that the file of weights of a search, which was written as `text`, is for boards of this size.
///
/// # Errors
/// The file's network is for other boards.
pub fn check_board(text: &str, params: &Params, size: Size) -> Result<(), String> {
    params.model.check_board(size).map_err(|problem| format!("{text}: {problem}"))
}

fn search<'a>(mut params: Params, options: impl Iterator<Item = &'a str>) -> Result<Kind, String> {
    let (mut threads, mut memory, mut iterations, mut handicap) =
        (1, MEMORY_MB << 20, None, TimeHandicap::default());
    for option in options {
        let (name, value) =
            option.split_once('=').ok_or_else(|| format!("{option}: an option is name=value"))?;
        let number = |most: u64| match value.parse() {
            Ok(number) if (1..=most).contains(&number) => Ok(number),
            _ => Err(format!("{option}: valid is a whole number from 1 to {most}")),
        };
        match name.to_ascii_lowercase().as_str() {
            "threads" => threads = number(1024)? as usize,
            "memory" => memory = number(65_536)? << 20,
            "iterations" => iterations = Some(number(1_000_000_000_000)?),
            "share" => {
                handicap.share =
                    positive(value, 1.0).ok_or_else(|| format!("{option}: valid is a number up to 1"))?
            }
            "first" => {
                let read = value
                    .split_once(':')
                    .and_then(|(moves, times)| Some((moves.parse().ok()?, positive(times, 1000.0)?)));
                (handicap.first, handicap.times) =
                    read.ok_or_else(|| format!("{option}: valid is MOVES:TIMES"))?;
            }
            _ => params.set_with(name, value, read_model)?,
        }
    }
    let params = Box::new(params.checked()?);
    Ok(Kind::Search { params, threads, memory: memory as usize, iterations, handicap })
}

fn positive(text: &str, most: f64) -> Option<f64> {
    text.parse().ok().filter(|number| *number > 0.0 && *number <= most)
}

/// How much of its time a search uses: less than all is a handicap.
#[derive(Clone, Copy, Debug)]
struct TimeHandicap {
    /// This share, up to 1, of it.
    share: f64,
    /// For its first so many moves so many times that, as if they came from a book.
    first: u32,
    times: f64,
}

impl Default for TimeHandicap {
    fn default() -> Self {
        Self { share: 1.0, first: 0, times: 1.0 }
    }
}

/// A search with a time handicap.
struct Handicapped {
    player: SearchPlayer,
    handicap: TimeHandicap,
    moves: u32,
}

impl Player for Handicapped {
    fn begin(&mut self, start: &Position) -> Result<(), Forfeit> {
        self.moves = 0;
        self.player.begin(start)
    }

    fn choose(&mut self, budget: Budget) -> Result<Choice, Forfeit> {
        self.moves += 1;
        let TimeHandicap { share, first, times } = self.handicap;
        let part = if self.moves <= first { share * times } else { share };
        let time = budget.time.map(|time| time.mul_f64(part));
        self.player.choose(Budget { time, ..budget })
    }

    fn played(&mut self, mv: Move) {
        self.player.played(mv);
    }
}
