//! Training data: the movements and arrows that searches chose, with what the policy sees of them.

use crate::commands::fit_network::samples::undecided;
use otrera::eval::policy::{ARROW_FEATURES, Arrows, MOVEMENT_FEATURES, Movements, classes, stage};
use otrera::eval::policy_network::{SQUARE_CLASSES, for_each_square, half_moves, squares};
use otrera::simd::PortableLanes;
use otrera::{DistanceMaps, GameRecord, Kernel, Move, Movement, Position, Square};

/// A position with the move that its search chose.
#[derive(Clone, Copy)]
pub struct Sample {
    pub position: Position,
    pub mv: Move,
}

/// Returns the samples of a game: its positions that a search has seen and not proven.
pub fn samples_of(game: &GameRecord) -> impl Iterator<Item = Sample> {
    undecided(game).map(|(position, mv, _)| Sample { position, mv })
}

/// The half-moves of a choice, movements or arrows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Movements,
    Arrows,
}

/// The half-moves of a position, one of which the search chose.
pub struct Decision {
    pub stage: usize,
    /// The rows of the network's squares.
    pub squares: Vec<usize>,
    /// The row and the linear weights of each half-move.
    pub choices: Vec<(usize, Vec<usize>)>,
    /// Index of the choice of the search.
    pub chosen: usize,
}

/// The rows of a policy network, and the symmetries of its board.
pub struct Layout {
    edge: usize,
    /// `[from][to]`: row of a half-move.
    half_moves: Vec<usize>,
    /// The number of each square, under each of the 8 symmetries.
    symmetries: Vec<Vec<usize>>,
}

impl Layout {
    /// Creates the layout of the network for boards of this edge or smaller.
    pub fn new(edge: usize) -> Self {
        let area = edge * edge;
        let number = |square: Square| square.row() * edge + square.column();
        let mut rows = vec![0; area * area];
        for (row, (from, to)) in (1 + SQUARE_CLASSES * area..).zip(half_moves(edge)) {
            rows[number(from) * area + number(to)] = row;
        }
        let image = |symmetry: usize, square: Square| {
            let flip = |place: usize, bit: usize| if symmetry & bit == 0 { place } else { edge - 1 - place };
            let (column, row) = (flip(square.column(), 1), flip(square.row(), 2));
            if symmetry & 4 == 0 { row * edge + column } else { column * edge + row }
        };
        let symmetries = (0..8).map(|symmetry| squares(edge).map(|square| image(symmetry, square)).collect());
        Self { edge, half_moves: rows, symmetries: symmetries.collect() }
    }

    /// Returns the movements or the arrows of a sample, seen under a symmetry of the board.
    pub fn decision(
        &self,
        sample: &Sample,
        kind: Kind,
        symmetry: usize,
        maps: &mut DistanceMaps,
    ) -> Decision {
        let Sample { position, mv } = sample;
        let arrow_phase = position.with_movement(mv.movement());
        let board = match kind {
            Kind::Movements => position,
            Kind::Arrows => arrow_phase.position(),
        };
        maps.flood(board, Kernel::fastest());
        let stage = stage(board);
        let row = |from, to| self.half_move(from, to, symmetry);
        let (choices, chosen) = match kind {
            Kind::Movements => {
                let known = Movements::new::<PortableLanes>(position, maps);
                let choice = |movement: Movement| {
                    let [start, goal] = [movement.from, movement.to].map(|square| known.classes(square));
                    let features = known.features(movement, start, goal);
                    (row(movement.from, movement.to), linear(stage, features, &MOVEMENT_FEATURES))
                };
                let chosen = position.movements().position(|movement| movement == mv.movement());
                (position.movements().map(choice).collect(), chosen)
            }
            Kind::Arrows => {
                let known = Arrows::new::<PortableLanes>(&arrow_phase, maps);
                let choice = |arrow: Square| {
                    let features = known.features(&arrow_phase, arrow);
                    (row(mv.to, arrow), linear(stage, features, &ARROW_FEATURES))
                };
                let targets = arrow_phase.arrow_targets();
                let chosen = targets.into_iter().position(|arrow| arrow == mv.arrow);
                (targets.into_iter().map(choice).collect(), chosen)
            }
        };
        let mut squares = Vec::with_capacity(self.edge * self.edge);
        for_each_square(board, maps, |class, square| {
            let number = self.symmetries[symmetry][square.row() * self.edge + square.column()];
            squares.push(1 + class * self.edge * self.edge + number);
        });
        Decision { stage, squares, choices, chosen: chosen.unwrap_or(0) }
    }

    fn half_move(&self, from: Square, to: Square, symmetry: usize) -> usize {
        let number = |square: Square| self.symmetries[symmetry][square.row() * self.edge + square.column()];
        self.half_moves[number(from) * self.edge * self.edge + number(to)]
    }
}

/// Returns the indices of the linear weights of each feature's class, by stage, feature and class.
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
