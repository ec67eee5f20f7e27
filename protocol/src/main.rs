//! The tournament program `otrera`: finds out which platform it was started by and plays, or runs one of
//! the commands of `--help`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use otrera_bot::io::{self, Event, Events, Log, Output};
use otrera_bot::options::{self, Command, Options};
use otrera_bot::{analyze, botzone, given, play, print, sau, uci};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Instant;

const USAGE: &str = "\
Otrera plays the Game of the Amazons.

Usage: otrera [OPTIONS]                    play on the platform that speaks on standard input:
                                           Botzone (JSON or simple), SAU or a UCI interface, found by its
                                           first line
       otrera resume FILE [OPTIONS]        the same; on SAU go on with the game of a record, or of moves
       otrera play [--side black|white]    play against it in the terminal
       otrera analyze [--fen F] [--moves \"M M ...\"] [--time S] [--lines N]
       otrera analyze --record FILE [--game N] [--ply N] [--time S] [--lines N]
                                           search a position, show whose the squares are and the best moves;
                                           a record is SGF, CCGC or JSON, or moves alone; its last position
                                           or that after N moves
       otrera uci                          UCI (Fairy-Stockfish's variant amazons) from the first line on
       otrera bench [--parts]              behaviour checksum and speed; or what the parts of an iteration cost
       otrera perft [--fen F] DEPTH        count the move sequences of a length
       otrera --help | --version

FEN is that of Fairy-Stockfish's amazons: ranks from the top, Q an amazon of the side that moves first
(Black), q one of the other side, * an arrow, a number so many empty squares; then w if the side that moves
first is to move, b if the other is. The start: 3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1

Options, also as lines `name = value` of a file otrera.toml beside the executable:
";

/// Whether the program is built for Botzone alone (`--cfg botzone_only`), whose editor takes no large source: it has no
/// other protocol and, but for the bench, no command.
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
    let options = Options::read(std::env::args_os().skip(1));
    if matches!(options.command, Command::Detect | Command::Uci) {
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
        Command::Detect | Command::Uci => Ok(()),
        Command::Perft | Command::Analyze | Command::Play if BOTZONE_ONLY => Err(not_built_in()),
        Command::Bench => bench(&options),
        Command::Perft => perft(&options),
        Command::Analyze => analyze::run(&options),
        Command::Play => play::run(&options),
        Command::Help => print(&format!("{USAGE}{}", options::settings_help())),
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

/// Waits for a line that a platform would send, and plays there; UCI can also be asked for.
fn serve(options: &Options, started: Instant) {
    let settings = &options.settings;
    let mut problems: Vec<String> = options.problems.iter().chain(&options.remarks).cloned().collect();
    let log = match &settings.log {
        Some(path) => Log::open(path, started, &mut problems),
        None => Log::none(started),
    };
    if std::io::stdin().is_terminal() {
        for problem in &problems {
            eprintln!("otrera: {problem}");
        }
        if options.command == Command::Detect {
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
    // The end of the session, or a reader that has gone away: either way there is nothing left to do.
    if options.command == Command::Uci && !BOTZONE_ONLY {
        let _ = uci::play(&mut events, sender, &output, settings, &problems);
        return;
    }
    while let Event::Line(line, arrived) = events.wait() {
        let _ = if botzone::recognises(&line) {
            events.unread(Event::Line(line, arrived));
            botzone::play(&mut events, &output, settings, &problems, started)
        } else if BOTZONE_ONLY {
            continue;
        } else if sau::recognises(&line) {
            events.unread(Event::Line(line, arrived));
            sau::play(&mut events, sender, &output, &log, settings)
        } else if uci::recognises(&line) {
            events.unread(Event::Line(line, arrived));
            uci::play(&mut events, sender, &output, settings, &problems)
        } else {
            continue;
        };
        return;
    }
}

fn not_built_in() -> String {
    "this program was built for Botzone alone; `make` builds the one with all commands".into()
}

fn perft(options: &Options) -> Result<(), String> {
    let depth = options.depth.ok_or("perft needs a depth, like `otrera perft 2`")?;
    let position = given::start(options)?;
    print(&format!("{}\n", otrera::perft(&position, depth)))
}

fn bench(options: &Options) -> Result<(), String> {
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
