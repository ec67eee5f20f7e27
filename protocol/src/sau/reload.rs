//! Resumes a game after a crash. The platform keeps the board and the clock, but sends only `name?`. The moves and our
//! side are in the journal and in the platform's own record.

use super::guesses::Guesses;
use super::{SauBot, State, overhead};
use crate::io::Disconnected;
use otrera::{Move, Position, Side};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

/// Time to wait for a command after `name?` before we move without a command, if it is our turn.
const SILENCE: Duration = Duration::from_secs(2);

/// Divisor for the wait on the opponent's turn: `total_time / LONG_SILENCE`, but at least [`SILENCE`].
const LONG_SILENCE: u32 = 15;

/// Maximum time of the search that rates the opponent's possible replies; the search blocks the input loop.
const MAX_REPLY_SEARCH: Duration = Duration::from_millis(400);

impl SauBot {
    /// Handles `name?` before the first game: enters [`State::Silent`] if there is an unfinished game to resume.
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

    /// Resumes the game if no command has arrived in time, and moves if it is our turn. On the opponent's turn, waits
    /// again if the platform has its own record of the game; otherwise assumes that the opponent's move was lost, and
    /// moves in the likeliest candidate game.
    pub fn go_on_unasked(&mut self) -> Result<(), Disconnected> {
        let State::Silent { began, .. } = self.state else { return Ok(()) };
        let is_known = self.resumed.follow_platform(&self.session);
        let position = self.resumed.position(&self.session);
        let our_turn = self.is_our_turn(&position);
        if !our_turn && is_known {
            // According to the platform's own record, the opponent is still thinking.
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
        let own_count = self.resumed.own_count(running, then);
        let left = self.session.settings.resume_time_left.or(own_count).unwrap_or(total);
        if let Some(ours) = own_count {
            overhead::learn(&mut self.session, ours, self.resumed.moves.len() / 2);
        }
        let unsent = usize::from(self.resumed.unsent);
        let played = self.resumed.moves.len().saturating_sub(unsent);
        let game = self.session.game();
        self.resumed.moves.iter().take(played).for_each(|&mv| game.advance(mv));
        self.begin_game(us, told, Some(left.saturating_sub(if running { silence } else { Duration::ZERO })));
    }

    /// Sets up the candidate games if the opponent's reply did not arrive: a short search, then
    /// [`Guesses::of_lost_reply`].
    fn guess_lost_reply(&mut self) {
        let time = (self.session.time_for_move() / 4).min(MAX_REPLY_SEARCH);
        let sent = self.resumed.crashed.is_some();
        let (start, moves) = (self.session.start, self.session.moves().to_vec());
        let report = self.session.game().think(Some(Instant::now() + time), &AtomicBool::new(false));
        self.guesses = Guesses::of_lost_reply(&start, &moves, &report, sent);
    }

    /// Sets up the likeliest candidate on our turn; if there is none, or only one is left, clears the candidates.
    fn follow_likeliest(&mut self, us: Side) {
        let Some(guess) = self.guesses.likeliest(us) else { return self.guesses.clear() };
        let moves = guess.moves.clone();
        let start = self.session.start;
        let game = self.session.game();
        if !moves.starts_with(game.moves()) {
            game.follow(&[], start);
        }
        let played = game.moves().len();
        moves.iter().skip(played).for_each(|&mv| game.advance(mv));
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

    /// Plays the opponent's move in the candidate games and drops those where it is illegal; false if none is left.
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

    /// Drops the candidate games in which our refused move is legal. Returns false if none is left, or if the position
    /// is known and the refused move was not one that we sent again.
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

    /// Sets up the candidate games after the refusal of a move that we have sent again: the platform already had the
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

    /// Excludes refused moves from the search; while the position is uncertain, [`Guesses::risky`] moves instead.
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

    /// True if `mv` is legal for `us` in the last position with `us` to move: in that case we play the other side.
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

    /// Handles a move from the platform before any `new`: resumes the unfinished game, if there is one. Returns our
    /// side, White by default.
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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a test fails by panicking
mod tests {
    use super::*;
    use crate::io::{Connection, Event, Log};
    use crate::options::Settings;
    use crate::records::playable;
    use crate::sau::{PLATFORM, Session, journal};
    use otrera::{Rules, Size};
    use otrera_arena::board::Board;
    use otrera_arena::notation::Form;
    use std::path::PathBuf;
    use testkit::Folder;

    /// The first four moves of every game in these tests.
    const OPENING: [&str; 4] = ["d1d7(g7)", "a7d4(a7)", "g1e3(e10)", "d4e4(e8)"];

    /// A bot restarted after a crash, and the platform's board. Tests never wait for the deadline of [`State::Silent`].
    struct Game {
        bot: SauBot,
        referee: Board,
        folder: Folder,
    }

    impl Game {
        /// Starts a bot with these files and options, and a board with `plies` moves of [`OPENING`]; sends `name?`.
        fn load(files: &[(&str, String)], options: &str, plies: usize) -> Self {
            let folder = Folder::new("reload");
            for (name, text) in files {
                folder.write(name, text);
            }
            let (mut settings, mut problems) = (Settings::default(), Vec::new());
            let folders = "resume = 'record.txt'\nrecord-dir = 'records'\nplatform-dir = 'platform'";
            let text = format!("{folders}\ntotal-time = 60\niterations = 100\nmemory = 16\n{options}");
            settings.read_text(&text, &folder.join("otrera.toml"), &mut problems);
            let log = Log::open(&folder.join("log"), Instant::now(), &mut problems);
            assert_eq!(problems, [""; 0]);
            let session = Session::new(Connection::closed(log), &settings, PLATFORM.defaults);
            let mut game = Self { bot: SauBot::new(session), referee: board_after(plies), folder };
            assert_eq!(game.send("name?"), "name Otrera");
            game
        }

        /// Sends a line to the bot and waits for the search to end; returns the bot's last answer.
        fn send(&mut self, line: &str) -> String {
            self.bot.obey(line, Instant::now()).unwrap();
            self.finish_search()
        }

        /// Simulates that no command arrives in time, and waits for the search to end; returns the bot's last answer.
        fn send_nothing(&mut self) -> String {
            self.bot.go_on_unasked().unwrap();
            self.finish_search()
        }

        fn finish_search(&mut self) -> String {
            while let State::Thinking { .. } = self.bot.state {
                let event = self.bot.session.connection.events.wait();
                let Event::SearchEnded(number) = event else { panic!("{event:?}") };
                self.bot.search_ended(number).unwrap();
            }
            self.log().rsplit_once(" <- ").unwrap().1.lines().next().unwrap().to_owned()
        }

        /// Plays the bot's answer on the platform's board.
        fn accept(&mut self, answer: &str) {
            self.referee.accept(answer, Form::Sau).unwrap_or_else(|error| panic!("{error}\n{}", self.log()));
        }

        /// Plays and sends an opponent's move, then plays the bot's answer.
        fn reply(&mut self, mv: Move) {
            self.referee.play(mv).unwrap();
            let answer = self.send(&format!("move {}", self.referee.format_move(mv, Form::Sau)));
            self.accept(&answer);
        }

        fn reply_any(&mut self) {
            let mv = self.referee.position().legal_moves().nth(100).unwrap();
            self.reply(mv);
        }

        /// Returns the seconds that the bot waits for a command before it resumes the game; `None` without such a game.
        fn patience(&self) -> Option<u64> {
            match self.bot.state {
                State::Silent { began, ends } => Some((ends - began).as_secs()),
                _ => None,
            }
        }

        fn log(&self) -> String {
            std::fs::read_to_string(self.folder.join("log")).unwrap()
        }

        /// Lists the files in the record folder whose names end with `end`.
        fn records(&self, end: &str) -> Vec<PathBuf> {
            let entries = std::fs::read_dir(self.folder.join("records")).unwrap();
            let paths = entries.map(|entry| entry.unwrap().path());
            paths.filter(|path| path.to_str().unwrap().ends_with(end)).collect()
        }

        /// Asserts that the record folder has exactly one record, with the moves played on the platform's board.
        fn assert_recorded(&self) {
            let [record] = &self.records(".txt")[..] else { panic!("{:?}", self.records(".txt")) };
            let text = std::fs::read_to_string(record).unwrap();
            assert_eq!(playable(&text, &Position::standard()).0, self.referee.moves());
        }
    }

    fn board_after(plies: usize) -> Board {
        let mut referee = Board::new(Position::standard().with_rules(Rules::SelfBlocking));
        OPENING[..plies].iter().for_each(|mv| referee.play(mv.parse().unwrap()).unwrap());
        referee
    }

    /// Returns path and text of the record of a game between these players, after `plies` moves of [`OPENING`].
    fn record([black, white]: [&str; 2], plies: usize) -> (&'static str, String) {
        let lines = (1..).zip(OPENING[..plies].chunks(2));
        let lines: String = lines.map(|(number, pair)| format!("{number} {}\r\n", pair.join(" "))).collect();
        let header = format!("#[AM][{black}][{white}][未完][2026.11.22 09:00][CCGC];\r\n");
        ("record.txt", header + &lines)
    }

    fn letters(plies: usize) -> impl Iterator<Item = String> {
        OPENING[..plies].iter().map(|mv| mv.parse::<Move>().unwrap().to_letters(Size::STANDARD))
    }

    /// Returns the platform's own record of several games, each with that many moves of [`OPENING`].
    fn platform(games: &[usize]) -> String {
        let lines =
            games.iter().flat_map(|&plies| letters(plies).zip(["Black", "White"].into_iter().cycle()));
        lines.map(|(mv, side)| format!("{side}: {mv}\r\n")).collect()
    }

    /// Returns path and text of the journal of a process that played `us` and crashed `ago` seconds ago, after `plies`
    /// moves of [`OPENING`]. `sent` is false if its last move may not have been sent.
    fn crashed(us: &str, plies: usize, sent: bool, ago: f64) -> (&'static str, String) {
        let written = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs_f64() - ago;
        let moves = letters(plies).collect::<Vec<_>>().join(" ");
        let line = format!(
            r#"{{"size":10,"us":"{us}","moves":"{moves}","sent":{sent},"left":50.0,"written":{written}}}"#
        );
        (if us == "Black" { "records/a.game" } else { "records/b.game" }, line + "\n")
    }

    const OURS: Option<u64> = Some(2);
    const THEIRS: Option<u64> = Some(4);

    #[test]
    fn after_reload_it_moves_unasked_on_our_turn_and_waits_on_the_opponents() {
        let with_us = |plies| record(["Otrera", "Opponent"], plies);
        let decided = |plies| ("record.txt", with_us(plies).1.replace("未完", "先手胜"));
        let several = |games| ("record.txt", platform(games));
        let both = [crashed("Black", 2, true, 2.0), crashed("White", 2, true, 1.0)];
        let with_platform =
            |place, games: &[usize]| [crashed("Black", 3, true, 1.0), (place, platform(games))];
        let [open, saved] = ["platform/Untitled.sgf", "platform/chess manual/亚马逊棋/sgf/A.sgf"];
        let cases = [
            (&[with_us(2)][..], "", 2, OURS, "we are Black"),
            (&[record(["Opponent", "Otrera"], 3)], "", 3, OURS, "we are White"),
            (&[record(["A", "B"], 2)], "team = 'A'", 2, OURS, "we are Black"),
            (&[record(["A", "B"], 3)], "opponent = 'A'", 3, OURS, "we are White"),
            (&[record(["A", "A"], 3)], "team = 'A'\nside = 'white'", 3, OURS, "we are White"),
            // The silence means that it is our turn.
            (&[record(["A", "B"], 2)], "", 2, OURS, "our side is unknown"),
            (&[with_us(3)], "", 3, THEIRS, "we are Black"),
            (&[record(["Opponent", "Otrera"], 2)], "", 2, THEIRS, "we are White"),
            (&[decided(4)], "", 4, None, "4 moves"),
            // The platform appends all games to one file, so Black's first move can follow Black's last move.
            (&[several(&[3, 4])], "side = 'black'", 4, OURS, "4 moves"),
            (&[several(&[4, 3])], "side = 'white'", 3, OURS, "the last of 2 games"),
            (&[several(&[3, 3, 4])], "side = 'black'", 4, OURS, "the last of 3 games"),
            (&[("record.txt", decided(3).1 + &with_us(2).1)], "", 2, OURS, "the last of 2 games"),
            (&[], "", 0, None, "no unfinished game"),
            (&[crashed("Black", 0, true, 121.0)], "", 0, None, "no unfinished game"),
            (&both, "", 2, None, "both sides of one game"),
            (&both, "side = 'black'", 2, OURS, "a.game: its process crashed"),
            // The platform's own record has the move that was played while no program ran, or lacks our last move.
            (&with_platform(open, &[2, 4]), "", 4, OURS, "1 more moves than ours"),
            (&with_platform(saved, &[2, 4]), "", 4, OURS, "1 more moves than ours"),
            (&with_platform(open, &[3, 2]), "", 2, OURS, "did not reach the platform"),
        ];
        for (files, options, plies, patience, logged) in cases {
            let mut game = Game::load(files, options, plies);
            let log = game.log();
            assert!(log.contains(logged) && !log.contains("not legal"), "{logged}: {log}");
            assert_eq!(game.patience(), patience, "{log}");
            if patience == OURS {
                let answer = game.send_nothing();
                game.accept(&answer);
                game.assert_recorded();
            }
            if patience.is_some() {
                game.reply_any();
            }
        }
    }

    /// Counts the legal replies to the first three moves of [`OPENING`] after which every answer of `accepted` is legal
    /// and every answer of `refused` is illegal.
    fn replies_with(accepted: &[&str], refused: &[&str]) -> usize {
        let position = *board_after(3).position();
        let is_legal = |reply, answer| {
            let mut board = Board::new(position.with_move(reply));
            board.accept(answer, Form::Sau).is_ok()
        };
        let fits = |&reply: &Move| {
            accepted.iter().all(|answer| is_legal(reply, answer))
                && !refused.iter().any(|answer| is_legal(reply, answer))
        };
        position.legal_moves().filter(fits).count()
    }

    /// If the platform sends nothing for a long time after `name?` on the opponent's turn, the opponent's move was
    /// lost. Our move must then be legal after nearly every possible reply.
    #[test]
    fn a_long_silence_triggers_a_safe_move() {
        let load = || Game::load(&[record(["Otrera", "Opponent"], 3)], "", 3);
        let mut game = load();
        // The opponent's next move starts on the target square of the lost move.
        let lost: Move = "d10d9d10".parse().unwrap();
        game.referee.play(lost).unwrap();
        let answer = game.send_nothing();
        assert!(replies_with(&[], &[&answer]) < 30, "{answer} is often illegal");
        game.accept(&answer);
        let next = game.referee.position().legal_moves().find(|mv| mv.from == lost.to).unwrap();
        game.reply(next);

        // A refusal leaves the replies that make the first move illegal; the second move must suit some of them.
        let mut game = load();
        let (first, second) = (game.send_nothing(), game.send("error"));
        assert!(replies_with(&[&second], &[&first]) > 0, "{first} was refused, then {second}");

        // According to the platform's own record the opponent is still thinking.
        let files = [crashed("Black", 3, true, 1.0), ("platform/Untitled.sgf", platform(&[2, 3]))];
        let mut game = Game::load(&files, "", 3);
        assert_eq!((game.send_nothing().as_str(), game.patience().is_some()), ("name Otrera", true));
    }

    /// The journal contains our move, but the platform may not have received it. The platform ignores a repeated move.
    #[test]
    fn a_possibly_unsent_move_is_sent_again() {
        let mut game = Game::load(&[crashed("Black", 3, false, 1.0)], "", 2);
        assert_eq!((game.patience(), game.send_nothing().as_str()), (OURS, "move GJEHEA"));
        // `error` means that the platform already had the move and that the reply was lost.
        let answer = game.send("error");
        assert!(replies_with(&[], &[&answer]) < 30, "{answer} is often illegal");
    }

    #[test]
    fn the_opponents_move_resumes_without_charging_our_clock() {
        let mut game = Game::load(&[crashed("Black", 3, true, 30.0)], "move-overhead = 0", 3);
        game.reply_any();
        let left = game.bot.session.time_left().as_secs_f64();
        assert!((45.0..=50.0).contains(&left), "50 s were left on the opponent's turn, not {left} s");
    }

    #[test]
    fn new_discards_a_crashed_game_and_replays_a_record() {
        let mut game = Game::load(&[crashed("White", 1, true, 1.0)], "", 0);
        game.send_nothing();
        let answer = game.send("new black");
        game.accept(&answer);
        game.assert_recorded();
        assert_eq!([".game", "b.game"].map(|end| game.records(end).len()), [1, 0]);
        let records = game.folder.join("records");
        let age = Duration::from_secs(60);
        let abandoned = journal::abandoned(&records, &Position::standard(), age, SystemTime::now());
        assert!(abandoned.games.is_empty(), "a running process locks its journal");

        let mut game = Game::load(&[record(["Otrera", "Opponent"], 4)], "", 4);
        game.send_nothing();
        assert_eq!(game.send("new black"), "move DJDDGD");
        assert_eq!(game.send("move ADDGAD"), "move GJEHEA");
        assert_eq!(game.records(".txt").len(), 1);
    }

    /// According to the record it is our turn, but the opponent moves: the record lacks our last move.
    #[test]
    fn an_opponents_move_out_of_turn_is_accepted() {
        for is_thinking in [false, true] {
            let mut game = Game::load(&[record(["Otrera", "Opponent"], 2)], "", 2);
            if is_thinking {
                game.bot.go_on_unasked().unwrap();
            }
            game.referee.pass();
            game.reply_any();
            assert!(game.log().contains("the record lacks one of our moves"), "{}", game.log());
        }
    }
}
