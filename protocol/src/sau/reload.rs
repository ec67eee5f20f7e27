//! A game that goes on although the program was loaded again: after a crash the platform keeps board and clock, and
//! says `name?` and nothing else. What it does not tell is in the journal, and in the platform's own record.

use super::command::written;
use super::guesses::Guesses;
use super::resume::Resumed;
use super::{Engine, State, overhead};
use crate::io::Disconnected;
use otrera::{Move, Position, Side};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

/// How long we wait for a command after `name?` before we go on with a game in which it is our turn.
const SILENCE: Duration = Duration::from_secs(2);

/// The same on the opponent's turn: the total time divided by this, but at least [`SILENCE`].
const LONG_SILENCE: u32 = 15;

/// The longest search for the replies that the opponent is likely to have made. The loop waits for it.
const MAX_REPLY_SEARCH: Duration = Duration::from_millis(400);

impl Engine {
    /// After `name?`: where the platform has begun a game that we are to go on with, it may say nothing more.
    pub fn await_command(&mut self, arrived: Instant) {
        if !matches!(self.state, State::Loaded) {
            return;
        }
        self.resumed.find(&self.session, SystemTime::now());
        self.resumed.follow_platform(&self.session);
        let position = self.resumed.position(&self.session);
        if !self.resumed.open || position.winner().is_some() {
            return;
        }
        let length = if self.is_our_turn(&position) { SILENCE } else { self.long_silence() };
        if let Some(ends) = arrived.checked_add(length) {
            self.state = State::Silent { began: arrived, ends };
        }
    }

    /// True if we are to move in the game to resume: our last move was not sent, or it is our turn after it.
    fn is_our_turn(&self, position: &Position) -> bool {
        self.resumed.side.is_none_or(|us| us == position.side()) || self.resumed.is_unsent()
    }

    fn long_silence(&self) -> Duration {
        SILENCE.max(self.session.setup().total_time.unwrap_or_default() / LONG_SILENCE)
    }

    /// The platform was silent: it goes on with the game and takes us to know that. On our turn we move. On the
    /// opponent's its move was probably lost, and we move on one of the boards that are possible.
    pub fn go_on_unasked(&mut self) -> Result<(), Disconnected> {
        let State::Silent { began, .. } = self.state else { return Ok(()) };
        let is_known = self.resumed.follow_platform(&self.session);
        let position = self.resumed.position(&self.session);
        let our_turn = self.is_our_turn(&position);
        if !our_turn && is_known {
            // The platform's own record says that the opponent still thinks.
            let ends = Instant::now() + self.long_silence();
            self.state = State::Silent { began, ends };
            return Ok(());
        }
        let us = self.resumed.side.unwrap_or(position.side());
        self.enter(us, false, true, began);
        let (source, count) = (&self.resumed.source, self.resumed.moves.len());
        let left = self.session.time_left().as_secs_f64();
        let turn = match (our_turn, self.resumed.is_unsent()) {
            (_, true) => "our last move may not have been sent, so it is sent again unasked",
            (true, _) => "it is our turn, so we move unasked",
            _ => "the opponent's move was probably lost, so we move unasked",
        };
        self.session.note(
            "--",
            &format!("no command after name?: {source} goes on after {count} moves, we are {us}, {left:.1} s left; {turn}"),
        );
        if !our_turn {
            self.guess_lost_reply();
            self.follow_likeliest(us);
        }
        self.think(Instant::now())
    }

    /// Enters the game to resume: begins it, plays its moves but a last one that was not sent, and sets the clock.
    /// `running` says that the clock has been ours since the journal was written; `asked` is when we were spoken to.
    fn enter(&mut self, us: Side, told: bool, running: bool, asked: Instant) {
        let silence = asked.elapsed();
        let then = SystemTime::now().checked_sub(silence).unwrap_or(SystemTime::UNIX_EPOCH);
        let total = self.session.setup().total_time.unwrap_or_default();
        let left = self.resumed.time_left(&self.session, running, then).unwrap_or(total);
        if let Some(ours) = self.resumed.own_count(running, then) {
            overhead::learn(&mut self.session, ours, self.resumed.moves.len() / 2);
        }
        let unsent = usize::from(self.resumed.is_unsent());
        let played = self.resumed.moves.len().saturating_sub(unsent);
        let game = self.session.game();
        self.resumed.moves.iter().take(played).for_each(|&mv| game.advance(mv));
        self.begin_game(us, told, Some(left.saturating_sub(if running { silence } else { Duration::ZERO })));
    }

    /// Collects the boards that are possible after our last move, on the opponent's turn.
    fn guess_lost_reply(&mut self) {
        let time = (self.session.time_for_move() / 4).min(MAX_REPLY_SEARCH);
        let sent = self.resumed.knows_sent();
        let (start, moves) = (self.session.start, self.session.moves().to_vec());
        let report = self.session.game().think(Some(Instant::now() + time), &AtomicBool::new(false));
        self.guesses = Guesses::of_lost_reply(&start, &moves, &report, sent);
    }

    /// Sets the game up as the likeliest guess has it. Once there is one guess the position is known.
    fn follow_likeliest(&mut self, us: Side) {
        let Some(guess) = self.guesses.likeliest(us) else { return self.guesses.clear() };
        let moves = guess.moves.clone();
        let start = self.session.start;
        let game = self.session.game();
        let more = match moves.strip_prefix(game.moves()) {
            Some(more) => more,
            None => {
                game.follow(&[], start);
                &moves[..]
            }
        };
        more.iter().for_each(|&mv| game.advance(mv));
        let what = match self.guesses.len() {
            1 => "the position is known again".into(),
            count => format!("{count} boards are possible"),
        };
        let last =
            moves.last().map_or(String::new(), |&mv| format!(", the last move {}", written(mv, self.size())));
        self.session.note("--", &format!("{what}; likeliest: {} moves{last}", moves.len()));
        if self.guesses.len() == 1 {
            self.guesses.clear();
        }
    }

    /// Where the position is not known: drops the boards on which the opponent's move is illegal. Returns false if
    /// none is left.
    pub fn follow_guesses(&mut self, mv: Option<Move>) -> bool {
        let (Some(mv), Some((us, _))) = (mv, self.state.game()) else { return false };
        if self.guesses.is_empty() {
            return false;
        }
        self.guesses.reply(us, mv);
        let is_possible = !self.guesses.is_empty();
        self.follow_likeliest(us);
        is_possible
    }

    /// Where the position is not known: drops the boards on which our last move is legal. Returns false if none is
    /// left, or the position was known.
    pub fn refuse_guesses(&mut self, us: Side) -> bool {
        if self.guesses.is_empty() && !self.guess_after_repeated_move() {
            return false;
        }
        self.session.note("!!", "our move was illegal on the platform's board");
        self.guesses.refuse(us);
        let is_possible = !self.guesses.is_empty();
        self.follow_likeliest(us);
        is_possible
    }

    /// Where we have sent the last move of the record again: the platform had it, and the reply to it was lost. Returns
    /// false if we have not.
    fn guess_after_repeated_move(&mut self) -> bool {
        let is_repeated =
            matches!(self.state.game(), Some((_, false))) && self.resumed.moves == self.session.moves();
        if let Some(&last) = self.session.moves().last().filter(|_| is_repeated) {
            self.guess_lost_reply();
            self.guesses.send(last);
        }
        !self.guesses.is_empty()
    }

    /// Keeps the search from moves that were refused, or are illegal on too many of the boards that are possible.
    pub fn exclude_moves(&mut self) {
        if self.guesses.is_empty() {
            return self.session.exclude_refused();
        }
        let risky = self.guesses.risky(self.session.game().position());
        self.session.game().exclude(&risky);
    }

    /// Plays the opponent's move, if it can be played. In a game that we have resumed without being asked the
    /// platform knows better than the record whose turn it was.
    pub fn follow_opponent(&mut self, mv: Option<Move>) -> bool {
        let (Some(mv), Some((us, told))) = (mv, self.state.game()) else { return false };
        let position = *self.session.game().position();
        let is_theirs = position.with_side(us.opponent()).check(mv).is_ok();
        let is_expected = is_theirs && position.side() != us;
        if !is_expected && told {
            return false;
        }
        if !is_expected && is_theirs {
            self.session.note("!!", "the record lacks a move of ours");
            self.session.game().give_turn_to(us.opponent());
        } else if !is_theirs {
            if !self.moved_us(us, mv) {
                return false;
            }
            // What we have sent was not heard.
            self.session.note("!!", "the other side is ours");
            if position.side() != us {
                self.session.game().take_back();
            }
            self.forget_unasked();
            self.begin_game(us.opponent(), true, None);
        }
        self.session.game().advance(mv);
        true
    }

    /// True if this is a move of the side that we took for ours, where the record ends.
    fn moved_us(&mut self, us: Side, mv: Move) -> bool {
        let game = self.session.game();
        let at_end = if us == game.position().side() { Some(game.position()) } else { game.before_last() };
        at_end.is_some_and(|position| position.check(mv).is_ok())
    }

    /// The platform begins anew: nothing came of the game that we have resumed unasked.
    pub fn forget_unasked(&mut self) {
        if let Some((_, false)) = self.state.game() {
            self.session.discard_record();
            if let Some(journal) = self.journal.take() {
                journal.discard();
            }
            self.state = State::Loaded;
        }
    }

    /// A move without `new` before it: the game goes on where the record to resume ends, if there is one.
    /// Returns our side, which is White where nothing else is known.
    pub fn enter_resumed_game(&mut self, mv: Option<Move>, arrived: Instant) -> Side {
        self.resumed.find(&self.session, SystemTime::now());
        // The move that comes may be the last one of the record, sent once more.
        if mv.is_some() && self.resumed.moves.last() == mv.as_ref() {
            self.resumed.moves.pop();
        }
        // The platform has answered it.
        self.resumed.set_sent();
        let position = self.resumed.position(&self.session);
        let fits = mv.is_some_and(|mv| position.check(mv).is_ok());
        let (us, told) = match self.resumed.side {
            Some(us) if !fits => (us, false),
            _ => (position.side().opponent(), true),
        };
        // On the opponent's turn its clock has run.
        self.enter(us, told, position.side() == us, arrived);
        us
    }
}

impl Resumed {
    /// The position after the moves.
    pub fn position(&self, session: &crate::session::Session) -> Position {
        self.moves.iter().fold(session.start, |position, &mv| position.with_move(mv))
    }
}
