//! The laboratory: matches with honest statistics, the papers' tables, records and reports.

use clap::{Parser, Subcommand};
use otrera_lab::commands::judge::confine;
use otrera_lab::commands::{
    blindness, convert, endgames, fit_eval, fit_network, fit_policy, judge, r#match, picture, priors, report,
    sau, self_play, tourney, tune,
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
    /// Play a match between two players, in colour-swapped pairs of games.
    Match(Box<r#match::Args>),
    /// Run a bot as Botzone does, with its limits and verdicts.
    Judge(Box<judge::Args>),
    /// Play games on a model of the SAU platform, with its clock, and with crashes of the engine.
    Sau(sau::Args),
    /// Play a field of players against each other.
    Tourney(tourney::Args),
    /// Reproduce a table of the papers.
    Table(table::Args),
    /// Convert records between JSON, SGF and CCGC text.
    Convert(convert::Args),
    /// Play games of one player against itself, no game twice, as data for fits.
    SelfPlay(self_play::Args),
    /// Fit the weights of the evaluation to games.
    FitEval(fit_eval::Args),
    /// Train the evaluation's network on games.
    FitNetwork(fit_network::Args),
    /// Fit the priors of half-moves to the visits of searches.
    FitPolicy(fit_policy::Args),
    /// Tune parameters of the search by games between slightly changed players.
    Tune(Box<tune::Args>),
    /// Make endgames whose winner is known, and see how a player does in them.
    Endgames(endgames::Args),
    /// Hold priors against the visits of deep searches, on fixed positions.
    Priors(priors::Args),
    /// See how long a search overlooks the move that a longer one plays, on fixed positions.
    Blindness(blindness::Args),
    /// Turn a results file into one HTML page.
    Report(report::Args),
    /// Draw a position.
    Picture(picture::Args),
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
        Command::Match(args) => r#match::run(&args),
        Command::Judge(args) => judge::run(&args),
        Command::Confine(args) => confine::run(&args),
        Command::Busy => otrera_referee::load::keep_busy(),
        Command::Sau(args) => sau::run(&args),
        Command::Tourney(args) => tourney::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Endgames(args) => endgames::run(&args),
        Command::SelfPlay(args) => self_play::run(&args),
        Command::FitEval(args) => fit_eval::run(&args),
        Command::FitNetwork(args) => fit_network::run(&args),
        Command::FitPolicy(args) => fit_policy::run(&args),
        Command::Picture(args) => picture::run(&args),
        Command::Priors(args) => priors::run(&args),
        Command::Blindness(args) => blindness::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Table(args) => table::run(&args),
        Command::Tune(args) => tune::run(&args),
    }
}
