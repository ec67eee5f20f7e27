//! `lab tune`: tunes search parameters by simultaneous perturbation (SPSA, Spall 1992).
//!
//! For each pair of games, every parameter is shifted up or down at random by its step. The shifted player plays the
//! oppositely shifted one, from one opening with both colours. Each parameter then moves a little towards the winner.
//! The result is the mean over the second half of the run; a match at a longer time control has to confirm it.
//!
//! Several pairs run concurrently. To make the run reproducible, a pair starts from the values after the pair `--ahead`
//! numbers before it, and results are applied in the order of the pairs.

use crate::arguments::{MAX_GAMES, read_count, read_if, read_learning_rate};
use crate::cluster::WorkArgs;
use crate::cluster::jobs::numbered;
use crate::cluster::ray::{Ray, Task};
use crate::commands::r#match::GameArgs;
use crate::files::LineLog;
use crate::interrupt::{self, locked};
use crate::matches::runner::Match;
use crate::matches::score::Score;
use crate::matches::spec::PlayerSpec;
use crate::progress::progress_bar;
use fastrand::Rng;
use otrera::GameRecord;
use otrera::parameter::Tuning;
use otrera::record::json;
use otrera::seed::mix_seed;
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;

/// Tune parameters of the search by games (SPSA).
#[derive(clap::Args, Clone)]
pub struct Args {
    /// The player: a preset, and values of parameters that are not tuned.
    player: String,
    /// Parameters to tune: NAME, NAME=START:STEP or NAME=START:STEP:MIN:MAX. STEP is the shift of each player in a
    /// pair; choose it to be worth about 10 Elo. Defaults: the player's value, the parameter's own step, its valid
    /// range.
    #[arg(required = true)]
    wanted: Vec<Wanted>,
    /// The wanted parameters with their defaults.
    #[arg(skip)]
    parameters: Vec<Parameter>,
    /// Pairs of games, at least 100.
    #[arg(long, default_value = "1000", value_parser = read_pairs)]
    pairs: u64,
    /// Initial change of each parameter after a pair won 2-0, in multiples of STEP; decreases over the run.
    #[arg(long, default_value = "0.2", value_parser = read_learning_rate)]
    rate: f64,
    /// Maximum number of concurrent pairs: each pair starts from the values after the pair this many numbers before it.
    #[arg(long, default_value = "8", value_parser = read_count::<usize>)]
    ahead: usize,
    #[command(flatten)]
    games: GameArgs,
    #[command(flatten)]
    work: WorkArgs,
    /// Log the values after each pair to a new file.
    #[arg(long)]
    output: Option<PathBuf>,
    /// Continue the log of an interrupted run.
    #[arg(long, requires = "output")]
    resume: bool,
}

/// A parameter to tune, as given: its name, and no number, START and STEP, or all four.
#[derive(Clone, Debug)]
struct Wanted {
    name: String,
    numbers: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Parameter {
    name: String,
    start: f64,
    step: f64,
    min: f64,
    max: f64,
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let problem = || format!("{text}: expected NAME, NAME=START:STEP or NAME=START:STEP:MIN:MAX");
        let (name, numbers) = match text.split_once('=') {
            Some((name, numbers)) => (name, numbers.split(':').map(str::parse).collect()),
            None => (text, Ok(Vec::new())),
        };
        let numbers: Vec<f64> = numbers.map_err(|_| problem())?;
        match numbers[..] {
            [] | [_, _] | [_, _, _, _] => Ok(Self { name: name.to_owned(), numbers }),
            _ => Err(problem()),
        }
    }
}

impl Wanted {
    /// Returns the parameter with the numbers that were not given from `declared`, if the player has the parameter.
    fn complete(&self, declared: Option<Tuning>) -> Result<Parameter, String> {
        let name = &self.name;
        let [start, step, min, max] = match (declared, &self.numbers[..]) {
            (_, &[start, step, min, max]) => [start, step, min, max],
            (None, &[start, step]) => [start, step, f64::NEG_INFINITY, f64::INFINITY],
            (Some(Tuning { min, max, .. }), &[start, step]) => [start, step, decimal(min), decimal(max)],
            (Some(Tuning { start, step, min, max }), _) => [start, step, min, max].map(decimal),
            (None, _) => return Err(format!("{name} has no step by default: give {name}=START:STEP")),
        };
        if step > 0.0 && step.is_finite() && start.is_finite() && min <= start && start <= max {
            Ok(Parameter { name: name.clone(), start, step, min, max })
        } else {
            Err(format!("{name}: expected a finite positive step and a finite start within the limits"))
        }
    }
}

/// Converts a number to the nearest one with its shortest decimal form.
fn decimal(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::from(number))
}

fn read_pairs(text: &str) -> Result<u64, String> {
    const MIN: u64 = 100;
    let expected = format!("from {MIN} to {MAX_GAMES} pairs: one pair alone is almost no evidence");
    read_if(text, |pairs| (MIN..=MAX_GAMES).contains(pairs), &expected)
}

/// The values of the tuned parameters after each pair of the run.
struct WeightSchedule {
    /// `[n]`: values after `n` pairs; `[0]` holds the start values.
    path: Vec<Vec<f64>>,
    /// Results of pairs that ended out of order, held until the earlier pairs end; wins minus losses, by pair number.
    early: BTreeMap<u64, f64>,
    log: Option<LineLog>,
}

pub fn run(args: &Args) -> Result<(), String> {
    let args = &args.completed()?;
    let mut schedule = WeightSchedule::new(args)?;
    match &args.work.cluster {
        _ if schedule.played() == args.pairs => {}
        Some(address) => run_on_cluster(args, &mut schedule, address)?,
        None => run_here(args, &mut schedule)?,
    }
    args.report(&schedule);
    Ok(())
}

fn run_here(args: &Args, schedule: &mut WeightSchedule) -> Result<(), String> {
    let ((jobs, queue), (sender, finished)) = (channel::<(u64, Match)>(), channel());
    let queue = Mutex::new(queue);
    let work = || {
        loop {
            let job = locked(&queue).recv();
            let Ok((pair, matchup)) = job else { break };
            let play = || {
                let games = numbers(pair).map(|number| Ok(matchup.game(number)?.game));
                Ok(lead(&games.collect::<Result<Vec<_>, String>>()?))
            };
            let lead = catch_unwind(AssertUnwindSafe(play))
                .unwrap_or_else(|_| Err("a game ended in a panic".to_owned()));
            // The receiver is gone after another pair has failed.
            let _ = sender.send(lead.map(|lead| (pair, lead)));
        }
    };
    // Not rayon: while a rayon thread waits for a search's thread pool, it would start another game.
    thread::scope(|scope| {
        (0..args.work.cores.concurrency()).for_each(|_| drop(scope.spawn(work)));
        let begin = |pair: u64, matchup: Match| jobs.send((pair, matchup)).map_err(|error| error.to_string());
        let next = || finished.recv().map_err(|error| error.to_string())?.map(Some);
        let outcome = args.play_pairs(schedule, begin, next);
        drop(jobs);
        if outcome.is_err() {
            locked(&queue).try_iter().for_each(drop);
        }
        outcome
    })
}

fn run_on_cluster(args: &Args, schedule: &mut WeightSchedule, address: &str) -> Result<(), String> {
    let ray = std::cell::RefCell::new(Ray::join(address)?);
    let begin = |pair: u64, matchup: Match| {
        let arguments = numbered(&matchup.arguments(), &numbers(pair));
        ray.borrow_mut().submit(&Task { id: pair, arguments })
    };
    let finished = || {
        let Some(done) = ray.borrow_mut().finished()? else { return Ok(None) };
        let read = |line: &String| json::read(line).map_err(|error| format!("{line:?}: {error}"));
        Ok(Some((done.id, lead(&done.lines.iter().map(read).collect::<Result<Vec<_>, _>>()?))))
    };
    args.play_pairs(schedule, begin, finished)
}

fn numbers(pair: u64) -> Range<u64> {
    2 * pair..2 * pair + 2
}

/// Returns the wins of the first player minus its losses.
fn lead(games: &[GameRecord]) -> f64 {
    let score = Score::of(games);
    score.tally.wins() as f64 - score.tally.losses() as f64
}

impl Args {
    /// Returns the arguments with the defaults of the parameters.
    fn completed(&self) -> Result<Self, String> {
        let player: PlayerSpec = self.player.parse()?;
        let complete = |wanted: &Wanted| {
            wanted.complete(player.params().ok().and_then(|params| params.tuning(&wanted.name)))
        };
        let parameters = self.wanted.iter().map(complete).collect::<Result<_, _>>()?;
        Ok(Self { parameters, ..self.clone() })
    }

    fn player(&self, values: &[f64]) -> Result<PlayerSpec, String> {
        self.player_text(values).parse()
    }

    fn player_text(&self, values: &[f64]) -> String {
        let settings = self.parameters.iter().zip(values);
        let settings: String = settings.map(|(p, value)| format!(",{}={value:.4}", p.name)).collect();
        self.player.clone() + &settings
    }

    /// Returns the values, each shifted by its step times `direction` times its sign, and clamped to its limits.
    fn shifted(&self, values: &[f64], direction: f64, signs: &[f64]) -> Vec<f64> {
        let shifted = values.iter().zip(&self.parameters).zip(signs);
        shifted.map(|((value, p), sign)| (value + direction * sign * p.step).clamp(p.min, p.max)).collect()
    }

    /// Returns the random direction, 1 or -1, in which each parameter is shifted in a pair.
    fn signs(&self, pair: u64) -> Vec<f64> {
        let mut rng = Rng::with_seed(mix_seed(self.games.seed, pair + 1));
        self.parameters.iter().map(|_| if rng.bool() { 1.0 } else { -1.0 }).collect()
    }

    /// Creates a match between two players with parameters shifted from `values` in opposite directions. The pair plays
    /// only the games `2 * pair` and `2 * pair + 1` of this match.
    fn new_match(&self, pair: u64, values: &[f64]) -> Result<Match, String> {
        let signs = self.signs(pair);
        let [up, down] = [1.0, -1.0].map(|direction| self.player(&self.shifted(values, direction, &signs)));
        self.games.new_match([up?, down?], 2 * self.pairs)
    }

    /// Plays all pairs. `begin` starts a pair. `finished` returns the number of a pair that has ended and the first
    /// player's wins minus its losses, or `None` after a short wait.
    fn play_pairs(
        &self,
        schedule: &mut WeightSchedule,
        mut begin: impl FnMut(u64, Match) -> Result<(), String>,
        mut finished: impl FnMut() -> Result<Option<(u64, f64)>, String>,
    ) -> Result<(), String> {
        let bar = progress_bar(self.pairs);
        let mut begun = schedule.played();
        while schedule.played() < self.pairs {
            while begun < self.pairs
                && let Some(values) = schedule.start_of(begun, self.ahead)
            {
                begin(begun, self.new_match(begun, values)?)?;
                begun += 1;
            }
            if let Some((pair, lead)) = finished()? {
                schedule.add(self, pair, lead)?;
                bar.set_position(schedule.played());
                bar.set_message(self.player_text(schedule.now()));
            }
        }
        bar.finish_and_clear();
        Ok(())
    }

    fn report(&self, schedule: &WeightSchedule) {
        let (means, count) = schedule.means();
        println!("{} pairs, the mean over the last {count}:", schedule.played());
        for (parameter, mean) in self.parameters.iter().zip(&means) {
            println!("  {:20} {:8.4}  (began at {})", parameter.name, mean, parameter.start);
        }
        let old = without_iterations(&self.player);
        let new = without_iterations(&self.player_text(&means));
        println!("to confirm it, at a longer time control and with other openings:");
        let (size, time, seed) =
            (self.games.size.edge(), self.games.longer_time(), self.games.seed.wrapping_add(1));
        println!(
            "  lab match {new} {old} --size {size} --sprt 0,10 --games 2000 --time {time} --seed {seed}"
        );
    }
}

fn without_iterations(player: &str) -> String {
    let settings = player.split(',').filter(|setting| !setting.starts_with("iterations="));
    settings.collect::<Vec<_>>().join(",")
}

impl WeightSchedule {
    /// Checks the parameters and creates the log of the run; with `--resume` replays it and appends.
    fn new(args: &Args) -> Result<Self, String> {
        let start: Vec<f64> = args.parameters.iter().map(|parameter| parameter.start).collect();
        for direction in [-1.0, 0.0, 1.0] {
            args.player(&args.shifted(&start, direction, &vec![1.0; start.len()]))?;
        }
        let mut schedule = Self { path: vec![start], early: BTreeMap::new(), log: None };
        let Some(path) = &args.output else { return Ok(schedule) };
        let player = args.player(&schedule.path[0])?;
        let games = args.games.new_match([player.clone(), player], 2 * args.pairs)?;
        let limits: Vec<[f64; 3]> = args.parameters.iter().map(|p| [p.step, p.min, p.max]).collect();
        let mut conditions = games.conditions();
        conditions["tuned"] =
            json!({ "pairs": args.pairs, "rate": args.rate, "ahead": args.ahead, "limits": limits });
        let header = json!({ "tune": conditions }).to_string();
        let log = LineLog::open(path, args.resume, Some(&header), |line| {
            let lead = line.split(' ').nth(1).and_then(|lead| lead.parse().ok());
            let is_ours = lead.is_some_and(|lead| {
                schedule.step(args, lead);
                schedule.played() <= args.pairs && schedule.line(lead) == line
            });
            if is_ours { Ok(()) } else { Err(format!("was not written by this command: {line}")) }
        })?;
        interrupt::advise(format!("; the log so far is in {}; resume with --resume", path.display()));
        Ok(Self { log: Some(log), ..schedule })
    }

    fn played(&self) -> u64 {
        self.path.len() as u64 - 1
    }

    fn now(&self) -> &[f64] {
        self.path.last().map_or(&[], |values| values)
    }

    /// Returns the parameters from which a pair starts; `None` until the pair `ahead` numbers before it has ended.
    fn start_of(&self, pair: u64, ahead: usize) -> Option<&[f64]> {
        self.path.get((pair as usize + 1).saturating_sub(ahead)).map(|values| &values[..])
    }

    /// Adds the result of a pair: wins minus losses. Applies and logs the results in the order of the pairs.
    fn add(&mut self, args: &Args, pair: u64, lead: f64) -> Result<(), String> {
        self.early.insert(pair, lead);
        while let Some(lead) = self.early.remove(&self.played()) {
            self.step(args, lead);
            let line = self.line(lead);
            self.log.as_mut().map_or(Ok(()), |log| log.add(&line))?;
        }
        Ok(())
    }

    /// Formats the log line of the last pair: its number from 1, `lead` (wins minus losses), and the new values.
    fn line(&self, lead: f64) -> String {
        let values: Vec<String> = self.now().iter().map(|value| format!("{value:.4}")).collect();
        format!("{} {lead:+} {}", self.played(), values.join(" "))
    }

    /// Applies the result of the next pair: appends values moved towards its winner. Steps shrink over the run.
    fn step(&mut self, args: &Args, lead: f64) {
        const DECAY: f64 = 0.602;
        let signs = args.signs(self.played());
        let stability = args.pairs as f64 / 10.0;
        let rate = args.rate * (stability / (stability + self.played() as f64)).powf(DECAY);
        let moved = self.now().iter().zip(&args.parameters).zip(signs).map(|((now, parameter), sign)| {
            (now + rate * lead / 2.0 * sign * parameter.step).clamp(parameter.min, parameter.max)
        });
        self.path.push(moved.collect());
    }

    /// Returns the mean of each parameter over the second half of the run, and the number of pairs in this half.
    fn means(&self) -> (Vec<f64>, usize) {
        let half = &self.path[self.path.len().div_ceil(2)..];
        let mean =
            |place: usize| half.iter().map(|values| values[place]).sum::<f64>() / half.len().max(1) as f64;
        ((0..self.now().len()).map(mean).collect(), half.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(pairs: u64, parameters: &[&str]) -> Args {
        let words = ["tournament,iterations=10", &format!("--pairs={pairs}")];
        let words: Vec<String> = words.iter().chain(parameters).map(|&word| word.to_owned()).collect();
        crate::arguments::parse::<Args>(&words).and_then(|args| args.completed()).unwrap()
    }

    #[test]
    fn parameters_are_parsed_and_checked() {
        for (text, expected) in [
            ("c=2.5:0.5", [2.5, 0.5, 0.0, 10.0]),
            ("C=3:1:2:4", [3.0, 1.0, 2.0, 4.0]),
            ("c", [4.5, 0.6, 0.0, 10.0]),
            ("temperature", [2.0, 0.2, 0.1, 10.0]),
            ("share=0.5:0.1", [0.5, 0.1, f64::NEG_INFINITY, f64::INFINITY]),
        ] {
            let Parameter { start, step, min, max, .. } = args(100, &[text]).parameters[0];
            assert_eq!([start, step, min, max], expected, "{text}");
        }
        for wrong in ["c=", "c=1", "c=1:0", "c=1:-1", "c=3:1:0:2", "c=1:1:0", "c=x:1", "c=11:1", "burst", "x"]
        {
            let words = ["tournament", wrong].map(str::to_owned);
            let parsed = crate::arguments::parse::<Args>(&words).and_then(|args| args.completed());
            assert!(parsed.is_err(), "{wrong}");
        }
    }

    /// Simulates games: the player nearer to the optimum is more likely to win.
    #[test]
    fn tuning_finds_a_hidden_optimum() {
        let args = args(4000, &["a=0:1", "b=10:2"]);
        let (optimum, mut rng) = ([4.0, 3.0], Rng::with_seed(1));
        let start: Vec<f64> = args.parameters.iter().map(|parameter| parameter.start).collect();
        let mut schedule = WeightSchedule { path: vec![start], early: BTreeMap::new(), log: None };
        let badness = |direction: f64, signs: &[f64], values: &[f64]| -> f64 {
            let shifted = args.shifted(values, direction, signs);
            shifted.iter().zip(&optimum).map(|(value, best)| (value - best).powi(2)).sum()
        };
        for pair in 0..args.pairs {
            let signs = args.signs(pair);
            let worse = badness(1.0, &signs, schedule.now()) - badness(-1.0, &signs, schedule.now());
            let chance = 1.0 / (1.0 + (0.05 * worse).exp());
            let lead = [0, 1].map(|_| if rng.f64() < chance { 1.0 } else { -1.0 }).iter().sum();
            schedule.step(&args, lead);
        }
        for (mean, best) in schedule.means().0.into_iter().zip(optimum) {
            assert!((mean - best).abs() < 1.0, "{mean} for {best}");
        }
    }
}
