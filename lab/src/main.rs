//! The program `lab`: parses the command line and runs one command.

use clap::{Parser, Subcommand};
use otrera_lab::commands::judge::confine;
use otrera_lab::commands::{
    convert, endgames, fit_network, fit_policy, judge, r#match, picture, regret, report, sau, self_play,
    tourney, tune,
};
use otrera_lab::interrupt;
use otrera_lab::papers::table;
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
    /// Play a match between two players, each opening with both colours.
    Match(Box<r#match::Args>),
    /// Play a tournament: every player of a list against every other.
    Tourney(tourney::Args),
    /// Test a bot under Botzone's time limit, memory limit and verdicts.
    Judge(Box<judge::Args>),
    /// Test the engine on a model of the SAU platform, with its clock and with crashes.
    Sau(sau::Args),
    /// Reproduce a table of the papers.
    Table(table::Args),
    /// Compare searches by the moves they choose after many iterations.
    Regret(regret::Args),
    /// Write a results file as one HTML page.
    Report(report::Args),
    /// Convert records between JSON, SGF and CCGC text.
    Convert(convert::Args),
    /// Draw a position as SVG.
    Picture(picture::Args),
    /// Play training games of one player against itself, all different.
    SelfPlay(self_play::Args),
    /// Train the evaluation network on games.
    FitNetwork(fit_network::Args),
    /// Fit the priors of half-moves to the visits of searches.
    FitPolicy(fit_policy::Args),
    /// Tune parameters of the search by games (SPSA).
    Tune(Box<tune::Args>),
    /// Test a player in solved endgames.
    Endgames(endgames::Args),
    /// Run a program that may not start others.
    #[command(hide = true)]
    Confine(confine::Args),
    /// Keep a core busy until the parent ends.
    #[command(hide = true)]
    Busy,
}

fn main() -> ExitCode {
    let outcome = run(Cli::parse().command);
    // Waits for an interruption that is under way.
    drop(interrupt::hold());
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
        Command::Match(args) => r#match::run(&args),
        Command::Tourney(args) => tourney::run(&args),
        Command::Judge(args) => judge::run(&args),
        Command::Sau(args) => sau::run(&args),
        Command::Table(args) => table::run(&args),
        Command::Regret(args) => regret::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Picture(args) => picture::run(&args),
        Command::SelfPlay(args) => self_play::run(&args),
        Command::FitNetwork(args) => fit_network::run(&args),
        Command::FitPolicy(args) => fit_policy::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Endgames(args) => endgames::run(&args),
        Command::Confine(args) => confine::run(&args),
        Command::Busy => otrera_referee::load::keep_busy(),
    }
}
