//! Networks, compared with a reference that computes the inputs square by square and the value with plain loops.

use fastrand::Rng;
use otrera::board::bitboard::Bitboard;
use otrera::eval::distance::DistanceMaps;
use otrera::eval::inputs::{AMAZON_FEATURES, COUNTS, Inputs};
use otrera::eval::model::{Evaluator, Model, ModelScratch};
use otrera::eval::network::{HIDDEN, Network, ONE};
use otrera::eval::square_layer::{SquareCodes, SquareLayer};
use otrera::eval::weights::WeightsFile;
use otrera::eval::weights::network::{NetworkWeights, Networks};
use otrera::eval::winrate::Value;
use otrera::simd::Kernel;
use otrera::{Position, Side, Square};
use testkit::definitions::{
    Distances, distances, distances_from, freedom, king_moves, queen_moves, various_positions,
};

/// Creates a network with small random weights.
fn random_network(edge: usize, rng: &mut Rng) -> NetworkWeights {
    let row = || [(); HIDDEN / 16].map(|()| [(); 16].map(|()| rng.i8(-100..=100)));
    let mut network = Network::new(SquareLayer::new(edge, std::iter::repeat_with(row)));
    network.rows.iter_mut().flatten().for_each(|weight| *weight = rng.i16(-100..=100));
    NetworkWeights { trained: "by chance".into(), network, lead: None }
}

/// Computes the network's inputs for a position with at most four amazons a side.
fn reference_inputs(position: &Position) -> Inputs {
    let sides = [position.side(), position.side().opponent()];
    let amazons: u32 = sides.iter().map(|&side| position.amazons(side).len()).sum();
    let empty_at_start = position.size().area() as u32 - amazons;
    let [queen, king] =
        [queen_moves, king_moves].map(|moves| sides.map(|side| distances(position, side, moves)));
    let amazons_of = |which: usize| {
        let enemy = [&queen[1 - which], &king[1 - which]];
        let amazons = position.amazons(sides[which]);
        let mut classes = amazons.into_iter().map(|amazon| amazon_classes(position, amazons, amazon, enemy));
        std::array::from_fn(|_| classes.next())
    };
    Inputs {
        counts: square_counts(position, &queen, &king),
        amazons: [0, 1].map(amazons_of),
        ply: (position.arrows().len() * 92 / empty_at_start) as u8,
        squares: square_codes(position, &queen),
    }
}

/// Returns each square's code: the queen-distance classes of the side to move (bits 0 to 2) and of its opponent (bits 3
/// to 5), or, if occupied, 37 for an amazon of the side to move, 38 for an enemy amazon, otherwise 39.
fn square_codes(position: &Position, queen: &[Distances; 2]) -> SquareCodes {
    let mut codes = SquareCodes([39; 128]);
    for square in position.empty() {
        let [ours, theirs] = [0, 1].map(|side| distance_class(&queen[side], square, 3));
        codes.0[square.index()] = (ours + 8 * theirs) as u8;
    }
    for (side, code) in [(position.side(), 37), (position.side().opponent(), 38)] {
        position.amazons(side).into_iter().for_each(|amazon| codes.0[amazon.index()] = code);
    }
    codes
}

/// Counts the empty squares twice: by the queen-distance classes of both sides, and by the leads, in queen moves and in
/// king moves, of the side to move. A lead is the opponent's class minus the mover's, clamped to -2..=2 and stored as 0
/// to 4.
fn square_counts(position: &Position, queen: &[Distances; 2], king: &[Distances; 2]) -> [u8; COUNTS] {
    let mut counts = [0; COUNTS];
    for square in position.empty() {
        let [our_queen, their_queen] = [0, 1].map(|side| distance_class(&queen[side], square, 3));
        let [our_king, their_king] = [0, 1].map(|side| distance_class(&king[side], square, 5));
        let lead = |ours: usize, theirs: usize| (2 + theirs).saturating_sub(ours).min(4);
        counts[our_queen * 5 + their_queen] += 1;
        counts[25 + lead(our_queen, their_queen) * 5 + lead(our_king, their_king)] += 1;
    }
    counts
}

/// Buckets a square's distance: 0 to `most - 1` for 1 to `most` moves, `most` for more, `most + 1` if unreachable.
pub fn distance_class(distances: &Distances, square: Square, most: usize) -> usize {
    distances.get(&square).map_or(most + 1, |&steps| (steps as usize - 1).min(most))
}

/// Returns an amazon's class in each of [`AMAZON_FEATURES`]: its freedom in quarters, the number of squares that the
/// amazon reaches before all others, the number that the enemy would reach first without this amazon, and the squares
/// within two moves of it: all, those that its side reaches first, those that no enemy reaches. Distances are in queen
/// moves, clamped to 3.
fn amazon_classes(
    position: &Position,
    side: Bitboard,
    amazon: Square,
    enemy: [&Distances; 2],
) -> [u8; AMAZON_FEATURES.len()] {
    let [enemy_queen, enemy_king] = enemy;
    let own = distances_from(position, amazon.into(), queen_moves);
    let others = distances_from(position, side - amazon.into(), queen_moves);
    let (mut sole, mut contested, mut near, mut first, mut safe) = (0, 0, 0, 0, 0);
    for square in position.empty() {
        // More than three queen moves, and unreachable squares, count as three.
        let [n, o, e] =
            [&own, &others, enemy_queen].map(|by| by.get(&square).map_or(3, |&moves| moves.min(3)));
        sole += u32::from(n < e && n < o);
        contested += u32::from(n <= e && e < o);
        near += u32::from(n <= 2);
        first += u32::from(n <= 2 && n.min(o) < e);
        safe += u32::from(n <= 2 && !enemy_king.contains_key(&square));
    }
    let quarters = (4.0 * freedom(position, amazon, enemy_king)).floor() as u32;
    let numbers = [quarters, sole, contested, near, first, safe];
    std::array::from_fn(|feature| {
        let (_, bounds) = AMAZON_FEATURES[feature];
        bounds.iter().filter(|&&bound| bound <= numbers[feature]).count() as u8
    })
}

/// Computes the network's output, in log-odds of a win, from its inputs. `rows` are in the order of weights files.
fn log_odds(Network { rows, squares }: &Network, edge: usize, inputs: &Inputs) -> Value {
    let mut active: Vec<(usize, i32)> = inputs.counts.map(i32::from).into_iter().enumerate().collect();
    let mut first = COUNTS;
    for (feature, (_, bounds)) in AMAZON_FEATURES.iter().enumerate() {
        for amazons in inputs.amazons {
            let classes = amazons.iter().flatten().map(|classes| classes[feature]);
            active.extend(classes.map(|class| (first + usize::from(class), 1)));
            first += bounds.len() + 1;
        }
    }
    active.push((first + usize::from(inputs.ply), 1));
    let output = rows[first + 93];
    let rows_of_squares: Vec<_> = squares.rows().map(|row| row.as_flattened()).collect();
    let class = |code: u8| match code {
        37 => Some(25),
        38 => Some(26),
        39 => None,
        _ => Some(usize::from(code % 8 * 5 + code / 8)),
    };
    let of_square =
        |(square, &code): (usize, &u8)| Some((class(code)? * edge + square / 11) * edge + square % 11);
    let active_squares: Vec<usize> = inputs.squares.0.iter().enumerate().filter_map(of_square).collect();
    let hidden = |unit: usize| {
        let of_squares: i32 = active_squares.iter().map(|&row| i32::from(rows_of_squares[row][unit])).sum();
        // The rows of the squares are in units of 1/256, the others in units of 1/512.
        2 * of_squares + active.iter().map(|&(row, times)| i32::from(rows[row][unit]) * times).sum::<i32>()
    };
    let after_relu = |unit: usize| if unit == HIDDEN - 1 { hidden(unit) } else { i32::max(hidden(unit), 0) };
    let sum: i32 = (0..HIDDEN).map(|unit| after_relu(unit) * i32::from(output[unit])).sum();
    Value(sum as f32 / (ONE * ONE) as f32)
}

#[test]
fn networks_match_their_definition_on_every_kernel() {
    let mut rng = Rng::with_seed(5);
    let [standard, small] = [10, 8].map(|edge| random_network(edge, &mut rng));
    let mut file = WeightsFile::read(WeightsFile::BUILT_IN).unwrap();
    file.networks = Networks { standard: Some(standard.clone()), small: Some(small.clone()) };
    let model = Model::from_weights(&file.write()).unwrap();
    let mut maps = DistanceMaps::default();
    let mut compared = 0;
    for position in various_positions() {
        if Side::BOTH.iter().any(|&side| position.amazons(side).len() > 4) {
            assert_eq!(Inputs::of_position(&position, &mut maps, Kernel::fastest()), None);
            continue;
        }
        let reference = reference_inputs(&position);
        let (weights, edge) = if position.size().edge() <= 8 { (&small, 8) } else { (&standard, 10) };
        for kernel in Kernel::available() {
            let inputs = Inputs::of_position(&position, &mut maps, kernel);
            assert_eq!(inputs, Some(reference), "{kernel:?}\n{position}");
            let evaluator = Evaluator::new(model.clone()).with_kernel(kernel);
            let value = evaluator.value(&position, &mut ModelScratch::default());
            assert_eq!(value, log_odds(&weights.network, edge, &reference), "{kernel:?}, {position:?}");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}
