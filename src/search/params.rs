//! Parameters of the search. A row of `parameters!` declares one: its name in text, field, default, valid values and
//! meaning.

use crate::eval::model::Model;
use crate::parameter::{self, Parameter};

type Row = Parameter<TournamentParams>;

/// Declares the parameters, their defaults and the table of all rows. A row is:
///
/// ```text
/// "name" field: type = default, kind(valid values), "meaning", for_laboratory;
/// ```
///
/// The last word is absent if `otrera --help` shows the parameter. The step of a number is that of `lab tune`.
macro_rules! parameters {
    (
        $(#[$of_puct:meta])*
        Puct {$(
            $(#[$detail:meta])*
            $name:literal $field:ident = $default:literal, $kind:ident $valid:tt, $meaning:literal $(, $mark:ident)?;
        )*}
        $(#[$of_own:meta])*
        TournamentParams {$(
            $(#[$own_detail:meta])*
            $own_name:literal $own:ident: $type:ty = $own_default:expr,
                $own_kind:ident $own_valid:tt, $own_meaning:literal $(, $own_mark:ident)?;
        )*}
    ) => {
        $(#[$of_puct])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct Puct {
            $(#[doc = $meaning] #[doc = ""] $(#[$detail])* pub $field: f32,)*
        }

        impl Puct {
            /// Constants of the preset `tournament`, chosen by `lab tune` (temperatures, variance prior: 1,450 game
            /// pairs at 2,000 and 3,000 iterations per move, then 700 at 30,000) and `lab regret` (exploration: 20,000
            /// to 1,000,000 iterations).
            pub const DEFAULT: Self = Self { $($field: $default,)* };
        }

        $(#[$of_own])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct TournamentParams {
            /// Constants of the selection formula.
            pub puct: Puct,
            $(#[doc = $own_meaning] #[doc = ""] $(#[$own_detail])* pub $own: $type,)*
        }

        impl TournamentParams {
            /// The preset `tournament`: trained priors, a network that estimates the winning probability, endgame
            /// proofs.
            pub const DEFAULT: Self = Self { puct: Puct::DEFAULT, $($own: $own_default,)* };
        }

        /// All parameters, in the order of `--help`.
        pub const PARAMETERS: &[Row] = &[
            $(row!($name, $meaning, puct.$field, $kind $valid)$(.$mark())?,)*
            $(row!($own_name, $own_meaning, $own, $own_kind $own_valid)$(.$own_mark())?,)*
        ];
    };
}

/// Returns the table row of a parameter with this field.
macro_rules! row {
    ($name:literal, $meaning:literal, $($field:ident).+, number($min:literal..=$max:literal, step $step:literal)) => {
        Row::number($name, [$min, $max], $meaning, |params| Some(&mut params.$($field).+)).tuned_by($step)
    };
    ($name:literal, $meaning:literal, $($field:ident).+, whole($min:literal..=$max:literal)) => {
        Row::whole(
            $name,
            [$min, $max],
            $meaning,
            |params| u64::from(params.$($field).+),
            |params, number| params.$($field).+ = u32::try_from(number).unwrap_or(u32::MAX),
        )
    };
    ($name:literal, $meaning:literal, $($field:ident).+, switch()) => {
        Row::switch($name, $meaning, |params| &mut params.$($field).+)
    };
    ($name:literal, $meaning:literal, $($field:ident).+, text($valid:literal, $parse:expr)) => {
        Row::text(
            $name,
            $valid,
            $meaning,
            |params| params.$($field).+.to_string(),
            |params, text| $parse(text).map(|value| params.$($field).+ = value),
        )
    };
}

parameters! {
    /// PUCT: `mean + c * sqrt(variance * N) * prior / (1 + n)` (Rosin 2011, in the form of AlphaZero), with the
    /// variance of the leaf values below the node, see [`super::select::puct::ValueVariance`].
    ///
    /// An untried child is scored with its parent's mean value (first-play urgency). Children are tried in prior order.
    /// A descent that tries a new movement continues to the movement's most probable arrow. Movements and arrows have
    /// separate constants, since a wrong arrow costs less than a wrong movement.
    Puct {
        "c" movement_c = 4.5, number(0.0..=10.0, step 0.6), "exploration constant for movements";
        "arrow-c" arrow_c = 0.5, number(0.0..=10.0, step 0.1), "exploration constant for arrows";
        /// See [`Puct::c`]; 0 keeps the constants.
        "growth" growth = 2.0, number(0.0..=10.0, step 0.4), "growth of both constants with the visits", for_laboratory;
        "growth-visits" growth_visits = 20000.0, number(1.0..=1e9, step 2000.0),
            "number of visits at which the growth begins", for_laboratory;
        /// The search plays only the root's move, so exploration costs less there, see [`Puct::at_root`].
        "root-growth-visits" root_growth_visits = 4000.0, number(1.0..=1e9, step 400.0),
            "number of visits at which it begins in the choice of the root's move", for_laboratory;
        /// Priors are `softmax(logit / temperature)`, see [`crate::eval::policy`].
        "temperature" movement_temperature = 2.0, number(0.1..=10.0, step 0.2),
            "temperature of the movement priors", for_laboratory;
        "arrow-temperature" arrow_temperature = 1.2, number(0.1..=10.0, step 0.15),
            "temperature of the arrow priors", for_laboratory;
        /// Each weight of a history multiplies means that are added to the policy logits, see [`super::history`]; 0
        /// turns this history off.
        "history" history = 10.0, number(0.0..=100.0, step 2.0),
            "weight of the history of movements in their priors", for_laboratory;
        "reply-history" reply_history = 15.0, number(0.0..=100.0, step 2.0),
            "weight of the history of replies in the priors of movements", for_laboratory;
        "wanted-history" wanted_history = 12.0, number(0.0..=100.0, step 2.0),
            "weight of the history of the opponent's movements in the priors of arrows", for_laboratory;
        "arrow-history" arrow_history = 20.0, number(0.0..=100.0, step 4.0),
            "weight of the history of arrows in their priors", for_laboratory;
        /// Pseudo-count of the parent's variance in a node's, see [`super::select::puct::ValueVariance::at`]. With 1e9
        /// the variance of every node is about [`super::select::puct::ValueVariance::START`].
        "variance-prior" variance_prior = 16.0, number(0.1..=1e9, step 4.0),
            "weight of the parent's variance, in values", for_laboratory;
    }

    /// Parameters of the tournament search.
    TournamentParams {
        "model" model: Model = Model::Fitted, text("fitted, or a weights file", built_in),
            "evaluates leaves and gives priors";
        /// Lower confidence bound (LCB), see [`super::select::final_child`].
        "lcb-z" lcb_z: f32 = 5.5, number(0.0..=10.0, step 1.0),
            "standard errors below the mean when the final move is chosen; 0: most visits";
        /// By [`crate::endgame`], at the root and at new nodes; also chooses the moves of decided endgames.
        "endgame-proofs" endgame_proofs: bool = true, switch(),
            "prove endgames by counting the moves left in enclosed regions", for_laboratory;
        /// See [`super::iteration`]. 1 starts every iteration at the root.
        "burst" burst: u32 = 256, whole(1..=1000),
            "maximum burst length: iterations below a node between two back-ups", for_laboratory;
    }
}

/// Returns the built-in model with this name.
fn built_in(name: &str) -> Option<Model> {
    (name == "fitted").then_some(Model::Fitted)
}

impl Puct {
    /// Returns the exploration factor for movements or for arrows at a node with `visits` visits:
    /// `c * (1 + growth * ln(1 + visits / growth_visits))`.
    // Without this growth, a long search would hardly ever revisit a child that once looked bad.
    #[inline(always)]
    pub fn c(&self, is_arrow: bool, visits: u32) -> f32 {
        let c = if is_arrow { self.arrow_c } else { self.movement_c };
        c * (1.0 + self.growth * log_one_plus(visits as f32 / self.growth_visits))
    }

    /// Returns the constants for the choice of the root's movement, and of the arrow after it.
    #[inline(always)]
    pub fn at_root(self) -> Self {
        Self { growth_visits: self.root_growth_visits, ..self }
    }
}

impl TournamentParams {
    /// Sets the parameter `name` to a value given as text; both are in lower case.
    ///
    /// # Errors
    /// Returns a message with the valid names or values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        parameter::set(PARAMETERS, self, name, value)
    }

    /// Sets the model to the built-in one or, by `read_model`, to that of a weights file.
    ///
    /// # Errors
    /// Returns a message with the error of `read_model`.
    pub fn set_model(
        &mut self,
        value: &str,
        read_model: impl Fn(&str) -> Result<Model, String>,
    ) -> Result<(), String> {
        let lower = value.to_ascii_lowercase();
        if lower.split(':').next() == Some("paper") {
            return Err(format!("model={value}: the paper's evaluation belongs to preset paper"));
        }
        if self.set("model", &lower).is_err() {
            let problem = |problem| format!("model={value}: expected fitted, or a weights file: {problem}");
            self.model = read_model(value).map_err(problem)?;
        }
        Ok(())
    }
}

/// Approximates ln(1 + x) for x >= 0 with an error of at most 0.006: the float's exponent plus a parabola in its
/// significand. The result is continuous and equal on every machine.
#[inline(always)]
fn log_one_plus(x: f32) -> f32 {
    let bits = (1.0 + x).to_bits();
    let exponent = (bits >> 23) as f32 - 127.0;
    let fraction = f32::from_bits(bits & 0x7f_ffff | 0x3f80_0000) - 1.0;
    std::f32::consts::LN_2 * (exponent + fraction + 0.3431 * fraction * (1.0 - fraction))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Tuning;

    #[test]
    fn a_row_reads_writes_and_limits_its_own_field() {
        for row in PARAMETERS {
            let (default, name) = (TournamentParams::DEFAULT, row.name);
            let value = row.value(&default).unwrap();
            let mut params = default.clone();
            params.set(name, &value).unwrap();
            assert_eq!(params, default, "{name}");
            let error = params.set(name, "-1").unwrap_err();
            assert_eq!(error, format!("{name}=-1: expected {}", row.valid()));
            let Some(Tuning { start, step, min, max }) = row.tuning(&default) else { continue };
            assert!(start.to_string() == value && min <= start - step && start + step <= max, "{name}");
            params.set(name, &max.to_string()).unwrap();
            assert_eq!(row.value(&params), Some(max.to_string()));
            let others = PARAMETERS.iter().filter(|other| other.name != name);
            for other in others {
                assert_eq!(other.value(&params), other.value(&default), "{name} changes {}", other.name);
            }
        }
    }

    #[test]
    fn both_exploration_constants_grow_with_the_visits() {
        let puct =
            Puct { movement_c: 4.0, arrow_c: 0.5, growth: 2.0, growth_visits: 20_000.0, ..Puct::DEFAULT };
        // ln(1 + 0), ln(1 + 1) and ln(1 + 7).
        let ln_2 = std::f32::consts::LN_2;
        for (visits, log) in [(0, 0.0), (20_000, ln_2), (140_000, 3.0 * ln_2)] {
            for (is_arrow, c) in [(false, 4.0), (true, 0.5)] {
                let expected = c * (1.0 + 2.0 * log);
                let found = puct.c(is_arrow, visits);
                assert!((found - expected).abs() < 0.02 * c, "{visits}, {is_arrow}: {found}, not {expected}");
                let at_root = Puct { root_growth_visits: 4000.0, ..puct }.at_root();
                assert_eq!(at_root.c(is_arrow, visits / 5), found, "at the root after {visits} / 5");
            }
        }
    }

    #[test]
    fn log_one_plus_is_accurate_and_monotonic() {
        let mut last = 0.0;
        for step in 0..200_000 {
            let x = libm::expf(step as f32 / 10_000.0) - 1.0;
            let log = log_one_plus(x);
            assert!((log - libm::log1pf(x)).abs() < 0.006 && log >= last - 1e-6, "{x}: {log}");
            last = log;
        }
    }
}
