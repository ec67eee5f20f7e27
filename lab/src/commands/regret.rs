//! `lab regret`: compares long searches by the quality of their moves, without playing games.
//!
//! Each setting searches the same positions from an empty tree, and its best move is recorded after N iterations. If
//! the moves differ, a reference search evaluates the position after each of them. The *regret* of a move is the best
//! of these values minus its own, in percentage points of win rate. A cache file keeps the reference values. Adding
//! a setting therefore costs only its own searches, and reference searches for moves that no earlier setting chose.

use crate::arguments::{read_count, read_if, read_memory, read_size};
use crate::cluster::CoreArgs;
use crate::commands::fit_policy::{Kind, finds};
use crate::files::{LineLog, MAX_BYTES, problem, read_text};
use crate::interrupt::{self, locked};
use crate::matches::spec::PlayerSpec;
use crate::play::player::{self, Budget, Failure, Player, iterate, search_of};
use crate::sheet::Sheet;
use crate::stats::Z_95;
use otrera::eval::model::{Evaluator, ModelScratch};
use otrera::{Move, Params, Position, Size};
use serde::{Deserialize, Serialize};
use serde_json::json;
use statrs::statistics::Statistics;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Compare searches by the moves they choose after many iterations.
#[derive(clap::Args)]
pub struct Args {
    /// Searches to compare, the baseline first: presets with parameters, or programs (cmd:PROGRAM,proto=uci).
    #[arg(required = true)]
    settings: Vec<PlayerSpec>,
    /// Board size of the built-in positions: 8 or 10.
    #[arg(long, default_value = "10", value_parser = read_size)]
    size: Size,
    /// Iterations after which the moves are compared.
    #[arg(long, default_value = "10000,100000,1000000", value_delimiter = ',', value_parser = read_count::<u64>)]
    iterations: Vec<u64>,
    /// Iterations of each reference search.
    #[arg(long, default_value = "3000000", value_parser = read_count::<u64>)]
    reference: u64,
    /// Use this preset or program for the reference searches; repeat to average several [default: two explorations
    /// of tournament].
    #[arg(long = "judge", value_name = "SETTING", default_values = REFERENCES, hide_default_value = true)]
    judges: Vec<PlayerSpec>,
    /// Memory of each search in MB.
    #[arg(long, default_value = "256", value_parser = read_memory)]
    memory: u64,
    /// Use only the first N positions.
    #[arg(long, value_name = "N", value_parser = read_count::<usize>)]
    positions: Option<usize>,
    /// Use the positions of this file, one FEN per line.
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
    /// Cache file of reference values; new values are appended.
    #[arg(long, default_value = "results/regret.jsonl")]
    cache: PathBuf,
    /// Print each position in which a move has a regret of at least this many percentage points.
    #[arg(long, value_name = "POINTS", value_parser = read_points)]
    list: Option<f64>,
    #[command(flatten)]
    cores: CoreArgs,
}

impl Args {
    fn names_of_judges(&self) -> Vec<&str> {
        self.judges.iter().map(|judge| judge.text.as_str()).collect()
    }
}

fn read_points(text: &str) -> Result<f64, String> {
    read_if(text, |points| (0.0..=100.0).contains(points), "a number from 0 to 100")
}

/// Presets of the two usual reference searches, which explore differently.
const REFERENCES: [&str; 2] = ["tournament", "tournament,c=6.75,arrow-c=0.75"];

const SEED: u64 = 1;

/// Built-in positions on 10x10, one FEN per line, each from a different self-play game.
const POSITIONS_10: &str = include_str!("../../data/regret-10.txt");
const POSITIONS_8: &str = include_str!("../../data/regret-8.txt");

/// A JSON line of the cache: the reference value of a position for the side that has just moved.
#[derive(Serialize, Deserialize)]
struct Value {
    fen: String,
    iterations: u64,
    /// Win rate, 0 to 1.
    value: f64,
}

/// The move that a setting chose after N iterations.
struct Choice {
    mv: Move,
    /// Root moves visited so far; empty for an external engine, which does not report them.
    visited: Vec<Move>,
}

/// The moves that all settings chose in one position, with their reference values.
struct Judged {
    position: Position,
    /// `[setting][nth]`: the choice of each setting after each number of iterations.
    chosen: Vec<Vec<Choice>>,
    values: HashMap<Move, f64>,
}

impl Judged {
    /// Returns the chosen move with the highest reference value, and this value; on a tie, the first of these moves.
    fn best(&self) -> Option<(Move, f64)> {
        let chosen = self.chosen.iter().flatten().map(|choice| choice.mv);
        let valued = chosen.filter_map(|mv| Some((mv, *self.values.get(&mv)?)));
        valued.reduce(|best, other| if other.1 > best.1 { other } else { best })
    }

    /// Returns the regret of a setting in percentage points; `nth` is the index of the number of iterations.
    fn regret(&self, setting: usize, nth: usize) -> f64 {
        let value = self.values.get(&self.chosen[setting][nth].mv);
        self.best().zip(value).map_or(0.0, |((_, best), value)| 100.0 * (best - value))
    }
}

pub fn run(args: &Args) -> Result<(), String> {
    let mut iterations = args.iterations.clone();
    iterations.sort_unstable();
    iterations.dedup();
    let positions = read_positions(args)?;
    for setting in args.settings.iter().chain(&args.judges) {
        if let Err(problem) = setting.params()
            && !setting.counts_iterations()
        {
            return Err(format!("{problem}, and only a program with proto=uci counts iterations: name one"));
        }
        setting.check_bare()?;
        setting.check_start()?;
        positions.iter().try_for_each(|position| setting.check_board(position.size()))?;
    }
    let cache = Cache::open(args)?;
    interrupt::advise(format!("; the reference values so far are in {}", args.cache.display()));
    let judged = args.cores.map("positions", positions.into_iter(), |position| {
        let choose = |setting: &PlayerSpec| match setting.params() {
            Ok(params) => choose_by_search(args, params, &iterations, position),
            Err(_) => choose_by_program(setting, &iterations, position),
        };
        let chosen = args.settings.iter().map(choose).collect::<Result<_, _>>()?;
        cache.judge(position, chosen)
    })?;
    print_list(args, &iterations, &judged);
    print_table(args, &iterations, &judged);
    Ok(())
}

fn read_positions(args: &Args) -> Result<Vec<Position>, String> {
    let (path, text) = match (&args.fens, args.size.edge()) {
        (Some(path), _) => (path.as_path(), read_text(path, MAX_BYTES)?),
        (None, 10) => (Path::new("regret-10.txt"), POSITIONS_10.to_owned()),
        (None, 8) => (Path::new("regret-8.txt"), POSITIONS_8.to_owned()),
        (None, edge) => {
            return Err(format!("--size {edge}: built in are positions for 8 and 10; give --fens FILE"));
        }
    };
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let read = |(number, line): (usize, &str)| {
        Position::from_fen(line).map_err(|error| problem(path, format!("line {number}: {line}: {error}")))
    };
    let positions: Vec<Position> =
        lines.take(args.positions.unwrap_or(usize::MAX)).map(read).collect::<Result<_, _>>()?;
    if positions.is_empty() {
        return Err(problem(path, "contains no position"));
    }
    Ok(positions)
}

/// Runs one search and returns its best move after each number of iterations; `iterations` must ascend.
fn choose_by_search(
    args: &Args,
    params: &Params,
    iterations: &[u64],
    position: Position,
) -> Result<Vec<Choice>, String> {
    let mut search = search_of(&position, params.clone(), args.memory as usize, SEED);
    let mut done = 0;
    let after = |&count: &u64| {
        let report = iterate(&mut search, count - done);
        done = count;
        let mv = report.best.ok_or_else(|| format!("{}: the game is over", position.to_fen()))?;
        Ok(Choice { mv, visited: report.lines.iter().map(|line| line.mv).collect() })
    };
    iterations.iter().map(after).collect()
}

/// Asks an external engine for its move with each number of iterations, each time in a new game.
fn choose_by_program(
    spec: &PlayerSpec,
    iterations: &[u64],
    position: Position,
) -> Result<Vec<Choice>, String> {
    let mut player = spec.build(SEED);
    let after = |&count: &u64| {
        let mv = ask(spec, player.as_mut(), count, position)?.mv;
        Ok(Choice { mv, visited: Vec::new() })
    };
    iterations.iter().map(after).collect()
}

/// Asks an external engine for its move after `count` iterations, in a new game.
fn ask(
    spec: &PlayerSpec,
    player: &mut dyn Player,
    count: u64,
    position: Position,
) -> Result<player::Choice, String> {
    let failed = |failure: Failure| format!("{}: {failure}", spec.text);
    player.begin(&position, position.side()).map_err(failed)?;
    let choice =
        player.choose(&position, Budget { iterations: Some(count), ..Budget::default() }).map_err(failed)?;
    let checked = position.check(choice.mv);
    checked.map_err(|error| format!("{}: {} is not legal: {error}", spec.text, choice.mv))?;
    Ok(choice)
}

/// Reference values, in memory and in the cache file.
struct Cache<'a> {
    args: &'a Args,
    known: Mutex<(LineLog, HashMap<String, f64>)>,
}

impl<'a> Cache<'a> {
    fn open(args: &'a Args) -> Result<Self, String> {
        let mut known = HashMap::new();
        // Values of other weights are other values.
        let weights: Vec<_> = args.judges.iter().map(PlayerSpec::weights).collect();
        let conditions =
            json!({ "judges": args.names_of_judges(), "memory": args.memory, "weights": weights });
        let header = json!({ "regret": conditions }).to_string();
        let log = LineLog::open(&args.cache, true, Some(&header), |line| {
            let Value { fen, iterations, value } =
                serde_json::from_str(line).map_err(|error| error.to_string())?;
            if iterations == args.reference {
                known.insert(fen, value);
            }
            Ok(())
        })?;
        Ok(Self { args, known: Mutex::new((log, known)) })
    }

    /// Finds the reference value of every chosen move; all values are 0 if every choice is the same move.
    fn judge(&self, position: Position, chosen: Vec<Vec<Choice>>) -> Result<Judged, String> {
        let mut values: HashMap<Move, f64> = chosen.iter().flatten().map(|choice| (choice.mv, 0.0)).collect();
        if values.len() > 1 {
            for (&mv, value) in &mut values {
                *value = self.value(position.with_move(mv))?;
            }
        }
        Ok(Judged { position, chosen, values })
    }

    /// Returns the reference win rate for the side that has just moved, from the cache or from new searches.
    fn value(&self, position: Position) -> Result<f64, String> {
        let fen = position.to_fen();
        if let Some(&value) = locked(&self.known).1.get(&fen) {
            return Ok(value);
        }
        let rates: Vec<f64> =
            self.args.judges.iter().map(|judge| self.rate(judge, position)).collect::<Result<_, _>>()?;
        let value = 1.0 - rates.mean();
        let line = Value { fen: fen.clone(), iterations: self.args.reference, value };
        let mut known = locked(&self.known);
        known.0.add(&serde_json::to_string(&line).map_err(|error| error.to_string())?)?;
        known.1.insert(fen, value);
        Ok(value)
    }

    /// Returns the win rate that a reference search finds for the side to move.
    fn rate(&self, judge: &PlayerSpec, position: Position) -> Result<f64, String> {
        let count = self.args.reference;
        let rate = match judge.params() {
            Ok(params) => {
                let mut search = search_of(&position, params.clone(), self.args.memory as usize, SEED);
                iterate(&mut search, count).best_rate().0
            }
            Err(_) if position.winner().is_some() => 0.0,
            Err(_) => {
                let rate = ask(judge, judge.build(SEED).as_mut(), count, position)?.win_rate;
                rate.ok_or_else(|| format!("{}: it reports no win rate (wdl)", judge.text))?
            }
        };
        Ok(f64::from(rate))
    }
}

fn print_list(args: &Args, iterations: &[u64], judged: &[Judged]) {
    let Some(points) = args.list else { return };
    for one in judged {
        let all = || {
            (0..args.settings.len()).flat_map(|setting| (0..iterations.len()).map(move |nth| (setting, nth)))
        };
        if all().all(|(setting, nth)| one.regret(setting, nth) < points) {
            continue;
        }
        println!("{}", one.position.to_fen());
        for (setting, nth) in all() {
            let mv = one.chosen[setting][nth].mv;
            println!(
                "  {:10} {mv:12} {:5.1} % {}",
                iterations[nth],
                100.0 * one.values.get(&mv).copied().unwrap_or_default(),
                args.settings[setting].text
            );
        }
    }
}

fn print_table(args: &Args, iterations: &[u64], judged: &[Judged]) {
    let differing: Vec<&Judged> = judged.iter().filter(|one| one.values.len() > 1).collect();
    let title = format!("{} positions, {} with different moves", judged.len(), differing.len());
    let mut sheet =
        Sheet::new(title, &["iterations", "regret", "95 %", "against the first", "visited", "setting"]);
    for (nth, count) in iterations.iter().enumerate() {
        for (setting, spec) in args.settings.iter().enumerate() {
            let regrets: Vec<f64> = judged.iter().map(|one| one.regret(setting, nth)).collect();
            let differences: Vec<f64> =
                judged.iter().map(|one| one.regret(setting, nth) - one.regret(0, nth)).collect();
            let against = if setting == 0 { String::new() } else { interval(&differences).join(" ") };
            let is_visited = |one: &&Judged| {
                one.best().is_some_and(|(best, _)| one.chosen[setting][nth].visited.contains(&best))
            };
            let [mean, bounds] = interval(&regrets);
            sheet.row([
                count.to_string(),
                mean,
                bounds,
                against,
                spec.params().map_or_else(|_| String::new(), |_| share(&differing, is_visited)),
                spec.text.clone(),
            ]);
        }
    }
    sheet.notes = vec![
        format!(
            "regret: mean loss of win rate in points, by {} iterations of {}",
            args.reference,
            args.names_of_judges().join(" and ")
        ),
        "visited: the best move has been tried".into(),
    ];
    print!("{}", sheet.to_text());
    let mut sheet = Sheet::new("Best moves with the highest prior", &["movement", "arrow", "setting"]);
    for spec in &args.settings {
        let Ok(params) = spec.params() else { continue };
        let model = Evaluator::new(params.model().clone());
        let is_first = |kind: Kind, one: &Judged| {
            let scratch = &mut ModelScratch::default();
            one.best().is_some_and(|(best, _)| finds(&model, &one.position, best, kind, scratch))
        };
        let [movements, arrows] =
            [Kind::Movements, Kind::Arrows].map(|kind| share(&differing, |one| is_first(kind, one)));
        sheet.row([movements, arrows, spec.text.clone()]);
    }
    print!("\n{}", sheet.to_text());
}

/// Formats the mean and its 95 % interval (normal approximation; none for a single value).
fn interval(values: &[f64]) -> [String; 2] {
    let mean = values.mean();
    let half = Z_95 * values.std_dev() / (values.len() as f64).sqrt();
    let bounds =
        if values.len() < 2 { "-".into() } else { format!("[{:.2}, {:.2}]", mean - half, mean + half) };
    [format!("{mean:.2}"), bounds]
}

fn share<T>(items: &[T], is_counted: impl Fn(&T) -> bool) -> String {
    let count = items.iter().filter(|item| is_counted(item)).count();
    format!("{:.1} %", 100.0 * count as f64 / items.len().max(1) as f64)
}
