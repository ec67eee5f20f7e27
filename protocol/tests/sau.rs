//! Tests of games on the SAU platform: records, resuming after a crash, refused moves and pondering.

use crate::common::{LIMIT, assert_contains, files, folder, installed, only_record, read, start, text};
use otrera::{Move, Position, Rules, Side, Size};
use otrera_referee::board::Board;
use otrera_referee::notation::Form;
use otrera_referee::program::Program;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::{at_once, random_move};

/// Time limit for an answer.
const SOON: Duration = Duration::from_secs(10);

const OPENING: [&str; 4] = ["d1d7(g7)", "a7d4(a7)", "g1e3(e10)", "d4e4(e8)"];

/// A game on the platform: the program, and a referee's board that checks its moves.
struct Game {
    program: Program,
    referee: Board,
}

impl Game {
    /// Starts a program that has Black on 10x10.
    fn black(arguments: &[&str]) -> Self {
        let mut game = Self { program: start(arguments), referee: board_after(&[]) };
        game.program.send("new black\n");
        game.answer(LIMIT);
        game
    }

    /// Continues a game after these moves.
    fn resumed(program: Program, moves: &[&str]) -> Self {
        Self { program, referee: board_after(moves) }
    }

    /// Reads the program's next move and plays it on the referee's board; returns the line read.
    fn answer(&mut self, limit: Duration) -> String {
        let line = self.program.line(limit).unwrap();
        self.referee.accept(&line, Form::Sau).unwrap();
        line
    }

    /// Plays an arbitrary move of the opponent and sends it to the program; returns the line sent.
    fn reply(&mut self) -> String {
        let mv = self.referee.play_any().unwrap();
        let line = format!("move {}\n", self.referee.format_move(mv, Form::Sau));
        self.program.send(&line);
        line
    }

    /// Takes the program's last move back on the referee's board and sends `error`.
    fn refuse(&mut self) {
        self.referee.take_back().unwrap();
        self.program.send("error\n");
    }
}

fn start_position(edge: usize) -> Position {
    Position::start(Size::new(edge).unwrap()).with_rules(Rules::SelfBlocking)
}

/// Returns a referee's board on 10x10 after these moves.
fn board_after(moves: &[&str]) -> Board {
    let mut referee = Board::new(start_position(10));
    moves.iter().for_each(|mv| referee.play(mv.parse().unwrap()).unwrap());
    referee
}

/// Sends a line and returns the answer.
fn answer(program: &mut Program, line: &str) -> String {
    program.send(format!("{line}\n"));
    program.line(LIMIT).unwrap()
}

fn quit(mut program: Program) {
    program.send("quit\n");
    let exit = program.exit(LIMIT).unwrap();
    assert_eq!((exit.status, exit.rest.as_str(), exit.errors.as_str()), (Some(0), "", ""));
}

/// Asserts that a record's file name consists of `beginning`, one of `results`, a date with time, and `end`.
fn check_name(name: &str, beginning: &str, results: &[&str], end: &str) {
    let rest = name.strip_prefix(beginning).unwrap_or_else(|| panic!("{name} begins with {beginning}"));
    let result = results.iter().find_map(|result| rest.strip_prefix(result));
    let rest = result.unwrap_or_else(|| panic!("{name} has one of {results:?}"));
    let time = rest.strip_suffix(end).unwrap_or_else(|| panic!("{name} ends with {end}"));
    let digits: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(digits, "0000年00月00日 00时00分", "{name}");
}

/// Plays a whole game on 5x5, with the program as Black; returns the winner by the platform's rules.
fn play_to_the_end(program: &mut Program) -> Side {
    let mut referee = Board::new(start_position(5));
    let mut message = "new black".to_owned();
    loop {
        referee.accept(&answer(program, &message), Form::Sau).unwrap();
        if let Some(winner) = referee.position().winner() {
            program.send("end\n");
            return winner;
        }
        let mv = referee.play_any().unwrap();
        message = format!("move {}", referee.format_move(mv, Form::Sau));
        if let Some(winner) = referee.position().winner() {
            program.send(format!("{message}\n"));
            // `end` can arrive late on a busy machine; until then no answer is expected.
            program.silent(Duration::from_millis(50)).unwrap();
            program.send("end\n");
            return winner;
        }
    }
}

#[test]
fn finished_games_are_recorded_under_championship_names() {
    let folder = folder("finished");
    let mut options = vec!["--size", "5", "--iterations", "100", "--record-dir", text(&folder)];
    options.extend(["--team", "甲队", "--opponent", "乙/队: \"?", "--place", "重庆", "--event", "2026 CCGC"]);
    let mut program = start(&options);
    let winners: Vec<Side> = (0..4).map(|_| play_to_the_end(&mut program)).collect();
    quit(program);
    let records = files(&folder, "txt");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 4, "one for each game, even in the same minute");
    for path in &records {
        let (name, text) = (path.file_name().unwrap().to_str().unwrap(), read(path));
        let unnumbered = name.split(" (").next().unwrap().trim_end_matches(".txt");
        check_name(unnumbered, "AM-甲队B vs 乙_队_ __W-", &["先手胜-", "后手胜-"], " 重庆-2026 CCGC");
        assert!(text.starts_with("#[AM][甲队][乙/队: \"?]["), "{text}");
        assert_contains(&text, " 重庆][2026 CCGC];\r\n1 ");
    }
    for (winner, result) in [(Side::Black, "先手胜"), (Side::White, "后手胜")] {
        let count = winners.iter().filter(|&&side| side == winner).count();
        let has_won = |path: &&PathBuf| text(path).contains(result) && read(path).contains(result);
        assert_eq!(records.iter().filter(has_won).count(), count, "{result}: {records:?}");
    }
}

#[test]
fn a_game_resumes_from_a_killed_programs_record() {
    let folder = folder("killed");
    let options = ["--iterations", "100", "--seed", "5", "--record-dir", text(&folder)];
    let mut game = Game::black(&options);
    let message = game.reply();
    let expected = game.answer(LIMIT);
    // The program answers `name?` only after recording its move.
    answer(&mut game.program, "name?");
    drop(game);

    let (name, record) = only_record(&folder);
    check_name(&name, "AM-OtreraB vs OpponentW-", &["未完-"], "-Otrera.txt");
    assert!(record.starts_with("#[AM][Otrera][Opponent][未完]["), "{record}");
    assert_eq!(record.lines().count(), 3, "a header and two lines of moves: {record}");

    let record = folder.join(name);
    let mut program = start(&[&["resume", text(&record)], &options[..]].concat());
    answer(&mut program, "new black");
    assert_eq!(answer(&mut program, message.trim()), expected, "the same move as before the kill");
}

#[test]
fn a_truncated_record_resumes_from_its_complete_moves() {
    let folder = folder("torn");
    let (record, log) = (folder.join("game.txt"), folder.join("log"));
    // The fourth move is truncated; the three complete moves must be kept.
    let torn = "#[AM][A][B][未完][2020.08.16 11:44][E];\r\n1 d1d7(g7) a7d4(a7)\r\n2 g1e3(e10) d4e4(e";
    let utf_16: Vec<u8> =
        std::iter::once(0xfeff).chain(torn.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [torn.as_bytes(), &utf_16] {
        std::fs::write(&record, bytes).unwrap();
        let program = start(&["resume", text(&record), "--iterations", "100", "--log", text(&log)]);
        let mut game = Game::resumed(program, &OPENING[..3]);
        // Sends the record's last move again.
        game.program.send("move GJEHEA\n");
        game.answer(LIMIT);
        assert_contains(&read(&log), "is incomplete");
    }
}

/// Only three of ten attempts must succeed, since a busy machine can delay the others.
#[test]
fn pondering_stops_within_ten_milliseconds() {
    let log = folder("pondering").join("log");
    let mut program = start(&["--pondering", "on", "--move-time", "0.05", "--log", text(&log)]);
    for _ in 0..10 {
        answer(&mut program, "new black");
        program.silent(Duration::from_millis(50)).unwrap();
    }
    quit(program);
    let log = read(&log);
    let mut arrived = f64::NAN;
    let mut delays = Vec::new();
    for line in log.lines() {
        let (time, what) = line.trim_start().split_once(' ').unwrap();
        let time: f64 = time.parse().unwrap();
        match what {
            _ if what.starts_with("->") => arrived = time,
            _ if what.starts_with("-- stopped: ") => delays.push(time - arrived),
            _ => {}
        }
    }
    assert_eq!(delays.len(), 10, "{log}");
    delays.sort_by(f64::total_cmp);
    assert!(delays[2] <= 0.010, "{delays:?}");
}

/// Writes a record of the first moves of a game, with these names of the players.
fn record(path: &Path, names: [&str; 2], moves: &[&str]) {
    let mut text = format!("#[AM][{}][{}][未完][2026.11.22 09:00][CCGC];\r\n", names[0], names[1]);
    for (number, pair) in (1..).zip(moves.chunks(2)) {
        text += &format!("{number} {}\r\n", pair.join(" "));
    }
    std::fs::write(path, text).unwrap();
}

/// Starts the program with a record, as after a crash: the platform sends only `name?`.
fn reload_with_record(record: &Path, more: &[&str]) -> Program {
    let mut program = start(&[&["resume", text(record), "--iterations", "100"], more].concat());
    assert_eq!(answer(&mut program, "name?"), "name Otrera");
    program
}

#[test]
fn after_reload_on_our_turn_it_moves_unasked() {
    let folder = folder("unasked");
    let cases = [
        (["Otrera", "Opponent"], 2, &[][..]),
        (["Opponent", "Otrera"], 3, &[]),
        (["A", "B"], 2, &["--team", "A"]),
        (["A", "B"], 3, &["--opponent", "A"]),
        (["A", "A"], 3, &["--team", "A", "--side", "white"]),
        // The names do not tell our side, but the silence means that it is our turn.
        (["A", "B"], 2, &[]),
    ];
    at_once(cases.into_iter().enumerate(), |(number, (names, count, more))| {
        let file = folder.join(format!("record{number}.txt"));
        record(&file, names, &OPENING[..count]);
        let mut game = Game::resumed(reload_with_record(&file, more), &OPENING[..count]);
        game.program.silent(Duration::from_secs(1)).unwrap();
        game.answer(SOON);
        game.reply();
        game.answer(LIMIT);
    });
}

#[test]
fn after_reload_on_the_opponents_turn_it_waits() {
    let folder = folder("waits");
    at_once([(["Otrera", "Opponent"], 3), (["Opponent", "Otrera"], 2)], |(names, count)| {
        let file = folder.join(format!("record{count}.txt"));
        record(&file, names, &OPENING[..count]);
        let mut game = Game::resumed(reload_with_record(&file, &[]), &OPENING[..count]);
        game.program.silent(Duration::from_millis(3500)).unwrap();
        game.reply();
        game.answer(LIMIT);
    });
}

/// Returns one board for each legal reply to the first three moves of [`OPENING`].
fn boards_after_replies() -> impl Iterator<Item = Board> {
    let replies: Vec<Move> = board_after(&OPENING[..3]).position().legal_moves().collect();
    replies.into_iter().map(|reply| {
        let mut referee = board_after(&OPENING[..3]);
        referee.play(reply).unwrap();
        referee
    })
}

/// Asserts that fewer than 30 of the about 1400 legal replies to the first three moves of [`OPENING`] make the answer
/// illegal.
fn assert_legal_after_nearly_any_reply(answer: &str) {
    let refused =
        boards_after_replies().filter_map(|mut board| board.accept(answer, Form::Sau).err()).count();
    assert!(refused < 30, "{answer} is illegal after {refused} of about 1400 replies");
}

/// If the platform sends nothing for a long time after `name?` on the opponent's turn, the opponent's move was lost.
/// Our move must then be legal after nearly every possible reply.
#[test]
#[ignore = "slow"]
fn a_long_silence_triggers_a_safe_move() {
    let file = folder("lost").join("record.txt");
    record(&file, ["Otrera", "Opponent"], &OPENING[..3]);
    let mut game = Game::resumed(reload_with_record(&file, &["--total-time", "30"]), &OPENING[..3]);
    // The opponent's next move starts on the target square of the lost move.
    let lost: Move = "d10d9d10".parse().unwrap();
    game.referee.play(lost).unwrap();
    assert_legal_after_nearly_any_reply(&game.answer(SOON));
    let mv = game.referee.position().legal_moves().find(|mv| mv.from == lost.to).unwrap();
    game.referee.play(mv).unwrap();
    game.program.send(format!("move {}\n", game.referee.format_move(mv, Form::Sau)));
    game.answer(LIMIT);

    // A refusal leaves the replies that make the first move illegal; the second move must suit some of them.
    let mut program = reload_with_record(&file, &["--total-time", "30"]);
    let first = program.line(SOON).unwrap();
    let second = answer(&mut program, "error");
    let possible = boards_after_replies().filter_map(|mut board| {
        board.accept(&first, Form::Sau).is_err().then(|| board.accept(&second, Form::Sau).is_ok())
    });
    assert!(possible.filter(|&is_legal| is_legal).count() > 0, "{first} was refused, then {second}");
}

/// Writes a journal like that of a process that crashed `ago` seconds ago.
fn journal(folder: &Path, name: &str, us: &str, moves: &str, sent: bool, ago: f64) {
    let written = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs_f64() - ago;
    let line = format!(
        r#"{{"size":10,"us":"{us}","moves":"{moves}","sent":{sent},"left":50.0,"written":{written}}}"#
    );
    std::fs::write(folder.join(format!("{name}.game")), line + "\n").unwrap();
}

/// Starts the program with the record folder of a crashed process and sends `name?`. The log is the file `log` in this
/// folder.
fn reload_with_journal(folder: &Path, more: &[&str]) -> Program {
    let log = folder.join("log");
    let _ = std::fs::remove_file(&log);
    let own =
        ["--record-dir", text(folder), "--log", text(&log), "--total-time", "60", "--iterations", "100"];
    let mut program = start(&[&own, more].concat());
    assert_eq!(answer(&mut program, "name?"), "name Otrera");
    program
}

/// Waits until the log has at least `moves` lines with the time left; returns the log and the time of the last such
/// line, in seconds.
fn wait_for_clock(log: &Path, moves: usize) -> (String, f64) {
    let deadline = Instant::now() + LIMIT;
    loop {
        let text = read(log);
        let told: Vec<&str> = text.lines().filter_map(|line| line.strip_suffix(" s left")).collect();
        if let Some(last) = told.last().filter(|_| told.len() >= moves) {
            let seconds = last.split_whitespace().last().unwrap().parse().unwrap();
            return (text, seconds);
        }
        assert!(Instant::now() < deadline, "{moves} moves in {text}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn journals_in(folder: &Path) -> usize {
    files(folder, "game").len()
}

#[test]
fn a_crashed_game_resumes_with_its_clock_running() {
    let folder = folder("by-itself");
    let mut game = Game::black(&["--record-dir", text(&folder), "--total-time", "60", "--iterations", "100"]);
    // The opponent has moved; the program's answer will be lost.
    game.reply();
    let Game { mut program, referee } = game;
    let lost = program.line(LIMIT).unwrap();
    drop(program);
    let path = files(&folder, "game").remove(0);
    let text = read(&path);
    assert_contains(&text, &lost["move ".len()..]);
    // Edits the journal as if the kill had come before that answer.
    let before: Vec<&str> = text.lines().filter(|line| !line.contains(&lost["move ".len()..])).collect();
    std::fs::write(&path, before.join("\n") + "\n").unwrap();
    files(&folder, "txt").iter().for_each(|record| std::fs::remove_file(record).unwrap());

    let mut game = Game { program: reload_with_journal(&folder, &["--move-overhead", "0"]), referee };
    game.answer(SOON);
    let (log, left) = wait_for_clock(&folder.join("log"), 1);
    assert!(log.contains("its process crashed") && log.contains("no command after name?"), "{log}");
    // Our clock was charged the first move's overhead and two seconds of silence.
    assert!(left <= 60.0 - 0.4 - 2.0, "{log}");
    game.reply();
    game.answer(LIMIT);
    assert_eq!(journals_in(&folder), 1, "the game keeps its journal");
    answer(&mut game.program, "end\nname?");
    assert_eq!(journals_in(&folder), 0);
}

#[test]
fn quit_and_end_of_input_remove_the_journal() {
    for quits in [true, false] {
        let folder = folder(&format!("left-{quits}"));
        let Game { mut program, .. } = Game::black(&["--record-dir", text(&folder), "--iterations", "100"]);
        assert_eq!(journals_in(&folder), 1);
        if quits {
            program.send("quit\n");
        } else {
            program.close_input();
        }
        program.exit(LIMIT).unwrap();
        assert_eq!(journals_in(&folder), 0);
    }
}

/// The program must wait for a command, and the log must contain the reason.
#[test]
fn unsuitable_journals_are_not_resumed() {
    let game = "DJDDGD ADDGAD";
    let cases = [
        ("none", "no unfinished game", &[][..]),
        ("old", "no unfinished game", &[("a", "Black", "", 121.0)]),
        ("both", "both sides of one game", &[("a", "Black", game, 1.0), ("b", "White", game, 2.0)]),
    ];
    at_once(cases, |(name, why, journals)| {
        let folder = folder(name);
        for (name, us, moves, ago) in journals {
            journal(&folder, name, us, moves, true, *ago);
        }
        let mut program = reload_with_journal(&folder, &[]);
        program.silent(Duration::from_millis(2500)).unwrap_or_else(|moved| panic!("{name}: {moved}"));
        assert_contains(&read(&folder.join("log")), why);
    });
}

/// A journal is locked while the process that writes it runs. Only that process may continue its game.
#[test]
fn a_locked_journal_is_not_resumed() {
    let folder = folder("living");
    let mut living = Game::black(&["--record-dir", text(&folder), "--iterations", "100"]);
    let mut program = reload_with_journal(&folder, &[]);
    program.silent(Duration::from_millis(2500)).unwrap();
    living.reply();
    living.answer(LIMIT);
    assert_eq!(journals_in(&folder), 1);
}

#[test]
fn side_selects_between_two_crashed_games() {
    let folder = folder("one-side");
    journal(&folder, "a", "Black", "DJDDGD ADDGAD", true, 2.0);
    journal(&folder, "b", "White", "DJDDGD ADDGAD", true, 1.0);
    Game::resumed(reload_with_journal(&folder, &["--side", "black"]), &OPENING[..2]).answer(SOON);
}

/// The journal contains our move, but the platform may not have received it. The platform ignores a repeated move.
#[test]
fn a_possibly_unsent_move_is_sent_again() {
    let folder = folder("unsent");
    journal(&folder, "a", "Black", "DJDDGD ADDGAD GJEHEA", false, 1.0);
    let mut program = reload_with_journal(&folder, &[]);
    assert_eq!(program.line(SOON).unwrap(), "move GJEHEA");
    // `error` means that the platform already had the move and that the reply was lost.
    assert_legal_after_nearly_any_reply(&answer(&mut program, "error"));
}

#[test]
fn the_opponents_move_resumes_without_charging_our_clock() {
    let folder = folder("answered");
    journal(&folder, "a", "Black", "DJDDGD ADDGAD GJEHEA", true, 30.0);
    let program = reload_with_journal(&folder, &["--move-overhead", "0"]);
    let mut game = Game::resumed(program, &OPENING[..3]);
    game.reply();
    game.answer(LIMIT);
    let (log, left) = wait_for_clock(&folder.join("log"), 1);
    assert!((45.0..=50.0).contains(&left), "50 s were left on the opponent's turn: {log}");
}

#[test]
fn a_new_game_discards_the_crashed_one() {
    let folder = folder("forgotten");
    journal(&folder, "a", "White", "DJDDGD", true, 1.0);
    let mut program = reload_with_journal(&folder, &["--seed", "1"]);
    program.line(SOON).unwrap();
    program.send("new black\n");
    Game::resumed(program, &[]).answer(LIMIT);
    assert!(!folder.join("a.game").exists());
    assert_eq!(journals_in(&folder), 1, "the journal of the new game");
    let (_, record) = only_record(&folder);
    assert_eq!(record.matches('(').count(), 1, "{record}");
}

/// The platform's own record contains a move that was made while no program ran, and shows whether the platform
/// received our last move.
#[test]
fn the_platforms_record_completes_the_journal() {
    let old = "Black: DJDDGD\r\nWhite: ADDGAD\r\n";
    let game = "Black: DJDDGD\r\nWhite: ADDGAD\r\nBlack: GJEHEA\r\n";
    let loaded = |name: &str, place: &str, text_of_platform: String| {
        let folder = folder(&format!("platform-{name}"));
        let file = folder.join("platform").join(place);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text_of_platform).unwrap();
        journal(&folder, "a", "Black", "DJDDGD ADDGAD GJEHEA", true, 1.0);
        let program = reload_with_journal(&folder, &["--platform-dir", text(&folder.join("platform"))]);
        (program, folder)
    };
    std::thread::scope(|scope| {
        for (name, place) in [("open", "Untitled.sgf"), ("saved", "chess manual/亚马逊棋/sgf/Monday.sgf")]
        {
            scope.spawn(move || {
                let (program, folder) = loaded(name, place, format!("{old}{game}White: DGEGEC\r\n"));
                Game::resumed(program, &OPENING).answer(SOON);
                assert_contains(&only_record(&folder).1, "d4e4(e8)");
            });
        }
        scope.spawn(move || {
            let (mut program, _) = loaded("lacks-our-move", "Untitled.sgf", format!("{game}{old}"));
            assert_eq!(program.line(SOON).unwrap(), "move GJEHEA");
        });
        // While the opponent thinks, even a long silence triggers no move.
        scope.spawn(move || {
            let (mut program, _) = loaded("thinks", "Untitled.sgf", format!("{old}{game}"));
            program.silent(Duration::from_millis(5000)).unwrap();
        });
    });
}

/// `resume-time-left` sets the time left of the resumed game only. From the difference to its own count, the program
/// computes the overhead per move for later games.
#[test]
fn resume_time_left_applies_to_one_game_only() {
    let folder = folder("time-left");
    let program = installed(&folder);
    let log = folder.join("log");
    let loaded = |more: &[&str]| {
        let mut command = Command::new(&program);
        command.args(["--record-dir", text(&folder), "--log", text(&log)]);
        command.args(["--total-time", "60", "--iterations", "100", "--move-overhead", "0.4"]).args(more);
        let mut program = Program::start(command);
        answer(&mut program, "name?");
        program
    };
    let mut referee = board_after(&[]);
    let mut any_move = || referee.play_any().map(|mv| referee.format_move(mv, Form::Sau)).unwrap();
    let moves: Vec<String> = (0..10).map(|_| any_move()).collect();
    journal(&folder, "a", "Black", &moves.join(" "), true, 1.0);
    let mut resumed = loaded(&["--resume-time-left", "45"]);
    resumed.line(SOON).unwrap();
    let (text_of_log, left) = wait_for_clock(&log, 1);
    assert!((38.0..=43.0).contains(&left), "{text_of_log}");
    answer(&mut resumed, "end\nnew black");
    let (text_of_log, left) = wait_for_clock(&log, 2);
    assert!(left > 58.0, "{text_of_log}");
    quit(resumed);

    // We counted 49 s and the platform had 45 s left: 0.8 s more for each of our five moves.
    let learned = read(&folder.join("otrera-overhead.txt"));
    assert!((1.0..1.25).contains(&learned.trim().parse::<f64>().unwrap()), "{learned}");
    let mut next = loaded(&["--log", text(&folder.join("next"))]);
    answer(&mut next, "new black");
    let (text_of_log, left) = wait_for_clock(&folder.join("next"), 1);
    assert!(left < 60.0 - 1.0, "{text_of_log}");
}

#[test]
fn new_discards_unasked_moves_and_replays_the_record() {
    let folder = folder("wiped");
    let (file, records) = (folder.join("record.txt"), folder.join("records"));
    record(&file, ["Otrera", "Opponent"], &OPENING);
    let mut program = reload_with_record(&file, &["--record-dir", text(&records)]);
    program.line(SOON).unwrap();
    assert_eq!(answer(&mut program, "new black"), "move DJDDGD");
    assert_eq!(answer(&mut program, "move ADDGAD"), "move GJEHEA");
    quit(program);
    assert_eq!(std::fs::read_dir(&records).unwrap().count(), 1);
}

/// According to the record it is our turn, but the opponent moves: the record lacks our last move.
#[test]
fn an_opponents_move_out_of_turn_is_accepted() {
    let file = folder("believed").join("record.txt");
    record(&file, ["Otrera", "Opponent"], &OPENING[..2]);
    let loaded = |more: &[&str]| {
        let mut game = Game::resumed(reload_with_record(&file, more), &OPENING[..2]);
        game.referee.pass();
        game
    };
    for wait in [0, 3000] {
        // The opponent's move arrives at once, or while the program is thinking.
        let mut game = loaded(&["--iterations", "1000000000", "--move-time", "60"]);
        game.program.silent(Duration::from_millis(wait)).unwrap();
        game.reply();
        game.program.send("quit\n");
        assert_eq!(game.program.exit(LIMIT).unwrap().status, Some(0));
    }
    let mut game = loaded(&[]);
    game.reply();
    game.answer(SOON);
}

#[test]
fn a_decided_record_is_not_resumed() {
    let file = folder("decided").join("record.txt");
    record(&file, ["Otrera", "Opponent"], &OPENING);
    std::fs::write(&file, read(&file).replace("未完", "先手胜")).unwrap();
    reload_with_record(&file, &[]).silent(Duration::from_millis(3500)).unwrap();
}

/// The platform appends every game to the same file. Black's first move of the next game can directly follow Black's
/// last move.
#[test]
fn the_last_of_several_games_is_resumed() {
    let folder = folder("several");
    let (file, log) = (folder.join("Untitled.sgf"), folder.join("log"));
    let old = "Black: DJDDGD\r\nWhite: ADDGAD\r\nBlack: GJEHEA\r\n";
    for (text_of_file, moves) in [
        (format!("{old}{old}White: DGEGEC\r\n"), 4),
        (format!("{old}White: DGEGEC\r\n{old}"), 3),
        (format!("{old}{old}{old}White: DGEGEC\r\n"), 4),
    ] {
        std::fs::write(&file, text_of_file).unwrap();
        let _ = std::fs::remove_file(&log);
        let side = if moves == 4 { "black" } else { "white" };
        let program = reload_with_record(&file, &["--side", side, "--log", text(&log)]);
        Game::resumed(program, &OPENING[..moves]).answer(SOON);
        let log = read(&log);
        assert!(log.contains(&format!("resume: {moves} moves")) && log.contains("last of"), "{log}");
        assert!(!log.contains("!!"), "{log}");
    }
    // Our own records, concatenated.
    record(&file, ["Otrera", "Opponent"], &OPENING[..3]);
    let first = read(&file).replace("未完", "先手胜");
    record(&file, ["Otrera", "Opponent"], &OPENING[..2]);
    std::fs::write(&file, first + &read(&file)).unwrap();
    Game::resumed(reload_with_record(&file, &[]), &OPENING[..2]).answer(SOON);
}

/// A program that is killed right after sending a move has already recorded the move.
#[test]
fn a_move_is_recorded_before_it_is_sent() {
    for number in 0..10 {
        let folder = folder(&format!("before-{number}"));
        let game = Game::black(&["--iterations", "100", "--record-dir", text(&folder)]);
        let (_, record) = only_record(&folder);
        let mv = game.referee.moves()[0];
        assert_contains(&record, &format!("1 {}{}({})", mv.from, mv.to, mv.arrow));
    }
}

#[test]
fn a_refusal_starts_a_new_search() {
    let log = folder("refused").join("log");
    let mut game = Game::black(&["--iterations", "500", "--seed", "1", "--log", text(&log)]);
    let thoughts = || read(&log).matches(" n=5").count();
    let mut movements = Vec::new();
    for count in 2..12 {
        movements.push(game.referee.moves()[0].movement());
        game.refuse();
        game.answer(LIMIT);
        assert_eq!(thoughts(), count, "{}", read(&log));
    }
    // A movement refused with two arrows is not tried again.
    let often = |movement| movements.iter().filter(|&other| other == movement).count();
    assert!(movements.iter().all(|movement| often(movement) <= 2), "{movements:?}");
}

/// After a refusal, the replacement move takes less than 1 s; the next move takes more than 1 s again.
#[test]
fn a_refusal_shortens_only_the_replacement_move() {
    let mut game = Game::black(&["--move-time", "1.5"]);
    let mut quickest = Duration::MAX;
    for _ in 0..3 {
        let began = Instant::now();
        game.refuse();
        game.answer(LIMIT);
        quickest = quickest.min(began.elapsed());
    }
    assert!(quickest < Duration::from_secs(1), "{quickest:?}");
    game.reply();
    game.program.silent(Duration::from_millis(1000)).unwrap();
    game.answer(LIMIT);
}

/// Kills the program before, while or after it sends its first move. A move sent after the test's last read is lost.
#[test]
#[ignore = "slow"]
fn resumes_from_its_record_after_any_kill() {
    for (count, wait) in [10, 295, 305, 500].into_iter().enumerate() {
        let folder = folder(&format!("kill-{count}"));
        let options = ["--move-time", "0.3", "--total-time", "30", "--record-dir", text(&folder)];
        let (mut program, mut referee) = (start(&options), board_after(&[]));
        program.send("new black\n");
        if let Ok(answer) = program.line(Duration::from_millis(wait)) {
            referee.accept(&answer, Form::Sau).unwrap();
        }
        // On a busy machine the program may not have read `new` yet.
        let deadline = Instant::now() + LIMIT;
        while files(&folder, "txt").is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(program);
        let record = folder.join(only_record(&folder).0);
        let mut game = Game { program: start(&[&["resume", text(&record)], &options[..]].concat()), referee };
        answer(&mut game.program, "name?");
        for _ in 0..3 {
            if game.referee.position().side() == Side::White {
                game.reply();
            }
            let line = game.program.line(SOON).unwrap_or_else(|why| panic!("killed after {wait} ms: {why}"));
            if game.referee.accept(&line, Form::Sau).is_err() {
                // The killed program had sent its move after we stopped reading, so this move is refused.
                game.program.send("error\n");
                game.answer(SOON);
            }
        }
    }
}

/// The preset `paper` uses random rollouts. If all processes had the same seed, an opponent could predict their moves.
#[test]
fn processes_without_a_seed_play_differently() {
    let first_moves = |seed: &[&str]| -> HashSet<String> {
        let options = ["--preset", "paper", "--iterations", "30", "--threads", "1"];
        (0..8).map(|_| answer(&mut start(&[&options, seed].concat()), "new black")).collect()
    };
    assert!(first_moves(&[]).len() > 1, "all eight moves are the same");
    assert_eq!(first_moves(&["--seed", "5"]).len(), 1, "one move for each seed");
    assert_ne!(first_moves(&["--seed", "5"]), first_moves(&["--seed", "6"]));
}

/// With a fixed seed, one thread and a fixed number of iterations, all games have the same moves, even after refusals.
#[test]
fn no_state_carries_over_between_games() {
    let mut program = start(&["--iterations", "200", "--threads", "1", "--seed", "1"]);
    let mut game = |begin: &str| [begin, "error", "error"].map(|line| answer(&mut program, line));
    let first = game("new black");
    assert_eq!(first.iter().collect::<HashSet<_>>().len(), 3, "another move each time: {first:?}");
    assert_eq!(game("new black"), first, "without `end` between them");
    assert_eq!(game("end\nnew black"), first, "after `end`");
}

/// Returns a 4x4 game whose last move blocks the mover's own amazons, while the other side has several moves. The game
/// is over by the platform's rules and continues by the standard rules.
fn self_blocking_game() -> (Vec<Move>, Position) {
    let mut rng = fastrand::Rng::with_seed(1);
    loop {
        let mut position = Position::start(Size::new(4).unwrap());
        let mut moves = Vec::new();
        while position.winner().is_none() {
            moves.push(random_move(&position, &mut rng));
            position = position.with_move(moves[moves.len() - 1]);
            let is_over = position.with_rules(Rules::SelfBlocking).winner() == Some(position.side());
            if is_over && position.winner().is_none() && position.legal_moves().nth(1).is_some() {
                return (moves, position);
            }
        }
    }
}

/// A referee by the standard rules does not send `end`, but waits for our move.
#[test]
fn a_self_blocked_game_continues_by_standard_rules() {
    let (moves, position) = self_blocking_game();
    let record = folder("played-on").join("moves.txt");
    let words: Vec<String> = moves.iter().map(ToString::to_string).collect();
    std::fs::write(&record, words.join(" ")).unwrap();
    let program = start(&["resume", text(&record), "--size", "4", "--iterations", "100"]);
    let mut game = Game { program, referee: Board::new(position) };
    let last = game.referee.format_move(moves[moves.len() - 1], Form::Sau);
    game.program.send(format!("move {last}\n"));
    game.answer(LIMIT);
}
