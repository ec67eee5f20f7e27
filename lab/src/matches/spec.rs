//! Player descriptions such as `tournament,c=3`, as in `lab match A B`. `docs/laboratory.md` lists them.

use crate::baseline::{RandomPlayer, alphabeta::AlphaBeta, evaluation::Evaluation, pvs::Pvs};
use crate::files::read_model;
use crate::play::player::{Player, SearchPlayer};
use clap::ValueEnum;
use otrera::{Level, Params, Resources, Size};
use otrera_arena::dialect::Dialect;
use otrera_arena::process::check_start;
use otrera_arena::program::Program;
use std::str::FromStr;

#[derive(Clone, Debug)]
pub struct PlayerSpec {
    /// The description, which is also the name of the player in records and tables.
    pub text: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Search { params: Box<Params>, resources: Resources, iterations: Option<u64>, share: f64 },
    AlphaBeta { evaluation: Evaluation, depth: u32 },
    Pvs { evaluation: Evaluation },
    Random,
    Level(Level),
    External { command: Vec<String>, protocol: Dialect },
}

/// Default resources of a player's search: one thread, because a match runs several searches concurrently.
const ONE_THREAD: Resources = Resources { threads: 1, memory: 256 << 20, seed: 0 };

/// Maximum DEPTH in `alphabeta:EVALUATION:DEPTH`; a deeper search would take too long under any time control.
const MAX_DEPTH: u32 = 10;

impl PlayerSpec {
    /// Builds the player. The seed determines all its random choices.
    pub fn build(&self, seed: u64) -> Box<dyn Player> {
        match &self.kind {
            Kind::Search { params, resources, iterations, share } => {
                let resources = Resources { seed, ..*resources };
                Box::new(SearchPlayer::new((**params).clone(), resources, *iterations, *share))
            }
            Kind::AlphaBeta { evaluation, depth } => Box::new(AlphaBeta::new(*evaluation, *depth, seed)),
            Kind::Pvs { evaluation } => Box::new(Pvs::new(*evaluation)),
            Kind::Random => Box::new(RandomPlayer::new(seed)),
            Kind::Level(level) => Box::new(SearchPlayer::at_level(*level, Resources { seed, ..ONE_THREAD })),
            Kind::External { command, protocol } => Box::new(Program::new(command.clone(), *protocol)),
        }
    }

    /// Returns the command and the dialect of a player that is a program.
    pub fn program(&self) -> Option<(&[String], Dialect)> {
        match &self.kind {
            Kind::External { command, protocol } => Some((command, *protocol)),
            _ => None,
        }
    }

    /// Checks that the player's program, if it has one, can be started; stops the program immediately.
    pub fn check_start(&self) -> Result<(), String> {
        match &self.kind {
            Kind::External { command, .. } => check_start(command),
            _ => Ok(()),
        }
    }

    /// Checks that the player starts and can play on boards of this size.
    pub fn check(&self, size: Size) -> Result<(), String> {
        self.check_start()?;
        self.check_board(size)
    }

    /// Checks that the player's weights file, if it has one, is for boards of this size.
    pub fn check_board(&self, size: Size) -> Result<(), String> {
        let Ok(params) = self.params() else { return Ok(()) };
        params.check_board(size).map_err(|problem| format!("{}: {problem}", self.text))
    }

    /// Returns the parameters of a player that uses the engine's search; fails for any other player.
    pub fn params(&self) -> Result<&Params, String> {
        match &self.kind {
            Kind::Search { params, .. } => Ok(params),
            _ => Err(format!("{} is not a search", self.text)),
        }
    }

    /// True if the player ignores the clock: its iterations or depth are fixed, or it does not search.
    pub fn has_its_own_limit(&self) -> bool {
        match &self.kind {
            Kind::Search { iterations, .. } => iterations.is_some(),
            Kind::AlphaBeta { .. } | Kind::Random | Kind::Level(_) => true,
            Kind::Pvs { .. } | Kind::External { .. } => false,
        }
    }

    /// True if the player is an external UCI engine, which can search for a given number of iterations.
    pub const fn counts_iterations(&self) -> bool {
        matches!(self.kind, Kind::External { protocol: Dialect::Uci, .. })
    }

    /// True if the player is an external engine with the SAU protocol: it takes no opening and plays by the SAU
    /// platform's rules.
    pub fn speaks_sau(&self) -> bool {
        matches!(self.kind, Kind::External { protocol: Dialect::Sau, .. })
    }
}

impl FromStr for PlayerSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kind = match text.strip_prefix("cmd:") {
            Some(program) => read_program(program)?,
            None => built_in(text)?,
        };
        Ok(Self { text: text.to_owned(), kind })
    }
}

fn read_program(program: &str) -> Result<Kind, String> {
    let (command, protocol) = program
        .rsplit_once(",proto=")
        .ok_or_else(|| format!("cmd:{program}: add ,proto= and one of {}", Dialect::names()))?;
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
    let evaluation = |default: Evaluation| {
        let valid = |_| "valid evaluations are mobility, territory, relative, paper, network".to_owned();
        words.first().map_or(Ok(default), |word| ValueEnum::from_str(word, false).map_err(valid))
    };
    let (kind, most_words) = match name {
        "random" => (Kind::Random, 0),
        "greedy" => (Kind::AlphaBeta { evaluation: evaluation(Evaluation::Paper)?, depth: 1 }, 1),
        "alphabeta" => {
            let depth = words.get(1).map_or(Some(2), |depth| depth.parse().ok());
            let depth = depth.filter(|depth| (1..=MAX_DEPTH).contains(depth));
            let depth = depth.ok_or_else(|| format!("{text}: expected a depth from 1 to {MAX_DEPTH}"))?;
            (Kind::AlphaBeta { evaluation: evaluation(Evaluation::Territory)?, depth }, 2)
        }
        "level" => {
            let level = words.first().unwrap_or(&"").parse().map_err(|valid| format!("{text}: {valid}"))?;
            (Kind::Level(level), 1)
        }
        "pvs" => (Kind::Pvs { evaluation: evaluation(Evaluation::Paper)? }, 1),
        preset if !words.is_empty() => {
            return Err(format!("{text}: write parameters of {preset} after commas"));
        }
        preset => {
            let params = Params::preset(preset).map_err(|valid| {
                format!("{preset}: {valid}, random, greedy, level:N, alphabeta[:EVALUATION[:DEPTH]], pvs[:EVALUATION], cmd:PROGRAM,proto=P")
            })?;
            return search(params, options);
        }
    };
    match words.get(most_words).copied().or(options.next()) {
        Some(word) => Err(format!("{text}: {name} does not take {word}")),
        None => Ok(kind),
    }
}

fn search<'a>(mut params: Params, options: impl Iterator<Item = &'a str>) -> Result<Kind, String> {
    let (mut resources, mut iterations, mut share) = (ONE_THREAD, None, 1.0);
    for option in options {
        let (name, value) = option.split_once('=').ok_or_else(|| format!("{option}: expected name=value"))?;
        let number = |most: u64| {
            let valid = value.parse().ok().filter(|number| (1..=most).contains(number));
            valid.ok_or_else(|| format!("{option}: expected a whole number from 1 to {most}"))
        };
        match name.to_ascii_lowercase().as_str() {
            "threads" => resources.threads = number(1024)? as usize,
            "memory" => resources.memory = (number(65_536)? << 20) as usize,
            "iterations" => iterations = Some(number(1_000_000_000_000)?),
            "share" => {
                let valid = value.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
                share = valid.ok_or_else(|| format!("{option}: expected a number above 0, at most 1"))?;
            }
            _ => params.set_with(name, value, read_model)?,
        }
    }
    Ok(Kind::Search { params: Box::new(params), resources, iterations, share })
}
