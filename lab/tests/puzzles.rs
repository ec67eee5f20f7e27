//! `lab endgames`: writes puzzles, and resumes after an interruption.

use crate::laboratory::run_lab;
use testkit::Folder;

#[test]
fn interrupted_puzzle_generation_resumes() {
    let folder = Folder::new("puzzles");
    let file = &folder.file("puzzles.txt");
    let command = format!("endgames --puzzles {file} --size 6 --each 3 --iterations 20 --nodes 4000");
    run_lab("endgames --size 6").assert_refused("--puzzles <FILE>");
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
