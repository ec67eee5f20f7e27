//! One game between two players: checks every move, keeps both clocks, and records the reason for a forfeit.

use crate::dialect::Dialect;
use crate::failure::{Failure, Kind};
use crate::player::{Budget, Player};
use otrera::clock::GameClock;
use otrera::{GameRecord, Move, PlayedMove, Position, Side};
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
    /// Limits of the first turn, of later turns and of the whole game; `None` for no limit. A player may use all of the
    /// time left in any turn.
    Turns {
        first: Option<Duration>,
        later: Option<Duration>,
        total: Option<Duration>,
    },
}

impl Control {
    /// Returns the limits in this dialect: `time` for each turn, or else Botzone's, or none on SAU.
    pub fn turns(dialect: Dialect, time: Option<Duration>, total: Option<Duration>) -> Self {
        let [first, later] = match time {
            None if !dialect.is_sau() => [2, 1].map(|seconds| Some(Duration::from_secs(seconds))),
            _ => [time; 2],
        };
        Self::Turns { first, later, total }
    }

    /// Returns the budget of a move; an answer is too late `grace` after the time limit.
    fn of(self, position: &Position, is_first: bool, clock: &GameClock, grace: Duration) -> Budget {
        let (time, iterations, limit) = match self {
            Self::Free => (None, None, Duration::MAX),
            Self::PerMove(time) => (Some(time), None, time),
            Self::PerGame(_) => (Some(clock.time_for(position)), None, clock.remaining()),
            Self::Iterations(count) => (None, Some(count), Duration::MAX),
            Self::Turns { first, later, total } => {
                let turn = if is_first { first } else { later };
                let time = turn.into_iter().chain(total.map(|_| clock.remaining())).min();
                (time, None, time.unwrap_or(Duration::MAX))
            }
        };
        let patience = Some(limit.saturating_add(grace)).filter(|patience| *patience < Duration::MAX);
        Budget { time, iterations, patience }
    }

    fn clock(self) -> GameClock {
        GameClock::new(match self {
            Self::PerGame(total) | Self::Turns { total: Some(total), .. } => total,
            _ => Duration::MAX,
        })
    }
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Free => write!(f, "free"),
            Self::PerMove(time) => write!(f, "{} s a move", time.as_secs_f64()),
            Self::PerGame(time) => write!(f, "{} s a game", time.as_secs_f64()),
            Self::Iterations(count) => write!(f, "{count} iterations a move"),
            Self::Turns { .. } => write!(f, "the platform's"),
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
    /// Win rate at which a game is adjudicated: both players must report at least this rate for the same side for
    /// [`AGREEMENT`] consecutive plies. `None` for never.
    pub adjudicate: Option<f32>,
}

/// Number of consecutive plies for which both players must agree before a game is adjudicated.
pub const AGREEMENT: usize = 6;

/// An event of a game, for displays and counts.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    Moved(&'a PlayedMove),
    /// A player failed. The first failure of a game decides it.
    Failed(Side, &'a Failure),
}

/// Receives the events of a game, each with the position and the number of plies after it.
pub type Watcher<'a> = dyn FnMut(&Position, usize, Event) + 'a;

/// Plays a game between `players`, Black and White. Returns its record, without names.
pub fn play<'a>(
    players: [&'a mut dyn Player; 2],
    setup: &'a GameSetup,
    watcher: &'a mut Watcher<'_>,
) -> GameRecord {
    let mut game = Game {
        setup,
        players,
        watcher,
        position: setup.start,
        record: GameRecord::new("", "", setup.start),
        failed: [false; 2],
    };
    game.play();
    game.record
}

/// Records that this side has lost by a failure.
pub fn lose(record: &mut GameRecord, side: Side, failure: &Failure) {
    record.winner = Some(side.opponent());
    record.forfeit = Some((failure.kind.word().to_owned(), failure.to_string()));
}

struct Game<'a, 'b> {
    setup: &'a GameSetup,
    players: [&'a mut dyn Player; 2],
    watcher: &'a mut Watcher<'b>,
    position: Position,
    record: GameRecord,
    /// True for each side that has failed.
    failed: [bool; 2],
}

impl Game<'_, '_> {
    fn play(&mut self) {
        for side in Side::BOTH {
            let begun = self.players[side.index()].begin(&self.setup.start, side);
            self.check(side, begun);
        }
        for &mv in &self.setup.opening {
            self.make(mv.into());
        }
        let mut clocks = [self.setup.control.clock(); 2];
        let mut is_first = [true; 2];
        while self.record.winner.is_none() {
            if let Some(winner) = self.position.winner() {
                self.record.winner = Some(winner);
                break;
            }
            let side = self.position.side();
            let is_first = std::mem::take(&mut is_first[side.index()]);
            match self.turn(side, is_first, &mut clocks[side.index()]) {
                Ok(played) => {
                    self.make(played);
                    (self.watcher)(&self.position, self.record.moves.len(), Event::Moved(&played));
                    let rate = self.setup.adjudicate;
                    self.record.winner = rate.and_then(|rate| agreed_winner(&self.record.moves, side, rate));
                }
                failed => self.check(side, failed.map(drop)),
            }
        }
        for side in Side::BOTH {
            if !self.failed[side.index()] {
                let ended = self.players[side.index()].end();
                self.check(side, ended);
            }
        }
    }

    fn turn(&mut self, side: Side, is_first: bool, clock: &mut GameClock) -> Result<PlayedMove, Failure> {
        let budget = self.setup.control.of(&self.position, is_first, clock, self.setup.grace);
        let asked = Instant::now();
        let choice = self.players[side.index()].choose(&self.position, budget)?;
        let time = choice.time.unwrap_or_else(|| asked.elapsed());
        clock.spend(time);
        if budget.patience.is_some_and(|patience| time > patience) {
            return Err(Failure::late(time));
        }
        let mv = choice.mv;
        self.position.check(mv).map_err(|error| Failure::new(Kind::Illegal, format!("{mv}: {error}")))?;
        Ok(PlayedMove { mv, time, effort: choice.effort, win_rate: choice.win_rate, lead: None })
    }

    fn make(&mut self, played: PlayedMove) {
        self.position = self.position.with_move(played.mv);
        self.record.moves.push(played);
        self.players.iter_mut().for_each(|player| player.played(played.mv));
    }

    /// Records a failure, if any. The first one decides the game.
    fn check(&mut self, side: Side, outcome: Result<(), Failure>) {
        let Err(failure) = outcome else { return };
        (self.watcher)(&self.position, self.record.moves.len(), Event::Failed(side, &failure));
        if self.failed == [false; 2] {
            lose(&mut self.record, side, &failure);
        }
        self.failed[side.index()] = true;
    }
}

/// Returns the side to which both players gave at least this win rate in each of the last [`AGREEMENT`] plies, of which
/// `last` made the last; `None` if the players did not agree.
fn agreed_winner(moves: &[PlayedMove], last: Side, rate: f32) -> Option<Side> {
    let seen = moves.len().checked_sub(AGREEMENT).and_then(|first| moves.get(first..))?;
    let mut next = last.opponent();
    let mut winners = seen.iter().rev().map(|played| {
        next = next.opponent();
        match played.win_rate? {
            seen if seen >= rate => Some(next),
            seen if seen <= 1.0 - rate => Some(next.opponent()),
            _ => None,
        }
    });
    let winner = winners.next()??;
    winners.all(|other| other == Some(winner)).then_some(winner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_adjudicated_when_both_players_agree() {
        let mv = Position::standard().legal_moves().next().unwrap();
        let agreed = |rates: &[f32]| {
            let moves: Vec<PlayedMove> =
                rates.iter().map(|&rate| PlayedMove { win_rate: Some(rate), ..mv.into() }).collect();
            agreed_winner(&moves, Side::White, 0.95)
        };
        assert_eq!(agreed(&[0.99, 0.01, 0.98, 0.02, 0.97, 0.03]), Some(Side::Black));
        assert_eq!(agreed(&[0.01, 0.99, 0.02, 0.98, 0.03, 0.97]), Some(Side::White));
        assert_eq!(agreed(&[0.99, 0.01, 0.98, 0.5, 0.97, 0.03]), None);
        assert_eq!(agreed(&[0.99, 0.01, 0.98, 0.98, 0.97, 0.03]), None);
        assert_eq!(agreed(&[0.99, 0.01, 0.98, 0.02, 0.97]), None);
    }
}
