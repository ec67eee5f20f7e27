//! The program `arena`, with the commands `selfplay` and `faults`, which the scripts of the same names run.

use clap::Parser;
use otrera_arena::{faults, groups, load, selfplay};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::process::ExitCode;
use std::thread;

/// Plays games of an engine through the platforms' protocols.
#[derive(Parser)]
#[command(max_term_width = 110)]
enum Command {
    #[command(override_usage = "selfplay.sh [OPTION...]")]
    Selfplay(Box<selfplay::Options>),
    #[command(override_usage = "faults.sh [OPTION...]")]
    Faults(faults::Options),
    /// Keep a core busy until the parent ends.
    #[command(hide = true)]
    Busy { parent: i32 },
}

fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Selfplay(options) => heed_signals().and_then(|()| selfplay::run(&options)),
        Command::Faults(options) => heed_signals().and_then(|()| faults::run(&options)),
        Command::Busy { parent } => load::keep_busy(parent).map(|()| true),
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

/// Kills all programs under test when this program receives its first signal.
fn heed_signals() -> Result<(), String> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(|error| error.to_string())?;
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            groups::end_all();
        }
    });
    Ok(())
}
