//! Parameters that moved from `tournament` to other presets are refused with the name of the preset, wherever a preset
//! can be named: on the command line, in `otrera.toml`, over UCI and in the laboratory.

use crate::bot;
use crate::laboratory::{Run, run_lab};
use otrera::Params;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use testkit::Folder;

/// Parameters that a preset does not have, and a preset named in their error message.
const MOVED: [(&str, &str); 7] = [
    ("tournament,formula=uct", "presets paper, mg, peo and mcts select by UCT"),
    ("tournament,FORMULA=ucb1-tuned", "preset uct by UCB1-tuned"),
    ("tournament,grouping=whole", "presets peo, mcts and uct search whole moves"),
    ("tournament,rollouts=4+5", "presets paper, mg, peo and mcts play rollouts"),
    ("tournament,parallel=metrics", "preset paper computes metrics in parallel"),
    ("tournament,model=paper:7", "the paper's evaluation belongs to preset paper"),
    ("mcts,formula=puct", "preset uct by UCB1-tuned"),
];

/// Runs a program with this standard input; returns its standard output followed by its error output.
fn said(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The program may have ended already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let Output { stdout, stderr, .. } = child.wait_with_output().unwrap();
    String::from_utf8([stdout, stderr].concat()).unwrap()
}

#[test]
fn every_preset_parses_to_itself() {
    for (name, params) in Params::NAMED.iter().cloned() {
        assert_eq!(name.parse(), Ok(params), "{name}");
    }
}

#[test]
fn the_command_line_refuses_moved_parameters() {
    for (wrong, reason) in MOVED {
        let said = said(bot::path(), &["bench", "--preset", wrong], "");
        assert!(said.starts_with(&format!("otrera: --preset {wrong}: ")) && said.contains(reason), "{said}");
    }
}

#[test]
fn uci_refuses_moved_parameters_and_still_searches() {
    for (wrong, reason) in MOVED {
        let input = format!("setoption name Preset value {wrong}\nposition startpos\ngo nodes 50\n");
        let said = said(bot::path(), &["uci", "--threads", "1", "--memory", "16"], &input);
        assert!(said.contains(reason) && said.contains("bestmove "), "{wrong}: {said}");
    }
}

#[test]
fn configuration_files_refuse_moved_parameters() {
    let folder = Folder::in_target("presets");
    let program = folder.join("otrera");
    std::fs::hard_link(bot::path(), &program).unwrap();
    for (wrong, reason) in &MOVED[..2] {
        folder.write("otrera.toml", &format!("preset = \"{wrong}\"\n"));
        let said = said(&program, &["bench"], "");
        assert!(said.contains("otrera.toml line 1: ") && said.contains(reason), "{wrong}: {said}");
    }
}

#[test]
fn the_laboratory_refuses_moved_parameters() {
    for (wrong, reason) in MOVED {
        for player in [wrong.to_owned(), format!("{wrong},threads=1,iterations=9")] {
            let Run { said, .. } = run_lab(&format!("match random {player}"));
            assert!(said.starts_with("error: ") && said.contains(reason), "{player}: {said}");
        }
    }
}
