//! `lab train`: complete rounds, resuming after an interruption at any point, and the refusal of changed options.

use crate::laboratory::{cut, eventually, lab, run_lab};
use otrera::record::json;
use std::fs::{read, read_to_string, remove_file};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use testkit::Folder;

/// Arguments for two small rounds, with an SPRT that accepts the new weights within four pairs, whatever the results.
const ROUNDS: &str = "train --size 6 --games 120 --iterations 10 --match-games 12 --sprt=-800,-400,0.4,0.4 --rounds 2 --concurrency 1 --output";

/// Counts the line ends of a file; a shard has some too.
fn lines(file: &Path) -> usize {
    read(file).map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
}

/// Returns the results of a training run: the log, and hashes of the weights of both rounds and of the best weights.
fn outcome(folder: &Folder) -> (String, [u64; 3]) {
    let text = |name: &str| read_to_string(folder.join(name)).unwrap_or_default();
    let hash = |name| {
        let mut hasher = DefaultHasher::new();
        text(name).hash(&mut hasher);
        hasher.finish()
    };
    (text("rounds.jsonl"), ["weights-1.json", "weights-2.json", "best.json"].map(hash))
}

#[test]
fn rounds_resume_after_an_interruption_at_any_step() {
    let folder = Folder::new("train");
    let command = format!("{ROUNDS} {}", folder.0.display());
    let printed = run_lab(&command).printed();
    let whole = outcome(&folder);
    let (_, [first, second, best]) = whole;
    let table: Vec<&str> = printed.lines().skip_while(|line| *line != "Rounds").collect();
    assert!(table[2].starts_with("  1        120") && table[2].ends_with("H1     kept"), "{printed}");
    assert!(table[3].starts_with("  2        240") && table[3].ends_with("H1     kept"), "{printed}");
    assert_eq!(best, second);
    let shard = read(folder.join("games-2.shard")).unwrap();
    assert!(String::from_utf8_lossy(&shard).contains("weights-1.json"));
    assert_ne!(first, second);

    let file = |name: &str| folder.join(name);
    let again = |step: &str| {
        let printed = run_lab(&command).printed();
        assert_eq!(outcome(&folder), whole, "{step}");
        printed
    };
    let printed = again("at the end");
    assert!(
        !["round 1 of 2", "round 2 of 2"].iter().any(|step| printed.contains(step)),
        "a finished round ran again: {printed}"
    );
    cut(&file("rounds.jsonl"), 4);
    cut(&file("match-2.jsonl"), 2);
    let printed = again("during the second match");
    assert!(printed.contains("not tested yet") && !printed.contains("self-play"), "{printed}");
    cut(&file("rounds.jsonl"), 4);
    remove_file(file("best.json")).unwrap();
    again("before the second decision is written");
    cut(&file("rounds.jsonl"), 3);
    again("after the second fit");
    cut(&file("rounds.jsonl"), 3);
    remove_file(file("weights-2.json")).unwrap();
    remove_file(file("match-2.jsonl")).unwrap();
    cut(&file("games-2.shard"), 50);
    again("during the second self-play");
}

#[test]
fn a_killed_training_run_resumes_with_equal_results() {
    let [whole, killed] = ["train-whole", "train-killed"].map(Folder::new);
    run_lab(&format!("{ROUNDS} {}", whole.0.display())).printed();
    let command = format!("{ROUNDS} {}", killed.0.display());
    for (name, count) in [("games-1.shard", 30), ("weights-1.movements.svg", 1), ("match-1.jsonl", 3)] {
        let mut training = lab(&command).spawn().unwrap();
        assert!(eventually(|| lines(&killed.join(name)) >= count), "{name}");
        training.kill().unwrap();
        training.wait().unwrap();
    }
    run_lab(&command).printed();
    assert_eq!(outcome(&killed), outcome(&whole));
}

#[test]
fn unproven_weights_are_dropped_and_changed_options_refused() {
    let folder = Folder::new("train-options");
    let output = folder.0.display();
    let train = |rounds: u32, games: u32, more: &str| {
        let small = format!("--size 6 --iterations 5 --games {games} --match-games 4 {more}");
        run_lab(&format!("train --rounds {rounds} {small} --output {output}"))
    };
    let printed = train(1, 120, "").printed();
    assert!(printed.contains("SPRT undecided: dropped"), "{printed}");
    assert!(
        printed
            .ends_with("no round has beaten the current weights: add --rounds, or train with more --games\n")
    );
    let [best, current] =
        ["best.json", "weights-0.json"].map(|name| read_to_string(folder.join(name)).unwrap());
    assert_eq!(best, current, "without a win, the best weights are the current ones");
    let log = read_to_string(folder.join("rounds.jsonl")).unwrap();
    for (refused, begun) in [
        (train(1, 121, ""), "was started with games=120: give the same settings, or name another output\n"),
        (train(1, 120, "--seed 2 --sprt 0,9"), "was started with seed=1, sprt=0,20: give"),
    ] {
        refused.assert_refused(begun);
        assert_eq!(read_to_string(folder.join("rounds.jsonl")).unwrap(), log);
    }
    // With a larger --rounds the run continues, here with the built-in weights again.
    let printed = train(2, 120, "--concurrency 2").printed();
    assert!(printed.contains("round 2 of 2, self-play: 120 games of the built-in weights"), "{printed}");
    // A dropped round's weights neither play the games nor defend themselves in the match.
    let shard = read(folder.join("games-2.shard")).unwrap();
    let names = |number: u32| String::from_utf8_lossy(&shard).contains(&format!("weights-{number}.json"));
    assert_eq!([0, 1, 2].map(names), [true, false, false]);
    let games = read_to_string(folder.join("match-2.jsonl")).unwrap();
    for line in games.lines().skip(1) {
        let game = json::read(line).unwrap();
        let has = |number: u32| {
            game.black.contains(&format!("weights-{number}.json"))
                || game.white.contains(&format!("weights-{number}.json"))
        };
        assert_eq!([0, 1, 2].map(has), [true, false, true], "{line}");
    }
    run_lab("train --output results/one,two").assert_refused("takes no path with a comma");
}
