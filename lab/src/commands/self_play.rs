//! `lab self-play`: games of one player against itself, all of them different, as data for fits.
//!
//! A game begins with some random plies, and for some more its moves are drawn in proportion to the root's visits
//! (as in AlphaZero, with a temperature of 1); from then on the best move is played. One search thinks for both sides
//! and keeps its tree. A game ends when it is proven who wins. All random choices follow from `--seed` and the number of
//! the game.

use crate::arguments::{read_count, read_size};
use crate::interrupt;
use crate::matches::results::{Earlier, Results};
use crate::matches::runner::cores;
use crate::matches::spec::search_params;
use fastrand::Rng;
use indicatif::{ProgressBar, ProgressStyle};
use otrera::{
    GameRecord, Limits, Move, Outcome, Params, PlayedMove, Position, Report, Resources, Search, Size,
};
use serde_json::json;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

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
    /// Games at once (default: one for each core).
    #[arg(long, value_parser = read_count::<usize>)]
    concurrency: Option<usize>,
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
/// A player that is none, or a file that cannot be written.
pub fn run(args: &Args) -> Result<(), String> {
    let params = search_params(&args.player)?;
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
    let (mut known, mut done) = (HashSet::new(), HashSet::new());
    for game in results.games() {
        done.insert(game.number);
        known.insert(moves_of(&game));
    }
    let bar = ProgressBar::new(args.games).with_position(done.len() as u64);
    let style = "{wide_bar} {pos} of {len} games, {per_sec}, {eta} to go";
    bar.set_style(ProgressStyle::with_template(style).map_err(|error| error.to_string())?);
    let missing = Mutex::new((0..args.games).filter(|number| !done.contains(number)));
    let known = Mutex::new(known);
    std::thread::scope(|scope| {
        let players: Vec<_> = (0..args.concurrency.unwrap_or_else(cores))
            .map(|_| {
                scope.spawn(|| -> Result<(), String> {
                    while let Some(number) = missing.lock().ok().and_then(|mut missing| missing.next()) {
                        results.add(new_game(args, &params, number, &known)?)?;
                        bar.inc(1);
                    }
                    Ok(())
                })
            })
            .collect();
        let ended = |player: std::thread::ScopedJoinHandle<'_, Result<(), String>>| {
            player.join().unwrap_or_else(|_| Err("a game ended in a panic".into()))
        };
        players.into_iter().try_for_each(ended)
    })?;
    bar.finish_and_clear();
    let games = results.games();
    let positions: usize = games.iter().map(|game| game.moves.len()).sum();
    println!("{} games, all different, {positions} positions: {}", games.len(), args.output.display());
    Ok(())
}

/// What makes a game the same as another.
fn moves_of(game: &GameRecord) -> Vec<Move> {
    game.moves.iter().map(|played| played.mv).collect()
}

/// Plays the game of this number, and plays it again with other seeds as long as it repeats another game.
fn new_game(
    args: &Args,
    params: &Params,
    number: u64,
    known: &Mutex<HashSet<Vec<Move>>>,
) -> Result<GameRecord, String> {
    const MOST_TRIES: u64 = 100;
    for attempt in 0..MOST_TRIES {
        let mut rng = Rng::with_seed(args.seed);
        let seed = rng.u64(..) ^ (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(attempt << 48);
        let game = play(args, params, number, Rng::with_seed(seed));
        if known.lock().map_err(|error| error.to_string())?.insert(moves_of(&game)) {
            return Ok(game);
        }
    }
    Err(format!(
        "game {number} was the same as another {MOST_TRIES} times: ask for more --random-plies or --drawn-plies"
    ))
}

/// Plays one game.
fn play(args: &Args, params: &Params, number: u64, mut rng: Rng) -> GameRecord {
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
