//! Games on the SAU platform: record names, resuming after a kill, and pondering that stops at once.

use otrera::{Position, Rules, Side, Size};
use otrera_referee::board::Board;
use otrera_referee::notation::Form;
use otrera_referee::program::Program;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testkit::at_once;

const LIMIT: Duration = Duration::from_secs(60);

/// A new empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sau-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn start(arguments: &[&str]) -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_otrera"));
    command.args(arguments);
    Program::start(command)
}

fn board(edge: usize) -> Position {
    Position::start(Size::new(edge).unwrap()).with_rules(Rules::SelfBlocking)
}

/// Returns the names and contents of the files in a folder.
fn files_in(folder: &Path) -> Vec<(String, String)> {
    files_ending_in(folder, "")
}

/// Returns the names and contents of the records in a folder. A program that is playing may rename its draft at any
/// moment, so other files are not read.
fn records_in(folder: &Path) -> Vec<(String, String)> {
    files_ending_in(folder, ".txt")
}

fn files_ending_in(folder: &Path, end: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path));
    let wanted = named.filter(|(name, _)| name.ends_with(end));
    wanted.map(|(name, path)| (name, std::fs::read_to_string(path).unwrap())).collect()
}

/// The parts of a record's name and whether they are in order.
fn check_name(name: &str, beginning: &str, results: &[&str], end: &str) {
    let rest = name.strip_prefix(beginning).unwrap_or_else(|| panic!("{name} begins with {beginning}"));
    let result = results.iter().find_map(|result| rest.strip_prefix(result));
    let rest = result.unwrap_or_else(|| panic!("{name} has one of {results:?}"));
    let time = rest.strip_suffix(end).unwrap_or_else(|| panic!("{name} ends with {end}"));
    let digits: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(digits, "0000年00月00日 00时00分", "{name}");
}

/// Plays a whole game on a small board; the winner by the platform's rules.
fn play_to_the_end(program: &mut Program) -> Side {
    let mut referee = Board::new(board(5));
    let mut message = "new black".to_owned();
    loop {
        program.send(format!("{message}\n").into_bytes());
        referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
        if let Some(winner) = referee.position().winner() {
            program.send(b"end\n");
            return winner;
        }
        let mv = referee.play_any().unwrap();
        message = format!("move {}", referee.format_move(mv, Form::Sau));
        if let Some(winner) = referee.position().winner() {
            program.send(format!("{message}\n").into_bytes());
            // On a busy machine the end may come late; there is nothing to say meanwhile.
            program.silent(Duration::from_millis(50)).unwrap();
            program.send(b"end\n");
            return winner;
        }
    }
}

#[test]
fn a_finished_game_is_recorded_under_the_competitions_name() {
    let folder = folder("finished");
    let mut program = start(&[
        "--size",
        "5",
        "--iterations",
        "100",
        "--record-dir",
        folder.to_str().unwrap(),
        "--team",
        "甲队",
        "--opponent",
        "乙/队: \"?",
        "--place",
        "重庆",
        "--event",
        "2026 CCGC",
    ]);
    let winners: Vec<Side> = (0..4).map(|_| play_to_the_end(&mut program)).collect();
    program.send(b"quit\n");
    let exit = program.exit(LIMIT).unwrap();
    assert_eq!((exit.status, exit.rest.as_str(), exit.errors.as_str()), (Some(0), "", ""));
    let files = files_in(&folder);
    assert_eq!(files.len(), 4, "one for each game, even in the same minute: {files:?}");
    for (name, text) in &files {
        let unnumbered = name.split(" (").next().unwrap().trim_end_matches(".txt");
        check_name(unnumbered, "AM-甲队B vs 乙_队_ __W-", &["先手胜-", "后手胜-"], " 重庆-2026 CCGC");
        assert!(text.starts_with("#[AM][甲队][乙/队: \"?]["), "{text}");
        assert!(text.contains(" 重庆][2026 CCGC];\r\n1 "), "{text}");
    }
    for (winner, result) in [(Side::Black, "先手胜"), (Side::White, "后手胜")] {
        let count = winners.iter().filter(|&&side| side == winner).count();
        let recorded = |(name, text): &&(String, String)| name.contains(result) && text.contains(result);
        assert_eq!(files.iter().filter(recorded).count(), count, "{result}: {files:?}");
    }
}

#[test]
fn a_killed_program_leaves_a_record_and_the_game_goes_on_from_it() {
    let folder = folder("killed");
    let options = ["--iterations", "100", "--seed", "5", "--record-dir", folder.to_str().unwrap()];
    let mut referee = Board::new(board(10));
    let mut program = start(&options);
    program.send(b"new black\n");
    referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
    let last = referee.play_any().unwrap();
    let message = format!("move {}\n", referee.format_move(last, Form::Sau));
    program.send(message.clone().into_bytes());
    let answer = program.line(LIMIT).unwrap();
    // It is recorded before anything else is done.
    program.send(b"name?\n");
    program.line(LIMIT).unwrap();
    drop(program);

    let files = records_in(&folder);
    let [(name, text)] = &files[..] else { panic!("{files:?}") };
    check_name(name, "AM-OtreraB vs OpponentW-", &["未完-"], "-Otrera.txt");
    assert!(text.starts_with("#[AM][Otrera][Opponent][未完]["), "{text}");
    assert_eq!(text.lines().count(), 3, "a header and two lines of moves: {text}");

    let record = folder.join(name);
    let mut program = start(&[&["resume", record.to_str().unwrap()], &options[..]].concat());
    program.send(b"new black\n");
    program.line(LIMIT).unwrap();
    program.send(message.into_bytes());
    assert_eq!(program.line(LIMIT).unwrap(), answer, "the same move as before the kill");
}

#[test]
fn a_game_goes_on_from_what_is_whole_of_a_torn_record() {
    let folder = folder("torn");
    let (record, log) = (folder.join("game.txt"), folder.join("log"));
    // White is to move after three moves; that the fourth is torn must not cost the others.
    let text = "#[AM][A][B][未完][2020.08.16 11:44][E];\r\n1 d1d7(g7) a7d4(a7)\r\n2 g1e3(e10) d4e4(e";
    let utf_16: Vec<u8> =
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [text.as_bytes(), &utf_16] {
        std::fs::write(&record, bytes).unwrap();
        let options = ["--iterations", "100", "--log", log.to_str().unwrap()];
        let mut program = start(&[&["resume", record.to_str().unwrap()], &options[..]].concat());
        // The last move of the record, sent once more.
        program.send(b"move GJEHEA\n");
        let mut referee = Board::new(board(10));
        for mv in ["d1d7g7", "a7d4a7", "g1e3e10"] {
            referee.play(mv.parse().unwrap()).unwrap();
        }
        referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
        let log = std::fs::read_to_string(&log).unwrap();
        assert!(log.contains("breaks off"), "{log}");
    }
}

/// Ten times, of which three must hold, since a busy machine delays most of them.
#[test]
fn pondering_stops_within_ten_milliseconds() {
    let log = folder("pondering").join("log");
    let mut program = start(&["--pondering", "on", "--move-time", "0.05", "--log", log.to_str().unwrap()]);
    for _ in 0..10 {
        program.send(b"new black\n");
        program.line(LIMIT).unwrap();
        program.silent(Duration::from_millis(50)).unwrap();
    }
    program.send(b"quit\n");
    assert_eq!(program.exit(LIMIT).unwrap().status, Some(0));
    let log = std::fs::read_to_string(&log).unwrap();
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

/// A record of the first moves of a game, with these headers' names.
fn record(path: &Path, names: [&str; 2], moves: &[&str]) {
    let mut text = format!("#[AM][{}][{}][未完][2026.11.22 09:00][CCGC];\r\n", names[0], names[1]);
    for (number, pair) in (1..).zip(moves.chunks(2)) {
        text += &format!("{number} {}\r\n", pair.join(" "));
    }
    std::fs::write(path, text).unwrap();
}

/// A referee on 10x10 who has seen these moves.
fn after(moves: &[&str]) -> Board {
    let mut referee = Board::new(board(10));
    moves.iter().for_each(|mv| referee.play(mv.parse().unwrap()).unwrap());
    referee
}

const OPENING: [&str; 4] = ["d1d7(g7)", "a7d4(a7)", "g1e3(e10)", "d4e4(e8)"];

/// Loaded again after a crash: the platform says `name?` and nothing else.
fn loaded_again(record: &Path, more: &[&str]) -> Program {
    let options = ["resume", record.to_str().unwrap(), "--iterations", "100"];
    let mut program = start(&[&options, more].concat());
    program.send(b"name?\n");
    assert_eq!(program.line(LIMIT).unwrap(), "name Otrera");
    program
}

const SOON: Duration = Duration::from_secs(10);

#[test]
fn loaded_again_on_our_turn_it_moves_unasked() {
    let folder = folder("unasked");
    let cases = [
        (["Otrera", "Opponent"], 2, &[][..]),
        (["Opponent", "Otrera"], 3, &[]),
        (["A", "B"], 2, &["--team", "A"]),
        (["A", "B"], 3, &["--opponent", "A"]),
        (["A", "A"], 3, &["--team", "A", "--side", "white"]),
        // Nothing says whose side is ours: that nobody moves does.
        (["A", "B"], 2, &[]),
    ];
    at_once(cases.into_iter().enumerate(), |(number, (names, count, more))| {
        let file = folder.join(format!("record{number}.txt"));
        record(&file, names, &OPENING[..count]);
        let mut program = loaded_again(&file, more);
        program.silent(Duration::from_secs(1)).unwrap();
        let mut referee = after(&OPENING[..count]);
        let answer = program.line(SOON).unwrap_or_else(|why| panic!("{names:?}, {count} moves: {why}"));
        referee.accept(&answer, Form::Sau).unwrap();
        let mv = referee.play_any().unwrap();
        program.send(format!("move {}\n", referee.format_move(mv, Form::Sau)).into_bytes());
        referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
    });
}

#[test]
fn loaded_again_on_the_opponents_turn_it_waits() {
    let folder = folder("waits");
    at_once([(["Otrera", "Opponent"], 3), (["Opponent", "Otrera"], 2)], |(names, count)| {
        let file = folder.join(format!("record{count}.txt"));
        record(&file, names, &OPENING[..count]);
        let mut program = loaded_again(&file, &[]);
        program.silent(Duration::from_millis(3500)).unwrap();
        let mut referee = after(&OPENING[..count]);
        let mv = referee.play_any().unwrap();
        program.send(format!("move {}\n", referee.format_move(mv, Form::Sau)).into_bytes());
        referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
    });
}

/// Asserts that an answer is legal after nearly any reply to the first three moves of the opening.
fn assert_legal_after_nearly_any_reply(answer: &str) {
    let mut refused = 0;
    for reply in after(&OPENING[..3]).position().legal_moves().collect::<Vec<_>>() {
        let mut referee = after(&OPENING[..3]);
        referee.play(reply).unwrap();
        refused += usize::from(referee.accept(answer, Form::Sau).is_err());
    }
    assert!(refused < 30, "{answer} is illegal after {refused} replies of some 1400");
}

/// On the opponent's turn a long silence says that its move was lost: ours must be legal after nearly any.
#[test]
#[ignore = "slow"]
fn a_long_silence_makes_it_move_whatever_the_opponent_has_played() {
    let file = folder("lost").join("record.txt");
    record(&file, ["Otrera", "Opponent"], &OPENING[..3]);
    let mut program = loaded_again(&file, &["--total-time", "30"]);
    let answer = program.line(SOON).unwrap();
    assert_legal_after_nearly_any_reply(&answer);
    // It was legal, and the opponent's next move comes from where the lost one has led to.
    let mut referee = after(&OPENING[..3]);
    let lost = "d10d9d10".parse().unwrap();
    referee.play(lost).unwrap();
    referee.accept(&answer, Form::Sau).unwrap();
    let next = |referee: &Board| referee.position().legal_moves().find(|mv| mv.from == lost.to).unwrap();
    let mv = next(&referee);
    referee.play(mv).unwrap();
    program.send(format!("move {}\n", referee.format_move(mv, Form::Sau)).into_bytes());
    referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();

    // Refused, it tells which replies are possible, and none is tried that is illegal after most of them.
    let mut program = loaded_again(&file, &["--total-time", "30"]);
    let answer = program.line(SOON).unwrap();
    program.send(b"error\n");
    let second = program.line(LIMIT).unwrap();
    let possible: Vec<Board> = after(&OPENING[..3])
        .position()
        .legal_moves()
        .filter_map(|reply| {
            let mut referee = after(&OPENING[..3]);
            referee.play(reply).unwrap();
            referee.accept(&answer, Form::Sau).is_err().then_some(referee)
        })
        .collect();
    let legal =
        possible.into_iter().filter_map(|mut referee| referee.accept(&second, Form::Sau).ok()).count();
    assert!(legal > 0, "{answer} was refused, then {second}");
}

/// A journal as a crashed process leaves it, some seconds ago.
fn journal(folder: &Path, name: &str, us: &str, moves: &str, sent: bool, ago: f64) {
    let written = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs_f64() - ago;
    let line = format!(
        r#"{{"size":10,"us":"{us}","moves":"{moves}","sent":{sent},"left":50.0,"written":{written}}}"#
    );
    std::fs::write(folder.join(format!("{name}.game")), line + "\n").unwrap();
}

/// Starts the program again in the folder of a crashed process; the log reports the resumed game.
fn loaded_after_crash(folder: &Path, more: &[&str]) -> Program {
    let log = folder.join("log");
    let _ = std::fs::remove_file(&log);
    let own = ["--record-dir", folder.to_str().unwrap(), "--log", log.to_str().unwrap()];
    let mut program = start(&[&own, &["--total-time", "60", "--iterations", "100"], more].concat());
    program.send(b"name?\n");
    assert_eq!(program.line(LIMIT).unwrap(), "name Otrera");
    program
}

/// The log, once it tells of the clock after this many moves, and the seconds left that it tells of last.
fn clock_of(log: &Path, moves: usize) -> (String, f64) {
    let deadline = std::time::Instant::now() + LIMIT;
    loop {
        let text = std::fs::read_to_string(log).unwrap();
        let told: Vec<&str> = text.lines().filter_map(|line| line.strip_suffix(" s left")).collect();
        if let Some(last) = told.last().filter(|_| told.len() >= moves) {
            let seconds = last.split_whitespace().last().unwrap().parse().unwrap();
            return (text, seconds);
        }
        assert!(std::time::Instant::now() < deadline, "{moves} moves in {text}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn journals_in(folder: &Path) -> usize {
    std::fs::read_dir(folder)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "game"))
        .count()
}

/// Returns the moves of the record in a folder.
fn recorded(folder: &Path) -> String {
    let [(_, text)] = <[_; 1]>::try_from(records_in(folder)).unwrap();
    text
}

#[test]
fn a_game_of_a_killed_process_goes_on_by_itself_and_its_clock_runs_on() {
    let folder = folder("by-itself");
    let options = ["--record-dir", folder.to_str().unwrap(), "--total-time", "60", "--iterations"];
    let mut program = start(&[&options[..], &["100"]].concat());
    program.send(b"name?\nnew black\n");
    program.line(LIMIT).unwrap();
    let mut referee = Board::new(board(10));
    referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
    // The opponent's move was read, ours not yet made.
    let mv = referee.play_any().unwrap();
    program.send(format!("move {}\n", referee.format_move(mv, Form::Sau)).into_bytes());
    let lost = program.line(LIMIT).unwrap();
    drop(program);
    let path = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let path = path.into_iter().find(|path| path.extension().is_some_and(|end| end == "game")).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(&lost["move ".len()..]), "{text}");
    // As if it had been killed before it announced that move.
    let before: Vec<&str> = text.lines().filter(|line| !line.contains(&lost["move ".len()..])).collect();
    std::fs::write(&path, before.join("\n") + "\n").unwrap();
    for (name, _) in &records_in(&folder) {
        std::fs::remove_file(folder.join(name)).unwrap();
    }

    let mut program = loaded_after_crash(&folder, &["--move-overhead", "0"]);
    referee.accept(&program.line(SOON).unwrap(), Form::Sau).unwrap();
    let (log, left) = clock_of(&folder.join("log"), 1);
    assert!(log.contains("its process crashed") && log.contains("no command after name?"), "{log}");
    // The first process has charged one move, and two seconds of silence are ours.
    assert!(left <= 60.0 - 0.4 - 2.0, "{log}");
    let mv = referee.play_any().unwrap();
    program.send(format!("move {}\n", referee.format_move(mv, Form::Sau)).into_bytes());
    referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
    assert_eq!(journals_in(&folder), 1, "the same journal goes on");
    program.send(b"end\nname?\n");
    program.line(LIMIT).unwrap();
    assert_eq!(journals_in(&folder), 0);
}

#[test]
fn quit_and_the_end_of_input_leave_nothing_to_resume() {
    for quits in [true, false] {
        let folder = folder(&format!("left-{quits}"));
        let options = ["--record-dir", folder.to_str().unwrap(), "--iterations", "100"];
        let mut program = start(&options);
        program.send(b"new black\n");
        program.line(LIMIT).unwrap();
        assert_eq!(journals_in(&folder), 1);
        if quits {
            program.send(b"quit\n");
        } else {
            program.close_input();
        }
        program.exit(LIMIT).unwrap();
        assert_eq!(journals_in(&folder), 0);
    }
}

/// Each of them alone keeps a process from moving unasked, and the log says why.
#[test]
fn what_is_no_crashed_game_is_not_resumed() {
    let check = |name: &str, why: &str, prepare: &(dyn Fn(&Path) + Sync)| {
        let folder = folder(name);
        prepare(&folder);
        let mut program = loaded_after_crash(&folder, &[]);
        program.silent(Duration::from_millis(2500)).unwrap_or_else(|moved| panic!("{name}: {moved}"));
        let log = std::fs::read_to_string(folder.join("log")).unwrap();
        assert!(log.contains(why), "{name}: {log}");
    };
    std::thread::scope(|scope| {
        scope.spawn(|| check("none", "no unfinished game", &|_| ()));
        scope.spawn(|| {
            check("old", "no unfinished game", &|folder| journal(folder, "a", "Black", "", true, 121.0));
        });
        scope.spawn(|| {
            check("both", "both sides of one game", &|folder| {
                journal(folder, "a", "Black", "DJDDGD ADDGAD", true, 1.0);
                journal(folder, "b", "White", "DJDDGD ADDGAD", true, 2.0);
            });
        });
        // One that lives holds its journal, and takes no harm.
        scope.spawn(|| {
            let folder = folder("living");
            let options = ["--record-dir", folder.to_str().unwrap(), "--iterations", "100"];
            let mut living = start(&options);
            living.send(b"new black\n");
            let mut referee = Board::new(board(10));
            referee.accept(&living.line(LIMIT).unwrap(), Form::Sau).unwrap();
            let mut program = loaded_after_crash(&folder, &[]);
            program.silent(Duration::from_millis(2500)).unwrap();
            let mv = referee.play_any().unwrap();
            living.send(format!("move {}\n", referee.format_move(mv, Form::Sau)).into_bytes());
            referee.accept(&living.line(LIMIT).unwrap(), Form::Sau).unwrap();
            assert_eq!(journals_in(&folder), 1);
        });
    });
}

#[test]
fn of_two_crashed_sides_that_which_the_settings_name_goes_on() {
    let folder = folder("one-side");
    journal(&folder, "a", "Black", "DJDDGD ADDGAD", true, 2.0);
    journal(&folder, "b", "White", "DJDDGD ADDGAD", true, 1.0);
    let mut program = loaded_after_crash(&folder, &["--side", "black"]);
    after(&OPENING[..2]).accept(&program.line(SOON).unwrap(), Form::Sau).unwrap();
}

/// Announced and perhaps not sent: the platform overlooks it if it has had it.
#[test]
fn a_move_that_was_perhaps_not_sent_is_sent_again() {
    let folder = folder("unsent");
    journal(&folder, "a", "Black", "DJDDGD ADDGAD GJEHEA", false, 1.0);
    let mut program = loaded_after_crash(&folder, &[]);
    assert_eq!(program.line(SOON).unwrap(), "move GJEHEA");
    // Refused, it says that the platform had it and that the reply was lost.
    program.send(b"error\n");
    let answer = program.line(LIMIT).unwrap();
    assert_legal_after_nearly_any_reply(&answer);
}

#[test]
fn the_opponents_move_goes_on_with_a_crashed_game_and_the_clock_has_not_run() {
    let folder = folder("answered");
    journal(&folder, "a", "Black", "DJDDGD ADDGAD GJEHEA", true, 30.0);
    let mut program = loaded_after_crash(&folder, &["--move-overhead", "0"]);
    let mut referee = after(&OPENING[..3]);
    let mv = referee.play_any().unwrap();
    program.send(format!("move {}\n", referee.format_move(mv, Form::Sau)).into_bytes());
    referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
    let (log, left) = clock_of(&folder.join("log"), 1);
    assert!((45.0..=50.0).contains(&left), "50 s were left on the opponent's turn: {log}");
}

#[test]
fn a_new_game_forgets_the_crashed_one() {
    let folder = folder("forgotten");
    journal(&folder, "a", "White", "DJDDGD", true, 1.0);
    let mut program = loaded_after_crash(&folder, &["--seed", "1"]);
    program.line(SOON).unwrap();
    program.send(b"new black\n");
    let mut referee = Board::new(board(10));
    referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
    assert!(!folder.join("a.game").exists());
    assert_eq!(journals_in(&folder), 1, "that of the new game");
    assert_eq!(recorded(&folder).matches('(').count(), 1, "{}", recorded(&folder));
}

/// The platform's own record has the move that came while nobody listened, and tells whether ours was heard.
#[test]
fn the_platforms_own_record_fills_the_gap() {
    let old = "Black: DJDDGD\r\nWhite: ADDGAD\r\n";
    let game = "Black: DJDDGD\r\nWhite: ADDGAD\r\nBlack: GJEHEA\r\n";
    std::thread::scope(|scope| {
        for (number, place) in
            ["Untitled.sgf", "chess manual/亚马逊棋/sgf/Monday.sgf"].into_iter().enumerate()
        {
            scope.spawn(move || {
                let folder = folder(&format!("platform-{number}"));
                let file = folder.join("platform").join(place);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                let records = folder.join("records");
                std::fs::create_dir(&records).unwrap();
                std::fs::write(&file, format!("{old}{game}White: DGEGEC\r\n")).unwrap();
                journal(&records, "a", "Black", "DJDDGD ADDGAD GJEHEA", true, 1.0);
                let platform = folder.join("platform");
                let mut program =
                    loaded_after_crash(&records, &["--platform-dir", platform.to_str().unwrap()]);
                after(&OPENING).accept(&program.line(SOON).unwrap(), Form::Sau).unwrap();
                assert!(recorded(&records).contains("d4e4(e8)"), "{}", recorded(&records));
            });
        }
        // It lacks our last move.
        scope.spawn(move || {
            let folder = folder("platform-unheard");
            std::fs::write(folder.join("Untitled.sgf"), format!("{game}{old}")).unwrap();
            journal(&folder, "a", "Black", "DJDDGD ADDGAD GJEHEA", true, 1.0);
            let mut program = loaded_after_crash(&folder, &["--platform-dir", folder.to_str().unwrap()]);
            assert_eq!(program.line(SOON).unwrap(), "move GJEHEA");
        });
        // The opponent still thinks: nothing is sent however long it is silent.
        scope.spawn(move || {
            let folder = folder("platform-thinks");
            std::fs::write(folder.join("Untitled.sgf"), format!("{old}{game}")).unwrap();
            journal(&folder, "a", "Black", "DJDDGD ADDGAD GJEHEA", true, 1.0);
            let mut program = loaded_after_crash(&folder, &["--platform-dir", folder.to_str().unwrap()]);
            program.silent(Duration::from_millis(5000)).unwrap();
        });
    });
}

/// `resume-time-left` applies to the resumed game only; its difference to our clock is the cost of a move, which the
/// program learns.
#[test]
fn the_time_left_of_a_resumed_game_is_not_that_of_the_next() {
    let folder = folder("time-left");
    let program = folder.join("otrera");
    if std::fs::hard_link(env!("CARGO_BIN_EXE_otrera"), &program).is_err() {
        std::fs::copy(env!("CARGO_BIN_EXE_otrera"), &program).unwrap();
    }
    let log = folder.join("log");
    let loaded = |more: &[&str]| {
        let mut command = Command::new(&program);
        command.args(["--record-dir", folder.to_str().unwrap(), "--log", log.to_str().unwrap()]);
        command.args(["--total-time", "60", "--iterations", "100", "--move-overhead", "0.4"]).args(more);
        let mut program = Program::start(command);
        program.send(b"name?\n");
        program.line(LIMIT).unwrap();
        program
    };
    let mut referee = Board::new(board(10));
    let moves: Vec<String> = (0..10)
        .map(|_| {
            let mv = referee.play_any().unwrap();
            referee.format_move(mv, Form::Sau)
        })
        .collect();
    journal(&folder, "a", "Black", &moves.join(" "), true, 1.0);
    let mut resumed = loaded(&["--resume-time-left", "45"]);
    resumed.line(SOON).unwrap();
    let (text, left) = clock_of(&log, 1);
    assert!((38.0..=43.0).contains(&left), "{text}");
    resumed.send(b"end\nnew black\n");
    resumed.line(LIMIT).unwrap();
    let (text, left) = clock_of(&log, 2);
    assert!(left > 58.0, "{text}");
    resumed.send(b"quit\n");
    resumed.exit(LIMIT).unwrap();

    // 50 s less one were counted and 45 were left: 0.8 s in each of five moves.
    let learned = std::fs::read_to_string(folder.join("otrera-overhead.txt")).unwrap();
    assert!((1.0..1.25).contains(&learned.trim().parse::<f64>().unwrap()), "{learned}");
    let mut next = loaded(&["--log", folder.join("next").to_str().unwrap()]);
    next.send(b"new black\n");
    next.line(LIMIT).unwrap();
    let (text, left) = clock_of(&folder.join("next"), 1);
    assert!(left < 60.0 - 1.0, "{text}");
}

#[test]
fn a_new_game_wipes_what_was_sent_unasked_and_follows_the_record() {
    let folder = folder("wiped");
    let (file, records) = (folder.join("record.txt"), folder.join("records"));
    record(&file, ["Otrera", "Opponent"], &OPENING);
    let mut program = loaded_again(&file, &["--record-dir", records.to_str().unwrap()]);
    program.line(SOON).unwrap();
    program.send(b"new black\n");
    assert_eq!(program.line(LIMIT).unwrap(), "move DJDDGD");
    program.send(b"move ADDGAD\n");
    assert_eq!(program.line(LIMIT).unwrap(), "move GJEHEA");
    program.send(b"quit\n");
    assert_eq!(program.exit(LIMIT).unwrap().status, Some(0));
    assert_eq!(files_in(&records).len(), 1, "{:?}", files_in(&records));
}

/// The move comes although the record says that it is our turn: our last move did not get into the record.
#[test]
fn a_move_out_of_the_records_turn_is_believed() {
    let file = folder("believed").join("record.txt");
    record(&file, ["Otrera", "Opponent"], &OPENING[..2]);
    for wait in [0, 3000] {
        // In the middle of its thinking, too.
        let mut program = loaded_again(&file, &["--iterations", "1000000000", "--move-time", "60"]);
        program.silent(Duration::from_millis(wait)).unwrap();
        let mut referee = after(&OPENING[..2]);
        referee.pass();
        let mv = referee.play_any().unwrap();
        program.send(format!("move {}\nquit\n", referee.format_move(mv, Form::Sau)).into_bytes());
        assert_eq!(program.exit(LIMIT).unwrap().status, Some(0));
    }
    let mut program = loaded_again(&file, &[]);
    let mut referee = after(&OPENING[..2]);
    referee.pass();
    let mv = referee.play_any().unwrap();
    program.send(format!("move {}\n", referee.format_move(mv, Form::Sau)).into_bytes());
    referee.accept(&program.line(SOON).unwrap(), Form::Sau).unwrap();
}

#[test]
fn a_decided_record_is_not_gone_on_with_unasked() {
    let file = folder("decided").join("record.txt");
    record(&file, ["Otrera", "Opponent"], &OPENING);
    let text = std::fs::read_to_string(&file).unwrap().replace("未完", "先手胜");
    std::fs::write(&file, text).unwrap();
    let mut program = loaded_again(&file, &[]);
    program.silent(Duration::from_millis(3500)).unwrap();
}

/// The platform appends every game to the same file; Black's first move of the next one may follow Black's last.
#[test]
fn the_last_of_several_games_is_resumed() {
    let folder = folder("several");
    let (file, log) = (folder.join("Untitled.sgf"), folder.join("log"));
    let old = "Black: DJDDGD\r\nWhite: ADDGAD\r\nBlack: GJEHEA\r\n";
    for (text, moves) in [
        (format!("{old}{old}White: DGEGEC\r\n"), 4),
        (format!("{old}White: DGEGEC\r\n{old}"), 3),
        (format!("{old}{old}{old}White: DGEGEC\r\n"), 4),
    ] {
        std::fs::write(&file, &text).unwrap();
        let _ = std::fs::remove_file(&log);
        let side = if moves == 4 { "black" } else { "white" };
        let mut program = loaded_again(&file, &["--side", side, "--log", log.to_str().unwrap()]);
        let mut referee = after(&OPENING[..moves]);
        referee.accept(&program.line(SOON).unwrap(), Form::Sau).unwrap();
        let log = std::fs::read_to_string(&log).unwrap();
        assert!(log.contains(&format!("resume: {moves} moves")) && log.contains("last of"), "{log}");
        assert!(!log.contains("!!"), "{log}");
    }
    // Records of ours, one behind the other.
    record(&file, ["Otrera", "Opponent"], &OPENING[..3]);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        text.replace("未完", "先手胜")
            + &text.replace("1 d1d7(g7) a7d4(a7)\r\n2 g1e3(e10)", "1 d1d7(g7) a7d4(a7)"),
    )
    .unwrap();
    let mut program = loaded_again(&file, &[]);
    after(&OPENING[..2]).accept(&program.line(SOON).unwrap(), Form::Sau).unwrap();
}

/// The record contains a sent move even if the program is killed at once.
#[test]
fn a_move_is_recorded_before_it_is_sent() {
    let folder = folder("before");
    for _ in 0..10 {
        let mut program = start(&["--iterations", "100", "--record-dir", folder.to_str().unwrap()]);
        program.send(b"new black\n");
        let answer = program.line(LIMIT).unwrap();
        let files = files_in(&folder);
        drop(program);
        let mut referee = Board::new(board(10));
        referee.accept(&answer, Form::Sau).unwrap();
        let mv = referee.moves()[0];
        let written = format!("1 {}{}({})", mv.from, mv.to, mv.arrow);
        let recorded = |(name, text): &(String, String)| name.ends_with(".txt") && text.contains(&written);
        assert!(files.iter().any(recorded), "{written} is not in {files:?}");
        for (name, _) in files_in(&folder) {
            std::fs::remove_file(folder.join(name)).unwrap();
        }
    }
}

#[test]
fn a_refused_move_is_replaced_by_thought() {
    let log = folder("refused").join("log");
    let mut program = start(&["--iterations", "500", "--seed", "1", "--log", log.to_str().unwrap()]);
    let thoughts = || std::fs::read_to_string(&log).unwrap().matches(" n=5").count();
    let mut referee = Board::new(board(10));
    program.send(b"new black\n");
    referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
    let mut movements = Vec::new();
    for count in 2..12 {
        movements.push(referee.moves()[0].movement());
        referee.take_back().unwrap();
        program.send(b"error\n");
        referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
        assert_eq!(thoughts(), count, "{}", std::fs::read_to_string(&log).unwrap());
    }
    // What is refused with two arrows is refused for its way.
    let often = |movement| movements.iter().filter(|&other| other == movement).count();
    assert!(movements.iter().all(|movement| often(movement) <= 2), "{movements:?}");
}

#[test]
fn a_move_refused_in_one_game_is_played_in_the_next() {
    // With one thread each game begins with the same search.
    let mut program = start(&["--size", "4", "--iterations", "300", "--seed", "3", "--threads", "1"]);
    let mut first_move = |refuse: bool| {
        let mut referee = Board::new(board(4));
        program.send(b"new black\n");
        referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
        let first = referee.moves()[0];
        if refuse {
            referee.take_back().unwrap();
            program.send(b"error\n");
            referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
        }
        first
    };
    let refused = first_move(true);
    assert_eq!(first_move(false), refused);
}

/// As long as moves are refused it thinks for less than a second.
#[test]
fn after_a_refused_move_the_next_one_has_its_whole_time() {
    let mut program = start(&["--move-time", "1.5"]);
    let mut referee = Board::new(board(10));
    program.send(b"new black\n");
    referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
    referee.take_back().unwrap();
    program.send(b"error\n");
    referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
    let mv = referee.play_any().unwrap();
    program.send(format!("move {}\n", referee.format_move(mv, Form::Sau)).into_bytes());
    program.silent(Duration::from_millis(1000)).unwrap();
    referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
}

#[test]
fn a_replacement_for_a_refused_move_takes_no_long_thought() {
    let mut program = start(&["--move-time", "3"]);
    let mut referee = Board::new(board(10));
    program.send(b"new black\n");
    referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
    let mut quickest = Duration::MAX;
    for _ in 0..3 {
        referee.take_back().unwrap();
        let began = std::time::Instant::now();
        program.send(b"error\n");
        referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
        quickest = quickest.min(began.elapsed());
    }
    assert!(quickest < Duration::from_secs(1), "{quickest:?}");
}

/// Killed before, while and after it sends its move; what it sends after we have stopped listening is lost.
#[test]
#[ignore = "slow"]
fn killed_at_any_moment_it_goes_on_from_its_record() {
    for (count, wait) in [10, 295, 305, 500].into_iter().enumerate() {
        let folder = folder(&format!("kill-{count}"));
        let options = ["--move-time", "0.3", "--total-time", "30", "--record-dir", folder.to_str().unwrap()];
        let mut referee = Board::new(board(10));
        let mut program = start(&options);
        program.send(b"new black\n");
        if let Ok(answer) = program.line(Duration::from_millis(wait)) {
            referee.accept(&answer, Form::Sau).unwrap();
        }
        // A busy machine may not have let it read `new` yet.
        let deadline = std::time::Instant::now() + LIMIT;
        let is_record = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.is_ok_and(|entry| entry.path().extension().is_some_and(|end| end == "txt"))
        };
        while !std::fs::read_dir(&folder).unwrap().any(is_record) && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(program);
        // The draft of a record may be left, if it was being written.
        let files = files_in(&folder);
        let records: Vec<_> = files.iter().filter(|(name, _)| name.ends_with(".txt")).collect();
        let [(name, _)] = records[..] else { panic!("{files:?}") };
        let record = folder.join(name);
        let mut program = start(&[&["resume", record.to_str().unwrap()], &options[..]].concat());
        program.send(b"name?\n");
        program.line(LIMIT).unwrap();
        for _ in 0..3 {
            if referee.position().side() == Side::White {
                let mv = referee.play_any().unwrap();
                program.send(format!("move {}\n", referee.format_move(mv, Form::Sau)).into_bytes());
            }
            let answer = program.line(SOON).unwrap_or_else(|why| panic!("killed after {wait} ms: {why}"));
            if referee.accept(&answer, Form::Sau).is_err() {
                // It had sent its move when we listened no more, and hears of that.
                program.send(b"error\n");
                referee.accept(&program.line(SOON).unwrap(), Form::Sau).unwrap();
            }
        }
    }
}
