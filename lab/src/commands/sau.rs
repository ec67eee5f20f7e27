//! `lab sau CMD`: tests an engine on a simulated SAU platform, which runs the engine's clock, kills the engine in the
//! middle of a game and restarts it.

use crate::arguments::read_games;
use crate::cluster::CoreArgs;
use crate::interrupt::locked;
use crate::matches::spec::PlayerSpec;
use crate::progress::progress_bar;
use otrera_arena::process::check_start;
use otrera_arena::sau::{Conditions, Kill, Options, Played, simulate};
use std::fs;
use std::sync::Mutex;

/// Test an engine on a simulated SAU platform, with the platform's clock and with crashes.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The engine with its arguments, in quotes. An otrera.toml sets threads = 1, memory = 64 and the total time.
    #[arg(default_value = "dist/otrera")]
    engine: String,
    /// Number of games, alternately as Black and White.
    #[arg(long, default_value = "60", value_parser = read_games)]
    games: u64,
    #[command(flatten)]
    cores: CoreArgs,
    /// Opponent of the engine: a player as in `lab match`.
    #[arg(long, value_name = "PLAYER", default_value = "greedy")]
    opponent: String,
    #[command(flatten)]
    options: Options,
    /// Print a line about every game, and the logs of games with a refused move.
    #[arg(long)]
    verbose: bool,
}

pub fn run(args: &Args) -> Result<(), String> {
    let engine: Vec<String> = args.engine.split_whitespace().map(str::to_owned).collect();
    check_start(&engine)?;
    let opponent = args.opponent.parse::<PlayerSpec>()?;
    opponent.check_start()?;
    let (games, bar) = (Mutex::new(Vec::new()), progress_bar(args.games));
    args.cores.for_each(0..args.games, |number| {
        let conditions = Conditions { engine: &engine, options: &args.options, number };
        let folder = std::env::temp_dir().join(format!("otrera-sau-{}-{number}", std::process::id()));
        let played = simulate(opponent.build(conditions.seed()).as_mut(), conditions, &folder);
        // A leftover temporary folder is not a failure.
        let _ = fs::remove_dir_all(&folder);
        let mut games = locked(&games);
        bar.suspend(|| report(args, conditions, &played));
        games.push((conditions.kill(), played));
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    let games = games.into_inner().map_err(|error| error.to_string())?;
    println!("{}", summary(args, &games));
    let is_good = |(_, played): &(Kill, Played)| played.broken.is_none() && share(args, played) <= 1.0;
    if games.iter().all(is_good) { Ok(()) } else { Err("a game was late or not finished".into()) }
}

/// Returns the fraction of the total time that the engine used; above 1 if it was late.
fn share(args: &Args, played: &Played) -> f64 {
    played.used.as_secs_f64() / args.options.total_time.as_secs_f64()
}

/// Prints a game if it was late or not finished; with `--verbose`, any game.
fn report(args: &Args, conditions: Conditions, played: &Played) {
    let used = share(args, played);
    let end = match &played.broken {
        Some(why) => format!("NOT FINISHED: {why}"),
        None if played.won => "won".into(),
        None => "lost".into(),
    };
    if args.verbose || played.broken.is_some() || used > 1.0 {
        let killed = played.killed.map_or(String::new(), |ply| {
            format!(
                ", killed after ply {ply} ({:?}, own record {})",
                conditions.kill(),
                conditions.all_step()
            )
        });
        println!(
            "game {}: {end}, {}, {} plies{killed}, {} refused, {:.1} % of the time",
            conditions.number + 1,
            conditions.side(),
            played.plies,
            played.refused,
            100.0 * used
        );
    }
    if played.broken.is_some() || (args.verbose && played.refused > 0) {
        println!("{}", played.log);
    }
}

/// Formats a summary of all games; the [`Kill`] of a game says on whose turn the engine was killed.
fn summary(args: &Args, games: &[(Kill, Played)]) -> String {
    let count =
        |is: &dyn Fn(Kill, &Played) -> bool| games.iter().filter(|(kill, played)| is(*kill, played)).count();
    let finished = games.iter().filter(|(_, played)| played.broken.is_none());
    let used: Vec<f64> = finished.map(|(_, played)| 100.0 * share(args, played)).collect();
    let won = count(&|_, played| played.won);
    let late = count(&|_, played| share(args, played) > 1.0);
    let [ours, theirs] =
        [Kill::Ours, Kill::Theirs].map(|kind| count(&|kill, played| kill == kind && played.killed.is_some()));
    let refused: usize = games.iter().map(|(_, played)| played.refused).sum();
    let with_refused = count(&|_, played| played.refused > 0);
    let mean = used.iter().sum::<f64>() / used.len().max(1) as f64;
    let least = used.iter().copied().reduce(f64::min).unwrap_or(0.0);
    let most = used.iter().copied().reduce(f64::max).unwrap_or(0.0);
    format!(
        "{} games: {} finished, {won} won, {late} late; time used {least:.0} to {most:.0} %, mean {mean:.0} %; \
         killed {ours} on its turn, {theirs} on the opponent's; {refused} moves refused, in {with_refused} games",
        games.len(),
        used.len()
    )
}
