//! Parameters as text, such as `c=3` or `lcb-z=0`: a table of names, valid values, fields and meanings.

use super::TournamentParams;
use crate::eval::model::Model;
use crate::parameter::{self, Parameter, name_in, named};

type Row = Parameter<TournamentParams>;

/// All parameters, in the order of `--help`.
pub const PARAMETERS: [Row; 11] = [
    Row::number("c", [0.0, 10.0], "exploration constant for movements", |params| {
        Some(&mut params.puct.movement_c)
    }),
    Row::number("arrow-c", [0.0, 10.0], "exploration constant for arrows", |params| {
        Some(&mut params.puct.arrow_c)
    }),
    Row::number("growth", [0.0, 10.0], "growth of both constants with the visits", |params| {
        Some(&mut params.puct.growth)
    })
    .for_laboratory(),
    Row::text(
        "model",
        "fitted, or a weights file",
        "evaluates leaves and gives priors",
        |params| params.model.to_string(),
        |params, text| (text == "fitted").then(|| params.model = Model::Fitted),
    ),
    Row::number(
        "lcb-z",
        [0.0, 10.0],
        "standard errors below the mean when the final move is chosen; 0: most visits",
        |params| Some(&mut params.lcb_z),
    ),
    Row::number("temperature", [0.1, 10.0], "temperature of the movement priors", |params| {
        Some(&mut params.puct.movement_temperature)
    })
    .for_laboratory(),
    Row::number("arrow-temperature", [0.1, 10.0], "temperature of the arrow priors", |params| {
        Some(&mut params.puct.arrow_temperature)
    })
    .for_laboratory(),
    Row::number("history", [0.0, 100.0], "weight of the history of movements in their priors", |params| {
        Some(&mut params.puct.history)
    })
    .for_laboratory(),
    Row::number("variance-prior", [0.1, 1e9], "weight of the parent's variance, in values", |params| {
        Some(&mut params.puct.variance_prior)
    })
    .for_laboratory(),
    Row::text(
        "endgame-proofs",
        "on, off",
        "prove endgames by counting the moves left in enclosed regions",
        |params| name_in(&ON_OFF, |on| *on == params.endgame_proofs),
        |params, text| named(&ON_OFF, text).ok().map(|on| params.endgame_proofs = on),
    )
    .for_laboratory(),
    Row::text(
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
];

const ON_OFF: [(&str, bool); 2] = [("on", true), ("off", false)];

impl TournamentParams {
    /// Sets the parameter `name` to a value given as text; both are in lower case.
    ///
    /// # Errors
    /// Returns a message with the valid names or values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        parameter::set(&PARAMETERS, self, name, value)
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
