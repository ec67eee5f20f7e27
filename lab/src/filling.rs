//! Completes games without search, until the loser cannot move.

use otrera::endgame::FillingProver;
use otrera::endgame::regions::Regions;
use otrera::{GameRecord, Move, Position, Side};

/// Returns the moves that complete a game from this position.
///
/// While both sides can reach a square, a side plays the move after which its own squares exceed the opponent's own
/// squares by most, or fills if this move would give up a proven win. Afterwards both sides fill. A winner that
/// [`FillingProver`] proves wins the completed game.
pub fn completion(position: &Position, prover: &mut FillingProver) -> Vec<Move> {
    let (mut position, mut moves) = (*position, Vec::new());
    while position.winner().is_none()
        && let Some(mv) = next_move(&position, prover)
    {
        position = position.with_move(mv);
        moves.push(mv);
    }
    moves
}

fn next_move(position: &Position, prover: &mut FillingProver) -> Option<Move> {
    let side = position.side();
    if !Regions::of(position).contested().is_empty() {
        let best = position.legal_moves().max_by_key(|mv| lead(&position.with_move(*mv), side))?;
        let is_won = prover.winner(position) == Some(side);
        if !is_won || prover.winner(&position.with_move(best)) == Some(side) {
            return Some(best);
        }
    }
    prover.filling_move(position).or_else(|| position.legal_moves().next())
}

/// Returns the lead of a side in own squares, then in reachable squares.
fn lead(position: &Position, side: Side) -> [i32; 2] {
    let regions = Regions::of(position);
    let [own, reachable] = [Regions::own, Regions::reachable].map(|squares| {
        let count = |side| squares(&regions, side).len() as i32;
        count(side) - count(side.opponent())
    });
    [own, reachable]
}

/// Returns the margin of a game: the number of moves that the winner still has when the loser cannot move, on the scale
/// of [`FillingProver::margin`]. A game that ended earlier is completed first. `None` without a winner, after a
/// forfeit, and if the completion has another winner.
pub fn margin(game: &GameRecord, last: &Position, prover: &mut FillingProver) -> Option<u32> {
    let winner = game.winner.filter(|_| game.forfeit.is_none())?;
    let moves = completion(last, prover);
    let end = moves.into_iter().fold(*last, |position, mv| position.with_move(mv));
    if end.winner() == Some(winner) { prover.margin(&end) } else { None }
}
