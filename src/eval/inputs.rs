//! What a [`super::network`] sees of a position, as a list: for `lab fit-network`, so that a network is trained on
//! what it will see. A test computes it square by square, and the engine's value from it.

use super::amazons::AMAZONS;
use super::distance::DistanceMaps;
use super::network::{COUNTS, Network, amazon_classes, count};
use super::standard_ply;
use crate::board::position::Position;
use crate::simd::{Kernel, Lanes, dispatch};

/// Inputs of a position. `[0]` is the side to move, `[1]` its opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inputs {
    /// Factors of the rows of [`Network::counts`].
    pub counts: [u8; COUNTS],
    /// Rows of [`Network::freedom`], [`Network::sole`] and [`Network::contested`] for each amazon; `None` for a
    /// missing amazon.
    pub amazons: [[Option<[u8; 3]>; AMAZONS]; 2],
    /// Row of [`Network::plies`].
    pub ply: u8,
}

impl Inputs {
    /// Computes the inputs of a position; `None` if a side has more amazons than networks support. `maps` is scratch
    /// space.
    pub fn of_position(position: &Position, maps: &mut DistanceMaps, kernel: Kernel) -> Option<Self> {
        Network::knows(position).then(|| dispatch!(kernel, L => Inputs::of::<L>(position, maps)))
    }

    #[inline(always)]
    pub(super) fn of<L: Lanes>(position: &Position, maps: &mut DistanceMaps) -> Self {
        let side = position.side();
        let reach = maps.flood_each::<L>(position, Network::QUEEN_STEPS);
        let classes = amazon_classes::<L>(position, maps, &reach);
        let amazons = [side, side.opponent()].map(|which| {
            let present = position.amazons(which).len() as usize;
            let classes = classes[usize::from(which != side)];
            std::array::from_fn(|amazon| (amazon < present).then_some(classes[amazon]))
        });
        let counts = count(maps, side.index(), position.empty()).map(|count| count as u8);
        Self { counts, amazons, ply: standard_ply(position) as u8 }
    }
}
