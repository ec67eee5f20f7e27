//! How promising a half-move looks before it has been searched: a log-linear model of a few features of its
//! squares, fitted to the visits of longer searches (`lab policy`). The search makes priors of it.
//!
//! Every feature is a class, such as "two queen moves from the nearest enemy", and each class has a weight
//! at each stage of the game. The score of a half-move is the sum of its classes' weights, and `exp(score)`,
//! divided by the sum over all half-moves, its probability.

use super::distance::{DistanceMaps, Levels};
use super::metrics::NeighbourCounts;
use super::phase::Weights;
use super::policy_weights;
use crate::board::bitboard::Bitboard;
use crate::board::position::{Aiming, Position};
use crate::board::reach::queen_reach;
use crate::board::square::{Side, Square};

/// Stages of the game that have weights of their own.
pub const STAGES: usize = 4;

/// Plies of a game on 10x10 at which the second, the third and the fourth stage begin.
const STAGE_STARTS: [usize; STAGES - 1] = [14, 28, 44];

/// Classes of the features of a movement, in the order of [`Surroundings::movement`].
pub const MOVEMENT_FEATURES: [usize; 9] = [5, 7, 9, 9, 9, 5, 5, 10, 10];

/// Classes of the features of an arrow, in the order of [`Surroundings::arrow`].
pub const ARROW_FEATURES: [usize; 9] = [25, 49, 9, 9, 5, 5, 9, 9, 2];

/// All classes of these features.
pub const fn classes(features: &[usize]) -> usize {
    let mut sum = 0;
    let mut feature = 0;
    while feature < features.len() {
        sum += features[feature];
        feature += 1;
    }
    sum
}

/// The weights of all classes, feature after feature, at each stage.
pub type PolicyWeights<const CLASSES: usize> = [[f32; CLASSES]; STAGES];

/// The stage of a position.
#[inline(always)]
pub fn stage(position: &Position) -> usize {
    let ply = Weights::ply_of(position);
    STAGE_STARTS.iter().filter(|&&start| ply >= start).count()
}

/// The score of a movement.
#[inline(always)]
pub fn movement_score(stage: usize, features: &[usize; MOVEMENT_FEATURES.len()]) -> f32 {
    score(&policy_weights::MOVEMENT[stage], &MOVEMENT_FEATURES, features)
}

/// The score of an arrow.
#[inline(always)]
pub fn arrow_score(stage: usize, features: &[usize; ARROW_FEATURES.len()]) -> f32 {
    score(&policy_weights::ARROW[stage], &ARROW_FEATURES, features)
}

#[inline(always)]
fn score(weights: &[f32], sizes: &[usize], features: &[usize]) -> f32 {
    let mut first = 0;
    let mut sum = 0.0;
    for (size, feature) in sizes.iter().zip(features) {
        sum += weights[first + feature];
        first += size;
    }
    sum
}

/// What the features look at, prepared once for all half-moves of the side to move.
pub struct Surroundings {
    own: Bitboard,
    enemy: Bitboard,
    empty: Bitboard,
    own_queen: Distances<4>,
    own_king: Distances<6>,
    enemy_queen: Distances<4>,
    enemy_king: Distances<6>,
    neighbours: NeighbourCounts,
}

/// What the features of a movement say of the amazon that moves, wherever it goes.
#[derive(Clone, Copy)]
pub struct Mover {
    /// Where it stands.
    pub from: Square,
    neighbours: usize,
    reach: u32,
}

impl Surroundings {
    /// The surroundings in a position, from its maps. Between the halves of a move it is the position with
    /// the amazon moved and the archer still to move.
    #[inline(always)]
    pub fn new(position: &Position, maps: &DistanceMaps) -> Self {
        let (us, them) = (position.side(), position.side().opponent());
        Self {
            own: position.amazons(us),
            enemy: position.amazons(them),
            empty: position.empty(),
            own_queen: Distances::new(&maps.queen, us),
            own_king: Distances::new(&maps.king, us),
            enemy_queen: Distances::new(&maps.queen, them),
            enemy_king: Distances::new(&maps.king, them),
            neighbours: NeighbourCounts::new(position.empty()),
        }
    }

    /// The amazon on this square before it moves.
    #[inline(always)]
    pub fn mover(&self, from: Square) -> Mover {
        Mover { from, neighbours: self.neighbours.at(from), reach: queen_reach(from, self.empty).len() }
    }

    /// The features of a movement: how far the enemy is from its goal by queen and king moves, the empty
    /// neighbours of goal and start, its length, amazons of either side beside the goal, and how many
    /// squares the amazon reaches before and after, in threes.
    #[inline(always)]
    pub fn movement(&self, mover: &Mover, to: Square) -> [usize; MOVEMENT_FEATURES.len()] {
        let beside = neighbours(to);
        let reach = queen_reach(to, self.empty | mover.from.into()).len();
        [
            self.enemy_queen.class(to),
            self.enemy_king.class(to),
            self.neighbours.at(to),
            mover.neighbours,
            steps(mover.from, to) - 1,
            count(beside & self.enemy, 4),
            count(beside & (self.own - mover.from.into()), 4),
            (mover.reach as usize / 3).min(9),
            (reach as usize / 3).min(9),
        ]
    }

    /// The features of an arrow: how far both sides are from its square by queen and by king moves, the
    /// square's empty neighbours, the length of its flight, amazons of either side beside it, the empty
    /// neighbours of the most confined of them, and whether it lies where the archer came from.
    #[inline(always)]
    pub fn arrow(&self, aiming: &Aiming, arrow: Square) -> [usize; ARROW_FEATURES.len()] {
        let beside = neighbours(arrow);
        [
            self.own_queen.class(arrow) * 5 + self.enemy_queen.class(arrow),
            self.own_king.class(arrow) * 7 + self.enemy_king.class(arrow),
            self.neighbours.at(arrow),
            steps(aiming.archer(), arrow) - 1,
            count(beside & self.enemy, 4),
            count(beside & self.own, 4),
            self.most_confined(beside & self.enemy),
            self.most_confined(beside & self.own),
            usize::from(arrow == aiming.came_from()),
        ]
    }

    /// The least number of empty neighbours among these amazons, 0 if there are none.
    #[inline(always)]
    fn most_confined(&self, amazons: Bitboard) -> usize {
        amazons.into_iter().map(|amazon| self.neighbours.at(amazon)).min().unwrap_or(0)
    }
}

/// What one side reaches in 1, 2, ... steps, and at last at all.
struct Distances<const LEVELS: usize>([Bitboard; LEVELS]);

impl<const LEVELS: usize> Distances<LEVELS> {
    #[inline(always)]
    fn new(levels: &Levels, side: Side) -> Self {
        let reached = levels.reached();
        let last = reached.len() - 1;
        Self(std::array::from_fn(|level| {
            let step = if level + 1 == LEVELS { last } else { (level + 1).min(last) };
            reached[step].of(side.index())
        }))
    }

    /// How many of the sets lack the square: 0 for one step, the most for never.
    #[inline(always)]
    fn class(&self, square: Square) -> usize {
        self.0.iter().map(|set| usize::from(!set.contains(square))).sum()
    }
}

#[inline(always)]
fn neighbours(square: Square) -> Bitboard {
    Bitboard::from(square).with_neighbours() - square.into()
}

#[inline(always)]
fn count(set: Bitboard, most: usize) -> usize {
    (set.len() as usize).min(most)
}

/// Steps of a slide.
#[inline(always)]
fn steps(from: Square, to: Square) -> usize {
    let columns = from.column().abs_diff(to.column());
    columns.max(from.row().abs_diff(to.row()))
}
