//! `lab endgames`: positions near the end whose winner is known, and how a player does in them.
//!
//! [`suite`] makes the positions and reads and writes them, [`solver`] says who wins, on what [`remainder`]
//! leaves of a position. Neither uses the engine's counting of moves, so that they can tell whether it is
//! right.
//!
//! In a position that is won a move is right if the solver still finds a win after it. In one that is lost
//! no move can be judged, but what the player claims can. Then every position is played on until the engine's
//! counting calls it won, and from there to the end against a defender that does not believe it.

mod remainder;
mod solver;
mod suite;

use crate::arguments::{cores, read_concurrency, read_count, read_size, read_time};
use crate::files::Output;
use crate::matches::spec::PlayerSpec;
use crate::play::player::Budget;
use crate::stats::wilson::wilson;
use indicatif::{ProgressBar, ProgressStyle};
use otrera::{FillingProver, Limits, Move, Params, Position, Resources, Search, Side, Size};
use rayon::prelude::*;
use solver::Solver;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use suite::{Endgame, MAX_CONTESTED, contested};

/// Endgames whose winner is known, and how a player does in them.
#[derive(clap::Args)]
pub struct Args {
    /// A suite that was made before; otherwise one is made.
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Where a suite that is made is written.
    #[arg(long, value_name = "FILE", default_value = "endgames.txt", conflicts_with = "suite")]
    output: PathBuf,
    /// Edge of the board.
    #[arg(long, default_value = "10", value_parser = read_size, conflicts_with = "suite")]
    size: Size,
    /// Positions drawn for each number of contested squares, 1 to 22.
    #[arg(long, default_value = "20", conflicts_with = "suite", value_parser = read_count::<usize>)]
    each: usize,
    /// Keep only positions that are won, but not by the move of `greedy`.
    #[arg(long, conflicts_with = "suite")]
    hard: bool,
    /// Iterations for each move of the games that positions are drawn from, and of those that are played on.
    #[arg(long, default_value = "300", value_parser = read_count::<u64>)]
    iterations: u64,
    /// Seed of the games and of the player.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Positions after which the solver gives up.
    #[arg(long, default_value = "3000000", value_parser = read_count::<u64>)]
    nodes: u64,
    /// The player that is judged.
    #[arg(long, default_value = "tournament")]
    player: PlayerSpec,
    /// Seconds that it has for a move.
    #[arg(long, value_name = "S", default_value = "0.5", value_parser = read_time)]
    time: Duration,
    /// Positions worked on at once; by default one for each core.
    #[arg(long, value_name = "N", value_parser = read_concurrency)]
    concurrency: Option<usize>,
}

/// Runs the command.
///
/// # Errors
/// A suite that cannot be read or written, or a player that does not play.
pub fn run(args: &Args) -> Result<(), String> {
    args.player.check_start()?;
    if args.suite.is_none() {
        args.player.check_board(args.size)?;
    }
    let threads = args.concurrency.unwrap_or_else(cores);
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    pool.install(|| {
        let suite = match &args.suite {
            Some(path) => suite::read(path)?,
            None => made(args)?,
        };
        if suite.is_empty() {
            return Err("the suite is empty".into());
        }
        suite.iter().try_for_each(|endgame| args.player.check_board(endgame.position.size()))?;
        judge(args, &suite)?;
        play_on(args, &suite);
        Ok(())
    })
}

/// Makes a suite and writes it.
fn made(args: &Args) -> Result<Vec<Endgame>, String> {
    let output = Output::new(&args.output, &[])?;
    let made = suite::make(args);
    let command = format!(
        "lab endgames --size {} --each {}{} --iterations {} --seed {} --nodes {}",
        args.size.edge(),
        args.each,
        if args.hard { " --hard" } else { "" },
        args.iterations,
        args.seed,
        args.nodes
    );
    output.write(&suite::to_text(&made.suite, &command))?;
    println!("{} positions written to {}", made.suite.len(), output.path().display());
    if args.hard {
        println!("{} solved and left out as easy", made.easy);
    }
    println!("{} not solved with {} nodes", made.unsolved.iter().sum::<usize>(), args.nodes);
    for (squares, count) in made.unsolved.iter().enumerate().filter(|(_, count)| **count > 0) {
        println!("  {count} with {squares} contested squares");
    }
    Ok(made.suite)
}

/// What a player made of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    /// A win, and still one after this move.
    Right,
    /// A win, and none any more after this move.
    Wrong(Move),
    /// A win; whether this move keeps it is too hard for the solver.
    Unknown(Move),
    /// A loss, and not called a win.
    Lost,
    /// Called the opposite of what it is for certain.
    FalselyCertain(Move),
}

/// Judges the player's moves, and prints the outcome.
fn judge(args: &Args, suite: &[Endgame]) -> Result<(), String> {
    let verdicts = in_parallel("judging", suite, |endgame| verdict(args, endgame));
    let verdicts = verdicts.into_iter().collect::<Result<Vec<Verdict>, String>>()?;
    println!("\n{} with {} s a move", args.player.text, args.time.as_secs_f64());
    println!("contested  positions  lost  won  not judged  right  share of right moves (95 %)");
    for stage in (1..=MAX_CONTESTED).map(Some).chain([None]) {
        let of_stage = suite
            .iter()
            .zip(&verdicts)
            .filter(|(endgame, _)| stage.is_none_or(|squares| contested(&endgame.position) == squares));
        let of_stage: Vec<Verdict> = of_stage.map(|(_, verdict)| *verdict).collect();
        if !of_stage.is_empty() {
            println!("{}", stage_row(stage, &of_stage));
        }
    }
    for (Endgame { position, .. }, verdict) in suite.iter().zip(&verdicts) {
        match verdict {
            Verdict::Wrong(mv) => println!("wrong: {mv} in {}", position.to_fen()),
            Verdict::Unknown(mv) => println!("not judged: {mv} in {}", position.to_fen()),
            Verdict::FalselyCertain(mv) => println!("falsely certain: {mv} in {}", position.to_fen()),
            Verdict::Right | Verdict::Lost => {}
        }
    }
    let false_claims =
        verdicts.iter().filter(|verdict| matches!(verdict, Verdict::FalselyCertain(_))).count();
    println!("certain of the opposite of what is so: {false_claims}");
    Ok(())
}

/// A row of the table: all positions, or those with this many contested squares.
fn stage_row(stage: Option<usize>, verdicts: &[Verdict]) -> String {
    let count = |wanted: fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| wanted(verdict)).count();
    let lost = count(|verdict| *verdict == Verdict::Lost);
    let right = count(|verdict| *verdict == Verdict::Right);
    let wrong = count(|verdict| matches!(verdict, Verdict::Wrong(_)));
    let unknown = count(|verdict| matches!(verdict, Verdict::Unknown(_)));
    let share = wilson(right as u64, (right + wrong) as u64, 0.95).map_or(String::new(), |interval| {
        let percent = 100.0 * right as f64 / (right + wrong) as f64;
        format!("{percent:5.1} % [{:.1}, {:.1}]", interval.low * 100.0, interval.high * 100.0)
    });
    let name = stage.map_or("all".to_owned(), |squares| squares.to_string());
    format!(
        "{name:>9}  {:9}  {lost:4}  {:3}  {unknown:10}  {right:5}  {share}",
        verdicts.len(),
        right + wrong + unknown
    )
}

/// Lets the player move in a position and judges what it does.
fn verdict(args: &Args, endgame: &Endgame) -> Result<Verdict, String> {
    let Endgame { position, winner } = endgame;
    let mut player = args.player.build(args.seed ^ position.key());
    let budget = Budget { time: Some(args.time), iterations: None };
    let choice = player.begin(position).and_then(|()| player.choose(budget));
    let choice = choice.map_err(|forfeit| format!("{}: {forfeit}", args.player.text))?;
    let next = position.try_play(choice.mv).map_err(|error| format!("{}: {error}", args.player.text))?;
    let wins = *winner == position.side();
    let false_claim = if wins { 0.0 } else { 1.0 };
    Ok(match next.winner().or_else(|| Solver::new(args.nodes).winner(&next)) {
        _ if choice.win_rate == Some(false_claim) => Verdict::FalselyCertain(choice.mv),
        _ if !wins => Verdict::Lost,
        Some(after) if after == *winner => Verdict::Right,
        Some(_) => Verdict::Wrong(choice.mv),
        None => Verdict::Unknown(choice.mv),
    })
}

/// How a game went that counting has called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Called {
    /// Counting never decided it.
    Never,
    /// The side that was called the winner won.
    Kept,
    /// It lost, or the solver refutes the call.
    Lost(Position),
}

/// Plays every position on until counting calls it won and from there to the end, and prints whether the
/// call was kept.
fn play_on(args: &Args, suite: &[Endgame]) {
    let called = in_parallel("playing on", suite, |endgame| call(args, &endgame.position));
    let kept = called.iter().filter(|called| **called == Called::Kept).count();
    let lost: Vec<&Position> = called
        .iter()
        .filter_map(|called| if let Called::Lost(position) = called { Some(position) } else { None })
        .collect();
    println!("\n{} of {} games were called by counting", kept + lost.len(), suite.len());
    println!("lost although counting called it won: {}", lost.len());
    for position in lost {
        println!("lost: {}", position.to_fen());
    }
}

fn call(args: &Args, start: &Position) -> Called {
    let defender = Params { endgame_proofs: false, ..Params::TOURNAMENT };
    let resources = Resources { threads: 1, memory: 32 << 20, seed: args.seed };
    let mut both = Search::new(*start, defender.clone(), resources);
    let mut prover = FillingProver::new();
    let called = loop {
        match prover.winner(both.position()) {
            Some(_) if both.position().winner().is_some() => return Called::Never,
            Some(winner) => break winner,
            None => play(&mut both, args.iterations),
        }
    };
    let position = *both.position();
    let refuted = Solver::new(args.nodes).winner(&position).is_some_and(|winner| winner != called);
    let winner = played_out(position, called, args);
    if refuted || winner != called { Called::Lost(position) } else { Called::Kept }
}

/// Who wins when the side that was called the winner counts, and the other searches without counting.
fn played_out(start: Position, called: Side, args: &Args) -> Side {
    let resources = Resources { threads: 1, memory: 32 << 20, seed: args.seed };
    let mut players = [true, false]
        .map(|endgame_proofs| Search::new(start, Params { endgame_proofs, ..Params::TOURNAMENT }, resources));
    loop {
        let position = *players[0].position();
        if let Some(winner) = position.winner() {
            return winner;
        }
        let [filler, defender] = &mut players;
        let (mover, watcher) =
            if position.side() == called { (filler, defender) } else { (defender, filler) };
        play(mover, args.iterations);
        watcher.set_position(*mover.position());
    }
}

/// Searches and plays the best move.
fn play(search: &mut Search, iterations: u64) {
    let report = search.run(&Limits::iterations(iterations), &AtomicBool::new(false), &mut |_| ());
    if let Some(mv) = report.best {
        search.advance(mv);
    }
}

/// Does something with many items, on all threads of the pool, and shows how far it is.
fn in_parallel<T: Sync, R: Send>(
    what: &'static str,
    items: &[T],
    work: impl Fn(&T) -> R + Send + Sync,
) -> Vec<R> {
    let style = ProgressStyle::with_template("{prefix:10} {bar:30} {pos}/{len} {eta}");
    let bar = ProgressBar::new(items.len() as u64).with_prefix(what);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let results = items.par_iter().map(work).inspect(|_| bar.inc(1)).collect();
    bar.finish_and_clear();
    results
}
