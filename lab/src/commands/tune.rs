//! `lab tune`: parameters of the search by simultaneous perturbation (SPSA, Spall 1992).
//!
//! All parameters are pushed a step up or down at random, and two games are played between the pushed and the
//! oppositely pushed player, from one opening with colours swapped. Each parameter then moves a little towards
//! the side that won. What a single pair says is next to nothing; the mean over the second half of the run is
//! the answer, and a match at a longer time control tells whether it is one.

use crate::arguments::read_positive;
use crate::commands::r#match::{ConditionArgs, progress_bar};
use crate::files::make_folder_of;
use crate::interrupt;
use crate::matches::runner::Match;
use crate::matches::score::Score;
use crate::matches::spec::PlayerSpec;
use fastrand::Rng;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Mutex;

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
    #[command(flatten)]
    conditions: ConditionArgs,
    /// A new file for the course of the parameters, one line a pair; by default there is none.
    #[arg(long)]
    output: Option<PathBuf>,
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

/// Where the parameters are.
struct Course {
    now: Vec<f64>,
    /// Sums over the second half of the run, and how many pairs are in them.
    sums: Vec<f64>,
    summed: u64,
    played: u64,
    output: Option<File>,
}

/// Runs the command.
///
/// # Errors
/// Parameters that the player does not have, or a file that cannot be written.
pub fn run(args: &Args) -> Result<(), String> {
    let start: Vec<f64> = args.parameters.iter().map(|parameter| parameter.start).collect();
    for sign in [-1.0, 0.0, 1.0] {
        let pushed: Vec<f64> = pushed(&start, &args.parameters, &vec![sign; start.len()]);
        args.player(&pushed)?;
    }
    let output = args.output.as_ref().map(|path| {
        make_folder_of(path)?;
        File::create_new(path).map_err(|error| format!("{}: {error}", path.display()))
    });
    let course = Course {
        sums: vec![0.0; start.len()],
        now: start,
        summed: 0,
        played: 0,
        output: output.transpose()?,
    };
    if let Some(path) = &args.output {
        interrupt::advise(format!("; the course up to now is in {}", path.display()));
    }
    let bar = progress_bar(args.pairs);
    let course = Mutex::new(course);
    let numbers = Mutex::new(0..args.pairs);
    let problem = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..args.conditions.concurrency() {
            scope.spawn(|| {
                while let Some(number) = numbers.lock().ok().and_then(|mut numbers| numbers.next()) {
                    match args.play_pair(number, &course) {
                        Ok(standing) => bar.set_message(standing),
                        Err(error) => {
                            problem.lock().ok().and_then(|mut slot| slot.replace(error));
                            return;
                        }
                    }
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    if let Some(problem) = problem.into_inner().ok().flatten() {
        return Err(problem);
    }
    let course = course.into_inner().map_err(|error| error.to_string())?;
    args.report(&course);
    Ok(())
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

    /// Plays one pair and moves the parameters; how they stand then.
    fn play_pair(&self, number: u64, course: &Mutex<Course>) -> Result<String, String> {
        let mut rng = Rng::with_seed(self.conditions.seed().wrapping_add(number).wrapping_mul(0x9e37_79b9));
        let signs: Vec<f64> = self.parameters.iter().map(|_| if rng.bool() { 1.0 } else { -1.0 }).collect();
        let now = course.lock().map_err(|error| error.to_string())?.now.clone();
        let opposite: Vec<f64> = signs.iter().map(|sign| -sign).collect();
        let players = [&signs, &opposite].map(|signs| self.player(&pushed(&now, &self.parameters, signs)));
        let [up, down] = players;
        let contest = self.conditions.new_match([up?, down?], 2 * self.pairs)?;
        let lead = lead_of_first(&contest, number);
        let mut course = course.lock().map_err(|error| error.to_string())?;
        course.go_on(self, &signs, lead)?;
        Ok(self.text(&course.now))
    }

    fn report(&self, course: &Course) {
        let summed = course.summed.max(1) as f64;
        let means: Vec<f64> = course.sums.iter().map(|sum| sum / summed).collect();
        println!("{} pairs, the mean over the last {}:", course.played, course.summed);
        for (parameter, mean) in self.parameters.iter().zip(&means) {
            println!("  {:20} {:8.4}  (began at {})", parameter.name, mean, parameter.start);
        }
        let old = without_iterations(&self.player);
        let new = without_iterations(&self.text(&means));
        println!("to confirm it, at a longer time control:");
        println!("  lab match {new} {old} --sprt 0,10 --games 2000 --time 0.1");
    }
}

/// A player without a number of iterations of its own.
fn without_iterations(player: &str) -> String {
    let settings = player.split(',').filter(|setting| !setting.starts_with("iterations="));
    settings.collect::<Vec<_>>().join(",")
}

/// Games of a pair that the first player wins, less those that it loses.
fn lead_of_first(contest: &Match, pair: u64) -> f64 {
    let score = Score::of(&[2 * pair, 2 * pair + 1].map(|number| contest.game(number)));
    score.wins as f64 - score.losses as f64
}

impl Course {
    /// Moves the parameters towards the side that won; steps shrink as the run goes on.
    fn go_on(&mut self, args: &Args, signs: &[f64], lead: f64) -> Result<(), String> {
        const DECAY: f64 = 0.602;
        let stability = args.pairs as f64 / 10.0;
        let rate = args.rate * (stability / (stability + self.played as f64)).powf(DECAY);
        for ((now, parameter), sign) in self.now.iter_mut().zip(&args.parameters).zip(signs) {
            *now = (*now + rate * lead / 2.0 * sign * parameter.step).clamp(parameter.least, parameter.most);
        }
        self.played += 1;
        if 2 * self.played > args.pairs {
            self.sums.iter_mut().zip(&self.now).for_each(|(sum, now)| *sum += now);
            self.summed += 1;
        }
        if let Some(file) = &mut self.output {
            let values: Vec<String> = self.now.iter().map(|value| format!("{value:.4}")).collect();
            let _whole = interrupt::whole();
            let path = args.output.as_deref().unwrap_or(Path::new("")).display();
            writeln!(file, "{} {lead:+} {}", self.played, values.join(" "))
                .map_err(|error| format!("{path}: {error}"))?;
        }
        Ok(())
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
        let mut course = Course { sums: vec![0.0; 2], now: start, summed: 0, played: 0, output: None };
        let badness = |values: &[f64]| -> f64 {
            values.iter().zip(&optimum).map(|(value, best)| (value - best) * (value - best)).sum()
        };
        for _ in 0..args.pairs {
            let signs = [0, 1].map(|_| if rng.bool() { 1.0 } else { -1.0 });
            let players = [signs, signs.map(|sign| -sign)];
            let [up, down] = players.map(|signs| badness(&pushed(&course.now, &args.parameters, &signs)));
            let chance = 1.0 / (1.0 + (0.05 * (up - down)).exp());
            let lead = [0, 1].map(|_| if rng.f64() < chance { 1.0 } else { -1.0 }).iter().sum();
            course.go_on(&args, &signs, lead).unwrap();
        }
        for (sum, best) in course.sums.iter().zip(optimum) {
            let mean = sum / course.summed as f64;
            assert!((mean - best).abs() < 1.0, "{mean} for {best}");
        }
    }
}
