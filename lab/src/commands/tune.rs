//! `lab tune`: parameters of the search by simultaneous perturbation (SPSA, Spall 1992).
//!
//! All parameters are pushed a step up or down at random, and two games are played between the pushed and the
//! oppositely pushed player, from one opening with colours swapped. Each parameter then moves a little towards
//! the side that won. What a single pair says is next to nothing; the mean over the second half of the run is
//! the answer, and a match at a longer time control tells whether it is one.
//!
//! Several pairs are played at once. So that the course does not hang on which of them ends first, a pair is pushed from
//! where the parameters are after the pair that is `--ahead` numbers before it, and pairs count in their order.

use crate::arguments::{WorkArgs, read_count, read_positive};
use crate::cluster::jobs::numbered;
use crate::cluster::{self, Cluster, Task};
use crate::commands::r#match::{ConditionArgs, progress_bar};
use crate::files::Lines;
use crate::interrupt;
use crate::matches::runner::Match;
use crate::matches::score::Score;
use crate::matches::spec::PlayerSpec;
use fastrand::Rng;
use indicatif::ProgressBar;
use otrera::GameRecord;
use otrera::record::json;
use rayon::Scope;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Parameters of the search by simultaneous perturbation.
#[derive(clap::Args)]
pub struct Args {
    /// The player: a preset with parameters that stay as they are.
    player: String,
    /// The parameters to tune: NAME=START:STEP or NAME=START:STEP:LEAST:MOST. STEP is how far the two players
    /// of a pair are from the middle; it should be worth about 10 Elo.
    #[arg(required = true)]
    parameters: Vec<Parameter>,
    /// Pairs of games, at least 100.
    #[arg(long, default_value = "1000", value_parser = read_pairs)]
    pairs: u64,
    /// How many steps a pair that is won twice moves each parameter at the start.
    #[arg(long, default_value = "0.2", value_parser = read_positive)]
    rate: f64,
    /// Pairs that may be under way at once: a pair is pushed from where the parameters were that many pairs before.
    #[arg(long, default_value = "8", value_parser = read_count::<usize>)]
    ahead: usize,
    #[command(flatten)]
    conditions: ConditionArgs,
    #[command(flatten)]
    work: WorkArgs,
    /// A new file for the course of the parameters, one line a pair; by default there is none.
    #[arg(long)]
    output: Option<PathBuf>,
    /// Go on with the file of an interrupted run of the same command.
    #[arg(long, requires = "output")]
    resume: bool,
}

/// A parameter to tune.
#[derive(Clone, Debug)]
struct Parameter {
    name: String,
    start: f64,
    step: f64,
    least: f64,
    most: f64,
}

impl FromStr for Parameter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let problem = || format!("{text}: NAME=START:STEP or NAME=START:STEP:LEAST:MOST is wanted");
        let (name, numbers) = text.split_once('=').ok_or_else(problem)?;
        let numbers: Result<Vec<f64>, _> = numbers.split(':').map(str::parse).collect();
        let (start, step, least, most) = match numbers.as_deref() {
            Ok(&[start, step]) => (start, step, f64::NEG_INFINITY, f64::INFINITY),
            Ok(&[start, step, least, most]) => (start, step, least, most),
            _ => return Err(problem()),
        };
        if step > 0.0 && least <= start && start <= most {
            Ok(Self { name: name.to_owned(), start, step, least, most })
        } else {
            Err(format!("{text}: a positive step and a start within the limits are wanted"))
        }
    }
}

fn read_pairs(text: &str) -> Result<u64, String> {
    const LEAST: u64 = 100;
    let pairs = text.parse().ok().filter(|pairs| *pairs >= LEAST);
    pairs.ok_or_else(|| {
        format!("at least {LEAST} pairs are needed: what a single one says is next to nothing")
    })
}

/// The way of the parameters.
struct Course {
    /// Where they are after each pair, first where they start.
    path: Vec<Vec<f64>>,
    /// The leads of pairs that have ended before earlier ones.
    early: BTreeMap<u64, f64>,
    output: Option<Lines>,
}

/// Where pairs of games are played.
trait Venue {
    /// Begins the pair of this number.
    fn begin(&mut self, pair: u64, contest: Match) -> Result<(), String>;

    /// A pair that has ended, if there is one within a moment, and by how many games the first player leads.
    fn ended(&mut self) -> Result<Option<(u64, f64)>, String>;
}

/// Runs the command.
///
/// # Errors
/// Parameters that the player does not have, a file that cannot be written, or a cluster that cannot play.
pub fn run(args: &Args) -> Result<(), String> {
    let start: Vec<f64> = args.parameters.iter().map(|parameter| parameter.start).collect();
    for sign in [-1.0, 0.0, 1.0] {
        let pushed: Vec<f64> = pushed(&start, &args.parameters, &vec![sign; start.len()]);
        args.player(&pushed)?;
    }
    let mut course = Course { path: vec![start], early: BTreeMap::new(), output: None };
    if let Some(path) = &args.output {
        course.open(args, path)?;
        interrupt::advise(format!("; the course up to now is in {}: --resume goes on", path.display()));
    }
    let bar = progress_bar(args.pairs);
    match &args.work.cluster {
        _ if course.played() == args.pairs => {}
        Some(address) => args.follow(&mut course, &mut Elsewhere(cluster::join(address)?), &bar)?,
        None => {
            args.work
                .pool()?
                .in_place_scope(|scope| args.follow(&mut course, &mut Here::new(scope), &bar))?;
        }
    }
    bar.finish_and_clear();
    args.report(&course);
    Ok(())
}

/// Games on the cores of this machine.
struct Here<'a, 'scope> {
    scope: &'a Scope<'scope>,
    sender: Sender<Result<(u64, f64), String>>,
    ended: Receiver<Result<(u64, f64), String>>,
}

impl<'a, 'scope> Here<'a, 'scope> {
    fn new(scope: &'a Scope<'scope>) -> Self {
        let (sender, ended) = channel();
        Self { scope, sender, ended }
    }
}

impl Venue for Here<'_, '_> {
    fn begin(&mut self, pair: u64, contest: Match) -> Result<(), String> {
        let sender = self.sender.clone();
        self.scope.spawn(move |_| {
            let play =
                || lead_of_first(&numbers(pair).map(|number| contest.game(number)).collect::<Vec<_>>());
            let lead = catch_unwind(AssertUnwindSafe(play)).map_err(|_| "a game ended in a panic".to_owned());
            // Nobody listens any more where another pair has failed.
            let _ = sender.send(lead.map(|lead| (pair, lead)));
        });
        Ok(())
    }

    fn ended(&mut self) -> Result<Option<(u64, f64)>, String> {
        self.ended.recv().map_err(|error| error.to_string())?.map(Some)
    }
}

/// Games on a cluster.
struct Elsewhere(Box<dyn Cluster>);

impl Venue for Elsewhere {
    fn begin(&mut self, pair: u64, contest: Match) -> Result<(), String> {
        self.0.submit(Task { id: pair, arguments: numbered(&contest.arguments(), &numbers(pair)) })
    }

    fn ended(&mut self) -> Result<Option<(u64, f64)>, String> {
        let Some(done) = self.0.finished()? else { return Ok(None) };
        let games =
            done.lines.iter().map(|line| json::read(line).map_err(|error| format!("{line:?}: {error}")));
        Ok(Some((done.id, lead_of_first(&games.collect::<Result<Vec<_>, _>>()?))))
    }
}

/// The numbers of the games of a pair.
fn numbers(pair: u64) -> Range<u64> {
    2 * pair..2 * pair + 2
}

/// Games that the first player wins, less those that it loses.
fn lead_of_first(games: &[GameRecord]) -> f64 {
    let score = Score::of(games);
    score.wins as f64 - score.losses as f64
}

/// The parameters, each pushed a step this way or that.
fn pushed(now: &[f64], parameters: &[Parameter], signs: &[f64]) -> Vec<f64> {
    let pushed = now.iter().zip(parameters).zip(signs);
    pushed.map(|((now, p), sign)| (now + sign * p.step).clamp(p.least, p.most)).collect()
}

impl Args {
    /// The player with these values.
    fn player(&self, values: &[f64]) -> Result<PlayerSpec, String> {
        self.text(values).parse()
    }

    fn text(&self, values: &[f64]) -> String {
        let settings = self.parameters.iter().zip(values);
        let settings: String = settings.map(|(p, value)| format!(",{}={value:.4}", p.name)).collect();
        self.player.clone() + &settings
    }

    /// Which way each parameter is pushed in a pair.
    fn signs(&self, pair: u64) -> Vec<f64> {
        let mut rng = Rng::with_seed(self.conditions.seed().wrapping_add(pair).wrapping_mul(0x9e37_79b9));
        self.parameters.iter().map(|_| if rng.bool() { 1.0 } else { -1.0 }).collect()
    }

    /// The games of a pair are two of this match between players that are pushed from here.
    fn contest(&self, pair: u64, from: &[f64]) -> Result<Match, String> {
        let signs = self.signs(pair);
        let opposite: Vec<f64> = signs.iter().map(|sign| -sign).collect();
        let players = [&signs, &opposite].map(|signs| self.player(&pushed(from, &self.parameters, signs)));
        let [up, down] = players;
        self.conditions.new_match([up?, down?], 2 * self.pairs)
    }

    /// Plays all pairs.
    fn follow(&self, course: &mut Course, venue: &mut dyn Venue, bar: &ProgressBar) -> Result<(), String> {
        let mut begun = course.played();
        while course.played() < self.pairs {
            while begun < self.pairs
                && let Some(from) = course.before(begun, self.ahead)
            {
                venue.begin(begun, self.contest(begun, from)?)?;
                begun += 1;
            }
            if let Some((pair, lead)) = venue.ended()? {
                course.add(self, pair, lead)?;
                bar.set_position(course.played());
                bar.set_message(self.text(course.now()));
            }
        }
        Ok(())
    }

    fn report(&self, course: &Course) {
        let (means, count) = course.means();
        println!("{} pairs, the mean over the last {count}:", course.played());
        for (parameter, mean) in self.parameters.iter().zip(&means) {
            println!("  {:20} {:8.4}  (began at {})", parameter.name, mean, parameter.start);
        }
        let old = without_iterations(&self.player);
        let new = without_iterations(&self.text(&means));
        println!("to confirm it, at a longer time control:");
        let size = self.conditions.size().edge();
        println!("  lab match {new} {old} --size {size} --sprt 0,10 --games 2000 --time 0.1");
    }
}

/// A player without a number of iterations of its own.
fn without_iterations(player: &str) -> String {
    let settings = player.split(',').filter(|setting| !setting.starts_with("iterations="));
    settings.collect::<Vec<_>>().join(",")
}

impl Course {
    /// Begins the file of the course, or reads it and goes on.
    fn open(&mut self, args: &Args, path: &Path) -> Result<(), String> {
        let (file, begun) = Lines::open(path, args.resume)?;
        for line in begun {
            let lead = line.split(' ').nth(1).and_then(|lead| lead.parse().ok());
            let is_ours = lead.is_some_and(|lead| {
                self.go_on(args, &args.signs(self.played()), lead);
                self.played() <= args.pairs && self.line(lead) == line
            });
            if !is_ours {
                return Err(format!("{}: is not of this command: {line}", path.display()));
            }
        }
        self.output = Some(file);
        Ok(())
    }

    /// Pairs that count already.
    fn played(&self) -> u64 {
        self.path.len() as u64 - 1
    }

    /// Where the parameters are now.
    fn now(&self) -> &[f64] {
        self.path.last().map_or(&[], |values| values)
    }

    /// Where a pair is pushed from, if this is known already.
    fn before(&self, pair: u64, ahead: usize) -> Option<&[f64]> {
        self.path.get((pair as usize + 1).saturating_sub(ahead)).map(|values| &values[..])
    }

    /// Adds the lead of a pair, which counts when all before it do.
    fn add(&mut self, args: &Args, pair: u64, lead: f64) -> Result<(), String> {
        self.early.insert(pair, lead);
        while let Some(lead) = self.early.remove(&self.played()) {
            self.go_on(args, &args.signs(self.played()), lead);
            let line = self.line(lead);
            self.output.as_mut().map_or(Ok(()), |file| file.add(&line))?;
        }
        Ok(())
    }

    /// The line of the last pair that counts.
    fn line(&self, lead: f64) -> String {
        let values: Vec<String> = self.now().iter().map(|value| format!("{value:.4}")).collect();
        format!("{} {lead:+} {}", self.played(), values.join(" "))
    }

    /// Moves the parameters towards the side that won; steps shrink as the run goes on.
    fn go_on(&mut self, args: &Args, signs: &[f64], lead: f64) {
        const DECAY: f64 = 0.602;
        let stability = args.pairs as f64 / 10.0;
        let rate = args.rate * (stability / (stability + self.played() as f64)).powf(DECAY);
        let moved = self.now().iter().zip(&args.parameters).zip(signs).map(|((now, parameter), sign)| {
            (now + rate * lead / 2.0 * sign * parameter.step).clamp(parameter.least, parameter.most)
        });
        self.path.push(moved.collect());
    }

    /// The mean of each parameter over the second half of the run, and of how many pairs this is.
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
        #[derive(clap::Parser)]
        struct Cli {
            #[command(flatten)]
            args: Args,
        }
        let pairs = pairs.to_string();
        let words = ["lab", "tournament,iterations=10", "--pairs", &pairs];
        <Cli as clap::Parser>::try_parse_from(words.iter().chain(parameters)).unwrap().args
    }

    #[test]
    fn parameters_are_read() {
        let parameter: Parameter = "c=2.5:0.5".parse().unwrap();
        assert_eq!((parameter.name.as_str(), parameter.start, parameter.step), ("c", 2.5, 0.5));
        for wrong in ["c", "c=1", "c=1:0", "c=1:-1", "c=3:1:0:2", "c=1:1:0", "c=x:1"] {
            assert!(wrong.parse::<Parameter>().is_err(), "{wrong}");
        }
    }

    /// Where a game is won the more often the nearer a player is to a hidden optimum, the course ends there.
    #[test]
    fn the_course_finds_a_hidden_optimum() {
        let args = args(4000, &["a=0:1", "b=10:2"]);
        let (optimum, mut rng) = ([4.0, 3.0], Rng::with_seed(1));
        let start: Vec<f64> = args.parameters.iter().map(|parameter| parameter.start).collect();
        let mut course = Course { path: vec![start], early: BTreeMap::new(), output: None };
        let badness = |values: &[f64]| -> f64 {
            values.iter().zip(&optimum).map(|(value, best)| (value - best) * (value - best)).sum()
        };
        for _ in 0..args.pairs {
            let signs = [0, 1].map(|_| if rng.bool() { 1.0 } else { -1.0 });
            let players = [signs, signs.map(|sign| -sign)];
            let [up, down] = players.map(|signs| badness(&pushed(course.now(), &args.parameters, &signs)));
            let chance = 1.0 / (1.0 + (0.05 * (up - down)).exp());
            let lead = [0, 1].map(|_| if rng.f64() < chance { 1.0 } else { -1.0 }).iter().sum();
            course.go_on(&args, &signs, lead);
        }
        for (mean, best) in course.means().0.into_iter().zip(optimum) {
            assert!((mean - best).abs() < 1.0, "{mean} for {best}");
        }
    }
}
