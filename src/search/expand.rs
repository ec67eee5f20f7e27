//! What the tree descends through: the state of the game at a node, and the children it can have.

use super::params::Grouping;
use super::tree::{Edge, NodeId, Tree};
use crate::board::position::{Aiming, Position};
use crate::board::square::Side;
use fastrand::Rng;

/// The game at a node: between two moves, or between movement and arrow.
#[derive(Clone, Copy, Debug)]
pub enum State {
    /// A side is to move an amazon.
    ToMove(Position),
    /// It has moved and is to shoot.
    ToShoot(Aiming),
}

impl State {
    /// Who chooses among the children.
    #[inline]
    pub fn chooser(&self) -> Side {
        match self {
            Self::ToMove(position) => position.side(),
            Self::ToShoot(aiming) => aiming.side(),
        }
    }

    /// Who has won here, if the game is over.
    #[inline]
    pub fn winner(&self) -> Option<Side> {
        match self {
            Self::ToMove(position) => position.winner(),
            Self::ToShoot(_) => None,
        }
    }

    /// The state after an edge, which must be one of this state's.
    #[inline]
    pub fn after(&self, edge: Edge) -> Self {
        match (self, edge.as_movement(), edge.as_arrow()) {
            (Self::ToMove(position), Some(movement), Some(arrow)) => {
                Self::ToMove(position.with_movement(movement).with_arrow(arrow))
            }
            (Self::ToMove(position), Some(movement), None) => Self::ToShoot(position.with_movement(movement)),
            (Self::ToShoot(aiming), _, Some(arrow)) => Self::ToMove(aiming.with_arrow(arrow)),
            _ => unreachable!("an edge that does not fit its state"),
        }
    }

    /// Lists the edges that leave this state.
    fn edges(&self, grouping: Grouping, edges: &mut Vec<Edge>) {
        edges.clear();
        match (self, grouping) {
            (Self::ToMove(position), Grouping::Split) => {
                edges.extend(position.movements().map(Edge::movement))
            }
            (Self::ToMove(position), Grouping::Whole) => {
                edges.extend(position.legal_moves().map(Edge::whole))
            }
            (Self::ToShoot(aiming), _) => edges.extend(aiming.arrow_targets().into_iter().map(Edge::arrow)),
        }
    }
}

/// Opens a node: gives it its children in random order. Nothing happens when the memory is full or
/// another worker is at it.
pub fn open(
    tree: &Tree,
    id: NodeId,
    state: &State,
    grouping: Grouping,
    rng: &mut Rng,
    edges: &mut Vec<Edge>,
) {
    if !tree.is_full() && tree.begin_opening(id) {
        state.edges(grouping, edges);
        rng.shuffle(edges);
        tree.open(id, edges);
    }
}
