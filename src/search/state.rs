//! Game states at the nodes of the tree, and the edges that leave them.

use super::params::Grouping;
use super::tree::Edge;
pub use crate::board::state::State;

impl State {
    /// Calls `then` with the state after `edge`. `then` is compiled once for each kind of edge, so that it can store
    /// the state without an intermediate copy.
    #[inline(always)]
    pub(super) fn with_after<R>(&self, edge: Edge, then: impl FnOnce(Self) -> R) -> R {
        match (self, edge.as_movement(), edge.as_arrow()) {
            (Self::ToMove(position), Some(movement), Some(arrow)) => {
                then(Self::ToMove(position.with_movement(movement).with_arrow(arrow)))
            }
            (Self::ToMove(position), Some(movement), None) => {
                then(Self::ToShoot(position.with_movement(movement)))
            }
            (Self::ToShoot(arrow_phase), _, Some(arrow)) => then(Self::ToMove(arrow_phase.with_arrow(arrow))),
            _ => unreachable!("an edge that does not fit its state"),
        }
    }

    /// Fills `edges` with all legal edges of this state: half-moves or whole moves, by `grouping`.
    #[inline(always)]
    pub(super) fn edges(&self, grouping: Grouping, edges: &mut Vec<Edge>) {
        edges.clear();
        match (self, grouping) {
            (Self::ToMove(position), Grouping::Split) => {
                edges.extend(position.movements().map(Edge::movement))
            }
            (Self::ToMove(position), Grouping::Whole) => {
                edges.extend(position.legal_moves().map(Edge::whole))
            }
            (Self::ToShoot(arrow_phase), _) => {
                edges.extend(arrow_phase.arrow_targets().into_iter().map(Edge::arrow))
            }
        }
    }
}
