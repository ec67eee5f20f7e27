//! The program `arena`, with the commands `selfplay` and `faults`, which the scripts of the same names run.

use clap::Parser;
use otrera_arena::{bouts, groups, load, selfplay, signals};
use std::process::ExitCode;

/// Plays games of an engine through the platforms' protocols.
#[derive(Parser)]
#[command(max_term_width = 110)]
enum Command {
    #[command(override_usage = "selfplay.sh [OPTION...]")]
    Selfplay(Box<selfplay::Options>),
    #[command(override_usage = "faults.sh [OPTION...]")]
    Faults(bouts::Options),
    #[command(hide = true)]
    Busy(load::Busy),
}

fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Selfplay(options) => signals::listen(|_| ()).and_then(|()| selfplay::run(&options)),
        Command::Faults(options) => signals::listen(|_| ()).and_then(|()| bouts::run(&options)),
        Command::Busy(busy) => busy.run().map(|()| true),
    };
    match outcome {
        _ if groups::are_ending() => ExitCode::from(130),
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("arena: {problem}");
            // Clap exits with the same status on wrong usage.
            ExitCode::from(2)
        }
    }
}
