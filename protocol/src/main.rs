//! The tournament program `otrera`: finds out which platform it was started by and plays, or runs one of
//! the commands of `--help`.

#![cfg_attr(botzone_only, no_main)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use otrera_bot::cli::{Command, CommandLine, help};
use otrera_bot::io::{self, Connection, Events, Log, Output};
use otrera_bot::{BOTZONE_ONLY, analyze, given, platforms, play, print};
use std::ffi::OsString;
#[cfg(unix)]
use std::ffi::c_int;
#[cfg(botzone_only)]
use std::ffi::{CStr, OsStr, c_char};
use std::io::IsTerminal;
#[cfg(not(botzone_only))]
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Instant;

/// Bytes for the stack of the thread that does the work. The one that the system gives to `main` may be smaller
/// than that takes (`ulimit -s`).
const STACK: usize = 2 << 20;

#[cfg(not(botzone_only))]
fn main() -> ExitCode {
    run(std::env::args_os().collect()).into()
}

/// The C library's entry, in place of that of Rust's library, which ends the program where a sandbox refuses `poll` or
/// `sigaction`. Rust's library then knows no arguments.
#[cfg(botzone_only)]
#[unsafe(no_mangle)]
extern "C" fn main(count: c_int, arguments: *const *const c_char) -> c_int {
    use std::os::unix::ffi::OsStrExt;
    let argument = |index: usize| {
        // SAFETY: The C library gives `count` pointers to strings that end with a zero and are never changed.
        let text = unsafe { CStr::from_ptr(*arguments.add(index)) };
        OsStr::from_bytes(text.to_bytes()).to_owned()
    };
    run((0..count.unsigned_abs() as usize).map(argument).collect()).into()
}

/// Obeys the command line in a thread with a stack of [`STACK`] bytes. Returns the exit status.
fn run(arguments: Vec<OsString>) -> u8 {
    let started = Instant::now();
    outlive_signals();
    let work = {
        let arguments = arguments.clone();
        // Ends the process from here: a sandbox that does not let a thread end costs nothing then.
        move || std::process::exit(obey(arguments, started).into())
    };
    match std::thread::Builder::new().stack_size(STACK).spawn(work) {
        Ok(thread) => thread.join().map_or(1, |never: std::convert::Infallible| match never {}),
        Err(_) => obey(arguments, started),
    }
}

/// Lets a write beyond the limit on the size of files (`ulimit -f`), or into a pipe that nobody reads, fail like any
/// other: unhandled, its signal would end the program. The entry of Rust's library ignores the latter already.
#[cfg(unix)]
fn outlive_signals() {
    use signal_hook::consts::{SIGPIPE, SIGXFSZ};
    static SEEN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    let signals: &[c_int] = if BOTZONE_ONLY { &[SIGXFSZ, SIGPIPE] } else { &[SIGXFSZ] };
    for &signal in signals {
        // Where there can be no handler nothing is lost yet.
        let _ = signal_hook::flag::register(signal, &SEEN);
    }
}

/// There are no such signals.
#[cfg(not(unix))]
fn outlive_signals() {}

/// Does what the command line asks for, and returns the exit status.
fn obey(arguments: Vec<OsString>, started: Instant) -> u8 {
    let options = CommandLine::read(arguments.into_iter().skip(1));
    let serves = matches!(options.command, Command::Detect | Command::Serve(_));
    // A platform is served whatever the options; a person at a terminal has mistyped.
    if serves && !(options.is_mistyped && std::io::stdin().is_terminal()) {
        serve(&options, started);
        // A platform takes any other status for a crash.
        return 0;
    }
    for problem in options.problems.iter().chain(&options.remarks) {
        eprintln!("otrera: {problem}");
    }
    if !options.problems.is_empty() && !matches!(options.command, Command::Help | Command::Version) {
        return 2;
    }
    let outcome = match options.command {
        // Mistyped, which was said.
        Command::Detect | Command::Serve(_) => Ok(()),
        Command::Perft | Command::Analyze | Command::Play | Command::Help if BOTZONE_ONLY => {
            Err(not_built_in())
        }
        Command::Bench => bench(&options),
        Command::Perft => perft(&options),
        Command::Analyze => analyze::run(&options),
        Command::Play => play::run(&options),
        Command::Help => print(&help()),
        Command::Version => print(&format!("otrera {}\n", env!("CARGO_PKG_VERSION"))),
    };
    match outcome {
        Ok(()) => 0,
        Err(problem) => {
            eprintln!("otrera: {problem}");
            2
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
    if !BOTZONE_ONLY && std::io::stdin().is_terminal() {
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
