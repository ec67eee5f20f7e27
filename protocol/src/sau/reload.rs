//! Resumes a game after a crash. The platform keeps board and clock, but sends only `name?`. The moves and our side are
//! in the journal and in the platform's own record.

use super::guesses::Guesses;
use super::resume::Resumed;
use super::{SauBot, State, overhead};
use crate::io::Disconnected;
use otrera::{Move, Position, Side};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

/// Time to wait for a command after `name?` before we move without one, if it is our turn.
const SILENCE: Duration = Duration::from_secs(2);

/// Divisor of the total time: on the opponent's turn we wait `total_time / LONG_SILENCE`, but at least [`SILENCE`].
const LONG_SILENCE: u32 = 15;

/// Maximum time of the search for likely replies, during which the loop waits.
const MAX_REPLY_SEARCH: Duration = Duration::from_millis(400);

impl SauBot {
    /// Handles `name?` before the first game: if there is an unfinished game to resume, changes to [`State::Silent`].
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

    /// True if it is our turn in the game to resume, or if our last move must be sent again.
    fn is_our_turn(&self, position: &Position) -> bool {
        self.resumed.side.is_none_or(|us| us == position.side()) || self.resumed.unsent
    }

    fn long_silence(&self) -> Duration {
        SILENCE.max(self.session.setup().total_time.unwrap_or_default() / LONG_SILENCE)
    }

    /// Resumes the game if no command has arrived in time. On the opponent's turn, waits again if the platform's own
    /// record of the game exists; otherwise assumes that the opponent's move was lost, and moves in the likeliest
    /// position.
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
        let turn = match (our_turn, self.resumed.unsent) {
            (_, true) => "our last move may not have been sent; sending it again unasked",
            (true, _) => "our turn; moving unasked",
            _ => "the opponent's move was probably lost; moving unasked",
        };
        self.session.note(
            "--",
            &format!("no command after name?: resuming {source} after {count} moves as {us}, {left:.1} s left; {turn}"),
        );
        if !our_turn {
            self.guess_lost_reply();
            self.follow_likeliest(us);
        }
        self.think(Instant::now())
    }

    /// Starts the game to resume: plays its moves except an unsent last one, sets the clock and learns the overhead.
    /// `running` is true if our clock has run since the journal's last line; `asked` is the arrival time of the
    /// platform's last command.
    fn enter(&mut self, us: Side, told: bool, running: bool, asked: Instant) {
        let silence = asked.elapsed();
        let then = SystemTime::now().checked_sub(silence).unwrap_or(SystemTime::UNIX_EPOCH);
        let total = self.session.setup().total_time.unwrap_or_default();
        let left = self.resumed.time_left(&self.session, running, then).unwrap_or(total);
        if let Some(ours) = self.resumed.own_count(running, then) {
            overhead::learn(&mut self.session, ours, self.resumed.moves.len() / 2);
        }
        let unsent = usize::from(self.resumed.unsent);
        let played = self.resumed.moves.len().saturating_sub(unsent);
        let game = self.session.game();
        self.resumed.moves.iter().take(played).for_each(|&mv| game.advance(mv));
        self.begin_game(us, told, Some(left.saturating_sub(if running { silence } else { Duration::ZERO })));
    }

    /// Collects the possible games on the opponent's turn, by [`Guesses::of_lost_reply`] with a short search.
    fn guess_lost_reply(&mut self) {
        let time = (self.session.time_for_move() / 4).min(MAX_REPLY_SEARCH);
        let sent = self.resumed.crashed.is_some();
        let (start, moves) = (self.session.start, self.session.moves().to_vec());
        let report = self.session.game().think(Some(Instant::now() + time), &AtomicBool::new(false));
        self.guesses = Guesses::of_lost_reply(&start, &moves, &report, sent);
    }

    /// Sets up the likeliest of the possible games. A single remaining game is certain.
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
        let last = moves
            .last()
            .map_or(String::new(), |&mv| format!(", the last move {}", mv.to_letters(self.size())));
        self.session.note("--", &format!("{what}; likeliest: {} moves{last}", moves.len()));
        if self.guesses.len() == 1 {
            self.guesses.clear();
        }
    }

    /// Drops the possible games in which the opponent's move is illegal; returns false if none is left.
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

    /// Drops the possible games in which our refused move is legal. Returns false if none is left, or if the position
    /// is known and the move was not a repeated one.
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

    /// Collects the possible games after the refusal of a move that we have sent again: the platform already had the
    /// move, and the opponent's reply was lost. Returns false if we have sent no move again.
    fn guess_after_repeated_move(&mut self) -> bool {
        let is_repeated =
            matches!(self.state.game(), Some((_, false))) && self.resumed.moves == self.session.moves();
        if let Some(&last) = self.session.moves().last().filter(|_| is_repeated) {
            self.guess_lost_reply();
            self.guesses.send(last);
        }
        !self.guesses.is_empty()
    }

    /// Excludes refused moves from the search, or the [`Guesses::risky`] ones while the position is uncertain.
    pub fn exclude_moves(&mut self) {
        if self.guesses.is_empty() {
            return self.session.exclude_refused();
        }
        let risky = self.guesses.risky(self.session.game().position());
        self.session.game().exclude(&risky);
    }

    /// Plays the opponent's move; returns false if it cannot be played. While `told` is false (see [`State`]), an
    /// unexpected move corrects whose turn it is, or which side is ours.
    pub fn follow_opponent(&mut self, mv: Option<Move>) -> bool {
        let (Some(mv), Some((us, told))) = (mv, self.state.game()) else { return false };
        let position = *self.session.game().position();
        let is_theirs = position.with_side(us.opponent()).check(mv).is_ok();
        let is_expected = is_theirs && position.side() != us;
        if !is_expected && told {
            return false;
        }
        if !is_expected && is_theirs {
            self.session.note("!!", "the record lacks one of our moves");
            self.session.game().give_turn_to(us.opponent());
        } else if !is_theirs {
            if !self.moved_us(us, mv) {
                return false;
            }
            // The platform has ignored our move.
            self.session.note("!!", "our side was wrong: we play the other side");
            if position.side() != us {
                self.session.game().take_back();
            }
            self.forget_unasked();
            self.begin_game(us.opponent(), true, None);
        }
        self.session.game().advance(mv);
        true
    }

    /// True if `mv` is legal for `us` in the last position with `us` to move, which means that the other side is ours.
    fn moved_us(&mut self, us: Side, mv: Move) -> bool {
        let game = self.session.game();
        let at_end = if us == game.position().side() { Some(game.position()) } else { game.before_last() };
        at_end.is_some_and(|position| position.check(mv).is_ok())
    }

    /// Drops a resumed game with its record and journal while `told` is false (see [`State`]); otherwise does nothing.
    pub fn forget_unasked(&mut self) {
        if let Some((_, false)) = self.state.game() {
            self.session.discard_record();
            if let Some(journal) = self.journal.take() {
                journal.discard();
            }
            self.state = State::Loaded;
        }
    }

    /// Handles a move without a preceding `new`: enters the game to resume, if there is one. Returns our side, by
    /// default White.
    pub fn enter_resumed_game(&mut self, mv: Option<Move>, arrived: Instant) -> Side {
        self.resumed.find(&self.session, SystemTime::now());
        // The platform may send the record's last move again.
        if mv.is_some() && self.resumed.moves.last() == mv.as_ref() {
            self.resumed.moves.pop();
        }
        self.resumed.unsent = false;
        let position = self.resumed.position(&self.session);
        let fits = mv.is_some_and(|mv| position.check(mv).is_ok());
        let (us, told) = match self.resumed.side {
            Some(us) if !fits => (us, false),
            _ => (position.side().opponent(), true),
        };
        // On the opponent's turn, only the opponent's clock has run.
        self.enter(us, told, position.side() == us, arrived);
        us
    }
}

impl Resumed {
    /// Returns the position at the end of the game to resume.
    pub fn position(&self, session: &crate::session::Session) -> Position {
        self.moves.iter().fold(session.start, |position, &mv| position.with_move(mv))
    }
}
