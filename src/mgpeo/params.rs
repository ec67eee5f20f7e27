//! Parameters of the papers' searches, and a preset for each system of the papers.

use crate::parameter::{self, Parameter, name_in, named};
use std::fmt;
use std::str::FromStr;

/// Parameters of a [`PaperSearch`](super::PaperSearch).
#[derive(Clone, PartialEq, Debug)]
pub struct PaperParams {
    /// True if a move is two nodes, movement and arrow: the Move Groups strategy (section 3.2).
    pub move_groups: bool,
    /// Formula of BESTCHILD.
    pub formula: Formula,
    /// Rollouts of one simulation.
    pub rollouts: Rollouts,
    /// Work that several threads share.
    pub parallel: Parallel,
}

/// Selection formula. X is the mean reward of a child, n its number of visits, N that of its parent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Formula {
    /// `X + c * sqrt(2 * ln N / n)`: algorithm 3, line 40. Equation 8 lacks the factor 2.
    Uct {
        /// Exploration constant.
        c: f32,
    },
    /// `X + sqrt(ln N / n * min(1/4, X - X^2 + sqrt(2 * ln N / n)))`: UCB1-tuned, as Kato et al. print it (section 4).
    Ucb1Tuned,
}

/// Random rollouts of one simulation. Depths are in half-moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rollouts {
    /// One rollout of this depth; depth 0 evaluates the new node itself (at a movement node, after a random arrow).
    One(u32),
    /// Two independent rollouts, one of each depth; their win rates are averaged.
    Two(u32, u32),
    /// One playout to the end of the game; the reward is its result, 0 or 1.
    ToEnd,
}

/// Work that several threads share. All modes give the same search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parallel {
    /// None: one thread.
    Off,
    /// The metrics of one evaluation: the Parallel Evaluation strategy (section 3.3).
    Metrics,
    /// The two rollouts of one simulation (leaf parallelization: Chaslot et al. 2008, *Parallel Monte-Carlo Tree
    /// Search*).
    Rollouts,
}

impl Parallel {
    /// The modes by name.
    pub const NAMED: [(&'static str, Self); 3] =
        [("off", Self::Off), ("metrics", Self::Metrics), ("rollouts", Self::Rollouts)];
}

impl PaperParams {
    /// MG-PEO: Move Groups and Parallel Evaluation. C and the depths are those of section 3.3.
    pub const PAPER: Self = Self {
        move_groups: true,
        formula: Formula::Uct { c: std::f32::consts::FRAC_1_SQRT_2 },
        rollouts: Rollouts::Two(4, 5),
        parallel: Parallel::Metrics,
    };
    /// MCTS with Move Groups alone.
    pub const MG: Self = Self { parallel: Parallel::Off, ..Self::PAPER };
    /// MCTS with Parallel Evaluation alone.
    pub const PEO: Self = Self { move_groups: false, ..Self::PAPER };
    /// Plain MCTS.
    pub const MCTS: Self = Self { parallel: Parallel::Off, ..Self::PEO };
    /// Plain UCT of Kato et al. 2015: whole moves, playouts to the end of the game, no evaluation.
    pub const UCT: Self = Self { formula: Formula::Ucb1Tuned, rollouts: Rollouts::ToEnd, ..Self::MCTS };
}

type Row = Parameter<PaperParams>;

/// The parameters that a preset can be changed by.
pub const PARAMETERS: &[Row] = &[
    Row::number("c", [0.0, 10.0], "exploration constant of UCT", |params| match &mut params.formula {
        Formula::Uct { c } => Some(c),
        Formula::Ucb1Tuned => None,
    })
    .tuned_by(0.1),
    Row::text(
        "rollouts",
        "depths in half-moves: 0, 3, 4+5, end",
        "random half-moves before a node is evaluated",
        |params| params.rollouts.to_string(),
        |params, text| text.parse().ok().map(|rollouts| params.rollouts = rollouts),
    ),
    Row::text(
        "parallel",
        "off, metrics, rollouts",
        "what several threads share",
        |params| name_in(&Parallel::NAMED, |mode| *mode == params.parallel),
        |params, text| named(&Parallel::NAMED, text).ok().map(|mode| params.parallel = mode),
    ),
];

impl PaperParams {
    /// Sets the parameter `name` to a value given as text; both are in lower case.
    ///
    /// # Errors
    /// Returns a message with the valid names or values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        parameter::set(PARAMETERS, self, name, value)
    }
}

/// Parses depths in half-moves: `0` and `3` are one rollout, `4+5` two rollouts, `end` a playout to the end.
impl FromStr for Rollouts {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let depth = |text: &str| text.parse().ok().filter(|depth| *depth <= 1000).ok_or(());
        match text.split_once('+') {
            Some((first, second)) => Ok(Self::Two(depth(first)?, depth(second)?)),
            None if text == "end" => Ok(Self::ToEnd),
            None => depth(text).map(Self::One),
        }
    }
}

impl fmt::Display for Rollouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::One(depth) => write!(f, "{depth}"),
            Self::Two(first, second) => write!(f, "{first}+{second}"),
            Self::ToEnd => f.write_str("end"),
        }
    }
}
