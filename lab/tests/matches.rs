//! `lab match`: misbehaving programs get their verdict in time and leave no process behind, the bot plays over every
//! protocol, and a killed match resumes.

mod bot;

mod laboratory;

use laboratory::{count_running, eventually, lab, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};
use testkit::Folder;

/// Runs a match with `--json` and parses its last line.
fn result_of(arguments: &[&str]) -> Value {
    let printed = run(&mut lab(arguments)).printed();
    serde_json::from_str(printed.lines().last().unwrap()).unwrap()
}

/// Plays two games against a program in tests/engines and checks that both end with this verdict.
fn check_verdict(program: &str, verdict: &str) {
    let folder = Folder::new(program);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines").join(program);
    let player = format!("cmd:{},proto=botzone-simple", path.display());
    let began = Instant::now();
    let output = folder.file("games.jsonl");
    let options =
        ["--games=2", "--time=0.3", "--size=8", "--plies=0", "--concurrency=1", "--json", "--output"];
    let result = result_of(&[&["match", "random", &player], &options[..], &[&output]].concat());
    assert_eq!(result["wins"], 2, "{result}");
    assert_eq!(result["forfeits"][1][verdict], 2, "{result}");
    assert_eq!(result["forfeits"][0].as_object().map(|kinds| kinds.len()), Some(0));
    assert!(began.elapsed() < Duration::from_secs(30), "{program} took {:?}", began.elapsed());
    assert_eq!(count_running(program), 0, "{program} still runs");
}

#[test]
fn faulty_programs_forfeit_with_the_right_verdict() {
    check_verdict("hangs.sh", "late");
    // The child of the program is killed too, but the match does not wait for its end.
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
        ("botzone-simple", "8"),
        ("json", "8"),
        ("botzone-simple-keep", "8"),
        ("botzone-json-keep", "8"),
        ("sau", "10"),
    ] {
        let player = format!("cmd:{} --iterations 1000 --threads 1,proto={protocol}", bot::path());
        let (size, output) = (format!("--size={size}"), folder.file(protocol));
        let options = ["--games=2", "--free", &size, "--plies=0", "--json", "--output", &output];
        let result = result_of(&[&["match", &player, "random"], &options[..]].concat());
        assert_eq!(result["forfeits"], serde_json::json!([{}, {}]), "{protocol}: {result}");
        assert_eq!(result["wins"], 2, "{protocol}: {result}");
    }
}

#[test]
fn a_killed_match_loses_and_repeats_no_game() {
    let folder = Folder::new("killed");
    let output = folder.file("games.jsonl");
    let command = "match random greedy --games 300 --size 6 --plies 2 --balance 0.5 --free --json --output";
    let arguments: Vec<&str> = command.split(' ').chain([output.as_str()]).collect();
    let mut first = lab(&arguments).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    let lines = || std::fs::read_to_string(&output).map_or(0, |text| text.lines().count());
    while lines() < 20 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let kept = lines() - 1;
    assert!((19..300).contains(&kept), "{kept} games when it was killed");

    assert_eq!(run(&mut lab(&arguments)).status, Some(1), "an existing file must not be overwritten");
    let result = result_of(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(result["wins"].as_u64().unwrap() + result["losses"].as_u64().unwrap(), 300);
    let text = std::fs::read_to_string(&output).unwrap();
    let numbers: Vec<u64> = text
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers.len(), 300);
    assert_eq!(numbers.into_iter().collect::<BTreeSet<_>>(), (0..300).collect());
}

#[test]
fn repeated_games_are_counted() {
    let folder = Folder::new("repeated");
    let play = |name: &str, b: &str| {
        let output = folder.file(name);
        let options = ["--games=6", "--size=6", "--plies=2", "--balance=0.5", "--output", &output];
        let arguments = [&["match", "tournament,iterations=30", b], &options[..]].concat();
        run(&mut lab(&arguments)).printed()
    };
    let alike = play("alike.jsonl", "tournament,iterations=30");
    assert!(alike.contains("\ngames that repeat earlier ones: 3;"), "{alike}");
    let different = play("different.jsonl", "tournament,iterations=300");
    assert!(!different.contains("repeat earlier ones"), "{different}");
}
