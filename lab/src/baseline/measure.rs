//! The evaluations that the baselines maximise: the three of Kato et al. 2015, the MG-PEO paper's, and ours.

use otrera::eval::metrics;
use otrera::{DistanceMaps, Evaluator, Kernel, Model, ModelScratch, Position, Side, Value};
use std::str::FromStr;

/// An evaluation by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Legal moves of the side to move less those of the other (Kato et al., 3.1).
    Mobility,
    /// Squares reached first by queen moves; one fifth for each that both reach equally early (3.2).
    Territory,
    /// By how many queen moves each square is reached earlier; five where only one side reaches it (3.3).
    Relative,
    /// The phased evaluation of the MG-PEO paper.
    Paper,
    /// The fitted evaluation of [`otrera::Params::TOURNAMENT`].
    Fitted,
}

impl Measure {
    /// All evaluations with their names.
    pub const NAMED: [(&'static str, Self); 5] = [
        ("mobility", Self::Mobility),
        ("territory", Self::Territory),
        ("relative", Self::Relative),
        ("paper", Self::Paper),
        ("fitted", Self::Fitted),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, measure)| *measure == self).map_or("", |(name, _)| name)
    }
}

impl FromStr for Measure {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::NAMED.iter().find(|(known, _)| *known == name);
        let valid = || Self::NAMED.map(|(known, _)| known).join(", ");
        found.map(|(_, measure)| *measure).ok_or_else(|| format!("valid evaluations are {}", valid()))
    }
}

/// An evaluation with the scratch space it needs.
pub struct Gauge {
    measure: Measure,
    evaluator: Evaluator,
    kernel: Kernel,
    maps: DistanceMaps,
    scratch: ModelScratch,
}

impl Gauge {
    /// A gauge for this evaluation.
    pub fn new(measure: Measure) -> Self {
        let model = if measure == Measure::Fitted { Model::Fitted } else { Model::PAPER };
        let evaluator = Evaluator::new(model);
        Self {
            measure,
            kernel: evaluator.kernel(),
            evaluator,
            maps: DistanceMaps::default(),
            scratch: ModelScratch::default(),
        }
    }

    /// The value of a game that goes on, for the side to move.
    pub fn value(&mut self, position: &Position) -> Value {
        let for_black = match self.measure {
            Measure::Paper | Measure::Fitted => return self.evaluator.value(position, &mut self.scratch),
            Measure::Mobility => {
                let moves = |side| move_count(&position.with_side(side)) as i32;
                (moves(Side::Black) - moves(Side::White)) as f32
            }
            Measure::Territory => {
                self.maps.flood_queen_only(position, self.kernel);
                let tie = if position.side() == Side::Black { 0.2 } else { -0.2 };
                metrics::territory(&self.maps.queen).balance(tie)
            }
            Measure::Relative => {
                self.maps.flood_queen_only(position, self.kernel);
                metrics::relative_territory(&self.maps.queen) as f32
            }
        };
        Value(for_black).seen_by(position.side(), Side::Black)
    }
}

/// Legal moves of the side to move.
fn move_count(position: &Position) -> u32 {
    position.movements().map(|movement| position.with_movement(movement).arrow_targets().len()).sum()
}
