//! `lab match A B`: plays games between two players until all are played or a sequential test has decided.

use crate::arguments::{
    parse, read_count, read_games, read_if, read_seconds, read_share, read_size, read_time,
};
use crate::cluster::jobs;
use crate::cluster::{TaskArgs, WorkArgs};
use crate::commands::convert::file_safe;
use crate::files::{MAX_BYTES, read_text};
use crate::interrupt::{self, locked};
use crate::matches::findings;
use crate::matches::harness::Harness;
use crate::matches::results::{Existing, Results};
use crate::matches::runner::{self, Match};
use crate::matches::score::{Score, repetitions};
use crate::matches::spec::PlayerSpec;
use crate::play::openings::{Openings, RandomMoves, balanced, check_plies, read_book};
use crate::progress::progress_bar;
use crate::stats::Interval;
use crate::stats::elo::Estimate;
use crate::stats::sprt::{Outcome, Sprt};
use clap::ValueEnum;
use indicatif::ProgressBar;
use otrera::{Position, Side, Size};
use otrera_arena::dialect::Dialect;
use otrera_arena::faults::{Fault, RATE, Setting};
use otrera_arena::game::Control;
use otrera_arena::limits::Allowance;
use otrera_arena::sau::{self, Kill};
use otrera_arena::screen::Show;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Play a match between two players; each opening is played twice, with colours swapped.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The first player: a preset with settings (tournament,threads=2,iterations=1000,share=0.5,c=3), level:N, greedy,
    /// random, alphabeta:EVALUATION:DEPTH, pvs:EVALUATION, or cmd:PROGRAM,proto=P with P one of botzone-simple,
    /// botzone-json, botzone-simple-keep, botzone-json-keep, sau, uci.
    a: PlayerSpec,
    /// The second player.
    b: PlayerSpec,
    /// Number of games; with --sprt the maximum.
    #[arg(long, default_value = "100", value_parser = read_games)]
    games: u64,
    #[command(flatten)]
    setup: GameArgs,
    /// Stop when a sequential test has decided if A is stronger by ELO1 or by ELO0.
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", value_parser = read_sprt, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Result file [default: a new one in results/].
    #[arg(long)]
    output: Option<PathBuf>,
    /// Continue the result file of an interrupted match.
    #[arg(long, requires = "output")]
    resume: bool,
    /// With --resume: replay games lost by late answers, and move them to FILE.late.
    #[arg(long, requires = "resume")]
    replay_late: bool,
    /// Print the result as a line of JSON at the end.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    platform: PlatformArgs,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    task: TaskArgs,
}

// Limits, board, openings and seed of games.
#[derive(clap::Args, Clone, Debug)]
pub struct GameArgs {
    /// Seconds per move [default: 0.1, or no limit for players with a fixed depth or iteration count].
    #[arg(long, value_name = "S", group = "effort", value_parser = read_time)]
    time: Option<Duration>,
    /// Seconds per side for the whole game.
    #[arg(long, value_name = "S", group = "effort", value_parser = read_time)]
    game_time: Option<Duration>,
    /// Iterations, playouts or nodes per move.
    #[arg(long, value_name = "N", group = "effort", value_parser = read_count::<u64>)]
    iterations: Option<u64>,
    /// Set no limit, for players with their own limits.
    #[arg(long, group = "effort")]
    free: bool,
    /// Edge length of the board.
    #[arg(long, default_value = "10", value_parser = read_size)]
    pub size: Size,
    /// Begin with this number of random plies [default: 300 openings that a long search rates as balanced, or 4 plies on
    /// boards other than 10x10 and 8x8].
    #[arg(long, value_name = "N")]
    plies: Option<u32>,
    /// Take openings from a file in turn: one per line, with moves like d1d7g7; # begins a comment.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plies", "balance"])]
    book: Option<PathBuf>,
    /// Begin with random plies after which a short search rates the position within this distance of 0.5; 0.5 accepts
    /// all openings [default: 0.15].
    #[arg(long, value_name = "RATE", value_parser = read_share)]
    balance: Option<f64>,
    /// Random seed of openings and players.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Tolerated delay of an answer, in seconds [default: 0.1].
    #[arg(long, value_name = "S", value_parser = read_seconds)]
    grace: Option<Duration>,
    /// End a game when both players report at least this win rate for one side for six plies.
    #[arg(long, value_name = "RATE", value_parser = read_rate)]
    adjudicate: Option<f32>,
}

// Harness and display of the games of a match.
#[derive(clap::Args, Clone, Debug)]
struct PlatformArgs {
    /// Apply Botzone's limits to programs with its protocol, and print their verdicts, time and memory.
    #[arg(long, value_enum, value_name = "WHOSE", group = "platform", conflicts_with = "cluster")]
    limits: Option<Judge>,
    /// Inject these faults into the turns of A, a program, or all faults; scripts/faults.sh --help lists them.
    #[arg(
        long,
        value_name = "NAME,...",
        group = "platform",
        conflicts_with_all = ["cluster", "sprt"],
        value_parser = read_faults
    )]
    fault: Option<Faults>,
    /// Play on a model of this platform, with A, a program, as the engine under test. --game-time is its total time,
    /// 60 s by default.
    #[arg(
        long = "platform",
        value_enum,
        value_name = "NAME",
        group = "platform",
        conflicts_with = "cluster"
    )]
    model: Option<Model>,
    /// With --platform sau: kill A once a game, as `lab sau --help` describes.
    #[arg(long, value_enum, value_name = "WHOSE", requires = "model")]
    kill: Option<Kill>,
    /// With --platform sau: maximum thinking time of B for a move, in seconds [default: 0.3].
    #[arg(long, value_name = "S", requires = "model", value_parser = read_seconds)]
    opponent_time: Option<Duration>,
    /// Detail of the output.
    #[arg(long, value_enum, value_name = "WHAT", default_value = "none", conflicts_with = "cluster")]
    show: Show,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Judge {
    Botzone,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Model {
    Sau,
}

/// Kinds of faults; empty for all.
#[derive(Clone, Debug)]
struct Faults(Vec<Fault>);

fn read_faults(text: &str) -> Result<Faults, String> {
    let names = || Fault::value_variants().iter().map(|fault| fault.name()).collect::<Vec<_>>().join(", ");
    let read = |name| Fault::from_str(name, false).map_err(|_| format!("valid faults are all, {}", names()));
    let faults = if text == "all" { Ok(Vec::new()) } else { text.split(',').map(read).collect() };
    faults.map(Faults)
}

impl PlatformArgs {
    /// Puts the match into its harness.
    fn apply(&self, matchup: &mut Match, setup: &GameArgs, work: &WorkArgs) -> Result<(), String> {
        matchup.show = self.show;
        matchup.is_parallel = work.cores.concurrency() > 1 && matchup.games > 1;
        self.check_effect(setup)?;
        if self.limits.is_some() {
            // The limits end the turns of a program; its opponent has its own clock.
            matchup.grace = Duration::MAX;
            matchup.harness = Harness::Limits(Allowance::BOTZONE);
        } else if let Some(Faults(faults)) = &self.fault {
            if let Some((_, dialect)) = matchup.players[0].program()
                && dialect != Dialect::Uci
                && !setup.has_effort()
            {
                // Such a program knows only its platform's time.
                matchup.control = Control::turns(dialect, None, None);
            }
            matchup.harness = Harness::Faults(self.fitting(faults, matchup)?, self.setting(matchup));
        } else if self.model.is_some() {
            if matchup.size != Size::STANDARD {
                return Err("--platform sau plays on 10x10".into());
            }
            let defaults: sau::Options = parse(&[])?;
            let options = sau::Options {
                total_time: setup.game_time.unwrap_or(defaults.total_time),
                kill: self.kill.unwrap_or(defaults.kill),
                opponent_time: self.opponent_time.unwrap_or(defaults.opponent_time),
                seed: setup.seed,
                ..defaults
            };
            matchup.control = Control::PerGame(options.total_time);
            matchup.harness = Harness::Sau(options);
        }
        matchup.harness.check(&matchup.players)
    }

    /// Fails if an option of the games is given that has no effect in this harness.
    fn check_effect(&self, setup: &GameArgs) -> Result<(), String> {
        let given = [
            ("--grace", setup.grace.is_some()),
            ("--time", setup.time.is_some()),
            ("--iterations", setup.iterations.is_some()),
            ("--free", setup.free),
            ("--adjudicate", setup.adjudicate.is_some()),
        ];
        let (given, harness, advice) = if self.model.is_some() {
            (&given[..], "--platform sau", "--game-time and --opponent-time set the times of A and B")
        } else if self.limits.is_some() {
            (&given[..1], "--limits botzone", "Botzone tolerates no delay")
        } else {
            return Ok(());
        };
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(format!("{name} has no effect with {harness}: leave it out; {advice}")),
            None => Ok(()),
        }
    }

    /// Returns the faults that can occur in A's dialect. Fails if there is none.
    fn fitting(&self, faults: &[Fault], matchup: &Match) -> Result<Vec<Fault>, String> {
        let Some((_, dialect)) = matchup.players[0].program() else { return Ok(faults.to_vec()) };
        let mut fitting = if faults.is_empty() { Fault::value_variants() } else { faults }.to_vec();
        fitting.retain(|fault| fault.fits(dialect));
        if fitting.is_empty() { Err(format!("this fault does not occur in {dialect}")) } else { Ok(fitting) }
    }

    fn setting(&self, matchup: &Match) -> Setting {
        let time = match matchup.control {
            Control::PerMove(time) => Some(time),
            _ => None,
        };
        Setting { rate: RATE, time, grace: matchup.grace, seed: 0 }
    }
}

impl GameArgs {
    /// True if an option sets the effort for a move or a game.
    fn has_effort(&self) -> bool {
        self.time.is_some() || self.game_time.is_some() || self.iterations.is_some() || self.free
    }

    /// Returns the seconds a move of a longer time control than this one, for a match that confirms a result.
    pub fn longer_time(&self) -> f64 {
        self.time.map_or(0.1, |time| (4.0 * time.as_secs_f64()).max(0.1))
    }

    fn control(&self, players: &[PlayerSpec]) -> Control {
        match (self.time, self.game_time, self.iterations) {
            (Some(time), _, _) => Control::PerMove(time),
            (_, Some(time), _) => Control::PerGame(time),
            (_, _, Some(count)) => Control::Iterations(count),
            _ if self.free || players.iter().all(PlayerSpec::has_its_own_limit) => Control::Free,
            _ => Control::PerMove(Duration::from_millis(100)),
        }
    }

    pub fn new_match(&self, players: [PlayerSpec; 2], games: u64) -> Result<Match, String> {
        players.iter().try_for_each(|player| player.check(self.size))?;
        let openings = self.openings()?;
        if let Some(player) = players.iter().find(|player| player.speaks_sau() && !openings.are_empty()) {
            return Err(format!("{} takes no opening: add --plies 0", player.text));
        }
        let (control, adjudicate) = (self.control(&players), self.adjudicate);
        let is_timed = matches!(control, Control::PerMove(_) | Control::PerGame(_));
        if let Some(player) = players.iter().find(|player| player.has_share() && !is_timed) {
            return Err(format!("{}: share has no effect without --time or --game-time", player.text));
        }
        let (harness, show, is_parallel) = (Harness::Plain, Show::None, true);
        let (size, seed, grace) = (self.size, self.seed, self.grace.unwrap_or(Duration::from_millis(100)));
        Ok(Match {
            players,
            games,
            size,
            control,
            grace,
            openings,
            seed,
            adjudicate,
            harness,
            show,
            is_parallel,
        })
    }

    fn openings(&self) -> Result<Openings, String> {
        if let Some(path) = &self.book {
            let lines = read_book(&read_text(path, MAX_BYTES)?, Position::start(self.size))
                .map_err(|error| format!("{}: {error}", path.display()))?;
            return Ok(Openings::Book(path.clone(), lines));
        }
        let is_random = self.plies.is_some() || self.balance.is_some();
        if let Some(lines) = balanced(self.size)?.filter(|_| !is_random) {
            return Ok(Openings::Balanced(lines));
        }
        let default = RandomMoves::DEFAULT;
        let plies = self.plies.unwrap_or(default.plies);
        check_plies("--plies", plies, self.size)?;
        let balance = self.balance.map_or(default.balance, |balance| balance as f32);
        Ok(Openings::Random(RandomMoves { plies, balance }))
    }
}

fn read_rate(text: &str) -> Result<f32, String> {
    read_if(text, |rate| (0.5..=1.0).contains(rate), "a win rate from 0.5 to 1")
}

pub fn read_sprt(text: &str) -> Result<Sprt, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(str::parse).collect();
    let (elo0, elo1, alpha, beta) = match numbers.as_deref() {
        Ok(&[elo0, elo1]) => (elo0, elo1, 0.05, 0.05),
        Ok(&[elo0, elo1, alpha, beta]) => (elo0, elo1, alpha, beta),
        _ => return Err("expected two or four numbers, like 0,20 or 0,20,0.05,0.05".into()),
    };
    Sprt::new(elo0, elo1, alpha, beta)
}

/// Sets the advice after an interruption of a match with this result file.
fn advise(path: &Path) {
    let shown = path.display();
    interrupt::advise(format!(
        "; the games so far are in {shown}; to resume, run the same command with --output {shown} --resume"
    ));
}

pub fn run(args: &Args) -> Result<(), String> {
    // Before the programs are tried out, which an interruption can meet.
    args.output.iter().for_each(|path| advise(path));
    let matchup = args.new_match()?;
    if let Some(numbers) = &args.task.numbers {
        return jobs::print(numbers, |number| matchup.line(number));
    }
    let test = args.sprt.as_ref();
    let path = args.output.clone().unwrap_or_else(|| new_path(&matchup));
    if args.resume && !path.exists() {
        eprintln!("lab: {} does not exist: starting a new match", path.display());
    }
    advise(&path);
    let (matchup, results) = play(args, matchup, &path)?;
    let score = results.score();
    print!("{}", summary(&matchup, &score, test));
    let repeated = repetitions(&results.games());
    if repeated > 0 {
        println!("games that repeat earlier ones: {repeated}; the interval treats them as independent");
    }
    println!("results: {}", path.display());
    if args.json {
        println!("{}", as_json(&score, test));
    }
    findings::print(&matchup, &results.finished())
}

/// Plays the games that the result file lacks, until all are played or the sequential test decides; returns the match
/// and its results.
pub fn play(args: &Args, matchup: Match, path: &Path) -> Result<(Match, Results), String> {
    let existing = match (args.resume, args.replay_late) {
        (false, _) => Existing::Refuse,
        (true, false) => Existing::Resume,
        (true, true) => Existing::ReplayLate,
    };
    let results = Results::open(path, &matchup.conditions(), existing)?;
    let enough = AtomicBool::new(false);
    let progress = Progress::new(args.games, args.sprt.as_ref());
    progress.show(&results, &enough);
    let matches = [(matchup, results)];
    let [(_, results)] = &matches;
    runner::play(&matches, &args.work, &enough, &|_| progress.show(results, &enough))?;
    progress.bar.finish_and_clear();
    let [played] = matches;
    Ok(played)
}

impl Args {
    /// Checks the players and the setup; returns the match.
    pub fn new_match(&self) -> Result<Match, String> {
        let mut matchup = self.setup.new_match([self.a.clone(), self.b.clone()], self.games)?;
        self.platform.apply(&mut matchup, &self.setup, &self.work)?;
        Ok(matchup)
    }
}

fn new_path(matchup: &Match) -> PathBuf {
    let [a, b] = [0, 1].map(|index| file_safe(&matchup.players[index].text));
    let stamp = chrono::Local::now().format("%Y%m%d-%H%M%S");
    PathBuf::from(format!("results/{stamp}-{a}-{b}-{}.jsonl", std::process::id()))
}

/// Display of the score so far: a progress bar in a terminal, else up to [`Progress::LINES`] lines.
struct Progress<'a> {
    bar: ProgressBar,
    total: u64,
    test: Option<&'a Sprt>,
    /// Earliest time of the next update, and progress at the last update in steps from 0 to [`Progress::LINES`].
    shown: Mutex<(Instant, u64)>,
}

impl<'a> Progress<'a> {
    const LINES: u64 = 20;

    fn new(total: u64, test: Option<&'a Sprt>) -> Self {
        Self { bar: progress_bar(total), total, test, shown: Mutex::new((Instant::now(), 0)) }
    }

    /// Updates the display if an update is due, and sets `enough` when the test has decided.
    fn show(&self, results: &Results, enough: &AtomicBool) {
        let mut shown = locked(&self.shown);
        let begun = Instant::now();
        if begun < shown.0 && (results.count() as u64) < self.total {
            return;
        }
        let score = results.score();
        let line = standing(&score, self.test);
        self.bar.set_position(score.tally.games());
        self.bar.set_message(line.clone());
        let lines = score.tally.games() * Self::LINES / self.total.max(1);
        if self.bar.is_hidden() && lines > shown.1 {
            println!("{}/{} {line}", score.tally.games(), self.total);
        }
        if self.test.is_some_and(|test| score.tested(test).outcome != Outcome::Continue) {
            enough.store(true, Ordering::Relaxed);
        }
        // Scoring reads every game, so it runs for at most 5 % of the time.
        *shown = (begun + 20 * begun.elapsed(), lines);
    }
}

/// Maximum width, in Elo, of an interval whose estimate is printed.
const MAX_INTERVAL: f64 = 400.0;

const TOO_FEW: &str = "too few games for an Elo";

/// Formats a lead in Elo with its 95 % interval. If the interval is wider than [`MAX_INTERVAL`], formats only its bound
/// nearest to 0, or [`TOO_FEW`] if it contains 0.
pub fn format_elo(Estimate { elo, interval: Interval { low, high }, .. }: &Estimate) -> String {
    if high - low <= MAX_INTERVAL {
        format!("Elo {elo:+.0} [{low:+.0}, {high:+.0}]")
    } else if *low > 0.0 {
        format!("Elo above {low:+.0}")
    } else if *high < 0.0 {
        format!("Elo below {high:+.0}")
    } else {
        TOO_FEW.into()
    }
}

fn standing(score: &Score, test: Option<&Sprt>) -> String {
    let elo = score.estimate().map_or(TOO_FEW.into(), |estimate| format_elo(&estimate));
    let llr = test.map_or(String::new(), |test| format!(", LLR {:.2}", score.tested(test).llr()));
    let forfeits = match score.tally.failed(None) {
        0 => String::new(),
        count => format!(", forfeits {count}"),
    };
    format!(
        "{}-{} {:.1}%, {elo}{llr}{forfeits}",
        score.tally.wins(),
        score.tally.losses(),
        score.tally.share() * 100.0
    )
}

fn summary(matchup: &Match, score: &Score, test: Option<&Sprt>) -> String {
    let [a, b] = [&matchup.players[0].text, &matchup.players[1].text];
    let [[black_wins, black_losses], [wins, losses]] = Side::BOTH.map(|side| score.tally.as_side(side));
    let [seconds_a, seconds_b] = score.tally.seconds_a_move();
    let mut text = format!("{a} v {b}: {}\n", standing(score, test));
    if let Some([won, split, lost]) = score.pair_counts() {
        let share = 100.0 * split as f64 / (won + split + lost) as f64;
        text += &format!("pairs won {won}, split {split} ({share:.0}%), lost {lost}\n");
    }
    text += &format!(
        "as Black {black_wins}-{black_losses}, as White {wins}-{losses}; {:.1} plies a game; {seconds_a:.3} s and {seconds_b:.3} s a move\n",
        score.tally.mean_plies(),
    );
    for (index, name) in [a, b].into_iter().enumerate() {
        for (kind, (count, reason)) in &score.tally.failures()[index] {
            let reason = reason.trim_start_matches(&format!("{kind}: "));
            text += &format!("{name} lost {count} by {kind}, first: {reason}\n");
        }
    }
    if let Some(test) = test {
        let test = score.tested(test);
        let ([lower, upper], pairs) = (test.bounds, test.pairs.total());
        let (outcome, llr) = (format_outcome(&test), test.llr());
        text += &format!("SPRT: {outcome}, LLR {llr:.2} [{lower:.2}, {upper:.2}] after {pairs} pairs\n");
        if test.outcome != Outcome::Continue {
            text += "The test has stopped the match: on average, the Elo difference above is too large.\n";
        }
    }
    text
}

/// Returns the result from A's point of view as a JSON object; infinite or unknown Elo values are null.
fn as_json(score: &Score, test: Option<&Sprt>) -> Value {
    let estimate = score.estimate();
    let forfeits =
        score.tally.failures().each_ref().map(|forfeits| {
            forfeits.iter().map(|(kind, (count, _))| (kind, count)).collect::<BTreeMap<_, _>>()
        });
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    serde_json::json!({
        "wins": score.tally.wins(),
        "losses": score.tally.losses(),
        "score": score.tally.share(),
        "pairs": score.pair_counts(),
        "elo": finite(estimate.map(|estimate| estimate.elo)),
        "elo_low": finite(estimate.map(|estimate| estimate.interval.low)),
        "elo_high": finite(estimate.map(|estimate| estimate.interval.high)),
        "forfeits": forfeits,
        "sprt": test.map(|test| format_outcome(&score.tested(test))),
    })
}

pub fn format_outcome(test: &Sprt) -> &'static str {
    match test.outcome {
        Outcome::Continue => "undecided",
        Outcome::AcceptH0 => "H0",
        Outcome::AcceptH1 => "H1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::elo::Pairs;

    #[test]
    fn match_arguments_survive_a_round_trip() {
        let new_match = |words: &[String]| parse::<Args>(words).unwrap().new_match().unwrap();
        let book = std::env::temp_dir().join(format!("otrera-book-{}", std::process::id()));
        std::fs::write(&book, "d1d7g7").unwrap();
        let book_option = format!("--book={}", book.display());
        for options in [
            "",
            "--free --plies 0",
            "--game-time 60 --grace 0.037 --games 7 --size 8",
            "--iterations 50 --seed 18446744073709551615 --adjudicate 0.97 --balance 0.3",
            "--time 0.0123 --plies 6 --grace 60",
            "--size 6",
            &book_option,
        ] {
            let words = format!("tournament,c=3 greedy {options}");
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            let wanted = new_match(&words);
            let again = new_match(&wanted.arguments()[1..]);
            assert_eq!(format!("{again:?}"), format!("{wanted:?}"));
        }
        std::fs::remove_file(book).unwrap();
    }

    #[test]
    fn elo_is_printed_only_for_narrow_intervals() {
        let elo = |pairs: [u64; 3]| {
            let [lost, drawn, won] = pairs;
            format_elo(&Pairs { counts: [lost, 0, drawn, 0, won] }.estimate().unwrap())
        };
        for few in [[0, 1, 0], [0, 0, 1], [0, 2, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1]] {
            assert_eq!(elo(few), "too few games for an Elo", "{few:?}");
        }
        assert_eq!(elo([0, 0, 20]), "Elo above +429");
        assert_eq!(elo([20, 0, 0]), "Elo below -429");
        assert_eq!(elo([10, 30, 20]), "Elo +58 [-4, +125]");
    }

    #[test]
    fn opening_books_are_read_and_checked() {
        let start = Position::standard();
        let book = read_book("# Olympiads\nd1d7g7 a7d4a7\n\nd1-d8/b6 # common\n", start).unwrap();
        assert_eq!(book.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        for (text, complaint) in
            [("", "no opening"), ("d1d7g7 d1d7g7", "line 1: d1-d7/g7"), ("\nhello", "line 2")]
        {
            let problem = read_book(text, start).unwrap_err();
            assert!(problem.contains(complaint), "{problem}");
        }
    }
}
