//! The tournament program `otrera`: finds out which platform it was started by and plays, or runs one of
//! the commands of `--help`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use otrera_bot::cli::{Command, CommandLine, help};
use otrera_bot::io::{self, Connection, Events, Log, Output};
use otrera_bot::{analyze, given, platforms, play, print};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Instant;

/// Whether the program is built for Botzone alone, see [`platforms::PLATFORMS`]: but for the bench it has no command.
const BOTZONE_ONLY: bool = cfg!(botzone_only);

/// Bytes for the stack of the thread that does the work. The one that the system gives to `main` may be smaller
/// than that takes (`ulimit -s`).
const STACK: usize = 2 << 20;

fn main() -> ExitCode {
    let started = Instant::now();
    outlive_file_size_limit();
    match std::thread::Builder::new().stack_size(STACK).spawn(move || obey(started)) {
        Ok(thread) => thread.join().unwrap_or(ExitCode::FAILURE),
        Err(_) => obey(started),
    }
}

/// Lets a write beyond the limit on the size of files (`ulimit -f`) fail like any other: unhandled, its signal
/// would end the program.
#[cfg(unix)]
fn outlive_file_size_limit() {
    static SEEN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    // Where there can be no handler nothing is lost yet.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, &SEEN);
}

/// There is no such signal.
#[cfg(not(unix))]
fn outlive_file_size_limit() {}

/// Does what the command line asks for.
fn obey(started: Instant) -> ExitCode {
    let options = CommandLine::read(std::env::args_os().skip(1));
    let serves = matches!(options.command, Command::Detect | Command::Serve(_));
    // A platform is served whatever the options; a person at a terminal has mistyped.
    if serves && !(options.is_mistyped && std::io::stdin().is_terminal()) {
        serve(&options, started);
        // A platform takes any other status for a crash.
        return ExitCode::SUCCESS;
    }
    for problem in options.problems.iter().chain(&options.remarks) {
        eprintln!("otrera: {problem}");
    }
    if !options.problems.is_empty() && !matches!(options.command, Command::Help | Command::Version) {
        return ExitCode::from(2);
    }
    let outcome = match options.command {
        // Mistyped, which was said.
        Command::Detect | Command::Serve(_) => Ok(()),
        Command::Perft | Command::Analyze | Command::Play if BOTZONE_ONLY => Err(not_built_in()),
        Command::Bench => bench(&options),
        Command::Perft => perft(&options),
        Command::Analyze => analyze::run(&options),
        Command::Play => play::run(&options),
        Command::Help => print(&help()),
        Command::Version => print(&format!("otrera {}\n", env!("CARGO_PKG_VERSION"))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("otrera: {problem}");
            ExitCode::from(2)
        }
    }
}

/// Plays on the platform that was asked for, or on the one whose first line comes.
fn serve(options: &CommandLine, started: Instant) {
    let mut connection = connect(options, started);
    let platform = match options.command {
        Command::Serve(platform) => Some(platform),
        _ => platforms::detect(&mut connection.events),
    };
    if let Some(platform) = platform {
        // A reader that has gone away: there is nothing left to do.
        let _ = platform.serve(connection, &options.settings);
    }
}

/// Opens the log, tells a person at a terminal and the log what is wrong, and begins to read standard input.
fn connect(options: &CommandLine, started: Instant) -> Connection {
    let mut problems: Vec<String> = options.problems.iter().chain(&options.remarks).cloned().collect();
    let log = match &options.settings.log {
        Some(path) => Log::open(path, started, &mut problems),
        None => Log::none(started),
    };
    if std::io::stdin().is_terminal() {
        for problem in &problems {
            eprintln!("otrera: {problem}");
        }
        if matches!(options.command, Command::Detect) {
            eprintln!(
                "otrera: waiting for a platform; to play or to look around try `otrera play` or `otrera --help`"
            );
        }
    }
    for problem in &problems {
        log.note("!!", problem);
    }
    // Whatever goes wrong inside is answered by a legal move, and not told to the platform.
    let panics = log.clone();
    std::panic::set_hook(Box::new(move |panic| panics.note("!!", &panic.to_string())));
    let (sender, receiver) = mpsc::channel();
    let mut events = Events::new(receiver);
    if let Err(error) = io::listen(sender.clone(), log.clone()) {
        log.note("!!", &format!("no thread for the input: {error}"));
        events.read_from(Box::new(std::io::stdin().lock()), log.clone());
    }
    let output = Output::new(Box::new(std::io::stdout()), log.clone());
    Connection { events, sender, output, log, problems, started }
}

fn not_built_in() -> String {
    "this program was built for Botzone alone; `make` builds the one with all commands".into()
}

fn perft(options: &CommandLine) -> Result<(), String> {
    let depth = options.depth.ok_or("perft needs a depth, like `otrera perft 2`")?;
    let position = given::start(options)?;
    print(&format!("{}\n", otrera::perft(&position, depth)))
}

fn bench(options: &CommandLine) -> Result<(), String> {
    let settings = &options.settings;
    if settings.iterations.is_some() || settings.move_time.is_some() {
        return Err("bench always searches the same number of iterations; it takes a --preset".into());
    }
    if options.parts && BOTZONE_ONLY {
        return Err(not_built_in());
    }
    if options.parts {
        return print(&parts(&otrera::bench::parts::run(&settings.params())));
    }
    let bench = otrera::bench::run(&settings.params());
    let seconds = bench.elapsed.as_secs_f64();
    print(&format!(
        "{} iterations in {seconds:.3} s, {:.0} iterations/s ({}, one thread)\nBench: {}\n",
        bench.iterations,
        bench.iterations as f64 / seconds,
        options.settings.preset,
        bench.checksum
    ))
}

/// What the parts of an iteration cost, as a table.
fn parts(parts: &otrera::bench::parts::Parts) -> String {
    let mut text = String::new();
    for part in &parts.parts {
        text += &format!("{:44}{:9.1} ns\n", part.name, part.nanoseconds);
    }
    // Of the rounded ones, so that all three make a hundred.
    let [evaluation, expansion] = [parts.evaluation, parts.expansion].map(|share| (share * 100.0).round());
    format!(
        "{text}{:44}{:9.1} ns\n  (each measured by itself; together some share their work)\n  evaluation {evaluation} %, expansion {expansion} %, the rest (selection, back-up) {} %\n",
        "a whole iteration",
        parts.iteration,
        100.0 - evaluation - expansion
    )
}
