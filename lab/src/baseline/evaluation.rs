//! Evaluations for the baseline players: three from Kato et al. 2015, one from the MG-PEO paper, and our network.

use clap::ValueEnum;
use otrera::eval::distance::DistanceMaps;
use otrera::eval::metrics;
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::eval::winrate::Value;
use otrera::simd::Kernel;
use otrera::{Position, Side};

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Evaluation {
    /// Number of legal moves, minus the opponent's (Kato et al., 3.1).
    Mobility,
    /// Number of squares that the side reaches first by queen moves, minus the opponent's; a square that both reach
    /// equally fast counts 1/5 for the side to move (3.2).
    Territory,
    /// Relative territory: the opponent's queen distance minus the side's own, summed over all squares; a square that
    /// only one side reaches counts 5 for that side (3.3).
    Relative,
    /// The phased evaluation of the MG-PEO paper.
    Paper,
    /// The built-in evaluation network, as in [`otrera::Params::TOURNAMENT`].
    Network,
}

pub struct BaselineEvaluator {
    evaluation: Evaluation,
    evaluator: Evaluator,
    kernel: Kernel,
    maps: DistanceMaps,
    scratch: ModelScratch,
}

impl BaselineEvaluator {
    pub fn new(evaluation: Evaluation) -> Self {
        let model = if evaluation == Evaluation::Network { Model::Fitted } else { Model::PAPER };
        let evaluator = Evaluator::new(model);
        Self {
            evaluation,
            kernel: evaluator.kernel(),
            evaluator,
            maps: DistanceMaps::default(),
            scratch: ModelScratch::default(),
        }
    }

    /// Returns the value of an unfinished game for the side to move, in the unit of the evaluation.
    pub fn value(&mut self, position: &Position) -> Value {
        let for_black = match self.evaluation {
            Evaluation::Paper | Evaluation::Network => {
                return self.evaluator.value(position, &mut self.scratch);
            }
            Evaluation::Mobility => {
                let moves = |side| move_count(&position.with_side(side)) as i32;
                (moves(Side::Black) - moves(Side::White)) as f32
            }
            Evaluation::Territory => {
                self.maps.flood_queen_only(position, self.kernel);
                let tie = if position.side() == Side::Black { 0.2 } else { -0.2 };
                metrics::territory(&self.maps.queen).balance(tie)
            }
            Evaluation::Relative => {
                self.maps.flood_queen_only(position, self.kernel);
                metrics::relative_territory(&self.maps.queen) as f32
            }
        };
        Value(for_black).seen_by(position.side(), Side::Black)
    }
}

fn move_count(position: &Position) -> u32 {
    position.movements().map(|movement| position.with_movement(movement).arrow_targets().len()).sum()
}
