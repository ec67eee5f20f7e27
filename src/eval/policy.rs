//! How promising a half-move looks before it has been searched: a log-linear model of a few features of its
//! squares, fitted to the visits of longer searches (`lab fit-policy`). The search makes priors of it.
//!
//! Every feature is categorical: a half-move has one class of it, such as "two queen moves from the nearest enemy and
//! three king moves", and each class has a weight at each stage of the game. The logit of a half-move is the sum of
//! its classes' weights, and its probability the softmax, `exp(logit) / sum over all half-moves of exp(logit)`.
//!
//! The features of squares are computed for all squares at once, bit-sliced over sets of squares, and read off where a
//! half-move leads to.

use super::distance::{DistanceMaps, Levels};
use super::mobility::{neighbours_of, tally};
use super::standard_ply;
use crate::board::bitboard::{Bitboard, DIRECTIONS};
use crate::board::moves::Movement;
use crate::board::position::{ArrowPhase, Position};
use crate::board::reach::queen_reach;
use crate::board::square::{FRAME, STRIDE, Side, Size, Square};
use crate::simd::Lanes;

/// Stages of the game that have weights of their own.
pub const STAGES: usize = 4;

/// Plies of a game on 10x10 at which the second, the third and the fourth stage begin.
const STAGE_STARTS: [usize; STAGES - 1] = [14, 28, 44];

/// The features of a movement, by their numbers of classes; see [`Movements::features`].
pub const MOVEMENT_FEATURES: [usize; 6] = [1 << 6, 1 << 8, 1 << 7, 1 << 6, 1 << 8, 1 << 4];

/// The features of an arrow, by their numbers of classes; see [`Arrows::features`].
pub const ARROW_FEATURES: [usize; 7] = [1 << 6, 1 << 6, 1 << 8, 1 << 7, 1 << 7, 1 << 6, 1 << 5];

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

/// The weights of movements and of arrows.
#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    /// Of [`MOVEMENT_FEATURES`].
    pub movements: PolicyWeights<{ classes(&MOVEMENT_FEATURES) }>,
    /// Of [`ARROW_FEATURES`].
    pub arrows: PolicyWeights<{ classes(&ARROW_FEATURES) }>,
}

impl Policy {
    /// The logit of a movement with these features.
    #[inline(always)]
    pub fn movement_logit(&self, stage: usize, features: &[usize; MOVEMENT_FEATURES.len()]) -> f32 {
        sum_of_weights(&self.movements[stage], &MOVEMENT_FEATURES, features)
    }

    /// The logit of an arrow with these features.
    #[inline(always)]
    pub fn arrow_logit(&self, stage: usize, features: &[usize; ARROW_FEATURES.len()]) -> f32 {
        sum_of_weights(&self.arrows[stage], &ARROW_FEATURES, features)
    }
}

/// The stage of a position, 0 to 3.
#[inline(always)]
pub fn stage(position: &Position) -> usize {
    let ply = standard_ply(position);
    STAGE_STARTS.iter().filter(|&&start| ply >= start).count()
}

#[inline(always)]
fn sum_of_weights(weights: &[f32], sizes: &[usize], features: &[usize]) -> f32 {
    let mut first = 0;
    let mut sum = 0.0;
    for (size, feature) in sizes.iter().zip(features) {
        sum += weights[first + feature];
        first += size;
    }
    sum
}

/// What the features of movements look at, prepared once for all movements of the side to move.
pub struct Movements(Planes<7>);

impl Movements {
    /// Of a position, from its maps.
    #[inline(always)]
    pub fn new(position: &Position, maps: &DistanceMaps) -> Self {
        let (us, them) = (position.side(), position.side().opponent());
        let empty = position.empty();
        let mut planes = Planes::stack();
        planes.push(queen_class(&maps.queen, them));
        planes.push(king_class(&maps.king, them));
        planes.push(tally(neighbours_of(empty)));
        planes.push(tally(thirds_of(empty)));
        planes.push(amazons_beside(position.amazons(them)));
        planes.push(amazons_beside(position.amazons(us)));
        planes.push(LOCATIONS[position.size().edge()]);
        planes.push(attackers(position.amazons(them), empty));
        Self(planes)
    }

    /// What is known of a square, for [`Movements::features`]:
    ///
    /// | bits | |
    /// |---|---|
    /// | 0-2, 3-5 | queen moves, king moves of the enemy to it, see [`queen_class`], [`king_class`] |
    /// | 6-9, 10-13 | number of directions in which the next square, the next three squares are empty |
    /// | 14-16, 17-19 | number of amazons of the enemy, of ours beside it |
    /// | 20-23 | where on the board it lies, see [`LOCATIONS`] |
    /// | 24-25 | number of enemies that can go there in one move, three at most |
    #[inline(always)]
    pub fn code<L: Lanes>(&self, square: Square) -> u64 {
        self.0.code::<L>(square)
    }

    /// The classes of a movement whose squares have these codes, by the bits of a [code](Movements::code):
    ///
    /// - bits 0-5 of the goal: how far the enemy is, by queen and by king moves;
    /// - bits 6-13 of the goal: how open it is, by empty neighbours and by directions in which three squares are empty;
    /// - bits 14-19 of the goal: amazons beside it (the one that moves among them), and bit 6 if it is one step away;
    /// - bits 20-25 of the goal: where on the board it lies, and how many enemies can go there in one move;
    /// - bits 6-13 of the start: how open it is;
    /// - its length in steps, less 1.
    #[inline(always)]
    pub fn features(&self, movement: Movement, start: u64, goal: u64) -> [usize; MOVEMENT_FEATURES.len()] {
        let field = |code: u64, first: u32, bits: u32| (code >> first) as usize & ((1 << bits) - 1);
        let steps = steps(movement.from, movement.to);
        [
            field(goal, 0, 6),
            field(goal, 6, 8),
            field(goal, 14, 6) | usize::from(steps == 1) << 6,
            field(goal, 20, 6),
            field(start, 6, 8),
            steps - 1,
        ]
    }
}

/// What the features of arrows look at, prepared once for all arrows of one amazon.
pub struct Arrows(Planes<10>);

impl Arrows {
    /// Of the board between the halves of a move, from the maps of [`ArrowPhase::position`].
    #[inline(always)]
    pub fn new(arrow_phase: &ArrowPhase, maps: &DistanceMaps) -> Self {
        let position = arrow_phase.position();
        let (us, them) = (position.side(), position.side().opponent());
        let empty = position.empty();
        let mut planes = Planes::stack();
        planes.push(queen_class(&maps.queen, us));
        planes.push(queen_class(&maps.queen, them));
        planes.push(king_class(&maps.king, us));
        planes.push(king_class(&maps.king, them));
        planes.push(tally(neighbours_of(empty)));
        planes.push(LOCATIONS[position.size().edge()]);
        for side in [them, us] {
            planes.push(amazons_beside(position.amazons(side)));
            planes.push(most_confined_beside(position.amazons(side), empty));
        }
        planes.push(attackers(position.amazons(them), empty));
        planes.push(tally(thirds_of(empty)));
        Self(planes)
    }

    /// The classes of an arrow, each with the bits that its fields take from the lowest:
    ///
    /// - how far we (3) and the enemy (3) are from its square by queen moves, see [`queen_class`];
    /// - the same by king moves (3, 3), see [`king_class`];
    /// - the square's empty neighbours (4), and where on the board it lies (4), see [`LOCATIONS`];
    /// - the enemy's amazons beside it (3), and the empty neighbours of the most confined of them (4);
    /// - the same for ours (3, 4);
    /// - how many enemies can go there in one move (2), and the directions in which three squares are empty (4);
    /// - the steps of its flight, less 1 (4), and whether it lies where the amazon came from (1).
    #[inline(always)]
    pub fn features<L: Lanes>(
        &self,
        arrow_phase: &ArrowPhase,
        arrow: Square,
    ) -> [usize; ARROW_FEATURES.len()] {
        let code = self.0.code::<L>(arrow);
        let field = |first: u32, bits: u32| (code >> first) as usize & ((1 << bits) - 1);
        let is_origin = usize::from(arrow == arrow_phase.origin());
        [
            field(0, 6),
            field(6, 6),
            field(12, 8),
            field(20, 7),
            field(27, 7),
            field(34, 6),
            (steps(arrow_phase.amazon(), arrow) - 1) | is_origin << 4,
        ]
    }
}

/// A number for each square, bit-sliced: plane `k` holds the binary digits of weight `2^k`. `words[h][g]` are the
/// planes `4 g .. 4 g + 4` of the squares `64 h .. 64 h + 64`, so that one load finds four digits of a square.
struct Planes<const GROUPS: usize> {
    words: [[[u64; 4]; GROUPS]; 2],
    count: usize,
}

impl<const GROUPS: usize> Planes<GROUPS> {
    #[inline(always)]
    fn stack() -> Self {
        Self { words: [[[0; 4]; GROUPS]; 2], count: 0 }
    }

    /// Adds planes above those there are.
    #[inline(always)]
    fn push<const COUNT: usize>(&mut self, planes: [Bitboard; COUNT]) {
        for Bitboard(plane) in planes {
            let [low, high] = &mut self.words;
            low[self.count / 4][self.count % 4] = plane as u64;
            high[self.count / 4][self.count % 4] = (plane >> 64) as u64;
            self.count += 1;
        }
    }

    /// The number of one square.
    #[inline(always)]
    fn code<L: Lanes>(&self, square: Square) -> u64 {
        let (word, place) = (square.index() / 64, square.index() as u32 % 64);
        let mut code = 0;
        for (group, lanes) in self.words[word & 1].iter().enumerate() {
            code |= u64::from(L::new(*lanes).digits(place)) << (4 * group);
        }
        code
    }
}

/// The class of each square by the number of queen moves: 0 for one, 1 for two, 2 for three, 3 for four or more, 4 for
/// never (and for squares that are taken).
#[inline(always)]
fn queen_class(levels: &Levels, side: Side) -> [Bitboard; 3] {
    let within = |steps| levels.within(steps).of(side.index());
    let ever = levels.reachable().of(side.index());
    [(within(2) - within(1)) | (ever - within(3)), ever - within(2), !ever]
}

/// The class of each square by the number of king moves: 0 for one up to 4 for five, 5 for six or more, 6 for never.
#[inline(always)]
fn king_class(levels: &Levels, side: Side) -> [Bitboard; 3] {
    let within = |steps| levels.within(steps).of(side.index());
    let ever = levels.reachable().of(side.index());
    let odd = (within(2) - within(1)) | (within(4) - within(3)) | (ever - within(5));
    [odd, (within(4) - within(2)) | !ever, !within(4)]
}

/// For each direction `d` the squares `s` whose next three in the opposite direction are empty: `s - d`, `s - 2d`,
/// `s - 3d`.
#[inline(always)]
fn thirds_of(empty: Bitboard) -> [Bitboard; 8] {
    DIRECTIONS.map(|direction| {
        let two = empty & empty.shifted(direction);
        (empty & two.shifted(direction)).shifted(direction)
    })
}

/// The neighbours of each square, walls and what lies beyond the board included.
static NEIGHBOURS: [Bitboard; 128] = neighbours();

const fn neighbours() -> [Bitboard; 128] {
    let mut neighbours = [Bitboard::EMPTY; 128];
    let mut square = 0;
    while square < FRAME {
        let set = Bitboard(1 << square);
        neighbours[square].0 = set.with_neighbours().0 & !set.0;
        square += 1;
    }
    neighbours
}

/// How many of these amazons are beside each square, seven at most.
#[inline(always)]
fn amazons_beside(amazons: Bitboard) -> [Bitboard; 3] {
    let [mut ones, mut twos, mut fours, mut eights] = [Bitboard::EMPTY; 4];
    for amazon in amazons {
        let near = NEIGHBOURS[amazon.index() & 127];
        let two = ones & near;
        let four = twos & two;
        let eight = fours & four;
        (ones, twos, fours, eights) = (ones ^ near, twos ^ two, fours ^ four, eights | eight);
    }
    [ones | eights, twos | eights, fours | eights]
}

/// The empty neighbours of that one of these amazons beside each square which has the fewest, 15 where there is
/// none.
#[inline(always)]
fn most_confined_beside(amazons: Bitboard, empty: Bitboard) -> [Bitboard; 4] {
    // The squares beside an amazon with 0, 1 ... 8 empty neighbours.
    let mut beside = [Bitboard::EMPTY; 16];
    for amazon in amazons {
        let near = NEIGHBOURS[amazon.index() & 127];
        beside[(near & empty).len() as usize & 15] |= near;
    }
    // With at most so many.
    for count in 1..=8 {
        beside[count] |= beside[count - 1];
    }
    let [to_0, to_1, to_2, to_3, to_4, to_5, to_6, to_7, to_8, ..] = beside;
    let none = !to_8;
    let ones = (to_1 - to_0) | (to_3 - to_2) | (to_5 - to_4) | (to_7 - to_6);
    [ones | none, (to_3 - to_1) | (to_7 - to_5) | none, (to_7 - to_3) | none, !to_7]
}

/// How many of these amazons can go to each square in one move, three at most.
#[inline(always)]
fn attackers(amazons: Bitboard, empty: Bitboard) -> [Bitboard; 2] {
    let (mut ones, mut twos) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for amazon in amazons {
        let reach = queen_reach(amazon, empty);
        (ones, twos) = ((ones ^ reach) | (ones & twos), twos | (ones & reach));
    }
    [ones, twos]
}

/// Where each square of a board of each size lies: `b * (b + 1) / 2 + a`, where `a <= b` are its distances
/// from the nearest edges in both directions, four at most.
static LOCATIONS: [[Bitboard; 4]; 11] = locations();

const fn locations() -> [[Bitboard; 4]; 11] {
    const fn from_edge(place: usize, edge: usize) -> usize {
        let other = edge - 1 - place;
        let nearest = if place < other { place } else { other };
        if nearest < 4 { nearest } else { 4 }
    }
    let mut planes = [[Bitboard::EMPTY; 4]; 11];
    let mut edge = 1;
    while edge < planes.len() {
        let mut square = 0;
        while square < edge * edge {
            let (column, row) = (square % edge, square / edge);
            let (x, y) = (from_edge(column, edge), from_edge(row, edge));
            let (a, b) = if x < y { (x, y) } else { (y, x) };
            let class = b * (b + 1) / 2 + a;
            let mut digit = 0;
            while digit < 4 {
                planes[edge][digit].0 |= ((class >> digit & 1) as u128) << (row * STRIDE + column);
                digit += 1;
            }
            square += 1;
        }
        edge += 1;
    }
    planes
}

const _: () = assert!(Size::STANDARD.edge() < LOCATIONS.len());

/// Steps of a slide.
#[inline(always)]
fn steps(from: Square, to: Square) -> usize {
    let columns = from.column().abs_diff(to.column());
    columns.max(from.row().abs_diff(to.row()))
}

/// The denominator of a softmax: the sum of the [`odds`] of all these logits. Eight partial sums, which the compiler
/// keeps in lanes, in an order that does not depend on the processor.
#[inline(always)]
pub fn sum_of_odds(scores: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    let (chunks, rest) = scores.as_chunks::<8>();
    for chunk in chunks {
        for (sum, &score) in sums.iter_mut().zip(chunk) {
            *sum += odds(score);
        }
    }
    for (sum, &score) in sums.iter_mut().zip(rest) {
        *sum += odds(score);
    }
    sums.iter().sum()
}

/// `exp(score)` with a relative error below 1e-4; scores are clamped to -80 to 80. `exp(x) = 2^k * exp(r)`, where k is
/// a whole number put into the exponent's bits, `|r| <= ln 2 / 2`, and `exp(r)` is a Taylor polynomial of degree 4.
#[inline(always)]
pub fn odds(score: f32) -> f32 {
    // 1.5 * 2^23: adding it rounds a small number to a whole one, which is then in the lowest bits of the significand.
    const ROUNDING: f32 = (3 << 22) as f32;
    let power = score.clamp(-80.0, 80.0) * std::f32::consts::LOG2_E;
    let shifted = power + ROUNDING;
    let rest = (power - (shifted - ROUNDING)) * std::f32::consts::LN_2;
    let whole = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    whole * (1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0)))))
}
