//! The UCI options: their kinds, current values and setters.

use super::{UciBot, dialect};
use otrera::parameter::Parameter;
use otrera::{Level, Params, Resources, Rules};
use otrera_front::{machine, settings};
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// Maximum of the option `Move Overhead`, in milliseconds.
const MAX_OVERHEAD: u64 = (settings::MAX_OVERHEAD * 1000.0) as u64;

/// Maximum of the option `MultiPV`.
const MAX_LINES: u64 = 500;

/// Type of a UCI option with its default and valid values; for `Spin` the default, minimum and maximum.
enum Kind {
    Spin(u64, u64, u64),
    Check(bool),
    Combo(String, Vec<String>),
    Button,
}

impl Kind {
    /// Creates a `Spin` with the range of a setting, at most up to `max`.
    fn spin<P>(setting: &Parameter<P>, default: u64, max: u64) -> Self {
        let [least, most] = setting.range();
        Self::Spin(default, least, most.min(max))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spin(default, min, max) => write!(f, "spin default {default} min {min} max {max}"),
            Self::Check(default) => write!(f, "check default {default}"),
            Self::Combo(default, values) => write!(f, "combo default {default} var {}", values.join(" var ")),
            Self::Button => f.write_str("button"),
        }
    }
}

/// A UCI option: its name, its kind, and a function that sets it or fails with the valid values.
type UciOption = (&'static str, Kind, fn(&mut UciBot, &str) -> Result<(), String>);

impl UciBot {
    /// Formats all options for the answer to `uci`.
    pub(super) fn format_options(&self) -> String {
        self.options().map(|(name, kind, _)| format!("option name {name} type {kind}\n")).collect()
    }

    /// Returns all options with their current values, in the order of the answer to `uci`.
    fn options(&self) -> impl Iterator<Item = UciOption> {
        let begin = self.search_options().into_iter().chain(self.exchange_options());
        begin.chain(self.strength_options()).chain(self.rule_options())
    }

    /// Returns the options of board, threads and tree.
    fn search_options(&self) -> [UciOption; 4] {
        let setup = self.session.setup();
        let Resources { threads, memory, .. } = setup.resources(&self.session.settings);
        let variants =
            Kind::Combo(dialect::variant(setup.size), dialect::sizes().map(dialect::variant).collect());
        [
            ("UCI_Variant", variants, Self::set_variant),
            (
                "Threads",
                Kind::spin(&Resources::THREADS, threads as u64, machine::cores() as u64),
                |bot, value| bot.set_search(Resources::THREADS.name, value),
            ),
            (
                "Hash",
                Kind::spin(&Resources::MEMORY, memory as u64 >> 20, settings::max_memory()),
                |bot, value| bot.set_search(Resources::MEMORY.name, value),
            ),
            ("Clear Hash", Kind::Button, |bot, _| {
                bot.session.forget_tree();
                Ok(())
            }),
        ]
    }

    /// Returns the options of the exchange with the GUI: pondering, `info` lines, delay.
    fn exchange_options(&self) -> [UciOption; 4] {
        let overhead = self.overhead().as_millis() as u64;
        [
            // The GUI decides with each `go` whether to ponder.
            ("Ponder", Kind::Check(false), |_, _| Ok(())),
            ("MultiPV", Kind::Spin(self.shown.lines as u64, 1, MAX_LINES), |bot, value| {
                bot.shown.lines = settings::number(value, 1, MAX_LINES)? as usize;
                Ok(())
            }),
            ("Move Overhead", Kind::Spin(overhead, 0, MAX_OVERHEAD), |bot, value| {
                let overhead = Duration::from_millis(settings::number(value, 0, MAX_OVERHEAD)?);
                bot.session.settings.move_overhead = Some(overhead);
                Ok(())
            }),
            ("UCI_ShowWDL", Kind::Check(self.shown.win_rate), |bot, value| {
                bot.shown.win_rate = read_flag(value)?;
                Ok(())
            }),
        ]
    }

    /// Returns the options of [`super::UciStrength`].
    fn strength_options(&self) -> [UciOption; 3] {
        let [min, max] = Level::ELO;
        [
            (
                "Skill Level",
                Kind::Spin(self.strength.level.number(), 1, Level::FULL.number()),
                |bot, value| {
                    bot.strength.level = value.parse()?;
                    Ok(())
                },
            ),
            ("UCI_LimitStrength", Kind::Check(self.strength.by_elo), |bot, value| {
                bot.strength.by_elo = read_flag(value)?;
                Ok(())
            }),
            ("UCI_Elo", Kind::Spin(self.strength.elo, min, max), |bot, value| {
                bot.strength.elo = settings::number(value, Level::ELO[0], Level::ELO[1])?;
                Ok(())
            }),
        ]
    }

    /// Returns the options of rules and preset.
    fn rule_options(&self) -> [UciOption; 2] {
        let preset = self.session.settings.preset.text.split(',').next().unwrap_or_default();
        let presets = Params::NAMED.iter().map(|&(name, _)| name.into()).collect();
        [
            ("Self Blocking", Kind::Check(self.rules == Rules::SelfBlocking), |bot, value| {
                bot.rules = if read_flag(value)? { Rules::SelfBlocking } else { Rules::Standard };
                bot.position = bot.position.with_rules(bot.rules);
                Ok(())
            }),
            ("Preset", Kind::Combo(preset.to_ascii_lowercase(), presets), |bot, value| {
                bot.set_search("preset", value)
            }),
        ]
    }

    /// Sets an option. An error lists the valid values.
    pub(super) fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let option = self.options().find(|(known, ..)| known.eq_ignore_ascii_case(name));
        let (_, kind, set) = option.ok_or_else(|| format!("unknown option {}", shortened(name)))?;
        let outcome = match kind {
            Kind::Spin(_, min, max) if value.trim().parse::<u64>().is_err() => {
                Err(format!("expected a whole number from {min} to {max}"))
            }
            _ => set(self, value),
        };
        outcome.map_err(|problem| format!("option {} value {}: {problem}", shortened(name), shortened(value)))
    }

    /// Changes a setting of the search and discards the tree.
    fn set_search(&mut self, setting: &str, value: &str) -> Result<(), String> {
        self.session.settings.set(setting, value, Path::new(""))?;
        self.session.forget_tree();
        self.session.settings.cap_threads().map_or(Ok(()), Err)
    }

    /// Changes the board size and sets up the start position.
    fn set_variant(&mut self, name: &str) -> Result<(), String> {
        let Some(size) = dialect::sizes().find(|&size| dialect::variant(size) == name) else {
            let valid: Vec<String> = dialect::sizes().map(dialect::variant).collect();
            return Err(format!("expected one of {}", valid.join(", ")));
        };
        self.session.settings.size = Some(size);
        self.set_position(None, &[])
    }
}

/// Parses the value of a `Check`.
fn read_flag(value: &str) -> Result<bool, String> {
    value.parse().map_err(|_| "expected true or false".into())
}

/// Quotes the first 40 characters of a text.
fn shortened(text: &str) -> String {
    format!("{:?}", text.chars().take(40).collect::<String>())
}
