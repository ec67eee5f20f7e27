//! A game that goes on although the program was loaded again: after a crash the platform keeps board and clock, and
//! says `name?` and nothing else. What it does not tell is in the record.

use super::Engine;
use super::command::written;
use crate::io::Disconnected;
use otrera::{Move, Position, Side};
use std::time::{Duration, Instant};

/// How long we wait for a command after `name?` before we go on with a game in which it is our turn.
const SILENCE: Duration = Duration::from_secs(2);

/// The same on the opponent's turn, when only our last move could be missing: the total time divided by this, but
/// at least [`SILENCE`].
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

impl Engine {
    /// Plays the opponent's move, if it can be played. In a game that we have resumed without being asked the
    /// platform knows better than the record whose turn it was.
    pub fn follow_opponent(&mut self, mv: Option<Move>) -> bool {
        let (Some(mv), Some(us)) = (mv, self.us) else { return false };
        let position = *self.session.game().position();
        let is_theirs = position.with_side(us.opponent()).check(mv).is_ok();
        let is_expected = is_theirs && position.side() != us;
        if !is_expected && self.standing == Standing::Confirmed {
            return false;
        }
        if !is_expected && is_theirs {
            self.session.note("!!", "the record lacks a move of ours");
            self.session.game().give_turn_to(us.opponent());
        } else if !is_theirs {
            if !self.moved_us(mv) {
                return false;
            }
            // What we have sent was not heard.
            self.session.note("!!", "the other side is ours");
            if position.side() != us {
                self.session.game().take_back();
            }
            self.forget_unasked();
            self.begin_game(us.opponent());
        }
        self.session.game().advance(mv);
        true
    }

    /// Whether this is a move of the side that we took for ours, where the record ends.
    fn moved_us(&mut self, mv: Move) -> bool {
        let us = self.us;
        let game = self.session.game();
        let at_end =
            if us == Some(game.position().side()) { Some(game.position()) } else { game.before_last() };
        at_end.is_some_and(|position| position.check(mv).is_ok())
    }

    /// The platform begins anew: nothing came of the game that we have resumed unasked.
    pub fn forget_unasked(&mut self) {
        if self.standing != Standing::Confirmed {
            self.us = None;
            self.session.discard_record();
        }
    }

    /// A move without `new` before it: the game goes on where the record to resume ends, if there is one.
    /// Returns our side, which is White where nothing else is known.
    pub fn enter_resumed_game(&mut self, mv: Option<Move>) -> Side {
        // The move that comes may be the last one of the record, sent once more.
        if mv.is_some() && self.resumed.moves.last() == mv.as_ref() {
            self.resumed.moves.pop();
        }
        let position = self.play_resumed();
        let fits = mv.is_some_and(|mv| position.check(mv).is_ok());
        match self.resumed.side {
            Some(us) if !fits => {
                self.standing = Standing::Unasked;
                us
            }
            _ => position.side().opponent(),
        }
    }

    /// Plays the moves of the record to resume. Returns where they lead to.
    fn play_resumed(&mut self) -> Position {
        let game = self.session.game();
        self.resumed.moves.iter().for_each(|&mv| game.advance(mv));
        *game.position()
    }

    /// After `name?`: where the platform has begun a game that we are to go on with, it may say nothing more.
    pub fn await_command(&mut self, arrived: Instant) {
        let moves = self.resumed.moves.iter();
        let position = moves.fold(self.session.start, |position, &mv| position.with_move(mv));
        let our_turn = self.resumed.side.is_none_or(|us| us == position.side());
        let has_said_something = our_turn || !self.resumed.moves.is_empty();
        let is_open = self.resumed.open && position.winner().is_none() && has_said_something;
        if !is_open || self.us.is_some() || self.silence.is_some() {
            return;
        }
        let total = self.session.conditions().total_time.unwrap_or_default();
        let length = if our_turn { SILENCE } else { SILENCE.max(total / LONG_SILENCE) };
        self.silence = arrived.checked_add(length).map(|ends| Silence { began: arrived, ends });
    }

    /// The platform was silent: it goes on with the game and takes us to know that. On our turn we move; on the
    /// opponent's we say our last move again, which the platform overlooks if it has had it.
    pub fn go_on_unasked(&mut self) -> Result<(), Disconnected> {
        let Some(silence) = self.silence.take() else { return Ok(()) };
        let position = self.play_resumed();
        let us = self.resumed.side.unwrap_or(position.side());
        self.begin_game(us);
        self.session.note("--", &format!("no command: the game goes on, we are {us}"));
        match self.session.moves().last() {
            Some(&last) if position.side() != us => {
                self.standing = Standing::Repeated;
                self.session.send(&format!("move {}", written(last, self.size())))
            }
            _ => {
                self.standing = Standing::Unasked;
                self.think(silence.began)
            }
        }
    }
}
