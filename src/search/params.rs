//! Every number and choice that shapes the search, and the named sets of them.
//!
//! The presets are parameters of one searcher, not five searchers: `mcts`, `mg`, `peo` and `paper` are
//! the four systems of the MG-PEO paper's table 5, `tournament` is what we play with.

use crate::eval::phase::Weights;
use crate::eval::winrate::Leaf;
use std::fmt;
use std::str::FromStr;

/// What an edge of the tree is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grouping {
    /// A whole move: up to 2176 children at the start.
    Whole,
    /// Half a move, movement and arrow in turn: the paper's move groups.
    Split,
}

/// Where several threads are put to work. All modes compute the same values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parallel {
    /// Nowhere: one thread.
    Off,
    /// On the metrics of one evaluation: the paper's parallel evaluation.
    Metrics,
    /// On the rollouts of one leaf.
    Rollouts,
    /// On different leaves of one shared tree.
    Tree,
}

impl Parallel {
    /// All modes with their names.
    pub const NAMED: [(&'static str, Self); 4] =
        [("off", Self::Off), ("metrics", Self::Metrics), ("rollouts", Self::Rollouts), ("tree", Self::Tree)];
}

impl FromStr for Parallel {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named(&Self::NAMED, name)
    }
}

/// A preset's or mode's name that does not exist; the message lists those that do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    valid: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "valid are {}", self.valid.join(", "))
    }
}

impl std::error::Error for UnknownName {}

fn named<T: Clone>(table: &[(&'static str, T)], name: &str) -> Result<T, UnknownName> {
    match table.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        Some((_, value)) => Ok(value.clone()),
        None => Err(UnknownName { valid: table.iter().map(|(known, _)| *known).collect() }),
    }
}

/// The parameters of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// What an edge is.
    pub grouping: Grouping,
    /// Where threads work.
    pub parallel: Parallel,
    /// The constant C of UCT.
    pub exploration: f32,
    /// The factor before `ln N` under UCT's root: 2 in the paper's algorithm 3, 1 in its equation 8.
    pub log_factor: f32,
    /// A movement counts as infinitely good until one of its arrows has been tried (paper, 3.2 and 4.1).
    pub arrow_before_value: bool,
    /// Depths of the random rollouts from a new leaf, in half-moves.
    pub rollout_depths: [u32; 2],
    /// How a rollout's value becomes a winning rate.
    pub leaf: Leaf,
    /// The evaluation's weights.
    pub weights: Weights,
}

impl Params {
    /// MG-PEO: move groups and parallel evaluation.
    pub const PAPER: Self = Self {
        grouping: Grouping::Split,
        parallel: Parallel::Metrics,
        exploration: std::f32::consts::FRAC_1_SQRT_2,
        log_factor: 2.0,
        arrow_before_value: true,
        rollout_depths: [4, 5],
        leaf: Leaf::Sign { threshold: 0.1 },
        weights: Weights::PAPER,
    };
    /// Move groups alone.
    pub const MG: Self = Self { parallel: Parallel::Off, ..Self::PAPER };
    /// Parallel evaluation alone.
    pub const PEO: Self = Self { grouping: Grouping::Whole, arrow_before_value: false, ..Self::PAPER };
    /// Neither.
    pub const MCTS: Self = Self { parallel: Parallel::Off, ..Self::PEO };
    /// What the bot plays with: the paper's search, its threads on the tree.
    pub const TOURNAMENT: Self = Self { parallel: Parallel::Tree, ..Self::PAPER };

    /// All presets with their names.
    pub const NAMED: [(&'static str, Self); 5] = [
        ("tournament", Self::TOURNAMENT),
        ("paper", Self::PAPER),
        ("mg", Self::MG),
        ("peo", Self::PEO),
        ("mcts", Self::MCTS),
    ];

    /// The preset of this name.
    ///
    /// # Errors
    /// The names that exist.
    pub fn preset(name: &str) -> Result<Self, UnknownName> {
        named(&Self::NAMED, name)
    }
}
