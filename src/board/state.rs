//! Game states between half-moves, and the actions that lead from one to the next.

use super::moves::{Move, Movement};
use super::position::{ArrowPhase, Position};
use super::square::{Side, Square};

/// Game state at a node of a search tree: between two moves, or between the two halves of a move.
#[derive(Clone, Copy, Debug)]
pub enum State {
    /// Between two moves: the actions are movements, or whole moves.
    ToMove(Position),
    /// After a movement: the actions are arrows.
    ToShoot(ArrowPhase),
}

/// An action: a half-move or a whole move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// The first half of a move.
    Movement(Movement),
    /// The second half of a move: the square that the arrow burns.
    Arrow(Square),
    /// Both halves of a move.
    Move(Move),
}

impl State {
    /// Returns the side that chooses the next action.
    #[inline]
    pub fn chooser(&self) -> Side {
        self.position().side()
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

    /// Returns the state after `action`.
    ///
    /// # Panics
    /// If the state expects a movement and `action` is an arrow, or the reverse.
    #[inline(always)]
    pub fn after(&self, action: Action) -> Self {
        match (self, action) {
            (Self::ToMove(position), Action::Movement(movement)) => {
                Self::ToShoot(position.with_movement(movement))
            }
            (Self::ToMove(position), Action::Move(mv)) => Self::ToMove(position.with_move(mv)),
            (Self::ToShoot(arrow_phase), Action::Arrow(arrow)) => Self::ToMove(arrow_phase.with_arrow(arrow)),
            _ => unreachable!("an action that does not fit its state"),
        }
    }

    /// True unless all moves through `action` are excluded. A movement leads to one move for each of its arrows.
    pub fn leaves_choice(&self, action: Action, excluded: &[Move]) -> bool {
        match (self, action) {
            (_, Action::Move(mv)) => !excluded.contains(&mv),
            (_, Action::Movement(movement)) => {
                let mut arrows = self.position().with_movement(movement).arrow_targets().into_iter();
                arrows.any(|arrow| !excluded.contains(&movement.with_arrow(arrow)))
            }
            (Self::ToShoot(arrow_phase), Action::Arrow(arrow)) => {
                !excluded.contains(&arrow_phase.movement().with_arrow(arrow))
            }
            (Self::ToMove(_), Action::Arrow(_)) => true,
        }
    }
}
