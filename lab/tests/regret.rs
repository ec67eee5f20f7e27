//! `lab regret`: compares searches, and keeps its reference values.

use crate::laboratory::lab;
use testkit::Folder;

/// Runs the command on a few positions; returns its output.
fn regret(folder: &Folder, settings: &[&str]) -> String {
    let cache = folder.0.join("values.jsonl");
    let effort = "--size 8 --positions 12 --iterations 20,2000 --reference 4000 --memory 32".split(' ');
    let mut command = lab(&["regret", "--cache", cache.to_str().unwrap()]);
    let output = command.args(settings).args(effort).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the mean regret of the first setting after N iterations.
fn mean_after(report: &str, iterations: &str) -> f64 {
    let mut rows = report.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.find(|row| row.first() == Some(&iterations)).unwrap()[1].parse().unwrap()
}

#[test]
fn more_iterations_have_less_regret_and_values_are_kept() {
    let folder = Folder::new("regret");
    let first = regret(&folder, &["tournament"]);
    assert!(mean_after(&first, "20") > mean_after(&first, "2000") + 1.0, "{first}");
    let values = || std::fs::read_to_string(folder.0.join("values.jsonl")).unwrap();
    let kept = values();
    assert!(kept.lines().count() > 10, "{kept}");
    assert_eq!(regret(&folder, &["tournament"]), first);
    assert_eq!(values(), kept);
    assert!(regret(&folder, &["tournament", "paper"]).contains("paper"));
}
