//! The program `otrera-local`: plays on Botzone from the user's own machine.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use otrera_bot::log_heading;
use otrera_bot::options::read_file;
use otrera_front::io::Log;
use otrera_front::settings::{SETTINGS, Settings};
use otrera_local::address::{self, Address, FILE, VARIABLE};
use otrera_local::client::Client;
use otrera_local::game::DEFAULTS;
use otrera_local::pace::Pace;
use otrera_local::reply;
use otrera_local::screen::Screen;
use otrera_local::site::Site;
use otrera_local::starts::{Plan, Starts};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The bot's options that this program has too, with the default where it differs from the bot's.
const OPTIONS: [(&str, &str); 12] = [
    ("move-time", "3"),
    ("threads", "all cores"),
    ("memory", "automatic"),
    ("record-dir", "records"),
    ("log", ""),
    ("name", ""),
    ("team", ""),
    ("opponent", "Botzone"),
    ("place", ""),
    ("preset", ""),
    ("iterations", ""),
    ("seed", ""),
];

/// Maximum time to abort the matches after Ctrl-C.
const ENDING: Duration = Duration::from_secs(5);

/// Exit status after Ctrl-C.
const INTERRUPTED: i32 = 130;

fn main() -> ExitCode {
    // Other users of the machine see a command line, and an error would repeat the argument.
    let known = Address::find(None).ok().map(|(address, _)| address);
    let is_address = |word: OsString| {
        let word = word.to_string_lossy();
        let has_secret = known.as_ref().is_some_and(|address| address.has_secret(&word));
        has_secret || ["://", "/api/", "/localai"].iter().any(|part| word.contains(part))
    };
    let outcome = if std::env::args_os().skip(1).any(is_address) {
        Err(format!("the address does not belong on the command line; put it into {FILE} or {VARIABLE}"))
    } else {
        run(&command_line().get_matches())
    };
    match outcome {
        Ok(status) => status,
        Err(problem) => {
            eprintln!("otrera-local: {problem}");
            ExitCode::from(2)
        }
    }
}

/// Describes the command line. The bot's table of options supplies the texts.
fn command_line() -> Command {
    let number = |name: &'static str, most: i64, help: &'static str| {
        Arg::new(name).long(name).value_name("N").help(help).value_parser(value_parser!(u32).range(1..=most))
    };
    let own = [
        Arg::new("match")
            .long("match")
            .value_name("BOT-ID")
            .help("start matches against this version of a bot"),
        Arg::new("white")
            .long("white")
            .action(ArgAction::SetTrue)
            .requires("match")
            .help("play White in them"),
        number("games", 100_000, "number of matches to start (1)").requires("match"),
        number("at-once", 64, "number of them at a time (1)").requires("match"),
        Arg::new("address").long("address").value_name("FILE").help("file that contains the address"),
    ];
    let rows = OPTIONS.iter().filter_map(|(name, default)| {
        let row = SETTINGS.iter().find(|row| row.name == *name)?;
        let default = if default.is_empty() { String::new() } else { format!(" ({default})") };
        // The help of `record-dir` names the bot's commands.
        let help = row.help.split(" (gui, play").next().unwrap_or_default().replace(" (Opponent)", "");
        Some(Arg::new(row.name).long(row.name).value_name(row.value).help(format!("{help}{default}")))
    });
    let after = format!(
        "\
Without --match it plays wherever you tick \"use my local AI\" (用本地AI替代我) at a
table. Ctrl-C ends it and aborts the matches that --match started.

The address of your local AI contains a secret. Copy it from your account's page
({form})
into the file {FILE} beside this program (chmod 600), or into
the environment variable {VARIABLE}.
otrera.toml beside the program sets the options below --address, too.",
        form = address::FORM
    );
    Command::new("otrera-local")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Plays the Game of the Amazons on Botzone from this machine (本地AI)")
        .after_help(after)
        .args(own)
        .args(rows)
}

/// Reads the bot's options: `otrera.toml` beside the program, then the command line.
fn settings(arguments: &ArgMatches, problems: &mut Vec<String>) -> Result<Settings, String> {
    let mut settings = Settings::default();
    if let Some(folder) = std::env::current_exe().ok().as_deref().and_then(Path::parent) {
        read_file(&mut settings, &folder.join("otrera.toml"), problems);
    }
    for (name, _) in OPTIONS {
        if let Some(value) = arguments.get_one::<String>(name) {
            settings.set(name, value, Path::new("")).map_err(|valid| format!("--{name} {value}: {valid}"))?;
        }
    }
    settings.check_board(DEFAULTS.size)?;
    problems.extend(settings.cap_threads());
    Ok(settings)
}

/// Plays. Returns failure if the site refused to start a match.
fn run(arguments: &ArgMatches) -> Result<ExitCode, String> {
    let mut problems = Vec::new();
    let settings = settings(arguments, &mut problems)?;
    let plan = plan(arguments, &settings)?;
    let file = arguments.get_one::<String>("address").map(PathBuf::from);
    let (address, warning) = Address::find(file.as_deref())?;
    problems.extend(warning);
    let log = match &settings.log {
        Some(path) => Log::open(path, Instant::now(), &log_heading("otrera-local"), &mut problems),
        None => Log::none(Instant::now()),
    };
    let address = Arc::new(address);
    let screen = Screen::new(Box::new(std::io::stdout()), log, Arc::clone(&address));
    let panics = screen.clone();
    std::panic::set_hook(Box::new(move |panic| panics.say(&format!("otrera-local: {panic}"))));
    for problem in &problems {
        screen.say(&format!("otrera-local: {problem}"));
    }
    let site = Site::new(address, Pace::BOTZONE.poll_time);
    let starts = Arc::new(Starts::default());
    abort_on_signal(&starts, &site, &screen)?;
    let at_once = plan.as_ref().map_or(1, |plan| plan.at_once.min(plan.games));
    let mut client = Client::new(
        site.clone(),
        &settings,
        Pace::BOTZONE,
        screen.clone(),
        Arc::clone(&starts),
        at_once as usize,
    );
    let games = plan.as_ref().map(|plan| plan.games);
    if let Some(plan) = plan {
        starts.announce(&plan);
        let (starts, screen) = (Arc::clone(&starts), screen.clone());
        thread::spawn(move || starts.run(&plan, &site, &Pace::BOTZONE, &screen));
    } else {
        screen.say("Waiting for matches at tables; Ctrl-C ends.");
    }
    client.run(|client| games.is_some() && client.is_idle() && starts.are_over())?;
    // After Ctrl-C the other thread ends the program.
    while starts.is_ending() {
        thread::park();
    }
    Ok(status(starts.refused(), games, &screen))
}

/// Returns the exit status of a run that started `games` matches, and says how many of them the site refused.
fn status(refused: u32, games: Option<u32>, screen: &Screen) -> ExitCode {
    let Some(games) = games.filter(|_| refused > 0) else { return ExitCode::SUCCESS };
    screen.say(&format!("otrera-local: {refused} of {games} matches not started: the site refuses them"));
    ExitCode::FAILURE
}

/// Returns the matches to start; `None` without `--match`.
fn plan(arguments: &ArgMatches, settings: &Settings) -> Result<Option<Plan>, String> {
    let Some(text) = arguments.get_one::<String>("match") else { return Ok(None) };
    let bot = reply::name(text).ok_or("--match needs the ID of a bot's version: letters and digits")?;
    let number = |name: &str| arguments.get_one::<u32>(name).copied().unwrap_or(1);
    let move_time = DEFAULTS.with(settings).move_time.unwrap_or_default();
    // A request can wait for the searches under way, and an answer for a connection.
    let seconds = (move_time * 4).as_secs() + 30;
    Ok(Some(Plan {
        bot,
        as_white: arguments.get_flag("white"),
        games: number("games"),
        at_once: number("at-once"),
        seconds,
    }))
}

/// Makes Ctrl-C and SIGTERM abort the matches that were started and end the program; a second one ends it at once.
fn abort_on_signal(starts: &Arc<Starts>, site: &Site, screen: &Screen) -> Result<(), String> {
    let arrived = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&arrived))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&arrived)))
            .map_err(|error| format!("Ctrl-C cannot be handled: {error}"))?;
    }
    let (starts, site, screen) = (Arc::clone(starts), site.clone(), screen.clone());
    thread::spawn(move || {
        while !arrived.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(50));
        }
        screen.say("Ending.");
        let (aborted, open) = starts.end(&site, ENDING);
        if aborted + open == 0 {
            std::process::exit(INTERRUPTED);
        }
        let left = if open > 0 { format!("; {open} could not be aborted") } else { String::new() };
        screen.say(&format!("Aborted {aborted} of the started matches{left}."));
        std::process::exit(INTERRUPTED);
    });
    Ok(())
}
