//! `lab self-play`: plays training games of one player against itself, all different.
//!
//! The first plies of a game are random. Until ply `--drawn-plies`, moves are then drawn in proportion to the root's
//! visits, as in AlphaZero with temperature 1; after that the best move is played. One search plays both sides and
//! keeps its tree. When the winner is proven, the game is completed without search ([`crate::filling`]), so that its
//! last position shows the margin. A game that repeats an earlier one is replayed with another seed. The `--seed`, the
//! number of the game and the number of replays determine all random choices.
//!
//! The output is a [`crate::shard`]: the games in the order of their numbers, each with the root moves' visits in each
//! search. Its bytes do not depend on the number of threads or on the cluster.

use crate::arguments::{read_count, read_games, read_size};
use crate::cluster::jobs::{self, Job};
use crate::cluster::{InOrder, TaskArgs, WorkArgs, first_new};
use crate::filling::completion;
use crate::games::fingerprint;
use crate::interrupt;
use crate::matches::spec::PlayerSpec;
use crate::play::openings::check_plies;
use crate::play::player::{iterate, search_of};
use crate::progress::progress_bar;
use crate::shard::{EVENT, ShardWriter, control};
use fastrand::Rng;
use otrera::endgame::FillingProver;
use otrera::record::Visits;
use otrera::record::json;
use otrera::seed::mix_seed;
use otrera::{GameRecord, Move, Params, PlayedMove, Position, Report, Size};
use serde_json::json;
use std::cmp::Reverse;
use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Default of the maximum number of random plies at the start of a game.
pub const RANDOM_PLIES: u32 = 6;

/// Play training games of one player against itself, all different.
#[derive(clap::Args)]
pub struct Args {
    /// The player: a preset with parameters.
    #[arg(default_value = "tournament")]
    player: PlayerSpec,
    /// Edge length of the board.
    #[arg(long, default_value = "10", value_parser = read_size)]
    size: Size,
    /// Number of games.
    #[arg(long, default_value = "1000", value_parser = read_games)]
    games: u64,
    /// Iterations per move.
    #[arg(long, default_value = "400", value_parser = read_count::<u64>)]
    iterations: u64,
    /// Maximum number of random plies at the start; their number is random too.
    #[arg(long, default_value_t = RANDOM_PLIES)]
    random_plies: u32,
    /// Draw the moves before this ply in proportion to their visits.
    #[arg(long, default_value_t = 12)]
    drawn_plies: u32,
    /// Random seed of all games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    task: TaskArgs,
    /// Continue the shard of an interrupted run.
    #[arg(long)]
    resume: bool,
    /// Output file, a shard; `lab convert` turns it into JSON lines.
    #[arg(long, default_value = "results/self-play.shard", value_parser = read_output)]
    output: PathBuf,
}

pub fn run(args: &Args) -> Result<(), String> {
    if let Some(numbers) = &args.task.numbers {
        let params = args.params()?;
        return jobs::print(numbers, |number| Ok(json::write(&play(args, params, number, 0))));
    }
    interrupt::advise(format!("; the games so far are in {}; resume with --resume", args.output.display()));
    let Written { games, positions } = play_all(args)?;
    println!("{games} games, all different, {positions} positions: {}", args.output.display());
    Ok(())
}

/// Refuses the names of files that other programs would read as JSON.
fn read_output(text: &str) -> Result<PathBuf, String> {
    if [".json", ".jsonl"].iter().any(|extension| text.ends_with(extension)) {
        return Err(
            "self-play writes a binary shard: name a .shard file, and convert it with lab convert".into()
        );
    }
    Ok(text.into())
}

/// Numbers of games and of searched positions in a complete shard.
pub struct Written {
    pub games: u64,
    pub positions: u64,
}

/// Plays the games that the shard lacks.
pub fn play_all(args: &Args) -> Result<Written, String> {
    let params = args.params()?;
    let work = |number| Ok(json::write(&play(args, params, number, 0)));
    let conditions = json!({ "self-play": {
        "player": args.player.text,
        "weights": args.player.weights(),
        "size": args.size.edge(),
        "iterations": args.iterations,
        "random_plies": args.random_plies,
        "drawn_plies": args.drawn_plies,
        "seed": args.seed,
    } });
    let (mut done, mut known) = (HashSet::new(), HashSet::new());
    let shard = ShardWriter::open(&args.output, &conditions, args.resume, |game| {
        done.insert(game.number);
        known.insert(fingerprint(&game));
    })?;
    let missing: VecDeque<u64> = (0..args.games).filter(|number| !done.contains(number)).collect();
    let bar = progress_bar(args.games).with_position(shard.games);
    let mut series = Series { args, params, shard, known, order: InOrder::new(missing.clone()) };
    let take = |line: &str| {
        bar.inc(1);
        series.add(json::read(line).map_err(|error| format!("{line:?}: {error}"))?)
    };
    let job = Job { arguments: args.arguments(), missing, work: &work, take: Box::new(take) };
    jobs::run(&args.work, vec![job], &AtomicBool::new(false))?;
    bar.finish_and_clear();
    let written = Written { games: series.shard.games, positions: series.shard.positions };
    series.shard.finish()?;
    Ok(written)
}

impl Args {
    fn params(&self) -> Result<&Params, String> {
        check_plies("--random-plies", self.random_plies, self.size)?;
        self.player.check_board(self.size)?;
        self.player.check_bare()?;
        self.player.params()
    }

    /// Returns the arguments that make `lab` play these games, without `--numbers`.
    fn arguments(&self) -> Vec<String> {
        vec![
            "self-play".into(),
            self.player.text.clone(),
            format!("--size={}", self.size.edge()),
            format!("--iterations={}", self.iterations),
            format!("--random-plies={}", self.random_plies),
            format!("--drawn-plies={}", self.drawn_plies),
            format!("--seed={}", self.seed),
        ]
    }
}

/// Writer of the shard: games in the order of their numbers, each different from all earlier games.
struct Series<'a> {
    args: &'a Args,
    params: &'a Params,
    shard: ShardWriter,
    /// Fingerprints of the games written so far.
    known: HashSet<u64>,
    order: InOrder<GameRecord>,
}

impl Series<'_> {
    /// Adds a finished game, then writes each game whose predecessors are all finished, made unique if needed.
    fn add(&mut self, game: GameRecord) -> Result<(), String> {
        for (_, game) in self.order.add(game.number, game) {
            let (args, params, number) = (self.args, self.params, game.number);
            let game = first_new(
                &mut self.known,
                game,
                |game| Ok(fingerprint(game)),
                |attempt| Ok(play(args, params, number, attempt)),
            );
            let advice = "set more --random-plies or --drawn-plies";
            let game = game.map_err(|problem| format!("game {number}: {problem}: {advice}"))?;
            // Other threads would write later games: the games of a shard come in order.
            self.shard.add(&game).unwrap_or_else(|error| interrupt::give_up(&error));
        }
        Ok(())
    }
}

fn play(args: &Args, params: &Params, number: u64, attempt: u64) -> GameRecord {
    let seed = mix_seed(Rng::with_seed(args.seed).u64(..), number + 1) ^ attempt << 48;
    let mut rng = Rng::with_seed(seed);
    let start = Position::start(args.size);
    let mut search = search_of(&start, params.clone(), 16, rng.u64(..));
    let random_plies = rng.u32(..=args.random_plies);
    let (mut moves, mut visits, mut prover) = (Vec::<PlayedMove>::new(), Visits::new(), FillingProver::new());
    while search.position().winner().is_none() {
        let ply = moves.len() as u32;
        let played = if ply < random_plies {
            let legal: Vec<Move> = search.position().legal_moves().collect();
            legal[rng.usize(..legal.len())].into()
        } else if prover.winner(search.position()).is_some() {
            let completion = completion(search.position(), &mut prover);
            moves.extend(completion.into_iter().map(PlayedMove::from));
            break;
        } else {
            let report = iterate(&mut search, args.iterations);
            let drawn = if ply < args.drawn_plies { draw(&report, &mut rng) } else { report.best };
            let Some(mv) = drawn else { break };
            // After a proof by the search alone, the search plays on until the position itself is proven.
            if report.proven.is_some() {
                report.best.unwrap_or(mv).into()
            } else {
                // No move can have more than 0.5 % of the visits, in a lost position with many moves.
                visits
                    .extend(Some((moves.len(), visits_of(&report))).filter(|(_, visits)| !visits.is_empty()));
                PlayedMove { effort: Some(report.iterations), win_rate: Some(report.win_rate.0), ..mv.into() }
            }
        };
        moves.push(played);
        search.advance(played.mv);
    }
    let record = GameRecord {
        number,
        event: EVENT.into(),
        control: control(args.iterations),
        visits,
        moves,
        ..GameRecord::new(&args.player.text, &args.player.text, start)
    };
    let winner = record.positions().last().and_then(Position::winner);
    GameRecord { winner, ..record }
}

/// Returns the root moves with more than 0.5 % of the visits, and their visits, most-visited first.
fn visits_of(report: &Report) -> Vec<(Move, u32)> {
    let least = report.lines.iter().map(|line| line.visits).sum::<u32>() / 200;
    let often = report.lines.iter().filter(|line| line.visits > least);
    let mut visits: Vec<_> = often.map(|line| (line.mv, line.visits)).collect();
    visits.sort_by_key(|&(_, visits)| Reverse(visits));
    visits
}

/// Draws a root move in proportion to the visits; returns the best move if there are no visits.
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn every_game_and_every_attempt_has_a_seed_of_its_own() {
        let line = ["self-play", "tournament", "--size=6", "--iterations=5", "--random-plies=4"];
        let Line { args } = Line::parse_from(line);
        let params = args.params().expect("valid parameters");
        let moves = |number, attempt| play(&args, params, number, attempt).played_moves();
        let games = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)].map(|(number, attempt)| moves(number, attempt));
        let different: HashSet<&Vec<Move>> = games.iter().collect();
        assert_eq!(different.len(), games.len());
        assert_eq!(moves(1, 1), games[4], "equal seeds give equal games");
    }
}
