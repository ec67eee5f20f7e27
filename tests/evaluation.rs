//! The evaluation of the MG-PEO paper, compared with a reference that follows its definitions square by square. Also
//! invariants: kernels, threads and board symmetries change no value; exchanging the sides negates the metrics and
//! keeps the value for the side to move.

use otrera::board::bitboard::Bitboard;
use otrera::eval::distance::DistanceMaps;
use otrera::eval::metrics::{Metrics, of_maps};
use otrera::eval::mobility::mobility_on;
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::eval::parallel;
use otrera::eval::phased::{MetricWeights, PhasedWeights};
use otrera::eval::square_layer::squares;
use otrera::eval::winrate::{Value, ValueLink};
use otrera::simd::Kernel;
use otrera::{Position, Side, WinRate};
use testkit::definitions::{
    DIRECTIONS, Distances, distances, king_moves, line, queen_moves, various_positions,
};
use testkit::{sides_exchanged, size, skip, symmetries};

/// Pairwise different weights, so that the tests notice if two are swapped.
const STAGES: [MetricWeights; 3] = [
    MetricWeights { t1: 0.17, t2: 0.31, p1: 0.23, p2: 0.07, mobility: 0.11 },
    MetricWeights { t1: 0.41, t2: 0.13, p1: 0.29, p2: 0.19, mobility: 0.05 },
    MetricWeights { t1: 0.61, t2: 0.37, p1: 0.02, p2: 0.03, mobility: 0.43 },
];
const UNEVEN: PhasedWeights =
    PhasedWeights { stages: STAGES, starts: [20, 50], tie: 0.3, link: ValueLink::Sign { threshold: 0.1 } };

fn metrics(position: &Position, weights: &PhasedWeights, maps: &mut DistanceMaps, kernel: Kernel) -> Metrics {
    maps.flood(position, kernel);
    Metrics { mobility: mobility_on(position, kernel), ..of_maps(maps, weights.tie_for(position.side())) }
}

/// The five metrics by their definitions, positive for Black; a tied square counts `tie` for Black.
struct Reference {
    t1: f64,
    t2: f64,
    p1: f64,
    p2: f64,
    mobility: f64,
    farthest: u32,
}

impl Reference {
    fn of(position: &Position, tie: f64) -> Self {
        let both = |moves| Side::BOTH.map(|side| distances(position, side, moves));
        let (queen, king) = (both(queen_moves), both(king_moves));
        Self {
            t1: over_squares(position, &queen, |black, white| territory(black, white, tie)),
            t2: over_squares(position, &king, |black, white| territory(black, white, tie)),
            p1: over_squares(position, &queen, |black, white| 2.0 * ((-black).exp2() - (-white).exp2())),
            p2: over_squares(position, &king, king_lead),
            mobility: mobility(position, Side::Black) - mobility(position, Side::White),
            farthest: king.iter().flat_map(|distances| distances.values().copied()).max().unwrap_or(0),
        }
    }

    fn value(&self, weights: &MetricWeights, side: Side) -> f64 {
        let for_black = f64::from(weights.t1) * self.t1
            + f64::from(weights.t2) * self.t2
            + f64::from(weights.p1) * self.p1
            + f64::from(weights.p2) * self.p2
            + f64::from(weights.mobility) * self.mobility;
        if side == Side::Black { for_black } else { -for_black }
    }
}

/// Sums a function of Black's and White's distances over the empty squares.
fn over_squares(position: &Position, distances: &[Distances; 2], term: impl Fn(f64, f64) -> f64) -> f64 {
    let distance =
        |side: usize, square| distances[side].get(&square).map_or(f64::INFINITY, |&steps| f64::from(steps));
    position.empty().into_iter().map(|square| term(distance(0, square), distance(1, square))).sum()
}

fn territory(black: f64, white: f64, tie: f64) -> f64 {
    if black != white {
        (white - black).signum()
    } else if black.is_finite() {
        tie
    } else {
        0.0
    }
}

fn king_lead(black: f64, white: f64) -> f64 {
    if black == white { 0.0 } else { ((white - black) / 6.0).clamp(-1.0, 1.0) }
}

fn mobility(position: &Position, side: Side) -> f64 {
    let mut sum = 0.0;
    for amazon in position.amazons(side) {
        for direction in DIRECTIONS {
            for (square, steps) in line(position, amazon, direction).into_iter().zip(1..) {
                sum += king_moves(position, square).len() as f64 / f64::from(steps);
            }
        }
    }
    sum
}

fn assert_close(ours: f32, expected: f64, what: &str, position: &Position) {
    let tolerance = 1e-6 * expected.abs().max(10.0);
    assert!((f64::from(ours) - expected).abs() < tolerance, "{what} {ours}, not {expected}\n{position}");
}

#[test]
fn metrics_match_their_definitions() {
    let mut maps = DistanceMaps::default();
    let mut farthest = 0;
    for position in various_positions() {
        for weights in [PhasedWeights::PAPER, UNEVEN] {
            let reference = Reference::of(&position, f64::from(weights.tie_for(position.side())));
            farthest = farthest.max(reference.farthest);
            for kernel in Kernel::available() {
                let metrics = metrics(&position, &weights, &mut maps, kernel);
                assert_close(metrics.t1, reference.t1, "t1", &position);
                assert_close(metrics.t2, reference.t2, "t2", &position);
                assert_eq!(metrics.p1, reference.p1 as f32, "p1 must be exact\n{position}");
                assert_close(metrics.p2, reference.p2, "p2", &position);
                assert_close(metrics.mobility, reference.mobility, "mobility", &position);
            }
        }
    }
    assert!(farthest > 40, "the farthest square is only {farthest} king moves away");
}

#[test]
fn values_are_weighted_sums() {
    let mut scratch = ModelScratch::default();
    for position in various_positions() {
        let reference = Reference::of(&position, f64::from(UNEVEN.tie_for(position.side())));
        for stage in STAGES {
            let expected = reference.value(&stage, position.side());
            for kernel in Kernel::available() {
                let model = Model::Paper(PhasedWeights { stages: [stage; 3], ..UNEVEN });
                let evaluator = Evaluator::new(model).with_kernel(kernel);
                assert_close(evaluator.value(&position, &mut scratch).0, expected, "value", &position);
            }
        }
    }
}

#[test]
fn kernels_and_threads_give_the_same_bits() {
    if Kernel::available().count() < Kernel::COUNT {
        let fastest = Kernel::fastest().name();
        skip("kernels", &format!("this processor has none beyond {fastest}"));
    }
    let (mut maps, mut scratch) = (DistanceMaps::default(), ModelScratch::default());
    for position in various_positions() {
        for model in [Model::PAPER, Model::Paper(UNEVEN), Model::Fitted] {
            let mut results = Kernel::available().map(|kernel| {
                let evaluator = Evaluator::new(model.clone()).with_kernel(kernel);
                assert_eq!(evaluator.kernel(), kernel);
                let metrics = metrics(&position, &UNEVEN, &mut maps, kernel);
                (bits(metrics), evaluator.value(&position, &mut scratch).0.to_bits())
            });
            let portable = results.next().unwrap();
            assert!(results.all(|result| result == portable), "{position}");
            if let Model::Paper(weights) = &model {
                let in_parallel = parallel::value(&position, weights);
                assert_eq!(in_parallel.0.to_bits(), portable.1, "{position}");
            }
        }
    }
}

fn bits(metrics: Metrics) -> [u32; 5] {
    let Metrics { t1, t2, p1, p2, mobility } = metrics;
    [t1, t2, p1, p2, mobility].map(f32::to_bits)
}

#[test]
fn exchanging_sides_negates_metrics_and_keeps_values() {
    let (mut maps, mut scratch) = (DistanceMaps::default(), ModelScratch::default());
    let (evaluator, kernel) = (Evaluator::new(Model::Paper(UNEVEN)), Kernel::fastest());
    for position in various_positions() {
        let exchanged = sides_exchanged(&position);
        let found = metrics(&position, &UNEVEN, &mut maps, kernel);
        let expected =
            Metrics { t1: -found.t1, t2: -found.t2, p1: -found.p1, p2: -found.p2, mobility: -found.mobility };
        assert_eq!(metrics(&exchanged, &UNEVEN, &mut maps, kernel), expected, "{position}");
        let values = [position, exchanged].map(|position| evaluator.value(&position, &mut scratch));
        assert_eq!(values[0], values[1], "{position}");
    }
}

#[test]
fn board_symmetries_keep_metrics_and_values() {
    let (mut maps, mut scratch) = (DistanceMaps::default(), ModelScratch::default());
    let (evaluator, kernel) = (Evaluator::new(Model::Paper(UNEVEN)), Kernel::fastest());
    for position in various_positions() {
        let turned = symmetries(&position).map(|turned| {
            (metrics(&turned, &UNEVEN, &mut maps, kernel), evaluator.value(&turned, &mut scratch))
        });
        assert_eq!(turned, [turned[0]; 8], "{position}");
    }
}

#[test]
fn ties_favour_the_side_to_move() {
    let (mut maps, mut scratch) = (DistanceMaps::default(), ModelScratch::default());
    let start = Position::standard();
    for side in Side::BOTH {
        let to_move = Position::from_parts(start.size(), start.all_amazons(), Bitboard::EMPTY, side);
        let metrics = metrics(&to_move, &PhasedWeights::PAPER, &mut maps, Kernel::fastest());
        let for_mover = if side == Side::Black { metrics.t1 } else { -metrics.t1 };
        assert!(for_mover > 0.0, "the start is even but for the move, yet {side} has {for_mover}");
        let values = [0.0, 0.2, 0.9]
            .map(|tie| Model::Paper(PhasedWeights { tie, ..PhasedWeights::PAPER }))
            .map(|model| Evaluator::new(model).value(&to_move, &mut scratch));
        assert!(values[0] < values[1] && values[1] < values[2], "{values:?}");
    }
}

#[test]
fn stages_scale_with_the_board_size() {
    let table = [(4, 2, 5), (5, 4, 10), (6, 7, 16), (7, 9, 23), (8, 13, 31), (9, 16, 40), (10, 20, 50)];
    for (edge, middle, ending) in table {
        let start = Position::start(size(edge));
        for arrows in 0..=start.empty().len() {
            let shot = start.empty().into_iter().take(arrows as usize).collect();
            let position = Position::from_parts(start.size(), start.all_amazons(), shot, Side::Black);
            let stage = usize::from(arrows >= middle) + usize::from(arrows >= ending);
            assert_eq!(UNEVEN.at(&position), &STAGES[stage], "{arrows} arrows on {edge}x{edge}");
        }
    }
}

#[test]
fn a_sign_link_returns_win_loss_or_even() {
    let link = ValueLink::Sign { threshold: 0.1 };
    let rates = [-50.0, -0.11, -0.1, 0.0, 0.1, 0.11, 50.0].map(|value| link.win_rate(Value(value)));
    let (lost, even, won) = (WinRate::LOSS, WinRate::EVEN, WinRate::WIN);
    assert_eq!(rates, [lost, lost, even, even, even, won, won]);
}

#[test]
fn a_logistic_link_is_monotonic_and_symmetric() {
    for scale in [0.5, 3.0, 20.0] {
        let rate = |value: f32| ValueLink::Logistic { scale }.win_rate(Value(value)).0;
        assert_eq!(rate(0.0), 0.5);
        assert!((rate(scale) - 0.731_058_6).abs() < 1e-6, "1 / (1 + 1/e) at one scale");
        for step in -40..40 {
            let (low, high) = (step as f32 * 0.2 * scale, (step + 1) as f32 * 0.2 * scale);
            assert!(rate(low) < rate(high), "{low} and {high}");
            assert!((rate(low) + rate(-low) - 1.0).abs() < 1e-6, "{low}");
        }
        assert_eq!([-1e30, -f32::INFINITY, 1e30, f32::INFINITY].map(rate), [0.0, 0.0, 1.0, 1.0]);
    }
}

#[test]
fn arrays_agree_with_single_evaluations_on_every_kernel() {
    let mut scratch = ModelScratch::default();
    for (position, kernel) in
        various_positions().iter().step_by(7).zip(Kernel::available().collect::<Vec<_>>().iter().cycle())
    {
        let position = &position;
        let evaluator = Evaluator::new(Model::Fitted).with_kernel(*kernel);
        let expected = (evaluator.value(position, &mut scratch), Model::Fitted.lead(position, &mut scratch));
        assert_eq!(evaluator.value_and_lead(position, &mut scratch), expected, "{position}");
        let edge = position.size().edge();
        let mut cells = vec![0; 4 * edge * edge];
        evaluator.write_distances(position, &mut scratch, &mut cells);
        let maps = Side::BOTH
            .into_iter()
            .flat_map(|side| [queen_moves, king_moves].map(|moves| distances(position, side, moves)));
        let expected: Vec<u8> = maps
            .flat_map(|map| {
                squares(edge).map(move |square| map.get(&square).map_or(255, |&steps| steps as u8))
            })
            .collect();
        assert_eq!(cells, expected, "{kernel:?}\n{position}");
    }
}
