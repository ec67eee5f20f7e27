//! `lab tune` resumes after an interruption, with the same results.

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
    let log = tune("one", "--concurrency 1");
    assert_eq!(log.lines().count(), 100);
    assert_eq!(tune("three", "--concurrency 3"), log);
    assert_ne!(tune("ahead", "--ahead 3"), log);
    cut(&folder.file("three"), 40);
    assert_eq!(tune("three", "--resume"), log);
    let other = "tune tournament,iterations=20 c=3:2.8:0.1:9.9 --pairs 100 --size 6 --resume --output";
    let refused = run_lab(&format!("{other} {}", folder.file("one")));
    assert!(
        refused.status == Some(1) && refused.said.contains("was not written by this command"),
        "{refused:?}"
    );
    assert_eq!(
        read_to_string(folder.file("one")).unwrap(),
        log,
        "the refused command must not change the log"
    );
}
