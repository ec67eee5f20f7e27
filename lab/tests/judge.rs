//! `lab judge` as a program: faulty bots get each of Botzone's verdicts, Otrera gets only OK in every mode, and no
//! process is left running.

mod bot;
mod laboratory;

use laboratory::{Run, count_running, eventually, lab, run, run_lab};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::Folder;

/// Returns the command line of Otrera, with few iterations so that games are short.
fn own_program() -> String {
    format!("{} --iterations 300 --threads 1", bot::path())
}

/// Runs `lab judge` on a bot; returns the report of each mode, and true if the exit status is 0.
fn judged(command: &str, options: &str) -> (Vec<Value>, bool) {
    let Run { status, printed, said } = run_lab(&format!("judge '{command}' --json {options}"));
    let reports = serde_json::from_str(printed.lines().last().unwrap_or_default());
    (reports.unwrap_or_else(|_| panic!("{printed}{said}")), status == Some(0))
}

/// Waits until `count` processes have this text in their command line; returns false after 30 seconds. A killed process
/// ends with a delay.
fn eventually_running(text: &str, count: usize) -> bool {
    eventually(|| count_running(text) == count)
}

/// Checks that a program in tests/engines gets this verdict for this reason on its first turn, and does not keep
/// running.
fn check_verdict(program: &str, options: &str, verdict: &str, reason: &str) {
    let path = format!("{}/tests/engines/{program}", env!("CARGO_MANIFEST_DIR"));
    let (reports, passed) = judged(&path, &format!("--games 1 {options}"));
    for report in reports {
        assert!(!passed && report["won"] == 0, "{report}");
        assert_eq!(report["verdicts"], json!({verdict: 1}), "{report}");
        assert!(report["lost"][0].as_str().is_some_and(|text| text.contains(reason)), "{report}");
    }
    assert!(eventually_running(&format!("engines/{program}"), 0), "{program} still runs");
}

#[test]
fn each_faulty_bot_gets_its_verdict() {
    for (program, options, verdict, reason) in [
        ("hangs.sh", "--time 0.2", "TLE", "wall clock"),
        ("burns.sh", "--time 0.2 --alarm 100 --mode json,json-keep", "TLE", "processor time"),
        ("burns_in_a_child.sh", "--time 0.2 --alarm 100 --mode json,json-keep", "TLE", "processor time"),
        ("answers_and_stays.sh", "--time 0.3", "TLE", "wall clock"),
        ("eats_memory.sh", "--time 10 --memory 100 --mode simple,simple-keep", "MLE", "MB of memory"),
        ("floods.sh", "--time 10", "OLE", "megabyte"),
        ("talks_nonsense.sh", "--time 10 --mode simple,json", "NJ", "lorem ipsum"),
        ("dies.sh", "--time 10", "RE", "exit status: 3"),
        ("answers_and_dies.sh", "--time 10", "RE", "exit status: 3"),
        ("cheats.sh", "--time 10 --mode simple,simple-keep", "INVALIDMOVE", "no amazon"),
    ] {
        check_verdict(program, options, verdict, reason);
    }
    assert!(eventually_running("sleep 4243", 0));
}

#[test]
fn unstartable_programs_get_an_error_not_a_verdict() {
    let folder = Folder::new("no-program");
    let no_interpreter = folder.write("no_interpreter", "#!/is/not/there\n");
    std::fs::set_permissions(&no_interpreter, PermissionsExt::from_mode(0o755)).unwrap();
    let text = folder.write("text", "not executable");
    for program in ["/is/not/there", &no_interpreter, &text] {
        for options in ["", "--forbid-execve"] {
            let Run { status, printed, said } = run_lab(&format!("judge {program} {options}"));
            assert!(said.starts_with(&format!("lab: {program} cannot be started: ")), "{said}");
            assert_eq!((status, printed.as_str()), (Some(1), ""), "{said}");
        }
    }
}

#[test]
fn forbid_execve_fails_or_kills_the_bot() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/starts_another.sh");
    let (reports, _) = judged(path, "--games 1 --time 10 --mode simple");
    assert_eq!(reports[0]["verdicts"]["OK"], 1, "without --forbid-execve: {reports:?}");
    for (refusal, reason) in [("eperm", "exit status: 126"), ("kill", "exit status: 159")] {
        let options = format!("--time 10 --mode simple --forbid-execve={refusal}");
        check_verdict("starts_another.sh", &options, "RE", reason);
    }
}

#[test]
fn otrera_is_ok_in_every_mode_under_load() {
    let (reports, passed) = judged(&own_program(), "--time 10 --load 2 --forbid-execve");
    assert!(passed);
    let modes: Vec<&Value> = reports.iter().map(|report| &report["mode"]).collect();
    assert_eq!(modes, ["simple", "json", "simple-keep", "json-keep"]);
    for report in &reports {
        let [first, others] = ["first_turns", "other_turns"].map(|key| &report[key]);
        let turns = first["turns"].as_u64().unwrap() + others["turns"].as_u64().unwrap();
        assert!(first["turns"] == 2 && turns > 20, "{report}");
        assert_eq!(report["verdicts"], json!({"OK": turns}));
        for time in ["median", "99 %", "max"].map(|key| first["cpu"][key].as_f64().unwrap()) {
            assert!(time > 0.0 && time < 10.0, "{report}");
        }
    }
    assert!(eventually_running("lab busy", 0));
}

/// A busy machine can delay a turn, so only one game of four must be without a late turn. The small board keeps the
/// games short.
#[test]
#[ignore = "slow"]
fn otrera_is_ok_under_default_time_limits() {
    let command = format!("{} --size 6", bot::path());
    for mode in ["simple", "json", "simple-keep", "json-keep"] {
        let games = (0..4).map(|_| judged(&command, &format!("--size 6 --games 1 --mode {mode}")));
        let mut seen = Vec::new();
        let is_ok = games.into_iter().any(|(reports, passed)| {
            let first = reports[0]["first_turns"]["wall"]["max"].as_f64().unwrap();
            assert!(first > 1.7, "the first turn must use its two seconds: {reports:?}");
            seen.push(reports[0]["verdicts"].clone());
            passed
        });
        assert!(is_ok, "{mode}: {seen:?}");
    }
}

#[test]
fn keep_modes_restart_a_bot_that_exits() {
    let command = format!("{} --keep-running off", own_program());
    let (reports, passed) = judged(&command, "--mode simple-keep,json-keep --time 10 --opponent itself");
    assert!(passed, "{reports:?}");
    assert!(reports.iter().all(|report| report["first_turns"]["turns"] == 4), "{reports:?}");
}

#[test]
fn the_judge_shows_progress_on_a_terminal() {
    let bot = format!("{} --iterations 9 --threads 1", bot::path());
    let lab = env!("CARGO_BIN_EXE_lab");
    let command = format!("{lab} judge '{bot}' --games 2 --mode simple-keep --opponent random --time 10");
    // `script` runs a command on a pseudo-terminal.
    let terminal = ["--quiet", "--return", "--command", &command, "/dev/null"];
    let shown = run(Command::new("script").args(terminal).stdin(Stdio::null())).printed;
    for progress in [" 0/2 ", " 1/2 ", " left) games of simple-keep", " left) games of simple-keep, 1 won"] {
        assert!(shown.contains(progress), "{progress}: {shown}");
    }
}

#[test]
fn a_killed_judge_leaves_no_stopped_bot_behind() {
    let own = "--iterations 301";
    let command = format!("'{} {own} --threads 1'", bot::path());
    let options = "--mode json-keep --opponent pvs --opponent-time 60";
    let mut lab = lab(&format!("judge {command} {options}")).spawn().unwrap();
    assert!(eventually_running(own, 2), "the judge and the stopped bot run");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(count_running(own), 2);
    lab.kill().unwrap();
    lab.wait().unwrap();
    assert!(eventually_running(own, 0), "the stopped bot still runs");
}
