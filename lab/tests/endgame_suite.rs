//! `lab endgames` from outside: a small suite is made, written, read again, and a player is judged by it.

use otrera::Position;
use std::path::PathBuf;
use std::process::Command;

/// A file of its own that goes with the test.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("otrera-{name}-{}.txt", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs the command with little effort; what it prints, or its complaint.
fn endgames(arguments: &[&str]) -> Result<String, String> {
    let effort = ["endgames", "--iterations", "20", "--nodes", "4000", "--time", "0.01"];
    let output = Command::new(env!("CARGO_BIN_EXE_lab")).args(effort).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

#[test]
fn a_suite_is_made_and_read_again() {
    let file = File::new("suite");
    let made = endgames(&["--size", "8", "--each", "1", "--seed", "5", "--output", file.path()]).unwrap();
    let suite = std::fs::read_to_string(&file.0).unwrap();
    assert!(suite.starts_with("# lab endgames --size 8 --each 1 --iterations 20 --seed 5"), "{suite}");
    let lines: Vec<&str> = suite.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() >= 5, "{suite}");
    for line in &lines {
        let fields: Vec<&str> = line.split("; ").collect();
        let position = Position::from_fen(fields[0]).unwrap();
        assert!(position.winner().is_none() && ["Black", "White"].contains(&fields[1]), "{line}");
        assert!((1..=22).contains(&fields[2].parse::<u32>().unwrap()), "{line}");
    }
    assert!(made.contains(&format!("{} positions written", lines.len())), "{made}");

    let read = endgames(&["--suite", file.path(), "--player", "greedy"]).unwrap();
    for (printed, player) in [(made, "tournament"), (read, "greedy")] {
        assert!(printed.contains(&format!("{player} with 0.01 s a move")), "{printed}");
        assert!(printed.contains("falsely certain results: 0"), "{printed}");
        assert!(printed.contains("lost although counting called it won: 0"), "{printed}");
    }
}

#[test]
fn what_is_no_suite_is_refused() {
    let file = File::new("no-suite");
    for (text, complaint) in [
        ("", "the suite is empty"),
        ("2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1; Black; 56\n", "expected 1 to 22 contested squares"),
        ("# head\nno position; Black; 3\n", ":2: "),
        ("2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1; Nobody; 56\n", "Black or White"),
    ] {
        std::fs::write(&file.0, text).unwrap();
        let problem = endgames(&["--suite", file.path()]).unwrap_err();
        assert!(problem.contains(complaint), "{problem}");
    }
}
