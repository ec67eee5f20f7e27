//! Parameters as text, such as `c=3`. A table of [`Parameter`]s declares each parameter of a type `P` once: name, valid
//! values, field, meaning, and the step by which `lab tune` shifts it.

/// A parameter that can be set by `name=value`.
pub struct Parameter<P: 'static> {
    /// The parameter's name in `name=value`.
    pub name: &'static str,
    /// One-line description, as printed by `--help`.
    pub meaning: &'static str,
    /// True for a parameter meant for experiments only; `otrera --help` omits it.
    pub for_laboratory: bool,
    kind: Kind<P>,
    /// Step of [`Tuning`]; `None` if the parameter is not tuned by games.
    step: Option<f32>,
}

/// Type of a parameter, with its valid values and access to its field.
enum Kind<P: 'static> {
    /// A number in `range`. `place` returns the parameter's field, or `None` if these parameters lack it.
    Number { range: [f32; 2], place: fn(&mut P) -> Option<&mut f32> },
    /// A whole number in `range`.
    Whole { range: [u64; 2], get: fn(&P) -> u64, set: fn(&mut P, u64) },
    /// `on` or `off`.
    Switch { place: fn(&mut P) -> &mut bool },
    /// Any other type. `valid` describes the valid values; `parse` sets the field, or returns `None` if the text is
    /// invalid.
    Text { valid: &'static str, format: fn(&P) -> String, parse: fn(&mut P, &str) -> Option<()> },
}

/// The names of the values of a [`Kind::Switch`].
const SWITCH: [(&str, bool); 2] = [("on", true), ("off", false)];

/// Start, step and limits of a number that `lab tune` tunes by games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tuning {
    /// The present value.
    pub start: f32,
    /// Shift of each player in a pair of games.
    pub step: f32,
    /// Least valid value.
    pub min: f32,
    /// Greatest valid value.
    pub max: f32,
}

impl<P> Parameter<P> {
    const fn new(name: &'static str, meaning: &'static str, kind: Kind<P>) -> Self {
        Self { name, meaning, for_laboratory: false, kind, step: None }
    }

    pub(crate) const fn number(
        name: &'static str,
        range: [f32; 2],
        meaning: &'static str,
        place: fn(&mut P) -> Option<&mut f32>,
    ) -> Self {
        Self::new(name, meaning, Kind::Number { range, place })
    }

    /// Declares a whole number from `range[0]` to `range[1]`.
    pub const fn whole(
        name: &'static str,
        range: [u64; 2],
        meaning: &'static str,
        get: fn(&P) -> u64,
        set: fn(&mut P, u64),
    ) -> Self {
        Self::new(name, meaning, Kind::Whole { range, get, set })
    }

    pub(crate) const fn switch(
        name: &'static str,
        meaning: &'static str,
        place: fn(&mut P) -> &mut bool,
    ) -> Self {
        Self::new(name, meaning, Kind::Switch { place })
    }

    /// Declares a parameter of any other type: `parse` sets it, or returns `None` if the text is not as `valid` says.
    pub const fn text(
        name: &'static str,
        valid: &'static str,
        meaning: &'static str,
        format: fn(&P) -> String,
        parse: fn(&mut P, &str) -> Option<()>,
    ) -> Self {
        Self::new(name, meaning, Kind::Text { valid, format, parse })
    }

    /// Returns the parameter, marked as meant for experiments only.
    pub(crate) const fn for_laboratory(mut self) -> Self {
        self.for_laboratory = true;
        self
    }

    /// Returns the parameter with the step by which games tune it; about 10 Elo.
    pub(crate) const fn tuned_by(mut self, step: f32) -> Self {
        self.step = Some(step);
        self
    }

    /// Returns the least and the greatest value of a whole number; all numbers for a parameter of another type.
    pub const fn range(&self) -> [u64; 2] {
        match self.kind {
            Kind::Whole { range, .. } => range,
            _ => [0, u64::MAX],
        }
    }

    /// Returns a description of the valid values.
    pub fn valid(&self) -> String {
        match self.kind {
            Kind::Number { range: [min, max], .. } => format!("a number from {min} to {max}"),
            Kind::Whole { range: [min, max], .. } => format!("a whole number from {min} to {max}"),
            Kind::Switch { .. } => "on, off".into(),
            Kind::Text { valid, .. } => valid.into(),
        }
    }

    /// Sets the parameter to a value given as text, in lower case.
    ///
    /// # Errors
    /// Returns a message with the valid values.
    pub fn set(&self, params: &mut P, value: &str) -> Result<(), String> {
        let name = self.name;
        let done = match self.kind {
            Kind::Number { range: [min, max], place } => {
                let place = place(params).ok_or_else(|| format!("this preset has no parameter {name}"))?;
                let number = value.parse().ok().filter(|number| (min..=max).contains(number));
                number.map(|number| *place = number)
            }
            Kind::Whole { range: [min, max], set, .. } => {
                let number = value.parse().ok().filter(|number| (min..=max).contains(number));
                number.map(|number| set(params, number))
            }
            Kind::Switch { place } => named(&SWITCH, value).ok().map(|on| *place(params) = on),
            Kind::Text { parse, .. } => parse(params, value),
        };
        done.ok_or_else(|| format!("{name}={value}: expected {}", self.valid()))
    }
}

impl<P: Clone> Parameter<P> {
    /// Formats the parameter's value in `params`; `None` if they lack the parameter.
    pub fn value(&self, params: &P) -> Option<String> {
        Some(match self.kind {
            Kind::Number { place, .. } => place(&mut params.clone())?.to_string(),
            Kind::Whole { get, .. } => get(params).to_string(),
            Kind::Switch { place } => name_in(&SWITCH, |on| *on == *place(&mut params.clone())),
            Kind::Text { format, .. } => format(params),
        })
    }

    /// Returns how games tune the parameter from its value in `params`; `None` if it has no [`Self::tuned_by`], or if
    /// `params` lack it.
    pub(crate) fn tuning(&self, params: &P) -> Option<Tuning> {
        let Kind::Number { range: [min, max], place } = self.kind else { return None };
        Some(Tuning { start: *place(&mut params.clone())?, step: self.step?, min, max })
    }
}

/// Sets the parameter `name` of a table to a value given as text; both are in lower case.
///
/// # Errors
/// Returns a message with the valid names or values.
pub(crate) fn set<P>(table: &[Parameter<P>], params: &mut P, name: &str, value: &str) -> Result<(), String> {
    match table.iter().find(|parameter| parameter.name == name) {
        Some(parameter) => parameter.set(params, value),
        None => {
            let known: Vec<&str> = table.iter().map(|parameter| parameter.name).collect();
            Err(format!("unknown parameter {name}: expected one of {}", known.join(", ")))
        }
    }
}

/// Returns the value of this name; the error lists all names.
pub(crate) fn named<T: Clone>(table: &[(&'static str, T)], name: &str) -> Result<T, String> {
    let valid = || table.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ");
    let name = name.to_ascii_lowercase();
    let found = table.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
    found.ok_or_else(|| format!("expected one of {}", valid()))
}

/// Returns the name of a value.
pub(crate) fn name_in<T>(table: &[(&str, T)], is_it: impl Fn(&T) -> bool) -> String {
    table.iter().find(|(_, value)| is_it(value)).map_or(String::new(), |(name, _)| (*name).into())
}
