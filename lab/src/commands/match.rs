//! `lab match A B`: games between two players until their number is played or a test has decided.

use crate::arguments::{TaskArgs, WorkArgs, read_count, read_seconds, read_share, read_size, read_time};
use crate::files::{MAX_BYTES, read_text};
use crate::interrupt;
use crate::matches::results::{Earlier, Results};
use crate::matches::runner::{self, Match};
use crate::matches::score::{Score, repetitions};
use crate::matches::spec::PlayerSpec;
use crate::play::openings::{Book, Openings};
use crate::play::referee::Control;
use crate::stats::Interval;
use crate::stats::elo::Estimate;
use crate::stats::sprt::{Sprt, Verdict};
use indicatif::{ProgressBar, ProgressStyle};
use otrera::record::json;
use otrera::{Move, Position, Size};
use serde_json::Value;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Arguments of `lab match`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The first player: a preset with parameters (tournament,threads=1,c=3), greedy, random,
    /// alphabeta:territory, pvs:paper, or
    /// cmd:PROGRAM,proto=botzone-simple|botzone-json|botzone-simple-keep|botzone-json-keep|sau|uci
    a: PlayerSpec,
    /// The second player.
    b: PlayerSpec,
    /// Number of games; with --sprt the most that are played.
    #[arg(long, default_value = "100", value_parser = read_count::<u64>)]
    games: u64,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// Stop when A is shown to be stronger than B by ELO1, or by ELO0 at most.
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", value_parser = read_sprt, allow_hyphen_values = true)]
    sprt: Option<Hypotheses>,
    /// The results file; by default a new one in results/.
    #[arg(long)]
    output: Option<PathBuf>,
    /// Go on with the results file of an interrupted match.
    #[arg(long, requires = "output")]
    resume: bool,
    /// With --resume: play those games again that were lost by an answer too late, on a machine that pauses. They
    /// move to FILE.late.
    #[arg(long, requires = "resume")]
    replay_late: bool,
    /// End with one line of JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    task: TaskArgs,
}

/// The conditions under which games are played.
#[derive(clap::Args, Clone, Debug)]
pub struct ConditionArgs {
    /// Seconds for each move; 0.1 if nothing is said, no limit for players of fixed depth or iterations.
    #[arg(long, value_name = "S", group = "effort", value_parser = read_time)]
    time: Option<Duration>,
    /// Seconds for all moves of one side.
    #[arg(long, value_name = "S", group = "effort", value_parser = read_time)]
    game_time: Option<Duration>,
    /// Iterations, playouts or nodes for each move.
    #[arg(long, value_name = "N", group = "effort", value_parser = read_count::<u64>)]
    iterations: Option<u64>,
    /// No limit: for players that know their own.
    #[arg(long, group = "effort")]
    free: bool,
    /// Edge of the board.
    #[arg(long, default_value = "10", value_parser = read_size)]
    size: Size,
    /// Random plies of the opening, at most half of those that a game can have.
    #[arg(long, default_value_t = 4)]
    plies: u32,
    /// A file of openings to be taken in turn instead, one a line: moves like d1d7g7, # begins a comment.
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// How far from one half the winning rate may be after the opening; 0.5 takes all openings.
    #[arg(long, default_value = "0.15", value_parser = read_share)]
    balance: f64,
    /// Seed of the openings and of the players.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How much later than its time an answer may come, in seconds.
    #[arg(long, value_name = "S", default_value = "0.1", value_parser = read_seconds)]
    grace: Duration,
    /// End a game when both players have seen one side at this winning rate for six plies.
    #[arg(long, value_name = "RATE", value_parser = read_rate)]
    adjudicate: Option<f32>,
}

impl ConditionArgs {
    fn control(&self, players: &[PlayerSpec]) -> Control {
        match (self.time, self.game_time, self.iterations) {
            (Some(time), _, _) => Control::PerMove(time),
            (_, Some(time), _) => Control::PerGame(time),
            (_, _, Some(count)) => Control::Iterations(count),
            _ if self.free || players.iter().all(PlayerSpec::has_its_own_limit) => Control::Free,
            _ => Control::PerMove(Duration::from_millis(100)),
        }
    }

    /// The seed of the openings and of the players.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// A match under these conditions.
    ///
    /// # Errors
    /// A player that cannot be started or cannot be told of an opening, or openings that there cannot be.
    pub fn new_match(&self, players: [PlayerSpec; 2], games: u64) -> Result<Match, String> {
        players.iter().try_for_each(PlayerSpec::check_start)?;
        players.iter().try_for_each(|player| player.check_board(self.size))?;
        let openings = self.openings()?;
        let opened = openings.plies > 0 || openings.book.is_some();
        if let Some(player) = players.iter().find(|player| player.speaks_sau() && opened) {
            return Err(format!("{} cannot be told of an opening: add --plies 0", player.text));
        }
        let (control, adjudicate) = (self.control(&players), self.adjudicate);
        Ok(Match { players, games, size: self.size, control, grace: self.grace, openings, adjudicate })
    }

    fn openings(&self) -> Result<Openings, String> {
        let (edge, most) = (self.size.edge(), Position::start(self.size).empty().len() / 2);
        if self.plies > most {
            let plies = self.plies;
            return Err(format!(
                "--plies {plies}: at most {most} on {edge}x{edge}, so that a game is left to play"
            ));
        }
        let book = match &self.book {
            None => None,
            Some(path) => {
                let problem = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
                let text = read_text(path, MAX_BYTES)?;
                let lines = read_book(&text, Position::start(self.size)).map_err(|error| problem(&error))?;
                Some(Book { path: path.clone(), lines })
            }
        };
        Ok(Openings { book, plies: self.plies, balance: self.balance as f32, seed: self.seed })
    }
}

/// Openings, one a line, checked from this start.
fn read_book(text: &str, start: Position) -> Result<Vec<Vec<Move>>, String> {
    let mut book = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default();
        let mut position = start;
        let mut moves = Vec::new();
        for word in line.split_whitespace() {
            let mv: Move = word.parse().map_err(|error| format!("line {number}: {error}"))?;
            position = position.try_play(mv).map_err(|error| format!("line {number}, {mv}: {error}"))?;
            moves.push(mv);
        }
        if position.winner().is_some() {
            return Err(format!("line {number}: the game is over then"));
        }
        if !moves.is_empty() {
            book.push(moves);
        }
    }
    if book.is_empty() { Err("holds no opening".into()) } else { Ok(book) }
}

fn read_rate(text: &str) -> Result<f32, String> {
    let rate = text.parse().ok().filter(|rate| (0.5..=1.0).contains(rate));
    rate.ok_or_else(|| "a winning rate from 0.5 to 1 is wanted".into())
}

/// The hypotheses of a sequential test and the errors it may make.
#[derive(Clone, Copy, Debug)]
pub struct Hypotheses {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

fn read_sprt(text: &str) -> Result<Hypotheses, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(str::parse).collect();
    match numbers.as_deref() {
        Ok([elo0, elo1]) => Ok(Hypotheses { elo0: *elo0, elo1: *elo1, alpha: 0.05, beta: 0.05 }),
        Ok([elo0, elo1, alpha, beta]) => {
            Ok(Hypotheses { elo0: *elo0, elo1: *elo1, alpha: *alpha, beta: *beta })
        }
        _ => Err("two or four numbers are wanted, like 0,20 or 0,20,0.05,0.05".into()),
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), String> {
    let contest = args.conditions.new_match([args.a.clone(), args.b.clone()], args.games)?;
    if let Some(numbers) = &args.task.numbers {
        numbers.clone().for_each(|number| println!("{}", json::write(&contest.game(number))));
        return Ok(());
    }
    let test = args.sprt.map(|h| Sprt::new(h.elo0, h.elo1, h.alpha, h.beta)).transpose();
    let test = test.map_err(|error| format!("--sprt: {error}"))?;
    let path = args.output.clone().unwrap_or_else(|| new_path(&contest));
    if args.resume && !path.exists() {
        eprintln!("lab: there is no {} to go on with: a new match begins", path.display());
    }
    let earlier = match (args.resume, args.replay_late) {
        (false, _) => Earlier::Refused,
        (true, false) => Earlier::Kept,
        (true, true) => Earlier::KeptUnlessLate,
    };
    let results = Results::open(&path, &contest.conditions(), earlier)?;
    let shown = path.display();
    interrupt::advise(format!(
        "; the games so far are in {shown}: the same command with --output {shown} --resume goes on"
    ));
    let enough = AtomicBool::new(false);
    let progress = Progress::new(args.games, test.clone());
    progress.show(&results, &enough);
    let contests = [(contest, results)];
    let [(contest, results)] = &contests;
    runner::play(&contests, &args.work, &enough, &|_| progress.show(results, &enough))?;
    progress.bar.finish_and_clear();
    let score = results.score();
    print!("{}", summary(contest, &score, test.as_ref()));
    let repeated = repetitions(&results.games());
    if repeated > 0 {
        println!("repeat earlier games, move by move: {repeated}; the interval takes them for new ones");
    }
    println!("results: {}", path.display());
    if args.json {
        println!("{}", as_json(&score, test.as_ref()));
    }
    Ok(())
}

/// A results file that does not exist yet.
fn new_path(contest: &Match) -> PathBuf {
    let safe = |text: &str| {
        text.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).take(40).collect::<String>()
    };
    let [a, b] = [safe(&contest.players[0].text), safe(&contest.players[1].text)];
    let stamp = chrono::Local::now().format("%Y%m%d-%H%M%S");
    PathBuf::from(format!("results/{stamp}-{a}-{b}-{}.jsonl", std::process::id()))
}

/// A bar with a message, in a terminal.
pub fn progress_bar(total: u64) -> ProgressBar {
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(total) } else { ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg} ({eta} left)");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Shows how the match stands: a bar in a terminal, else a line now and then.
struct Progress {
    bar: ProgressBar,
    total: u64,
    test: Option<Sprt>,
    shown: Mutex<Shown>,
}

/// What has been shown.
struct Shown {
    /// When to look at the games again.
    next: Instant,
    /// Lines that have been printed, or might have been, of [`Progress::LINES`].
    lines: u64,
}

impl Progress {
    /// Lines of a whole match, at most.
    const LINES: u64 = 20;

    fn new(total: u64, test: Option<Sprt>) -> Self {
        let shown = Mutex::new(Shown { next: Instant::now(), lines: 0 });
        Self { bar: progress_bar(total), total, test, shown }
    }

    /// Shows it, and raises `enough` when the test has come to its end.
    fn show(&self, results: &Results, enough: &AtomicBool) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = Instant::now();
        if begun < shown.next && (results.count() as u64) < self.total {
            return;
        }
        let score = results.score();
        let line = standing(&score, self.test.as_ref());
        self.bar.set_position(score.games());
        self.bar.set_message(line.clone());
        let lines = score.games() * Self::LINES / self.total.max(1);
        if self.bar.is_hidden() && lines > shown.lines {
            println!("{}/{} {line}", score.games(), self.total);
        }
        if self.test.as_ref().is_some_and(|test| score.tested(test).verdict() != Verdict::Continue) {
            enough.store(true, Ordering::Relaxed);
        }
        // A look is one at all games: with very many of them it may take a twentieth of the time.
        *shown = Shown { next: begun + 20 * begun.elapsed(), lines };
    }
}

/// The widest interval, in Elo, whose middle is worth a number.
const WIDEST: f64 = 400.0;

/// A lead in Elo with its interval. Of a wide interval only the end that says who is stronger.
fn format_elo(Estimate { elo, interval: Interval { low, high }, .. }: &Estimate) -> String {
    if high - low <= WIDEST {
        format!("Elo {elo:+.0} [{low:+.0}, {high:+.0}]")
    } else if *low > 0.0 {
        format!("Elo above {low:+.0}")
    } else if *high < 0.0 {
        format!("Elo below {high:+.0}")
    } else {
        "too few games for an Elo".into()
    }
}

/// Score, Elo and the state of the test in one line.
fn standing(score: &Score, test: Option<&Sprt>) -> String {
    let elo = score.estimate().map_or(String::new(), |estimate| format!(", {}", format_elo(&estimate)));
    let llr = test.map_or(String::new(), |test| format!(", LLR {:.2}", score.tested(test).llr()));
    let forfeits = match score.forfeit_count() {
        0 => String::new(),
        count => format!(", forfeits {count}"),
    };
    format!("{}-{} {:.1}%{elo}{llr}{forfeits}", score.wins, score.losses, score.share() * 100.0)
}

fn summary(contest: &Match, score: &Score, test: Option<&Sprt>) -> String {
    let [a, b] = [&contest.players[0].text, &contest.players[1].text];
    let [seconds_a, seconds_b] = score.seconds_a_move();
    let mut text = format!("{a} v {b}: {}\n", standing(score, test));
    text += &format!(
        "as Black {}-{}, as White {}-{}; {:.1} plies a game; {seconds_a:.3} s and {seconds_b:.3} s a move\n",
        score.wins_as_black,
        score.games_as_black - score.wins_as_black,
        score.wins - score.wins_as_black,
        score.games() - score.games_as_black - (score.wins - score.wins_as_black),
        score.plies as f64 / score.games().max(1) as f64,
    );
    for (name, forfeits, reasons) in
        [(a, &score.forfeits[0], &score.reasons[0]), (b, &score.forfeits[1], &score.reasons[1])]
    {
        for (kind, count) in forfeits {
            let reason =
                reasons.get(kind).map_or("", |reason| reason.trim_start_matches(&format!("{kind}: ")));
            text += &format!("{name} lost {count} by {kind}, first: {reason}\n");
        }
    }
    if let Some(test) = test {
        let test = score.tested(test);
        let (lower, upper) = test.bounds();
        let pairs = test.pairs().total();
        text += &format!(
            "SPRT: {}, LLR {:.2} [{lower:.2}, {upper:.2}] after {pairs} pairs\n",
            verdict(&test),
            test.llr()
        );
    }
    text
}

/// The result as one JSON object, from A's side.
fn as_json(score: &Score, test: Option<&Sprt>) -> Value {
    let estimate = score.estimate();
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    serde_json::json!({
        "wins": score.wins,
        "losses": score.losses,
        "score": score.share(),
        "elo": finite(estimate.map(|estimate| estimate.elo)),
        "elo_low": finite(estimate.map(|estimate| estimate.interval.low)),
        "elo_high": finite(estimate.map(|estimate| estimate.interval.high)),
        "forfeits": score.forfeits,
        "sprt": test.map(|test| verdict(&score.tested(test))),
    })
}

fn verdict(test: &Sprt) -> &'static str {
    match test.verdict() {
        Verdict::Continue => "undecided",
        Verdict::AcceptH0 => "H0",
        Verdict::AcceptH1 => "H1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::elo::Pairs;

    #[test]
    fn a_match_says_its_own_arguments() {
        #[derive(clap::Parser)]
        struct Cli {
            #[command(flatten)]
            args: Args,
        }
        let parse = |words: &[String]| <Cli as clap::Parser>::try_parse_from(words).unwrap().args;
        let contest =
            |args: &Args| args.conditions.new_match([args.a.clone(), args.b.clone()], args.games).unwrap();
        let book = std::env::temp_dir().join(format!("otrera-book-{}", std::process::id()));
        std::fs::write(&book, "d1d7g7").unwrap();
        let book_option = format!("--book={}", book.display());
        for options in [
            "",
            "--free --plies 0",
            "--game-time 60 --grace 0.037 --games 7 --size 8",
            "--iterations 50 --seed 18446744073709551615 --adjudicate 0.97 --balance 0.3",
            "--time 0.0123 --plies 6 --grace 60",
            &book_option,
        ] {
            let words = format!("lab tournament,c=3 greedy {options}");
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            let wanted = contest(&parse(&words));
            let again = contest(&parse(&wanted.arguments()));
            assert_eq!(format!("{again:?}"), format!("{wanted:?}"));
        }
        std::fs::remove_file(book).unwrap();
    }

    #[test]
    fn an_elo_is_printed_once_its_interval_says_something() {
        let elo = |pairs: [u64; 3]| {
            let [lost, drawn, won] = pairs;
            format_elo(&Pairs { counts: [lost, 0, drawn, 0, won] }.estimate().unwrap())
        };
        for few in [[0, 1, 0], [0, 0, 1], [0, 2, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1]] {
            assert_eq!(elo(few), "too few games for an Elo", "{few:?}");
        }
        assert_eq!(elo([0, 0, 20]), "Elo above +287");
        assert_eq!(elo([20, 0, 0]), "Elo below -287");
        assert_eq!(elo([10, 30, 20]), "Elo +58 [-3, +123]");
    }

    #[test]
    fn a_book_is_read_and_checked() {
        let start = Position::standard();
        let book = read_book("# Olympiads\nd1d7g7 a7d4a7\n\nd1-d8/b6 # common\n", start).unwrap();
        assert_eq!(book.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        for (text, complaint) in
            [("", "no opening"), ("d1d7g7 d1d7g7", "line 1, d1-d7/g7"), ("\nhello", "line 2")]
        {
            let problem = read_book(text, start).unwrap_err();
            assert!(problem.contains(complaint), "{problem}");
        }
    }
}
