//! The paper's parallel evaluation (algorithms 2 and 4) on rayon's threads: one task per side and kind of distance, and
//! one for each side's mobility. Results are bit-identical to the serial evaluation, but computed more slowly: handing
//! a task to another thread takes longer than one evaluation.

use super::distance::{DistanceMaps, Levels, flood_king, flood_queen};
use super::metrics::{self, Metrics};
use super::mobility::{self, RaySweep};
use super::phased::PhasedWeights;
use super::winrate::Value;
use crate::board::bitboard::Bitboard;
use crate::board::position::Position;
use crate::board::square::Side;
use crate::simd::{Boards, PortableLanes, SidePair};
use crate::threads;

/// Evaluates a position by equation 1, with its metrics computed in parallel on the current rayon pool.
pub fn value(position: &Position, weights: &PhasedWeights) -> Value {
    let now = weights.at(position);
    let (metrics, mobility) = threads::join(
        || territory_and_position(position, weights.tie_for(position.side())),
        || if now.mobility == 0.0 { 0.0 } else { mobility(position) },
    );
    now.value(&Metrics { mobility, ..metrics }, position.side())
}

/// Computes the territory and position metrics by four parallel floods (the paper's module 1); sets mobility to 0.
pub fn territory_and_position(position: &Position, tie: f32) -> Metrics {
    let empty = position.empty();
    // The queen flood cannot stop early: the king flood, which finds all reachable squares, runs in parallel.
    let queen_flood = |amazons, levels: &mut _| flood_queen(amazons, empty, SidePair::UNKNOWN, levels);
    let king_flood = |amazons, levels: &mut _| flood_king(amazons, empty, levels);
    let (queen, king) = threads::join(
        || both_sides(|side| levels(position, side, queen_flood)),
        || both_sides(|side| levels(position, side, king_flood)),
    );
    let maps = DistanceMaps { queen: Levels::united(&queen), king: Levels::united(&king) };
    metrics::of_maps(&maps, tie)
}

/// Computes Black's mobility minus White's, both sides in parallel (module 2, which the paper splits by squares).
pub fn mobility(position: &Position) -> f32 {
    let sweep = |side| RaySweep::<PortableLanes>::new(only(position, side), position.empty());
    mobility::balance(both_sides(|side| sweep(side).mobilities[side.index()]))
}

/// Runs `work` for Black and for White in parallel.
fn both_sides<T: Send>(work: impl Fn(Side) -> T + Sync) -> [T; 2] {
    let (black, white) = threads::join(|| work(Side::Black), || work(Side::White));
    [black, white]
}

/// Returns the amazons of one side and an empty set for the other.
fn only(position: &Position, side: Side) -> [Bitboard; 2] {
    Side::BOTH.map(|s| if s == side { position.amazons(s) } else { Bitboard::EMPTY })
}

/// Returns the distance levels of one side, computed by `flood` from its amazons.
fn levels(position: &Position, side: Side, flood: impl Fn(Boards<PortableLanes>, &mut Levels)) -> Levels {
    let mut levels = Levels::new();
    flood(Boards::of_sides(only(position, side)), &mut levels);
    levels
}
