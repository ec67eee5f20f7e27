//! The protocols through which a program can play.

use crate::notation::Form;
use otrera::{Position, Rules, Size};
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    Botzone(Mode),
    /// The SAU Game Platform.
    Sau,
    /// UCI with the variant `amazons`.
    Uci,
}

/// A Botzone interaction mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    pub form: Form,
    /// True if the platform grants requests for keep-running.
    pub keeps_running: bool,
}

impl Mode {
    const NAMED: [(&'static str, Self); 4] = [
        ("simple", Self { form: Form::Simple, keeps_running: false }),
        ("json", Self { form: Form::Json, keeps_running: false }),
        ("simple-keep", Self { form: Form::Simple, keeps_running: true }),
        ("json-keep", Self { form: Form::Json, keeps_running: true }),
    ];
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::NAMED.iter().find(|(known, _)| *known == name);
        let names = || Self::NAMED.map(|(name, _)| name).join(", ");
        found.map(|(_, mode)| *mode).ok_or_else(|| format!("valid modes are {}", names()))
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMED.iter().find(|(_, mode)| mode == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl Dialect {
    pub fn names() -> String {
        let modes = Mode::NAMED.map(|(name, _)| format!("botzone-{name}"));
        format!("{}, sau, uci", modes.join(", "))
    }

    pub fn form(self) -> Form {
        match self {
            Self::Botzone(mode) => mode.form,
            Self::Sau => Form::Sau,
            Self::Uci => Form::Uci,
        }
    }

    /// True if one process can play several turns.
    pub fn keeps(self) -> bool {
        !matches!(self, Self::Botzone(Mode { keeps_running: false, .. }))
    }

    pub fn is_sau(self) -> bool {
        self == Self::Sau
    }

    /// Returns the start position with the protocol's rules. The default size is 10x10 for SAU, otherwise 8x8.
    pub fn start(self, size: Option<Size>) -> Position {
        let (own, rules) = if self.is_sau() {
            (Size::STANDARD, Rules::SelfBlocking)
        } else {
            (Size::BOTZONE, Rules::default())
        };
        Position::start(size.unwrap_or(own)).with_rules(rules)
    }
}

/// Parses `sau`, `uci`, or the name of a Botzone mode, with or without the prefix `botzone-`.
impl FromStr for Dialect {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "sau" => Ok(Self::Sau),
            "uci" => Ok(Self::Uci),
            _ => {
                let mode = name.strip_prefix("botzone-").unwrap_or(name).parse().map(Self::Botzone);
                mode.map_err(|_: String| format!("valid protocols are {}", Self::names()))
            }
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Botzone(mode) => write!(f, "botzone-{mode}"),
            Self::Sau => f.write_str("sau"),
            Self::Uci => f.write_str("uci"),
        }
    }
}

/// Parses the name of a dialect of tournaments: any except UCI.
pub fn read_tournament(name: &str) -> Result<Dialect, String> {
    let dialect = name.parse()?;
    if dialect == Dialect::Uci { Err("this command does not support uci".into()) } else { Ok(dialect) }
}
