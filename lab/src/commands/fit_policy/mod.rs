//! `lab fit-policy`: fits the weights of the priors to the visits of longer searches.
//!
//! Positions are drawn from games and searched. The distribution of the visits over the movements is one observation, the
//! distributions over the arrows of favourite movements are others. The weights maximise their likelihood. Every fifth game
//! tests the fit.

mod fit;
mod observations;
mod searches;

use crate::arguments::read_count;
use crate::cluster::{TaskArgs, WorkArgs, jobs};
use crate::files::{Output, read_weights};
use crate::matches::spec::{check_board, search_params};
use fit::fit;
use observations::draw;
use otrera::eval::policy::{ARROW_FEATURES, MOVEMENT_FEATURES, STAGES, stage};
use otrera::eval::weights::PriorWeights;
use std::path::PathBuf;

/// Fit the priors of half-moves to the visits of searches.
#[derive(clap::Args)]
pub struct Args {
    /// Results files or records, on boards of any size.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The search: a preset with parameters.
    #[arg(long, default_value = "tournament")]
    search: String,
    /// Positions to search.
    #[arg(long, default_value = "20000", value_parser = read_count::<usize>)]
    positions: usize,
    /// Iterations of each search.
    #[arg(long, default_value = "5000", value_parser = read_count::<u64>)]
    iterations: u64,
    /// Steps of the fit.
    #[arg(long, default_value = "300", value_parser = read_count::<u32>)]
    steps: u32,
    /// Seed of the choice of positions and of the searches.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    task: TaskArgs,
    /// Keep the searches in this file, and skip those that it holds.
    #[arg(long, value_name = "FILE")]
    searches: Option<PathBuf>,
    /// File of weights whose other parts are kept [default: the built-in weights].
    #[arg(long)]
    base: Option<PathBuf>,
    /// File of weights to write, for `model=FILE`.
    #[arg(long, default_value = "results/weights.json")]
    output: PathBuf,
}

pub fn run(args: &Args) -> Result<(), String> {
    let params = search_params(&args.search)?;
    if let Some(numbers) = &args.task.numbers {
        let positions = draw(args)?;
        return jobs::print(numbers, |number| searches::search(args, &params, &positions, number));
    }
    let mut file = read_weights(args.base.as_deref())?;
    let output = Output::new(
        &args.output,
        &[&args.games[..], args.base.as_slice(), searched_with(args).as_slice()].concat(),
    )?;
    output.try_out(&file.write())?;
    let positions = draw(args)?;
    for drawn in &positions {
        check_board(&args.search, &params, drawn.position.size())?;
    }
    check_amount(positions.iter().map(|drawn| (stage(&drawn.position), drawn.unseen)))?;
    let searched = searches::all(args, &params, &positions)?;
    let (movements, arrows): (Vec<_>, Vec<_>) = searched.into_iter().unzip();
    let movements: Vec<_> = movements.into_iter().flatten().collect();
    let arrows: Vec<_> = arrows.into_iter().flatten().collect();
    // Proven positions give no observation.
    check_amount(movements.iter().map(|observation| (observation.stage, observation.unseen)))?;
    file.priors = PriorWeights {
        trained: format!(
            "by lab fit-policy, from {} positions, searched with {} iterations each by {}",
            positions.len(),
            args.iterations,
            args.search
        ),
        movements: fit("movements", &movements, &MOVEMENT_FEATURES, args.steps),
        arrows: fit("arrows", &arrows, &ARROW_FEATURES, args.steps),
    };
    output.write_or_keep(&file.write())?;
    println!("written: {}", output.path().display());
    Ok(())
}

/// The file of weights of the search, if it has one.
fn searched_with(args: &Args) -> Option<PathBuf> {
    let mut settings = args.search.split(',').filter_map(|setting| setting.trim().split_once('='));
    settings.find(|(name, _)| name.eq_ignore_ascii_case("model")).map(|(_, file)| file.into())
}

/// Minimum of positions of each stage of the game: for the fit and for its test.
const MIN_POSITIONS: [usize; 2] = [250, 50];

/// Checks that there are enough positions of each stage: rare features keep weights near zero.
fn check_amount(positions: impl Iterator<Item = (usize, bool)>) -> Result<(), String> {
    let mut counts = [[0; 2]; STAGES];
    positions.for_each(|(stage, unseen)| counts[stage][usize::from(unseen)] += 1);
    let [fitted, tested] = MIN_POSITIONS;
    for (number, [seen, unseen]) in (1..).zip(counts) {
        if seen < fitted || unseen < tested {
            return Err(format!(
                "too few positions: stage {number} of {STAGES} has {seen} for the fit and {unseen} for its test (every \
                 fifth game), and at least {fitted} and {tested} are needed: give more games or a larger --positions"
            ));
        }
    }
    Ok(())
}
