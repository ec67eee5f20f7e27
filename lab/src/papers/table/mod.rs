//! `lab table NAME`: reproduces the papers' tables with our numbers beside theirs, and prints three tables of our own.

mod ablation;
mod convergence;
mod k1;
mod levels;
mod reversi;
mod study;
mod techniques;
mod threads;
mod z3;

use crate::cluster::WorkArgs;
use clap::ValueEnum;
use std::path::PathBuf;
use study::Study;

/// Reproduce a table of the papers; if computed from games, it resumes after an interruption.
#[derive(clap::Args, Debug)]
#[command(after_help = list_of_tables())]
pub struct Args {
    /// Name of the table (listed below).
    #[arg(hide_possible_values = true)]
    name: Name,
    /// Play fewer games, in a few minutes.
    #[arg(long)]
    quick: bool,
    /// Random seed of openings and players.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    work: WorkArgs,
    /// Folder for tables, plots and games.
    #[arg(long, default_value = "results/tables")]
    folder: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Name {
    /// Kato et al., table 1: plain UCT against alpha-beta of depth 2.
    #[value(name = "K-1")]
    K1,
    /// MG-PEO, table 2: nodes expanded for the first move.
    #[value(name = "Z-2")]
    Z2,
    /// MG-PEO, table 3: time of the evaluation's modules, serial and parallel.
    #[value(name = "Z-3")]
    Z3,
    /// MG-PEO, table 5: win rates of two systems.
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
    /// Elo gain of each technique of `tournament`: games against the preset with that technique switched off.
    Techniques,
    /// Playing levels: each against the one below, level 1 against `random` and `greedy`.
    Levels,
    /// Speed with 1, 2, 4, ... threads up to all cores, and a model for more.
    Threads,
}

fn list_of_tables() -> String {
    let tables = Name::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let lines =
        tables.map(|table| format!("  {:<11} {}", table.get_name(), table.get_help().unwrap_or_default()));
    ["Tables:".into()].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

pub fn run(args: &Args) -> Result<(), String> {
    let is_for_one_machine = matches!(args.name, Name::Z2 | Name::Z3 | Name::R | Name::Threads);
    if is_for_one_machine && args.work.cluster.is_some() {
        return Err(
            "R, threads, Z-2 and Z-3 take no --cluster: they measure this machine or take minutes".into()
        );
    }
    let folder = args.folder.join(if args.quick { "quick" } else { "full" });
    let study = Study { quick: args.quick, seed: args.seed, work: args.work.clone(), folder };
    match args.name {
        Name::K1 => k1::run(&study),
        Name::Z2 => convergence::run(&study),
        Name::Z3 => z3::run(&study),
        Name::Z5 => ablation::win_rates(&study, "Z-5"),
        Name::Z6 => ablation::match_points(&study),
        Name::Z7 => ablation::significance(&study),
        Name::Z8 => ablation::win_rates(&study, "Z-8"),
        Name::A1 => ablation::rollout_depths(&study),
        Name::R => reversi::run(&study),
        Name::Techniques => techniques::run(&study),
        Name::Levels => levels::run(&study),
        Name::Threads => threads::run(&study),
    }
}
