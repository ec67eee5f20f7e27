//! Rollouts: their end positions, the side for which they return the win rate, equal probability of all half-moves
//! (movements, arrows), and identical bits from all kernels.

use fastrand::Rng;
use otrera::board::state::State;
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::eval::phased::PhasedWeights;
use otrera::eval::winrate::ValueLink;
use otrera::mgpeo::playout::Playouts;
use otrera::mgpeo::simulation::Simulator;
use otrera::mgpeo::{PaperParams, Rollouts};
use otrera::simd::Kernel;
use otrera::{Position, Rules, Side, WinRate};
use testkit::{random_game, size};

/// A strictly monotonic link function, so that different values have different win rates.
const LINK: ValueLink = ValueLink::Logistic { scale: 8.0 };

const WEIGHTS: PhasedWeights = PhasedWeights { link: LINK, ..PhasedWeights::PAPER };

/// Asymmetric positions on 6x6 and 7x7; in the second, Black has six amazons and White two.
const PICTURES: [&str; 3] = [
    "W..... ..X... X....W ...X.. .B.X.B ......",
    "B.B..B ...X.. .X.B.. B...X. .XW..B ....W.",
    ".....XW ....XXX ....X.W B....X. .X..... ..B.... .......",
];

fn simulator(rollouts: Rollouts, seed: u64) -> Simulator {
    Simulator::new(&PaperParams { rollouts, ..PaperParams::MG }, seed, false).with_weights(WEIGHTS)
}

fn positions() -> impl Iterator<Item = Position> {
    let both_sides = |picture| Side::BOTH.map(|side| Position::from_picture(picture, side).unwrap());
    PICTURES.into_iter().flat_map(both_sides)
}

/// Returns Black's win rate in a position by the evaluation alone, without a rollout.
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

/// Returns mean and variance of the win rate over outcomes, given as (probability, rate).
fn moments(outcomes: &[(f64, f64)]) -> (f64, f64) {
    let mean = outcomes.iter().map(|(probability, rate)| probability * rate).sum::<f64>();
    let variance = outcomes.iter().map(|(probability, rate)| probability * (rate - mean).powi(2)).sum();
    (mean, variance)
}

/// Asserts that every rollout from a state returns the rate of one of `outcomes`, given as (probability, rate). The
/// mean of the rollouts must equal that of the outcomes within four standard errors.
fn check_rollouts(state: &State, rollouts: Rollouts, outcomes: &[(f64, f64)]) {
    const SAMPLES: u32 = 8000;
    let mut simulator = simulator(rollouts, 7);
    let mut sum = 0.0;
    for _ in 0..SAMPLES {
        let rate = f64::from(simulator.simulation(state).0);
        assert!(outcomes.iter().any(|(_, possible)| (possible - rate).abs() < 1e-6), "{rate}\n{state:?}");
        sum += rate;
    }
    let (mean, variance) = moments(outcomes);
    let error = (variance / f64::from(SAMPLES)).sqrt();
    let found = sum / f64::from(SAMPLES);
    assert!((found - mean).abs() < 4.0 * error + 1e-6, "{found}, not {mean} +- {error}\n{state:?}");
}

/// Returns (probability, Black's win rate) of every outcome of `half_moves` random movements and arrows in turn.
fn outcomes(state: State, half_moves: u32) -> Vec<(f64, f64)> {
    let next: Vec<State> = match state {
        _ if half_moves == 0 || state.winner().is_some() => return vec![(1.0, evaluated(state.position()))],
        State::ToMove(position) => {
            position.movements().map(|movement| State::ToShoot(position.with_movement(movement))).collect()
        }
        State::ToShoot(arrow_phase) => {
            let arrows = arrow_phase.arrow_targets().into_iter();
            arrows.map(|arrow| State::ToMove(arrow_phase.with_arrow(arrow))).collect()
        }
    };
    let count = next.len() as f64;
    let after = next.into_iter().flat_map(|next| outcomes(next, half_moves - 1));
    after.map(|(probability, rate)| (probability / count, rate)).collect()
}

#[test]
fn rollouts_play_uniform_half_moves() {
    for position in positions() {
        let state = State::ToMove(position);
        for (rollouts, half_moves) in
            [(Rollouts::One(0), 0), (Rollouts::Two(0, 0), 0), (Rollouts::One(1), 1), (Rollouts::One(2), 2)]
        {
            check_rollouts(&state, rollouts, &outcomes(state, half_moves));
        }
    }
}

#[test]
fn an_arrow_phase_leaf_shoots_a_uniform_arrow() {
    for position in positions() {
        let state = State::ToShoot(position.with_movement(position.movements().next().unwrap()));
        check_rollouts(&state, Rollouts::One(0), &outcomes(state, 1));
    }
}

#[test]
fn two_rollouts_are_averaged() {
    for state in positions().map(State::ToMove) {
        let leaf = evaluated(state.position());
        let mut averaged = outcomes(state, 1);
        averaged.iter_mut().for_each(|(_, rate)| *rate = (*rate + leaf) / 2.0);
        check_rollouts(&state, Rollouts::Two(0, 1), &averaged);
    }
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
            let state = State::ToMove(position);
            let (won, _) = moments(&outcomes(state, u32::MAX));
            check_rollouts(&state, Rollouts::ToEnd, &[(won, 1.0), (1.0 - won, 0.0)]);
            undecided += u32::from((0.1..0.9).contains(&won));
        }
    }
    assert!(undecided >= 8, "{undecided}");
}

#[test]
fn playouts_do_not_depend_on_earlier_playouts() {
    let game = random_game(Position::standard(), &mut Rng::with_seed(2));
    let mut playouts = Playouts::default();
    for (seed, position) in (0..).zip(game.iter().rev()) {
        let rng = || Rng::with_seed(seed);
        let fresh = Playouts::default().winner(position, &mut rng());
        assert_eq!(fresh, playouts.winner(position, &mut rng()), "{position}");
    }
}

/// The search always uses the fastest kernel, so only this test compares the kernels in rollouts.
#[test]
fn every_kernel_gives_the_same_bits() {
    let mut simulators: Vec<Simulator> = Kernel::available()
        .map(|kernel| Simulator::new(&PaperParams::PAPER, 9, false).with_kernel(kernel))
        .collect();
    let games = [6, 8, 10].map(|edge| random_game(Position::start(size(edge)), &mut Rng::with_seed(1)));
    for position in games.iter().flat_map(|game| game[..game.len() - 1].iter().step_by(5)) {
        let movement = position.movements().next().unwrap();
        for state in [State::ToMove(*position), State::ToShoot(position.with_movement(movement))] {
            for _ in 0..100 {
                let mut rates = simulators.iter_mut().map(|simulator| simulator.simulation(&state));
                let portable = rates.next().unwrap();
                assert!(rates.all(|rate| rate == portable), "{position}");
            }
        }
    }
}
