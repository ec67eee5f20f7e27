//! Policy features and policy network, compared with a reference that computes them square by square.

use crate::network::distance_class;
use otrera::eval::Evaluator;
use otrera::eval::model::{Model, ModelScratch};
use otrera::eval::policy::{Arrows, Movements, odds};
use otrera::eval::policy_network::{ONE, UNITS, half_moves};
use otrera::eval::square_layer::{SQUARE_CLASSES, SquareCodes, squares};
use otrera::eval::weights::WeightsFile;
use otrera::simd::PortableLanes;
use otrera::{DistanceMaps, Kernel, Position, Side, Square};
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
            let found = known.features(&arrow_phase, arrow);
            assert_eq!(found, expected, "{movement}/{arrow}\n{position}");
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

#[test]
fn the_policy_network_matches_its_definition() {
    let mut maps = DistanceMaps::default();
    let mut scratch = ModelScratch::default();
    let file = WeightsFile::built_in();
    let mut without = file.clone();
    for priors in [&mut without.priors.standard, &mut without.priors.small] {
        priors.movement_rows.0.fill([0; UNITS]);
    }
    let [full, linear] =
        [file.write(), without.write()].map(|text| Evaluator::new(Model::from_weights(&text).unwrap()));
    for position in various_positions().iter().step_by(13) {
        maps.flood(position, Kernel::fastest());
        let mut found = Vec::new();
        SquareCodes::new::<PortableLanes>(position, &maps)
            .for_each(|class, square| found.push((class, square)));
        assert_eq!(found, squares_of(position), "{position}");
        let is_small = position.size().edge() <= 8;
        let (edge, priors) = if is_small { (8, &file.priors.small) } else { (10, &file.priors.standard) };
        let rows = &priors.movement_rows.0;
        let mut hidden = rows[0].map(i32::from);
        for (class, square) in found {
            let place = squares(edge).position(|other| other == square).unwrap();
            let row = rows[1 + class * edge * edge + place];
            (0..UNITS).for_each(|unit| hidden[unit] += i32::from(row[unit]));
        }
        let first = 1 + SQUARE_CLASSES * edge * edge;
        let logits = full.movement_logits(position, &mut scratch).into_iter();
        for ((movement, logit), (_, of_features)) in
            logits.zip(linear.movement_logits(position, &mut scratch))
        {
            let place = half_moves(edge).position(|squares| squares == (movement.from, movement.to)).unwrap();
            let row = rows[first + place];
            let sum: i32 = (0..UNITS).map(|unit| hidden[unit].max(0) * i32::from(row[unit])).sum();
            let expected = of_features + sum as f32 / (ONE * ONE) as f32;
            assert_eq!(logit.to_bits(), expected.to_bits(), "{movement}\n{position}");
        }
    }
}

#[test]
fn odds_approximate_the_exponential_function() {
    for step in -8000..=8000 {
        let score = step as f32 / 100.0;
        let exact = f64::from(score).exp();
        assert!((f64::from(odds(score)) / exact - 1.0).abs() < 1e-4, "{score}: {}", odds(score));
    }
}
