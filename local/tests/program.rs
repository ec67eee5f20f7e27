//! Tests of the program itself: options, output, Ctrl-C.

use crate::site::{Options, SECRET, Site, UNKNOWN_BOT, USER};
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use testkit::Folder;

/// A site with started matches only, whose opponent takes `opponent` for a move.
fn site(opponent: Duration) -> Site {
    Site::new(Options { script: &[], faults: 0.0, tables: 0, at_once: 0, opponent, seed: 3 })
}

/// Returns the program with its address in the environment, and with records and log in `folder`.
fn program(address: &str, folder: &Folder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_otrera-local"));
    command.env("OTRERA_BOTZONE", address).current_dir(&**folder);
    command.args(["--log", &folder.file("log"), "--threads", "1", "--memory", "64"]);
    command
}

/// Returns the exit status and the text of both outputs; asserts that the secret is not in it.
fn shown(output: &Output) -> (Option<i32>, String) {
    let text = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat();
    assert!(!text.contains(SECRET) && !text.contains(USER), "{text}");
    (output.status.code(), text)
}

#[test]
fn started_matches_are_played_and_counted() {
    let (site, folder) = (site(Duration::ZERO), Folder::new("local-program"));
    let mut command = program(&site.url(), &folder);
    let output = command.args(["--match", "b0t", "--games", "3", "--at-once", "2", "--iterations", "20"]);
    let (status, text) = shown(&output.output().expect("a program"));
    assert_eq!(status, Some(0), "{text}");
    let state = site.state();
    assert!(
        state.errors.is_empty() && state.is_over() && state.matches().0 == 3,
        "{:?} {text}",
        state.errors
    );
    for part in ["Connected to 127.0.0.1", "started against b0t", "we play Black", "win rate", "Score: "] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert!(!std::fs::read_to_string(folder.file("log")).expect("a log").contains(SECRET));
    let records = std::fs::read_dir(folder.join("records")).expect("records").count();
    assert!((1..=3).contains(&records), "{records} records");
}

#[test]
fn a_refused_match_is_a_failure() {
    let (site, folder) = (site(Duration::ZERO), Folder::new("local-refused"));
    let mut command = program(&site.url(), &folder);
    let output = command.args(["--match", UNKNOWN_BOT, "--games", "3"]).output().expect("a program");
    let (status, text) = shown(&output);
    assert_eq!(status, Some(1), "{text}");
    for part in [
        "The site refuses the match: status 400: no such bot. Is b0td0es0tex1st a bot's version ID?",
        "otrera-local: 3 of 3 matches not started: the site refuses them",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

#[test]
#[cfg(unix)]
fn a_machine_without_network_is_named() {
    let folder = Folder::new("local-offline");
    let mut command = program(&format!("https://no-such-site.invalid/api/{USER}/{SECRET}/localai"), &folder);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a program");
    let output = BufReader::new(child.stdout.take().expect("an output"));
    let line = output.lines().map_while(Result::ok).find(|line| line.contains("next try in"));
    child.kill().expect("a program");
    shown(&child.wait_with_output().expect("a program"));
    let expected =
        "no-such-site.invalid: the site's name is unknown; is this machine online?; next try in 1s";
    assert_eq!(line.as_deref(), Some(expected));
}

#[test]
#[cfg(unix)]
fn an_interruption_aborts_the_started_matches() {
    // The opponent never moves.
    let (site, folder) = (site(Duration::from_secs(600)), Folder::new("local-interrupted"));
    let mut command = program(&site.url(), &folder);
    command.args(["--match", "b0t", "--games", "5", "--at-once", "2", "--move-time", "0.05"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a program");
    let mut lines = BufReader::new(child.stdout.take().expect("an output")).lines().map_while(Result::ok);
    let moves = lines.by_ref().filter(|line| line.contains(": move 1 ")).take(2).count();
    assert_eq!(moves, 2);
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(signal.success());
    let rest: Vec<String> = lines.collect();
    let (status, text) = shown(&child.wait_with_output().expect("a program"));
    assert_eq!(status, Some(130), "{text}");
    assert!(rest.iter().any(|line| line == "Aborted 2 of the started matches."), "{rest:?}");
    let state = site.state();
    assert_eq!((state.aborted.len(), state.matches()), (2, (2, 2)));
}

#[test]
fn a_wrong_address_or_option_is_explained_without_the_secret() {
    let (site, folder) = (site(Duration::ZERO), Folder::new("local-options"));
    let url = site.url();
    let insecure = url.replace("127.0.0.1", "www.botzone.org.cn");
    let file = folder.write("address.txt", &format!("{url} {SECRET}"));
    let wrong = url.replace("5be1", "5be2");
    for (address, arguments, part) in [
        (SECRET, &[][..], "OTRERA_BOTZONE: expected an address like https://www.botzone.org.cn/api/USER/"),
        (&insecure, &[], "must begin with https://"),
        (&url, &["--address", &file], "address.txt: expected an address like"),
        (&url, &["--address", "missing.txt"], "missing.txt: No such file"),
        (&url, &[&url], "does not belong on the command line; put it into"),
        (&url, &["--match", &url], "does not belong on the command line"),
        (&url, &["--match", SECRET], "does not belong on the command line"),
        (&url, &["--address", SECRET], "does not belong on the command line"),
        (&url, &[SECRET], "does not belong on the command line"),
        ("", &["USER/SECRET/localai"], "does not belong on the command line"),
        (&url, &["--match", "a b"], "--match needs the ID"),
        (&url, &["--games", "2"], "--match <BOT-ID>"),
        (&url, &["--move-time", "x"], "--move-time x: expected a number of seconds"),
        (&wrong, &[], "refuses the address (status 404"),
    ] {
        let output = program(address, &folder).args(arguments).output().expect("a program");
        let (status, text) = shown(&output);
        assert_eq!(status, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(part), "{arguments:?}: {part} is missing in {text}");
    }
    assert_eq!(site.state().polls, [] as [usize; 0]);
}

#[test]
fn documented_options_exist() {
    let output = Command::new(env!("CARGO_BIN_EXE_otrera-local")).arg("--help").output().expect("a program");
    let (_, help) = shown(&output);
    let page = std::fs::read_to_string(testkit::repository().join("docs/botzone.md")).expect("a page");
    let commands: Vec<&str> =
        page.lines().filter(|line| line.trim_start().starts_with("dist/otrera-local ")).collect();
    assert!(commands.len() >= 2, "{commands:?}");
    let options = commands.iter().flat_map(|line| line.split(' ')).filter(|word| word.starts_with("--"));
    for option in options {
        assert!(help.contains(&format!("{option} ")), "{option}");
    }
}

#[test]
fn help_fits_a_terminal_and_names_the_address() {
    let output = Command::new(env!("CARGO_BIN_EXE_otrera-local")).arg("--help").output().expect("a program");
    let (status, text) = shown(&output);
    assert_eq!(status, Some(0));
    for part in
        ["--match <BOT-ID>", "OTRERA_BOTZONE", "botzone-address.txt", "chmod 600", "用本地AI替代我", "Ctrl-C"]
    {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert_eq!(long, [] as [&str; 0]);
}
