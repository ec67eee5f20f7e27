//! Policy features and policy network, compared with a reference that computes them square by square.

use crate::network::distance_class;
use otrera::board::moves::Movement;
use otrera::eval::distance::DistanceMaps;
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::eval::policy::{Arrows, Movements, odds, stage};
use otrera::eval::policy_network::{ONE, UNITS, half_moves};
use otrera::eval::square_layer::{SQUARE_CLASSES, SquareCodes, squares};
use otrera::eval::weights::WeightsFile;
use otrera::simd::{Kernel, PortableLanes};
use otrera::{Move, Position, Side, Size, Square};
use testkit::definitions::{DIRECTIONS, distances, king_moves, line, queen_moves, various_positions};

fn amazons_beside(position: &Position, square: Square, side: Side) -> Vec<Square> {
    position.amazons(side).into_iter().filter(|&other| steps_between(other, square) == 1).collect()
}

fn steps_between(from: Square, to: Square) -> usize {
    from.column().abs_diff(to.column()).max(from.row().abs_diff(to.row()))
}

/// Counts the queen directions in which a line of at least `squares` empty squares begins beside `square`.
fn open_directions(position: &Position, square: Square, squares: usize) -> usize {
    DIRECTIONS.into_iter().filter(|&direction| line(position, square, direction).len() >= squares).count()
}

/// Returns the queen direction from one square to another.
fn direction_between(from: Square, to: Square) -> (i32, i32) {
    let sign = |from: usize, to: usize| (to as i32 - from as i32).signum();
    (sign(from.column(), to.column()), sign(from.row(), to.row()))
}

/// Returns the features confinement (at most 15) and loss (at most 31) of an arrow. `side` is the enemy.
fn cut(position: &Position, side: Side, arrow: Square) -> [usize; 2] {
    let amazons = position.amazons(side);
    let reaches: Vec<Vec<Square>> = amazons.into_iter().map(|amazon| queen_moves(position, amazon)).collect();
    let is_sole = |square: &Square| reaches.iter().filter(|reach| reach.contains(square)).count() == 1;
    let (mut kept, mut lost) = (15, 0);
    for (amazon, before) in amazons.into_iter().zip(&reaches).filter(|(_, before)| before.contains(&arrow)) {
        let direction = direction_between(amazon, arrow);
        let behind = 1 + line(position, arrow, direction).len();
        let taken = &line(position, amazon, direction)[steps_between(amazon, arrow) - 1..];
        assert_eq!(taken.len(), behind, "{arrow}\n{position}");
        kept = kept.min(before.len() - taken.len());
        lost += taken.iter().filter(|square| is_sole(square)).count();
    }
    [kept, lost.min(31)]
}

/// Returns a square's location class: the index of the unordered pair of distances (0 to 4) from its nearest edges.
fn location(position: &Position, square: Square) -> usize {
    let from_edge = |place: usize| place.min(position.size().edge() - 1 - place).min(4);
    let (x, y) = (from_edge(square.column()), from_edge(square.row()));
    let (a, b) = (x.min(y), x.max(y));
    b * (b + 1) / 2 + a
}

#[test]
fn half_move_features_match_their_definitions() {
    let mut maps = DistanceMaps::default();
    for position in various_positions().iter().step_by(11) {
        let (us, them) = (position.side(), position.side().opponent());
        maps.flood(position, Kernel::fastest());
        let known = Movements::new::<PortableLanes>(position, &maps);
        let [queen, king] = [queen_moves, king_moves].map(|moves| distances(position, them, moves));
        let openness =
            |square| open_directions(position, square, 1) + 16 * open_directions(position, square, 3);
        for movement in position.movements() {
            let (from, to) = (movement.from, movement.to);
            let [enemies, friends] = [them, us].map(|side| amazons_beside(position, to, side).len());
            let steps = steps_between(from, to);
            let expected = [
                distance_class(&queen, to, 3) + 8 * distance_class(&king, to, 5),
                openness(to),
                enemies + 8 * friends + 64 * usize::from(steps == 1),
                openness(from),
            ];
            let [start, goal] = [from, to].map(|square| known.classes(square));
            assert_eq!(known.features(movement, start, goal), expected, "{movement}\n{position}");
        }
        let Some(movement) = position.movements().last() else { continue };
        let arrow_phase = position.with_movement(movement);
        let after = arrow_phase.position();
        maps.flood(after, Kernel::fastest());
        let known = Arrows::new::<PortableLanes>(&arrow_phase, &maps);
        let both = |moves| [us, them].map(|side| distances(after, side, moves));
        let ([our_queen, their_queen], [our_king, their_king]) = (both(queen_moves), both(king_moves));
        for arrow in arrow_phase.arrow_targets() {
            let beside = |side| {
                let amazons = amazons_beside(after, arrow, side);
                let liberties = amazons.iter().map(|&amazon| open_directions(after, amazon, 1));
                amazons.len() + 8 * liberties.min().unwrap_or(15)
            };
            let expected = [
                distance_class(&our_queen, arrow, 3) + 8 * distance_class(&their_queen, arrow, 3),
                distance_class(&our_king, arrow, 5) + 8 * distance_class(&their_king, arrow, 5),
                open_directions(after, arrow, 1) + 16 * location(after, arrow),
                beside(them),
                beside(us),
                steps_between(movement.to, arrow) - 1 + 16 * usize::from(arrow == movement.from),
            ];
            // At most four amazons are looked at.
            let is_cut = after.amazons(them).len() <= 4;
            let found = known.features(&arrow_phase, arrow);
            let cuts = if is_cut { cut(after, them, arrow) } else { [found[6], found[7]] };
            let expected = [&expected[..], &cuts].concat();
            assert_eq!(found[..], expected, "{movement}/{arrow}\n{position}");
        }
    }
}

#[test]
fn kernels_give_the_same_logits() {
    let mut scratch = ModelScratch::default();
    for position in various_positions().iter().step_by(7) {
        let mut logits = |kernel| {
            let evaluator = Evaluator::new(Model::Fitted).with_kernel(kernel);
            let movements = evaluator.movement_logits(position, &mut scratch);
            let after = movements.last().map(|&(movement, _)| position.with_movement(movement));
            let arrows = after.map(|after| evaluator.arrow_logits(&after, &mut scratch));
            let (movements, arrows) = (movements.iter(), arrows.iter().flatten());
            let movements = movements.map(|&(movement, logit)| (movement.to, logit.to_bits()));
            movements.chain(arrows.map(|&(arrow, logit)| (arrow, logit.to_bits()))).collect::<Vec<_>>()
        };
        let expected = logits(Kernel::Portable);
        for kernel in Kernel::available() {
            assert_eq!(logits(kernel), expected, "{kernel:?}\n{position}");
        }
    }
}

#[test]
fn softmax_is_the_share_of_the_odds() {
    let mut rng = fastrand::Rng::with_seed(2);
    for length in 0..40 {
        let logits: Vec<f32> = (0..length).map(|_| rng.f32() * 30.0 - 20.0).collect();
        let best = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = logits.iter().map(|&logit| f64::from(logit - best).exp()).sum();
        let mut portable = None;
        for kernel in Kernel::available() {
            let mut found = logits.clone();
            Evaluator::new(Model::Fitted).with_kernel(kernel).softmax(&mut found);
            for (&share, &logit) in found.iter().zip(&logits) {
                let expected = f64::from(logit - best).exp() / sum;
                assert!((f64::from(share) / expected - 1.0).abs() < 3e-4, "{kernel:?} {share} {expected}");
            }
            assert_eq!(*portable.get_or_insert(found.clone()), found, "{kernel:?}");
        }
    }
}

/// Returns the inputs of the policy network's hidden layer: (class, square) for each square without an arrow.
fn squares_of(position: &Position) -> Vec<(usize, Square)> {
    let (us, them) = (position.side(), position.side().opponent());
    let [ours, theirs] = [us, them].map(|side| distances(position, side, queen_moves));
    let mut found = Vec::new();
    for square in squares(position.size().edge()) {
        let class = if position.empty().contains(square) {
            5 * distance_class(&ours, square, 3) + distance_class(&theirs, square, 3)
        } else if position.amazons(us).contains(square) {
            25
        } else if position.amazons(them).contains(square) {
            26
        } else {
            continue;
        };
        found.push((class, square));
    }
    found
}

/// Returns the term of a policy network, given its rows: the bias, a row for each class and square, and a row for each
/// pair of squares that one queen move connects.
fn network_term(rows: &[[i8; UNITS]], edge: usize, position: &Position, from: Square, to: Square) -> f32 {
    let mut hidden = rows[0].map(i32::from);
    for (class, square) in squares_of(position) {
        let place = squares(edge).position(|other| other == square).unwrap();
        let row = rows[1 + class * edge * edge + place];
        (0..UNITS).for_each(|unit| hidden[unit] += i32::from(row[unit]));
    }
    let place = half_moves(edge).position(|squares| squares == (from, to)).unwrap();
    let row = rows[1 + SQUARE_CLASSES * edge * edge + place];
    let sum: i32 = (0..UNITS).map(|unit| hidden[unit].max(0) * i32::from(row[unit])).sum();
    sum as f32 / (ONE * ONE) as f32
}

/// Returns the stage: arrows on the board, on the scale of the 92 of a 10x10 game, from 14, 28 and 44.
fn stage_of(position: &Position) -> usize {
    let amazons = Side::BOTH.map(|side| position.amazons(side).len()).into_iter().sum::<u32>() as usize;
    let arrows = position.arrows().len() as usize * 92 / (position.size().area() - amazons);
    usize::from(arrows >= 14) + usize::from(arrows >= 28) + usize::from(arrows >= 44)
}

#[test]
fn the_stages_begin_after_14_28_and_44_arrows() {
    let mut rng = fastrand::Rng::with_seed(5);
    for (position, starts) in
        [(Position::standard(), [14, 28, 44]), (Position::start(Size::BOTZONE), [9, 18, 27])]
    {
        let mut position = position;
        for arrows in 0..=30 + position.size().edge() {
            let expected = starts.into_iter().filter(|&start| arrows >= start).count();
            assert_eq!((stage(&position), stage_of(&position)), (expected, expected), "{arrows} arrows");
            let moves: Vec<Move> = position.legal_moves().collect();
            let Some(&mv) = rng.choice(&moves) else { break };
            position = position.with_move(mv);
        }
    }
}

#[test]
fn logits_match_their_definition() {
    let mut maps = DistanceMaps::default();
    let mut scratch = ModelScratch::default();
    let file = WeightsFile::built_in();
    let evaluator = Evaluator::new(Model::Fitted);
    let linear = |weights: &[Vec<f32>], features: &[usize]| {
        weights.iter().zip(features).fold(0.0, |sum, (weights, &class)| sum + weights[class])
    };
    let mut stages = [0; 4];
    for position in various_positions().iter().step_by(13) {
        let stage = stage_of(position);
        stages[stage] += 1;
        let (edge, priors) = match position.size().edge() {
            ..=8 => (8, &file.priors.small),
            _ => (10, &file.priors.standard),
        };
        maps.flood(position, Kernel::fastest());
        let known = Movements::new::<PortableLanes>(position, &maps);
        let mut found = Vec::new();
        SquareCodes::new::<PortableLanes>(position, &maps)
            .for_each(|class, square| found.push((class, square)));
        assert_eq!(found, squares_of(position), "{position}");
        let rows = &priors.movement_rows.0;
        for (movement, logit) in evaluator.movement_logits(position, &mut scratch) {
            let Movement { from, to, .. } = movement;
            let features = known.features(movement, known.classes(from), known.classes(to));
            let network = network_term(rows, edge, position, from, to);
            let expected = linear(&priors.movements[stage], &features) + network;
            assert_eq!(logit.to_bits(), expected.to_bits(), "{movement}\n{position}");
        }
        let Some(movement) = position.movements().last() else { continue };
        let arrow_phase = position.with_movement(movement);
        maps.flood(arrow_phase.position(), Kernel::fastest());
        let known = Arrows::new::<PortableLanes>(&arrow_phase, &maps);
        for (arrow, logit) in evaluator.arrow_logits(&arrow_phase, &mut scratch) {
            let rows = &priors.arrow_rows.0;
            let network = network_term(rows, edge, arrow_phase.position(), movement.to, arrow);
            let features = known.features(&arrow_phase, arrow);
            let expected = linear(&priors.arrows[stage], &features) + network;
            assert_eq!(logit.to_bits(), expected.to_bits(), "{movement}/{arrow}\n{position}");
        }
    }
    assert!(stages.iter().all(|&count| count > 0), "{stages:?}");
}

#[test]
fn odds_approximate_the_exponential_function() {
    for step in -8000..=8000 {
        let score = step as f32 / 100.0;
        let exact = f64::from(score).exp();
        assert!((f64::from(odds(score)) / exact - 1.0).abs() < 1e-4, "{score}: {}", odds(score));
    }
}
