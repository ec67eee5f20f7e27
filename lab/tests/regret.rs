//! `lab regret`: compares searches, and caches its reference values.

use crate::bot;
use crate::laboratory::{run_in, write_script};
use testkit::Folder;

/// Runs `lab regret` on a few positions, with a cache file in the folder; returns the standard output.
fn regret(folder: &Folder, settings: &str) -> String {
    let effort = "--size 8 --positions 12 --iterations 20,2000 --reference 4000 --memory 32";
    run_in(folder, &format!("regret {settings} {effort} --cache values.jsonl")).printed()
}

/// Writes a UCI program that answers every search with these arguments of `echo`; returns its path.
fn answering(folder: &Folder, name: &str, answer: &str) -> String {
    let answers = format!("case $line in uci) echo uciok;; go*) echo {answer};; esac");
    write_script(folder, name, &format!("while read line; do {answers}; done"))
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
        let program = answering(&folder, "program", &format!("bestmove {mv}"));
        let effort = "--iterations 2000 --reference 2000 --fens fens.txt --cache values";
        run_in(&folder, &format!("regret tournament cmd:{program},proto={protocol} {effort}"))
    };
    let report = judged("a4a3b4", "uci").printed();
    assert!(report.contains(&folder.file("program")), "{report}");
    judged("a4d4d1", "uci").assert_refused("is not legal");
    judged("a4a3b4", "sau").assert_refused("only a program with proto=uci counts iterations");
}

#[test]
fn a_program_judges_like_the_same_search_built_in() {
    let folder = Folder::new("judges-of-regret");
    let values = |judge: &str, cache: &str| -> Vec<f64> {
        let effort =
            "--size 8 --positions 8 --iterations 20,500 --reference 3000 --memory 32 --concurrency 1";
        run_in(&folder, &format!("regret tournament {effort} --judge '{judge}' --cache {cache}")).printed();
        let text = std::fs::read_to_string(folder.join(cache)).unwrap();
        let lines = text.lines().skip(1).map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let mut values: Vec<f64> = lines.map(|line| line["value"].as_f64().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let built_in = values("tournament", "built-in");
    let program = format!("cmd:{} uci --threads 1 --memory 32 --seed 1,proto=uci", bot::path());
    let by_program = values(&program, "program");
    assert!(built_in.len() > 3 && built_in.len() == by_program.len(), "{built_in:?} {by_program:?}");
    // A program reports its win rate in thousandths.
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 0.0006;
    assert!(built_in.iter().zip(&by_program).all(is_near), "{built_in:?} {by_program:?}");
}

#[test]
fn a_judge_must_report_a_win_rate() {
    let folder = Folder::new("judge-without-rates");
    folder.write("fens.txt", "q3/4/4/2*Q b - - 0 1\n");
    let player = answering(&folder, "player", "bestmove a4a3b4");
    let judged = |answer: &str| {
        let judge = answering(&folder, "judge", answer);
        let effort = "--iterations 2000 --reference 2000 --fens fens.txt --cache values";
        let players = format!("tournament cmd:{player},proto=uci --judge cmd:{judge},proto=uci");
        run_in(&folder, &format!("regret {players} {effort}"))
    };
    judged("bestmove d1d2d1").assert_refused("it reports no win rate (wdl)");
    judged("\"info wdl 400 0 600\"; echo bestmove d1d2d1").printed();
}
