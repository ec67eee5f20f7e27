//! `lab tune` and `lab fit-policy` resume after an interruption, with the same results.

use crate::laboratory::run_lab;
use std::fs::{read_to_string, write};
use testkit::Folder;

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
        run_lab(&format!("{command} --output {file} {more}")).printed();
        read_to_string(file).unwrap()
    };
    let course = tune("one", "--concurrency 1");
    assert_eq!(course.lines().count(), 100);
    assert_eq!(tune("three", "--concurrency 3"), course);
    assert_ne!(tune("ahead", "--ahead 3"), course);
    cut(&folder.file("three"), 40);
    assert_eq!(tune("three", "--resume"), course);
    let other = "tune tournament,iterations=20 c=3:2.8:0.1:9.9 --pairs 100 --size 6 --resume --output";
    let refused = run_lab(&format!("{other} {}", folder.file("one")));
    assert!(refused.status == Some(1) && refused.said.contains("is not of this command"), "{refused:?}");
    assert_eq!(read_to_string(folder.file("one")).unwrap(), course, "it stays as it was");
}

#[test]
fn searches_are_kept_and_not_repeated() {
    let folder = Folder::new("searches");
    let games = folder.file("games.jsonl");
    run_lab(&format!("match random random --games 60 --plies 2 --balance 0.5 --output {games}")).printed();
    let searches = folder.file("searches");
    let fit = |iterations: u32, file: &str, more: &str| {
        let effort = format!("--search tournament,endgame-proofs=off --iterations {iterations} --steps 2");
        run_lab(&format!("fit-policy {games} {effort} --output {} {more}", folder.file(file)))
    };
    let weights = |file: &str, more: &str| {
        fit(5, file, more).printed();
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
    let refused = fit(6, "other", &keep);
    assert!(refused.said.contains("was begun under other conditions"), "{refused:?}");
}
