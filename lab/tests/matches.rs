//! `lab match`: misbehaving programs get their verdict in time and leave no process behind, the bot plays over every
//! protocol, and a killed match resumes.

mod bot;
mod laboratory;

use laboratory::{Run, count_running, eventually, lab, run_lab, write_script};
use otrera::record::json;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::Folder;

/// Runs a match with `--json`; parses and returns its line of JSON.
fn result_of(line: &str) -> Value {
    let Run { printed, said, .. } = run_lab(&format!("{line} --json"));
    let result = printed.lines().find(|line| line.starts_with('{'));
    serde_json::from_str(result.unwrap_or_else(|| panic!("{printed}{said}"))).unwrap()
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
fn a_share_shortens_the_time_that_a_uci_program_is_told() {
    let folder = Folder::new("share");
    let log = folder.file("uci.log");
    let player = format!("'cmd:{} uci --log {log},proto=uci,share=0.25'", bot::path());
    let output = folder.file("games.jsonl");
    run_lab(&format!("match {player} random --games 2 --time 0.08 --size 6 --plies 2 --output {output}"))
        .printed();
    let text = std::fs::read_to_string(&log).unwrap();
    let go = || text.lines().filter(|line| line.contains(" go "));
    assert!(go().count() > 2 && go().all(|line| line.ends_with("go movetime 20")), "{text}");
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

/// Plays a match of Otrera over this protocol against random moves on a platform; returns the output and exit status.
fn on_platform(protocol: &str, options: &str) -> (String, Option<i32>) {
    let folder = Folder::new("platform");
    let player = format!("'cmd:{} --iterations 300 --threads 1,proto={protocol}'", bot::path());
    let output = folder.file("games.jsonl");
    let Run { status, printed, said } =
        run_lab(&format!("match {player} random --plies 0 --output {output} {options}"));
    (printed + &said, status)
}

#[test]
fn a_match_has_the_limits_of_botzone() {
    let (said, status) = on_platform("botzone-simple", "--games 2 --size 8 --limits botzone");
    assert!(said.contains("proto=botzone-simple: 2 of 2 games won; turns: OK "), "{said}");
    assert_eq!(status, Some(0), "{said}");
    let engine = |name: &str| format!("cmd:{}/tests/engines/{name},proto=json", env!("CARGO_MANIFEST_DIR"));
    let folder = Folder::new("limits");
    let options = format!("--games 1 --plies 0 --size 8 --limits botzone --output {}", folder.file("games"));
    let Run { status, printed, .. } = run_lab(&format!("match random {} {options}", engine("hangs.sh")));
    assert!(printed.contains("random v ") && printed.contains(": 1-0 "), "{printed}");
    assert!(printed.contains("TLE 1"), "{printed}");
    assert_eq!(status, Some(1), "{printed}");
}

#[test]
fn faults_are_injected_into_a_match() {
    let (said, status) =
        on_platform("botzone-json-keep", "--games 4 --size 8 --time 0.3 --grace 5 --fault killed,noise");
    let rows: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
    for fault in ["killed", "noise"] {
        let row = rows.iter().find(|row| row.first() == Some(&fault)).unwrap_or_else(|| panic!("{said}"));
        assert_eq!((row[1], row[7]), ("2", "0"), "two games, no avoidable loss: {said}");
        assert_ne!(row[2], "0", "turns hit: {said}");
    }
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn a_match_is_played_on_the_platform_of_the_championships() {
    let (said, _) = on_platform("sau", "--games 2 --concurrency 2 --game-time 10 --platform sau --kill ours");
    assert!(said.contains("2 games: 2 finished, 2 won, "), "{said}");
    assert!(said.contains("killed 2 on its turn, 0 on the opponent's"), "{said}");
}

#[test]
fn a_match_is_shown_with_the_board() {
    let (said, _) = on_platform("json", "--games 1 --size 8 --show board");
    assert!(said.contains("game 1: cmd:") && said.contains(" against random"), "{said}");
    assert!(said.contains("  1. black "), "{said}");
    assert!(said.matches(" a b c d e f g h").count() > 4, "{said}");
    let (said, _) = on_platform("json", "--games 1 --size 8 --show moves");
    assert!(said.contains("  1. black ") && !said.contains(" a b c d e f g h"), "{said}");
}

#[test]
fn harnesses_refuse_players_and_options_that_they_cannot_use() {
    for (protocol, options, problem) in [
        ("sau", "--limits botzone", "--limits botzone needs a program"),
        ("uci", "--fault all", "this fault does not occur in uci"),
        ("json", "--fault doubled", "this fault does not occur in botzone-json"),
        ("json", "--fault rain", "valid faults are all, killed, "),
        ("json", "--platform sau", "--platform sau needs a program as A"),
        ("sau", "--platform sau --size 8", "--platform sau plays on 10x10"),
        ("json", "--kill ours", "--platform"),
        ("json", "--opponent-time 1", "--platform"),
        ("sau", "--platform sau --time 1", "--time has no effect with --platform sau: leave it out"),
        ("sau", "--platform sau --iterations 9", "--iterations has no effect with --platform sau"),
        ("sau", "--platform sau --free", "--free has no effect with --platform sau"),
        ("sau", "--platform sau --grace 0", "--grace has no effect with --platform sau"),
        ("sau", "--platform sau --adjudicate 0.9", "--adjudicate has no effect with --platform sau"),
        ("json", "--limits botzone --grace 1", "--grace has no effect with --limits botzone"),
        ("json", "--limits botzone --fault all", "cannot be used with"),
    ] {
        let (said, status) = on_platform(protocol, options);
        assert!(said.contains(problem), "{protocol} {options}: {said}");
        assert_ne!(status, Some(0), "{said}");
    }
}

/// Returns the command line of a match against random moves, its result file in this folder.
fn against_random(program: &str, protocol: &str, folder: &Folder, options: &str) -> String {
    let output = folder.file("games.jsonl");
    format!("match 'cmd:{program},proto={protocol}' random --plies 0 --output {output} {options}")
}

#[test]
fn a_resumed_match_prints_the_findings_of_all_games() {
    let engine = |name: &str| format!("{}/tests/engines/{name}", env!("CARGO_MANIFEST_DIR"));
    for (program, protocol, options, one, two) in [
        ("talks_nonsense.sh", "json", "--size 8 --limits botzone", "turns: NJ 1 ", "turns: NJ 2 "),
        ("dies.sh", "sau", "--platform sau --game-time 9", "1 games: 0 finished", "2 games: 0 finished"),
        ("dies.sh", "json", "--size 8 --fault noise", "noise 1 ", "noise 2 "),
    ] {
        let folder = Folder::new("findings");
        let line = against_random(&engine(program), protocol, &folder, options);
        for (more, findings) in [("--games 1", one), ("--games 2 --resume", two)] {
            let Run { printed, said, .. } = run_lab(&format!("{line} {more}"));
            let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains(findings), "{options} {more}: {printed}{said}");
        }
        if protocol == "sau" {
            let other = run_lab(&format!("{line} --games 3 --resume --opponent-time 0.2"));
            other.assert_refused("was started with platform=SAU, kill None, opponent up to 0.3 s a move");
        }
    }
}

#[test]
fn a_game_on_the_model_of_a_platform_keeps_the_cause_of_its_end() {
    for (answer, cause) in
        [("echo lorem ipsum", "garbage"), ("echo move AAAAAA", "illegal"), ("exit 3", "crash")]
    {
        let folder = Folder::new("cause");
        let script = format!("read line; echo name Script; while read line; do {answer}; done");
        let program = write_script(&folder, "engine.sh", &script);
        let result = result_of(&against_random(&program, "sau", &folder, "--games 1 --platform sau"));
        assert_eq!(result["forfeits"], json!([{cause: 1}, {}]), "{result}");
    }
}
