//! `lab self-play`: games of one player against itself, all of them different, as data for fits.
//!
//! A game begins with some random plies, and for some more its moves are drawn in proportion to the root's visits
//! (as in AlphaZero, with a temperature of 1); from then on the best move is played. One search thinks for both sides
//! and keeps its tree. A game ends when it is proven who wins. All random choices follow from `--seed`, the number of the
//! game, and how often it has repeated a game of a lower number; games go to the file in the order of their numbers.

use crate::arguments::{TaskArgs, WorkArgs, read_count, read_size};
use crate::cluster::jobs::{self, Job};
use crate::interrupt;
use crate::matches::results::{Earlier, Results};
use crate::matches::spec::{check_board, search_params};
use fastrand::Rng;
use indicatif::{ProgressBar, ProgressStyle};
use otrera::record::json;
use otrera::{
    GameRecord, Limits, Move, Outcome, Params, PlayedMove, Position, Report, Resources, Search, Size,
};
use serde_json::json;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::thread::ScopedJoinHandle;

/// Games of one player against itself, no game twice.
#[derive(clap::Args)]
pub struct Args {
    /// The player: a preset with parameters.
    #[arg(default_value = "tournament")]
    player: String,
    /// Edge of the board.
    #[arg(long, default_value = "10", value_parser = read_size)]
    size: Size,
    /// How many games.
    #[arg(long, default_value = "1000", value_parser = read_count::<u64>)]
    games: u64,
    /// Iterations a move.
    #[arg(long, default_value = "400", value_parser = read_count::<u64>)]
    iterations: u64,
    /// A game begins with up to so many random plies, how many is drawn too.
    #[arg(long, default_value_t = 6)]
    random_plies: u32,
    /// Before this ply moves are drawn in proportion to their visits.
    #[arg(long, default_value_t = 12)]
    drawn_plies: u32,
    /// Seed of all games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    task: TaskArgs,
    /// Goes on with a file that was begun under the same conditions.
    #[arg(long)]
    resume: bool,
    /// The results file, a game a line.
    #[arg(long, default_value = "results/self-play.jsonl")]
    output: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// A player that is none, a file that cannot be written, or a cluster that cannot play.
pub fn run(args: &Args) -> Result<(), String> {
    let params = search_params(&args.player)?;
    check_board(&args.player, &params, args.size)?;
    if let Some(numbers) = &args.task.numbers {
        numbers.clone().for_each(|number| println!("{}", json::write(&play(args, &params, number, 0))));
        return Ok(());
    }
    let conditions = json!({
        "self-play": args.player,
        "size": args.size.edge(),
        "iterations": args.iterations,
        "random_plies": args.random_plies,
        "drawn_plies": args.drawn_plies,
        "seed": args.seed,
    });
    let earlier = if args.resume { Earlier::Kept } else { Earlier::Refused };
    let results = Results::open(&args.output, &conditions, earlier)?;
    interrupt::advise(format!("; the games so far are in {}: --resume goes on", args.output.display()));
    let mut series = Series::new(args, &params, &results);
    let missing = series.missing.clone();
    let bar = ProgressBar::new(args.games).with_position(results.count() as u64);
    let style = "{wide_bar} {pos} of {len} games, {per_sec}, {eta} to go";
    bar.set_style(ProgressStyle::with_template(style).map_err(|error| error.to_string())?);
    match &args.work.cluster {
        Some(address) => {
            let take = |line: &str| {
                bar.inc(1);
                series.add(json::read(line).map_err(|error| format!("{line:?}: {error}"))?)
            };
            let job = Job { arguments: args.arguments(), missing, take: Box::new(take) };
            jobs::run(address, vec![job], &AtomicBool::new(false))?;
        }
        None => play_here(args, &params, missing, &Mutex::new(series), &bar)?,
    }
    bar.finish_and_clear();
    let games = results.games();
    let positions: usize = games.iter().map(|game| game.moves.len()).sum();
    println!("{} games, all different, {positions} positions: {}", games.len(), args.output.display());
    Ok(())
}

/// Plays these games on the cores of this machine.
fn play_here(
    args: &Args,
    params: &Params,
    missing: VecDeque<u64>,
    series: &Mutex<Series>,
    bar: &ProgressBar,
) -> Result<(), String> {
    let missing = Mutex::new(missing);
    let next = || missing.lock().ok().and_then(|mut missing| missing.pop_front());
    let play_all = || -> Result<(), String> {
        while let Some(number) = next() {
            let game = play(args, params, number, 0);
            bar.inc(1);
            let added = series.lock().map_err(|error| error.to_string())?.add(game);
            // Where one cannot go on the others are not to begin anything more.
            added.inspect_err(|_| while next().is_some() {})?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let players: Vec<_> = (0..args.work.concurrency()).map(|_| scope.spawn(play_all)).collect();
        let ended = |player: ScopedJoinHandle<'_, Result<(), String>>| {
            player.join().unwrap_or_else(|_| Err("a game ended in a panic".into()))
        };
        players.into_iter().try_for_each(ended)
    })
}

impl Args {
    /// The arguments with which `lab` plays these games, if `--numbers` says which.
    fn arguments(&self) -> Vec<String> {
        vec![
            "self-play".into(),
            self.player.clone(),
            format!("--size={}", self.size.edge()),
            format!("--iterations={}", self.iterations),
            format!("--random-plies={}", self.random_plies),
            format!("--drawn-plies={}", self.drawn_plies),
            format!("--seed={}", self.seed),
        ]
    }
}

/// The games as they go to the file, each different from those before it.
struct Series<'a> {
    args: &'a Args,
    params: &'a Params,
    results: &'a Results,
    known: HashSet<Vec<Move>>,
    missing: VecDeque<u64>,
    /// Games that have ended before one of a lower number.
    early: BTreeMap<u64, GameRecord>,
}

impl<'a> Series<'a> {
    fn new(args: &'a Args, params: &'a Params, results: &'a Results) -> Self {
        let games = results.games();
        let done: HashSet<u64> = games.iter().map(|game| game.number).collect();
        let missing = (0..args.games).filter(|number| !done.contains(number)).collect();
        let known = games.iter().map(moves_of).collect();
        Self { args, params, results, known, missing, early: BTreeMap::new() }
    }

    /// Adds a game as it came out at the first attempt. It goes to the file when all before it have.
    fn add(&mut self, game: GameRecord) -> Result<(), String> {
        self.early.insert(game.number, game);
        while let Some(game) = self.missing.front().and_then(|number| self.early.remove(number)) {
            self.missing.pop_front();
            let game = self.different(game)?;
            self.results.add(game)?;
        }
        Ok(())
    }

    /// The game; played again with other seeds as long as it repeats another.
    fn different(&mut self, mut game: GameRecord) -> Result<GameRecord, String> {
        const MAX_TRIES: u64 = 100;
        let (number, mut attempts) = (game.number, 1..MAX_TRIES);
        while !self.known.insert(moves_of(&game)) {
            let attempt = attempts.next().ok_or_else(|| {
                format!(
                    "game {number} was the same as another {MAX_TRIES} times: ask for more --random-plies or \
                     --drawn-plies"
                )
            })?;
            game = play(self.args, self.params, number, attempt);
        }
        Ok(game)
    }
}

/// What makes a game the same as another.
fn moves_of(game: &GameRecord) -> Vec<Move> {
    game.moves.iter().map(|played| played.mv).collect()
}

/// Plays one game.
fn play(args: &Args, params: &Params, number: u64, attempt: u64) -> GameRecord {
    let seed = Rng::with_seed(args.seed).u64(..)
        ^ (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(attempt << 48);
    let mut rng = Rng::with_seed(seed);
    let start = Position::start(args.size);
    let resources = Resources { threads: 1, memory: 16 << 20, seed: rng.u64(..) };
    let mut search = Search::new(start, params.clone(), resources);
    let random_plies = rng.u32(..=args.random_plies);
    let mut moves: Vec<PlayedMove> = Vec::new();
    let winner = loop {
        if let Some(winner) = search.position().winner() {
            break winner;
        }
        let ply = moves.len() as u32;
        let played = if ply < random_plies {
            let legal: Vec<Move> = search.position().legal_moves().collect();
            legal[rng.usize(..legal.len())].into()
        } else {
            let report =
                search.run(&Limits::iterations(args.iterations), &AtomicBool::new(false), &mut |_| ());
            if let Some(winner) = report.proven {
                break winner;
            }
            let drawn = if ply < args.drawn_plies { draw(&report, &mut rng) } else { report.best };
            let Some(mv) = drawn else { break search.position().side().opponent() };
            PlayedMove { effort: Some(report.iterations), win_rate: Some(report.win_rate.0), ..mv.into() }
        };
        moves.push(played);
        search.advance(played.mv);
    };
    let outcome = Outcome { moves, winner, forfeit: None };
    GameRecord {
        number,
        event: "lab self-play".into(),
        control: format!("{} iterations a move", args.iterations),
        ..GameRecord::new(&args.player, &args.player, start).with_outcome(outcome)
    }
}

/// A move of the root, each as probable as its share of the visits.
fn draw(report: &Report, rng: &mut Rng) -> Option<Move> {
    let total: u32 = report.lines.iter().map(|line| line.visits).sum();
    let mut place = rng.u32(..total.max(1));
    let drawn = report.lines.iter().find(|line| {
        let is_here = place < line.visits;
        place = place.saturating_sub(line.visits);
        is_here
    });
    drawn.map(|line| line.mv).or(report.best)
}
