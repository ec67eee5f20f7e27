//! Building blocks for slow reference implementations of evaluation and policy: slides and distances square by square,
//! and the positions on which the engine is compared with these implementations.

use crate::{random_game, random_side, scattered_position, size, symmetries};
use fastrand::Rng;
use otrera::board::bitboard::Bitboard;
use otrera::{Position, Side, Size, Square};
use std::collections::HashMap;

/// The eight queen directions, as (column step, row step).
pub const DIRECTIONS: [(i32, i32); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// Returns the empty squares up to the first obstacle in one direction, nearest first.
pub fn line(position: &Position, from: Square, (columns, rows): (i32, i32)) -> Vec<Square> {
    let at = |step: i32| {
        let moved = |from: usize, by: i32| usize::try_from(from as i32 + by).ok();
        Square::new(moved(from.column(), step * columns)?, moved(from.row(), step * rows)?)
    };
    (1..).map_while(at).take_while(|&square| position.empty().contains(square)).collect()
}

/// Returns the squares that a queen on `from` reaches in one move.
pub fn queen_moves(position: &Position, from: Square) -> Vec<Square> {
    DIRECTIONS.into_iter().flat_map(|direction| line(position, from, direction)).collect()
}

/// Returns the empty neighbours of a square.
pub fn king_moves(position: &Position, from: Square) -> Vec<Square> {
    DIRECTIONS.into_iter().filter_map(|direction| line(position, from, direction).first().copied()).collect()
}

/// Minimum number of moves in which an amazon reaches each square; unreachable squares are missing.
pub type Distances = HashMap<Square, u32>;

/// Returns each square's distance from the nearest amazon of a side; `moves` is `queen_moves` or `king_moves`.
pub fn distances(position: &Position, side: Side, moves: fn(&Position, Square) -> Vec<Square>) -> Distances {
    distances_from(position, position.amazons(side), moves)
}

/// Returns each square's distance from the nearest of these amazons; `moves` as in [`distances`].
pub fn distances_from(
    position: &Position,
    amazons: Bitboard,
    moves: fn(&Position, Square) -> Vec<Square>,
) -> Distances {
    let mut found = Distances::new();
    let mut frontier: Vec<Square> = amazons.into_iter().collect();
    let mut steps = 0;
    while !frontier.is_empty() {
        steps += 1;
        let mut reached: Vec<Square> = frontier.iter().flat_map(|&from| moves(position, from)).collect();
        reached.retain(|&to| !found.contains_key(&to) && found.insert(to, steps).is_none());
        frontier = reached;
    }
    found
}

/// Computes Lieberum's freedom of an amazon: the sum of `2^-distance * empty neighbours` over its target squares at
/// most four squares away that the enemy can reach.
pub fn freedom(position: &Position, amazon: Square, enemy: &Distances) -> f64 {
    let slides = DIRECTIONS.into_iter().map(|direction| line(position, amazon, direction));
    let steps = slides.flat_map(|slide| slide.into_iter().take(4).zip(1..));
    steps
        .filter(|(square, _)| enemy.contains_key(square))
        .map(|(square, step)| king_moves(position, square).len() as f64 * (-f64::from(step)).exp2())
        .sum()
}

/// Returns the positions of random games, scattered positions and corridors, on boards of six sizes.
pub fn various_positions() -> Vec<Position> {
    let mut rng = Rng::with_seed(1);
    let mut positions = Vec::new();
    for size in [4, 5, 6, 8, 9, 10].map(size) {
        for _ in 0..4 {
            positions.extend(random_game(Position::start(size), &mut rng));
        }
        positions.extend((0..150).map(|_| scattered_position(size, &mut rng)));
        positions.extend((0..30).map(|_| corridor(size, &mut rng)));
    }
    positions
}

/// Returns a position with large distances: a winding corridor, randomly oriented, with one or two amazons a side.
fn corridor(size: Size, rng: &mut Rng) -> Position {
    let last = size.edge() - 1;
    let is_wall = |square: &Square| {
        let gap = if square.row() % 4 == 1 { 0 } else { last };
        square.row() % 2 == 1 && square.column() != gap
    };
    let (walls, mut floor): (Vec<Square>, Vec<Square>) =
        Bitboard::playable(size).into_iter().partition(is_wall);
    rng.shuffle(&mut floor);
    let mut take = |count: usize| floor.drain(..count).collect::<Bitboard>();
    let amazons = [take(rng.usize(1..=2)), take(rng.usize(1..=2))];
    let position = Position::from_parts(size, amazons, walls.into_iter().collect(), random_side(rng));
    symmetries(&position)[rng.usize(..8)]
}
