//! `lab endgames`: tests a player in solved endgames, and checks the engine's endgame proofs ([`FillingProver`]).
//!
//! [`suite`] generates, reads and writes the positions. [`remainder`] simplifies a position, and [`solver`] finds its
//! winner. Neither uses the engine's proofs, which they check. [`puzzles`] collects positions in which only one move
//! keeps the win.
//!
//! In a won position, a move is right if the solver still finds a win after it. In a lost position, a move is wrong
//! only if the player reports a certain win. Each position is then played on until the engine proves a winner, and from
//! there to the end. The proven winner plays with the engine's proofs, the defender without.

pub(crate) mod puzzles;
mod remainder;
mod solver;
mod suite;

use crate::arguments::{read_count, read_size, read_time};
use crate::cluster::CoreArgs;
use crate::files::Output;
use crate::matches::spec::PlayerSpec;
use crate::play::player::{Budget, iterate, search_of};
use crate::sheet::Sheet;
use crate::stats::wilson;
use otrera::{FillingProver, Move, Position, Search, Side, Size, TournamentParams};
use solver::Solver;
use std::path::PathBuf;
use std::time::Duration;
use suite::{Endgame, MAX_CONTESTED, contested};

/// Test a player in solved endgames.
#[derive(clap::Args)]
pub struct Args {
    /// Use the endgames in this file instead of generating new ones.
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Output file for the generated endgames.
    #[arg(long, value_name = "FILE", default_value = "results/endgames.txt", conflicts_with = "suite")]
    output: PathBuf,
    /// Only write puzzles to this file: positions in which exactly one move keeps the win.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["suite", "output", "player", "time"])]
    puzzles: Option<PathBuf>,
    /// Continue the puzzle file of an interrupted run.
    #[arg(long, requires = "puzzles")]
    resume: bool,
    /// Edge length of the board.
    #[arg(long, default_value = "10", value_parser = read_size, conflicts_with = "suite")]
    size: Size,
    /// Number of positions for each count of contested squares (1 to 22), or number of puzzles.
    #[arg(long, value_name = "N", default_value = "20", conflicts_with = "suite", value_parser = read_count::<usize>)]
    each: usize,
    /// Iterations per move, in the self-play games that supply positions and in the games that check proofs.
    #[arg(long, value_name = "N", default_value = "300", value_parser = read_count::<u64>)]
    iterations: u64,
    /// Random seed of the games and the player.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Node limit of the solver for each position.
    #[arg(long, value_name = "N", default_value = "3000000", value_parser = read_count::<u64>)]
    nodes: u64,
    /// The player to test.
    #[arg(long, default_value = "tournament")]
    player: PlayerSpec,
    /// Seconds per move of the tested player.
    #[arg(long, value_name = "S", default_value = "0.5", value_parser = read_time)]
    time: Duration,
    #[command(flatten)]
    cores: CoreArgs,
}

impl Args {
    /// Formats the command with the options that determine the positions.
    fn command(&self) -> String {
        let Self { size, each, iterations, seed, nodes, .. } = self;
        let size = size.edge();
        format!(
            "lab endgames --size {size} --each {each} --iterations {iterations} --seed {seed} --nodes {nodes}"
        )
    }
}

pub fn run(args: &Args) -> Result<(), String> {
    args.player.check_start()?;
    if args.suite.is_none() {
        args.player.check_board(args.size)?;
    }
    if let Some(path) = &args.puzzles {
        return puzzles::make(args, path);
    }
    let suite = match &args.suite {
        Some(path) => suite::read(path)?,
        None => make(args)?,
    };
    if suite.is_empty() {
        return Err("the suite is empty".into());
    }
    suite.iter().try_for_each(|endgame| args.player.check_board(endgame.position.size()))?;
    judge(args, &suite)?;
    play_on(args, &suite)
}

fn make(args: &Args) -> Result<Vec<Endgame>, String> {
    let output = Output::new(&args.output, &[], &["# lab endgames "])?;
    let (suite, unsolved) = suite::make(args)?;
    output.write(&suite::format(&suite, &args.command()))?;
    println!("{} positions written to {}", suite.len(), output.path().display());
    println!("{} not solved with {} nodes", unsolved.iter().sum::<usize>(), args.nodes);
    for (squares, count) in unsolved.iter().enumerate().filter(|(_, count)| **count > 0) {
        println!("  {count} with {squares} contested squares");
    }
    Ok(suite)
}

/// Grade of the player's move in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Grade {
    /// The position is still won after the move.
    Right,
    /// The position was won, but the move throws the win away.
    Wrong,
    /// The position was won, but the solver reaches its node limit after the move.
    Unknown,
    /// The position was lost before the move.
    Lost,
    /// The player reported a certain loss in a won position, or a certain win in a lost one.
    FalselyCertain,
}

/// Judges the player's move in each position and prints a table of the grades.
fn judge(args: &Args, suite: &[Endgame]) -> Result<(), String> {
    let grades = args.cores.map("judging", suite.iter(), |endgame| grade(args, endgame))?;
    let header = ["contested", "positions", "lost", "won", "unknown", "right", "right moves (95 %)"];
    let title = format!("\n{} with {} s a move", args.player.text, args.time.as_secs_f64());
    let mut sheet = Sheet::new(title, &header);
    for squares in (1..=MAX_CONTESTED).map(Some).chain([None]) {
        let is_here =
            |endgame: &Endgame| squares.is_none_or(|squares| contested(&endgame.position) == squares);
        let chosen = suite.iter().zip(&grades).filter(|(endgame, _)| is_here(endgame));
        let chosen: Vec<Grade> = chosen.map(|(_, (grade, _))| *grade).collect();
        if !chosen.is_empty() {
            let name = squares.map_or("all".to_owned(), |squares| squares.to_string());
            sheet.row(std::iter::once(name).chain(counts(&chosen)));
        }
    }
    print!("{}", sheet.to_text());
    for (Endgame { position, .. }, (grade, mv)) in suite.iter().zip(&grades) {
        let name = match grade {
            Grade::Wrong => "wrong",
            Grade::Unknown => "unknown",
            Grade::FalselyCertain => "falsely certain",
            Grade::Right | Grade::Lost => continue,
        };
        println!("{name}: {mv} in {}", position.to_fen());
    }
    let is_false = |(grade, _): &&(Grade, Move)| *grade == Grade::FalselyCertain;
    println!("falsely certain results: {}", grades.iter().filter(is_false).count());
    Ok(())
}

/// Formats the cells of a row in the table of grades, except the first cell (contested squares).
fn counts(grades: &[Grade]) -> [String; 6] {
    let count = |wanted: Grade| grades.iter().filter(|grade| **grade == wanted).count();
    let [lost, right, wrong, unknown] = [Grade::Lost, Grade::Right, Grade::Wrong, Grade::Unknown].map(count);
    let share = wilson(right as u64, (right + wrong) as u64).map_or(String::new(), |interval| {
        let percent = 100.0 * right as f64 / (right + wrong) as f64;
        format!("{percent:5.1} % [{:.1}, {:.1}]", interval.low * 100.0, interval.high * 100.0)
    });
    let [positions, lost, won, unknown, right] =
        [grades.len(), lost, right + wrong + unknown, unknown, right].map(|count| count.to_string());
    [positions, lost, won, unknown, right, share]
}

/// Asks the player for a move in a position and judges it. Fails if the player forfeits or the move is illegal.
fn grade(args: &Args, endgame: &Endgame) -> Result<(Grade, Move), String> {
    let Endgame { position, winner } = endgame;
    let mut player = args.player.build(args.seed ^ position.key());
    let budget = Budget { time: Some(args.time), iterations: None };
    let choice = player.begin(position, position.side()).and_then(|()| player.choose(position, budget));
    let choice = choice.map_err(|forfeit| format!("{}: {forfeit}", args.player.text))?;
    let next = position.try_play(choice.mv).map_err(|error| format!("{}: {error}", args.player.text))?;
    let wins = *winner == position.side();
    let false_claim = if wins { 0.0 } else { 1.0 };
    let grade = match next.winner().or_else(|| Solver::new(args.nodes).winner(&next)) {
        _ if choice.win_rate == Some(false_claim) => Grade::FalselyCertain,
        _ if !wins => Grade::Lost,
        Some(after) if after == *winner => Grade::Right,
        Some(_) => Grade::Wrong,
        None => Grade::Unknown,
    };
    Ok((grade, choice.mv))
}

/// Plays every position to the end and prints the positions in which the engine's proof of a winner was wrong.
fn play_on(args: &Args, suite: &[Endgame]) -> Result<(), String> {
    let proofs = args.cores.map("playing on", suite.iter(), |endgame| Ok(proof(args, &endgame.position)))?;
    let proofs: Vec<(Position, bool)> = proofs.into_iter().flatten().collect();
    println!("\nthe engine proved a winner in {} of {} games", proofs.len(), suite.len());
    println!("the proven winner lost in {} games", proofs.iter().filter(|(_, holds)| !holds).count());
    for (position, _) in proofs.iter().filter(|(_, holds)| !holds) {
        println!("lost: {}", position.to_fen());
    }
    Ok(())
}

/// Creates a search from `start`, with or without the engine's endgame proofs.
fn search(start: Position, endgame_proofs: bool, args: &Args) -> Search {
    search_of(&start, TournamentParams { endgame_proofs, ..TournamentParams::DEFAULT }, 32, args.seed)
}

/// Plays on from `start` until the engine proves a winner. Returns the position of the proof, and true if the proven
/// winner wins and the solver does not refute the proof; `None` if the game ends first.
fn proof(args: &Args, start: &Position) -> Option<(Position, bool)> {
    let mut both = search(*start, false, args);
    let mut prover = FillingProver::new();
    let called = loop {
        match prover.winner(both.position()) {
            Some(_) if both.position().winner().is_some() => return None,
            Some(winner) => break winner,
            None => play(&mut both, args.iterations),
        }
    };
    let position = *both.position();
    let refuted = Solver::new(args.nodes).winner(&position).is_some_and(|winner| winner != called);
    Some((position, !refuted && end(position, called, args) == called))
}

/// Plays from `start` to the end of the game and returns the winner. The proven winner, `called`, uses endgame proofs;
/// its opponent does not.
fn end(start: Position, called: Side, args: &Args) -> Side {
    let [mut filler, mut defender] = [true, false].map(|proofs| search(start, proofs, args));
    loop {
        let position = *filler.position();
        if let Some(winner) = position.winner() {
            return winner;
        }
        let is_called = position.side() == called;
        let (mover, watcher) =
            if is_called { (&mut filler, &mut defender) } else { (&mut defender, &mut filler) };
        play(mover, args.iterations);
        watcher.set_position(*mover.position());
    }
}

fn play(search: &mut Search, iterations: u64) {
    if let Some(mv) = iterate(search, iterations).best {
        search.advance(mv);
    }
}
