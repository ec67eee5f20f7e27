//! One game between two players: every move is checked, every clock kept, every failure named.

use crate::play::player::{Budget, Player};
use otrera::{Forfeit, GameClock, Move, Outcome, PlayedMove, Position, Side};
use std::time::{Duration, Instant};

/// How much the players may think.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// As they like.
    Free,
    /// This long for each move.
    PerMove(Duration),
    /// This long for all moves of one side.
    PerGame(Duration),
    /// This many iterations, playouts or nodes for each move.
    Iterations(u64),
}

/// The conditions of a game.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Where it starts.
    pub start: Position,
    /// Moves that are played before the players are asked; all legal.
    pub opening: Vec<Move>,
    /// Time or effort.
    pub control: Control,
    /// How much later than its time an answer may come.
    pub grace: Duration,
    /// Ends a game on which both players have agreed for [`AGREEMENT`] plies: one side's winning rate is at
    /// least this, as both see it. `None` plays every game to its end.
    pub adjudicate: Option<f32>,
}

/// Plies for which both players must agree before a game is adjudicated.
pub const AGREEMENT: usize = 6;

/// Plays a game. `players` are Black and White.
pub fn play(players: [&mut dyn Player; 2], conditions: &Conditions) -> Outcome {
    let mut game = Game { position: conditions.start, moves: Vec::new() };
    let [black, white] = players;
    let mut players = [black, white];
    for side in Side::BOTH {
        if let Err(forfeit) = players[side.index()].begin(&conditions.start) {
            return game.lost_by(side, forfeit);
        }
    }
    for &mv in &conditions.opening {
        game.record(mv.into());
        players.iter_mut().for_each(|player| player.played(mv));
    }
    let mut clocks = [match conditions.control {
        Control::PerGame(total) => GameClock::new(total),
        _ => GameClock::new(Duration::MAX),
    }; 2];
    while game.position.winner().is_none() {
        let side = game.position.side();
        match turn(players[side.index()], &game.position, &mut clocks[side.index()], conditions) {
            Ok(played) => {
                game.record(played);
                players.iter_mut().for_each(|player| player.played(played.mv));
                if let Some(winner) = conditions.adjudicate.and_then(|rate| game.agreed_winner(rate)) {
                    return Outcome { moves: game.moves, winner, forfeit: None };
                }
            }
            Err(forfeit) => return game.lost_by(side, forfeit),
        }
    }
    let winner = game.position.winner().unwrap_or(Side::Black);
    Outcome { moves: game.moves, winner, forfeit: None }
}

/// Asks a player for a move and checks it.
fn turn(
    player: &mut dyn Player,
    position: &Position,
    clock: &mut GameClock,
    conditions: &Conditions,
) -> Result<PlayedMove, Forfeit> {
    let (budget, limit) = match conditions.control {
        Control::Free => (Budget::default(), Duration::MAX),
        Control::PerMove(time) => (Budget { time: Some(time), iterations: None }, time),
        Control::PerGame(_) => {
            (Budget { time: Some(clock.time_for(position)), iterations: None }, clock.remaining())
        }
        Control::Iterations(count) => (Budget { time: None, iterations: Some(count) }, Duration::MAX),
    };
    let asked = Instant::now();
    let choice = player.choose(budget)?;
    let time = asked.elapsed();
    clock.spend(time);
    if time > limit.saturating_add(conditions.grace) {
        return Err(Forfeit::Late(time));
    }
    position.check(choice.mv).map_err(|error| Forfeit::Illegal(format!("{}: {error}", choice.mv)))?;
    Ok(PlayedMove { mv: choice.mv, time, effort: choice.effort, win_rate: choice.win_rate })
}

/// A game as far as it has come.
struct Game {
    position: Position,
    moves: Vec<PlayedMove>,
}

impl Game {
    fn record(&mut self, played: PlayedMove) {
        self.position = self.position.with_move(played.mv);
        self.moves.push(played);
    }

    /// The side that both players have seen win, at this rate or above, for the last plies.
    fn agreed_winner(&self, rate: f32) -> Option<Side> {
        let last = self.moves.len().checked_sub(AGREEMENT).and_then(|first| self.moves.get(first..))?;
        let mut mover = self.position.side();
        let mut winners = last.iter().rev().map(|played| {
            mover = mover.opponent();
            match played.win_rate? {
                seen if seen >= rate => Some(mover),
                seen if seen <= 1.0 - rate => Some(mover.opponent()),
                _ => None,
            }
        });
        let winner = winners.next()??;
        winners.all(|other| other == Some(winner)).then_some(winner)
    }

    fn lost_by(self, side: Side, forfeit: Forfeit) -> Outcome {
        Outcome { moves: self.moves, winner: side.opponent(), forfeit: Some(forfeit) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_adjudicated_when_both_players_agree() {
        let start = Position::standard();
        let mv = start.legal_moves().next().unwrap();
        let seen = |rate: f32| PlayedMove { win_rate: Some(rate), ..mv.into() };
        let game = |rates: &[f32]| Game { position: start, moves: rates.iter().copied().map(seen).collect() };
        // Black is to move, so the last of an even number of moves was White's.
        assert_eq!(game(&[0.99, 0.01, 0.98, 0.02, 0.97, 0.03]).agreed_winner(0.95), Some(Side::Black));
        assert_eq!(game(&[0.01, 0.99, 0.02, 0.98, 0.03, 0.97]).agreed_winner(0.95), Some(Side::White));
        assert_eq!(game(&[0.99, 0.01, 0.98, 0.5, 0.97, 0.03]).agreed_winner(0.95), None);
        assert_eq!(game(&[0.99, 0.01, 0.98, 0.98, 0.97, 0.03]).agreed_winner(0.95), None);
        assert_eq!(game(&[0.99, 0.01, 0.98, 0.02, 0.97]).agreed_winner(0.95), None);
    }
}
