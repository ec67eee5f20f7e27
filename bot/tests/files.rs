//! Tests of irregular files (a folder, a pipe or a device in place of otrera.toml, the log or a record) and of limits
//! set by `ulimit`. The bot must continue the game and report each problem in the log.
#![cfg(unix)]

use crate::common::{
    FIRST_TURN, LIMIT, OTRERA, answer_of, assert_contains, folder, installed, quit, read, run_command, text,
};
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testkit::program::{Exit, Program};

/// Runs a program with 200 iterations per move and a fixed seed until it exits; `folder` is its temporary folder.
fn run(mut command: Command, folder: &Path, input: &[u8]) -> Exit {
    command.env("TMPDIR", folder).args(["--iterations", "200", "--seed", "1"]);
    run_command(command, input)
}

/// Plays one move of a SAU game; asserts an answer, exit status 0 and no error output. `folder` is for temporary files.
fn answer_on_sau(mut command: Command, folder: &Path) {
    command.env("TMPDIR", folder).args(["--iterations", "200", "--seed", "1"]);
    let mut program = Program::start(command);
    program.send(b"new white\nmove DJDDGD\n");
    let answer = program.line(LIMIT).unwrap_or_else(|problem| panic!("{problem}"));
    assert!(answer.starts_with("move "), "{answer}");
    quit(program);
}

fn otrera(arguments: &[&str]) -> Command {
    let mut command = Command::new(OTRERA);
    command.args(arguments);
    command
}

/// Creates a command that runs the program after the `ulimit` command in `limit`.
fn limited(limit: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limit}; exec \"$0\" \"$@\""), OTRERA]).args(arguments);
    command
}

/// Creates and returns two empty folders for one test: one for its files, and one for temporary files.
fn folders(name: &str) -> (PathBuf, PathBuf) {
    let folder = folder(&format!("files-{name}"));
    let temporary = folder.join("temporary");
    std::fs::create_dir_all(&temporary).expect("a folder for the test");
    (folder, temporary)
}

/// Kinds of irregular files for [`make`]: named pipe, two devices, folder, and a symbolic link to itself.
const IRREGULAR: [&str; 5] = ["pipe", "zero", "full", "folder", "loop"];

fn make(kind: &str, path: &Path) {
    let made = match kind {
        "pipe" => Command::new("mkfifo").arg(path).status().map(drop),
        "zero" => symlink("/dev/zero", path),
        "full" => symlink("/dev/full", path),
        "folder" => std::fs::create_dir(path),
        _ => symlink(path, path),
    };
    made.unwrap_or_else(|error| panic!("{kind}: {error}"));
}

#[test]
fn an_irregular_configuration_file_is_ignored() {
    for kind in IRREGULAR {
        let (folder, temporary) = folders(&format!("toml-{kind}"));
        let executable = installed(&folder);
        make(kind, &folder.join("otrera.toml"));
        let log = folder.join("log");
        let mut command = Command::new(&executable);
        command.args(["--log", text(&log)]);
        println!("{kind}");
        answer_of(&run(command, &temporary, FIRST_TURN));
        assert_contains(&read(&log), "otrera.toml: ");
    }
}

#[test]
fn a_huge_configuration_file_is_ignored() {
    let (folder, temporary) = folders("toml-large");
    let executable = installed(&folder);
    let lines = "name = 'Too large'\n# filling\n".repeat(1 << 16);
    std::fs::write(folder.join("otrera.toml"), lines).expect("writable");
    let log = folder.join("log");
    let mut command = Command::new(&executable);
    command.args(["--log", text(&log)]);
    let exit = run(command, &temporary, b"name?\nquit\n");
    assert_eq!((exit.status, exit.rest.as_str()), (Some(0), "name Otrera\n"));
    assert_contains(&read(&log), "otrera.toml: larger than 64 KB");
}

#[test]
fn an_unwritable_log_moves_to_the_temporary_folder() {
    for kind in IRREGULAR {
        let (folder, temporary) = folders(&format!("log-{kind}"));
        let log = folder.join("the.log");
        make(kind, &log);
        println!("{kind}");
        let exit = run(otrera(&["--log", text(&log)]), &temporary, FIRST_TURN);
        answer_of(&exit);
        // The debug line also shows the problem to the person at the platform.
        assert_contains(&exit.rest, " ! --log ");
        let written = read(&temporary.join("the.log"));
        assert_contains(&written, &format!("!! --log {}: ", log.display()));
        assert_contains(&written, "-> -1 -1 -1 -1 -1 -1\n");
    }
}

#[test]
fn the_log_does_not_mix_with_the_answers() {
    let (folder, temporary) = folders("log-stdout");
    let answers = folder.join("answers");
    let turn = folder.join("turn");
    std::fs::write(&turn, FIRST_TURN).expect("writable");
    for name in ["/dev/stdout", text(&answers), "/dev/stdin"] {
        let mut command = otrera(&["--iterations", "200", "--log", name]);
        let [input, output] = [File::open(&turn), File::create(&answers)].map(|file| file.expect("a file"));
        command.env("TMPDIR", &temporary).stdin(input).stdout(output).stderr(Stdio::null());
        assert!(command.status().expect("otrera starts").success());
        let answer = read(&answers);
        assert_eq!(answer.lines().count(), 2, "--log {name}: {answer}");
        assert_eq!(read(&turn).as_bytes(), FIRST_TURN);
    }
}

#[test]
fn a_file_size_limit_costs_no_move() {
    let (folder, temporary) = folders("limit");
    let limited = |blocks: &str, arguments: &[&str]| limited(&format!("ulimit -f {blocks}"), arguments);
    let log = folder.join("the.log");
    // Larger than two blocks of 512 or 1024 bytes.
    std::fs::write(&log, "    0.000 -- an old line\n".repeat(200)).expect("writable");
    answer_of(&run(limited("2", &["--log", text(&log)]), &temporary, FIRST_TURN));
    let written = read(&temporary.join("the.log"));
    assert_contains(&written, &format!("!! --log {}: ", log.display()));
    assert_contains(&written, "<- ");
    let records = folder.join("records");
    answer_on_sau(limited("0", &["--record-dir", text(&records), "--log", text(&log)]), &temporary);
}

#[test]
fn a_small_stack_costs_no_move() {
    let (_, temporary) = folders("stack");
    answer_of(&run(limited("ulimit -s 32", &[]), &temporary, FIRST_TURN));
}

#[test]
fn unusable_record_paths_cost_no_move() {
    for (option, kinds, message) in [
        ("--resume", &IRREGULAR[..], "!! resume "),
        ("--record-dir", &["pipe", "full", "loop"], "cannot write a record"),
    ] {
        for kind in kinds {
            let (folder, temporary) = folders(&format!("{}-{kind}", option.trim_matches('-')));
            let (path, log) = (folder.join("strange"), folder.join("log"));
            make(kind, &path);
            answer_on_sau(otrera(&[option, text(&path), "--log", text(&log)]), &temporary);
            assert_contains(&read(&log), message);
        }
    }
}

#[test]
fn programs_sharing_a_log_write_separate_files() {
    let (folder, temporary) = folders("shared");
    let log = folder.join("the.log");
    let start = |name: &str| {
        let mut command = otrera(&["--log", text(&log), "--name", name]);
        command.env("TMPDIR", &temporary);
        let mut program = Program::start(command);
        program.send(b"name?\n");
        assert_eq!(program.line(LIMIT), Ok(format!("name {name}")));
        program
    };
    let programs = ["First", "Second", "Third"].map(|name| (name, start(name)));
    for ((name, program), file) in programs.into_iter().zip(["the.log", "the-2.log", "the-3.log"]) {
        quit(program);
        let log = read(&folder.join(file));
        assert_contains(&log, &format!("<- name {name}\n"));
        assert_eq!(log.matches("<- name ").count(), 1, "{log}");
    }
    // The first name is free again.
    let mut last = start("Last");
    last.close_input();
    assert_eq!(last.exit(LIMIT).expect("otrera ends").status, Some(0));
    assert_contains(&read(&log), "<- name Last\n");
}

#[test]
fn a_log_is_never_appended_to_a_foreign_file() {
    let (folder, temporary) = folders("log-foreign");
    let log = folder.join("the.log");
    for content in
        ["[settings]\nkey = 1\n", "# no log\n", "12 -- a price list\n", "\n", "\u{feff}    0.000 -- edited\n"]
    {
        std::fs::write(&log, content).expect("writable");
        let exit = run(otrera(&["--log", text(&log)]), &temporary, FIRST_TURN);
        answer_of(&exit);
        let problem =
            format!("--log {}: is no log of Otrera and stays unchanged: name another file", log.display());
        assert_contains(&exit.rest, " ! --log ");
        assert_eq!(read(&log), content);
        assert_contains(&read(&temporary.join("the.log")), &problem);
    }
    for content in
        ["", "    0.000 -- 2026-11-27 12:00:00, Otrera 0.1.0, process 7\n", "          !! --log x: full\n"]
    {
        std::fs::write(&log, content).expect("writable");
        answer_of(&run(otrera(&["--log", text(&log)]), &temporary, FIRST_TURN));
        let written = read(&log);
        assert!(written.starts_with(content), "{written}");
        assert_contains(&written[content.len()..], "<- ");
    }
}

#[test]
fn a_failed_write_leaves_no_empty_file() {
    let (folder, temporary) = folders("no-space");
    let (records, log) = (folder.join("records"), folder.join("new.log"));
    answer_on_sau(limited("ulimit -f 0", &["--record-dir", text(&records), "--log", text(&log)]), &temporary);
    let game = folder.join("game.sgf");
    let save = format!("d1-d7/g7\nsave {}\nquit\n", game.display());
    let mut command = limited("ulimit -f 0", &["play", "--record-dir", text(&records), "--iterations", "50"]);
    command.env("TMPDIR", &temporary);
    let exit = run_command(command, save.as_bytes());
    assert_contains(&exit.rest, "game.sgf: File too large");
    let left = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        entries.filter(|path| path.is_file()).collect()
    };
    assert_eq!([left(&folder), left(&records), left(&temporary)].concat(), Vec::<PathBuf>::new());
}
