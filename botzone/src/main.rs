//! The program inside of `dist/botzone.cpp`: plays on Botzone, on one thread. It has no configuration file, and only the
//! commands `bench` and `--version`.

#![no_main]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use otrera_front::io::{Connection, Log, print};
use otrera_front::process;
use otrera_front::settings::Settings;
use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Instant;

/// Name (argument 0) under which `packaging/botzone/botzone.cpp` starts the program if a sandbox forbids threads.
const WITHOUT_THREADS: &str = "otrera-without-threads";

/// The preset; `make botzone PRESET=NAME` sets it.
const PRESET: &str = match option_env!("OTRERA_PRESET") {
    Some(preset) => preset,
    None => "tournament",
};

/// Entry point called by the C library instead of Rust's, which aborts the process if a sandbox refuses `poll` or
/// `sigaction`. Reads the arguments itself, since `std::env::args` is empty without Rust's entry point.
#[unsafe(no_mangle)]
extern "C" fn main(count: c_int, arguments: *const *const c_char) -> c_int {
    let started = Instant::now();
    let argument = |index: usize| {
        // SAFETY: The C library passes `count` pointers to NUL-terminated strings that never change.
        let text = unsafe { CStr::from_ptr(*arguments.add(index)) };
        OsStr::from_bytes(text.to_bytes()).to_owned()
    };
    let arguments: Vec<OsString> = (0..count.unsigned_abs() as usize).map(argument).collect();
    process::survive_file_limit();
    process::survive_closed_pipe();
    // Starting a thread may end the process.
    let has_threads = arguments.first().is_none_or(|name| name != WITHOUT_THREADS);
    let work = move || obey(&arguments, started, has_threads);
    let status = if has_threads { process::run(work) } else { work() };
    status.into()
}

/// Command of the program.
enum Command {
    Play,
    Bench,
    Version,
}

/// Runs the command on the command line; returns the exit status.
fn obey(arguments: &[OsString], started: Instant, has_threads: bool) -> u8 {
    let (mut settings, mut problems) = (Settings::default(), Vec::new());
    let unknown = settings.set("preset", PRESET, Path::new("")).err();
    problems.extend(unknown.map(|valid| format!("preset {PRESET}: {valid}")));
    let command = read(arguments, &mut settings, &mut problems);
    let printed = match command {
        Command::Play => {
            play(&settings, problems, started, has_threads);
            // Botzone treats any other status as a crash.
            return 0;
        }
        _ if !problems.is_empty() => Err(problems.join("\n")),
        Command::Bench => process::bench(&settings),
        Command::Version => print(&format!("otrera {}\n", env!("CARGO_PKG_VERSION"))),
    };
    match printed {
        Ok(()) => 0,
        Err(problem) => {
            eprintln!("otrera: {problem}");
            2
        }
    }
}

/// Reads a command and options, `--name value` or `--name=value`. Adds a problem for each that is invalid.
fn read(arguments: &[OsString], settings: &mut Settings, problems: &mut Vec<String>) -> Command {
    let mut command = Command::Play;
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        match (&*word, word.strip_prefix("--")) {
            ("bench", _) => command = Command::Bench,
            ("--version" | "-V", _) => command = Command::Version,
            (_, Some(option)) => {
                let (name, value) = match option.split_once('=') {
                    Some((name, value)) => (name, value.into()),
                    None => (option, words.next().unwrap_or_default()),
                };
                let outcome = settings.set(name, &value, Path::new(""));
                problems.extend(outcome.err().map(|valid| format!("--{name} {value}: {valid}")));
            }
            _ => problems.push(format!("unknown command {word}; this build plays on Botzone only")),
        }
    }
    command
}

/// Plays until Botzone ends the session. Problems go to the log and the first debug text: an invalid option never costs
/// a game.
fn play(settings: &Settings, mut problems: Vec<String>, started: Instant, has_threads: bool) {
    let log = match &settings.log {
        Some(path) => {
            let heading = concat!("Otrera ", env!("CARGO_PKG_VERSION"), " for Botzone");
            Log::open(path, started, heading, &mut problems)
        }
        None => Log::none(started),
    };
    let connection = Connection::new(log, problems, has_threads);
    // If the reader of the answers is gone, there is nothing left to do.
    let _ = otrera_botzone::PLATFORM.serve(connection, settings);
}
