//! `lab judge` as a program: faulty bots get each of Botzone's verdicts, Otrera gets only OK in every mode, and no
//! process is left running.

mod bot;

mod laboratory;

use laboratory::{Run, lab, run, running, soon};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::Folder;

/// Returns the command of our bot, with so few iterations that a game is short.
fn own_program() -> String {
    format!("{} --iterations 300 --threads 1", bot::path())
}

/// Runs `lab judge` on a command; returns the report of each mode, and true if the exit status is 0.
fn judged(command: &str, arguments: &[&str]) -> (Vec<Value>, bool) {
    let Run { status, printed, said } = run(&mut lab(&[&["judge", command, "--json"], arguments].concat()));
    let reports = serde_json::from_str(printed.lines().last().unwrap_or_default());
    (reports.unwrap_or_else(|_| panic!("{printed}{said}")), status == Some(0))
}

/// Waits until `count` processes have this text in their command line, since a killed process ends with a delay.
fn soon_running(text: &str, count: usize) -> bool {
    soon(|| running(text) == count)
}

/// Checks that a program in tests/engines gets this verdict for this reason in its first turn, and does not keep
/// running.
fn check_verdict(program: &str, arguments: &str, verdict: &str, reason: &str) {
    let path = format!("{}/tests/engines/{program}", env!("CARGO_MANIFEST_DIR"));
    let arguments: Vec<&str> = ["--games", "1"].into_iter().chain(arguments.split(' ')).collect();
    let (reports, content) = judged(&path, &arguments);
    for report in reports {
        assert!(!content && report["won"] == 0, "{report}");
        assert_eq!(report["verdicts"], json!({verdict: 1}), "{report}");
        assert!(report["lost"][0].as_str().is_some_and(|text| text.contains(reason)), "{report}");
    }
    assert!(soon_running(&format!("engines/{program}"), 0), "{program} is still there");
}

#[test]
fn each_faulty_program_gets_its_verdict() {
    for (program, arguments, verdict, reason) in [
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
        check_verdict(program, arguments, verdict, reason);
    }
    assert!(soon_running("sleep 4243", 0));
}

#[test]
fn a_program_that_is_not_there_or_no_program_is_no_matter_for_a_verdict() {
    let folder = Folder::new("no-program");
    let no_interpreter = folder.write("no_interpreter", "#!/is/not/there\n");
    std::fs::set_permissions(&no_interpreter, PermissionsExt::from_mode(0o755)).unwrap();
    let text = folder.write("text", "not executable");
    for program in ["/is/not/there", &no_interpreter, &text] {
        for arguments in [&[][..], &["--forbid-execve"]] {
            let Run { status, printed, said } = run(&mut lab(&[&["judge", program], arguments].concat()));
            assert!(said.starts_with(&format!("lab: {program} cannot be started: ")), "{said}");
            assert_eq!((status, printed.as_str()), (Some(1), ""), "{said}");
        }
    }
}

#[test]
fn a_program_that_may_start_no_other_fails_as_told() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/starts_another.sh");
    let (reports, _) = judged(path, &["--games", "1", "--time", "10", "--mode", "simple"]);
    assert_eq!(reports[0]["verdicts"]["OK"], 1, "where it may: {reports:?}");
    for (refusal, reason) in [("eperm", "exit status: 126"), ("kill", "exit status: 159")] {
        let arguments = format!("--time 10 --mode simple --forbid-execve={refusal}");
        check_verdict("starts_another.sh", &arguments, "RE", reason);
    }
}

#[test]
fn our_own_program_is_ok_in_every_mode_under_restrictions_and_load() {
    let (reports, content) = judged(&own_program(), &["--time", "10", "--load", "2", "--forbid-execve"]);
    assert!(content);
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
    assert!(soon_running("lab busy", 0));
}

/// On a busy machine a turn is late now and then, so one game of four must be without a late turn. The small board
/// keeps the games short.
#[test]
#[ignore = "slow"]
fn our_own_program_is_ok_on_its_default_clocks_and_within_the_platforms_limits() {
    let command = format!("{} --size 6", bot::path());
    for mode in ["simple", "json", "simple-keep", "json-keep"] {
        let arguments = ["--size", "6", "--games", "1", "--mode", mode];
        let games = (0..4).map(|_| judged(&command, &arguments));
        let mut seen = Vec::new();
        let is_ok = games.into_iter().any(|(reports, content)| {
            let first = reports[0]["first_turns"]["wall"]["max"].as_f64().unwrap();
            assert!(first > 1.7, "the first turn uses its two seconds: {reports:?}");
            seen.push(reports[0]["verdicts"].clone());
            content
        });
        assert!(is_ok, "{mode}: {seen:?}");
    }
}

#[test]
fn a_kept_program_may_leave_and_is_started_again() {
    let command = format!("{} --keep-running off", own_program());
    let (reports, content) =
        judged(&command, &["--mode", "simple-keep,json-keep", "--time", "10", "--opponent", "itself"]);
    assert!(content, "{reports:?}");
    assert!(reports.iter().all(|report| report["first_turns"]["turns"] == 4), "{reports:?}");
}

#[test]
fn a_judge_shows_its_progress_on_a_terminal() {
    let bot = format!("{} --iterations 9 --threads 1", bot::path());
    let lab = env!("CARGO_BIN_EXE_lab");
    let command = format!("{lab} judge '{bot}' --games 2 --mode simple-keep --opponent random --time 10");
    // `script` runs a command on a terminal of its own.
    let terminal = ["--quiet", "--return", "--command", &command, "/dev/null"];
    let shown = run(Command::new("script").args(terminal).stdin(Stdio::null())).printed;
    for progress in [" 0/2 ", " 1/2 ", " left) games of simple-keep", " left) games of simple-keep, 1 won"] {
        assert!(shown.contains(progress), "{progress}: {shown}");
    }
}

#[test]
fn a_judge_that_is_killed_leaves_no_stopped_program_behind() {
    let own = "--iterations 301";
    let command = format!("{} {own} --threads 1", bot::path());
    let arguments = ["judge", &command, "--mode", "json-keep", "--opponent", "pvs", "--opponent-time", "60"];
    let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
    let mut lab = lab.args(arguments).stdout(Stdio::null()).spawn().unwrap();
    assert!(soon_running(own, 2), "the judge and the program that waits for its turn");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(running(own), 2);
    lab.kill().unwrap();
    lab.wait().unwrap();
    assert!(soon_running(own, 0), "the program is still there");
}
