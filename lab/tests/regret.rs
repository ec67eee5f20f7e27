//! `lab regret`: compares searches, and caches its reference values.

use crate::laboratory::{lab, run, run_in};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use testkit::Folder;

/// Runs the command on a few positions; returns its output.
fn regret(folder: &Folder, settings: &[&str]) -> String {
    let cache = folder.0.join("values.jsonl");
    let effort = "--size 8 --positions 12 --iterations 20,2000 --reference 4000 --memory 32".split(' ');
    run(lab(&["regret", "--cache", cache.to_str().unwrap()]).args(settings).args(effort)).printed()
}

/// Returns the mean regret of the first setting after `iterations` iterations, in percentage points.
fn mean_after(report: &str, iterations: &str) -> f64 {
    let mut rows = report.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.find(|row| row.first() == Some(&iterations)).unwrap()[1].parse().unwrap()
}

#[test]
fn regret_falls_with_iterations_and_values_are_cached() {
    let folder = Folder::new("regret");
    let first = regret(&folder, &["tournament"]);
    assert!(mean_after(&first, "20") > mean_after(&first, "2000") + 1.0, "{first}");
    let values = || std::fs::read_to_string(folder.0.join("values.jsonl")).unwrap();
    let cached = values();
    assert!(cached.lines().count() > 10, "{cached}");
    assert_eq!(regret(&folder, &["tournament"]), first);
    assert_eq!(values(), cached);
    assert!(regret(&folder, &["tournament", "paper"]).contains("paper"));
}

#[test]
fn external_programs_are_judged_by_their_moves() {
    let folder = Folder::new("regret-of-a-program");
    let (program, fens) = (folder.0.join("program"), folder.0.join("fens.txt"));
    fs::write(&fens, "q3/4/4/2*Q b - - 0 1\n").unwrap();
    let script = "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; go*) echo bestmove MOVE;; esac; done\n";
    let judged = |mv: &str, protocol: &str| {
        fs::write(&program, script.replace("MOVE", mv)).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let player = format!("cmd:{},proto={protocol}", program.display());
        let effort =
            ["--iterations", "2000", "--reference", "2000", "--fens", "fens.txt", "--cache", "values"];
        run_in(&folder, &[&["regret", "tournament", &player], &effort[..]].concat())
    };
    let report = judged("a4a3b4", "uci").printed();
    assert!(report.contains(&format!("{}", program.display())), "{report}");
    assert!(judged("a4d4d1", "uci").said.contains("is not legal"));
    assert!(judged("a4a3b4", "sau").said.contains("only a program with proto=uci"));
}
