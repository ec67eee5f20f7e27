//! Tests of the commands in the documentation. One test runs the commands of shell blocks marked by `<!-- run -->`,
//! with smaller numbers; `<!-- run except dist/lab sau, dist/lab judge -->` excludes commands by their first words.
//! Another test checks that the names and options of all commands exist.

use crate::bot;
use crate::laboratory::{Run, run};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testkit::Folder;
use testkit::files::repository;

/// Returns a command with smaller numbers, so that it runs fast.
fn shortened(command: &str) -> String {
    const SMALLER: [(&str, &str); 4] =
        [("--games", "2"), ("--time", "0.02"), ("--each", "1"), ("--nodes", "2000")];
    const MORE: &[(&str, &str)] = &[
        ("dist/lab lead-puzzles ", " --each 1 --size 6 --iterations 20 --deep 100 --lead 1"),
        ("dist/lab table ", " --quick"),
        ("dist/lab self-play ", " --iterations 20"),
        ("dist/lab tune ", " --pairs 100 --size 4"),
        ("dist/lab regret ", " --positions 4 --iterations 20,200 --reference 200 --memory 32"),
        ("dist/lab endgames ", " --each 1 --size 6 --iterations 20 --nodes 4000"),
        ("dist/lab convert ", " --output GAME.sgf"),
        ("dist/lab tourney ", " --output tourney"),
        ("dist/lab openings ", " --openings 2 --iterations 200"),
        ("dist/otrera analyze ", " --time 0.02"),
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

/// Returns the path and the text of each documentation page.
fn pages() -> Vec<(PathBuf, String)> {
    let docs = fs::read_dir(repository().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let docs = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let others = ["README.md", "README.zh-CN.md", "bot/README.md"].map(|page| repository().join(page));
    docs.chain(others).map(|page| (page.clone(), fs::read_to_string(page).unwrap())).collect()
}

/// A command in a documentation page; `is_run` is true if a `<!-- run -->` comment selects it.
struct Documented {
    command: String,
    is_run: bool,
}

/// Returns the commands of a page: the lines of its shell blocks, and code spans that begin with a command's name.
fn commands(page: &str) -> Vec<Documented> {
    let mut found = Vec::new();
    let mut mark = None;
    for (number, part) in page.split("```").enumerate() {
        if number % 2 == 0 {
            let last = part.trim_end().lines().last().unwrap_or_default();
            mark = last.strip_prefix("<!-- run").and_then(|rest| rest.strip_suffix("-->"));
            let spans =
                part.split('`').skip(1).step_by(2).map(|code| code.split_whitespace().collect::<Vec<_>>());
            let begins = |words: &Vec<&str>| {
                let programs = ["dist/lab", "dist/otrera", "make"];
                words.len() > 1 && (programs.contains(&words[0]) || words[0].starts_with("scripts/"))
            };
            let spans = spans.filter(begins);
            found.extend(spans.map(|words| Documented { command: words.join(" "), is_run: false }));
        } else if let Some(block) = part.strip_prefix("sh\n") {
            for line in block.replace("\\\n", " ").lines() {
                let command = line.split("# ").next().unwrap_or_default();
                let command = command.split_whitespace().collect::<Vec<_>>().join(" ");
                let is_excepted = |mark: &str| {
                    let excepted = mark.trim().strip_prefix("except ").unwrap_or_default();
                    excepted.split(", ").any(|start| !start.is_empty() && command.starts_with(start))
                };
                let is_run = mark.is_some_and(|mark| !is_excepted(mark));
                found.push(Documented { command, is_run });
            }
        }
    }
    found.retain(|found| !found.command.is_empty());
    found
}

/// Runs a shell command in a folder.
fn run_in_shell(folder: &Path, command: &str) -> Run {
    run(Command::new("sh").args(["-c", command]).current_dir(folder).stdin(Stdio::null()))
}

/// Creates a folder with links to the programs and scripts that the documentation names.
fn place() -> Folder {
    let folder = Folder::in_target("docs");
    fs::create_dir_all(folder.join("dist")).unwrap();
    fs::create_dir_all(folder.join("docs")).unwrap();
    symlink(bot::path(), folder.join("dist/otrera")).unwrap();
    symlink(Path::new(bot::path()).with_file_name("arena"), folder.join("dist/arena")).unwrap();
    symlink(env!("CARGO_BIN_EXE_lab"), folder.join("dist/lab")).unwrap();
    symlink(repository().join("scripts"), folder.join("scripts")).unwrap();
    folder
}

#[test]
fn documented_commands_and_options_exist() {
    let folder = place();
    let makefile = fs::read_to_string(repository().join("Makefile")).unwrap();
    let mut problems = Vec::new();
    let mut helps = std::collections::HashMap::new();
    for (path, page) in pages() {
        for Documented { command, .. } in commands(&page) {
            let words: Vec<&str> = command.split(' ').collect();
            let is_known = match words[0] {
                "make" => words[1..].iter().all(|word| match word.split_once('=') {
                    Some((variable, _)) => makefile.contains(&format!("\n{variable} ")),
                    None => makefile.contains(&format!("\n{word}: ")),
                }),
                "dist/lab" | "dist/otrera" => {
                    let name =
                        words.get(1).filter(|word| !word.starts_with('-')).copied().unwrap_or_default();
                    let ask = format!("{} {name} --help; {} --help", words[0], words[0]);
                    let help =
                        helps.entry(ask.clone()).or_insert_with(|| run_in_shell(&folder, &ask).printed());
                    let has = |wanted: &str| {
                        let is_word = |c: char| c.is_alphanumeric() || c == '-';
                        help.split(|c| !is_word(c)).any(|word| word == wanted)
                    };
                    let parts = command.split('"').step_by(2).flat_map(|part| part.split(' '));
                    let mut options = parts.filter(|word| word.starts_with("--"));
                    (name.is_empty() || has(name)) && options.all(has)
                }
                script if script.starts_with("scripts/") => folder.join(script).exists(),
                _ => true,
            };
            if !is_known {
                problems.push(format!("{}: {command}", path.display()));
            }
        }
    }
    assert!(problems.is_empty(), "no such command, option, target or script:\n{}", problems.join("\n"));
}

#[test]
#[ignore = "slow"]
fn marked_commands_in_pages_succeed() {
    let folder = place();
    let field = "players = [\"greedy\", \"random\"]\ngames = 2\nsize = 5\niterations = 5\n";
    folder.write("FIELD.toml", field);
    // The guide analyses the position after 20 plies: every game of random players on 10x10 has them.
    let games = "dist/lab match random random --games 2 --size 10 --output RESULTS.jsonl";
    run_in_shell(&folder, games).printed();
    let line = fs::read_to_string(folder.join("RESULTS.jsonl")).unwrap();
    folder.write("GAME", line.lines().nth(1).unwrap());
    run_in_shell(&folder, "dist/lab convert GAME --to sgf --output game.sgf").printed();
    let pages = pages();
    let mut marked: Vec<String> = pages
        .iter()
        .flat_map(|(_, page)| commands(page))
        .filter(|found| found.is_run)
        .map(|found| shortened(&found.command))
        .collect();
    marked.sort_unstable();
    marked.dedup();
    assert!(marked.len() >= 10, "only {} marked commands found", marked.len());
    // Fits come after the self-play that plays their games; these are so few that a fit is refused.
    marked.sort_by_key(|command| command.starts_with("dist/lab fit-"));
    let mut problems = Vec::new();
    for command in marked {
        let ended = run_in_shell(&folder, &command);
        let is_fit = command.starts_with("dist/lab fit-") && ended.said.contains("too few positions");
        if ended.status != Some(0) && !is_fit {
            problems.push(format!("{command}: {ended:?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
