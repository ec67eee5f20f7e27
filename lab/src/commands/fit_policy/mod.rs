//! `lab fit-policy`: the weights of the priors, fitted to the visits of longer searches.
//!
//! Positions are drawn from games and searched. How the visits spread over the movements is one observation,
//! how they spread over the arrows of the favourite movements are some more. The weights maximise the
//! likelihood of these distributions; a fifth of the games, not seen by the fit, tells how well.

mod searches;

use crate::arguments::{TaskArgs, WorkArgs, read_count};
use crate::commands::convert::read_games;
use crate::files::{Output, read_weights};
use crate::matches::spec::{check_board, search_params};
use fastrand::Rng;
use otrera::eval::policy::{
    ARROW_FEATURES, Arrows, MOVEMENT_FEATURES, Movements, PolicyWeights, STAGES, classes, stage,
};
use otrera::eval::weights::PriorWeights;
use otrera::simd::PortableLanes;
use otrera::{ArrowPhase, DistanceMaps, Kernel, Movement, Position};
use rayon::prelude::*;
use searches::Visits;
use std::path::PathBuf;

/// The weights of the priors, fitted to the visits of longer searches.
#[derive(clap::Args)]
pub struct Args {
    /// Results files or records of games, from which positions are drawn; boards of all sizes share their priors.
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
    /// Seed of the drawing and of the searches.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    task: TaskArgs,
    /// Keep what the searches find in this file, and go on with those that it holds.
    #[arg(long, value_name = "FILE")]
    searches: Option<PathBuf>,
    /// A file of weights whose other parts are kept (default: those that are built in).
    #[arg(long)]
    base: Option<PathBuf>,
    /// The file that is written, for `model=FILE`. Weights that prove good in games are built in from
    /// src/eval/weights/fitted.json.
    #[arg(long, default_value = "results/weights.json")]
    output: PathBuf,
}

/// How visits spread over half-moves, with the features of each.
struct Observation<const FEATURES: usize> {
    stage: usize,
    unseen: bool,
    /// Features, and the share of the visits.
    choices: Vec<([usize; FEATURES], f64)>,
}

/// Runs the command.
///
/// # Errors
/// Games that cannot be read or are too few, or a file that cannot be written.
pub fn run(args: &Args) -> Result<(), String> {
    let params = search_params(&args.search)?;
    if let Some(numbers) = &args.task.numbers {
        return searches::print(args, &params, &draw(args)?, numbers.clone());
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
    // Of positions that are proven, searches have nothing to tell.
    check_amount(movements.iter().map(|observation| (observation.stage, observation.unseen)))?;
    let movement_weights = fit::<MOVES, { classes(&MOVEMENT_FEATURES) }>(
        "movements",
        &movements,
        &MOVEMENT_FEATURES,
        args.steps,
    );
    let arrow_weights =
        fit::<ARROWS, { classes(&ARROW_FEATURES) }>("arrows", &arrows, &ARROW_FEATURES, args.steps);
    file.priors = PriorWeights {
        trained: format!(
            "by lab fit-policy, from {} positions, searched with {} iterations each by {}",
            positions.len(),
            args.iterations,
            args.search
        ),
        movements: rows(&movement_weights, &MOVEMENT_FEATURES),
        arrows: rows(&arrow_weights, &ARROW_FEATURES),
    };
    output.write_or_keep(&file.write())?;
    println!("written: {}", output.path().display());
    Ok(())
}

/// The file of weights that the search plays with, if there is one.
fn searched_with(args: &Args) -> Option<PathBuf> {
    let mut settings = args.search.split(',').filter_map(|setting| setting.trim().split_once('='));
    settings.find(|(name, _)| name.eq_ignore_ascii_case("model")).map(|(_, file)| file.into())
}

/// The fewest positions of a stage of the game that weights are fitted to, and the fewest that test them.
const LEAST: [usize; 2] = [250, 50];

/// Makes sure that there are enough positions of each stage: a weight that hardly any of them tells of stays near zero.
fn check_amount(positions: impl Iterator<Item = (usize, bool)>) -> Result<(), String> {
    let mut counts = [[0; 2]; STAGES];
    positions.for_each(|(stage, unseen)| counts[stage][usize::from(unseen)] += 1);
    let [fitted, tested] = LEAST;
    for (number, [seen, unseen]) in (1..).zip(counts) {
        if seen < fitted || unseen < tested {
            return Err(format!(
                "too few positions: stage {number} of the {STAGES} of a game has {seen} for the fit and {unseen} for \
                 its test (every fifth game), and at least {fitted} and {tested} are needed: give more games, whole \
                 ones, or a larger --positions"
            ));
        }
    }
    Ok(())
}

/// A position that is drawn from a game.
struct Drawn {
    position: Position,
    /// Whether the fit is not to see it.
    unseen: bool,
    /// Of its search.
    seed: u64,
}

/// Positions that are drawn evenly from the games.
fn draw(args: &Args) -> Result<Vec<Drawn>, String> {
    let mut all = Vec::new();
    let mut number = 0;
    for path in &args.games {
        for game in read_games(path)? {
            number += 1;
            let undecided = game.positions().into_iter().filter(|position| position.winner().is_none());
            all.extend(undecided.map(|position| (position, number % 5 == 0)));
        }
    }
    let mut rng = Rng::with_seed(args.seed);
    rng.shuffle(&mut all);
    all.truncate(args.positions);
    let drawn = all.into_iter().map(|(position, unseen)| Drawn { position, unseen, seed: rng.u64(..) });
    Ok(drawn.collect())
}

/// Features of a movement and of an arrow.
const MOVES: usize = MOVEMENT_FEATURES.len();
const ARROWS: usize = ARROW_FEATURES.len();

type Observations = (Vec<Observation<MOVES>>, Vec<Observation<ARROWS>>);

/// How visits spread over the movements of a position, and over the arrows of those movements that had at least an
/// eighth of all.
fn observe(drawn: &Drawn, visits: &Visits) -> Observations {
    if visits.is_empty() {
        return Default::default();
    }
    let Drawn { position, unseen, .. } = drawn;
    let total: u32 = visits.iter().map(|(_, visits)| visits).sum();
    let of_movement = |movement: Movement| -> u32 {
        visits.iter().filter(|(mv, _)| mv.movement() == movement).map(|(_, visits)| visits).sum()
    };
    let mut maps = DistanceMaps::default();
    maps.flood(position, Kernel::fastest());
    let known = Movements::new::<PortableLanes>(position, &maps);
    let share = |movement| f64::from(of_movement(movement)) / f64::from(total.max(1));
    let shares: Vec<(Movement, f64)> =
        position.movements().map(|movement| (movement, share(movement))).collect();
    let classes = |square| known.classes(square);
    let features =
        |movement: Movement| known.features(movement, classes(movement.from), classes(movement.to));
    let choices = shares.iter().map(|&(movement, share)| (features(movement), share)).collect();
    let movements = vec![Observation { stage: stage(position), unseen: *unseen, choices }];
    let arrows = shares.iter().filter(|(_, share)| *share >= 0.125).map(|&(movement, _)| {
        let of_arrow = |arrow| {
            let mv = movement.with_arrow(arrow);
            visits.iter().find(|(other, _)| *other == mv).map_or(0, |(_, visits)| *visits)
        };
        arrow_observation(&position.with_movement(movement), *unseen, of_arrow, &mut maps)
    });
    (movements, arrows.collect())
}

fn arrow_observation(
    arrow_phase: &ArrowPhase,
    unseen: bool,
    visits: impl Fn(otrera::Square) -> u32,
    maps: &mut DistanceMaps,
) -> Observation<ARROWS> {
    maps.flood(arrow_phase.position(), Kernel::fastest());
    let known = Arrows::new::<PortableLanes>(arrow_phase, maps);
    let total: u32 = arrow_phase.arrow_targets().into_iter().map(&visits).sum();
    let share = |arrow| f64::from(visits(arrow)) / f64::from(total.max(1));
    let choices = arrow_phase.arrow_targets().into_iter();
    let features = |arrow| known.features(arrow_phase, arrow);
    let choices = choices.map(|arrow| (features(arrow), share(arrow))).collect();
    Observation { stage: stage(arrow_phase.position()), unseen, choices }
}

/// Weights that maximise the likelihood of the observations that may be seen, by Adam on all at once.
fn fit<const FEATURES: usize, const CLASSES: usize>(
    name: &str,
    observations: &[Observation<FEATURES>],
    sizes: &[usize; FEATURES],
    steps: u32,
) -> PolicyWeights<CLASSES> {
    const RATE: f64 = 0.1;
    const MEMORY: f64 = 0.9;
    const MEMORY_OF_SQUARES: f64 = 0.99;
    let firsts: [usize; FEATURES] = std::array::from_fn(|feature| sizes[..feature].iter().sum());
    let mut weights = vec![0.0; STAGES * CLASSES];
    let (mut momentum, mut squares) = (weights.clone(), weights.clone());
    let seen: Vec<_> = observations.iter().filter(|observation| !observation.unseen).collect();
    let unseen: Vec<_> = observations.iter().filter(|observation| observation.unseen).collect();
    for step in 1..=steps {
        let gradient = gradient::<FEATURES, CLASSES>(&seen, &firsts, &weights);
        let rate = RATE * (1.0 - f64::from(step - 1) / f64::from(steps));
        for (i, slope) in gradient.into_iter().enumerate() {
            momentum[i] = MEMORY * momentum[i] + (1.0 - MEMORY) * slope;
            squares[i] = MEMORY_OF_SQUARES * squares[i] + (1.0 - MEMORY_OF_SQUARES) * slope * slope;
            let unbiased =
                (1.0 - MEMORY_OF_SQUARES.powi(step as i32)).sqrt() / (1.0 - MEMORY.powi(step as i32));
            weights[i] += rate * unbiased * momentum[i] / (squares[i].sqrt() + 1e-8);
        }
    }
    print_losses::<FEATURES, CLASSES>(name, &unseen, &firsts, &weights);
    std::array::from_fn(|stage| std::array::from_fn(|class| weights[stage * CLASSES + class] as f32))
}

/// The probabilities of the choices of an observation.
fn probabilities<const FEATURES: usize, const CLASSES: usize>(
    observation: &Observation<FEATURES>,
    firsts: &[usize; FEATURES],
    weights: &[f64],
) -> Vec<f64> {
    let weights = &weights[observation.stage * CLASSES..];
    let score = |features: &[usize; FEATURES]| -> f64 {
        features.iter().zip(firsts).map(|(feature, first)| weights[first + feature]).sum()
    };
    let mut odds: Vec<f64> = observation.choices.iter().map(|(features, _)| score(features).exp()).collect();
    let sum: f64 = odds.iter().sum();
    odds.iter_mut().for_each(|odds| *odds /= sum);
    odds
}

/// The slope of the mean log-likelihood, with a pull to zero as if each weight were known to be about one: it
/// holds back classes that are hardly ever seen.
fn gradient<const FEATURES: usize, const CLASSES: usize>(
    observations: &[&Observation<FEATURES>],
    firsts: &[usize; FEATURES],
    weights: &[f64],
) -> Vec<f64> {
    let zero = || vec![0.0; weights.len()];
    let sum = |mut a: Vec<f64>, b: Vec<f64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let of_one = |mut slopes: Vec<f64>, observation: &&Observation<FEATURES>| {
        let probabilities = probabilities::<FEATURES, CLASSES>(observation, firsts, weights);
        for ((features, share), probability) in observation.choices.iter().zip(probabilities) {
            for (feature, first) in features.iter().zip(firsts) {
                slopes[observation.stage * CLASSES + first + feature] += share - probability;
            }
        }
        slopes
    };
    let mut slopes = observations.par_iter().fold(zero, of_one).reduce(zero, sum);
    let count = observations.len().max(1) as f64;
    slopes.iter_mut().zip(weights).for_each(|(slope, weight)| *slope = (*slope - weight) / count);
    slopes
}

/// How well unseen visits are foreseen: the cross-entropy beside its lower bound and that of knowing nothing.
fn print_losses<const FEATURES: usize, const CLASSES: usize>(
    name: &str,
    observations: &[&Observation<FEATURES>],
    firsts: &[usize; FEATURES],
    weights: &[f64],
) {
    println!("{name:10} stage  unseen  nothing known  fitted  at best  favourite found");
    for stage in 0..STAGES {
        let chosen: Vec<_> = observations.iter().filter(|observation| observation.stage == stage).collect();
        let (mut nothing, mut fitted, mut best, mut found) = (0.0, 0.0, 0.0, 0);
        for observation in &chosen {
            let probabilities = probabilities::<FEATURES, CLASSES>(observation, firsts, weights);
            let shares = || observation.choices.iter().map(|(_, share)| *share);
            nothing += (observation.choices.len() as f64).ln();
            fitted -= shares().zip(&probabilities).map(|(share, p)| share * p.ln()).sum::<f64>();
            best -= shares().filter(|&share| share > 0.0).map(|share| share * share.ln()).sum::<f64>();
            found += usize::from(highest(shares()) == highest(probabilities.iter().copied()));
        }
        let count = chosen.len().max(1) as f64;
        println!(
            "{:10} {stage:5} {:7} {:14.3} {:7.3} {:8.3} {:15.1}%",
            "",
            chosen.len(),
            nothing / count,
            fitted / count,
            best / count,
            found as f64 / count * 100.0
        );
    }
}

/// The place of the highest value.
fn highest(values: impl Iterator<Item = f64>) -> Option<usize> {
    values.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(place, _)| place)
}

/// The weights as a file holds them, to two decimals: by stage, feature and class.
fn rows<const CLASSES: usize>(weights: &PolicyWeights<CLASSES>, sizes: &[usize]) -> Vec<Vec<Vec<f32>>> {
    // Adding zero makes -0 of what is rounded to nothing a 0.
    let rounded = |weight: &f32| (weight * 100.0).round() / 100.0 + 0.0;
    let of_stage = |row: &[f32; CLASSES]| {
        let mut row = row.iter().map(rounded);
        sizes.iter().map(|&classes| row.by_ref().take(classes).collect()).collect()
    };
    weights.iter().map(of_stage).collect()
}
