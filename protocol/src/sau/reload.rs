//! A game that goes on although the program was loaded again: after a crash the platform keeps board and clock, and
//! says `name?` and nothing else. What it does not tell is in the record.

use super::command::written;
use super::{Engine, Mind};
use crate::io::Disconnected;
use crate::session::Game;
use otrera::{Move, Position, Rules, Side};
use std::time::{Duration, Instant};

/// How long we wait for a command after `name?` before we go on with a game in which it is our turn. Where it
/// is the opponent's, and only our last move could be missing, we wait this part of our time for the game.
const SILENCE: Duration = Duration::from_secs(2);
const LONG_SILENCE: u32 = 15;

/// The silence after `name?` in which we wait for the platform to say how the game goes on.
#[derive(Clone, Copy)]
pub struct Silence {
    began: Instant,
    pub ends: Instant,
}

/// How far the platform has confirmed that a game goes on which it has not begun with us.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It has spoken: `new`, or a move of the opponent.
    Confirmed,
    /// We move or have moved without being asked.
    Unasked,
    /// We have said our last move once more.
    Repeated,
}

impl Engine<'_> {
    /// Plays the opponent's move, if it can be played. In a game that we have resumed without being asked the
    /// platform knows better than the record whose turn it was.
    pub fn follow_opponent(&mut self, game: &mut Game, mv: Option<Move>) -> bool {
        let (Some(mv), Some(us)) = (mv, self.us) else { return false };
        let is_legal = |position: &Position, side: Side| position.with_side(side).check(mv).is_ok();
        if game.position().side() != us && is_legal(game.position(), us.opponent()) {
            game.advance(mv);
        } else if self.standing == Standing::Confirmed {
            return false;
        } else if is_legal(game.position(), us.opponent()) {
            self.log.note("!!", "the record lacks a move of ours");
            game.give_turn_to(us.opponent());
            game.advance(mv);
        } else if self.moved_us(game, mv) {
            // What we have sent was not heard.
            self.log.note("!!", "the other side is ours");
            if game.position().side() != us {
                game.take_back();
            }
            self.forget_unasked();
            self.begin_game(us.opponent());
            game.advance(mv);
        } else {
            return false;
        }
        true
    }

    /// Whether this is a move of the side that we took for ours, where the record ends.
    fn moved_us(&self, game: &Game, mv: Move) -> bool {
        let at_end =
            if self.us == Some(game.position().side()) { Some(game.position()) } else { game.before_last() };
        at_end.is_some_and(|position| position.check(mv).is_ok())
    }

    /// The platform begins anew: nothing came of the game that we have resumed unasked.
    pub fn forget_unasked(&mut self) {
        if self.standing != Standing::Confirmed {
            self.us = None;
            if let Some(record) = self.record.take() {
                record.discard();
            }
        }
    }

    /// A move without `new` before it: the game goes on where the record to resume ends, if there is one.
    /// Returns our side, which is White where nothing else is known.
    pub fn enter_resumed_game(&mut self, game: &mut Game, mv: Option<Move>) -> Side {
        // The move that comes may be the last one of the record, sent once more.
        if mv.is_some() && self.resumed.moves.last() == mv.as_ref() {
            self.resumed.moves.pop();
        }
        for &mv in &self.resumed.moves {
            game.advance(mv);
        }
        let to_move = game.position().side();
        let fits = mv.is_some_and(|mv| game.position().check(mv).is_ok());
        match self.resumed.side {
            Some(us) if !fits => {
                self.standing = Standing::Unasked;
                us
            }
            _ => to_move.opponent(),
        }
    }

    /// After `name?`: where the platform has begun a game that we are to go on with, it may say nothing more.
    pub fn await_command(&mut self, arrived: Instant) {
        let start = Position::start(self.size).with_rules(Rules::SelfBlocking);
        let position = self.resumed.moves.iter().fold(start, |position, &mv| position.with_move(mv));
        let our_turn = self.resumed.side.is_none_or(|us| us == position.side());
        let has_said_something = our_turn || !self.resumed.moves.is_empty();
        let is_open = self.resumed.open && position.winner().is_none() && has_said_something;
        if !is_open || self.us.is_some() || self.silence.is_some() {
            return;
        }
        let length = if our_turn { SILENCE } else { SILENCE.max(self.settings.total_time / LONG_SILENCE) };
        self.silence = arrived.checked_add(length).map(|ends| Silence { began: arrived, ends });
    }

    /// The platform was silent: it goes on with the game and takes us to know that. On our turn we move; on the
    /// opponent's we say our last move again, which the platform overlooks if it has had it.
    pub fn go_on_unasked(&mut self) -> Result<(), Disconnected> {
        let Some(silence) = self.silence.take() else { return Ok(()) };
        let mut game = self.take_game();
        for &mv in &self.resumed.moves {
            game.advance(mv);
        }
        let us = self.resumed.side.unwrap_or(game.position().side());
        self.begin_game(us);
        let last = game.moves().last().copied();
        let our_turn = game.position().side() == us;
        self.log.note("--", &format!("no command: the game goes on, we are {us}"));
        self.mind = Some(Mind::Idle(game));
        match last {
            Some(last) if !our_turn => {
                self.standing = Standing::Repeated;
                self.output.send(&format!("move {}", written(last, self.size)))
            }
            _ => {
                self.standing = Standing::Unasked;
                self.think(silence.began)
            }
        }
    }
}
