//! Tests of `otrera analyze --record FOLDER --annotate FOLDER`.

use crate::common::{LIMIT, OTRERA, assert_contains, files, folder, read, run, start, text};
use otrera::record::sgf;
use otrera::{GameRecord, Position, Size};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use testkit::program::Exit;

/// Writes a folder with a file of two games and one of a single game; returns it and the path of an output folder.
fn records(name: &str) -> (PathBuf, PathBuf) {
    let folder = folder(name);
    let game = |black: &str, moves: &[&str]| {
        let moves: Vec<_> = moves.iter().map(|text| text.parse().unwrap()).collect();
        GameRecord::new(black, "Bob, Jr.", Position::start(Size::BOTZONE)).with_moves(&moves)
    };
    let first = game("Ada", &["c1-c6/f6", "a6-c4/f4"]);
    let second = game("阿达", &["c1-c6/f6"]);
    let input = folder.join("in");
    std::fs::create_dir(&input).unwrap();
    std::fs::write(input.join("two.sgf"), sgf::write(&first) + &sgf::write(&second)).unwrap();
    std::fs::write(input.join("one.txt"), "c1-c6/f6 a6-c4/f4 f1-f3/c3").unwrap();
    std::fs::write(input.join(".hidden"), "nothing").unwrap();
    (input, folder.join("out"))
}

/// Returns the arguments of a review with reproducible searches.
fn arguments<'a>(input: &'a Path, output: &'a Path, iterations: &'a str) -> Vec<&'a str> {
    let own = ["analyze", "--record", text(input), "--annotate", text(output)];
    own.into_iter().chain(["--threads", "1", "--memory", "4", "--iterations", iterations]).collect()
}

fn review(input: &Path, output: &Path, iterations: &str) -> Exit {
    run(OTRERA, arguments(input, output, iterations), b"")
}

fn names(output: &Path) -> Vec<String> {
    files(output, "sgf").iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn folder_is_reviewed_once() {
    let (input, output) = records("batch");
    let exit = review(&input, &output, "120");
    assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""), "{}", exit.rest);
    assert_contains(&exit.rest, "3 games, 0 of them reviewed before");
    assert_eq!(names(&output), ["one.txt.sgf", "two-1.sgf", "two-2.sgf"]);
    let game = sgf::read(&read(&output.join("two-2.sgf"))).unwrap().games.remove(0);
    assert_eq!((game.black.as_str(), game.moves.len()), ("阿达", 1));
    assert!(game.notes[&1].value.is_some());
    let table = read(&output.join("reviews.csv"));
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 7, "{table}");
    assert_contains(rows[0], "game,record,side,player,moves,accuracy,");
    assert_contains(rows[4], "two-1.sgf,two.sgf 1,White,\"Bob, Jr.\",1,");
    // The second run reviews nothing, also after a cut journal, a missing game and an edited one.
    let before = output.join("two-1.sgf").metadata().unwrap().modified().unwrap();
    let again = review(&input, &output, "120");
    assert_contains(&again.rest, "3 games, 3 of them reviewed before");
    std::fs::remove_file(output.join("one.txt.sgf")).unwrap();
    std::fs::write(output.join("two-2.sgf"), "(;C[mine])").unwrap();
    std::fs::write(output.join("otrera-4711.part"), "half").unwrap();
    let journal = read(&output.join("reviews.jsonl"));
    std::fs::write(output.join("reviews.jsonl"), format!("{journal}{{\"game\":\"tw")).unwrap();
    let again = review(&input, &output, "120");
    assert_eq!((again.status, again.errors.as_str()), (Some(0), ""), "{}", again.rest);
    assert_contains(&again.rest, "3 games, 2 of them reviewed before");
    assert_eq!(names(&output).len(), 3);
    assert_eq!(read(&output.join("reviews.csv")), table);
    assert_eq!(output.join("two-1.sgf").metadata().unwrap().modified().unwrap(), before);
    assert_eq!(read(&output.join("two-2.sgf")), "(;C[mine])");
    assert!(!output.join("otrera-4711.part").exists());
    // Other settings replace our files, but not the edited one.
    let other = review(&input, &output, "130");
    assert_eq!(other.status, Some(2));
    assert_contains(&other.errors, "two-2.sgf: exists, is not a review by Otrera or was edited");
    assert_contains(&other.rest, "3 games, 0 of them reviewed before");
    assert_ne!(output.join("two-1.sgf").metadata().unwrap().modified().unwrap(), before);
    assert_eq!(read(&output.join("two-2.sgf")), "(;C[mine])");
}

#[test]
fn a_killed_batch_goes_on() {
    const ITERATIONS: &str = "2000";
    let (input, output) = records("batch-killed");
    let unbroken = output.with_file_name("unbroken");
    assert_eq!(review(&input, &unbroken, ITERATIONS).status, Some(0));
    let journal = output.join("reviews.jsonl");
    let lines = || std::fs::read_to_string(&journal).unwrap_or_default().matches('\n').count();
    let program = start(&arguments(&input, &output, ITERATIONS));
    let started = Instant::now();
    while lines() == 0 {
        assert!(started.elapsed() < LIMIT, "no game is reviewed");
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(program); // by SIGKILL
    // The line of a game is written before its file.
    let (begun, ready) = (lines(), names(&output).len());
    assert!(ready <= begun && begun < 3 && !output.join("reviews.csv").exists(), "killed too late");
    let again = review(&input, &output, ITERATIONS);
    assert_eq!((again.status, again.errors.as_str()), (Some(0), ""), "{}", again.rest);
    assert_contains(&again.rest, &format!("3 games, {ready} of them reviewed before"));
    // A game whose file was missing has two lines, all others have one.
    assert_eq!(lines(), 3 + begun - ready);
    assert_eq!(names(&output), names(&unbroken));
    for name in names(&unbroken).iter().map(String::as_str).chain(["reviews.csv"]) {
        assert_eq!(read(&output.join(name)), read(&unbroken.join(name)), "{name}");
    }
}

#[test]
fn files_of_others_stay() {
    let (input, output) = records("batch-foreign");
    std::fs::create_dir(&output).unwrap();
    std::fs::write(output.join("one.txt.sgf"), "mine").unwrap();
    std::fs::write(input.join("bad.txt"), "no game here").unwrap();
    std::fs::write(input.join("illegal.txt"), "c1-c6/f6 a6-c4/f4 f1-f9/c3").unwrap();
    let exit = review(&input, &output, "100");
    assert_eq!(exit.status, Some(2));
    for problem in ["bad.txt: ", "one.txt.sgf: exists, is not a review"] {
        assert_contains(&exit.errors, problem);
    }
    assert_eq!(read(&output.join("one.txt.sgf")), "mine");
    assert!(names(&output).contains(&"two-1.sgf".to_owned()));
    for name in ["reviews.csv", "reviews.jsonl"] {
        let kept = read(&output.join(name));
        std::fs::write(output.join(name), "mine\n").unwrap();
        let exit = review(&input, &output, "100");
        assert_contains(&exit.errors, "is not Otrera's and stays unchanged");
        assert_eq!(read(&output.join(name)), "mine\n");
        std::fs::write(output.join(name), kept).unwrap();
    }
    // A damaged line of the journal stops the review.
    let journal = read(&output.join("reviews.jsonl"));
    std::fs::write(output.join("reviews.jsonl"), journal.replace("\"number\":1", "\"number\":x")).unwrap();
    let damaged = review(&input, &output, "100");
    assert_eq!(damaged.status, Some(2));
    assert_contains(&damaged.errors, "reviews.jsonl: line 1 is damaged: ");
    std::fs::write(output.join("reviews.jsonl"), journal).unwrap();
    let own = review(&input, &input, "100");
    assert_contains(&own.errors, "--annotate needs another folder than --record");
}
