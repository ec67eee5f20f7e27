//! Game days on the SAU platform: the record under the competition's name, after a kill as well, a game that
//! goes on from it, and pondering that stops at once.

#[path = "sessions/program.rs"]
mod program;
#[path = "sessions/referee.rs"]
mod referee;

use otrera::{Position, Rules, Side, Size};
use program::Program;
use referee::{Form, Referee};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

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

/// Names and contents of the files in a folder.
fn files_in(folder: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    entries.map(|path| (name(&path), std::fs::read_to_string(&path).unwrap())).collect()
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
    let mut referee = Referee::new(board(5));
    let mut message = "new black".to_owned();
    loop {
        program.send(format!("{message}\n").into_bytes());
        referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
        if let Some(winner) = referee.position().winner() {
            program.send(b"end\n".to_vec());
            return winner;
        }
        let mv = referee.play_any().unwrap();
        message = format!("move {}", referee.written(mv, Form::Sau));
        if let Some(winner) = referee.position().winner() {
            program.send(format!("{message}\n").into_bytes());
            // On a busy machine the end may come late; there is nothing to say meanwhile.
            program.silent(Duration::from_millis(50)).unwrap();
            program.send(b"end\n".to_vec());
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
    program.send(b"quit\n".to_vec());
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
    let mut referee = Referee::new(board(10));
    let mut program = start(&options);
    program.send(b"new black\n".to_vec());
    referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
    let last = referee.play_any().unwrap();
    let message = format!("move {}\n", referee.written(last, Form::Sau));
    program.send(message.clone().into_bytes());
    let answer = program.line(LIMIT).unwrap();
    // It is recorded before anything else is done.
    program.send(b"name?\n".to_vec());
    program.line(LIMIT).unwrap();
    drop(program);

    let [(name, text)] = &files_in(&folder)[..] else { panic!("{:?}", files_in(&folder)) };
    check_name(name, "AM-OtreraB vs OpponentW-", &["未完-"], "-Otrera.txt");
    assert!(text.starts_with("#[AM][Otrera][Opponent][未完]["), "{text}");
    assert_eq!(text.lines().count(), 3, "a header and two lines of moves: {text}");

    let record = folder.join(name);
    let mut program = start(&[&["resume", record.to_str().unwrap()], &options[..]].concat());
    program.send(b"new black\n".to_vec());
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
        program.send(b"move GJEHEA\n".to_vec());
        let mut referee = Referee::new(board(10));
        for mv in ["d1d7g7", "a7d4a7", "g1e3e10"] {
            referee.play(mv.parse().unwrap()).unwrap();
        }
        referee.accept(&program.line(LIMIT).unwrap(), Form::Sau).unwrap();
        let log = std::fs::read_to_string(&log).unwrap();
        assert!(log.contains("breaks off"), "{log}");
    }
}

/// Ten times: the median must hold, since a busy machine delays now one, now another.
#[test]
fn pondering_stops_within_ten_milliseconds() {
    let log = folder("pondering").join("log");
    let mut program = start(&["--pondering", "on", "--move-time", "0.05", "--log", log.to_str().unwrap()]);
    for _ in 0..10 {
        program.send(b"new black\n".to_vec());
        program.line(LIMIT).unwrap();
        program.silent(Duration::from_millis(50)).unwrap();
    }
    program.send(b"quit\n".to_vec());
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
    assert!(delays[5] <= 0.010, "{delays:?}");
}
