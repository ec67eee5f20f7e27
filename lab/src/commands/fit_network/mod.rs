//! `lab fit-network`: a network of [`otrera::eval::network`] from games, by stochastic gradient descent.
//!
//! Each position of each game that its player saw undecided is a sample: the inputs of the network, and the result with
//! some share of what the search expected. The network is trained in floats, on nine games of ten, by Adam with
//! decoupled weight decay (Loshchilov and Hutter, <https://arxiv.org/abs/1711.05101>) and a rate that falls to nothing
//! along a cosine. Then it is rounded to the integers of the engine. The tenth game tells how well it foresees games not
//! seen, beside the model it began from and the searches that played.
//!
//! The same games, options and seed give the same network on any number of threads.

mod floats;
mod rounded;
mod training;

use crate::arguments::{read_count, read_positive, read_share};
use crate::commands::foreseen::{
    Boards, Undecided, check_amount, is_unseen, log_loss, probability, read_all_games, undecided,
};
use crate::files::{Output, read_weights};
use crate::plot::{Line, Plot, Scale};
use floats::Floats;
use otrera::eval::inputs::Inputs;
use otrera::eval::weights::WeightsFile;
use otrera::{DistanceMaps, Evaluator, GameRecord, Kernel, Model, ModelScratch, Size};
use rayon::prelude::*;
use rounded::rounded;
use std::path::PathBuf;
use training::Epoch;

/// A network for the evaluation from games.
#[derive(clap::Args)]
pub struct Args {
    /// Results files of `lab self-play`, or records of other games between good players.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Share of the search's winning rate in what is to be foreseen, beside the result of the game.
    #[arg(long, default_value = "0.3", value_parser = read_share)]
    blend: f64,
    /// How often each position is seen.
    #[arg(long, default_value = "30", value_parser = read_count::<u32>)]
    epochs: u32,
    /// Learning rate at the start.
    #[arg(long, default_value = "0.004", value_parser = read_positive)]
    rate: f64,
    /// By what part of the learning rate the weights shrink in each step.
    #[arg(long, default_value = "0.0001", value_parser = read_share)]
    decay: f64,
    /// Seed of the first weights and of the order of the positions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A file of weights whose other parts are kept (default: those that are built in).
    #[arg(long)]
    base: Option<PathBuf>,
    /// The file that is written, for `model=FILE`; a picture of the losses goes beside it.
    #[arg(long, default_value = "results/network.json")]
    output: PathBuf,
}

/// A position as the training sees it.
struct Sample {
    inputs: Inputs,
    /// 1 if the side to move has won, else 0.
    won: f32,
    /// What is to be foreseen, from 0 to 1.
    target: f32,
}

/// A position that tests the network, in its two forms.
type Test = (Sample, Undecided);

/// The fewest positions that a network is trained on, and the fewest that test it.
const LEAST: [usize; 2] = [5000, 500];

/// Of so many games one is unseen.
const ONE_UNSEEN_IN: usize = 10;

/// Runs the command.
///
/// # Errors
/// Games that cannot be read or are too few, or a network that does not fit the engine's integers.
pub fn run(args: &Args) -> Result<(), String> {
    let mut file = read_weights(args.base.as_deref())?;
    let inputs = [&args.games[..], args.base.as_slice()].concat();
    let output = Output::new(&args.output, &inputs)?;
    let picture = Output::new(&args.output.with_extension("loss.svg"), &inputs)?;
    output.try_out(WeightsFile::BUILT_IN)?;
    let games = read_all_games(&args.games)?;
    let boards = Boards::of(&games)?;
    let (seen, tests) = samples(&games, args.blend);
    check_amount([seen.len(), tests.len()], LEAST, "a tenth")?;
    let positions = seen.len() + tests.len();
    println!("{} games, {positions} positions, {} of them unseen", games.len(), tests.len());
    let (network, epochs) = training::train(&seen, &tests, args)?;
    let base = model(&file)?;
    let inputs = seen.iter().chain(tests.iter().map(|(sample, _)| sample)).map(|sample| sample.inputs);
    let advice = |problem| format!("{problem}: give more games, a larger --decay or fewer --epochs");
    let rounded = rounded(&network, trained(args, games.len(), positions)).map_err(advice)?;
    rounded.check_sums(inputs).map_err(advice)?;
    *boards.choose(&mut file.networks.standard, &mut file.networks.small) = Some(rounded);
    print_losses(&tests, &network, [&model(&file).map_err(advice)?, &base]);
    output.write_or_keep(&file.write())?;
    println!("written: {}, for boards {}", output.path().display(), boards.name());
    curve(&epochs).write(picture.path())?;
    println!("written: {}", picture.path().display());
    println!("play with it:  {}", playing_with(&output, &games));
    Ok(())
}

/// The command that plays a match with the network against the weights that are built in.
fn playing_with(output: &Output, games: &[GameRecord]) -> String {
    let lab = std::env::args().next().unwrap_or_else(|| "lab".into());
    let edge = games.first().map_or(Size::STANDARD, |game| game.start.size()).edge();
    format!("{lab} match tournament,model={} tournament --size {edge}", output.path().display())
}

/// The positions that are seen, and those that are not.
fn samples(games: &[GameRecord], blend: f64) -> (Vec<Sample>, Vec<Test>) {
    let of_game = |(number, game): (usize, &GameRecord)| {
        let mut maps = DistanceMaps::default();
        let tests = undecided(game).into_iter().filter_map(move |undecided| {
            let inputs = Inputs::of_position(&undecided.position, &mut maps, Kernel::fastest())?;
            let (won, target) = (undecided.won as f32, undecided.target(blend) as f32);
            Some((Sample { inputs, won, target }, undecided))
        });
        let (unseen, seen): (Vec<Test>, Vec<Test>) = tests.partition(|_| is_unseen(number, ONE_UNSEEN_IN));
        (seen.into_iter().map(|(sample, _)| sample).collect(), unseen)
    };
    let (seen, unseen): (Vec<Vec<Sample>>, Vec<Vec<Test>>) =
        games.par_iter().enumerate().map(of_game).unzip();
    (seen.into_iter().flatten().collect(), unseen.into_iter().flatten().collect())
}

/// Where the network comes from, for its file.
fn trained(args: &Args, games: usize, positions: usize) -> String {
    let Args { blend, epochs, rate, decay, seed, .. } = args;
    format!(
        "by lab fit-network, from {games} games, {positions} positions; blend {blend}, {epochs} epochs, rate {rate}, \
         decay {decay}, seed {seed}"
    )
}

/// The model of a file, as the engine plays with it.
fn model(file: &WeightsFile) -> Result<Model, String> {
    Model::from_weights(&file.write())
}

/// The plies, as on 10x10, at which the rows of the table of losses begin.
const STAGES: [u8; 8] = [0, 13, 20, 27, 34, 41, 48, 56];

/// How well the results of unseen games are foreseen at each stage: by the network as it was trained and as the engine
/// computes it, by the model it began from, and by the searches that played.
fn print_losses(tests: &[Test], network: &Floats, models: [&Model; 2]) {
    println!("\nlog-loss of the results of unseen games");
    println!("                 positions  network  rounded    base   search");
    let [rounded, base] = models.map(|model| {
        let evaluator = Evaluator::new(model.clone());
        move |test: &Undecided, scratch: &mut ModelScratch| {
            probability(evaluator.value(&test.position, scratch).0.into())
        }
    });
    let mut scratch = ModelScratch::default();
    let losses: Vec<(u8, [f64; 4])> = tests
        .iter()
        .map(|(sample, test)| {
            let of_network = probability(network.log_odds(&sample.inputs).into());
            let foreseen = [of_network, rounded(test, &mut scratch), base(test, &mut scratch), test.win_rate];
            (sample.inputs.ply, foreseen.map(|foreseen| log_loss(test.won, foreseen)))
        })
        .collect();
    let ends = STAGES.into_iter().skip(1).chain([u8::MAX]);
    let stages = STAGES.into_iter().zip(ends).map(|(from, to)| (format!("from ply {from}"), from..to));
    for (name, plies) in stages.chain([("all".to_owned(), 0..u8::MAX)]) {
        let of_stage = losses.iter().filter(|(ply, _)| plies.contains(ply));
        let mut count = 0;
        let mut sums = [0.0; 4];
        for (_, losses) in of_stage {
            count += 1;
            sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
        }
        if count > 0 {
            let [network, rounded, base, search] = sums.map(|sum| sum / f64::from(count));
            println!("{name:15} {count:10} {network:8.4} {rounded:8.4} {base:8.4} {search:8.4}");
        }
    }
}

/// The losses epoch by epoch.
fn curve(epochs: &[Epoch]) -> Plot {
    let points = |loss: fn(&Epoch) -> f64| (1..).map(f64::from).zip(epochs.iter().map(loss)).collect();
    Plot {
        title: "Log-loss of the results",
        horizontal: "epoch",
        scale: Scale::Linear,
        is_from_zero: false,
        lines: vec![
            Line::new("games seen, in training", points(|epoch| epoch.seen)),
            Line::new("unseen games", points(|epoch| epoch.unseen)),
        ],
    }
}
