//! Parameters as text, such as `c=3`. A table of [`Parameter`]s holds the name, valid values, field and meaning of each
//! parameter of a type `P`.

/// A parameter that can be set by `name=value`.
pub struct Parameter<P: 'static> {
    /// The parameter's name in `name=value`.
    pub name: &'static str,
    /// One-line description, as printed by `--help`.
    pub meaning: &'static str,
    /// True for a parameter meant for experiments only; `otrera --help` omits it.
    pub for_laboratory: bool,
    kind: Kind<P>,
}

/// Type of a parameter, with its valid values and access to its field.
enum Kind<P: 'static> {
    /// A number from `least` to `most`. `place` returns the parameter's field, or `None` if these parameters lack it.
    Number { least: f32, most: f32, place: fn(&mut P) -> Option<&mut f32> },
    /// Any other type. `valid` describes the valid values; `parse` sets the field, or returns `None` if the text is
    /// invalid.
    Text { valid: &'static str, format: fn(&P) -> String, parse: fn(&mut P, &str) -> Option<()> },
}

impl<P> Parameter<P> {
    pub(crate) const fn number(
        name: &'static str,
        [least, most]: [f32; 2],
        meaning: &'static str,
        place: fn(&mut P) -> Option<&mut f32>,
    ) -> Self {
        Self { name, meaning, for_laboratory: false, kind: Kind::Number { least, most, place } }
    }

    pub(crate) const fn text(
        name: &'static str,
        valid: &'static str,
        meaning: &'static str,
        format: fn(&P) -> String,
        parse: fn(&mut P, &str) -> Option<()>,
    ) -> Self {
        Self { name, meaning, for_laboratory: false, kind: Kind::Text { valid, format, parse } }
    }

    /// Returns the parameter, marked as meant for experiments only.
    pub(crate) const fn for_laboratory(mut self) -> Self {
        self.for_laboratory = true;
        self
    }

    /// Returns a description of the valid values.
    pub fn valid(&self) -> String {
        match self.kind {
            Kind::Number { least, most, .. } => format!("a number from {least} to {most}"),
            Kind::Text { valid, .. } => valid.into(),
        }
    }

    fn set(&self, params: &mut P, value: &str) -> Result<(), String> {
        let name = self.name;
        let invalid = || format!("{name}={value}: expected {}", self.valid());
        match self.kind {
            Kind::Number { least, most, place } => {
                let place = place(params).ok_or_else(|| format!("this preset has no parameter {name}"))?;
                let number = value.parse().ok().filter(|number| (least..=most).contains(number));
                *place = number.ok_or_else(invalid)?;
                Ok(())
            }
            Kind::Text { parse, .. } => parse(params, value).ok_or_else(invalid),
        }
    }
}

impl<P: Clone> Parameter<P> {
    /// Formats the parameter's value in `params`; `None` if they lack the parameter.
    pub fn value(&self, params: &P) -> Option<String> {
        match self.kind {
            Kind::Number { place, .. } => place(&mut params.clone()).map(|number| number.to_string()),
            Kind::Text { format, .. } => Some(format(params)),
        }
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
