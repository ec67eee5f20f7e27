//! The program `otrera`: detects which platform started it and plays, or runs a command.

#![cfg_attr(botzone_only, no_main)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use otrera_bot::cli::{Command, CommandLine, help_on};
use otrera_bot::io::{self, Connection, Events, Log, Output};
use otrera_bot::{BOTZONE_ONLY, analyze, annotate, platforms, play, position, print, uci};
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

/// Stack size of the worker thread, in bytes. The main thread's stack can be too small (`ulimit -s`).
const STACK: usize = 2 << 20;

/// Name (argument 0) under which `packaging/botzone/botzone.cpp` starts the program if a sandbox forbids threads.
const WITHOUT_THREADS: &str = "otrera-without-threads";

#[cfg(not(botzone_only))]
fn main() -> ExitCode {
    run(std::env::args_os().collect()).into()
}

/// Entry point called by the C library instead of Rust's, which aborts the process if a sandbox refuses `poll` or
/// `sigaction`. Reads the arguments itself, since `std::env::args` is empty without Rust's entry point.
#[cfg(botzone_only)]
#[unsafe(no_mangle)]
extern "C" fn main(count: c_int, arguments: *const *const c_char) -> c_int {
    use std::os::unix::ffi::OsStrExt;
    let argument = |index: usize| {
        // SAFETY: The C library passes `count` pointers to NUL-terminated strings that never change.
        let text = unsafe { CStr::from_ptr(*arguments.add(index)) };
        OsStr::from_bytes(text.to_bytes()).to_owned()
    };
    run((0..count.unsigned_abs() as usize).map(argument).collect()).into()
}

/// Executes the command line, if possible in a thread with a stack of [`STACK`] bytes; returns the exit status.
fn run(arguments: Vec<OsString>) -> u8 {
    let started = Instant::now();
    survive_signals();
    show_no_crash_dialog();
    if is_without_threads(arguments.first()) {
        return obey(arguments, started);
    }
    let work = {
        let arguments = arguments.clone();
        // Exits from the thread, since some sandboxes do not let a thread end.
        move || std::process::exit(obey(arguments, started).into())
    };
    match std::thread::Builder::new().stack_size(STACK).spawn(work) {
        Ok(thread) => thread.join().map_or(1, |never: std::convert::Infallible| match never {}),
        Err(_) => obey(arguments, started),
    }
}

/// True if starting a thread would end the process.
fn is_without_threads(name: Option<&OsString>) -> bool {
    BOTZONE_ONLY && name.is_some_and(|name| name == WITHOUT_THREADS)
}

/// Makes writes beyond `ulimit -f` or into a closed pipe fail with an error instead of a fatal signal.
#[cfg(unix)]
fn survive_signals() {
    use signal_hook::consts::{SIGPIPE, SIGXFSZ};
    static SEEN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    // Rust's entry point, if used, already ignores SIGPIPE.
    let signals: &[c_int] = if BOTZONE_ONLY { &[SIGXFSZ, SIGPIPE] } else { &[SIGXFSZ] };
    for &signal in signals {
        // A missing handler does no harm until such a signal arrives.
        let _ = signal_hook::flag::register(signal, &SEEN);
    }
}

#[cfg(not(unix))]
fn survive_signals() {}

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
    let has_threads = !is_without_threads(arguments.first());
    let own_arguments: Vec<OsString> = arguments.into_iter().skip(1).collect();
    let mut options = CommandLine::read(own_arguments.iter().cloned());
    // On Windows, a console on standard input means that the user double-clicked the program.
    if cfg!(windows) && matches!(options.command, Command::Detect) && std::io::stdin().is_terminal() {
        options.command = Command::Gui;
    }
    let serves = matches!(options.command, Command::Detect | Command::Serve(_) | Command::Searcher);
    // Invalid options never cost a game on a platform; a person at a terminal gets an error instead.
    if serves && !(options.is_mistyped && std::io::stdin().is_terminal()) {
        serve(&mut options, own_arguments, started, has_threads);
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
        Command::Detect | Command::Serve(_) | Command::Searcher => Ok(()),
        Command::Perft | Command::Analyze | Command::Play | Command::Help(_) if BOTZONE_ONLY => {
            Err(not_built_in())
        }
        Command::Bench => bench(options),
        Command::Perft => perft(options),
        Command::Analyze => match &options.own.annotate {
            Some(output) => annotate::run(options, output),
            None => analyze::run(options),
        },
        Command::Play => play::run(options),
        #[cfg(not(botzone_only))]
        Command::Gui => otrera_bot::gui::run(options),
        #[cfg(botzone_only)]
        Command::Gui => Err(not_built_in()),
        Command::Help(page) => print(&help_on(page)),
        Command::Version => print(&format!("otrera {}\n", env!("CARGO_PKG_VERSION"))),
    }
}

/// Plays on the platform selected by the command, or on the one detected from the input.
fn serve(options: &mut CommandLine, arguments: Vec<OsString>, started: Instant, has_threads: bool) {
    if let Command::Searcher = options.command {
        // The guardian keeps the log.
        options.settings.log = None;
    }
    let mut connection = connect(options, started, has_threads);
    connection.searcher = searcher(arguments);
    let platform = match options.command {
        Command::Serve(platform) => Some(platform),
        // Without the check, the build for Botzone would contain UCI.
        Command::Searcher if !BOTZONE_ONLY => Some(&uci::PLATFORM),
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
    if BOTZONE_ONLY {
        // Asking for the path can kill a process in a sandbox.
        return Vec::new();
    }
    match std::env::current_exe() {
        Ok(program) => [program.into(), "searcher".into()].into_iter().chain(arguments).collect(),
        Err(_) => Vec::new(),
    }
}

/// Opens the log, reports problems with the options and starts reading standard input. Problems go to the log, and to
/// standard error if standard input is a terminal.
fn connect(options: &CommandLine, started: Instant, has_threads: bool) -> Connection {
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
            eprintln!("otrera: waiting for a platform; for other commands see `otrera --help`");
        }
    }
    for problem in &problems {
        log.note("!!", problem);
    }
    // A panic only goes to the log, since the session still plays a legal move.
    let panics = log.clone();
    std::panic::set_hook(Box::new(move |panic| panics.note("!!", &panic.to_string())));
    let (sender, receiver) = mpsc::channel();
    let mut events = Events::new(receiver);
    let listening = match has_threads {
        true => io::listen(sender.clone(), log.clone()),
        false => Err(std::io::ErrorKind::Unsupported.into()),
    };
    if let Err(error) = listening {
        log.note("!!", &format!("cannot start the input thread: {error}"));
        events.read_from(Box::new(std::io::stdin().lock()), log.clone());
    }
    let output = Output::new(Box::new(std::io::stdout()), log.clone());
    Connection { events, sender, output, log, problems, started, searcher: Vec::new() }
}

fn not_built_in() -> String {
    "this build supports only Botzone; `make` builds the program with all commands".into()
}

fn perft(options: &CommandLine) -> Result<(), String> {
    let depth = options.depth.ok_or("perft needs a depth, like `otrera perft 2`")?;
    print(&format!("{}\n", otrera::perft(&position::start(options)?, depth)))
}

fn bench(options: &CommandLine) -> Result<(), String> {
    let settings = &options.settings;
    if settings.iterations.is_some() || settings.move_time.is_some() {
        return Err("bench has a fixed number of iterations: remove iterations and move-time".into());
    }
    let bench = otrera::bench::run(&settings.preset.params);
    let seconds = bench.elapsed.as_secs_f64();
    print(&format!(
        "{} iterations in {seconds:.3} s, {:.0} iterations/s ({}, one thread)\nBench: {}\n",
        bench.iterations,
        bench.iterations as f64 / seconds,
        settings.preset.text,
        bench.checksum
    ))
}
