//! Game states at the nodes of the tree, and the edges that leave them.

use super::tree::Edge;
pub use crate::board::state::State;

impl State {
    /// Calls `then` with the state after `edge`. `then` is compiled once for each kind of edge, so that it can store
    /// the state without an intermediate copy.
    #[inline(always)]
    pub(super) fn with_after<R>(&self, edge: Edge, then: impl FnOnce(Self) -> R) -> R {
        match (self, edge.as_movement(), edge.as_arrow()) {
            (Self::ToMove(position), Some(movement), _) => {
                then(Self::ToShoot(position.with_movement(movement)))
            }
            (Self::ToShoot(arrow_phase), _, Some(arrow)) => then(Self::ToMove(arrow_phase.with_arrow(arrow))),
            _ => unreachable!("an edge that does not fit its state"),
        }
    }
}
