//! `lab fit-eval`: weights of the evaluation from games, by logistic regression.
//!
//! Each position of each game is an observation: the terms, seen by the side to move, and whether that
//! side won. The weights are fitted at some plies, the knots, with straight lines between them, so that
//! the weighted sum is the natural log-odds of winning. All knots are fitted together by Newton's method
//! with a ridge, on four games of five; the fifth tells how well the weights foresee games not seen.

use crate::arguments::{read_positive, read_share};
use crate::commands::foreseen::{
    Boards, check_amount, is_unseen, log_loss, probability, read_all_games, undecided,
};
use crate::files::{Output, read_weights};
use clap::builder::PossibleValuesParser;
use nalgebra::{DMatrix, DVector};
use otrera::eval::standard_ply;
use otrera::eval::terms::{NAMES, TERMS, Terms};
use otrera::eval::weights::{Course, Knot};
use otrera::{DistanceMaps, GameRecord, Kernel, Position};
use rayon::prelude::*;
use std::path::PathBuf;

/// Weights of the evaluation from games.
#[derive(clap::Args)]
pub struct Args {
    /// Results files or records of games between good players.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Plies (arrows on the board, on 10x10) at which weights are fitted, with commas between; earlier positions are left
    /// out.
    #[arg(long, value_delimiter = ',', default_values_t = [5, 13, 20, 27, 34, 41, 48, 56, 66])]
    knots: Vec<u32>,
    /// Terms to leave out.
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(NAMES))]
    without: Vec<String>,
    /// Share of the search's winning rate in what is to be foreseen, beside the result of the game.
    #[arg(long, default_value = "0.25", value_parser = read_share)]
    blend: f64,
    /// How strongly weights are held near zero.
    #[arg(long, default_value = "1", value_parser = read_positive)]
    ridge: f64,
    /// A file of weights whose other parts are kept (default: those that are built in).
    #[arg(long)]
    base: Option<PathBuf>,
    /// The file that is written, for `model=FILE`. Weights that prove good in games are built in from
    /// src/eval/weights/fitted.json.
    #[arg(long, default_value = "results/weights.json")]
    output: PathBuf,
}

/// One position: what is seen, and what came of it.
struct Observation {
    /// The terms for the side to move, in the order of [`NAMES`].
    terms: [f64; TERMS],
    /// The knot at or before this ply, and how far it is from there to the next.
    knot: usize,
    part: f64,
    /// What is to be foreseen: 1 for a win of the side to move.
    target: f64,
    /// Whether it belongs to a game that the fit does not see.
    unseen: bool,
}

impl Observation {
    /// The coefficients that are not zero, with their numbers.
    fn entries(&self, knots: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let parts = [(self.knot, 1.0 - self.part), (self.knot + 1, self.part)];
        parts.into_iter().filter(move |&(knot, part)| knot < knots && part > 0.0).flat_map(
            move |(knot, part)| {
                self.terms.iter().enumerate().map(move |(i, term)| (knot * TERMS + i, term * part))
            },
        )
    }

    fn log_odds(&self, weights: &DVector<f64>, knots: usize) -> f64 {
        self.entries(knots).map(|(i, x)| weights[i] * x).sum()
    }
}

/// Runs the command.
///
/// # Errors
/// Games that cannot be read, or too few of them.
pub fn run(args: &Args) -> Result<(), String> {
    if args.knots.is_empty() || !args.knots.is_sorted_by(|a, b| a < b) {
        return Err("--knots: plies in ascending order are wanted".into());
    }
    let mut file = read_weights(args.base.as_deref())?;
    let output = Output::new(&args.output, &[&args.games[..], args.base.as_slice()].concat())?;
    let games = read_all_games(&args.games)?;
    let boards = Boards::of(&games)?;
    let observations: Vec<Observation> =
        games.par_iter().enumerate().flat_map_iter(|(number, game)| observe(game, number, args)).collect();
    check_knots(&observations, &args.knots)?;
    println!("{} games, {} positions", games.len(), observations.len());
    let weights = newton(&observations, args)?;
    print_losses(&observations, &weights, args);
    *boards.choose(&mut file.value.standard, &mut file.value.small) =
        course(&weights, args, games.len(), observations.len());
    output.write(&file.write())?;
    println!("written: {}, for boards {}", output.path().display(), boards.name());
    Ok(())
}

/// The fewest positions that weights are fitted to, and the fewest that test them.
const LEAST: [usize; 2] = [1000, 200];

/// The fewest positions from a knot to the next that weights are fitted to.
const MIN_OF_KNOT: usize = 25;

/// Makes sure that there are enough positions, those from each knot to the next included: a weight that hardly any of
/// them tells of stays near zero.
fn check_knots(observations: &[Observation], knots: &[u32]) -> Result<(), String> {
    let unseen = observations.iter().filter(|observation| observation.unseen).count();
    check_amount([observations.len() - unseen, unseen], LEAST, "a fifth")?;
    for (knot, ply) in knots.iter().enumerate() {
        let count = observations.iter().filter(|seen| !seen.unseen && seen.knot == knot).count();
        if count < MIN_OF_KNOT {
            return Err(format!(
                "too few positions from ply {ply} to the next knot: {count}, and at least {MIN_OF_KNOT} are \
                 needed: give more games, or other --knots"
            ));
        }
    }
    Ok(())
}

/// The observations of a game. Positions before the first knot, where the result is anybody's guess, are left out.
fn observe(game: &GameRecord, number: usize, args: &Args) -> Vec<Observation> {
    let mut maps = DistanceMaps::default();
    let seen = undecided(game).into_iter().filter_map(|undecided| {
        let (knot, part) = place(&undecided.position, &args.knots)?;
        let of_position = Terms::of_position(&undecided.position, &mut maps, Kernel::fastest());
        Some(Observation {
            terms: terms(&of_position, &args.without),
            knot,
            part,
            target: undecided.target(args.blend),
            unseen: is_unseen(number, 5),
        })
    });
    seen.collect()
}

fn terms(terms: &Terms, without: &[String]) -> [f64; TERMS] {
    let is_left_out = |name: &str| without.iter().any(|left_out| left_out == name);
    std::array::from_fn(|term| if is_left_out(NAMES[term]) { 0.0 } else { f64::from(terms.0[term]) })
}

/// The last knot at or before a position, and the part of the way from it to the next.
fn place(position: &Position, knots: &[u32]) -> Option<(usize, f64)> {
    let ply = standard_ply(position) as u32;
    let knot = knots.partition_point(|&knot| knot <= ply).checked_sub(1)?;
    let part =
        knots.get(knot + 1).map_or(0.0, |&next| f64::from(ply - knots[knot]) / f64::from(next - knots[knot]));
    Some((knot, part))
}

/// The weights that maximise the likelihood less the ridge.
fn newton(observations: &[Observation], args: &Args) -> Result<DVector<f64>, String> {
    let (knots, size) = (args.knots.len(), args.knots.len() * TERMS);
    let mut weights = DVector::zeros(size);
    for _ in 0..25 {
        let mut gradient: DVector<f64> = -args.ridge * &weights;
        let mut hessian = DMatrix::identity(size, size) * args.ridge;
        for observation in observations.iter().filter(|observation| !observation.unseen) {
            let foreseen = probability(observation.log_odds(&weights, knots));
            let (error, curvature) = (observation.target - foreseen, foreseen * (1.0 - foreseen));
            for (i, x) in observation.entries(knots) {
                gradient[i] += error * x;
                for (j, y) in observation.entries(knots) {
                    hessian[(i, j)] += curvature * x * y;
                }
            }
        }
        let step = hessian.cholesky().ok_or("the fit does not converge: more games, or a larger --ridge")?;
        let step = step.solve(&gradient);
        weights += &step;
        if step.amax() < 1e-6 {
            break;
        }
    }
    Ok(weights)
}

/// The weights as a file holds them, to four decimals.
fn course(weights: &DVector<f64>, args: &Args, games: usize, positions: usize) -> Course {
    // Adding zero makes -0 of what is rounded to nothing a 0.
    let rounded = |weight: &f64| ((weight * 1e4).round() / 1e4 + 0.0) as f32;
    let knots = args.knots.iter().zip(weights.as_slice().chunks(TERMS));
    Course {
        trained: format!("by lab fit-eval, from {games} games, {positions} positions; blend {}", args.blend),
        knots: knots
            .map(|(&ply, row)| Knot { ply: ply as usize, weights: row.iter().map(rounded).collect() })
            .collect(),
    }
}

/// How well the weights foresee the games that they were not fitted to, by ply.
fn print_losses(observations: &[Observation], weights: &DVector<f64>, args: &Args) {
    println!("\nunseen games     positions  log-loss  right");
    let unseen = |knot: Option<usize>| {
        observations.iter().filter(move |seen| seen.unseen && knot.is_none_or(|knot| seen.knot == knot))
    };
    let ranges = (0..args.knots.len()).map(Some).chain([None]);
    for range in ranges {
        let count = unseen(range).count();
        if count == 0 {
            continue;
        }
        let (mut loss, mut right) = (0.0, 0.0);
        for seen in unseen(range) {
            let foreseen = probability(seen.log_odds(weights, args.knots.len()));
            loss += log_loss(seen.target, foreseen);
            right += f64::from(u8::from((foreseen > 0.5) == (seen.target > 0.5)));
        }
        let name = range.map_or("all".to_owned(), |knot| format!("from ply {}", args.knots[knot]));
        let (loss, right) = (loss / count as f64, right / count as f64);
        println!("{name:15} {count:10}  {loss:8.4}  {:4.1}%", right * 100.0);
    }
}
