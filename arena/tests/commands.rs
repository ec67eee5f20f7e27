//! Runs the program `arena` with engines that provoke each violation.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Writes a shell script that runs `body` for each turn and answers `perft 0` as Otrera does. Returns its path.
fn engine(name: &str, body: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, format!("#!/bin/sh\n[ \"$1\" = perft ] && echo 1 && exit\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn arena(arguments: &[&str], engine: &Path) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    let Output { status, stdout, stderr } =
        command.args(arguments).arg("--engine").arg(engine).output().unwrap();
    (String::from_utf8([stdout, stderr].concat()).unwrap(), status.code())
}

const QUIET: [&str; 4] = ["selfplay", "--no-record", "--show", "none"];

#[test]
fn each_violation_is_named_and_loses_the_game() {
    for (kind, protocol, body) in [
        ("illegal move 1", "simple", "echo 0 0 1 1 2 2"),
        ("malformed answer 1", "simple", "echo well played"),
        ("malformed answer 1", "json-keep", "echo '[1]'; cat"),
        ("late 1", "simple", "sleep 0.3; echo 2 0 2 3 5 3"),
        ("bad exit 1", "simple", "echo 2 0 2 3 5 3; exit 3"),
        ("bad exit 1", "simple", "echo 2 0 2 3 5 3; sleep 5"),
        ("bad exit 1", "json-keep", "kill -KILL $$"),
        (
            "chatter 1",
            "json",
            r#"echo '{"response":{"x0":2,"y0":0,"x1":2,"y1":3,"x2":5,"y2":3}}'; echo more"#,
        ),
        ("no answer 1", "simple", ":"),
        ("chatter 2", "sau", "echo hello"),
        ("malformed answer 1", "sau", "read line; echo name X; read line; echo move AAAAAAA; read line"),
    ] {
        let name = format!("{}-{protocol}-{}", kind.replace(' ', "-"), body.len());
        let arguments = [&QUIET[..], &["--protocol", protocol, "--time", "0.1"]].concat();
        let (said, status) = arena(&arguments, &engine(&name, body));
        assert!(said.contains(kind) && said.contains("forfeits"), "{kind} of {protocol}: {said}");
        assert_eq!(status, Some(1), "{said}");
    }
}

#[test]
fn wrong_usage_ends_with_status_2() {
    let engine = engine("any", ":");
    for arguments in [
        &["selfplay", "--protocol", "chess"][..],
        &["selfplay", "--total-time", "1"],
        &["selfplay", "--games", "0"],
        &["selfplay", "--what"],
        &["faults", "--fault", "rain"],
        &["faults", "--fault", "doubled", "--protocol", "json-keep"],
        &["chess"],
    ] {
        let (said, status) = arena(arguments, &engine);
        assert_eq!(status, Some(2), "{arguments:?}: {said}");
    }
    for command in [&QUIET[..1], &["faults"]] {
        let (said, status) = arena(command, Path::new("/is/not/there"));
        assert!(said.contains("no engine at /is/not/there") && status == Some(2), "{said}");
    }
}

#[test]
fn a_game_is_shown_move_by_move() {
    // Plays one move as Black and fails as White.
    let body = r#"read count; [ "$count" = 1 ] && read request && [ "${request#-1}" != "$request" ] && echo 2 0 2 3 5 3"#;
    let arguments = ["selfplay", "--no-record", "--show", "board"];
    let (said, _) = arena(&arguments, &engine("one-move", body));
    assert!(said.contains("game 1: black (default) against white (default)"), "{said}");
    assert!(said.contains("  1. black c1-c4/f4"), "{said}");
    assert_eq!(said.matches(" a b c d e f g h").count(), 2, "{said}");
    assert!(said.contains("game 1, after ply 1, white (default): "), "{said}");
    assert!(said.contains("game 1: black (default) wins in 1 plies, white forfeits ("), "{said}");
    assert!(!said.contains('\x1b'), "no terminal: {said:?}");
}

/// The engine deletes the program `arena`, so the busy processes of the second game cannot start.
#[test]
fn a_fault_that_cannot_be_injected_fails_the_run() {
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("arena-copy");
    fs::copy(env!("CARGO_BIN_EXE_arena"), &copy).unwrap();
    let engine = engine("deletes", &format!("rm -f '{}'", copy.display()));
    let mut command = Command::new(&copy);
    command.args(["faults", "--games", "20", "--fault", "full-load", "--protocol", "simple", "--engine"]);
    let Output { status, stderr, .. } = command.arg(engine).output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert!(said.contains("the fault full-load cannot be injected: busy processes do not start"), "{said}");
    assert_eq!(status.code(), Some(2), "{said}");
}
