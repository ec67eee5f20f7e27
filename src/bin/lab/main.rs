//! The laboratory: matches with honest statistics, the papers' tables, records and reports.

/// Prints like the standard macros, but lets whoever reads stop early, and does not panic where nothing can be written.
macro_rules! print {
    ($($text:tt)*) => { $crate::print_out(&format!($($text)*)) };
}
macro_rules! println {
    ($($text:tt)*) => { $crate::print_out(&(format!($($text)*) + "\n")) };
}

mod arguments;
mod convert;
mod duel;
mod endgames;
mod external;
mod files;
mod fit;
mod games;
mod interrupt;
mod judge;
mod policy;
mod report;
mod results;
mod runner;
mod score;
mod spec;
mod table;
mod tourney;
mod tune;

use clap::{Parser, Subcommand};
use external::confine;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// The laboratory of Otrera, an engine for the Game of the Amazons.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play a match between two players, in colour-swapped pairs of games.
    Match(Box<duel::Args>),
    /// Run a bot as Botzone does, with its limits and verdicts.
    Judge(Box<judge::Args>),
    /// Play a field of players against each other.
    Tourney(tourney::Args),
    /// Reproduce a table of the papers.
    Table(table::Args),
    /// Convert records between JSON, SGF and CCGC text.
    Convert(convert::Args),
    /// Fit the weights of the evaluation to games.
    Fit(fit::Args),
    /// Fit the priors of half-moves to the visits of searches.
    Policy(policy::Args),
    /// Tune parameters of the search by games between slightly changed players.
    Tune(Box<tune::Args>),
    /// Make endgames whose winner is known, and see how a player does in them.
    Endgames(endgames::Args),
    /// Turn a results file into one HTML page.
    Report(report::Args),
    /// Run a program that may not start others.
    #[command(hide = true)]
    Confine(confine::Args),
    /// Keep a core busy until the parent ends.
    #[command(hide = true)]
    Busy,
}

fn main() -> ExitCode {
    let outcome = run(Cli::parse().command);
    // An interruption that is under way has the last word.
    drop(interrupt::whole());
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("lab: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), String> {
    // These two become other programs or end with their parent.
    if !matches!(command, Command::Confine(_) | Command::Busy) {
        interrupt::listen()?;
    }
    match command {
        Command::Match(args) => duel::run(&args),
        Command::Judge(args) => judge::run(&args),
        Command::Confine(args) => confine::run(&args),
        Command::Busy => judge::load::keep_busy(),
        Command::Tourney(args) => tourney::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Endgames(args) => endgames::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::Policy(args) => policy::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Table(args) => table::run(&args),
        Command::Tune(args) => tune::run(&args),
    }
}

/// What the macros above call.
fn print_out(text: &str) {
    // Not held on to: who reads may keep us waiting.
    drop(interrupt::whole());
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            interrupt::give_up(&format!("standard output: {error}"))
        }
        _ => {}
    }
}
