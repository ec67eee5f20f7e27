//! `lab sau CMD`: tests an engine on a simulated SAU platform, which runs the engine's clock, kills the engine in the
//! middle of a game and restarts it.

use crate::arguments::read_count;
use crate::cluster::CoreArgs;
use crate::matches::spec::PlayerSpec;
use crate::progress::progress_bar;
use otrera_referee::process::check_start;
use otrera_referee::sau::{Conditions, Kill, Options, Played, play};
use std::fs;
use std::sync::Mutex;

/// Test an engine on a simulated SAU platform, with the platform's clock and with crashes.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The engine with its arguments, in quotes. An otrera.toml sets threads = 1, memory = 64 and the total time.
    #[arg(default_value = "dist/otrera")]
    engine: String,
    /// Number of games, alternately as Black and White.
    #[arg(long, default_value = "60", value_parser = read_count::<u64>)]
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
    let (total, bar) = (Mutex::new(Total::default()), progress_bar(args.games));
    args.cores.for_each(0..args.games, |number| {
        let conditions = Conditions { engine: &engine, options: &args.options, number };
        let folder = std::env::temp_dir().join(format!("otrera-sau-{}-{number}", std::process::id()));
        let played = play(opponent.build(conditions.seed()).as_mut(), conditions, &folder);
        // A leftover temporary folder is no failure.
        let _ = fs::remove_dir_all(&folder);
        let mut total = total.lock().map_err(|error| error.to_string())?;
        bar.suspend(|| total.add(args, conditions, &played));
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    let total = total.into_inner().map_err(|error| error.to_string())?;
    println!("{}", total.summary());
    match total.games - total.finished + total.late {
        0 => Ok(()),
        _ => Err("a game was late or not finished".into()),
    }
}

#[derive(Default)]
struct Total {
    games: u64,
    finished: u64,
    won: u64,
    late: u64,
    /// Number of games in which the engine was killed: on its own turn, on the opponent's turn.
    killed: [u64; 2],
    /// Number of the engine's moves that the platform refused.
    refused: usize,
    with_refused: u64,
    /// Fraction of the total time that the engine used, for each finished game.
    used: Vec<f64>,
}

impl Total {
    fn add(&mut self, args: &Args, conditions: Conditions, played: &Played) {
        let used = played.used.as_secs_f64() / args.options.total_time.as_secs_f64();
        self.games += 1;
        self.won += u64::from(played.won);
        self.late += u64::from(used > 1.0);
        if let (Some(_), Some(count)) =
            (played.killed, self.killed.get_mut(usize::from(conditions.kill() == Kill::Theirs)))
        {
            *count += 1;
        }
        self.refused += played.refused;
        self.with_refused += u64::from(played.refused > 0);
        let end = match &played.broken {
            Some(why) => format!("NOT FINISHED: {why}"),
            None => {
                self.finished += 1;
                self.used.push(used);
                if played.won { "won".into() } else { "lost".into() }
            }
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

    fn summary(&self) -> String {
        let Self { games, finished, won, late, killed: [ours, theirs], refused, with_refused, used } = self;
        let mean = used.iter().sum::<f64>() / used.len().max(1) as f64;
        let least = used.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let most = used.iter().copied().reduce(f64::max).unwrap_or(0.0);
        let [least, mean, most] = [least, mean, most].map(|share| 100.0 * share);
        format!(
            "{games} games: {finished} finished, {won} won, {late} late; time used {least:.0} to {most:.0} %, mean {mean:.0} %; \
             killed {ours} on its turn, {theirs} on the opponent's; {refused} moves refused, in {with_refused} games"
        )
    }
}
