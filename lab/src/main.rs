//! The program `lab`: parses the command line and runs one command.

use clap::{ArgAction, Parser, Subcommand};
use otrera_arena::load::Busy;
use otrera_lab::commands::judge::confine;
use otrera_lab::commands::{
    convert, endgames, fit_lead, fit_network, fit_policy, judge, lead_puzzles, r#match, openings, picture,
    regret, report, sau, self_play, tourney, train, tune,
};
use otrera_lab::interrupt;
use otrera_lab::papers::table;
use std::process::ExitCode;

/// The laboratory of Otrera, an engine for the Game of the Amazons.
#[derive(Parser)]
#[command(version, max_term_width = 100, disable_help_subcommand = true, disable_help_flag = true)]
struct Cli {
    /// Print help.
    // Always the short form, one option per line.
    #[arg(short, long, global = true, display_order = 1000, action = ArgAction::HelpShort)]
    help: Option<bool>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Match(Box<r#match::Args>),
    Tourney(tourney::Args),
    Judge(Box<judge::Args>),
    Sau(sau::Args),
    Table(table::Args),
    Regret(regret::Args),
    Report(report::Args),
    Convert(convert::Args),
    Picture(picture::Args),
    SelfPlay(self_play::Args),
    FitNetwork(fit_network::Args),
    FitLead(fit_lead::Args),
    FitPolicy(fit_policy::Args),
    Train(train::Args),
    Tune(Box<tune::Args>),
    Openings(openings::Args),
    Endgames(endgames::Args),
    LeadPuzzles(lead_puzzles::Args),
    #[command(hide = true)]
    Confine(confine::Args),
    #[command(hide = true)]
    Busy(Busy),
}

fn main() -> ExitCode {
    let outcome = run(Cli::parse().command);
    // If an interruption is in progress, lets it end the program.
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
    // `confine` becomes another program, and `busy` ends with its parent.
    if !matches!(command, Command::Confine(_) | Command::Busy(_)) {
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
        Command::FitLead(args) => fit_lead::run(&args),
        Command::FitPolicy(args) => fit_policy::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Openings(args) => openings::run(&args),
        Command::Endgames(args) => endgames::run(&args),
        Command::LeadPuzzles(args) => lead_puzzles::run(&args),
        Command::Confine(args) => confine::run(&args),
        Command::Busy(busy) => busy.run(),
    }
}
