//! Game states at the nodes of the tree, and the edges that leave them.

use super::params::Grouping;
use super::tree::Edge;
use crate::board::moves::{Move, Movement};
use crate::board::position::{ArrowPhase, Position};
use crate::board::square::Side;

/// Game state at a node: between two moves, or between the two halves of a move.
#[derive(Clone, Copy, Debug)]
pub enum State {
    /// Between two moves: the edges are movements or, without move groups, whole moves.
    ToMove(Position),
    /// After a movement: the edges are arrows.
    ToShoot(ArrowPhase),
}

impl State {
    /// Returns the side that chooses among the children.
    #[inline]
    pub fn chooser(&self) -> Side {
        match self {
            Self::ToMove(position) => position.side(),
            Self::ToShoot(arrow_phase) => arrow_phase.side(),
        }
    }

    /// Returns the position. After a movement, the amazon has moved but its arrow is not on the board yet.
    #[inline(always)]
    pub fn position(&self) -> &Position {
        match self {
            Self::ToMove(position) => position,
            Self::ToShoot(arrow_phase) => arrow_phase.position(),
        }
    }

    /// Returns the winner if the game is over. Always `None` after a movement.
    #[inline]
    pub fn winner(&self) -> Option<Side> {
        match self {
            Self::ToMove(position) => position.winner(),
            Self::ToShoot(_) => None,
        }
    }

    /// Returns the state after `edge`.
    ///
    /// # Panics
    /// If the state expects a movement or an arrow that `edge` does not have.
    pub fn after(&self, edge: Edge) -> Self {
        self.with_after(edge, |state| state)
    }

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

    /// True unless all moves through `edge` are excluded. A movement leads to one move for each of its arrows.
    pub(super) fn leaves_choice(&self, edge: Edge, excluded: &[Move]) -> bool {
        match (self, edge.as_movement(), edge.as_arrow()) {
            (Self::ToMove(_), Some(movement), Some(arrow)) => !excluded.contains(&movement.with_arrow(arrow)),
            (Self::ToMove(position), Some(movement), None) => {
                let mut arrows = position.with_movement(movement).arrow_targets().into_iter();
                arrows.any(|arrow| !excluded.contains(&movement.with_arrow(arrow)))
            }
            (Self::ToShoot(arrow_phase), _, Some(arrow)) => {
                let movement = Movement { from: arrow_phase.origin(), to: arrow_phase.amazon() };
                !excluded.contains(&movement.with_arrow(arrow))
            }
            _ => true,
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
