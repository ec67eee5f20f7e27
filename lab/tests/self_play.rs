//! `lab self-play`, and `lab fit-network` and `lab fit-policy` on its games.

use crate::laboratory::{Run, lab, run};
use otrera::Move;
use otrera::eval::weights::WeightsFile;
use otrera::record::json;
use std::collections::HashSet;
use std::fs::{read, read_to_string, write};
use testkit::Folder;

fn run_on(threads: &str, line: &str) -> Run {
    run(lab(line).env("RAYON_NUM_THREADS", threads))
}

/// Runs `lab self-play` into a file; returns the games as lines of JSON.
fn self_play(arguments: &str, file: &str) -> Vec<String> {
    run_on("1", &format!("self-play {arguments} --iterations 20 --output {file}")).printed();
    games_of(file)
}

/// Returns the games of a shard as lines of JSON.
fn games_of(file: &str) -> Vec<String> {
    run_on("1", &format!("convert {file} --to json")).printed().lines().map(str::to_owned).collect()
}

/// Returns the moves of a game given as a line of JSON.
fn moves(game: &str) -> Vec<Move> {
    json::read(game).unwrap().played_moves()
}

#[test]
fn no_game_is_played_twice() {
    let folder = Folder::new("self-play-twice");
    // With few random plies, some games repeat earlier ones and are replayed.
    let few = "--size 4 --games 60 --concurrency 1 --random-plies 1 --drawn-plies 1";
    let games = self_play(few, &folder.file("games.shard"));
    let different: HashSet<_> = games.iter().map(|game| moves(game)).collect();
    assert_eq!((games.len(), different.len()), (60, 60));
    let none = "self-play --size 4 --games 5 --iterations 20 --random-plies 0 --drawn-plies 0 --output";
    run_on("1", &format!("{none} {}", folder.file("none.shard"))).assert_refused("set more --random-plies");
}

#[test]
fn games_are_reproducible_and_resume() {
    let folder = Folder::new("self-play-seed");
    let play = |seed: u32, more: &str, file: &str| {
        let games = if more.contains("--games") { "" } else { "--games 12" };
        self_play(&format!("--size 6 {games} --seed {seed} {more}"), &folder.file(file))
    };
    let games = play(3, "--concurrency 1", "one.shard");
    assert_eq!(games.len(), 12);
    assert_eq!(play(3, "--concurrency 3", "three.shard"), games);
    let others = play(4, "--concurrency 1", "others.shard");
    assert!(others.iter().zip(&games).all(|(other, game)| moves(other) != moves(game)));
    let whole = read(folder.join("one.shard")).unwrap();
    assert!(whole == read(folder.join("three.shard")).unwrap(), "three threads write other bytes");
    for length in [0, 10, 100, whole.len() / 2, whole.len() - 1, whole.len()] {
        write(folder.join("begun.shard"), &whole[..length]).unwrap();
        assert_eq!(play(3, "--resume", "begun.shard"), games);
        assert!(whole == read(folder.join("begun.shard")).unwrap(), "resumed from {length} bytes");
    }
    // A run with more games extends a finished shard.
    let extended = play(3, "--games 15 --resume", "one.shard");
    assert_eq!((extended.len(), &extended[..12]), (15, &games[..]));
    assert_eq!(play(3, "--games 15", "fifteen.shard"), extended);
    assert!(read(folder.join("one.shard")).unwrap() == read(folder.join("fifteen.shard")).unwrap());
    for game in &games {
        let game = json::read(game).unwrap();
        let end = *game.positions().last().unwrap();
        assert_eq!((end.winner(), end.is_blocked(end.side())), (game.winner, true), "the loser can move");
    }
}

#[test]
fn a_flawed_shard_stops_the_fit_and_names_itself() {
    let folder = Folder::new("self-play-flaws");
    let [good, flawed] = ["good.shard", "flawed.shard"].map(|name| folder.file(name));
    let games = self_play("--size 6 --games 700", &good);
    let whole = read(&good).unwrap();
    let fit = |files: &str| {
        run_on("1", &format!("fit-policy {files} --epochs 1 --output {}", folder.file("p.json")))
    };
    let refused = |bytes: &[u8], place: &str, reason: &str| {
        write(&flawed, bytes).unwrap();
        // Also in the middle of a list of files.
        for files in [flawed.clone(), format!("{good} {flawed} {good}")] {
            let refusal = fit(&files);
            refusal.assert_refused(&format!("{flawed}: {place}"));
            refusal.assert_refused(reason);
        }
    };
    for (byte, place, reason) in [
        (3, "is a shard", "first bytes are damaged"),
        (13, "is a shard", "of another version"),
        (whole.len() / 2, "block ", "checksum"),
        (whole.len() - 3, "block ", "checksum"),
    ] {
        let mut bytes = whole.clone();
        bytes[byte] ^= 1;
        refused(&bytes, place, reason);
    }
    refused(&whole[..15], "block ", "the file ends here");
    refused(&whole[..whole.len() / 2], "block ", "the file ends here");
    refused(&whole[..whole.len() - 32], "block ", "the file ends here");
    refused(&[&whole[..], b"x"].concat(), "block ", "bytes follow");
    // With --unfinished, the whole blocks are read; repeated games come once.
    write(&flawed, &whole[..whole.len() - 32]).unwrap();
    let printed = fit(&format!("{flawed} {good} --unfinished")).printed();
    assert!(printed.starts_with(&format!("{} games, ", games.len())), "{printed}");
    // A shuffle buffer far smaller than the data still trains, with equal results on any number of threads.
    let small = |threads: &str| {
        let output = folder.file("small.json");
        let line = format!("fit-policy {good} --epochs 1 --buffer 100 --output {output}");
        run_on(threads, &line).printed();
        read_to_string(output).unwrap()
    };
    assert_eq!(small("1"), small("3"));
}

/// Parses the row `all` of the loss table: trained network, rounded network, base model, search.
fn losses(printed: &str) -> [f64; 4] {
    let row = printed.lines().find(|line| line.starts_with("all ")).unwrap();
    let numbers: Vec<f64> = row.split_whitespace().skip(2).map(|loss| loss.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

#[test]
fn network_and_policy_fits_learn_and_are_reproducible() {
    let folder = Folder::new("fit");
    let games = folder.file("games.shard");
    assert_eq!(self_play("--size 6 --games 900", &games).len(), 900);
    check_network_fit(&folder, &games);
    check_policy_fit(&folder, &games);
}

fn check_network_fit(folder: &Folder, games: &str) {
    let fit = |options: &str, threads: &str, file: &str| {
        let file = folder.file(file);
        let arguments = format!("fit-network {games} --epochs 4 {options} --output {file}");
        let printed = run_on(threads, &arguments).printed();
        (read_to_string(file).unwrap(), losses(&printed))
    };
    let (network, [trained, rounded, base, search]) = fit("--seed 2", "1", "one.json");
    assert!(trained < 0.67, "a constant 1/2 has {}: {trained}", 2_f64.ln());
    assert!((trained - rounded).abs() < 0.002, "{trained} {rounded}");
    assert!([base, search].iter().all(|loss| (0.1..0.8).contains(loss)), "{base} {search}");
    assert!(network.contains("from 900 games") && network.contains("4 epochs"));
    assert_eq!(fit("--seed 2", "3", "three.json").0, network, "on three threads");
    assert_ne!(fit("--seed 5", "1", "other.json").0, network, "from another seed");
    assert!(read_to_string(folder.file("one.loss.svg")).unwrap().contains("unseen games"));
    // The network of the --base file is the base model.
    let [_, _, base, _] = fit(&format!("--seed 5 --base {}", folder.file("one.json")), "1", "next.json").1;
    assert!((base - rounded).abs() < 1e-9, "{base} {rounded}");
    // A refined network begins with the weights of its base.
    let refine = format!("--refine --rate 1e-9 --base {}", folder.file("one.json"));
    let (network, [refined, _, base, _]) = fit(&refine, "1", "refined.json");
    assert!((refined - base).abs() < 0.001, "{refined} {base}");
    assert!(network.contains("from an older network and 900 games"));
    let play = "match tournament,iterations=9,model=FILE random --games 2 --size 6 --plies 0 --output";
    let play = play.replace("FILE", &folder.file("one.json"));
    run_on("1", &format!("{play} {}", folder.file("match.jsonl"))).printed();
}

fn check_policy_fit(folder: &Folder, games: &str) {
    let fit = |options: &str, threads: &str, file: &str| {
        let file = folder.file(file);
        let arguments = format!("fit-policy {games} --epochs 3 {options} --output {file}");
        let printed = run_on(threads, &arguments).printed();
        assert!(printed.ends_with(&format!("written: {file}\n")), "{printed}");
        // The column `favourite`, in per cent, of the last row of each table.
        let found: Vec<f64> = printed
            .lines()
            .filter(|line| line.trim_start().starts_with("all "))
            .map(|line| line.split_whitespace().nth(3).and_then(|share| share.parse().ok()).unwrap())
            .collect();
        (read_to_string(file).unwrap(), found)
    };
    let (policy, found) = fit("--seed 2", "1", "policy.json");
    // A random choice finds about 5 % of the movements and 10 % of the arrows.
    assert!(found[0] > 10.0 && found[1] > 20.0, "{found:?}");
    let [written, built_in] = [WeightsFile::read(&policy).unwrap(), WeightsFile::built_in()];
    assert_eq!(written.priors.standard, built_in.priors.standard);
    assert_eq!(written.networks, built_in.networks);
    assert!(written.priors.small.trained.starts_with("by lab fit-policy, from 900 games, "));
    assert_eq!(fit("--seed 2", "3", "three.json").0, policy, "on three threads");
    assert_ne!(fit("--seed 5", "1", "other.json").0, policy, "from another seed");
    let (arrows, found) = fit("--seed 2 --only arrows", "2", "arrows.json");
    assert_eq!(found.len(), 1, "{found:?}");
    let [arrows, base] = [WeightsFile::read(&arrows).unwrap(), built_in].map(|file| file.priors.small);
    assert_eq!((arrows.movements, arrows.movement_rows), (base.movements, base.movement_rows));
    assert_eq!(
        (arrows.arrows, arrows.arrow_rows),
        (written.priors.small.arrows, written.priors.small.arrow_rows)
    );
    let rest = base.trained.rsplit("; the rest: ").next().unwrap();
    assert!(arrows.trained.starts_with("arrows: by lab fit-policy, from 900 games, "), "{}", arrows.trained);
    assert!(arrows.trained.ends_with(&format!("; the rest: {rest}")), "{}", arrows.trained);
    assert!(read_to_string(folder.file("policy.arrows.svg")).unwrap().contains("unseen games"));
}
