//! `lab table NAME`: the papers' tables again, ours beside theirs, and two of our own.

mod ablation;
mod convergence;
mod k1;
mod reversi;
pub mod sheet;
mod techniques;
mod threads;
mod z2;
mod z3;

use crate::arguments::{WorkArgs, cores};
use crate::files::make_folder_of;
use crate::interrupt;
use crate::matches::results::{Earlier, Results};
use crate::matches::runner::{self, Match};
use crate::matches::spec::PlayerSpec;
use crate::play::openings::Openings;
use crate::play::referee::Control;
use crate::plot::Plot;
use clap::ValueEnum;
use otrera::{GameRecord, Size};
use sheet::Sheet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Arguments of `lab table`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Which table.
    name: Name,
    /// A few minutes instead of the full size.
    #[arg(long)]
    quick: bool,
    /// Seed of openings and players.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    work: WorkArgs,
    /// Where tables, plots and the games behind them go.
    #[arg(long, default_value = "results/tables")]
    folder: PathBuf,
}

/// The tables that can be reproduced.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Name {
    /// Kato et al., table 1: plain UCT against alpha-beta of depth 2. Resumes when interrupted.
    #[value(name = "K-1")]
    K1,
    /// MG-PEO, table 2: nodes expanded for the first move.
    #[value(name = "Z-2")]
    Z2,
    /// MG-PEO, table 3: time of the evaluation's modules, serial and parallel.
    #[value(name = "Z-3")]
    Z3,
    /// MG-PEO, table 5: win rates of two systems. Resumes when interrupted, like all that play games.
    #[value(name = "Z-5")]
    Z5,
    /// MG-PEO, table 6: mean round of the match point.
    #[value(name = "Z-6")]
    Z6,
    /// MG-PEO, table 7: significance of the difference in table 6.
    #[value(name = "Z-7")]
    Z7,
    /// MG-PEO, table 8: win rates and iterations of all four systems.
    #[value(name = "Z-8")]
    Z8,
    /// MG-PEO, table A1: rollout depths.
    #[value(name = "A1")]
    A1,
    /// Phan and Synytsia, tables 1 to 10: minimax against MCTS in Reversi.
    R,
    /// What each technique of `tournament` is worth, in games without it. Resumes when interrupted.
    #[value(name = "techniques")]
    Techniques,
    /// Iterations a second with 1, 2, 4, ... threads up to all cores, and a model of more.
    #[value(name = "threads")]
    Threads,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), String> {
    let is_for_one_machine = matches!(args.name, Name::Z2 | Name::Z3 | Name::R | Name::Threads);
    if is_for_one_machine && args.work.cluster.is_some() {
        return Err(
            "R, threads, Z-2 and Z-3 know no --cluster: they measure this machine or take minutes".into()
        );
    }
    let study = Study::new(args);
    match args.name {
        Name::K1 => k1::run(&study),
        Name::Z2 => z2::run(&study),
        Name::Z3 => z3::run(&study),
        Name::Z5 => ablation::win_rates(&study, "Z-5"),
        Name::Z6 => ablation::match_points(&study),
        Name::Z7 => ablation::significance(&study),
        Name::Z8 => ablation::win_rates(&study, "Z-8"),
        Name::A1 => ablation::rollout_depths(&study),
        Name::R => reversi::run(&study),
        Name::Techniques => techniques::run(&study),
        Name::Threads => threads::run(&study),
    }
}

/// The games of one cell of a table.
struct Cell {
    /// Of its results file, in the folder of the study.
    name: String,
    contest: Match,
}

/// What all tables need: their size, their seed, and where to put things.
pub struct Study {
    quick: bool,
    seed: u64,
    work: WorkArgs,
    folder: PathBuf,
}

impl Study {
    fn new(args: &Args) -> Self {
        let folder = args.folder.join(if args.quick { "quick" } else { "full" });
        Self { quick: args.quick, seed: args.seed, work: args.work.clone(), folder }
    }

    /// All games of each of these cells, in their order, those of an earlier, interrupted run not played again.
    fn games(&self, cells: Vec<Cell>) -> Result<Vec<Vec<GameRecord>>, String> {
        let mut names = Vec::new();
        let mut contests = Vec::new();
        for Cell { name, contest } in cells {
            let path = self.folder.join(format!("{name}.jsonl"));
            let results = Results::open(&path, &contest.conditions(), Earlier::Kept)?;
            names.push(name);
            contests.push((contest, results));
        }
        let folder = self.folder.display();
        interrupt::advise(format!("; the games so far are in {folder}: the same command goes on"));
        runner::play(&contests, &self.work, &AtomicBool::new(false), &|place| {
            let (contest, results) = &contests[place];
            let done = results.count() as u64;
            if done.is_multiple_of(10) || done == contest.games {
                eprintln!("{}: {done}/{} games", names[place], contest.games);
            }
        })?;
        let games = |(contest, results): &(Match, Results)| {
            results.games().into_iter().take(contest.games as usize).collect()
        };
        Ok(contests.iter().map(games).collect())
    }

    /// A match on 10x10 from the starting position, or from openings of this many random plies.
    fn contest(&self, players: [&str; 2], games: u64, control: Control, plies: u32) -> Result<Match, String> {
        let [a, b] = players;
        Ok(Match {
            players: [a.parse::<PlayerSpec>()?, b.parse::<PlayerSpec>()?],
            games,
            size: Size::STANDARD,
            control,
            // Some baselines know no clock, and nobody here is judged by one.
            grace: Duration::from_secs(60),
            openings: Openings { book: None, plies, balance: 0.15, seed: self.seed },
            adjudicate: None,
        })
    }

    /// Prints a table and writes it as CSV, with its plot as SVG if it has one.
    fn publish(&self, name: &str, sheet: &Sheet, plot: Option<&Plot>) -> Result<(), String> {
        print!("{}", sheet.to_text());
        let (csv, svg) = (self.folder.join(format!("{name}.csv")), self.folder.join(format!("{name}.svg")));
        make_folder_of(&csv)?;
        std::fs::write(&csv, sheet.to_csv()).map_err(|error| format!("{}: {error}", csv.display()))?;
        println!("written: {}", csv.display());
        if let Some(plot) = plot {
            plot.write(&svg)?;
            println!("written: {}", svg.display());
        }
        Ok(())
    }
}

/// The processor this runs on, for the notes under a table.
pub fn machine() -> String {
    let cores = cores();
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    format!("{} ({cores} cores)", model.unwrap_or_else(|| std::env::consts::ARCH.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_played_by_a_match_of_the_same_conditions() {
        let study = Study { quick: true, seed: 7, work: WorkArgs::default(), folder: PathBuf::new() };
        let time = Control::PerMove(Duration::from_millis(200));
        let contest = study.contest(["paper,rollouts=4+5", "pvs:paper"], 20, time, 4).unwrap();
        let expected = "match paper,rollouts=4+5 pvs:paper --games=20 --size=10 --grace=60 --plies=4 --balance=0.15 \
                        --seed=7 --time=0.2";
        assert_eq!(contest.arguments().join(" "), expected);
    }
}
