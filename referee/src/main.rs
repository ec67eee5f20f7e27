//! The program `referee`: `selfplay` and `faults`, started by the scripts of the same names.

use lexopt::prelude::*;
use otrera::Size;
use otrera_referee::faults::{self, Fault};
use otrera_referee::seat::Protocol;
use otrera_referee::selfplay::{self, Show};
use otrera_referee::{groups, load};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Exit status of wrong usage and of problems of our own.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let outcome = match command.as_str() {
        "busy" => load::keep_busy().map(|()| true),
        "selfplay" => self_play(),
        "faults" => faults(),
        _ => Err("the commands are selfplay and faults".into()),
    };
    match outcome {
        _ if groups::are_ending() => ExitCode::from(130),
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{command}.sh: {problem}");
            ExitCode::from(USAGE)
        }
    }
}

/// Ends all programs under test at the first signal.
fn heed_signals() -> Result<(), String> {
    let arrived = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, arrived.clone()).map_err(|error| error.to_string())?;
    }
    thread::spawn(move || {
        while !arrived.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(50));
        }
        groups::end_all();
    });
    Ok(())
}

fn self_play() -> Result<bool, String> {
    let mut options = selfplay::Options {
        protocol: Protocol::named("simple")?,
        games: 1,
        jobs: 1,
        size: None,
        time: None,
        total_time: None,
        grace: Duration::from_millis(60),
        engine: default_engine(),
        presets: [None, None],
        iterations: None,
        seed: None,
        show: None,
        record_dir: Some(PathBuf::from("records")),
    };
    let is_played = read_options(selfplay::HELP, |name, parser| {
        match name {
            "protocol" => options.protocol = Protocol::named(&text(parser)?)?,
            "games" => options.games = positive(name, parser)?,
            "jobs" => options.jobs = positive(name, parser)?,
            "size" => options.size = Some(Size::new(positive(name, parser)?).ok_or("--size: 4 to 10")?),
            "time" => options.time = Some(seconds(name, parser)?),
            "total-time" => options.total_time = Some(seconds(name, parser)?),
            "grace" => options.grace = seconds(name, parser)?,
            "engine" => options.engine = engine(text(parser)?),
            "black" => options.presets[0] = Some(text(parser)?),
            "white" => options.presets[1] = Some(text(parser)?),
            "iterations" => options.iterations = Some(positive(name, parser)?),
            "seed" => options.seed = Some(number(name, parser)?),
            "show" => {
                options.show = Some(match text(parser)?.as_str() {
                    "board" => Show::Board,
                    "moves" => Show::Moves,
                    "none" => Show::None,
                    other => return Err(format!("--show {other}: board, moves or none")),
                });
            }
            "record-dir" => options.record_dir = Some(text(parser)?.into()),
            "no-record" => options.record_dir = None,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if options.total_time.is_some() && !options.protocol.is_sau() {
        return Err("--total-time is for --protocol sau only".into());
    }
    if !is_played {
        return Ok(true);
    }
    heed_signals()?;
    selfplay::run(&options)
}

fn faults() -> Result<bool, String> {
    let named =
        |names: &[&str]| names.iter().map(|name| Protocol::named(name)).collect::<Result<Vec<_>, _>>();
    let mut options = faults::Options {
        engine: default_engine(),
        games: 24,
        protocols: named(&["simple", "json-once", "simple-keep", "json", "sau"])?,
        faults: Fault::NAMED.map(|(_, fault)| fault).to_vec(),
        time: None,
        grace: Duration::ZERO,
        rate: 0.3,
        seed: 1,
        verbose: false,
    };
    let is_played = read_options(faults::HELP, |name, parser| {
        match name {
            "engine" => options.engine = engine(text(parser)?),
            "games" => options.games = positive(name, parser)?,
            "protocol" => {
                options.protocols = match text(parser)?.as_str() {
                    "simple" => named(&["simple"])?,
                    "json" => named(&["json-once"])?,
                    "keep" => named(&["simple-keep", "json"])?,
                    "sau" => named(&["sau"])?,
                    "mix" => named(&["simple", "json-once", "simple-keep", "json", "sau"])?,
                    other => return Err(format!("--protocol {other}: simple, json, keep, sau or mix")),
                };
            }
            "fault" => {
                let wanted = text(parser)?;
                let found = Fault::NAMED.iter().find(|(name, _)| *name == wanted);
                options.faults = vec![found.ok_or_else(|| format!("no fault {wanted:?}: see --help"))?.1];
            }
            "time" => options.time = Some(seconds(name, parser)?),
            "grace" => options.grace = seconds(name, parser)?,
            "rate" => options.rate = number(name, parser)?,
            "seed" => options.seed = number(name, parser)?,
            "verbose" => options.verbose = true,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !is_played {
        return Ok(true);
    }
    heed_signals()?;
    faults::run(&options)
}

/// Gives each option to `take`, which returns false for an unknown one. Returns false if help was asked for and printed.
fn read_options(
    help: &str,
    mut take: impl FnMut(&str, &mut lexopt::Parser) -> Result<bool, String>,
) -> Result<bool, String> {
    let mut parser = lexopt::Parser::from_args(std::env::args_os().skip(2));
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        let name = match &argument {
            Long("help") | Short('h') => {
                print!("{help}");
                return Ok(false);
            }
            Long(name) => (*name).to_owned(),
            _ => return Err(argument.unexpected().to_string()),
        };
        if !take(&name, &mut parser)? {
            return Err(format!("invalid option '--{name}'"));
        }
    }
    Ok(true)
}

fn text(parser: &mut lexopt::Parser) -> Result<String, String> {
    let value: OsString = parser.value().map_err(|error| error.to_string())?;
    value.into_string().map_err(|value| format!("{} is no text", value.display()))
}

fn number<T: FromStr>(name: &str, parser: &mut lexopt::Parser) -> Result<T, String> {
    let text = text(parser)?;
    text.parse().map_err(|_| format!("--{name} {text}: not a number that fits"))
}

fn positive<T: FromStr + Default + PartialEq>(name: &str, parser: &mut lexopt::Parser) -> Result<T, String> {
    let number: T = number(name, parser)?;
    if number == T::default() { Err(format!("--{name} 0: at least 1")) } else { Ok(number) }
}

fn seconds(name: &str, parser: &mut lexopt::Parser) -> Result<Duration, String> {
    let seconds: f64 = number(name, parser)?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("--{name} {seconds}: not a number of seconds"))
}

/// The engine beside this program, where `make` puts both.
fn default_engine() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    program.with_file_name("otrera").to_string_lossy().into_owned()
}

/// A path from this folder, also for an engine that is started elsewhere.
fn engine(path: String) -> String {
    std::path::absolute(&path).map_or(path, |path| path.to_string_lossy().into_owned())
}
