//! Presets, and the search that each of them stands for.

use crate::board::position::Position;
use crate::board::square::Size;
use crate::eval::model::Model;
use crate::interface::TreeSearch;
use crate::limits::Resources;
use crate::mgpeo;
use crate::mgpeo::{PaperParams, PaperSearch};
use crate::parameter::{Parameter, Tuning, named};
use crate::search::TournamentSearch;
use crate::search::params::{PARAMETERS, TournamentParams};
use std::ops::{Deref, DerefMut};
use std::str::FromStr;

/// A search of either kind, by its interface.
pub struct Search(Box<dyn TreeSearch>);

/// Parameters of a search, which decide its kind.
#[derive(Clone, PartialEq, Debug)]
pub enum Params {
    /// The tournament search, [`crate::search`].
    Tournament(TournamentParams),
    /// A search of the papers, [`crate::mgpeo`].
    Paper(PaperParams),
}

/// Parameters that `tournament` once had, each with the presets that have what it stood for.
const MOVED: [(&str, &str); 4] = [
    ("formula", "presets paper, mg, peo and mcts select by UCT, preset uct by UCB1-tuned"),
    ("grouping", "presets peo, mcts and uct search whole moves, presets paper and mg half-moves"),
    ("rollouts", "presets paper, mg, peo and mcts play rollouts, preset uct plays to the end of the game"),
    ("parallel", "preset paper computes metrics in parallel; option threads=1 turns threads off"),
];

impl Search {
    /// Creates a search of `position`.
    pub fn new(position: Position, params: impl Into<Params>, resources: Resources) -> Self {
        Self(match params.into() {
            Params::Tournament(params) => Box::new(TournamentSearch::new(position, params, resources)),
            Params::Paper(params) if cfg!(feature = "papers") => {
                Box::new(PaperSearch::new(position, params, resources))
            }
            // No preset leads here.
            Params::Paper(_) => {
                Box::new(TournamentSearch::new(position, TournamentParams::DEFAULT, resources))
            }
        })
    }
}

impl Deref for Search {
    type Target = dyn TreeSearch;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for Search {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

impl From<TournamentParams> for Params {
    fn from(params: TournamentParams) -> Self {
        Self::Tournament(params)
    }
}

impl From<PaperParams> for Params {
    fn from(params: PaperParams) -> Self {
        Self::Paper(params)
    }
}

impl Params {
    /// The default preset.
    pub const TOURNAMENT: Self = Self::Tournament(TournamentParams::DEFAULT);
    /// MG-PEO.
    pub const PAPER: Self = Self::Paper(PaperParams::PAPER);

    /// The presets by name. Without the feature `papers` there is `tournament` alone.
    pub const NAMED: &[(&str, Self)] = if !cfg!(feature = "papers") {
        &[("tournament", Self::TOURNAMENT)]
    } else {
        &[
            ("tournament", Self::TOURNAMENT),
            ("paper", Self::PAPER),
            ("mg", Self::Paper(PaperParams::MG)),
            ("peo", Self::Paper(PaperParams::PEO)),
            ("mcts", Self::Paper(PaperParams::MCTS)),
            ("uct", Self::Paper(PaperParams::UCT)),
        ]
    };

    /// Returns the preset with this name, ignoring case.
    ///
    /// # Errors
    /// Returns a message with the names of all presets if the name is unknown.
    pub fn preset(name: &str) -> Result<Self, String> {
        named(Self::NAMED, name)
    }

    /// Parses a preset name and overrides of its parameters, ignoring case: `tournament,c=3,burst=1`. Calls
    /// `read_model` with the value of `model=VALUE` unless the value names a built-in [`Model`].
    ///
    /// # Errors
    /// Returns a message with the valid names or values.
    pub fn read(text: &str, read_model: impl Fn(&str) -> Result<Model, String>) -> Result<Self, String> {
        let mut words = text.split(',').map(str::trim);
        let mut params = Self::preset(words.next().unwrap_or_default())?;
        for setting in words {
            let (name, value) =
                setting.split_once('=').ok_or_else(|| format!("{setting:?}: expected name=value"))?;
            params.set_with(name, value, &read_model)?;
        }
        Ok(params)
    }

    /// Sets the parameter `name` to a value given as text, ignoring the case of both. Calls `read_model` with the value
    /// of `model` unless the value names a built-in [`Model`].
    ///
    /// # Errors
    /// Returns a message with the valid names or values, or the error of `read_model`.
    pub fn set_with(
        &mut self,
        name: &str,
        value: &str,
        read_model: impl Fn(&str) -> Result<Model, String>,
    ) -> Result<(), String> {
        let (name, lower) = (name.to_ascii_lowercase(), value.to_ascii_lowercase());
        let set = match self {
            Self::Tournament(params) if name == "model" => params.set_model(value, read_model),
            Self::Tournament(params) => params.set(&name, &lower),
            Self::Paper(params) => params.set(&name, &lower),
        };
        set.map_err(|problem| match MOVED.iter().find(|(moved, _)| *moved == name) {
            Some((name, presets)) if problem.starts_with("unknown") => {
                format!("{name} is no parameter of this preset: {presets}")
            }
            _ => problem,
        })
    }

    /// Returns how games tune the parameter `name`, ignoring case; `None` if it is unknown or not tuned by games.
    pub fn tuning(&self, name: &str) -> Option<Tuning> {
        fn find<P: Clone>(table: &[Parameter<P>], params: &P, name: &str) -> Option<Tuning> {
            table.iter().find(|parameter| parameter.name.eq_ignore_ascii_case(name))?.tuning(params)
        }
        match self {
            Self::Tournament(params) => find(PARAMETERS, params, name),
            Self::Paper(params) => find(mgpeo::PARAMETERS, params, name),
        }
    }

    /// Returns the model that evaluates leaves, and gives priors.
    pub fn model(&self) -> &Model {
        const PAPER: &Model = &Model::PAPER;
        match self {
            Self::Tournament(params) => &params.model,
            Self::Paper(_) => PAPER,
        }
    }

    /// Checks that these parameters work on boards of this size, see [`Model::check_board`].
    ///
    /// # Errors
    /// Returns a message if the weights file was fitted for other boards.
    pub fn check_board(&self, size: Size) -> Result<(), String> {
        self.model().check_board(size)
    }
}

/// Parses a preset name and overrides of its parameters, like [`Params::read`], but reads no model files.
impl FromStr for Params {
    /// Message with the valid names or values.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::read(text, |_| Err("files cannot be read here".into()))
    }
}
