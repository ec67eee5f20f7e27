//! `lab tune` and `lab fit-policy` resume after an interruption, with the same results.

mod laboratory;

use laboratory::{Folder, lab};
use std::fs::{read_to_string, write};

/// Runs the laboratory; returns its success and its errors.
fn run(arguments: &str) -> (bool, String) {
    let output = lab(&arguments.split_whitespace().collect::<Vec<_>>()).output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

/// Cuts a file in the middle of a line, after this number of complete lines.
fn cut(file: &str, lines: usize) {
    let text = read_to_string(file).unwrap();
    let whole: usize = text.split_inclusive('\n').take(lines).map(str::len).sum();
    write(file, &text[..whole + 2]).unwrap();
}

#[test]
fn tuning_is_independent_of_concurrency_and_resumes() {
    let folder = Folder::new("tune");
    let tune = |file: &str, more: &str| {
        let file = folder.file(file);
        let command = "tune tournament,iterations=20 c=3:2.9:0.1:9.9 --pairs 100 --size 6";
        let (is_done, said) = run(&format!("{command} --output {file} {more}"));
        assert!(is_done, "{said}");
        read_to_string(file).unwrap()
    };
    let course = tune("one", "--concurrency 1");
    assert_eq!(course.lines().count(), 100);
    assert_eq!(tune("three", "--concurrency 3"), course);
    assert_ne!(tune("ahead", "--ahead 3"), course);
    cut(&folder.file("three"), 40);
    assert_eq!(tune("three", "--resume"), course);
    let other = "tune tournament,iterations=20 c=3:2.8:0.1:9.9 --pairs 100 --size 6 --resume --output";
    let (is_done, said) = run(&format!("{other} {}", folder.file("one")));
    assert!(!is_done && said.contains("is not of this command"), "{said}");
    assert_eq!(read_to_string(folder.file("one")).unwrap(), course, "it stays as it was");
}

#[test]
fn searches_are_kept_and_not_repeated() {
    let folder = Folder::new("searches");
    let games = folder.file("games.jsonl");
    let (is_played, said) =
        run(&format!("match random random --games 60 --plies 2 --balance 0.5 --output {games}"));
    assert!(is_played, "{said}");
    let searches = folder.file("searches");
    let fit = |iterations: u32, file: &str, more: &str| {
        let effort = format!("--search tournament,counting=off --iterations {iterations} --steps 2");
        run(&format!("fit-policy {games} {effort} --output {} {more}", folder.file(file)))
    };
    let weights = |file: &str, more: &str| {
        let (is_done, said) = fit(5, file, more);
        assert!(is_done, "{said}");
        read_to_string(folder.file(file)).unwrap()
    };
    let fitted = weights("one", "");
    let keep = format!("--concurrency 3 --searches {searches}");
    assert_eq!(weights("three", &keep), fitted);
    let before = read_to_string(&searches).unwrap();
    cut(&searches, 300);
    assert_eq!(weights("again", &keep), fitted);
    let after = read_to_string(&searches).unwrap();
    let first = |text: &str| text.lines().take(300).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!((first(&after), after.lines().count()), (first(&before), before.lines().count()));
    let (is_done, said) = fit(6, "other", &keep);
    assert!(!is_done && said.contains("was begun under other conditions"), "{said}");
}
