//! The commands of the pages for people: each is run here, made small, or listed with the reason why not.

mod bot;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Commands that are run, and a part of what they must say.
const RUN: [(&str, &str); 35] = [
    ("dist/lab match tournament random --games 20 --time 0.05 --size 8", "Elo"),
    ("dist/otrera play", "Black"),
    ("dist/otrera analyze --time 5", "principal variation"),
    ("dist/otrera bench", "Bench: "),
    ("dist/otrera bench --parts", "evaluation"),
    ("dist/otrera perft --size 8 3", "1358441750"),
    ("dist/otrera --help parameters", "lcb-z"),
    ("scripts/selfplay.sh --help", "--protocol"),
    ("scripts/faults.sh --help", "--games"),
    ("dist/lab match tournament paper --time 0.1 --games 400 --seed 81", "Elo"),
    ("dist/lab match tournament,share=0.1 paper --time 0.5 --games 200 --seed 83", "Elo"),
    ("dist/lab match tournament pvs:fitted --time 0.1 --games 200 --seed 84", "Elo"),
    ("dist/lab match paper mcts --games 1000 --time 0.1 --sprt 0,50", "SPRT"),
    (
        "dist/lab match tournament,threads=2 tournament --time 0.1 --games 200 --concurrency 1 --adjudicate 0.99 \
         --seed 2201",
        "Elo",
    ),
    ("dist/lab match tournament tournament --time 0.1 --games 40", "Elo"),
    ("dist/lab match tournament,iterations=15000 tournament,iterations=12000 --games 400 --seed 41", "Elo"),
    ("dist/lab endgames", "positions"),
    ("dist/lab endgames --each 50 --nodes 10000000 --seed 2", "positions"),
    ("dist/lab tourney FIELD.toml", "greedy"),
    ("dist/lab report RESULTS.jsonl", "html"),
    ("dist/lab convert GAME --to sgf", "GM[18]"),
    ("dist/lab picture --move d1-d7/g7 --output docs/board.svg", "<svg"),
    ("dist/lab fit-eval RESULTS.jsonl", "too few positions"),
    ("dist/lab self-play --games 24000", "2 games, all different"),
    ("dist/lab self-play --games 2000 --output results/10.jsonl", "2 games, all different"),
    ("dist/lab self-play --games 2000 --size 8 --output results/8.jsonl", "2 games, all different"),
    (
        "dist/lab self-play --games 200 --iterations 5000 --output results/deep.jsonl",
        "2 games, all different",
    ),
    ("dist/lab fit-network results/self-play.jsonl", "too few positions"),
    ("dist/lab fit-policy RESULTS.jsonl", "too few positions"),
    ("dist/lab tune tournament,iterations=2000 c=3:0.6", "c="),
    ("dist/lab priors", "favourite first"),
    ("dist/lab blindness", "visited"),
    ("dist/lab table Z-2", "nodes"),
    ("dist/lab table Z-3", "mobility"),
    ("dist/lab table threads", "as many searches"),
];

/// Commands that are not, and why.
const NOT_RUN: [(&str, &str); 22] = [
    ("dist/lab sau --kill both", "an hour; lab/tests/sau.rs runs it"),
    ("dist/lab sau --games 100 --opponent pvs:fitted", "hours; lab/tests/sau.rs runs it"),
    ("dist/lab judge dist/otrera --games 20", "minutes; lab/tests/judge.rs runs it"),
    ("cargo install --path protocol", "installs outside of this folder"),
    ("cargo test -p otrera-bot --test sessions", "it is one of these tests"),
    ("cargo bench -p otrera-web", "a benchmark; web/tests/page.rs opens the same page"),
    ("dist/lab match A B", "a form, not a command"),
    (
        "dist/lab match random random --games 60000 --balance 0.5 --cluster local",
        "a measurement; lab/tests/cluster.rs plays on Ray",
    ),
    ("dist/lab match A B --games 400 --cluster local", "a form; lab/tests/cluster.rs plays on Ray"),
    (
        "dist/lab match \"cmd:NEW uci --threads 1 --memory 160,proto=uci\" \
         \"cmd:OLD uci --threads 1 --memory 160,proto=uci\" --time 0.1 --games 120 --seed 701",
        "needs an older build; lab/tests/matches.rs plays over UCI",
    ),
    ("dist/lab fit-eval", "a name; run with its arguments"),
    ("dist/lab fit-policy", "a name; run with its arguments"),
    ("dist/lab fit-network", "a name; run with its arguments"),
    ("dist/lab self-play", "a name; run with its arguments"),
    ("dist/lab match tournament,model=FILE tournament", "a form, not a command"),
    ("dist/lab tune", "a name; run with its arguments"),
    ("dist/lab table NAME", "a form, not a command"),
    ("dist/lab table K-1", "minutes even when quick"),
    ("dist/lab table techniques", "minutes even when quick"),
    ("dist/lab table Z-8 --seed 2", "minutes even when quick"),
    (
        "scripts/botzone_judge --forbid-execve",
        "a part of a command; packaging/botzone/test_botzone.py runs it",
    ),
    ("scripts/botzone_judge BOT", "packaging/botzone/test_botzone.py runs it"),
];

/// A command as it is run: with less of everything, and into files of this test.
fn made_small(command: &str) -> String {
    const SMALLER: [(&str, &str); 4] =
        [("--games", "2"), ("--time", "0.02"), ("--each", "1"), ("--nodes", "2000")];
    const MORE: [(&str, &str); 8] = [
        ("dist/lab table ", " --quick"),
        ("dist/lab self-play ", " --iterations 20"),
        ("dist/lab tune ", " --pairs 100 --size 4"),
        ("dist/lab endgames", " --each 1 --nodes 2000"),
        ("dist/lab priors", " --positions 6 --iterations 500"),
        ("dist/lab blindness", " --positions 6 --iterations 99"),
        ("dist/lab convert ", " --output GAME.sgf"),
        ("dist/lab tourney ", " --output tourney"),
    ];
    let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    for place in 1..words.len() {
        if let Some((_, less)) = SMALLER.iter().find(|(option, _)| *option == words[place - 1]) {
            words[place] = (*less).to_owned();
        }
    }
    let mut small = words.join(" ").replace("iterations=2000", "iterations=5");
    for (start, more) in MORE {
        let option = more.split(' ').nth(1).unwrap_or_default();
        if small.starts_with(start) && !small.contains(option) {
            small += more;
        }
    }
    small
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The pages, whole.
fn pages() -> Vec<(PathBuf, String)> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let docs = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let others = ["README.md", "README.zh-CN.md", "protocol/README.md"].map(|page| root().join(page));
    docs.chain(others).map(|page| (page.clone(), fs::read_to_string(page).unwrap())).collect()
}

/// The commands of a page: the lines of its blocks of shell, and what stands between backquotes and begins like one.
fn commands(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for (number, part) in page.split("```").enumerate() {
        if number % 2 == 0 {
            let quoted =
                part.split('`').skip(1).step_by(2).map(|code| code.split_whitespace().collect::<Vec<_>>());
            let of_us = ["dist/lab", "dist/otrera", "make", "cargo"];
            let begins = |words: &[&str]| {
                words.len() > 1 && (of_us.contains(&words[0]) || words[0].starts_with("scripts/"))
            };
            commands.extend(quoted.filter(|words| begins(words)).map(|words| words.join(" ")));
        } else if let Some(block) = part.strip_prefix("sh\n") {
            for line in block.replace("\\\n", " ").lines() {
                let command = line.split("# ").next().unwrap_or_default();
                commands.push(command.split_whitespace().collect::<Vec<_>>().join(" "));
            }
        }
    }
    commands.retain(|command| !command.is_empty());
    commands
}

#[test]
fn every_command_of_the_pages_is_run_or_listed() {
    let known = |command: &str| RUN.iter().chain(&NOT_RUN).any(|(listed, _)| *listed == command);
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let mut found = Vec::new();
    for (path, page) in pages() {
        for command in commands(&page) {
            let of_make = command.strip_prefix("make ");
            let is_target = |target: &str| makefile.contains(&format!("\n{target}: "));
            let is_known = of_make.map_or_else(|| known(&command), is_target);
            assert!(is_known, "{}: `{command}` is neither run by this test nor listed", path.display());
            found.push(command);
        }
    }
    for (command, _) in RUN.iter().chain(&NOT_RUN) {
        assert!(found.iter().any(|known| known == command), "no page has `{command}` any more");
    }
}

/// Runs a command of the shell where `dist/` and `scripts/` are.
fn run(folder: &Path, command: &str) -> Output {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).stdin(Stdio::null());
    shell.output().unwrap()
}

#[test]
fn what_the_pages_say_can_be_done() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("dist")).unwrap();
    fs::create_dir_all(folder.join("docs")).unwrap();
    symlink(bot::path(), folder.join("dist/otrera")).unwrap();
    symlink(env!("CARGO_BIN_EXE_lab"), folder.join("dist/lab")).unwrap();
    symlink(root().join("scripts").canonicalize().unwrap(), folder.join("scripts")).unwrap();
    let field = "players = [\"greedy\", \"random\"]\ngames = 2\nsize = 5\niterations = 5\n";
    fs::write(folder.join("FIELD.toml"), field).unwrap();
    let games = run(&folder, "dist/lab match greedy random --games 2 --size 5 --output RESULTS.jsonl");
    assert!(games.status.success(), "{}", String::from_utf8_lossy(&games.stderr));
    let line = fs::read_to_string(folder.join("RESULTS.jsonl")).unwrap();
    fs::write(folder.join("GAME"), line.lines().nth(1).unwrap()).unwrap();
    let mut problems = Vec::new();
    for (command, expected) in RUN {
        let small = made_small(command);
        let output = run(&folder, &small);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let written = ["GAME.sgf", "docs/board.svg"]
            .map(|file| fs::read_to_string(folder.join(file)).unwrap_or_default());
        let is_said = said.contains(expected) || written.concat().contains(expected);
        if !is_said || !output.status.success() && !expected.starts_with("too few") {
            problems.push(format!("{small}: {}, without {expected:?}: {said}", output.status));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
