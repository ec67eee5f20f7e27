//! Parameters as text, such as `tournament,c=3,lcb-z=0`. One table holds each parameter's name, valid values, field and
//! meaning.

use super::{Formula, Grouping, Parallel, Params, Puct, Rollouts};
use crate::eval::model::Model;
use std::fmt;
use std::str::FromStr;

/// A parameter that can be set by `name=value`.
pub struct Parameter {
    /// The parameter's name in `name=value`.
    pub name: &'static str,
    /// One-line description, as printed by `--help`.
    pub meaning: &'static str,
    /// True for a parameter meant for experiments only; `otrera --help` omits it.
    pub for_laboratory: bool,
    kind: Kind,
}

/// Type of a parameter, with its valid values and access to its field in [`Params`].
enum Kind {
    /// A number from `least` to `most`. `place` returns the parameter's field, or `None` if the formula lacks the
    /// parameter.
    Number { least: f32, most: f32, place: fn(&mut Params) -> Option<&mut f32> },
    /// Any other type. `valid` describes the valid values; `parse` sets the field, or returns `None` if the text is
    /// invalid.
    Text { valid: &'static str, format: fn(&Params) -> String, parse: fn(&mut Params, &str) -> Option<()> },
}

const fn number(
    name: &'static str,
    [least, most]: [f32; 2],
    meaning: &'static str,
    place: fn(&mut Params) -> Option<&mut f32>,
) -> Parameter {
    Parameter { name, meaning, for_laboratory: false, kind: Kind::Number { least, most, place } }
}

const fn text(
    name: &'static str,
    valid: &'static str,
    meaning: &'static str,
    format: fn(&Params) -> String,
    parse: fn(&mut Params, &str) -> Option<()>,
) -> Parameter {
    Parameter { name, meaning, for_laboratory: false, kind: Kind::Text { valid, format, parse } }
}

/// All parameters, in the order of `--help`.
pub const PARAMETERS: [Parameter; 15] = [
    text(
        "formula",
        "uct, ucb1-tuned, puct",
        "how a child is selected",
        |params| name_in(&FORMULAS, |formula| same_kind(formula, &params.formula)),
        |params, text| one_of(&FORMULAS, text).map(|formula| params.formula = formula),
    ),
    number(
        "c",
        [0.0, 10.0],
        "exploration constant of uct; of puct for movements",
        |params| match &mut params.formula {
            Formula::Uct { c } => Some(c),
            Formula::Puct(puct) => Some(&mut puct.movement_c),
            Formula::Ucb1Tuned => None,
        },
    ),
    number("arrow-c", [0.0, 10.0], "exploration constant of puct for arrows", |params| {
        params.puct().map(|puct| &mut puct.arrow_c)
    }),
    number("growth", [0.0, 10.0], "growth of both constants of puct with the visits", |params| {
        params.puct().map(|puct| &mut puct.growth)
    })
    .for_laboratory(),
    text(
        "grouping",
        "split, whole",
        "a move as movement and arrow, or as one edge; puct needs split",
        |params| name_in(&GROUPINGS, |grouping| *grouping == params.grouping),
        |params, text| one_of(&GROUPINGS, text).map(|grouping| params.grouping = grouping),
    ),
    text(
        "model",
        "paper, paper:SCALE, fitted, or a weights file",
        "evaluates leaves and gives priors; paper:7 maps a lead of 7 squares to 73 %",
        |params| params.model.to_string(),
        |params, text| text.parse().ok().map(|model| params.model = model),
    ),
    text(
        "rollouts",
        "depths in half-moves: 0, 3, 4+5, end",
        "random half-moves before a leaf is evaluated",
        |params| params.rollouts.to_string(),
        |params, text| text.parse().ok().map(|rollouts| params.rollouts = rollouts),
    ),
    number(
        "lcb-z",
        [0.0, 10.0],
        "standard errors below the mean when the final move is chosen; 0: most visits",
        |params| Some(&mut params.lcb_z),
    ),
    number("temperature", [0.1, 10.0], "temperature of the movement priors under puct", |params| {
        params.puct().map(|puct| &mut puct.movement_temperature)
    })
    .for_laboratory(),
    number("arrow-temperature", [0.1, 10.0], "temperature of the arrow priors under puct", |params| {
        params.puct().map(|puct| &mut puct.arrow_temperature)
    })
    .for_laboratory(),
    number("history", [0.0, 100.0], "weight of the history of movements in their priors", |params| {
        params.puct().map(|puct| &mut puct.history)
    })
    .for_laboratory(),
    number("variance-prior", [0.1, 1e9], "weight of the parent's variance under puct, in values", |params| {
        params.puct().map(|puct| &mut puct.variance_prior)
    })
    .for_laboratory(),
    text(
        "endgame-proofs",
        "on, off",
        "prove endgames by counting the moves left in enclosed regions",
        |params| name_in(&ON_OFF, |on| *on == params.endgame_proofs),
        |params, text| one_of(&ON_OFF, text).map(|on| params.endgame_proofs = on),
    )
    .for_laboratory(),
    text(
        "burst",
        "a whole number from 1 to 1000",
        "maximum burst length: iterations below a node between two back-ups",
        |params| params.burst.to_string(),
        |params, text| {
            let count = text.parse().ok().filter(|count| (1..=1000).contains(count));
            count.map(|count| params.burst = count)
        },
    )
    .for_laboratory(),
    text(
        "parallel",
        "off, metrics, rollouts, tree",
        "what several threads share",
        |params| name_in(&Parallel::NAMED, |mode| *mode == params.parallel),
        |params, text| one_of(&Parallel::NAMED, text).map(|mode| params.parallel = mode),
    )
    .for_laboratory(),
];

const FORMULAS: [(&str, Formula); 3] = [
    ("uct", Params::PAPER.formula),
    ("ucb1-tuned", Formula::Ucb1Tuned),
    ("puct", Formula::Puct(Puct::DEFAULT)),
];
const GROUPINGS: [(&str, Grouping); 2] = [("split", Grouping::Split), ("whole", Grouping::Whole)];
const ON_OFF: [(&str, bool); 2] = [("on", true), ("off", false)];

/// True if both formulas are of the same kind; their constants may differ.
fn same_kind(one: &Formula, other: &Formula) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

impl Parameter {
    /// Returns the parameter, marked as meant for experiments only.
    const fn for_laboratory(self) -> Self {
        Self { for_laboratory: true, ..self }
    }

    /// Returns a description of the valid values.
    pub fn valid(&self) -> String {
        match self.kind {
            Kind::Number { least, most, .. } => format!("a number from {least} to {most}"),
            Kind::Text { valid, .. } => valid.into(),
        }
    }

    /// Formats the parameter's value in `params`; `None` if the selection formula does not use the parameter.
    pub fn value(&self, params: &Params) -> Option<String> {
        match self.kind {
            Kind::Number { place, .. } => place(&mut params.clone()).map(|number| number.to_string()),
            Kind::Text { format, .. } => Some(format(params)),
        }
    }

    fn set(&self, params: &mut Params, value: &str) -> Result<(), String> {
        let name = self.name;
        let invalid = || format!("{name}={value}: expected {}", self.valid());
        match self.kind {
            Kind::Number { least, most, place } => {
                let place = place(params).ok_or_else(|| format!("this formula has no parameter {name}"))?;
                let number = value.parse().ok().filter(|number| (least..=most).contains(number));
                *place = number.ok_or_else(invalid)?;
                Ok(())
            }
            Kind::Text { parse, .. } => parse(params, value).ok_or_else(invalid),
        }
    }
}

impl Params {
    /// Returns the preset with this name, ignoring case.
    ///
    /// # Errors
    /// Returns a message with the names of all presets if the name is unknown.
    pub fn preset(name: &str) -> Result<Self, String> {
        named(&Self::NAMED, name)
    }

    /// Parses a preset name and overrides of its parameters, ignoring case: `tournament,c=3,burst=1`. Calls
    /// `read_model` with the value of `model=VALUE` unless the value names a built-in [`Model`].
    ///
    /// # Errors
    /// Returns a message with the valid names or values, or the incompatible parameters.
    pub fn read(text: &str, read_model: impl Fn(&str) -> Result<Model, String>) -> Result<Self, String> {
        let mut words = text.split(',').map(str::trim);
        let mut params = Self::preset(words.next().unwrap_or_default())?;
        for setting in words {
            let (name, value) =
                setting.split_once('=').ok_or_else(|| format!("{setting:?}: expected name=value"))?;
            params.set_with(name, value, &read_model)?;
        }
        params.checked()
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
        if name != "model" {
            return match PARAMETERS.iter().find(|parameter| parameter.name == name) {
                Some(parameter) => parameter.set(self, &lower),
                None => {
                    let known = PARAMETERS.map(|known| known.name).join(", ");
                    Err(format!("unknown parameter {name}: expected one of {known}"))
                }
            };
        }
        self.model = match lower.parse() {
            Ok(model) => model,
            Err(valid) if lower.starts_with("paper:") => return Err(format!("model={value}: {valid}")),
            Err(valid) => read_model(value)
                .map_err(|problem| format!("model={value}: {valid}, or a weights file: {problem}"))?,
        };
        Ok(())
    }

    fn puct(&mut self) -> Option<&mut Puct> {
        match &mut self.formula {
            Formula::Puct(puct) => Some(puct),
            Formula::Uct { .. } | Formula::Ucb1Tuned => None,
        }
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

impl FromStr for Parallel {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        named(&Self::NAMED, name)
    }
}

/// Parses depths in half-moves: `0` is no rollout, `3` one rollout, `4+5` two rollouts, `end` a playout to the end.
impl FromStr for Rollouts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let depth = |text: &str| text.parse().ok().filter(|depth| *depth <= 1000);
        let rollouts = match text.split_once('+') {
            Some((first, second)) => {
                depth(first).zip(depth(second)).map(|(first, second)| Self::Two(first, second))
            }
            None if text == "end" => Some(Self::ToEnd),
            None => depth(text).map(|depth| if depth == 0 { Self::None } else { Self::One(depth) }),
        };
        rollouts
            .ok_or_else(|| format!("{text}: expected depths up to 1000 half-moves, such as 0, 3, 4+5 or end"))
    }
}

impl fmt::Display for Rollouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::None => f.write_str("0"),
            Self::ToEnd => f.write_str("end"),
            Self::One(depth) => write!(f, "{depth}"),
            Self::Two(first, second) => write!(f, "{first}+{second}"),
        }
    }
}

fn named<T: Clone>(table: &[(&'static str, T)], name: &str) -> Result<T, String> {
    let valid = || table.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ");
    one_of(table, &name.to_ascii_lowercase()).ok_or_else(|| format!("expected one of {}", valid()))
}

fn one_of<T: Clone>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
}

fn name_in<T>(table: &[(&str, T)], is_it: impl Fn(&T) -> bool) -> String {
    table.iter().find(|(_, value)| is_it(value)).map_or(String::new(), |(name, _)| (*name).into())
}
