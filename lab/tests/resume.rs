//! `lab tune` resumes after an interruption, with equal results.

use crate::laboratory::{cut, run_lab};
use std::fs::read_to_string;
use testkit::Folder;

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
    assert_eq!(log.lines().count(), 101, "a line for the settings, and one for each pair");
    assert_eq!(tune("three", "--concurrency 3"), log);
    assert_ne!(tune("ahead", "--ahead 3"), log);
    cut(&folder.join("three"), 40);
    assert_eq!(tune("three", "--resume"), log);
    let other = "tune tournament,iterations=20 c=3:2.8:0.1:9.9 --pairs 100 --size 6 --resume --output";
    run_lab(&format!("{other} {}", folder.file("one"))).assert_refused("give the same settings");
    let ahead =
        "tune tournament,iterations=20 c=3:2.9:0.1:9.9 --pairs 100 --size 6 --ahead 3 --resume --output";
    run_lab(&format!("{ahead} {}", folder.file("one"))).assert_refused("give the same settings");
    assert_eq!(read_to_string(folder.join("one")).unwrap(), log, "a refused command must not change the log");
}
