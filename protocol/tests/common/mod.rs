//! The program run to its end, with all of its input at once.

use otrera_referee::program::{Exit, Program};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub const OTRERA: &str = env!("CARGO_BIN_EXE_otrera");

/// Runs a program to its end.
pub fn run<'a>(
    program: impl AsRef<Path>,
    arguments: impl IntoIterator<Item = &'a str>,
    input: &[u8],
) -> Exit {
    let mut command = Command::new(program.as_ref());
    command.args(arguments).env("TMPDIR", env!("CARGO_TARGET_TMPDIR"));
    let mut program = Program::start(command);
    program.send(input);
    program.close_input();
    program.exit(Duration::from_secs(60)).unwrap_or_else(|problem| panic!("{problem}"))
}

/// A new empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", env!("CARGO_CRATE_NAME")));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("the folder's name is UTF-8")
}

pub fn assert_contains(text: &str, wanted: &str) {
    assert!(text.contains(wanted), "{wanted:?} is missing in:\n{text}");
}
