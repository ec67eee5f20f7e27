//! `lab fit-network`: trains the evaluation network ([`otrera::eval::network`]) on games by stochastic gradient
//! descent.
//!
//! A training sample is a position whose result the search had not proven. Its target is the result of the game,
//! blended with the win rate of the search. The network is trained in floating point by Adam with decoupled weight
//! decay (Loshchilov and Hutter, <https://arxiv.org/abs/1711.05101>) and a cosine learning-rate schedule, and then
//! rounded to the engine's integers. One tenth of the games is held out: on these games the loss of the network is
//! compared with that of the base model and of the win rates recorded in the games.

mod floats;
pub mod samples;

use crate::arguments::{read_count, read_learning_rate, read_share};
use crate::files::{Output, PLOT, WEIGHTS, read_weights};
use crate::training::{Data, TrainingArgs, curve, train};
use fastrand::Rng;
use floats::Floats;
use otrera::GameRecord;
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::eval::weights::WeightsFile;
use otrera::eval::weights::network::NetworkWeights;
use rayon::prelude::*;
use samples::{Sample, log_loss, probability, samples_of};
use std::path::PathBuf;

/// Train the evaluation network on games.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    training: TrainingArgs,
    /// Weight of the search's win rate in the training target; the rest is the result of the game.
    #[arg(long, default_value = "0.3", value_parser = read_share)]
    blend: f64,
    /// Number of passes over the positions.
    #[arg(long, default_value = "30", value_parser = read_count::<u32>)]
    epochs: u32,
    /// Initial learning rate.
    #[arg(long, default_value = "0.004", value_parser = read_learning_rate)]
    rate: f64,
    /// Begin with the base network instead of random weights.
    #[arg(long)]
    refine: bool,
    /// Output file for `model=FILE`; the learning curve is written beside it.
    #[arg(long, default_value = "results/network.json")]
    output: PathBuf,
}

/// Minimum numbers of positions in the training set and in the held-out set.
const MIN_POSITIONS: [usize; 2] = [5000, 500];

pub fn run(args: &Args) -> Result<(), String> {
    let mut file = read_weights(args.training.base.as_deref())?;
    let inputs = args.training.inputs();
    let output = Output::new(&args.output, &inputs, WEIGHTS)?;
    let picture = Output::new(&args.output.with_extension("loss.svg"), &inputs, PLOT)?;
    output.try_out(WeightsFile::BUILT_IN)?;
    let of_game = |game: &GameRecord| samples_of(game, args.blend);
    let data = Data::open(&args.training, MIN_POSITIONS, &of_game)?;
    let (is_small, games, positions) = (data.is_small(), data.games, data.seen + data.unseen);
    println!("{games} games, {positions} positions, {} of them unseen", data.unseen);
    let start = if args.refine { Some(old_network(&file, is_small)?) } else { None };
    let random_or_old = |rng: &mut Rng| start.unwrap_or_else(|| Floats::random(rng));
    let (network, epochs) = train(random_or_old, &data, args.epochs, args.rate, "network")?;
    let base = Model::from_weights(&file.write())?;
    let advice = |problem| format!("{problem}: give more games, a larger --decay or fewer --epochs");
    let rounded = network.rounded(data.network_edge()).map_err(advice)?;
    let check = |samples: &[Sample]| samples.par_iter().try_for_each(|it| rounded.check_sums(&it.inputs));
    check(&data.tests).map_err(advice)?;
    data.for_each(|samples| check(&samples).map_err(advice))?;
    let weights = NetworkWeights { trained: trained(args, games, positions), network: rounded, lead: None };
    let networks = &mut file.networks;
    let (slot, boards) =
        if is_small { (&mut networks.small, "up to 8x8") } else { (&mut networks.standard, "above 8x8") };
    *slot = Some(weights);
    let model = Model::from_weights(&file.write()).map_err(advice)?;
    print_losses(&data.tests, &network, [&model, &base]);
    output.write_or_keep(&file.write())?;
    println!("written: {}, for boards {}", output.path().display(), boards);
    curve("Log-loss of the results", &epochs).write(&picture)?;
    println!("written: {}", picture.path().display());
    println!("play with it:  {}", playing_with(&output, data.edge));
    Ok(())
}

/// Returns the network of the base weights, for `--refine`.
fn old_network(file: &WeightsFile, is_small: bool) -> Result<Floats, String> {
    let networks = &file.networks;
    let found = if is_small { &networks.small } else { &networks.standard };
    let none = "--refine: the base weights have no network for these boards";
    Ok(Floats::of_network(&found.as_ref().ok_or(none)?.network))
}

/// Returns the shell command that plays a match of the network against the built-in weights.
fn playing_with(output: &Output, edge: usize) -> String {
    let lab = std::env::args().next().unwrap_or_else(|| "lab".into());
    format!("{lab} match tournament,model={} tournament --size {edge}", output.path().display())
}

fn trained(args: &Args, games: usize, positions: usize) -> String {
    let Args { blend, epochs, rate, refine, training: TrainingArgs { decay, seed, .. }, .. } = args;
    let start = if *refine { "an older network and " } else { "" };
    format!(
        "by lab fit-network, from {start}{games} games, {positions} positions; blend {blend}, {epochs} epochs, rate \
         {rate}, decay {decay}, seed {seed}"
    )
}

/// First ply of each row in the loss table, in plies of a 10x10 game.
const STAGES: [u8; 8] = [0, 13, 20, 27, 34, 41, 48, 56];

/// Prints the mean log-loss on the held-out games at each stage: of the network before rounding, the rounded network,
/// the base model, and the win rates recorded in the games.
fn print_losses(tests: &[Sample], network: &Floats, models: [&Model; 2]) {
    println!("\nlog-loss of the results of unseen games");
    println!("                 positions  network  rounded    base   search");
    let [rounded, base] = models.map(|model| {
        let evaluator = Evaluator::new(model.clone());
        move |test: &Sample, scratch: &mut ModelScratch| {
            probability(evaluator.value(&test.position, scratch).0.into())
        }
    });
    let mut scratch = ModelScratch::default();
    let losses: Vec<(u8, [f64; 4])> = tests
        .iter()
        .map(|test| {
            let of_network = probability(network.log_odds(&test.inputs).into());
            let rates = [of_network, rounded(test, &mut scratch), base(test, &mut scratch), test.win_rate];
            (test.inputs.ply, rates.map(|rate| log_loss(test.won.into(), rate)))
        })
        .collect();
    let ends = STAGES.into_iter().skip(1).chain([u8::MAX]);
    let stages = STAGES.into_iter().zip(ends).map(|(from, to)| (format!("from ply {from}"), from..to));
    for (name, plies) in stages.chain([("all".to_owned(), 0..u8::MAX)]) {
        let of_stage = || losses.iter().filter(|(ply, _)| plies.contains(ply));
        let count = of_stage().count();
        if count > 0 {
            let mean =
                |column: usize| of_stage().map(|(_, losses)| losses[column]).sum::<f64>() / count as f64;
            let [network, rounded, base, search] = [0, 1, 2, 3].map(mean);
            println!("{name:15} {count:10} {network:8.4} {rounded:8.4} {base:8.4} {search:8.4}");
        }
    }
}
