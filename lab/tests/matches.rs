//! `lab match`: misbehaving programs get their verdict in time and leave no process behind, the bot plays over every
//! protocol, and a killed match resumes.

mod bot;
mod laboratory;

use laboratory::{count_running, eventually, lab, run_lab};
use otrera::record::json;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::Folder;

/// Runs a match with `--json`; parses and returns the line of JSON printed at the end.
fn result_of(line: &str) -> Value {
    let printed = run_lab(&format!("{line} --json")).printed();
    serde_json::from_str(printed.lines().last().unwrap()).unwrap()
}

/// Plays two games against a program in tests/engines and checks that both end with this verdict for the program.
fn check_verdict(program: &str, verdict: &str) {
    let folder = Folder::new(program);
    let player = format!("cmd:{}/tests/engines/{program},proto=botzone-simple", env!("CARGO_MANIFEST_DIR"));
    let began = Instant::now();
    let options = "--games 2 --time 0.3 --size 8 --plies 0 --concurrency 1 --output";
    let result = result_of(&format!("match random {player} {options} {}", folder.file("games.jsonl")));
    assert_eq!(result["wins"], 2, "{result}");
    assert_eq!(result["forfeits"], json!([{}, {verdict: 2}]), "{result}");
    assert!(began.elapsed() < Duration::from_secs(30), "{program} took {:?}", began.elapsed());
    assert_eq!(count_running(program), 0, "{program} still runs");
}

#[test]
fn faulty_programs_forfeit_with_the_right_verdict() {
    check_verdict("hangs.sh", "late");
    // The program's child is killed too, but the match does not wait for the child's end.
    assert!(eventually(|| count_running("sleep 4242") == 0));
    check_verdict("talks_nonsense.sh", "garbage");
    check_verdict("floods.sh", "garbage");
    check_verdict("dies.sh", "crash");
    check_verdict("cheats.sh", "illegal");
}

#[test]
fn otrera_plays_over_every_protocol() {
    let folder = Folder::new("protocols");
    for (protocol, size) in [
        ("botzone-simple", 8),
        ("json", 8),
        ("botzone-simple-keep", 8),
        ("botzone-json-keep", 8),
        ("sau", 10),
    ] {
        let player = format!("'cmd:{} --iterations 1000 --threads 1,proto={protocol}'", bot::path());
        let options = format!("--games 2 --free --size {size} --plies 0 --output {}", folder.file(protocol));
        let result = result_of(&format!("match {player} random {options}"));
        assert_eq!(result["forfeits"], json!([{}, {}]), "{protocol}: {result}");
        assert_eq!(result["wins"], 2, "{protocol}: {result}");
    }
}

#[test]
fn a_killed_match_loses_and_repeats_no_game() {
    let folder = Folder::new("killed");
    let output = folder.file("games.jsonl");
    let command =
        format!("match random greedy --games 1000 --size 6 --plies 2 --balance 0.5 --free --output {output}");
    let mut first = lab(&command).spawn().unwrap();
    let text = || std::fs::read_to_string(&output).unwrap_or_default();
    assert!(eventually(|| text().lines().count() >= 20));
    first.kill().unwrap();
    first.wait().unwrap();
    let kept = text().lines().count() - 1;
    assert!((19..1000).contains(&kept), "{kept} games when it was killed");

    assert_eq!(run_lab(&command).status, Some(1), "an existing file must not be overwritten");
    let result = result_of(&format!("{command} --resume"));
    assert_eq!(result["wins"].as_u64().unwrap() + result["losses"].as_u64().unwrap(), 1000);
    let number = |line: &str| json::read(line).unwrap().number;
    let mut numbers: Vec<u64> = text().lines().skip(1).map(number).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..1000));
}

#[test]
fn repeated_games_are_counted() {
    let folder = Folder::new("repeated");
    let play = |name: &str, b: &str| {
        let options = "--games 6 --size 6 --plies 2 --balance 0.5 --output";
        run_lab(&format!("match tournament,iterations=30 {b} {options} {}", folder.file(name))).printed()
    };
    let alike = play("alike.jsonl", "tournament,iterations=30");
    assert!(alike.contains("\ngames that repeat earlier ones: 3;"), "{alike}");
    let different = play("different.jsonl", "tournament,iterations=300");
    assert!(!different.contains("repeat earlier ones"), "{different}");
}
