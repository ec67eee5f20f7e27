//! `lab openings`.

use crate::laboratory::{Run, lab, run};
use std::fs::{read_to_string, write};
use testkit::Folder;

fn openings(more: &str, file: &str) -> Run {
    let few = "openings --size 6 --openings 6 --max-plies 5 --iterations 3000 --seed 2";
    run(lab(&format!("{few} {more} --output {file}")).env("RAYON_NUM_THREADS", "1"))
}

#[test]
fn openings_are_balanced_reproducible_and_resume() {
    let folder = Folder::new("openings");
    let file = folder.file("one.txt");
    openings("--concurrency 1 --balance 0.1", &file).printed();
    let whole = read_to_string(&file).unwrap();
    let lines: Vec<&str> = whole.lines().skip(1).collect();
    assert_eq!(lines.len(), 6);
    for (number, line) in lines.iter().enumerate() {
        let (moves, rest) = line.split_once(" # ").unwrap();
        assert!((4..=5).contains(&moves.split(' ').count()), "{line}");
        let (own_number, rate) = rest.split_once(": ").unwrap();
        assert_eq!(own_number, number.to_string());
        assert!((rate.parse::<f64>().unwrap() - 0.5).abs() <= 0.1005, "{line}");
    }
    let begun = folder.file("begun.txt");
    openings("--concurrency 3 --balance 0.1", &begun).printed();
    assert_eq!(read_to_string(&begun).unwrap(), whole);
    for length in [0, 20, whole.len() / 2, whole.len() - 1] {
        write(&begun, &whole[..length]).unwrap();
        openings("--resume --balance 0.1", &begun).printed();
        assert_eq!(read_to_string(&begun).unwrap(), whole, "resumed from {length} bytes");
    }
    openings("--resume --balance 0.2", &begun).assert_refused("other settings");
    let played = format!(
        "match random greedy --size 6 --games 2 --book {file} --output {}",
        folder.file("match.jsonl")
    );
    assert!(run(&mut lab(&played)).printed().contains("greedy"));
}

#[test]
fn images_of_an_opening_are_left_out() {
    let folder = Folder::new("openings-images");
    // One random ply on 4x4: there are few openings, so that some would repeat others.
    let few = "openings --size 4 --openings 200 --min-plies 1 --max-plies 1 --iterations 50 --balance 0.5";
    run(&mut lab(&format!("{few} --output {}", folder.file("few.txt"))))
        .assert_refused("set more --max-plies");
}

#[test]
fn another_opening_replaces_an_image() {
    let (folder, file) = (Folder::new("openings-others"), "openings-others.txt");
    // Many of the openings drawn at first are images of others.
    let some = "openings --size 4 --openings 24 --min-plies 1 --max-plies 2 --iterations 50 --balance 0.5";
    let printed = run(&mut lab(&format!("{some} --output {}", folder.file(file)))).printed();
    assert!(printed.contains("24 openings, no two of them mirror images"), "{printed}");
    let whole = read_to_string(folder.file(file)).unwrap();
    let lines: std::collections::HashSet<&str> =
        whole.lines().skip(1).filter_map(|line| line.split(" # ").next()).collect();
    assert_eq!(lines.len(), 24, "{whole}");
}
