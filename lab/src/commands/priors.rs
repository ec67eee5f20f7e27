//! `lab priors`: how well the priors foresee what a deep search looks at, on fixed positions.
//!
//! Each position is searched, and the visits of its movements, and of the arrows of its favourite movement, are held against
//! the priors that the model gives them before any search: cross-entropy in nats, beside what it is at best (the entropy of
//! the visits) and with nothing known (`ln` of the number of choices); how often the favourite comes first; its median rank.

use crate::arguments::{read_count, read_size};
use crate::commands::positions::{self, PositionArgs};
use crate::matches::spec::search_params;
use indicatif::ProgressBar;
use otrera::eval::policy::{STAGES, stage};
use otrera::{Evaluator, Limits, ModelScratch, Movement, Params, Position, Report, Resources, Search, Size};
use rayon::prelude::*;
use std::sync::atomic::AtomicBool;

/// How well the priors foresee what a deep search looks at.
#[derive(clap::Args)]
pub struct Args {
    /// The search whose priors they are, and which looks deep: a preset with parameters.
    #[arg(long, default_value = "tournament")]
    search: String,
    /// Edge of the board, whose fixed positions are taken: 8 or 10.
    #[arg(long, default_value = "10", value_parser = read_size)]
    size: Size,
    /// Iterations of each search.
    #[arg(long, default_value = "20000", value_parser = read_count::<u64>)]
    iterations: u64,
    #[command(flatten)]
    positions: PositionArgs,
}

/// The choices of one node, and what was foreseen of them.
struct Node {
    stage: usize,
    /// Of each choice the share of the visits and the prior.
    choices: Vec<(f64, f64)>,
}

/// Runs the command.
///
/// # Errors
/// A search or positions that are none.
pub fn run(args: &Args) -> Result<(), String> {
    let params = search_params(&args.search)?;
    let positions = positions::read(&args.positions, args.size)?;
    let bar = ProgressBar::new(positions.len() as u64);
    let nodes: Vec<_> = positions
        .par_iter()
        .filter_map(|position| {
            let nodes = foresee(position, &params, args.iterations);
            bar.inc(1);
            nodes
        })
        .collect();
    bar.finish_and_clear();
    let (movements, arrows): (Vec<_>, Vec<_>) = nodes.into_iter().unzip();
    println!(
        "{}, {} positions on {size}x{size}, {} of them undecided, {} iterations",
        args.search,
        positions.len(),
        movements.len(),
        args.iterations,
        size = args.size.edge()
    );
    print("movements", &movements);
    print("arrows of the favourite", &arrows);
    Ok(())
}

/// Searches a position and compares; `None` where the search proves something, which visits do not tell of.
fn foresee(position: &Position, params: &Params, iterations: u64) -> Option<(Node, Node)> {
    let resources = Resources { threads: 1, memory: 256 << 20, seed: 1 };
    let mut search = Search::new(*position, params.clone(), resources);
    let report = search.run(&Limits::iterations(iterations), &AtomicBool::new(false), &mut |_| ());
    if report.proven.is_some() || report.lines.iter().any(|line| line.proven.is_some()) {
        return None;
    }
    let evaluator = Evaluator::new(params.model.clone());
    let scratch = &mut ModelScratch::default();
    let logits = evaluator.movement_logits(position, scratch);
    let visits_of = |movement| visits(&report, |line| line.movement() == movement);
    let movements = node(position, logits.iter().map(|&(movement, logit)| (visits_of(movement), logit)));
    let favourite: Movement = logits.iter().max_by_key(|&&(movement, _)| visits_of(movement))?.0;
    let logits = evaluator.arrow_logits(&position.with_movement(favourite), scratch);
    let visits_of = |arrow| visits(&report, |line| line == favourite.with_arrow(arrow));
    Some((movements, node(position, logits.iter().map(|&(arrow, logit)| (visits_of(arrow), logit)))))
}

fn visits(report: &Report, is_counted: impl Fn(otrera::Move) -> bool) -> u32 {
    report.lines.iter().filter(|line| is_counted(line.mv)).map(|line| line.visits).sum()
}

/// Shares and priors from visits and logits.
fn node(position: &Position, choices: impl Iterator<Item = (u32, f32)>) -> Node {
    let choices: Vec<(f64, f64)> =
        choices.map(|(visits, logit)| (f64::from(visits), f64::from(logit).exp())).collect();
    let sums = choices.iter().fold((0.0, 0.0), |sums, choice| (sums.0 + choice.0, sums.1 + choice.1));
    let choices = choices.into_iter().map(|(visits, odds)| (visits / f64::max(sums.0, 1.0), odds / sums.1));
    Node { stage: stage(position), choices: choices.collect() }
}

/// The rank of the favourite among the priors, 0 for the first.
fn rank(node: &Node) -> usize {
    let Some(favourite) = node.choices.iter().max_by(|a, b| a.0.total_cmp(&b.0)) else { return 0 };
    node.choices.iter().filter(|choice| choice.1 > favourite.1).count()
}

fn print(name: &str, nodes: &[Node]) {
    println!("\n{name:24} nodes  nothing known  priors  at best  favourite first  median rank");
    for chosen in (0..STAGES).map(Some).chain([None]) {
        let nodes: Vec<&Node> =
            nodes.iter().filter(|node| chosen.is_none_or(|stage| node.stage == stage)).collect();
        if nodes.is_empty() {
            continue;
        }
        let mean = |of_one: fn(&Node) -> f64| {
            nodes.iter().map(|node| of_one(node)).sum::<f64>() / nodes.len() as f64
        };
        let nothing = mean(|node| (node.choices.len() as f64).ln());
        let priors = mean(|node| -node.choices.iter().map(|(share, prior)| share * prior.ln()).sum::<f64>());
        let best = mean(|node| {
            let visited = node.choices.iter().filter(|choice| choice.0 > 0.0);
            visited.map(|(share, _)| share * share.recip().ln()).sum()
        });
        let first = mean(|node| f64::from(u8::from(rank(node) == 0)));
        let mut ranks: Vec<usize> = nodes.iter().map(|node| rank(node)).collect();
        ranks.sort_unstable();
        let stage = chosen.map_or("all".into(), |stage| format!("stage {}", stage + 1));
        println!(
            "  {stage:22} {:5} {nothing:14.3} {priors:7.3} {best:8.3} {:15.1}% {:12}",
            nodes.len(),
            first * 100.0,
            ranks[ranks.len() / 2]
        );
    }
}
