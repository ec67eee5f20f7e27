//! Every number and choice that shapes the search, and the named sets of them.
//!
//! The presets are parameters of one searcher, not as many searchers: `mcts`, `mg`, `peo` and `paper` are
//! the four systems of the MG-PEO paper's table 5, `uct` is Kato et al.'s, `tournament` is what we play with.

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

/// Which formula weighs what is known of a child against how little it was tried.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Formula {
    /// `mean + c * sqrt(log_factor * ln N / n)`.
    Uct {
        /// The constant C.
        c: f32,
        /// The factor before `ln N`: 2 in the MG-PEO paper's algorithm 3, 1 in its equation 8.
        log_factor: f32,
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

/// `mean + c * spread * prior * sqrt(N) / (1 + n)` (Rosin 2011, in the form of AlphaZero), where `spread` is the
/// standard deviation of the values below the node, see [`super::select::puct::ValueVariance`]. Children are tried in the
/// order of their priors, and a descent never ends between the halves of a move.
///
/// Movements and arrows have constants of their own, since a wrong arrow costs less than a wrong movement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Puct {
    /// The constant c where a movement is chosen.
    pub movement_c: f32,
    /// The constant c where an arrow is chosen.
    pub arrow_c: f32,
    /// The priors of movements are `exp(score / temperature)`, see [`crate::eval::policy`].
    pub movement_temperature: f32,
    /// The same of arrows.
    pub arrow_temperature: f32,
    /// First-play urgency: the mean of a child that was not tried is that of its parent, less so many spreads.
    pub reduction: f32,
    /// How many values below a node the spread of its parent is worth. Very many: the spread is a constant.
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
        reduction: 0.2,
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
    match one_of(table, &name.to_ascii_lowercase()) {
        Some(value) => Ok(value.clone()),
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
    /// How a child is selected.
    pub formula: Formula,
    /// A movement counts as infinitely good until one of its arrows has been tried (paper, 3.2 and 4.1).
    pub arrow_before_value: bool,
    /// How a new leaf is played on before it is judged.
    pub rollouts: Rollouts,
    /// How a rollout's value becomes a winning rate.
    pub leaf: Leaf,
    /// The evaluation's weights.
    pub weights: Weights,
    /// How many standard errors are taken off a mean before the move is chosen, 0 for the most visited move; see
    /// [`super::select::final_child`].
    pub caution: f32,
    /// Whether [`crate::endgame`] proves positions and, once it decides the game, plays it out.
    pub counting: bool,
    /// Iterations that begin at one much visited node before the next begins at the root, see
    /// [`super::worker`]; 1 lets all begin there.
    pub burst: u32,
}

impl Params {
    /// MG-PEO: move groups and parallel evaluation.
    pub const PAPER: Self = Self {
        grouping: Grouping::Split,
        parallel: Parallel::Metrics,
        formula: Formula::Uct { c: std::f32::consts::FRAC_1_SQRT_2, log_factor: 2.0 },
        arrow_before_value: true,
        rollouts: Rollouts::Two(4, 5),
        leaf: Leaf::Sign { threshold: 0.1 },
        weights: Weights::PAPER,
        caution: 0.0,
        counting: false,
        burst: 1,
    };
    /// Move groups alone.
    pub const MG: Self = Self { parallel: Parallel::Off, ..Self::PAPER };
    /// Parallel evaluation alone.
    pub const PEO: Self = Self { grouping: Grouping::Whole, arrow_before_value: false, ..Self::PAPER };
    /// Neither.
    pub const MCTS: Self = Self { parallel: Parallel::Off, ..Self::PEO };
    /// What the bot plays with: half-moves in the order of fitted priors, a fitted evaluation that is a
    /// winning probability, no rollouts, threads on the tree, moves counted at the end.
    pub const TOURNAMENT: Self = Self {
        grouping: Grouping::Split,
        parallel: Parallel::Tree,
        formula: Formula::Puct(Puct::DEFAULT),
        arrow_before_value: false,
        rollouts: Rollouts::NONE,
        leaf: Leaf::Logistic { scale: 1.0 },
        weights: Weights::FITTED,
        caution: 5.5,
        counting: true,
        burst: 16,
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

    /// The preset of this name.
    ///
    /// # Errors
    /// The names that exist.
    pub fn preset(name: &str) -> Result<Self, UnknownName> {
        named(&Self::NAMED, name)
    }

    /// Names and meanings of what [`Params::set`] takes.
    pub const SETTINGS: [(&'static str, &'static str); 18] = [
        ("parallel", "off, metrics, rollouts, tree"),
        ("c", "exploration constant of uct; of puct for movements and arrows, 0 to 10"),
        ("log-factor", "factor before ln N under UCT's root, 0 to 10"),
        ("formula", "uct, ucb1-tuned, puct"),
        ("arrow-c", "the same for arrows alone, puct"),
        ("temperature", "of the priors of puct, 0.1 to 10"),
        ("arrow-temperature", "the same for arrows alone"),
        ("reduction", "first-play urgency of puct in spreads, -1 to 1"),
        ("spread-weight", "values that the spread of the parent is worth, 0.1 to 1e9"),
        ("leaf", "sign, sign:THRESHOLD, logistic:SCALE (squares)"),
        ("rollouts", "depths in half-moves: 4+5, 3, end"),
        ("weights", "paper, fitted: those of the evaluation"),
        ("tie", "value of a tied square for the side to move, -1 to 1"),
        ("arrow-first", "on, off: a movement needs a tried arrow before it has a value, uct with split"),
        ("grouping", "split, whole; puct needs split"),
        ("caution", "standard errors taken off a mean before the move is chosen, 0 to 10"),
        ("counting", "on, off: moves are counted where a side cannot be reached any more"),
        ("burst", "iterations that begin at one much visited node, 1 to 1000"),
    ];

    /// Changes one parameter, given as text.
    ///
    /// # Errors
    /// What would be valid.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = |least: f32, most: f32| match value.parse::<f32>() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(format!("{name}={value}: valid is a number from {least} to {most}")),
        };
        let valid = || {
            let meaning = Self::SETTINGS.iter().find(|(known, _)| *known == name);
            meaning.map_or(String::new(), |(_, meaning)| format!("{name}={value}: valid are {meaning}"))
        };
        match name {
            "parallel" => self.parallel = value.parse().map_err(|error: UnknownName| error.to_string())?,
            "c" | "log-factor" => {
                let number = number(0.0, 10.0)?;
                match (&mut self.formula, name) {
                    (Formula::Uct { c, .. }, "c") => *c = number,
                    (Formula::Uct { log_factor, .. }, _) => *log_factor = number,
                    (Formula::Puct(puct), "c") => (puct.movement_c, puct.arrow_c) = (number, number),
                    _ => return Err(format!("{name} does not belong to this formula")),
                }
            }
            "arrow-c" => self.puct(name)?.arrow_c = number(0.0, 10.0)?,
            "temperature" => {
                let number = number(0.1, 10.0)?;
                let puct = self.puct(name)?;
                (puct.movement_temperature, puct.arrow_temperature) = (number, number);
            }
            "arrow-temperature" => self.puct(name)?.arrow_temperature = number(0.1, 10.0)?,
            "reduction" => self.puct(name)?.reduction = number(-1.0, 1.0)?,
            "formula" => {
                self.formula = match value {
                    "uct" => Self::PAPER.formula,
                    "ucb1-tuned" => Formula::Ucb1Tuned,
                    "puct" => Formula::Puct(Puct::DEFAULT),
                    _ => return Err(valid()),
                }
            }
            "spread-weight" => self.puct(name)?.spread_weight = number(0.1, 1e9)?,
            "leaf" => self.leaf = read_leaf(value).ok_or_else(valid)?,
            "rollouts" => self.rollouts = read_rollouts(value).ok_or_else(valid)?,
            "weights" => {
                let tables = [("paper", Weights::PAPER), ("fitted", Weights::FITTED)];
                self.weights = one_of(&tables, value).ok_or_else(valid)?.clone();
            }
            "tie" => self.weights.tie = number(-1.0, 1.0)?,
            "arrow-first" => self.arrow_before_value = *one_of(&ON_OFF, value).ok_or_else(valid)?,
            "caution" => self.caution = number(0.0, 10.0)?,
            "counting" => self.counting = *one_of(&ON_OFF, value).ok_or_else(valid)?,
            "burst" => {
                let count = value.parse().ok().filter(|count| (1..=1000).contains(count));
                self.burst =
                    count.ok_or_else(|| format!("{name}={value}: valid is a whole number from 1 to 1000"))?;
            }
            "grouping" => {
                let names = [("split", Grouping::Split), ("whole", Grouping::Whole)];
                self.grouping = *one_of(&names, value).ok_or_else(valid)?;
            }
            _ => {
                return Err(format!(
                    "{name}: valid are {}",
                    Self::SETTINGS.map(|(known, _)| known).join(", ")
                ));
            }
        }
        Ok(())
    }

    /// The same parameters if they go together. Whoever reads parameters from text asks this when all of them
    /// have been [set](Params::set), since the order in which they come does not matter.
    ///
    /// # Errors
    /// Which of them do not, why, and what would be valid.
    pub fn checked(self) -> Result<Self, String> {
        let problem = match (self.grouping, self.formula) {
            (Grouping::Whole, Formula::Puct(_)) => {
                "grouping=whole does not go with formula=puct, whose priors are those of movements and of arrows: \
                 valid are grouping=split, or formula=uct or formula=ucb1-tuned"
            }
            (Grouping::Whole, _) if self.arrow_before_value => {
                "grouping=whole does not go with arrow-first=on, since whole moves have no arrows to be tried first: \
                 valid are grouping=split or arrow-first=off"
            }
            (_, Formula::Puct(_)) if self.arrow_before_value => {
                "arrow-first=on does not go with formula=puct, whose descents never end before the arrow: \
                 valid are arrow-first=off or formula=uct"
            }
            (_, Formula::Ucb1Tuned) if self.arrow_before_value => {
                "arrow-first=on does not go with formula=ucb1-tuned, which does not know it: \
                 valid are arrow-first=off or formula=uct"
            }
            _ => return Ok(self),
        };
        Err(problem.into())
    }
}

/// A preset with parameters that go together: `tournament,c=3,burst=1`.
impl FromStr for Params {
    /// What would be valid.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split(',').map(str::trim);
        let mut params = Self::preset(words.next().unwrap_or_default()).map_err(|error| error.to_string())?;
        for setting in words {
            let (name, value) =
                setting.split_once('=').ok_or_else(|| format!("{setting:?}: a parameter is name=value"))?;
            params.set(name, value)?;
        }
        params.checked()
    }
}

impl Params {
    /// The constants of PUCT, to be changed.
    fn puct(&mut self, name: &str) -> Result<&mut Puct, String> {
        match &mut self.formula {
            Formula::Puct(puct) => Ok(puct),
            _ => Err(format!("{name} belongs to formula=puct")),
        }
    }
}

const ON_OFF: [(&str, bool); 2] = [("on", true), ("off", false)];

fn one_of<'a, T>(table: &'a [(&str, T)], name: &str) -> Option<&'a T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

fn read_leaf(text: &str) -> Option<Leaf> {
    let positive = |text: &str| text.parse().ok().filter(|number: &f32| number.is_finite() && *number > 0.0);
    match text.split_once(':') {
        None if text == "sign" => Some(Params::PAPER.leaf),
        Some(("sign", threshold)) => Some(Leaf::Sign { threshold: positive(threshold)? }),
        Some(("logistic", scale)) => Some(Leaf::Logistic { scale: positive(scale)? }),
        _ => None,
    }
}

fn read_rollouts(text: &str) -> Option<Rollouts> {
    let depth = |text: &str| text.parse().ok().filter(|depth| *depth <= 1000);
    match text.split_once('+') {
        Some((first, second)) => Some(Rollouts::Two(depth(first)?, depth(second)?)),
        None if text == "end" => Some(Rollouts::TO_THE_END),
        None => depth(text).map(Rollouts::One),
    }
}
