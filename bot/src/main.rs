//! The program `otrera`: detects which platform started it and plays, or runs a command.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use otrera_bot::cli::{Command, CommandLine, help_on};
use otrera_bot::{analyze, annotate, gui, platforms, play, position, serve, uci};
use otrera_front::io::{Connection, Log, print};
use otrera_front::process::{self, bench};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let started = Instant::now();
    process::survive_file_limit();
    show_no_crash_dialog();
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    process::run(move || obey(arguments, started)).into()
}

/// Makes a crash of this process and of its child processes end without a dialog.
#[cfg(windows)]
fn show_no_crash_dialog() {
    const SEM_FAILCRITICALERRORS: u32 = 1;
    const SEM_NOGPFAULTERRORBOX: u32 = 2;
    #[link(name = "kernel32")]
    unsafe extern "system" {
        // Accepts any value and has no preconditions. Child processes inherit the mode.
        safe fn SetErrorMode(mode: u32) -> u32;
    }
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
}

#[cfg(not(windows))]
fn show_no_crash_dialog() {}

/// Parses and runs the command; returns the exit status.
fn obey(arguments: Vec<OsString>, started: Instant) -> u8 {
    let mut options = CommandLine::read(arguments.iter().cloned());
    // On Windows, a console on standard input means that the user double-clicked the program.
    if cfg!(windows) && matches!(options.command, Command::Detect) && std::io::stdin().is_terminal() {
        options.command = Command::Gui;
    }
    let serves = matches!(options.command, Command::Detect | Command::Platform(_) | Command::Searcher);
    // Invalid options never cost a game on a platform; a person at a terminal gets an error instead.
    if serves && !(options.is_mistyped && std::io::stdin().is_terminal()) {
        serve(&mut options, arguments, started);
        // A platform treats any other status as a crash.
        return 0;
    }
    for problem in options.problems.iter().chain(&options.remarks) {
        eprintln!("otrera: {problem}");
    }
    if !options.problems.is_empty() && !matches!(options.command, Command::Help(_) | Command::Version) {
        return 2;
    }
    match command(&options) {
        Ok(()) => 0,
        Err(problem) => {
            eprintln!("otrera: {problem}");
            2
        }
    }
}

fn command(options: &CommandLine) -> Result<(), String> {
    match options.command {
        Command::Detect | Command::Platform(_) | Command::Searcher => Ok(()),
        Command::Bench => bench(&options.settings),
        Command::Perft => perft(options),
        Command::Analyze => match &options.own.annotate {
            Some(output) => annotate::run(options, output),
            None => analyze::run(options),
        },
        Command::Play => play::run(options),
        Command::Gui => gui::run(options),
        Command::Serve => serve::run(options),
        Command::Help(page) => print(&help_on(page)),
        Command::Version => print(&format!("otrera {}\n", env!("CARGO_PKG_VERSION"))),
    }
}

/// Plays on the platform selected by the command, or on the one detected from the input.
fn serve(options: &mut CommandLine, arguments: Vec<OsString>, started: Instant) {
    if let Command::Searcher = options.command {
        // The guardian keeps the log.
        options.settings.log = None;
    }
    let mut connection = connect(options, started);
    connection.searcher = searcher(arguments);
    let platform = match options.command {
        Command::Platform(platform) => Some(platform),
        Command::Searcher => Some(&uci::PLATFORM),
        _ => platforms::detect(&mut connection.events),
    };
    if let Some(platform) = platform {
        // If the reader of the answers is gone, there is nothing left to do.
        let _ = platform.serve(connection, &options.settings);
    }
}

/// Returns the command line that starts this program again as a searcher, with the same options; empty if the program's
/// path is unknown.
fn searcher(arguments: Vec<OsString>) -> Vec<OsString> {
    match std::env::current_exe() {
        Ok(program) => [program.into(), "searcher".into()].into_iter().chain(arguments).collect(),
        Err(_) => Vec::new(),
    }
}

/// Opens the log, reports problems with the options and starts reading standard input. Problems go to the log, and to
/// standard error if standard input is a terminal.
fn connect(options: &CommandLine, started: Instant) -> Connection {
    let mut problems: Vec<String> = options.problems.iter().chain(&options.remarks).cloned().collect();
    let log = match &options.settings.log {
        Some(path) => Log::open(path, started, &otrera_bot::log_heading("Otrera"), &mut problems),
        None => Log::none(started),
    };
    if std::io::stdin().is_terminal() {
        for problem in &problems {
            eprintln!("otrera: {problem}");
        }
        if matches!(options.command, Command::Detect) {
            eprintln!("otrera: waiting for a platform; for other commands see `otrera --help`");
        }
    }
    Connection::new(log, problems, true)
}

fn perft(options: &CommandLine) -> Result<(), String> {
    let depth = options.depth.ok_or("perft needs a depth, like `otrera perft 2`")?;
    print(&format!("{}\n", otrera::board::perft::perft(&position::start(options)?, depth)))
}
