//! `lab sau CMD`: games of an engine on a model of the SAU platform, which charges its clock, and on which it is killed
//! and loaded again.

use crate::arguments::{read_count, read_seconds, read_time};
use crate::cluster::CoreArgs;
use crate::matches::spec::PlayerSpec;
use crate::progress::progress_bar;
use clap::ValueEnum;
use otrera::Side;
use otrera_referee::process::check_start;
use otrera_referee::sau::{Conditions, Kill, Played, play};
use std::fs;
use std::ops::Range;
use std::sync::Mutex;
use std::time::Duration;

/// Arguments of `lab sau`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The engine with its arguments, as one word. It gets threads = 1, memory = 64 and the total time in otrera.toml.
    #[arg(default_value = "dist/otrera")]
    engine: String,
    /// Games, as Black and as White in turn.
    #[arg(long, default_value = "60", value_parser = read_count::<u64>)]
    games: u64,
    #[command(flatten)]
    cores: CoreArgs,
    /// Seconds for all moves of the engine in a game, by the platform's clock.
    #[arg(long, value_name = "S", default_value = "60", value_parser = read_time)]
    total_time: Duration,
    /// Seconds that a move costs on the platform's clock beside thinking.
    #[arg(long, value_name = "FROM..TO", default_value = "0.25..0.5", value_parser = read_charge)]
    charge: Range<f64>,
    /// Kill the engine at a random moment of its own turn, or of the opponent's, whose move is lost; or of either in turn.
    #[arg(long, value_enum, default_value = "none")]
    kill: KillArg,
    /// Its opponent: a player as in `lab match`.
    #[arg(long, value_name = "PLAYER", default_value = "greedy")]
    opponent: String,
    /// The longest that the opponent thinks about a move, in seconds.
    #[arg(long, value_name = "S", default_value = "0.3", value_parser = read_seconds)]
    opponent_time: Duration,
    /// Seed of opponent, charges and kills.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print a line about every game, and the logs of those with a refused move.
    #[arg(long)]
    verbose: bool,
}

/// When the engine is killed, over all games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum KillArg {
    None,
    Ours,
    Theirs,
    Both,
}

fn read_charge(text: &str) -> Result<Range<f64>, String> {
    let bounds = text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let valid = bounds.filter(|&(from, to): &(f64, f64)| 0.0 <= from && from <= to && to <= 60.0);
    valid.map(|(from, to)| from..to).ok_or_else(|| "two numbers of seconds are wanted, like 0.25..0.5".into())
}

pub fn run(args: &Args) -> Result<(), String> {
    let engine: Vec<String> = args.engine.split_whitespace().map(str::to_owned).collect();
    check_start(&engine)?;
    let opponent = args.opponent.parse::<PlayerSpec>()?;
    opponent.check_start()?;
    let (total, bar) = (Mutex::new(Total::default()), progress_bar(args.games));
    args.cores.for_each(0..args.games, |number| {
        let (conditions, played) = game(args, &engine, &opponent, number);
        let mut total = total.lock().map_err(|error| error.to_string())?;
        bar.suspend(|| total.add(args, number + 1, &conditions, &played));
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    let total = total.into_inner().map_err(|error| error.to_string())?;
    println!("{}", total.summary());
    match total.games - total.finished + total.late {
        0 => Ok(()),
        _ => Err("a game was not finished, or late".into()),
    }
}

fn game(args: &Args, engine: &[String], opponent: &PlayerSpec, number: u64) -> (Conditions, Played) {
    let seed = args.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number);
    let conditions = Conditions {
        engine: engine.to_vec(),
        side: if number.is_multiple_of(2) { Side::Black } else { Side::White },
        total: args.total_time,
        charge: args.charge.clone(),
        kill: match args.kill {
            KillArg::None => Kill::None,
            KillArg::Ours => Kill::Ours,
            KillArg::Theirs => Kill::Theirs,
            KillArg::Both if (number / 2).is_multiple_of(2) => Kill::Ours,
            KillArg::Both => Kill::Theirs,
        },
        // The platform writes its own record in half of the games.
        all_step: (number / 4).is_multiple_of(2),
        opponent_time: args.opponent_time,
        seed,
    };
    let folder = std::env::temp_dir().join(format!("otrera-sau-{}-{number}", std::process::id()));
    let played = play(opponent.build(seed).as_mut(), &conditions, &folder);
    // A folder that stays in the one for temporary files is no failure.
    let _ = fs::remove_dir_all(&folder);
    (conditions, played)
}

#[derive(Default)]
struct Total {
    games: u64,
    finished: u64,
    won: u64,
    late: u64,
    killed: [u64; 2],
    refused: usize,
    with_refused: u64,
    /// The shares of the time that were used in finished games.
    used: Vec<f64>,
}

impl Total {
    fn add(&mut self, args: &Args, number: u64, conditions: &Conditions, played: &Played) {
        let used = played.used.as_secs_f64() / args.total_time.as_secs_f64();
        self.games += 1;
        self.won += u64::from(played.won);
        self.late += u64::from(used > 1.0);
        if let (Some(_), Some(count)) =
            (played.killed, self.killed.get_mut(usize::from(conditions.kill == Kill::Theirs)))
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
                    conditions.kill, conditions.all_step
                )
            });
            println!(
                "game {number}: {end}, {}, {} plies{killed}, {} refused, {:.1} % of the time",
                conditions.side,
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
