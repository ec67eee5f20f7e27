//! Resumes a game after a crash of the guardian. The platform keeps the board and the clock, but sends only `name?`.
//! The moves and our side are in the journal and in the platform's own record. If neither has the opponent's move, the
//! operator is asked; no move is guessed.
//!
//! A move that the journal does not confirm as sent is not sent again unasked either: the guardian may have died
//! between the write to the pipe and the journal's next line. If the opponent has replied since, the repeated move is
//! illegal, since its amazon has left its square. The page then offers "not on the platform's board" first: one click.

use super::game::Game;
use super::operator::{Question, Unfinished};
use super::{Guardian, State};
use otrera::{Move, Side};
use otrera_front::io::Disconnected;
use std::time::{Duration, Instant, SystemTime};

/// Time to wait for a command after `name?` before we move or ask without a command.
const SILENCE: Duration = Duration::from_secs(2);

impl Guardian {
    /// Handles `name?` before the first game: enters [`State::Silent`] if there is an unfinished game to resume.
    pub fn await_command(&mut self, arrived: Instant) {
        if !matches!(self.state, State::Loaded) {
            return;
        }
        self.resumed.find(&self.session, SystemTime::now());
        self.resumed.follow_platform(&self.session);
        if self.resumed.open && self.resumed.position(&self.session).winner().is_none() {
            self.state = State::Silent { began: arrived, ends: arrived.checked_add(SILENCE) };
        }
    }

    /// Handles the silence after `name?`: moves on our turn, and sends a move again that did not reach the platform. On
    /// the opponent's turn, waits if the platform's own record shows that turn; otherwise asks the operator.
    pub fn go_on_unasked(&mut self) -> Result<(), Disconnected> {
        let State::Silent { began, .. } = self.state else { return Ok(()) };
        let is_known = self.resumed.follow_platform(&self.session);
        let position = self.resumed.position(&self.session);
        if position.winner().is_some() {
            self.state = State::Silent { began, ends: None };
            return Ok(());
        }
        let our_turn = self.resumed.side.is_none_or(|us| us == position.side());
        match (our_turn, is_known) {
            (true, _) => self.resume(began, false, "our turn; moving unasked"),
            (false, true) if self.resumed.unsent => self.resume(
                began,
                false,
                "our last move did not reach the platform; sending it again unasked",
            ),
            (false, true) => {
                // According to the platform's own record, the opponent is still thinking.
                self.state = State::Silent { began, ends: Instant::now().checked_add(SILENCE) };
                Ok(())
            }
            (false, false) => {
                self.state = State::Silent { began, ends: None };
                self.ask();
                Ok(())
            }
        }
    }

    /// Opens the page that asks the operator for the moves that the platform shows.
    fn ask(&mut self) {
        let Some(us) = self.resumed.side else { return };
        let (moves, unsent) = (self.resumed.moves.clone(), self.resumed.unsent);
        let unfinished = Unfinished { start: self.session.start, moves, us, unsent };
        match Question::open(&self.session, unfinished) {
            Ok(question) => {
                let count = self.resumed.moves.len();
                let (source, address) = (&self.resumed.source, question.address());
                self.session.note(
                    "!!",
                    &format!("{source}, {count} moves: has the opponent moved? Answer on the page {address}"),
                );
                self.question = Some(question);
            }
            Err(problem) => {
                let advice = "add the opponent's move to the record, set resume to it and load again";
                self.session.note("!!", &format!("cannot ask for the opponent's move: {problem}; {advice}"));
            }
        }
    }

    /// Handles the operator's answer: the moves of the game on the platform.
    pub fn operator_told(&mut self, moves: Vec<Move>) -> Result<(), Disconnected> {
        let State::Silent { began, .. } = self.state else { return Ok(()) };
        self.resumed.unsent = moves.len() < self.resumed.moves.len();
        if !self.resumed.unsent {
            self.resumed.moves = moves;
        }
        self.resume(began, true, "the operator's answer")
    }

    /// Resumes the game and moves if it is our turn.
    fn resume(&mut self, began: Instant, told: bool, why: &str) -> Result<(), Disconnected> {
        let position = self.resumed.position(&self.session);
        let us = self.resumed.side.unwrap_or(position.side());
        self.enter(us, told, true, began);
        let (source, count) = (&self.resumed.source, self.resumed.moves.len());
        let left = self.game.time_left().as_secs_f64();
        self.session.note(
            "--",
            &format!("no command after name?: resuming {source} after {count} moves as {us}, {left:.1} s left; {why}"),
        );
        if self.game.position().side() == us { self.think(Instant::now()) } else { Ok(()) }
    }

    /// Starts the game to resume: plays its moves except an unsent last one, and sets the clock. `running` is true if
    /// our clock has run since the journal's last line; `asked` is the arrival time of the platform's last command.
    fn enter(&mut self, us: Side, told: bool, running: bool, asked: Instant) {
        let silence = asked.elapsed();
        let then = SystemTime::now().checked_sub(silence).unwrap_or(SystemTime::UNIX_EPOCH);
        let total = self.session.setup().total_time.unwrap_or_default();
        let own_count = self.resumed.own_count(running, then);
        let left = self.session.settings.resume_time_left.or(own_count).unwrap_or(total);
        let played = self.resumed.moves.len().saturating_sub(usize::from(self.resumed.unsent));
        self.game = Game::new(&self.session, us);
        self.resumed.moves.iter().take(played).for_each(|&mv| self.game.advance(mv));
        self.begin_game(us, told, Some(left.saturating_sub(if running { silence } else { Duration::ZERO })));
    }

    /// Handles the refusal of a move that we sent without a command: our position is wrong, so the operator is asked.
    pub fn doubt(&mut self) -> Result<(), Disconnected> {
        let Some((us, _)) = self.state.game() else { return Ok(()) };
        self.session.note("!!", "our move was illegal on the platform's board");
        self.game.take_back();
        self.game.keep_record(&self.session, None);
        self.session.settings.resume_time_left = Some(self.game.time_left());
        self.resumed.moves = self.game.moves().to_vec();
        (self.resumed.side, self.resumed.unsent) = (Some(us), false);
        self.resumed.journal = self.journal.take();
        self.searcher.stop();
        self.state = State::Silent { began: Instant::now(), ends: None };
        self.ask();
        Ok(())
    }

    /// Corrects a game that is not told yet (see [`State`]), so that the opponent's move `mv`, illegal in its position,
    /// can be played: whose turn it is, or which side is ours. False if neither helps.
    pub fn correct_untold_game(&mut self, mv: Move) -> bool {
        let Some((us, false)) = self.state.game() else { return false };
        let position = *self.game.position();
        if position.with_side(us.opponent()).check(mv).is_ok() {
            self.session.note("!!", "the record lacks one of our moves");
            self.game.give_turn_to(us.opponent());
        } else {
            if !self.moved_us(us, mv) {
                return false;
            }
            // The platform has ignored our move.
            self.session.note("!!", "our side was wrong: we play the other side");
            if position.side() != us {
                self.game.take_back();
            }
            self.forget_untold();
            self.begin_game(us.opponent(), true, None);
        }
        true
    }

    /// True if `mv` is legal for `us` in the last position with `us` to move: in that case we play the other side.
    fn moved_us(&self, us: Side, mv: Move) -> bool {
        let at_end = if us == self.game.position().side() {
            Some(self.game.position())
        } else {
            self.game.before_last()
        };
        at_end.is_some_and(|position| position.check(mv).is_ok())
    }

    /// Drops a resumed game with its record and journal while `told` is false (see [`State`]); otherwise does nothing.
    pub fn forget_untold(&mut self) {
        if let Some((_, false)) = self.state.game() {
            self.game.discard_record();
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
        // Before `name?`, the opponent moved during the Load dialog, so our clock may have run since our last move.
        // After `name?`, only the opponent's clock has run.
        let is_early = matches!(self.state, State::Loaded);
        self.enter(us, told, is_early || position.side() == us, arrived);
        us
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a test fails by panicking
mod tests {
    use super::*;
    use crate::records::playable;
    use crate::sau::{PLATFORM, Session, journal};
    use otrera::{Position, Rules, Size};
    use otrera_arena::board::Board;
    use otrera_arena::notation::Form;
    use otrera_front::io::{Connection, Event, Log};
    use otrera_front::settings::Settings;
    use std::io::{self, Read, Write};
    use std::net::TcpStream;
    use std::path::PathBuf;
    use std::sync::mpsc::channel;
    use testkit::Folder;

    /// The first four moves of every game in these tests.
    const OPENING: [&str; 4] = ["d1d7(g7)", "a7d4(a7)", "g1e3(e10)", "d4e4(e8)"];

    /// A bot restarted after a crash, and the platform's board. Tests never wait for the deadline of [`State::Silent`].
    struct Game {
        bot: Guardian,
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
            let text = format!(
                "{folders}\ntotal-time = 60\nno-open = true\niterations = 100\nmemory = 16\n{options}"
            );
            crate::options::read_text(&mut settings, &text, &folder.join("otrera.toml"), &mut problems);
            let log = Log::open(&folder.join("log"), Instant::now(), "log", &mut problems);
            assert_eq!(problems, [""; 0]);
            let connection = Connection::between(channel(), Box::new(io::sink()), log);
            let session = Session::new(connection, &settings, PLATFORM.defaults);
            let mut game = Self { bot: Guardian::new(session), referee: board_after(plies), folder };
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
                let Event::Searcher(number, line) = event else { panic!("{event:?}") };
                self.bot.searcher_spoke(number, line.as_deref()).unwrap();
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

        /// True if the bot waits for a command and then resumes a game.
        fn is_patient(&self) -> bool {
            matches!(self.bot.state, State::Silent { ends: Some(_), .. })
        }

        /// Sends the operator's answer as a browser does; returns the status line.
        fn tell(&mut self, text: &str) -> String {
            let address = self.bot.question.as_ref().unwrap().address().to_owned();
            let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
            let mut connection = TcpStream::connect(host).unwrap();
            let body = format!("move={text}\r\n");
            let length = body.len();
            let head = format!("POST /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
            write!(connection, "{head}Content-Length: {length}\r\n\r\n{body}").unwrap();
            let mut answer = String::new();
            connection.read_to_string(&mut answer).unwrap();
            answer.lines().next().unwrap().to_owned()
        }

        /// Waits for the operator's answer to arrive and for the search to end; returns the bot's last answer.
        fn obey_operator(&mut self) -> String {
            loop {
                match self.bot.session.connection.events.wait() {
                    Event::Told(moves) => break self.bot.operator_told(moves).unwrap(),
                    Event::Searcher(number, line) => {
                        self.bot.searcher_spoke(number, line.as_deref()).unwrap();
                    }
                    event => panic!("{event:?}"),
                }
            }
            self.finish_search()
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

    /// Reaction to silence after `name?`.
    #[derive(PartialEq, Debug)]
    enum Reaction {
        Moves,
        Asks,
        None,
    }
    use Reaction::{Asks, Moves};

    #[test]
    fn after_reload_it_moves_unasked_on_our_turn_and_asks_on_the_opponents() {
        let with_us = |plies| record(["Otrera", "Opponent"], plies);
        let decided = |plies| ("record.txt", with_us(plies).1.replace("未完", "先手胜"));
        let several = |games| ("record.txt", platform(games));
        let both = [crashed("Black", 2, true, 2.0), crashed("White", 2, true, 1.0)];
        let with_platform =
            |place, games: &[usize]| [crashed("Black", 3, true, 1.0), (place, platform(games))];
        let [open, saved] = ["platform/Untitled.sgf", "platform/chess manual/亚马逊棋/sgf/A.sgf"];
        let cases = [
            (&[with_us(2)][..], "", 2, Moves, "we are Black"),
            (&[record(["Opponent", "Otrera"], 3)], "", 3, Moves, "we are White"),
            (&[record(["A", "B"], 2)], "team = 'A'", 2, Moves, "we are Black"),
            (&[record(["A", "B"], 3)], "opponent = 'A'", 3, Moves, "we are White"),
            (&[record(["A", "A"], 3)], "team = 'A'\nside = 'white'", 3, Moves, "we are White"),
            // The silence means that it is our turn.
            (&[record(["A", "B"], 2)], "", 2, Moves, "our side is unknown"),
            (&[with_us(3)], "", 3, Asks, "we are Black"),
            (&[record(["Opponent", "Otrera"], 2)], "", 2, Asks, "we are White"),
            (&[decided(4)], "", 4, Reaction::None, "4 moves"),
            // The platform appends all games to one file, so Black's first move can follow Black's last move.
            (&[several(&[3, 4])], "side = 'black'", 4, Moves, "4 moves"),
            (&[several(&[4, 3])], "side = 'white'", 3, Moves, "the last of 2 games"),
            (&[several(&[3, 3, 4])], "side = 'black'", 4, Moves, "the last of 3 games"),
            (&[("record.txt", decided(3).1 + &with_us(2).1)], "", 2, Moves, "the last of 2 games"),
            (&[], "", 0, Reaction::None, "no unfinished game"),
            (&[crashed("Black", 0, true, 121.0)], "", 0, Reaction::None, "no unfinished game"),
            (&both, "", 2, Reaction::None, "both sides of one game"),
            (&both, "side = 'black'", 2, Moves, "a.game: its process crashed"),
            // The newer one of the file of `resume` and the journal is resumed.
            (&[with_us(2), crashed("Black", 4, true, 60.0)], "", 2, Moves, "the file of resume is newer"),
            (&[with_us(2), crashed("Black", 4, true, -5.0)], "", 4, Moves, "a.game is newer"),
            // The platform's own record has the move that was played while no program ran, or lacks our last move.
            (&with_platform(open, &[2, 4]), "", 4, Moves, "1 more moves than ours"),
            (&with_platform(saved, &[2, 4]), "", 4, Moves, "1 more moves than ours"),
            (&with_platform(open, &[3, 2]), "", 2, Moves, "did not reach the platform"),
        ];
        for (files, options, plies, reaction, logged) in cases {
            let mut game = Game::load(files, options, plies);
            let log = game.log();
            assert!(log.contains(logged) && !log.contains("not legal"), "{logged}: {log}");
            assert_eq!(game.is_patient(), reaction != Reaction::None, "{log}");
            if reaction == Reaction::None {
                continue;
            }
            let answer = game.send_nothing();
            assert_eq!(game.bot.question.is_some(), reaction == Asks, "{}", game.log());
            if reaction == Moves {
                game.accept(&answer);
                game.assert_recorded();
            }
            game.reply_any();
            assert!(game.bot.question.is_none(), "the platform's move answers the question");
        }
    }

    /// The opponent's move was lost with the guardian, and the platform keeps no record: only the operator knows.
    #[test]
    fn the_operator_tells_the_lost_move() {
        let load = || {
            let mut game = Game::load(&[crashed("Black", 3, true, 1.0)], "", 3);
            assert_eq!(game.send_nothing(), "name Otrera", "nothing is sent before the answer");
            game
        };
        let mut game = load();
        assert_eq!(game.tell("DJDDGD"), "HTTP/1.1 400 Bad Request", "not legal any more");
        assert_eq!(game.tell("DGEGEC"), "HTTP/1.1 200 OK");
        game.referee.play("d4e4e8".parse().unwrap()).unwrap();
        let answer = game.obey_operator();
        game.accept(&answer);
        game.assert_recorded();
        game.reply_any();
        let left = game.bot.game.time_left().as_secs_f64();
        assert!(left < 49.0, "the clock counts from our last move: {left} s");

        let mut game = load();
        game.tell("waiting");
        assert_eq!(game.obey_operator(), "name Otrera", "the opponent is thinking");
        game.reply_any();

        let mut game = Game::load(&[crashed("Black", 3, false, 1.0)], "", 2);
        game.send_nothing();
        game.tell("missing");
        assert_eq!(game.obey_operator(), "move GJEHEA", "our last move is sent again");
    }

    /// The platform refuses a move that we sent without a command: the move leaves the record, and no further move is
    /// tried before the operator answers.
    #[test]
    fn a_refused_unasked_move_asks() {
        let mut game = Game::load(&[record(["Otrera", "Opponent"], 2)], "", 2);
        let answer = game.send_nothing();
        assert!(answer.starts_with("move "), "{answer}");
        game.accept(&answer);
        game.assert_recorded();
        game.referee.take_back().unwrap();
        assert_eq!((game.send("error"), game.bot.question.is_some()), (answer, true));
        game.assert_recorded();
    }

    /// With the platform's own record, a move that did not arrive is sent again, and the opponent's turn is known.
    #[test]
    fn the_platforms_record_leaves_no_question() {
        let files =
            |plies| [crashed("Black", 3, false, 1.0), ("platform/Untitled.sgf", platform(&[2, plies]))];
        let mut game = Game::load(&files(2), "", 2);
        assert_eq!(game.send_nothing(), "move GJEHEA");
        let mut game = Game::load(&files(3), "", 3);
        assert_eq!(game.send_nothing(), "name Otrera");
        assert!(game.is_patient() && game.bot.question.is_none(), "the opponent is thinking");
    }

    #[test]
    fn the_opponents_move_resumes_without_charging_our_clock() {
        let mut game = Game::load(&[crashed("Black", 3, true, 30.0)], "move-overhead = 0", 3);
        game.reply_any();
        let left = game.bot.game.time_left().as_secs_f64();
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
            assert_eq!(game.records(".txt").len(), 1, "no record has the move alone");
        }
    }
}
