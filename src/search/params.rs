//! Every number and choice that shapes the search, and the named sets of them.
//!
//! The presets are parameters of one searcher, not as many searchers: `mcts`, `mg`, `peo` and `paper` are
//! the four systems of the MG-PEO paper's table 5, `uct` is Kato et al.'s, `tournament` is what we play with.

mod text;

pub use text::{PARAMETERS, Parameter, UnknownName};

use crate::eval::model::Model;

/// What an edge of the tree is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grouping {
    /// A whole move: up to 2176 children at the start.
    Whole,
    /// Half a move, movement and arrow in turn: the paper's move groups.
    Split,
}

/// Where several threads are put to work. All modes compute the same value of a leaf; with more than one thread on the
/// tree the search itself is not reproducible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parallel {
    /// Nowhere: one thread.
    Off,
    /// On the metrics of one evaluation: the paper's parallel evaluation.
    Metrics,
    /// On the rollouts of one leaf: leaf parallelization (Chaslot et al. 2008).
    Rollouts,
    /// On different leaves of one shared tree: tree parallelization with virtual loss (Chaslot et al. 2008).
    Tree,
}

impl Parallel {
    /// All modes with their names.
    pub const NAMED: [(&'static str, Self); 4] =
        [("off", Self::Off), ("metrics", Self::Metrics), ("rollouts", Self::Rollouts), ("tree", Self::Tree)];
}

/// Which formula weighs what is known of a child against how little it was tried.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Formula {
    /// `mean + c * sqrt(2 * ln N / n)`, as in the MG-PEO paper's algorithm 3; its equation 8 lacks the factor 2.
    Uct {
        /// The constant C.
        c: f32,
    },
    /// What is known of a child against how probable it looked, see [`Puct`].
    Puct(Puct),
    /// `mean + sqrt(ln N / n * min(1/4, mean - mean^2 + sqrt(2 ln N / n)))`, as Kato et al. print it.
    Ucb1Tuned,
}

impl Formula {
    /// Whether children are tried in the order of their priors, not all of them before any twice.
    #[inline]
    pub const fn has_priors(&self) -> bool {
        matches!(self, Self::Puct(_))
    }
}

/// `mean + c * sqrt(variance * N) * prior / (1 + n)` (Rosin 2011, in the form of AlphaZero), where the variance is that
/// of the values below the node, see [`super::select::puct::ValueVariance`]. An untried child has the mean of its
/// parent (first-play urgency). Children are tried in the order of their priors, and a descent that reaches a new
/// movement goes on to its likeliest arrow.
///
/// Movements and arrows have constants of their own, since a wrong arrow costs less than a wrong movement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Puct {
    /// The constant c where a movement is chosen.
    pub movement_c: f32,
    /// The constant c where an arrow is chosen.
    pub arrow_c: f32,
    /// The priors of movements are `exp(logit / temperature)`, see [`crate::eval::policy`].
    pub movement_temperature: f32,
    /// The same of arrows.
    pub arrow_temperature: f32,
    /// The weight w of the parent's variance in that of a node, as a number of values (pseudo-counts), see
    /// [`super::select::puct::ValueVariance::at`]. Very many: all variances are the one at the root's start.
    pub spread_weight: f32,
}

impl Puct {
    /// The constants that `lab tune` found in 1,450 pairs of games, 2,000 and 3,000 iterations a move, and then
    /// in 700 pairs of 30,000 iterations a move.
    pub const DEFAULT: Self = Self {
        movement_c: 6.2,
        arrow_c: 0.65,
        movement_temperature: 2.22,
        arrow_temperature: 1.22,
        spread_weight: 16.0,
    };
}

/// The random rollouts from a new leaf, by their depth in half-moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rollouts {
    /// One.
    One(u32),
    /// Two, whose winning rates are averaged.
    Two(u32, u32),
}

impl Rollouts {
    /// None: the leaf itself is judged.
    pub const NONE: Self = Self::One(0);

    /// One playout to the end of the game, which is its own judge.
    pub const TO_THE_END: Self = Self::One(u32::MAX);
}

/// The parameters of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// What an edge is.
    pub grouping: Grouping,
    /// Where threads work.
    pub parallel: Parallel,
    /// How a child is selected.
    pub formula: Formula,
    /// How a new leaf is played on before it is evaluated.
    pub rollouts: Rollouts,
    /// What evaluates leaves and gives the priors of half-moves.
    pub model: Model,
    /// The move is chosen by the lower confidence bound (LCB) of its mean: the mean less so many standard errors, 0
    /// for the most visited move; see [`super::select::final_child`].
    pub lcb_z: f32,
    /// Whether [`crate::endgame`] proves positions and, once it decides the game, plays it out.
    pub counting: bool,
    /// Most iterations in a row that pass one much visited node before the descent returns to the node before it, see
    /// [`super::worker`]; 1 lets all begin at the root.
    pub burst: u32,
}

impl Params {
    /// MG-PEO: move groups and parallel evaluation.
    pub const PAPER: Self = Self {
        grouping: Grouping::Split,
        parallel: Parallel::Metrics,
        formula: Formula::Uct { c: std::f32::consts::FRAC_1_SQRT_2 },
        rollouts: Rollouts::Two(4, 5),
        model: Model::PAPER,
        lcb_z: 0.0,
        counting: false,
        burst: 1,
    };
    /// Move groups alone.
    pub const MG: Self = Self { parallel: Parallel::Off, ..Self::PAPER };
    /// Parallel evaluation alone.
    pub const PEO: Self = Self { grouping: Grouping::Whole, ..Self::PAPER };
    /// Neither.
    pub const MCTS: Self = Self { parallel: Parallel::Off, ..Self::PEO };
    /// What the bot plays with: half-moves in the order of fitted priors, a fitted evaluation that is a
    /// winning probability, no rollouts, threads on the tree, moves counted at the end.
    pub const TOURNAMENT: Self = Self {
        grouping: Grouping::Split,
        parallel: Parallel::Tree,
        formula: Formula::Puct(Puct::DEFAULT),
        rollouts: Rollouts::NONE,
        model: Model::Fitted,
        lcb_z: 5.5,
        counting: true,
        burst: 256,
    };

    /// The plain UCT of Kato et al. 2015: whole moves, playouts to the end, no evaluation.
    pub const UCT: Self = Self { formula: Formula::Ucb1Tuned, rollouts: Rollouts::TO_THE_END, ..Self::MCTS };

    /// All presets with their names.
    pub const NAMED: [(&'static str, Self); 6] = [
        ("tournament", Self::TOURNAMENT),
        ("paper", Self::PAPER),
        ("mg", Self::MG),
        ("peo", Self::PEO),
        ("mcts", Self::MCTS),
        ("uct", Self::UCT),
    ];

    /// Whether a movement counts as infinitely good until one of its arrows has been tried (MG-PEO paper, 3.2 and 4.1):
    /// under UCT over half-moves.
    #[inline]
    pub const fn has_arrow_before_value(&self) -> bool {
        matches!((self.grouping, self.formula), (Grouping::Split, Formula::Uct { .. }))
    }

    /// The same parameters if they go together. Whoever reads parameters from text asks this when all of them have been
    /// [set](Params::set), since the order in which they come does not matter.
    ///
    /// # Errors
    /// Which of them do not, why, and what would be valid.
    pub fn checked(self) -> Result<Self, String> {
        match (self.grouping, self.formula) {
            (Grouping::Whole, Formula::Puct(_)) => {
                Err("grouping=whole does not go with formula=puct, whose priors are those of movements and of arrows: \
                     valid are grouping=split, or formula=uct or formula=ucb1-tuned"
                    .into())
            }
            _ => Ok(self),
        }
    }
}
