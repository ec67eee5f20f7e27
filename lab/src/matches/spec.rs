//! Player descriptions such as `tournament,c=3`, as in `lab match A B`. `docs/laboratory.md` lists them.

use crate::baseline::{RandomPlayer, alphabeta::AlphaBeta, evaluation::Evaluation, pvs::Pvs};
use crate::files::{checksum, read_model};
use crate::play::player::{Handicapped, Player, SearchPlayer};
use clap::ValueEnum;
use otrera::eval::weights::WeightsFile;
use otrera::parameter::Parameter;
use otrera::{Level, Limits, Params, Resources, Size};
use otrera_arena::dialect::Dialect;
use otrera_arena::process::check_start;
use otrera_arena::program::Program;
use std::cell::OnceCell;
use std::str::FromStr;

#[derive(Clone, Debug)]
pub struct PlayerSpec {
    /// The description, which is also the name of the player in records and tables.
    pub text: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Search(Box<SearchSpec>),
    AlphaBeta { evaluation: Evaluation, depth: u32 },
    Pvs { evaluation: Evaluation },
    Random,
    Level(Level),
    External { command: Vec<String>, protocol: Dialect, share: f64 },
}

/// A player that uses the engine's search.
#[derive(Clone, Debug)]
struct SearchSpec {
    params: Params,
    /// Checksum of the weights file of `model=FILE`; `None` for the built-in weights.
    weights: Option<String>,
    resources: Resources,
    /// Iterations per move, if they are fixed.
    limits: Limits,
    /// Share of the thinking time to use, at most 1.
    share: f64,
}

/// [`SearchSpec::share`] as a setting.
const SHARE: Parameter<f64> = Parameter::text(
    "share",
    "a number above 0, at most 1",
    "share of the thinking time to use",
    f64::to_string,
    |place, text| text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0).map(|share| *place = share),
);

/// Default resources of a player's search: one thread, because a match runs several searches concurrently.
const ONE_THREAD: Resources = Resources { threads: 1, memory: 256 << 20, seed: 0 };

/// Maximum DEPTH in `alphabeta:EVALUATION:DEPTH`; a deeper search would take too long under any time control.
const MAX_DEPTH: u32 = 10;

impl PlayerSpec {
    /// Builds the player. The seed determines all its random choices.
    pub fn build(&self, seed: u64) -> Box<dyn Player> {
        let player: Box<dyn Player> = match &self.kind {
            Kind::Search(spec) => {
                let SearchSpec { params, resources, limits, .. } = &**spec;
                let resources = Resources { seed, ..*resources };
                Box::new(SearchPlayer::new(params.clone(), resources, limits.iterations))
            }
            Kind::AlphaBeta { evaluation, depth } => Box::new(AlphaBeta::new(*evaluation, *depth, seed)),
            Kind::Pvs { evaluation } => Box::new(Pvs::new(*evaluation)),
            Kind::Random => Box::new(RandomPlayer::new(seed)),
            Kind::Level(level) => Box::new(SearchPlayer::at_level(*level, Resources { seed, ..ONE_THREAD })),
            Kind::External { command, protocol, .. } => Box::new(Program::new(command.clone(), *protocol)),
        };
        let share = self.share();
        if share < 1.0 { Box::new(Handicapped { player, share }) } else { player }
    }

    fn share(&self) -> f64 {
        match &self.kind {
            Kind::Search(spec) => spec.share,
            Kind::External { share, .. } => *share,
            _ => 1.0,
        }
    }

    /// Returns the command and the dialect of a player that is a program.
    pub fn program(&self) -> Option<(&[String], Dialect)> {
        match &self.kind {
            Kind::External { command, protocol, .. } => Some((command, *protocol)),
            _ => None,
        }
    }

    /// Returns the checksum of the weights of a built-in player, see [`checksum`]; `None` for other players.
    pub fn weights(&self) -> Option<String> {
        let given = match &self.kind {
            Kind::Search(spec) => spec.weights.clone(),
            Kind::AlphaBeta { .. } | Kind::Pvs { .. } | Kind::Level(_) => None,
            Kind::Random | Kind::External { .. } => return None,
        };
        Some(given.unwrap_or_else(|| checksum(WeightsFile::BUILT_IN)))
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
            Kind::Search(spec) => Ok(&spec.params),
            _ => Err(format!("{} is not a search", self.text)),
        }
    }

    /// Fails if the player has a setting of time, iterations, threads or memory, for a command that sets these itself.
    pub fn check_bare(&self) -> Result<(), String> {
        let given = match &self.kind {
            Kind::Search(spec) => spec.given(),
            Kind::External { share, .. } if *share < 1.0 => Some(SHARE.name),
            _ => None,
        };
        match given {
            Some(name) => Err(format!("{}: {name} has no effect with this command: leave it out", self.text)),
            None => Ok(()),
        }
    }

    /// True if the player uses only a part of the thinking time.
    pub fn has_share(&self) -> bool {
        self.share() < 1.0
    }

    /// True if the player ignores the clock: its iterations or depth are fixed, or it does not search.
    pub fn has_its_own_limit(&self) -> bool {
        match &self.kind {
            Kind::Search(spec) => spec.limits.iterations.is_some(),
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
    let (command, settings) = program
        .rsplit_once(",proto=")
        .ok_or_else(|| format!("cmd:{program}: add ,proto= and one of {}", Dialect::names()))?;
    let mut settings = settings.split(',');
    let protocol = settings.next().unwrap_or_default().parse()?;
    let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    if command.is_empty() {
        return Err("cmd: needs a program".into());
    }
    let mut share = 1.0;
    for setting in settings {
        match read_setting(setting)? {
            // The other protocols do not tell the program its time for a move.
            (name, value) if name.eq_ignore_ascii_case(SHARE.name) && protocol == Dialect::Uci => {
                SHARE.set(&mut share, value)?
            }
            _ => return Err(format!("{setting}: a program takes only share=N, with proto=uci")),
        }
    }
    Ok(Kind::External { command, protocol, share })
}

fn read_setting(setting: &str) -> Result<(&str, &str), String> {
    setting.split_once('=').ok_or_else(|| format!("{setting}: expected name=value"))
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
                let others = "random, greedy, level:N, alphabeta[:EVALUATION[:DEPTH]], pvs[:EVALUATION]";
                format!("{preset}: {valid}, {others}, cmd:PROGRAM,proto=P")
            })?;
            return search(params, options);
        }
    };
    match words.get(most_words).copied().or(options.next()) {
        Some(word) => Err(format!("{text}: {name} does not take {word}")),
        None => Ok(kind),
    }
}

fn search<'a>(params: Params, settings: impl Iterator<Item = &'a str>) -> Result<Kind, String> {
    let (resources, limits) = (ONE_THREAD, Limits::default());
    let mut spec = SearchSpec { params, weights: None, resources, limits, share: 1.0 };
    for setting in settings {
        let (name, value) = read_setting(setting)?;
        spec.set(name, value)?;
    }
    if spec.limits.iterations.is_some() && spec.share < 1.0 {
        return Err("share has no effect with iterations: leave one out".into());
    }
    Ok(Kind::Search(Box::new(spec)))
}

impl SearchSpec {
    /// Returns the name of a setting other than the parameters whose value is not the default.
    fn given(&self) -> Option<&'static str> {
        let Resources { threads, memory, .. } = self.resources;
        let given = [
            (Resources::THREADS.name, threads != ONE_THREAD.threads),
            (Resources::MEMORY.name, memory != ONE_THREAD.memory),
            (Limits::ITERATIONS.name, self.limits.iterations.is_some()),
            (SHARE.name, self.share < 1.0),
        ];
        given.iter().find(|(_, is_given)| *is_given).map(|(name, _)| *name)
    }

    /// Sets the player's setting or parameter `name`, ignoring case. An error lists the valid names or values.
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        let of_resources = [Resources::THREADS, Resources::MEMORY];
        match of_resources.iter().find(|setting| is(setting.name)) {
            Some(setting) => setting.set(&mut self.resources, value),
            None if is(Limits::ITERATIONS.name) => Limits::ITERATIONS.set(&mut self.limits, value),
            None if is(SHARE.name) => SHARE.set(&mut self.share, value),
            None => {
                let weights = OnceCell::new();
                self.params.set_with(name, value, |file| {
                    let (model, checksum) = read_model(file)?;
                    weights.get_or_init(|| checksum);
                    Ok(model)
                })?;
                if is("model") {
                    self.weights = weights.into_inner();
                }
                Ok(())
            }
        }
    }
}
