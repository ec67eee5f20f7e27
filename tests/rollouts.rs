//! Rollouts: their end positions, the side for which they return the winning rate, equal probability of all half-moves,
//! and identical bits from all kernels.

use fastrand::Rng;
use otrera::eval::phased::PhasedWeights;
use otrera::search::evaluate::{EvaluationScratch, LeafEvaluator};
use otrera::search::params::Rollouts;
use otrera::search::state::State;
use otrera::{Evaluator, Kernel, Model, ModelScratch, Params, Position, Rules, Side, ValueLink, WinRate};
use testkit::{random_game, size};

/// A strictly monotonic link: different values have different winning rates.
const LINK: ValueLink = ValueLink::Logistic { scale: 8.0 };

const MODEL: Model = Model::Paper(PhasedWeights { link: LINK, ..PhasedWeights::PAPER });

/// Asymmetric positions on 6x6 and 7x7; in the second, Black has six amazons and White two.
const PICTURES: [&str; 3] = [
    "W..... ..X... X....W ...X.. .B.X.B ......",
    "B.B..B ...X.. .X.B.. B...X. .XW..B ....W.",
    ".....XW ....XXX ....X.W B....X. .X..... ..B.... .......",
];

fn leaf_evaluator(rollouts: Rollouts) -> LeafEvaluator {
    LeafEvaluator::new(&Params { rollouts, model: MODEL, ..Params::MG }, false)
}

fn positions() -> impl Iterator<Item = Position> {
    let both_sides = |picture| Side::BOTH.map(|side| Position::from_picture(picture, side).unwrap());
    PICTURES.into_iter().flat_map(both_sides)
}

/// Returns Black's winning rate in a position by the evaluation alone, without a rollout.
fn evaluated(position: &Position) -> f64 {
    let for_black = match position.winner() {
        Some(Side::Black) => WinRate::WIN,
        Some(Side::White) => WinRate::LOSS,
        None => {
            let value = Evaluator::new(Model::PAPER).value(position, &mut ModelScratch::default());
            LINK.win_rate(value.seen_by(Side::Black, position.side()))
        }
    };
    f64::from(for_black.0)
}

/// Returns mean and variance of the winning rate over outcomes, given as (probability, rate).
fn moments(outcomes: &[(f64, f64)]) -> (f64, f64) {
    let mean = outcomes.iter().map(|(probability, rate)| probability * rate).sum::<f64>();
    let variance = outcomes.iter().map(|(probability, rate)| probability * (rate - mean).powi(2)).sum();
    (mean, variance)
}

/// Asserts that every rollout from a state returns the rate of one of these outcomes, given as (probability, rate), and
/// that the mean of the rollouts is that of the outcomes, within four standard errors.
fn check_rollouts(state: &State, rollouts: Rollouts, outcomes: &[(f64, f64)]) {
    const SAMPLES: u32 = 8000;
    let mut rng = Rng::with_seed(7);
    let mut scratch = EvaluationScratch::default();
    let evaluator = leaf_evaluator(rollouts);
    let mut sum = 0.0;
    for _ in 0..SAMPLES {
        let rate = f64::from(evaluator.win_rate_for_black(state, &mut rng, &mut scratch).0);
        assert!(outcomes.iter().any(|(_, possible)| (possible - rate).abs() < 1e-6), "{rate}\n{state:?}");
        sum += rate;
    }
    let (mean, variance) = moments(outcomes);
    let error = (variance / f64::from(SAMPLES)).sqrt();
    let found = sum / f64::from(SAMPLES);
    assert!((found - mean).abs() < 4.0 * error + 1e-6, "{found}, not {mean} +- {error}\n{state:?}");
}

fn equally_likely(rates: Vec<f64>) -> Vec<(f64, f64)> {
    let probability = 1.0 / rates.len() as f64;
    rates.into_iter().map(|rate| (probability, rate)).collect()
}

#[test]
fn zero_half_moves_evaluate_the_leaf() {
    for position in positions() {
        let outcomes = [(1.0, evaluated(&position))];
        check_rollouts(&State::ToMove(position), Rollouts::None, &outcomes);
        check_rollouts(&State::ToMove(position), Rollouts::Two(0, 0), &outcomes);
    }
}

#[test]
fn one_half_move_plays_a_uniform_movement() {
    for position in positions() {
        let ends =
            position.movements().map(|movement| evaluated(position.with_movement(movement).position()));
        check_rollouts(&State::ToMove(position), Rollouts::One(1), &equally_likely(ends.collect()));
    }
}

#[test]
fn two_half_moves_play_a_movement_and_arrow() {
    for position in positions() {
        let movements = position.movements().count() as f64;
        let mut outcomes = Vec::new();
        for arrow_phase in position.movements().map(|movement| position.with_movement(movement)) {
            let arrows = arrow_phase.arrow_targets();
            let probability = 1.0 / (movements * f64::from(arrows.len()));
            outcomes.extend(
                arrows.into_iter().map(|arrow| (probability, evaluated(&arrow_phase.with_arrow(arrow)))),
            );
        }
        check_rollouts(&State::ToMove(position), Rollouts::One(2), &outcomes);
    }
}

#[test]
fn an_arrow_phase_leaf_shoots_a_uniform_arrow() {
    for position in positions() {
        let arrow_phase = position.with_movement(position.movements().next().unwrap());
        let ends =
            arrow_phase.arrow_targets().into_iter().map(|arrow| evaluated(&arrow_phase.with_arrow(arrow)));
        check_rollouts(&State::ToShoot(arrow_phase), Rollouts::None, &equally_likely(ends.collect()));
    }
}

#[test]
fn two_rollouts_are_averaged() {
    for position in positions() {
        let ends =
            position.movements().map(|movement| evaluated(position.with_movement(movement).position()));
        let leaf = evaluated(&position);
        let means = ends.map(|end| (end + leaf) / 2.0).collect();
        check_rollouts(&State::ToMove(position), Rollouts::Two(0, 1), &equally_likely(means));
    }
}

/// Returns the probability that Black wins a game of random half-moves, by enumeration of all games.
fn black_wins(position: &Position) -> f64 {
    match position.winner() {
        Some(winner) => f64::from(u8::from(winner == Side::Black)),
        None => mean(position.movements().map(|movement| {
            let arrow_phase = position.with_movement(movement);
            mean(
                arrow_phase
                    .arrow_targets()
                    .into_iter()
                    .map(|arrow| black_wins(&arrow_phase.with_arrow(arrow))),
            )
        })),
    }
}

fn mean(rates: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = rates.fold((0, 0.0), |(count, sum), rate| (count + 1, sum + rate));
    sum / f64::from(count)
}

/// Positions so close to the end that all playouts can be enumerated: one, two and four amazons a side, then six
/// against four.
const ENDINGS: [&str; 4] = [
    "B..X XXXX ..W. XX.X",
    "B.XXX .XB.X XX.XX W..WX XX.XX",
    "BB.X BB.X X.WW X.WW",
    "BB.XX BBB.X BXXWW XX.WW X.XXX",
];

#[test]
fn playouts_win_with_the_exact_probability() {
    let mut undecided = 0;
    for (picture, rules) in ENDINGS.iter().flat_map(|p| [(p, Rules::Standard), (p, Rules::SelfBlocking)]) {
        for side in Side::BOTH {
            let position = Position::from_picture(picture, side).unwrap().with_rules(rules);
            let won = black_wins(&position);
            let outcomes = [(won, 1.0), (1.0 - won, 0.0)];
            check_rollouts(&State::ToMove(position), Rollouts::ToEnd, &outcomes);
            undecided += u32::from((0.1..0.9).contains(&won));
        }
    }
    assert!(undecided >= 8, "{undecided}");
}

#[test]
fn playouts_do_not_depend_on_earlier_playouts() {
    let evaluator = leaf_evaluator(Rollouts::ToEnd);
    let game = random_game(Position::standard(), &mut Rng::with_seed(2));
    let (mut rng, mut scratch) = (Rng::with_seed(3), EvaluationScratch::default());
    for position in game.iter().rev() {
        let state = State::ToMove(*position);
        let fresh = evaluator.win_rate_for_black(&state, &mut rng.clone(), &mut EvaluationScratch::default());
        assert_eq!(fresh, evaluator.win_rate_for_black(&state, &mut rng, &mut scratch), "{position}");
    }
}

/// The search always uses the fastest kernel, so only this test compares the kernels in rollouts.
#[test]
fn every_kernel_gives_the_same_bits() {
    let evaluator = LeafEvaluator::new(&Params::PAPER, false);
    let mut rngs: Vec<(Kernel, Rng)> =
        Kernel::available().map(|kernel| (kernel, Rng::with_seed(9))).collect();
    let mut scratch = EvaluationScratch::default();
    let games = [6, 8, 10].map(|edge| random_game(Position::start(size(edge)), &mut Rng::with_seed(1)));
    for position in games.iter().flat_map(|game| game[..game.len() - 1].iter().step_by(5)) {
        let movement = position.movements().next().unwrap();
        for state in [State::ToMove(*position), State::ToShoot(position.with_movement(movement))] {
            for _ in 0..100 {
                let mut rates = rngs.iter_mut().map(|(kernel, rng)| {
                    let evaluator = evaluator.clone().with_kernel(*kernel);
                    evaluator.win_rate_for_black(&state, rng, &mut scratch)
                });
                let portable = rates.next().unwrap();
                assert!(rates.all(|rate| rate == portable), "{position}");
            }
        }
    }
}
