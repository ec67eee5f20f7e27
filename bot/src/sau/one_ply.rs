//! The player for emergencies: the best move by the evaluation alone, without a search.

use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::{Move, Position};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the move among `moves` after which the evaluation is best for the mover, or the first one if the evaluation
/// panics; `None` without moves. Takes some milliseconds.
pub fn best(position: &Position, moves: Vec<Move>, model: &Model) -> Option<Move> {
    let first = moves.first().copied();
    let choose = || {
        let (evaluator, mut scratch) = (Evaluator::new(model.clone()), ModelScratch::default());
        let us = position.side();
        let mut value = |mv: Move| {
            let next = position.with_move(mv);
            match next.winner() {
                Some(winner) if winner == us => f32::INFINITY,
                Some(_) => f32::NEG_INFINITY,
                // The value is for the side to move after the move.
                None => -evaluator.value(&next, &mut scratch).0,
            }
        };
        let rated = moves.into_iter().map(|mv| (value(mv), mv));
        rated.max_by(|(left, _), (right, _)| left.total_cmp(right)).map(|(_, mv)| mv)
    };
    catch_unwind(AssertUnwindSafe(choose)).unwrap_or(first)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test fails by panicking
mod tests {
    use super::*;
    use otrera::Side;

    #[test]
    fn chooses_a_legal_move_that_wins_at_once() {
        let start = Position::standard();
        let moves: Vec<Move> = start.legal_moves().collect();
        assert!(start.check(best(&start, moves, &Model::Fitted).unwrap()).is_ok());
        assert_eq!(best(&start, Vec::new(), &Model::Fitted), None);
        // White's only amazon has one free square beside it.
        let decided = Position::from_picture("WX..\n.X..\nXX..\nB..B", Side::Black).unwrap();
        let wins = |mv: &Move| decided.with_move(*mv).winner() == Some(Side::Black);
        let moves: Vec<Move> = decided.legal_moves().collect();
        assert_eq!(
            best(&decided, moves.clone(), &Model::Fitted).is_some_and(|mv| wins(&mv)),
            moves.iter().any(wins)
        );
    }
}
