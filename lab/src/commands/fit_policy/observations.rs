//! Positions drawn from games, and the visits of their searches as observations.

use super::Args;
use crate::commands::convert::read_all_games;
use fastrand::Rng;
use otrera::eval::policy::{ARROW_FEATURES, Arrows, MOVEMENT_FEATURES, Movements, stage};
use otrera::simd::PortableLanes;
use otrera::{ArrowPhase, DistanceMaps, Kernel, Move, Movement, Position, Square};

/// The visits of each visited move; empty if the position is proven, since visits do not decide it.
pub type Visits = Vec<(Move, u32)>;

/// A position drawn from a game.
pub struct Drawn {
    pub position: Position,
    /// True if the position tests the fit: every fifth game does.
    pub unseen: bool,
    pub seed: u64,
}

/// Draws positions from all games, each equally likely.
pub fn draw(args: &Args) -> Result<Vec<Drawn>, String> {
    let mut all = Vec::new();
    for (number, game) in (1..).zip(read_all_games(&args.games)?) {
        let undecided = game.positions().into_iter().filter(|position| position.winner().is_none());
        all.extend(undecided.map(|position| (position, number % 5 == 0)));
    }
    let mut rng = Rng::with_seed(args.seed);
    rng.shuffle(&mut all);
    all.truncate(args.positions);
    let drawn = all.into_iter().map(|(position, unseen)| Drawn { position, unseen, seed: rng.u64(..) });
    Ok(drawn.collect())
}

/// The distribution of a search's visits over half-moves, with their features.
pub struct Observation<const FEATURES: usize> {
    pub stage: usize,
    /// True if the observation tests the fit.
    pub unseen: bool,
    /// The indices of the features' weights, and the share of the visits, of each half-move.
    pub choices: Vec<([usize; FEATURES], f64)>,
}

pub const MOVES: usize = MOVEMENT_FEATURES.len();
pub const ARROWS: usize = ARROW_FEATURES.len();

/// The observations of one search: over the movements, and over the arrows of each favourite movement.
pub type Observations = (Vec<Observation<MOVES>>, Vec<Observation<ARROWS>>);

/// Returns the visits' distribution over the movements, and over the arrows of movements with an eighth of all visits.
pub fn observe(drawn: &Drawn, visits: &Visits) -> Observations {
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
    let stage = stage(position);
    let features = |movement: Movement| {
        let features = known.features(movement, classes(movement.from), classes(movement.to));
        indices(stage, features, &MOVEMENT_FEATURES)
    };
    let choices = shares.iter().map(|&(movement, share)| (features(movement), share)).collect();
    let movements = vec![Observation { stage, unseen: *unseen, choices }];
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
    visits: impl Fn(Square) -> u32,
    maps: &mut DistanceMaps,
) -> Observation<ARROWS> {
    maps.flood(arrow_phase.position(), Kernel::fastest());
    let known = Arrows::new::<PortableLanes>(arrow_phase, maps);
    let total: u32 = arrow_phase.arrow_targets().into_iter().map(&visits).sum();
    let share = |arrow| f64::from(visits(arrow)) / f64::from(total.max(1));
    let choices = arrow_phase.arrow_targets().into_iter();
    let stage = stage(arrow_phase.position());
    let features = |arrow| indices(stage, known.features(arrow_phase, arrow), &ARROW_FEATURES);
    let choices = choices.map(|arrow| (features(arrow), share(arrow))).collect();
    Observation { stage, unseen, choices }
}

/// The indices of the weights of each feature's class, by stage, feature and class.
fn indices<const FEATURES: usize>(
    stage: usize,
    features: [usize; FEATURES],
    classes: &[usize; FEATURES],
) -> [usize; FEATURES] {
    let mut first = stage * classes.iter().sum::<usize>();
    std::array::from_fn(|i| {
        first += classes[i];
        first - classes[i] + features[i]
    })
}
