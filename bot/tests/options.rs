//! Tests of options, `otrera.toml` and the log. On a platform, invalid settings are logged and ignored, so they never
//! change the output; other commands print invalid settings as errors.

use crate::common::{
    FIRST_TURN, LIMIT, OTRERA, answer_of, assert_contains, folder, installed, iterations, quit, read, run,
    start, text,
};
use otrera_front::settings::{Settings, max_memory};
use std::path::Path;
use std::time::{Duration, Instant};

/// Options that make the moves of a game reproducible.
const FIXED: [&str; 4] = ["--iterations", "200", "--seed", "1"];

/// Returns the program's first move on Botzone with the options [`FIXED`] and no other settings.
fn usual_move() -> String {
    answer_of(&run(OTRERA, FIXED, FIRST_TURN)).to_owned()
}

#[test]
fn invalid_options_are_logged_and_ignored() {
    let folder = folder("bad-option");
    let memory = max_memory();
    let (too_much, memory) =
        ((memory + 1).to_string(), format!("expected a whole number from 1 to {memory}"));
    let mistakes: [(&[&str], &str); 24] = [
        (&["--colour", "red"], "--colour"),
        (&["-x"], "unknown option"),
        (&["word"], "unknown command word"),
        (&["--threads", "0"], "expected a whole number from 1 to 1024"),
        (&["--threads", "many"], "--threads many: expected"),
        (&["--memory", "-5"], &memory),
        (&["--memory", &too_much], &memory),
        (&["--memory=99999999999999999999999"], "--memory"),
        (&["--move-time", "0"], "expected a number of seconds from 0.01 to 604800"),
        (&["--move-time", "NaN"], "--move-time NaN"),
        (&["--total-time=inf"], "--total-time inf"),
        (&["--move-overhead", "6"], "expected a number of seconds from 0 to 5"),
        (&["--side", "green"], "--side green: expected one of black, white"),
        (&["--size", "3"], "expected a whole number from 4 to 10"),
        (&["--size", "8.0"], "--size 8.0"),
        (&["--preset", "fast"], "expected one of tournament"),
        (&["--preset", "paper,parallel=yes"], "parallel=yes: expected off"),
        (&["--keep-running", "maybe"], "expected one of auto, on, off"),
        (&["--pondering", "maybe"], "--pondering maybe: expected one of on, off"),
        (&["--team", "[甲队]"], "expected 1 to 40 printable characters other than [ ] ;"),
        (&["--place", ""], "--place"),
        (&["--threads"], "--threads"),
        (&["resume"], "resume needs a file"),
        (&["--name", "a name of more than forty characters, which is too long"], "expected 1 to 40"),
    ];
    let usual = usual_move();
    for (number, (mistake, message)) in mistakes.into_iter().enumerate() {
        let log = folder.join(format!("{number}.log"));
        let arguments = [&FIXED[..], &["--log", text(&log)], mistake].concat();
        assert_eq!(answer_of(&run(OTRERA, arguments, FIRST_TURN)), usual, "{mistake:?}");
        assert_contains(&read(&log), message);
    }
}

/// Regression test: with 1000 threads, a move with `--move-time 0.3` took many seconds.
#[test]
fn excess_threads_are_reduced_to_the_cores() {
    let log = folder("threads").join("log");
    let times = (0..3).map(|_| {
        let began = Instant::now();
        let arguments = ["--threads", "1000", "--move-time", "0.3", "--log", text(&log)];
        answer_of(&run(OTRERA, arguments, FIRST_TURN));
        began.elapsed()
    });
    let least = times.min();
    assert!(least < Some(Duration::from_secs(1)), "{least:?}");
    let cores = std::thread::available_parallelism().unwrap();
    let remark = format!("threads 1000: more than the cores of this machine; using {cores}");
    assert_contains(&read(&log), &format!("!! {remark}\n"));
    let analysis = run(OTRERA, ["analyze", "--threads", "1000", "--iterations", "100"], b"");
    assert_eq!((analysis.status, analysis.errors), (Some(0), format!("otrera: {remark}\n")));
    assert_contains(&analysis.rest, &format!("threads {cores})"));
}

/// On Botzone, the move time is over before the search starts; on SAU, the move overhead exceeds the total time.
#[test]
fn an_expired_clock_still_allows_100_iterations() {
    let folder = folder("no-time");
    let [turn, game] = ["turn", "game"].map(|name| folder.join(name));
    let exit = run(OTRERA, ["--move-time", "0.01", "--threads", "1", "--log", text(&turn)], FIRST_TURN);
    assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""), "printed: {}", exit.rest);
    let no_time = ["--total-time", "0.01", "--move-overhead", "5", "--threads", "1", "--log", text(&game)];
    let mut program = start(&no_time);
    program.send("new black\n");
    program.line(LIMIT).unwrap();
    quit(program);
    for log in [turn, game] {
        assert!(iterations(&read(&log)) >= 100, "{}", read(&log));
    }
}

#[test]
fn invalid_configuration_lines_are_logged_and_ignored() {
    let executable = installed(&folder("bad-file"));
    let file = executable.with_file_name("otrera.toml");
    let mistakes: [(&[u8], &str); 12] = [
        (b"name = ['a']", "otrera.toml line 1: name = [\"a\"]: expected one string or number"),
        (b"record-dir = { a = 1 }", "record-dir = { a = 1 }: expected one string or number"),
        (b"colour = 'red'", "colour"),
        (b"threads = 0", "threads = 0: expected a whole number from 1 to 1024"),
        (b"threads = [1, 2]", "threads"),
        (b"size = true\nname = 7.5", "size = true: expected"),
        (b"move_time = ''", "move_time"),
        (b"[search]\nthreads = 1", "search"),
        (b"name = Otrera", "otrera.toml"),
        (b"= = =\n\0", "otrera.toml"),
        (b"name = '\xff\xfe'", "otrera.toml"),
        (b"team = '\xb6\xab\xb1\xb1'", "not valid UTF-8"),
    ];
    let usual = usual_move();
    for (number, (mistake, message)) in mistakes.into_iter().enumerate() {
        std::fs::write(&file, mistake).expect("writable");
        let log = executable.with_file_name(format!("{number}.log"));
        let arguments = [&FIXED[..], &["--log", text(&log)]].concat();
        assert_eq!(answer_of(&run(&executable, arguments, FIRST_TURN)), usual, "{}", mistake.escape_ascii());
        assert_contains(&read(&log), message);
    }
}

#[test]
fn the_command_line_overrides_the_configuration_file() {
    let executable = installed(&folder("good-file"));
    let file = executable.with_file_name("otrera.toml");
    let name = |arguments: &[&str]| run(&executable, arguments.iter().copied(), b"name?\nquit\n").rest;
    std::fs::write(
        &file,
        "\u{feff}# a comment\r\nname = 'From the file'\r\ntotal_time = 60\r\nsize = \"8\"\r\n",
    )
    .expect("writable");
    assert_eq!(name(&[]), "name From the file\n");
    assert_eq!(name(&["--name", "From the line"]), "name From the line\n");
    std::fs::write(&file, "name = ['a']").expect("writable");
    assert_eq!(name(&[]), "name Otrera\n");
    // A valid line takes effect despite invalid ones.
    std::fs::write(&file, "threads = 'x'\nname = 'Half'\ncolour = 1").expect("writable");
    assert_eq!(name(&[]), "name Half\n");
    let in_utf_16 = "\u{feff}# 注\r\nname = 'In UTF-16'\r\n".encode_utf16();
    std::fs::write(&file, in_utf_16.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()).expect("writable");
    assert_eq!(name(&[]), "name In UTF-16\n");
    std::fs::write(&file, "iterations = 200\nseed = 1\nkeep-running = true").expect("writable");
    let answer = run(&executable, [], FIRST_TURN).rest;
    assert_eq!(answer, format!("{}\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n", usual_move()));
}

/// In the packaged `otrera.toml`, a disabled option directly follows `#`; a comment follows `#` and a space.
#[test]
fn every_packaged_configuration_line_is_valid() {
    let text = include_str!("../../packaging/sau/otrera.toml");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    for line in lines.clone() {
        let mut problems = Vec::new();
        otrera_bot::options::read_text(
            &mut Settings::default(),
            line.trim_start_matches('#'),
            Path::new(""),
            &mut problems,
        );
        assert!(line.contains(" = ") && problems.is_empty(), "{line}: {problems:?}");
    }
    assert!(lines.count() >= 10);
}

#[test]
fn the_log_has_input_and_output() {
    let log = folder("log").join("log");
    let arguments = [&FIXED[..], &["--log", text(&log)]].concat();
    let usual = usual_move();
    for _ in 0..2 {
        assert_eq!(answer_of(&run(OTRERA, arguments.iter().copied(), FIRST_TURN)), usual);
    }
    let log = read(&log);
    assert_eq!(log.matches("-> -1 -1 -1 -1 -1 -1\n").count(), 2, "the log is appended to:\n{log}");
    assert_eq!(log.matches(&format!("<- {usual}\n")).count(), 2, "{log}");
}
