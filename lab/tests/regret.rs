//! `lab regret`: compares searches, and caches its reference values.

use crate::laboratory::{run_in, write_script};
use testkit::Folder;

/// Runs `lab regret` on a few positions, with a cache file in the folder; returns the standard output.
fn regret(folder: &Folder, settings: &str) -> String {
    let effort = "--size 8 --positions 12 --iterations 20,2000 --reference 4000 --memory 32";
    run_in(folder, &format!("regret {settings} {effort} --cache values.jsonl")).printed()
}

/// Returns the mean regret of the first setting after `iterations` iterations, in percentage points.
fn mean_after(report: &str, iterations: &str) -> f64 {
    let mut rows = report.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.find(|row| row.first() == Some(&iterations)).unwrap()[1].parse().unwrap()
}

#[test]
fn regret_falls_with_iterations_and_values_are_cached() {
    let folder = Folder::new("regret");
    let first = regret(&folder, "tournament");
    assert!(mean_after(&first, "20") > mean_after(&first, "2000") + 1.0, "{first}");
    let values = || std::fs::read_to_string(folder.join("values.jsonl")).unwrap();
    let cached = values();
    assert!(cached.lines().count() > 10, "{cached}");
    assert_eq!(regret(&folder, "tournament"), first);
    assert_eq!(values(), cached);
    assert!(regret(&folder, "tournament paper").contains("paper"));
}

#[test]
fn external_programs_are_judged_by_their_moves() {
    let folder = Folder::new("regret-of-a-program");
    folder.write("fens.txt", "q3/4/4/2*Q b - - 0 1\n");
    let judged = |mv: &str, protocol: &str| {
        let answers = format!("case $line in uci) echo uciok;; go*) echo bestmove {mv};; esac");
        let program = write_script(&folder, "program", &format!("while read line; do {answers}; done"));
        let effort = "--iterations 2000 --reference 2000 --fens fens.txt --cache values";
        run_in(&folder, &format!("regret tournament cmd:{program},proto={protocol} {effort}"))
    };
    let report = judged("a4a3b4", "uci").printed();
    assert!(report.contains(&folder.file("program")), "{report}");
    judged("a4d4d1", "uci").assert_refused("is not legal");
    judged("a4a3b4", "sau").assert_refused("only a program with proto=uci counts iterations");
}
