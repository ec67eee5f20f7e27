//! `lab sau CMD`: tests an engine on a simulated SAU platform, which runs the engine's clock, kills the engine in the
//! middle of a game and restarts it. Short for `lab match CMD OPPONENT --platform sau`, without a result file.

use crate::arguments::read_games;
use crate::cluster::CoreArgs;
use crate::interrupt::locked;
use crate::matches::findings::Summary;
use crate::matches::harness::{Facts, Harness};
use crate::matches::results::Finished;
use crate::matches::runner::Match;
use crate::matches::spec::PlayerSpec;
use crate::play::openings::{Openings, RandomMoves};
use crate::progress::progress_bar;
use otrera::Size;
use otrera_arena::game::Control;
use otrera_arena::sau::{Conditions, Options};
use otrera_arena::screen::Show;
use std::sync::Mutex;
use std::time::Duration;

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
    let matchup = args.new_match()?;
    let (games, bar) = (Mutex::new(Vec::new()), progress_bar(args.games));
    args.cores.for_each(0..args.games, |number| {
        let finished = matchup.game(number)?;
        let mut games = locked(&games);
        bar.suspend(|| report(args, &finished));
        games.push(finished);
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    let games = games.into_inner().map_err(|error| error.to_string())?;
    let summary = Summary::of(&args.options, &games);
    println!("{}", summary.to_text());
    summary.check()
}

impl Args {
    fn new_match(&self) -> Result<Match, String> {
        let players = [format!("cmd:{},proto=sau", self.engine), self.opponent.clone()];
        let [engine, opponent] = players.map(|player| player.parse::<PlayerSpec>());
        let players = [engine?, opponent?];
        players.iter().try_for_each(|player| player.check(Size::STANDARD))?;
        Ok(Match {
            players,
            games: self.games,
            size: Size::STANDARD,
            control: Control::PerGame(self.options.total_time),
            grace: Duration::MAX,
            openings: Openings::Random(RandomMoves { plies: 0, ..RandomMoves::DEFAULT }),
            seed: self.options.seed,
            adjudicate: None,
            harness: Harness::Sau(self.options.clone()),
            show: Show::None,
            is_parallel: true,
        })
    }
}

/// Prints a game if it was late or not finished; with `--verbose`, any game.
fn report(args: &Args, Finished { game, facts }: &Finished) {
    let (number, Facts::Sau(played)) = (game.number, facts) else { return };
    let conditions = Conditions { engine: &[], options: &args.options, number };
    let used = played.share(&args.options);
    let end = match &played.broken {
        Some(why) => format!("NOT FINISHED: {why}"),
        None if game.winner == Some(conditions.side()) => "won".into(),
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
            number + 1,
            conditions.side(),
            game.moves.len(),
            played.refused,
            100.0 * used
        );
    }
    if played.broken.is_some() || (args.verbose && played.refused > 0) {
        println!("{}", played.log);
    }
}
