//! The paper's parallel evaluation (algorithms 2 and 4): one task for each side and distance, and one
//! for each side's mobility, on rayon's threads. Bit for bit the serial evaluation, and slower: one
//! evaluation takes less time than handing a task to another thread.

use super::Value;
use super::distance::{DistanceMaps, Levels, flood_king, flood_queen};
use super::metrics::{self, Metrics};
use super::mobility::{self, RaySweep};
use super::model::{Model, ModelScratch};
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::simd::{Boards, PortableLanes, SidePair};
use crate::threads;

/// The value of a position, its metrics spread over the threads of the current rayon pool. The terms of the fitted
/// evaluation are none of the paper's, and are not spread.
pub fn value(position: &Position, model: &Model) -> Value {
    let Model::Paper(weights) = model else {
        return model.value::<PortableLanes>(position, &mut ModelScratch::default());
    };
    let now = weights.at(position);
    let (metrics, mobility) = threads::join(
        || territory_and_position(position, weights.tie_for(position.side())),
        || if now.mobility == 0.0 { 0.0 } else { mobility(position) },
    );
    now.value(&Metrics { mobility, ..metrics }, position.side())
}

/// The paper's module 1: territory and position, four floods side by side.
pub fn territory_and_position(position: &Position, tie: f32) -> Metrics {
    let (queen, king) = threads::join(
        || both_sides(|side| queen_levels(position, side)),
        || both_sides(|side| king_levels(position, side)),
    );
    let maps = DistanceMaps { queen: Levels::united(&queen), king: Levels::united(&king) };
    metrics::of_maps(&maps, tie)
}

/// The paper's module 2: mobility, both sides side by side.
pub fn mobility(position: &Position) -> f32 {
    mobility::balance(both_sides(|side| mobility_of(position, side)))
}

/// The same work for Black and for White, side by side.
fn both_sides<T: Send>(work: impl Fn(Side) -> T + Sync) -> [T; 2] {
    let (black, white) = threads::join(|| work(Side::Black), || work(Side::White));
    [black, white]
}

/// The amazons of one side alone.
fn only(position: &Position, side: Side) -> [Bitboard; 2] {
    Side::BOTH.map(|s| if s == side { position.amazons(s) } else { Bitboard::EMPTY })
}

fn queen_levels(position: &Position, side: Side) -> Levels {
    let mut levels = Levels::new();
    let amazons = Boards::<PortableLanes>::of_sides(only(position, side));
    // What can be reached is not known here, since the king flood runs beside this one.
    flood_queen(amazons, position.empty(), SidePair::UNKNOWN, &mut levels);
    levels
}

fn king_levels(position: &Position, side: Side) -> Levels {
    let mut levels = Levels::new();
    let amazons = Boards::<PortableLanes>::of_sides(only(position, side));
    flood_king(amazons, position.empty(), &mut levels);
    levels
}

fn mobility_of(position: &Position, side: Side) -> u32 {
    RaySweep::<PortableLanes>::new(only(position, side), position.empty()).mobilities[side.index()]
}
