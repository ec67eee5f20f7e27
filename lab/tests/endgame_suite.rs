//! `lab endgames`: generates a small suite, reads the suite again, and judges a player.

use crate::laboratory::{Run, run_lab};
use otrera::Position;
use testkit::Folder;

/// Runs `lab endgames` with small limits and these options.
fn endgames(options: &str) -> Run {
    run_lab(&format!("endgames --iterations 20 --nodes 4000 --time 0.01 {options}"))
}

#[test]
fn a_suite_is_generated_and_read_back() {
    let folder = Folder::new("suite");
    let file = &folder.file("suite.txt");
    let made = endgames(&format!("--size 8 --each 1 --seed 5 --output {file}")).printed();
    let suite = std::fs::read_to_string(file).unwrap();
    assert!(suite.starts_with("# lab endgames --size 8 --each 1 --iterations 20 --seed 5"), "{suite}");
    let lines: Vec<&str> = suite.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() >= 5, "{suite}");
    for line in &lines {
        let fields: Vec<&str> = line.split("; ").collect();
        let position = Position::from_fen(fields[0]).unwrap();
        assert!(position.winner().is_none() && ["Black", "White"].contains(&fields[1]), "{line}");
        assert!((1..=22).contains(&fields[2].parse::<u32>().unwrap()), "{line}");
    }
    assert!(made.contains(&format!("{} positions written", lines.len())), "{made}");

    let read = endgames(&format!("--suite {file} --player greedy")).printed();
    for (printed, player) in [(made, "tournament"), (read, "greedy")] {
        assert!(printed.contains(&format!("{player} with 0.01 s a move")), "{printed}");
        assert!(printed.contains("falsely certain results: 0"), "{printed}");
        assert!(printed.contains("the proven winner lost in 0 games"), "{printed}");
    }
}

#[test]
fn interrupted_puzzle_generation_resumes() {
    let folder = Folder::new("puzzles");
    let file = &folder.file("puzzles.txt");
    let command = format!("endgames --puzzles {file} --size 6 --each 3 --iterations 20 --nodes 4000");
    let run = |more: &str| run_lab(&format!("{command} {more}"));
    assert!(run("").printed().starts_with("3 puzzles from"));
    let puzzles = std::fs::read_to_string(file).unwrap();
    assert!(puzzles.starts_with("# lab endgames --size 6 --each 3"), "{puzzles}");
    assert_eq!(run("").status, Some(1), "an existing file is not overwritten");
    let first: Vec<&str> = puzzles.lines().take(2).collect();
    std::fs::write(file, first.join("\n") + "\n").unwrap();
    run("--resume").printed();
    assert_eq!(std::fs::read_to_string(file).unwrap(), puzzles);
    std::fs::write(file, format!("{}\n1qq1/q2q/Q2Q/1QQ1 w - - 0 1; b1-b2/b1; 0; 4; 1\n", first[0])).unwrap();
    run("--resume").assert_refused("expected a grade of 1 to 3");
}

#[test]
fn invalid_suites_are_refused() {
    let folder = Folder::new("no-suite");
    for (text, complaint) in [
        ("", "the suite is empty"),
        ("2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1; Black; 56\n", "expected 1 to 22 contested squares"),
        ("# head\nno position; Black; 3\n", ":2: "),
        ("2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1; Nobody; 56\n", "Black or White"),
    ] {
        endgames(&format!("--suite {}", folder.write("suite.txt", text))).assert_refused(complaint);
    }
}
