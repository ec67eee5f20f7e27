//! `lab fit-policy`: trains the policy on games by stochastic gradient descent.
//!
//! A training sample is a position whose result the search had not proven. The targets are the fractions of the
//! search's visits: of each movement, and of each arrow after the movement of the most-visited move. In records without
//! visits, the move played is the target. The log-linear weights and the network ([`otrera::eval::policy_network`]) are
//! trained together in floating point to minimise the cross-entropy. Each use of a sample applies a random symmetry of
//! the board. The rows are then rounded to the engine's integers. One tenth of the games is held out: on these games
//! the policy is compared with the base model.
//!
//! The policy depends on the games, the options and the seed, not on the number of threads.

mod decisions;
mod network;

use crate::arguments::{read_count, read_learning_rate};
use crate::files::{Output, PLOT, WEIGHTS, read_weights};
use crate::plot::Plot;
use crate::sheet::Sheet;
use crate::training::{Data, TrainingArgs, curve, train};
pub use decisions::Kind;
use decisions::{Sample, samples_of};
use fastrand::Rng;
use network::Policy;
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::eval::policy::STAGES;
use otrera::eval::weights::{Rows, WeightsFile};
use otrera::{Move, Position};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Train the policy, which gives the priors, on games.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    training: TrainingArgs,
    /// Number of passes over the positions.
    #[arg(long, default_value = "8", value_parser = read_count::<u32>)]
    epochs: u32,
    /// Initial learning rate.
    #[arg(long, default_value = "0.005", value_parser = read_learning_rate)]
    rate: f64,
    /// Train only this kind of half-moves, and keep the base's weights of the other.
    #[arg(long, value_enum)]
    only: Option<Kind>,
    /// Output file for `model=FILE`; the learning curves are written beside it.
    #[arg(long, default_value = "results/policy.json")]
    output: PathBuf,
}

/// Minimum numbers of positions in the training set and in the held-out set.
const MIN_POSITIONS: [usize; 2] = [1000, 100];

pub fn run(args: &Args) -> Result<(), String> {
    fit(args, &|text| println!("{text}")).map(drop)
}

/// Summary of a finished training run. `cross_entropy` and `favourite` (top-1 accuracy) are measured on held-out games
/// and formatted: `[movements, arrows]`.
#[derive(Serialize, Deserialize)]
pub struct Fit {
    games: usize,
    positions: usize,
    cross_entropy: [String; 2],
    favourite: [String; 2],
}

impl Fit {
    /// Formats the number of games, the number of positions, the cross-entropies and the accuracies.
    pub fn cells(&self) -> [String; 4] {
        let Self { games, positions, cross_entropy, favourite } = self;
        [games.to_string(), positions.to_string(), cross_entropy.join(", "), favourite.join(", ")]
    }
}

impl Args {
    /// Returns the output of the learning curve; `None` for a kind that is not trained.
    fn picture_of(&self, kind: Kind, inputs: &[PathBuf]) -> Result<Option<Output>, String> {
        if self.only.is_some_and(|only| only != kind) {
            return Ok(None);
        }
        let path = self.output.with_extension(format!("{}.svg", kind.name()));
        Output::new(&path, inputs, PLOT).map(Some)
    }

    /// Describes the training, for the weights file; `before` describes the base's policy.
    fn trained(&self, games: usize, positions: usize, before: &str) -> String {
        let Self { epochs, rate, training: TrainingArgs { decay, seed, .. }, .. } = self;
        let trained = format!(
            "by lab fit-policy, from {games} games, {positions} positions; {epochs} epochs, rate {rate}, decay {decay}, seed {seed}"
        );
        let Some(only) = self.only.map(Kind::name) else { return trained };
        let rest = match before.split_once("; the rest: ") {
            Some((same, rest)) if same.starts_with(&format!("{only}: ")) => rest,
            _ => before,
        };
        format!("{only}: {trained}; the rest: {rest}")
    }
}

/// A trained policy, its losses on held-out games and its learning curve.
type Fitted = (Policy, Sheet, Plot);

/// Trains the policy of one kind of half-moves.
fn fit_kind(
    args: &Args,
    data: &Data<Sample>,
    base: &Evaluator,
    kind: Kind,
    say: &dyn Fn(&str),
) -> Result<Fitted, String> {
    let random = |rng: &mut Rng| Policy::random(kind, data.network_edge(), rng);
    let (policy, epochs) = train(random, data, args.epochs, args.rate, kind.name())?;
    let losses = losses(kind, &policy, base, &data.tests);
    say(&losses.to_text());
    Ok((policy, losses, curve("Cross-entropy of the policy against the visits", &epochs)))
}

/// Trains the policy and writes the weights file; calls `say` with each line of the report.
pub fn fit(args: &Args, say: &dyn Fn(&str)) -> Result<Fit, String> {
    let mut file = read_weights(args.training.base.as_deref())?;
    let inputs = args.training.inputs();
    let output = Output::new(&args.output, &inputs, WEIGHTS)?;
    output.try_out(WeightsFile::BUILT_IN)?;
    let pictures = [args.picture_of(Kind::Movements, &inputs)?, args.picture_of(Kind::Arrows, &inputs)?];
    let data = Data::open(&args.training, MIN_POSITIONS, &samples_of)?;
    let (is_small, games, positions) = (data.is_small(), data.games, data.seen + data.unseen);
    say(&format!("{games} games, {positions} positions, {} of them unseen", data.unseen));
    let base = Evaluator::new(Model::from_weights(&file.write())?);
    let fitted = |kind: Kind, picture: &Option<Output>| {
        picture.as_ref().map(|_| fit_kind(args, &data, &base, kind, say)).transpose()
    };
    let [movements, arrows] = [fitted(Kind::Movements, &pictures[0])?, fitted(Kind::Arrows, &pictures[1])?];
    let weights = if is_small { &mut file.priors.small } else { &mut file.priors.standard };
    weights.trained = args.trained(games, positions, &weights.trained);
    if let Some((policy, ..)) = &movements {
        (weights.movements, weights.movement_rows) = (policy.rounded_linear(), Rows(policy.rounded_rows()));
    }
    if let Some((policy, ..)) = &arrows {
        (weights.arrows, weights.arrow_rows) = (policy.rounded_linear(), Rows(policy.rounded_rows()));
    }
    output.write_or_keep(&file.write())?;
    for (picture, fitted) in pictures.iter().zip([&movements, &arrows]) {
        if let (Some(picture), Some((.., plot))) = (picture, fitted) {
            plot.write(picture)?;
            say(&format!("written: {}", picture.path().display()));
        }
    }
    say(&format!("written: {}", output.path().display()));
    // Row `STAGES` covers all stages; columns 2 and 3 are the cross-entropy and the top-1 accuracy.
    let of_all = |column: usize| {
        [&movements, &arrows].map(|fitted| match fitted {
            Some((_, losses, _)) => losses.rows[STAGES][column].clone(),
            None => "not trained".into(),
        })
    };
    Ok(Fit { games, positions, cross_entropy: of_all(2), favourite: of_all(3) })
}

/// Tabulates by stage, on held-out samples, the mean cross-entropy of the policy in nats, and the top-1 accuracy of the
/// policy and of the base model: how often, in per cent, the half-move of the most-visited move has the highest prior.
fn losses(kind: Kind, policy: &Policy, base: &Evaluator, unseen: &[Sample]) -> Sheet {
    let found: Vec<(usize, f64, [bool; 2])> = unseen
        .par_iter()
        .map_init(ModelScratch::default, |scratch, sample| {
            let (stage, loss, is_found) = policy.loss(sample);
            (stage, loss, [is_found, finds(base, &sample.position, sample.mv, kind, scratch)])
        })
        .collect();
    let mut sheet = Sheet::new(kind.name(), &["stage", "unseen", "cross-entropy", "favourite", "base"]);
    for stage in 0..=STAGES {
        let of_stage: Vec<_> = found.iter().filter(|(of, ..)| stage == STAGES || *of == stage).collect();
        let count = of_stage.len().max(1) as f64;
        let loss = of_stage.iter().map(|(_, loss, _)| loss).sum::<f64>() / count;
        let share = |which: usize| {
            let found = of_stage.iter().filter(|(.., found)| found[which]).count();
            format!("{:.1} %", 100.0 * found as f64 / count)
        };
        let name = if stage == STAGES { "all".into() } else { (stage + 1).to_string() };
        sheet.row([name, of_stage.len().to_string(), format!("{loss:.4}"), share(0), share(1)]);
    }
    sheet
}

/// True if the model gives its highest prior to the half-move of `mv`: to its movement, or to its arrow among the
/// arrows after this movement.
pub fn finds(
    model: &Evaluator,
    position: &Position,
    mv: Move,
    kind: Kind,
    scratch: &mut ModelScratch,
) -> bool {
    fn is_first<T: PartialEq>(logits: &[(T, f32)], wanted: T) -> bool {
        logits.iter().max_by(|a, b| a.1.total_cmp(&b.1)).is_some_and(|(first, _)| *first == wanted)
    }
    match kind {
        Kind::Movements => is_first(&model.movement_logits(position, scratch), mv.movement()),
        Kind::Arrows => {
            is_first(&model.arrow_logits(&position.with_movement(mv.movement()), scratch), mv.arrow)
        }
    }
}
