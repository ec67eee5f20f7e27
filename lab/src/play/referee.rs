//! Plays one game between two players: checks every move, keeps both clocks, and reports the reason for a forfeit.

use crate::play::player::{Budget, Player};
use otrera::{Forfeit, GameClock, Move, Outcome, PlayedMove, Position, Side};
use std::fmt;
use std::time::{Duration, Instant};

/// Time control: no limit, a time limit, or a number of iterations per move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    Free,
    PerMove(Duration),
    /// Total time for all moves of one side.
    PerGame(Duration),
    /// Iterations, playouts or nodes per move.
    Iterations(u64),
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Free => write!(f, "free"),
            Self::PerMove(time) => write!(f, "{} s a move", time.as_secs_f64()),
            Self::PerGame(time) => write!(f, "{} s a game", time.as_secs_f64()),
            Self::Iterations(count) => write!(f, "{count} iterations a move"),
        }
    }
}

/// Start position, opening moves, time control and adjudication of a game.
#[derive(Clone, Debug)]
pub struct GameSetup {
    pub start: Position,
    /// Legal moves played before the players choose their first moves.
    pub opening: Vec<Move>,
    pub control: Control,
    /// Tolerated delay of an answer beyond its time limit.
    pub grace: Duration,
    /// Winning rate at which a game is adjudicated: both players must report at least this rate for the same side for
    /// [`AGREEMENT`] consecutive plies. `None` for never.
    pub adjudicate: Option<f32>,
}

/// Number of consecutive plies for which both players must agree before a game is adjudicated.
pub const AGREEMENT: usize = 6;

/// Plays a game between `players`, Black and White; returns the moves, the winner and the forfeit, if any.
pub fn play(players: [&mut dyn Player; 2], setup: &GameSetup) -> Outcome {
    let mut game = GameSoFar { position: setup.start, moves: Vec::new() };
    let (winner, forfeit) = match game.play(players, setup) {
        Ok(winner) => (winner, None),
        Err((side, forfeit)) => (side.opponent(), Some(forfeit)),
    };
    Outcome { moves: game.moves, winner, forfeit }
}

fn turn(
    player: &mut dyn Player,
    position: &Position,
    clock: &mut GameClock,
    setup: &GameSetup,
) -> Result<PlayedMove, Forfeit> {
    let (time, iterations, limit) = match setup.control {
        Control::Free => (None, None, Duration::MAX),
        Control::PerMove(time) => (Some(time), None, time),
        Control::PerGame(_) => (Some(clock.time_for(position)), None, clock.remaining()),
        Control::Iterations(count) => (None, Some(count), Duration::MAX),
    };
    let asked = Instant::now();
    let choice = player.choose(position, Budget { time, iterations })?;
    let time = asked.elapsed();
    clock.spend(time);
    if time > limit.saturating_add(setup.grace) {
        return Err(Forfeit::Late(time));
    }
    position.check(choice.mv).map_err(|error| Forfeit::Illegal(format!("{}: {error}", choice.mv)))?;
    Ok(PlayedMove { mv: choice.mv, time, effort: choice.effort, win_rate: choice.win_rate, lead: None })
}

struct GameSoFar {
    position: Position,
    moves: Vec<PlayedMove>,
}

impl GameSoFar {
    /// Plays to the end of the game; returns the winner, or as the error the side that forfeits and its reason.
    fn play(
        &mut self,
        [black, white]: [&mut dyn Player; 2],
        setup: &GameSetup,
    ) -> Result<Side, (Side, Forfeit)> {
        let mut players = [black, white];
        for side in Side::BOTH {
            players[side.index()].begin(&setup.start).map_err(|forfeit| (side, forfeit))?;
        }
        for &mv in &setup.opening {
            self.record(mv.into());
            players.iter_mut().for_each(|player| player.played(mv));
        }
        let mut clocks = [match setup.control {
            Control::PerGame(total) => GameClock::new(total),
            _ => GameClock::new(Duration::MAX),
        }; 2];
        loop {
            let side = self.position.side();
            if let Some(winner) = self.position.winner() {
                return Ok(winner);
            }
            let played = turn(players[side.index()], &self.position, &mut clocks[side.index()], setup)
                .map_err(|forfeit| (side, forfeit))?;
            self.record(played);
            players.iter_mut().for_each(|player| player.played(played.mv));
            if let Some(winner) = setup.adjudicate.and_then(|rate| self.agreed_winner(rate)) {
                return Ok(winner);
            }
        }
    }

    fn record(&mut self, played: PlayedMove) {
        self.position = self.position.with_move(played.mv);
        self.moves.push(played);
    }

    /// Returns the side to which both players gave at least this winning rate in each of the last [`AGREEMENT`]
    /// plies; `None` if the players did not agree.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_adjudicated_when_both_players_agree() {
        let start = Position::standard();
        let mv = start.legal_moves().next().unwrap();
        let seen = |rate: f32| PlayedMove { win_rate: Some(rate), ..mv.into() };
        let game = |rates: &[f32]| {
            let moves = rates.iter().copied().map(seen).collect();
            GameSoFar { position: start, moves }
        };
        // Black is to move, so the last of an even number of moves was White's.
        assert_eq!(game(&[0.99, 0.01, 0.98, 0.02, 0.97, 0.03]).agreed_winner(0.95), Some(Side::Black));
        assert_eq!(game(&[0.01, 0.99, 0.02, 0.98, 0.03, 0.97]).agreed_winner(0.95), Some(Side::White));
        assert_eq!(game(&[0.99, 0.01, 0.98, 0.5, 0.97, 0.03]).agreed_winner(0.95), None);
        assert_eq!(game(&[0.99, 0.01, 0.98, 0.98, 0.97, 0.03]).agreed_winner(0.95), None);
        assert_eq!(game(&[0.99, 0.01, 0.98, 0.02, 0.97]).agreed_winner(0.95), None);
    }
}
