//! Training data for the policy: positions with the visits of their searches, and the weight indices of half-moves.

use crate::commands::fit_network::samples::undecided;
use crate::training::turned;
use otrera::eval::distance::DistanceMaps;
use otrera::eval::policy::{ARROW_FEATURES, Arrows, MOVEMENT_FEATURES, Movements, classes, stage};
use otrera::eval::policy_network::half_moves;
use otrera::eval::square_layer::{SQUARE_CLASSES, SquareCodes};
use otrera::simd::{Kernel, PortableLanes};
use otrera::{GameRecord, Move, Position, Square};

/// A training sample: a position with the visits of its search.
pub struct Sample {
    pub position: Position,
    /// The move with the most visits.
    pub mv: Move,
    /// Visits of each move; for a record without visits, one visit of the move played.
    pub visits: Box<[(Move, u32)]>,
}

/// Returns a sample for each searched, unproven position of a game.
pub fn samples_of(game: &GameRecord) -> Vec<Sample> {
    let sample = |(ply, position, mv, _)| {
        let visits = game.visits.get(&ply).filter(|visits| !visits.is_empty());
        let visits = visits.cloned().unwrap_or_else(|| vec![(mv, 1)]).into_boxed_slice();
        Sample { position, mv: visits[0].0, visits }
    };
    undecided(game).map(sample).collect()
}

/// Kind of half-move, movement or arrow; each kind has its own [`Policy`](super::network::Policy).
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    Movements,
    Arrows,
}

/// All legal half-moves of one kind in a position: the indices of their weights, and their training targets.
pub struct Decision {
    pub stage: usize,
    /// Network row indices of the active inputs: one for each square that is empty or has an amazon.
    pub squares: Vec<usize>,
    /// For each half-move, the index of its network row and the indices of its log-linear weights.
    pub choices: Vec<(usize, Vec<usize>)>,
    /// Training target of each half-move: its share of the visits; for arrows, of the visits after the same movement.
    pub targets: Vec<f32>,
    /// Index in [`Self::choices`] of the half-move that belongs to the most-visited move.
    pub best: usize,
}

/// Row indices of the half-moves in a policy network.
pub struct Layout {
    edge: usize,
    /// Network row index of each half-move, at `from * edge^2 + to`; 0 if no queen move joins the two squares.
    half_moves: Vec<usize>,
}

impl Layout {
    /// Creates the layout of the network for boards of edge length `edge` or less.
    pub fn new(edge: usize) -> Self {
        let area = edge * edge;
        let number = |square: Square| square.row() * edge + square.column();
        let mut rows = vec![0; area * area];
        for (row, (from, to)) in (1 + SQUARE_CLASSES * area..).zip(half_moves(edge)) {
            rows[number(from) * area + number(to)] = row;
        }
        Self { edge, half_moves: rows }
    }

    /// Returns the half-moves of one kind in a sample, mapped by a symmetry (0 to 7). `maps` is scratch space.
    pub fn decision(
        &self,
        sample: &Sample,
        kind: Kind,
        symmetry: usize,
        maps: &mut DistanceMaps,
    ) -> Decision {
        let Sample { position, mv, visits } = sample;
        let arrow_phase = position.with_movement(mv.movement());
        let board = match kind {
            Kind::Movements => position,
            Kind::Arrows => arrow_phase.position(),
        };
        maps.flood(board, Kernel::fastest());
        let stage = stage(board);
        let area = self.edge * self.edge;
        // A smaller board lies in the corner of the network's, and is turned there.
        let number = |square: Square| {
            let image = turned(square, position.size().edge(), symmetry);
            image.row() * self.edge + image.column()
        };
        let row = |from, to| self.half_moves[number(from) * area + number(to)];
        // For each half-move: its weights, its visits, and true if it belongs to the most-visited move.
        let mut half_moves = Vec::new();
        let mut list = |choice: (usize, Vec<usize>), is_its: &dyn Fn(Move) -> bool| {
            let its = visits.iter().filter(|(tried, _)| is_its(*tried));
            half_moves.push((choice, its.map(|(_, visits)| *visits as f32).sum::<f32>(), is_its(*mv)));
        };
        match kind {
            Kind::Movements => {
                let known = Movements::new::<PortableLanes>(position, maps);
                known.for_each(position, |movement, features| {
                    let features = linear(stage, features, &MOVEMENT_FEATURES);
                    list((row(movement.from, movement.to), features), &|tried| tried.movement() == movement);
                });
            }
            Kind::Arrows => {
                let known = Arrows::new::<PortableLanes>(&arrow_phase, maps);
                known.for_each(&arrow_phase, |arrow, features| {
                    let features = linear(stage, features, &ARROW_FEATURES);
                    let after = mv.movement().with_arrow(arrow);
                    list((row(mv.to, arrow), features), &|tried| tried == after);
                });
            }
        }
        let mut squares = Vec::with_capacity(area);
        SquareCodes::new::<PortableLanes>(board, maps)
            .for_each(|class, square| squares.push(1 + class * area + number(square)));
        let total: f32 = half_moves.iter().map(|(_, visits, _)| visits).sum();
        let targets = half_moves.iter().map(|(_, visits, _)| visits / total).collect();
        let best = half_moves.iter().position(|(.., is_best)| *is_best).unwrap_or(0);
        let choices = half_moves.into_iter().map(|(choice, ..)| choice).collect();
        Decision { stage, squares, choices, targets, best }
    }
}

/// Returns the log-linear weight index of each feature, given its class in `features` and its number of classes in
/// `sizes`. Weights are ordered by stage, feature and class.
fn linear<const FEATURES: usize>(
    stage: usize,
    features: [usize; FEATURES],
    sizes: &[usize; FEATURES],
) -> Vec<usize> {
    let mut first = stage * classes(sizes);
    let index = |(feature, size): (usize, &usize)| {
        first += size;
        first - size + feature
    };
    features.into_iter().zip(sizes).map(index).collect()
}
