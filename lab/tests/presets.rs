//! Contradictory parameters of the search are refused, with the reason and the valid values, wherever a preset can be
//! named: on the command line, in `otrera.toml`, over UCI and in the laboratory.

use crate::bot;
use crate::laboratory::{Run, run_lab};
use otrera::Params;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use testkit::Folder;

/// Contradictory parameters, a word in their error message, and similar valid parameters.
const MISMATCHES: [(&str, &str, &str); 2] = [
    ("tournament,grouping=whole", "priors", "tournament,grouping=whole,formula=uct"),
    ("mcts,formula=puct", "priors", "mcts,formula=puct,grouping=split"),
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
fn every_preset_is_valid_and_parses_to_itself() {
    for (name, params) in Params::NAMED {
        assert_eq!(params.clone().checked(), Ok(params.clone()), "{name}");
        assert_eq!(name.parse(), Ok(params), "{name}");
    }
}

#[test]
fn contradictory_parameters_are_refused_in_any_order() {
    for (wrong, reason, right) in MISMATCHES {
        let problem = wrong.parse::<Params>().unwrap_err();
        assert!(problem.contains(reason) && problem.contains("expected "), "{wrong}: {problem}");
        assert!(right.parse::<Params>().is_ok(), "{right}");
    }
    let orders = ["tournament,grouping=whole,formula=uct", "tournament,formula=uct,grouping=whole"];
    assert_eq!(orders[0].parse::<Params>(), orders[1].parse());
}

#[test]
fn the_command_line_refuses_contradictory_presets() {
    for (wrong, reason, _) in MISMATCHES {
        let said = said(bot::path(), &["bench", "--preset", wrong], "");
        assert!(said.starts_with(&format!("otrera: --preset {wrong}: ")) && said.contains(reason), "{said}");
    }
}

#[test]
fn uci_refuses_contradictory_presets_and_still_searches() {
    for (wrong, reason, _) in MISMATCHES {
        let input = format!("setoption name Preset value {wrong}\nposition startpos\ngo nodes 50\n");
        let said = said(bot::path(), &["uci", "--threads", "1", "--memory", "16"], &input);
        assert!(said.contains(reason) && said.contains("bestmove "), "{wrong}: {said}");
    }
}

#[test]
fn configuration_files_refuse_contradictory_presets() {
    let folder = Folder::in_target("presets");
    let program = folder.join("otrera");
    std::fs::hard_link(bot::path(), &program).unwrap();
    for (wrong, reason, _) in MISMATCHES {
        folder.write("otrera.toml", &format!("preset = \"{wrong}\"\n"));
        let said = said(&program, &["bench"], "");
        assert!(said.contains("otrera.toml line 1: ") && said.contains(reason), "{wrong}: {said}");
    }
}

#[test]
fn the_laboratory_refuses_contradictory_presets() {
    for (wrong, reason, _) in MISMATCHES {
        for player in [wrong.to_owned(), format!("{wrong},threads=1,iterations=9")] {
            let Run { said, .. } = run_lab(&format!("match random {player}"));
            assert!(said.starts_with("error: ") && said.contains(reason), "{player}: {said}");
        }
    }
}
