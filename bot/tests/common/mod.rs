//! Helpers shared by several test files, for running the program and for folders and files.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testkit::program::{Exit, Program};

pub const OTRERA: &str = env!("CARGO_BIN_EXE_otrera");

/// Black's first turn in Botzone's simple interaction.
pub const FIRST_TURN: &[u8] = b"1\n-1 -1 -1 -1 -1 -1\n";

/// Time limit for an answer, long enough for a busy machine.
pub const LIMIT: Duration = Duration::from_secs(60);

pub fn start(arguments: &[&str]) -> Program {
    let mut command = Command::new(OTRERA);
    command.args(arguments);
    Program::start(command)
}

/// Runs a program with `input` as its entire standard input; returns its exit status and output.
pub fn run<'a>(
    program: impl AsRef<Path>,
    arguments: impl IntoIterator<Item = &'a str>,
    input: &[u8],
) -> Exit {
    let mut command = Command::new(program.as_ref());
    command.args(arguments).env("TMPDIR", env!("CARGO_TARGET_TMPDIR"));
    run_command(command, input)
}

/// Runs the program without input; asserts exit status 0 and no error output, and returns the output.
pub fn output<'a>(arguments: impl IntoIterator<Item = &'a str>) -> String {
    let exit = run(OTRERA, arguments, b"");
    assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""), "{}", exit.rest);
    exit.rest
}

/// Asserts that a run on Botzone printed a move, a debug line and no errors; returns the move.
pub fn answer_of(exit: &Exit) -> &str {
    assert_eq!((exit.status, exit.errors.as_str()), (Some(0), ""), "printed: {}", exit.rest);
    let [mv, debug] = exit.rest.lines().collect::<Vec<_>>()[..] else { panic!("{}", exit.rest) };
    assert!(mv.split(' ').count() == 6 && debug.starts_with("d="), "{}", exit.rest);
    mv
}

/// Returns the number of iterations of the first search reported in a log or debug line.
pub fn iterations(text: &str) -> u64 {
    let number = text
        .replace(" nodes ", " n=")
        .split(" n=")
        .nth(1)
        .and_then(|rest| rest.split(' ').next()?.parse().ok());
    number.unwrap_or_else(|| panic!("no iterations in {text}"))
}

/// Sends `quit`; asserts exit status 0 and no further output.
pub fn quit(mut program: Program) {
    program.send("quit\n");
    let exit = program.exit(LIMIT).unwrap();
    assert_eq!((exit.status, exit.rest.as_str(), exit.errors.as_str()), (Some(0), "", ""));
}

pub fn run_command(command: Command, input: &[u8]) -> Exit {
    let mut program = Program::start(command);
    program.send(input);
    program.close_input();
    program.exit(LIMIT).unwrap_or_else(|problem| panic!("{problem}"))
}

/// Creates an empty folder for one test and returns its path. Deletes the folder of an earlier run.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", env!("CARGO_CRATE_NAME")));
    let _ = std::fs::remove_file(&folder);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// Hard-links the program into a folder, for tests of files beside the executable; returns the path of the link.
pub fn installed(folder: &Path) -> PathBuf {
    let program = folder.join(Path::new(OTRERA).file_name().expect("a file"));
    // A link: a copy cannot be started while another thread's child process has the copy open for writing.
    std::fs::hard_link(OTRERA, &program).expect("the same file system");
    program
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("the folder's name is UTF-8")
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files with this extension in a folder, sorted; none if the folder does not exist.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|known| known == ending));
    paths.sort();
    paths
}

/// Returns the name and the text of the only `.txt` record in a folder; panics unless there is exactly one.
pub fn only_record(folder: &Path) -> (String, String) {
    let [file] = &files(folder, "txt")[..] else { panic!("{:?}", files(folder, "txt")) };
    (text(Path::new(file.file_name().expect("a name"))).to_owned(), read(file))
}

pub fn assert_contains(text: &str, wanted: &str) {
    assert!(text.contains(wanted), "{wanted:?} is missing in:\n{text}");
}
